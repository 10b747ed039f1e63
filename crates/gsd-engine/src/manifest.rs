//! Capability manifests: an envelope and exactly one body.
//!
//! [`parse`] is total: any text in, diagnostics out, never a panic, never a stop at the first fault,
//! and bounded work for any input. A [`Manifest`] exists only if no diagnostic is an error, so
//! inside it every value is right.
//!
//! A manifest alone is checked here. What needs other manifests is checked by the registry.

mod bundle;
mod command;
mod config_slice;
mod envelope;
mod feature;
mod mcp;
pub mod pack;
mod purpose;
mod range;
mod runtime_compat;
mod schema;
pub mod template;

pub use bundle::{
    Bundle, MAX_MANIFEST, linked_bundle, misnamed_bundle, passed_over, read_bundle,
    unreadable_bundle,
};
pub use command::{Command, RESERVED_WORDS};
pub use config_slice::{ConfigDefault, ConfigEntry, ConfigType};
pub use envelope::{Author, Details, Engines, Integrity, Provenance, Role, Text, Tier};
pub use feature::Feature;
pub use mcp::McpServer;
pub use range::Range;
pub use runtime_compat::{RuntimeCompat, RuntimeName};
pub use schema::schema;

use crate::diag::{Diagnostic, Level, Location, Rule, SourceFile};
use crate::id::{CapabilityId, Point, RESERVED};
use crate::json::{
    self, At, Dialect, Expected, Fields, Node, Pointer, Read, Schema, Sink, Value, quoted,
};
use crate::lane::{self, Descriptor};
use crate::runtime::Runtime;
use std::sync::Arc;

/// The version that `engines.gsd` is checked against: what hosts of the contract offer. The
/// program's own version is another one.
pub const HOST_CONTRACT: &str = "1.11.0";

/// A field that must be there is not.
pub(crate) static MISSING_FIELD: Rule = Rule {
    code: "manifest/missing-field",
    level: Level::Error,
    summary: "a field that must be there is missing",
    docs: include_str!("manifest/missing_field.md"),
};

/// A value has another type than its field takes.
pub(crate) static WRONG_TYPE: Rule = Rule {
    code: "manifest/wrong-type",
    level: Level::Error,
    summary: "a value has another type than its field takes",
    docs: include_str!("manifest/wrong_type.md"),
};

/// A field that has no meaning where it stands.
pub(crate) static UNKNOWN_FIELD: Rule = Rule {
    code: "manifest/unknown-field",
    level: Level::Warning,
    summary: "a field has no meaning where it stands",
    docs: include_str!("manifest/unknown_field.md"),
};

/// A value of the right type that is not one of those allowed.
pub(crate) static BAD_VALUE: Rule = Rule {
    code: "manifest/bad-value",
    level: Level::Error,
    summary: "a value is not one of those that its field takes",
    docs: include_str!("manifest/bad_value.md"),
};

/// A field that a manifest of this role must not have.
pub(crate) static FORBIDDEN_FIELD: Rule = Rule {
    code: "manifest/forbidden-field",
    level: Level::Error,
    summary: "a manifest of this role must not have that field",
    docs: include_str!("manifest/forbidden_field.md"),
};

/// The lane reads a setting that its capability does not declare.
pub(crate) static LANE_KEY: Rule = Rule {
    code: "manifest/lane-key",
    level: Level::Warning,
    summary: "a lane reads a setting that its capability does not declare",
    docs: include_str!("manifest/lane_key.md"),
};

/// A list or an object of more elements than a manifest may have.
pub(crate) static TOO_MANY: Rule = Rule {
    code: "manifest/too-many",
    level: Level::Error,
    summary: "a list or an object has more elements than are read",
    docs: include_str!("manifest/too_many.md"),
};

/// No list and no object of a manifest has more elements. Real ones have a few dozen; some checks
/// compare each with each.
pub const MAX_ELEMENTS: usize = 1000;

/// Every rule of this module.
pub static RULES: &[&Rule] = &[
    &feature::ACTIVATION_KEY,
    &BAD_VALUE,
    &envelope::BLANK_TEXT,
    &command::COMMAND_FAMILY,
    &command::COMMAND_MODULE,
    &feature::COMMAND_UNOWNED,
    &config_slice::CONFIG_DEFAULT,
    &config_slice::CONFIG_KEY,
    &config_slice::CONFIG_OVERLAP,
    &config_slice::CONFIG_VALUES,
    &envelope::DUPLICATE_ENTRY,
    &FORBIDDEN_FIELD,
    &bundle::FRAGMENT_FILE,
    &envelope::ID,
    &envelope::ID_FOLDER,
    &envelope::INTEGRITY,
    &LANE_KEY,
    &mcp::MCP_SERVER,
    &MISSING_FIELD,
    &range::RANGE,
    &feature::REF_UNOWNED,
    &envelope::REQUIRES_ITSELF,
    &envelope::RESERVED_ID,
    &envelope::RESERVED_NAME,
    &runtime_compat::RUNTIME_COMPAT,
    &bundle::SCRIPT_FILE,
    &bundle::TEXT_FILE,
    &TOO_MANY,
    &UNKNOWN_FIELD,
    &bundle::UNREADABLE,
    &envelope::VERSION,
    &feature::WHEN_TYPE,
    &feature::WHEN_UNOWNED,
    &WRONG_TYPE,
];

/// A capability, as its manifest declares it.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// The text that it was read from; every place of it can be shown.
    pub file: Arc<SourceFile>,
    pub id: At<CapabilityId>,
    pub role: Role,
    pub version: semver::Version,
    pub title: String,
    pub description: String,
    pub tier: At<Tier>,
    pub requires: Vec<At<CapabilityId>>,
    pub engines: Option<At<Range>>,
    pub details: Details,
    pub runtime_compat: Option<RuntimeCompat>,
    pub config: Vec<ConfigEntry>,
    pub commands: Vec<Command>,
    pub mcp_servers: Vec<McpServer>,
    pub body: Body,
}

/// What a role adds to the envelope.
#[derive(Debug, Clone)]
pub enum Body {
    Feature(Box<Feature>),
    Runtime(Box<Runtime>, Option<Box<Lane>>),
    Reviewer(Box<Lane>),
}

/// A lane and the places of what no two lanes may share.
#[derive(Debug, Clone)]
pub struct Lane {
    pub descriptor: Descriptor,
    pub slug_at: Location,
    /// In the order of the flags.
    pub flags_at: Vec<Location>,
    pub heading_at: Location,
}

impl Manifest {
    pub fn feature(&self) -> Option<&Feature> {
        match &self.body {
            Body::Feature(feature) => Some(feature),
            Body::Runtime(..) | Body::Reviewer(_) => None,
        }
    }

    pub fn runtime(&self) -> Option<&Runtime> {
        match &self.body {
            Body::Runtime(runtime, _) => Some(runtime),
            Body::Feature(_) | Body::Reviewer(_) => None,
        }
    }

    pub fn lane(&self) -> Option<&Lane> {
        match &self.body {
            Body::Feature(_) => None,
            Body::Runtime(_, lane) => lane.as_deref(),
            Body::Reviewer(lane) => Some(lane),
        }
    }

    /// The place of the manifest as a whole: its id.
    pub fn at(&self) -> Location {
        self.id.place(&self.file)
    }

    /// Whether the host that this gsd is offers what the manifest asks for.
    pub fn fits_host(&self) -> bool {
        let host = semver::Version::parse(HOST_CONTRACT).expect("the constant is a version");
        self.engines.as_ref().is_none_or(|range| range.contains(&host))
    }
}

/// Who wrote a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It is part of gsd and may use the reserved prefixes.
    FirstParty,
    ThirdParty,
}

/// What is known of a manifest beside its text.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub origin: Origin,
    /// The name of the folder that holds it; the id has to be the same.
    pub folder: Option<&'a str>,
}

/// A gate that a manifest declares, also one that cannot be used otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeclaredGate {
    pub point: Point,
    pub on_load_failure: Option<crate::gate::OnLoadFailure>,
}

/// What came of a text.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// The text.
    pub file: Arc<SourceFile>,
    /// There unless a diagnostic is an error.
    pub manifest: Option<Manifest>,
    pub diagnostics: Vec<Diagnostic>,
    /// The gates that could be made out: they matter most when the manifest cannot be used.
    pub gates: Vec<DeclaredGate>,
}

/// Reads a manifest.
pub fn parse(file: &Arc<SourceFile>, context: Context<'_>) -> Parsed {
    let (root, diagnostics) = json::parse(file, Dialect::Strict);
    let Some(root) = root else {
        return Parsed { file: Arc::clone(file), manifest: None, diagnostics, gates: vec![] };
    };
    let mut sink = Sink::new(Arc::clone(file), &MISSING_FIELD, &WRONG_TYPE, &UNKNOWN_FIELD)
        .with_value_rule(&BAD_VALUE)
        .with_purpose(purpose::purpose);
    refuse_crowds(&root, &Pointer::root(), &mut sink);
    // What has too many elements is not worth more looks: its faults could be as many.
    let manifest = if sink.has_errors() { None } else { read(&root, context, &mut sink) };
    let manifest = manifest.filter(|_| !sink.has_errors());
    let file = Arc::clone(file);
    Parsed { file, manifest, diagnostics: sink.finish(), gates: declared_gates(&root) }
}

/// Reports lists and objects of too many elements.
fn refuse_crowds(node: &Node, pointer: &Pointer, sink: &mut Sink) {
    let (count, what) = match &node.value {
        Value::Array(items) => (items.len(), "list"),
        Value::Object(object) => (object.members.len(), "object"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return,
    };
    if count > MAX_ELEMENTS {
        let message = format!("{what} of {count} elements, where at most {MAX_ELEMENTS} are read");
        let at = sink.at(&(node.span.start..node.span.start + 1), pointer);
        let diagnostic = TOO_MANY.at(at, message).label("begins here");
        sink.push(diagnostic.help("take elements out, or make several capabilities of this one"));
        return;
    }
    // A pointer costs more than a look, and most values have nothing below them.
    let may_have = |node: &Node| matches!(node.value, Value::Array(_) | Value::Object(_));
    match &node.value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate().filter(|(_, item)| may_have(item)) {
                refuse_crowds(item, &pointer.index(index), sink);
            }
        }
        Value::Object(object) => {
            for member in object.members.iter().filter(|member| may_have(&member.value)) {
                refuse_crowds(&member.value, &pointer.key(&member.name), sink);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What fields look like, of the envelope and of every body.
const EXPECTED: &[Expected] = &[
    Expected::example("id", r#""acme-review""#),
    Expected::example("version", r#""1.0.0""#),
    Expected::example("title", r#""Acme Review""#),
    Expected::example("description", r#""What it does, in a sentence.""#),
    Expected { key: "role", example: "", schema: Role::schema },
    Expected { key: "tier", example: "", schema: Tier::schema },
    Expected::example("requires", "[]"),
    Expected::example("runtimeCompat", r#"{ "supported": ["*"], "unsupported": [] }"#),
    Expected::example("config", "{}"),
    Expected { key: "skills", example: "", schema: Vec::<String>::schema },
    Expected { key: "agents", example: "", schema: Vec::<String>::schema },
    Expected { key: "hooks", example: "", schema: Vec::<String>::schema },
    Expected { key: "steps", example: "", schema: Vec::<String>::schema },
    Expected { key: "contributions", example: "", schema: Vec::<String>::schema },
    Expected { key: "gates", example: "", schema: Vec::<String>::schema },
];

fn read(root: &Node, context: Context<'_>, sink: &mut Sink) -> Option<Manifest> {
    let mut fields = Fields::of(root, &Pointer::root(), sink)?.expecting(EXPECTED);
    let mut draft = envelope::read(&mut fields, context, sink);
    if let Some(said) = draft.role
        && let Some(meant) = meant_role(&fields, said)
    {
        let at = fields.value_at("role", sink);
        let message = format!("the role is `{said}`, but what follows describes a {meant}");
        let help = format!("write `\"role\": \"{meant}\"`, or replace the rest");
        sink.push(FORBIDDEN_FIELD.at(at, message).label("says something else").help(help));
        // The rest is judged as what it is, so that one slip gives one error.
        draft.role = Some(meant);
    }
    let runtime_compat = match draft.role {
        Some(Role::Feature) => fields.required("runtimeCompat", sink),
        Some(Role::Runtime | Role::Reviewer) | None => fields.optional("runtimeCompat", sink),
    };
    let config = match draft.role {
        Some(Role::Feature) => {
            config_slice::read(fields.required_node("config", sink), &fields, sink)
        }
        Some(Role::Runtime | Role::Reviewer) | None => {
            config_slice::read(fields.node("config"), &fields, sink)
        }
    };
    let commands: Vec<Command> = fields.optional_list("commands", sink);
    let mcp_servers = mcp::read(&mut fields, sink);
    let body = match draft.role {
        Some(Role::Feature) => {
            forbid(&mut fields, &["reviewer"], Role::Feature, sink);
            let feature = feature::read(&mut fields, sink);
            feature::check(&fields, &feature, &config, &commands, sink);
            Some(Body::Feature(Box::new(feature)))
        }
        Some(Role::Runtime) => {
            forbid(&mut fields, &FEATURE_ONLY, Role::Runtime, sink);
            let help = "`gsd capability new acme --role runtime` writes a whole one to start from";
            let runtime = fields
                .required_or_help("runtime", help, sink)
                .and_then(|node| Read::read(node, &Pointer::root().key("runtime"), sink));
            let lane = fields.node("reviewer").and_then(|node| read_lane(node, &config, sink));
            runtime.map(|runtime| Body::Runtime(Box::new(runtime), lane))
        }
        Some(Role::Reviewer) => {
            forbid(&mut fields, &FEATURE_ONLY, Role::Reviewer, sink);
            forbid(&mut fields, &["runtime"], Role::Reviewer, sink);
            let help = "`gsd capability new acme --role reviewer` writes a whole one to start from";
            let node = fields.required_or_help("reviewer", help, sink);
            node.and_then(|node| read_lane(node, &config, sink)).map(Body::Reviewer)
        }
        // Nobody can tell which fields belong to a role that is unknown.
        None => {
            for key in FEATURE_ONLY.into_iter().chain(["runtime", "reviewer"]) {
                fields.node(key);
            }
            None
        }
    };
    fields.finish(sink);
    Some(Manifest {
        file: Arc::clone(&sink.file),
        id: draft.id?,
        role: draft.role?,
        version: draft.version?,
        title: draft.title?,
        description: draft.description?,
        tier: draft.tier?,
        requires: draft.requires,
        engines: draft.engines,
        details: draft.details,
        runtime_compat,
        config,
        commands,
        mcp_servers,
        body: body?,
    })
}

/// Fields that only features have.
const FEATURE_ONLY: [&str; 7] =
    ["skills", "agents", "steps", "contributions", "gates", "hooks", "activationKey"];

/// The role that the fields belong to, where they all belong to another one than the manifest says.
fn meant_role(fields: &Fields<'_>, said: Role) -> Option<Role> {
    let has = |key: &str| fields.peek(key).is_some();
    let feature = FEATURE_ONLY.iter().filter(|key| has(key)).count();
    match (said, feature, has("runtime"), has("reviewer")) {
        (Role::Feature, 0, false, true) | (Role::Runtime, 0, false, true) => Some(Role::Reviewer),
        (Role::Feature, 0, true, _) | (Role::Reviewer, 0, true, false) => Some(Role::Runtime),
        (Role::Runtime | Role::Reviewer, 3.., false, false) => Some(Role::Feature),
        _ => None,
    }
}

fn forbid(fields: &mut Fields<'_>, keys: &[&'static str], role: Role, sink: &mut Sink) {
    for key in keys {
        if fields.node(key).is_none() {
            continue;
        }
        let message = format!("a manifest of role `{role}` must not have `{key}`");
        let diagnostic = FORBIDDEN_FIELD.at(fields.name_at(key, sink), message);
        let help = match (*key, role) {
            ("reviewer", _) => "put the lane into a capability of its own, of role `reviewer`",
            ("runtime", _) => "make it role `runtime` if gsd installs into the program",
            (_, Role::Runtime | Role::Reviewer) => "put it into a capability of role `feature`",
            (_, Role::Feature) => "remove it",
        };
        sink.push(diagnostic.label("does not belong here").help(help));
    }
}

fn read_lane(node: &Node, config: &[ConfigEntry], sink: &mut Sink) -> Option<Box<Lane>> {
    let pointer = Pointer::root().key("reviewer");
    let descriptor = lane::descriptor::read(node, &pointer, sink);
    let body = node.as_object()?;
    let descriptor = descriptor?;
    let place = |key: &str, sink: &Sink| {
        let span = body.get(key).map_or(node.span.clone(), |value| value.span.clone());
        sink.at(&span, &pointer.key(key))
    };
    for key in descriptor.config_keys() {
        if !config.iter().any(|entry| entry.key.value == *key) {
            let named = body.members.iter().find(|m| m.value.as_str() == Some(key.as_str()));
            let at = match named {
                Some(member) => sink.at(&member.value.span, &pointer.key(&member.name)),
                None => sink.at(&(node.span.start..node.span.start + 1), &pointer),
            };
            let message = format!("the lane reads `{key}`, which `config` does not declare");
            sink.push(
                LANE_KEY
                    .at(at, message)
                    .label("nobody can set it")
                    .help(format!("declare `{key}` in `config`")),
            );
        }
    }
    let flags = body.get("flags").and_then(Node::as_array).unwrap_or_default();
    let flags_at = flags
        .iter()
        .enumerate()
        .map(|(index, flag)| sink.at(&flag.span, &pointer.key("flags").index(index)))
        .collect();
    Some(Box::new(Lane {
        slug_at: place("slug", sink),
        heading_at: place("reviewsSection", sink),
        flags_at,
        descriptor,
    }))
}

/// Gates as far as they can be made out, whatever else is wrong. More than a few hundred are no
/// manifest but an attack on whoever lists them.
fn declared_gates(root: &Node) -> Vec<DeclaredGate> {
    let gates = root.as_object().and_then(|root| root.get("gates")).and_then(Node::as_array);
    let mut declared = vec![];
    for gate in gates.unwrap_or_default().iter().take(256).filter_map(Node::as_object) {
        let point = gate.get("point").and_then(Node::as_str).and_then(Point::parse);
        let word = gate.get("onLoadFailure").and_then(Node::as_str);
        let on_load_failure = word.and_then(crate::gate::OnLoadFailure::parse);
        if let Some(point) = point {
            declared.push(DeclaredGate { point, on_load_failure });
        }
    }
    declared
}

/// Reports a name that means something to JavaScript objects.
fn refuse_reserved(name: &str, at: Location, what: &str, sink: &mut Sink) -> bool {
    if !RESERVED.contains(&name) {
        return false;
    }
    let message = format!("{} cannot be the name of {what}", quoted(name));
    sink.push(
        envelope::RESERVED_NAME.at(at, message).label("reserved").help("choose another name"),
    );
    true
}

#[cfg(test)]
mod tests;
