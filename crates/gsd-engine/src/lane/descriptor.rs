//! What a manifest says about a lane: its `reviewer` body, read once and typed from then on.
//!
//! Reading is total: any JSON in, diagnostics out, never a panic. Every fault is reported, not the
//! first one only. A field that the contract knows and that is malformed is an error; a field that
//! nobody knows is a warning. The body says how to reach a reviewer; whether that may be done is
//! decided elsewhere.
//!
//! Beyond the contract a body may say, all optional: `timeoutConfigKey`, `env` (names of variables
//! that the program may see), `setEnv` (variables with values), `posture`, `confinement`
//! (the one that does not break the program), `state` (where the program keeps its own files), `setup`
//! (steps to run before the review), `acceptExit` (exit codes that end a good review), `vendor` (whose model answers, for counting
//! independent voices); inside `invoke`: `agentArg`, `defaultAgent`, `effortArgs`, `effortLevels`,
//! `effortEnv`, `promptPlace`, `files`.

pub(super) mod field;
mod heading;
mod invoke;
mod meant;
mod name;
mod place;
mod placeholders;
mod remedy;
pub mod rules;
mod setup;
mod spelling;
mod together;

pub use heading::Heading;
pub use invoke::{
    Arg, Effort, EffortChannel, EffortLevel, HttpInvoke, Invoke, ModelDiscovery, OutputChannel,
    Placeholder, PromptChannel, PromptPlace, SpawnInvoke, UrlPath,
};
pub(crate) use invoke::{HTTP_ONLY, SPAWN_ONLY};
pub use name::{Binary, EnvName};
pub use place::StatePlace;
pub use rules::RULES;
pub use setup::{Capture, CaptureFrom, SetupStep};

use super::confinement::Way;
use super::probe::Probe;
use super::words::{self, read_word, words};
use crate::id::{ConfigKey, LaneFlag, LaneSlug};
use crate::json::{Expected, Fields, Node, Pointer, Sink};
use crate::text::printable;
use rules::*;
use std::collections::BTreeMap;
use std::time::Duration;

words! {
    /// How a reviewer is reached.
    Transport {
        /// A program on this machine.
        Spawn = "spawn",
        /// A server that speaks the chat completions protocol.
        OpenaiHttp = "openai-http",
    }
}

words! {
    /// Who explains an answer without text.
    EmptyOutput {
        /// gsd does: the section says so and shows what the program wrote to stderr.
        StubWithStderr = "stub-with-stderr",
        /// The handler does; only `antigravity` can.
        HandlerOwned = "handler-owned",
    }
}

words! {
    /// What a reviewer looks at.
    EvidenceClass {
        /// It can open the files of the repository.
        SourceGrounded = "source-grounded",
        /// It sees the changes only and is not given the plans.
        DiffOnly = "diff-only",
    }
}

words! {
    /// Code of ours that a lane needs because data cannot express it.
    Handler {
        Antigravity = "antigravity",
        OpenaiCompatible = "openai-compatible",
        Opencode = "opencode",
    }
}

impl Handler {
    /// The one transport that the handler works on.
    pub const fn transport(self) -> Transport {
        match self {
            Self::Antigravity | Self::Opencode => Transport::Spawn,
            Self::OpenaiCompatible => Transport::OpenaiHttp,
        }
    }

    /// Whether it explains an empty answer itself.
    pub const fn owns_output(self) -> bool {
        match self {
            Self::Antigravity => true,
            Self::OpenaiCompatible | Self::Opencode => false,
        }
    }
}

words! {
    /// How much the program is trusted with the repository.
    Posture {
        /// Nothing confines it: for programs of ours.
        Trusted = "trusted",
        /// It must not write into the repository; confined where the system can.
        ReadOnly = "read-only",
        /// It works on a copy of its own.
        Isolated = "isolated",
    }
}

/// A lane as its manifest describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    pub slug: LaneSlug,
    pub flags: Vec<LaneFlag>,
    pub probe: Probe,
    pub invoke: Invoke,
    /// The limit of a whole call where no setting says another (`timeoutFloorMs`).
    pub time_limit: Duration,
    pub timeout_key: Option<ConfigKey>,
    pub empty_output: EmptyOutput,
    pub heading: Heading,
    pub evidence: EvidenceClass,
    pub requires_binaries: Vec<Binary>,
    pub budget_key: Option<ConfigKey>,
    pub model_key: Option<ConfigKey>,
    pub handler: Option<Handler>,
    /// Variables that the program may see beside the few that every child gets.
    pub env: Vec<EnvName>,
    /// Variables that are set for it.
    pub set_env: BTreeMap<EnvName, String>,
    pub posture: Posture,
    /// The one confinement that does not break the program, where only one does not.
    pub confinement: Option<Way>,
    /// Where the program keeps its own state and may write to; what is usual for its name where
    /// nothing is said.
    pub state: Option<Vec<StatePlace>>,
    /// What is run with the same program before the review, in order.
    pub setup: Vec<SetupStep>,
    /// Exit codes beside 0 after which the text is a review.
    pub accept_exit: Vec<i32>,
    /// Whose models answer, as one lower-case word; lanes of one vendor are not independent.
    pub vendor: Option<String>,
}

impl Descriptor {
    pub fn transport(&self) -> Transport {
        match self.invoke {
            Invoke::Spawn(_) => Transport::Spawn,
            Invoke::OpenaiHttp(_) => Transport::OpenaiHttp,
        }
    }

    /// The name of the program that has to be on PATH; none for a server and for gsd itself.
    pub fn program(&self) -> Option<&str> {
        match &self.invoke {
            Invoke::Spawn(spawn) => Some(spawn.binary.as_str()).filter(|name| *name != OWN_BINARY),
            Invoke::OpenaiHttp(_) => None,
        }
    }

    /// Every configuration key that the lane points at. Each must be declared by its manifest.
    pub fn config_keys(&self) -> Vec<&ConfigKey> {
        let host = match &self.invoke {
            Invoke::Spawn(_) => None,
            Invoke::OpenaiHttp(http) => Some(&http.host_key),
        };
        let probed = match &self.probe {
            Probe::HttpReachable { host_key, .. } => Some(host_key),
            Probe::CommandExists { .. } | Probe::CommandCapability { .. } => None,
        };
        let keys = [self.model_key.as_ref(), self.budget_key.as_ref(), self.timeout_key.as_ref()];
        let mut keys: Vec<&ConfigKey> = keys.into_iter().chain([host, probed]).flatten().collect();
        keys.sort();
        keys.dedup();
        keys
    }
}

/// No call may take longer (`timeoutFloorMs`); a person who wants more says so in the settings.
const MAX_TIME_LIMIT_MS: u64 = 2 * 60 * 60 * 1000;
/// Less is a slip of the unit.
const SHORTEST_SENSIBLE_MS: u64 = 1000;
/// No list of a body has more members.
const MAX_ITEMS: usize = 256;

/// What the fields of a body that must be there look like.
const EXPECTED: &[Expected] = &[
    Expected::example("slug", r#""acme""#),
    Expected::example("flags", r#"["--acme"]"#),
    Expected { key: "transport", example: "", schema: words::schema::<Transport> },
    Expected::example("probe", r#"{ "kind": "command-exists", "binary": "acme" }"#),
    Expected::example(
        "invoke",
        r#"{ "binary": "acme", "args": [], "promptChannel": "stdin", "outputChannel": "stdout", "modelArg": null, "effortChannel": "none" }"#,
    ),
    Expected::example("timeoutFloorMs", "900000"),
    Expected { key: "emptyOutput", example: "", schema: words::schema::<EmptyOutput> },
    Expected::example("reviewsSection", r#""Acme""#),
    Expected { key: "evidenceClass", example: "", schema: words::schema::<EvidenceClass> },
    Expected::example("requiresBinaries", "[]"),
    Expected::example("promptBudgetKey", "null"),
    Expected::example("handler", "null"),
];

/// Reads a `reviewer` body. `None` means that at least one error was reported.
pub fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Descriptor> {
    let errors_before = errors(sink);
    let mut fields = Fields::of(node, pointer, sink)?.expecting(EXPECTED);

    let slug = field::text(&mut fields, "slug", sink, &BAD_SLUG, |text| {
        LaneSlug::parse(text).map_err(|error| error.expected)
    });
    let flags = read_flags(&mut fields, sink);
    let transport = meant::transport(&mut fields, sink);
    let probe = fields
        .required_node("probe", sink)
        .and_then(|node| super::probe::read(node, &fields.pointer.key("probe"), sink));
    let model_key = field::key(&mut fields, "modelConfigKey", field::Presence::Optional, sink);
    let declared = match &model_key {
        Some(Some(_)) => invoke::ModelKey::Named,
        Some(None) => invoke::ModelKey::Absent,
        None => invoke::ModelKey::Faulty,
    };
    let invoke = fields.required_node("invoke", sink).and_then(|node| {
        let pointer = fields.pointer.key("invoke");
        invoke::read(node, &pointer, transport, declared, sink)
    });
    let time_limit =
        field::whole(&mut fields, "timeoutFloorMs", 1..=MAX_TIME_LIMIT_MS, "milliseconds", sink);
    if let Some(limit) = time_limit.filter(|limit| *limit < SHORTEST_SENSIBLE_MS) {
        let at = fields.value_at("timeoutFloorMs", sink);
        let message = format!("{limit} milliseconds are less than any review takes");
        let help = format!("the unit is milliseconds; {limit} seconds are {}", limit * 1000);
        sink.push(SHORT_TIME_LIMIT.at(at, message).help(help));
    }
    let timeout_key = field::key(&mut fields, "timeoutConfigKey", field::Presence::Optional, sink);
    let empty_output = field::word::<EmptyOutput>(&mut fields, "emptyOutput", sink);
    let heading = field::text(&mut fields, "reviewsSection", sink, &BAD_HEADING, Heading::parse);
    let evidence = field::word::<EvidenceClass>(&mut fields, "evidenceClass", sink);
    let requires_binaries = fields.required_node("requiresBinaries", sink).and_then(|node| {
        let pointer = fields.pointer.key("requiresBinaries");
        field::texts(node, &pointer, sink, &BAD_BINARY, Binary::parse)
    });
    let budget_key = field::key(&mut fields, "promptBudgetKey", field::Presence::Required, sink);
    let handler = fields.required_node("handler", sink).and_then(|node| {
        field::nullable(node, |node| {
            read_word::<Handler>(node, &fields.pointer.key("handler"), sink)
        })
    });

    let env =
        field::optional_texts(&mut fields, "env", sink, &BAD_VARIABLE, EnvName::parse_declared);
    let set_env = read_set_env(&mut fields, sink);
    let posture = match fields.node("posture") {
        Some(node) => read_word::<Posture>(node, &fields.pointer.key("posture"), sink),
        None => Some(Posture::ReadOnly),
    };
    let confinement = match fields.node("confinement") {
        Some(node) => read_word::<Way>(node, &fields.pointer.key("confinement"), sink).map(Some),
        None => Some(None),
    };
    let state = match fields.node("state") {
        Some(node) => {
            let pointer = fields.pointer.key("state");
            field::texts(node, &pointer, sink, &BAD_PLACE, StatePlace::parse).map(Some)
        }
        None => Some(None),
    };
    let setup = setup::read(&mut fields, sink);
    let accept_exit = read_accept_exit(&mut fields, sink);
    let vendor = field::optional_text(&mut fields, "vendor", sink, &BAD_VENDOR, |text| {
        let word = !text.is_empty()
            && text.len() <= 40
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if word { Ok(text.to_owned()) } else { Err("one lower-case word, as `openai`") }
    });

    if let (Some(transport), Some(Some(handler))) = (transport, handler) {
        together::check_handler(transport, handler, &fields, sink);
    }
    together::check_output(transport, handler, empty_output, &fields, sink);
    if let (Some(probe), Some(invoke)) = (&probe, &invoke) {
        together::check_probe(probe, invoke, &fields, sink);
    }
    if let (Some(Invoke::Spawn(invoke)), Some(steps)) = (&invoke, &setup) {
        together::check_captured(invoke, steps, &fields, sink);
    }
    if let (Some(Invoke::OpenaiHttp(_)), Some([_, ..])) = (&invoke, setup.as_deref()) {
        let at = fields.value_at("setup", sink);
        sink.push(FORBIDDEN_FIELD.at(at, "a server has no steps before the review"));
    }
    if let (Some(invoke), Some(evidence)) = (&invoke, evidence) {
        together::check_evidence(invoke, evidence, &fields, sink);
    }
    fields.finish(sink);
    if errors(sink) > errors_before {
        return None;
    }
    Some(Descriptor {
        slug: slug?,
        flags: flags?,
        probe: probe?,
        invoke: invoke?,
        time_limit: Duration::from_millis(time_limit?),
        timeout_key: timeout_key?,
        empty_output: empty_output?,
        heading: heading?,
        evidence: evidence?,
        requires_binaries: requires_binaries?,
        budget_key: budget_key?,
        model_key: model_key?,
        handler: handler?,
        env: env?,
        set_env: set_env?,
        posture: posture?,
        confinement: confinement?,
        state: state?,
        setup: setup?,
        accept_exit: accept_exit?,
        vendor: vendor?,
    })
}

fn errors(sink: &Sink) -> usize {
    sink.found.iter().filter(|d| d.level == crate::diag::Level::Error).count()
}

fn read_flags(fields: &mut Fields<'_>, sink: &mut Sink) -> Option<Vec<LaneFlag>> {
    let node = fields.required_node("flags", sink)?;
    let pointer = fields.pointer.key("flags");
    let flags = field::texts(node, &pointer, sink, &BAD_FLAG, |text| {
        LaneFlag::parse(text).map_err(|error| error.expected)
    });
    let items = node.as_array()?;
    if items.is_empty() {
        let at = sink.at(&node.span, &pointer);
        let diagnostic = NO_FLAG.at(at, "a lane needs at least one flag").label("is empty");
        sink.push(diagnostic.help("write for example `[\"--acme\"]`"));
        return None;
    }
    let mut seen = BTreeMap::new();
    for (index, item) in items.iter().enumerate().take(MAX_ITEMS) {
        let Some(flag) = item.as_str() else { continue };
        let at = sink.at(&item.span, &pointer.index(index));
        if RESERVED_FLAGS.contains(&flag) {
            let message = format!("`{}` is an option of gsd itself", printable(flag, 80));
            sink.push(RESERVED_FLAG.at(at.clone(), message).help("choose another flag"));
        }
        if let Some(first) = seen.insert(flag, at.clone()) {
            let message = format!("duplicate flag `{}`", printable(flag, 80));
            let diagnostic = DUPLICATE_FLAG.at(at, message).also(first, "first listed here");
            sink.push(diagnostic.help("remove one of the two"));
        }
    }
    flags
}

fn read_accept_exit(fields: &mut Fields<'_>, sink: &mut Sink) -> Option<Vec<i32>> {
    let Some(node) = fields.node("acceptExit") else { return Some(vec![]) };
    let pointer = fields.pointer.key("acceptExit");
    let Some(items) = node.as_array() else {
        sink.wrong(node, &pointer, "an array");
        return None;
    };
    let read: Vec<Option<i32>> = items
        .iter()
        .enumerate()
        .map(|(index, item)| {
            let pointer = pointer.index(index);
            let code = field::whole_number(item, &pointer, 0..=255, "an exit code", sink)?;
            i32::try_from(code).ok()
        })
        .collect();
    read.into_iter().collect()
}

fn read_set_env(fields: &mut Fields<'_>, sink: &mut Sink) -> Option<BTreeMap<EnvName, String>> {
    let Some(node) = fields.node("setEnv") else { return Some(BTreeMap::new()) };
    let pointer = fields.pointer.key("setEnv");
    let Some(object) = node.as_object() else {
        sink.wrong(node, &pointer, "an object of names and values");
        return None;
    };
    let mut set = BTreeMap::new();
    let mut faults = 0;
    for member in &object.members {
        let value = member.value.as_str().filter(|text| text.len() <= 1024 && !text.contains('\0'));
        match (EnvName::parse_declared(&member.name), value) {
            (Ok(name), Some(value)) => drop(set.insert(name, value.to_owned())),
            (Err(_), _) | (_, None) => {
                faults += 1;
                let at = sink.at(&member.name_span, &pointer.key(&member.name));
                let message = format!(
                    "expected {} with a short text, found `{}`",
                    EnvName::EXPECTED,
                    printable(&member.name, 80)
                );
                sink.push(BAD_VARIABLE.at(at, message));
            }
        }
    }
    (faults == 0).then_some(set)
}

/// In a manifest of ours this name means the running program.
pub const OWN_BINARY: &str = "gsd";

#[cfg(test)]
mod tests;
