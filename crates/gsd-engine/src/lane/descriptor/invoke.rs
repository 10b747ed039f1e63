//! How a lane is called: the `invoke` object, whose shape the transport selects.

mod effort;

pub use effort::{Effort, EffortChannel, EffortLevel};

use super::field::{self, Presence};
use super::rules::*;
use super::{Binary, Transport, placeholders, spelling};
use crate::id::ConfigKey;
use crate::json::{Expected, Fields, Node, Pointer, Sink};
use crate::lane::handler::openai_compatible::Streaming;
use crate::lane::words::{self, read_word, words};
use crate::text::printable;
use std::collections::BTreeMap;

words! {
    /// How the prompt reaches a program.
    PromptChannel {
        /// The contents on its standard input, then the end.
        Stdin = "stdin",
        /// The path of the prompt file as one argument.
        Argv = "argv",
        /// A short instruction that names the prompt file, as one argument.
        ArgvFileRef = "argv-file-ref",
        /// The contents as one argument; a file reference where they are too long for one.
        ArgvInline = "argv-inline",
        /// Not at all: the program looks at the work tree by itself.
        None = "none",
    }
}

impl PromptChannel {
    /// Whether the prompt stands among the arguments.
    pub const fn uses_argv(self) -> bool {
        match self {
            Self::Argv | Self::ArgvFileRef | Self::ArgvInline => true,
            Self::Stdin | Self::None => false,
        }
    }
}

words! {
    /// Where a program leaves its review.
    OutputChannel {
        Stdout = "stdout",
        /// In a file whose path it is given.
        FileArg = "file-arg",
    }
}

words! {
    /// Where the prompt file stands, for lanes that open it themselves.
    PromptPlace {
        /// In the directory of the run.
        RunDir = "run-dir",
        /// Inside the project: for programs that cannot read anywhere else.
        Project = "project",
    }
}

words! {
    /// Where a server's model comes from when nobody names one.
    ModelDiscovery {
        None = "none",
        FirstFromModelsEndpoint = "first-from-models-endpoint",
    }
}

/// How a reviewer is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invoke {
    Spawn(SpawnInvoke),
    OpenaiHttp(HttpInvoke),
}

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpawnInvoke {
    pub binary: Binary,
    pub args: Vec<Arg>,
    pub prompt: PromptChannel,
    pub output: OutputChannel,
    /// The argument before the path of the output file, for [`OutputChannel::FileArg`].
    pub output_arg: Option<String>,
    pub model_arg: Option<String>,
    pub agent_arg: Option<String>,
    /// The agent where no instance names another.
    pub default_agent: Option<String>,
    pub effort: Effort,
    pub prompt_place: PromptPlace,
    /// Small files that are written beside the prompt; `{{file:NAME}}` is the path of one.
    pub files: BTreeMap<String, String>,
}

/// A server and its resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpInvoke {
    pub host_key: ConfigKey,
    pub default_host: Option<String>,
    pub path: UrlPath,
    pub discovery: ModelDiscovery,
    pub fallback_model: Option<String>,
    /// Whether the server is known to answer piece by piece when it is asked to.
    pub streaming: Streaming,
}

impl SpawnInvoke {
    /// Whether the program can be told how much effort to make.
    pub fn takes_effort(&self) -> bool {
        match self.effort.channel {
            EffortChannel::None => false,
            EffortChannel::Argv => !self.effort.args.is_empty(),
            EffortChannel::Env => self.effort.variable.is_some(),
        }
    }
}

/// One element of the declared arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg {
    /// Passed on as it is.
    Literal(String),
    /// Replaced by zero or more elements.
    Placeholder(Placeholder),
}

/// What an element stands for when it is a placeholder and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placeholder {
    Model,
    Effort,
    Output,
    Prompt,
    Agent,
    /// Nine tenths of the time limit, as `540s`: for a limit of the program's own that should
    /// end the call before gsd does.
    TimeLimit,
    /// The path of one of [`SpawnInvoke::files`].
    File(String),
    /// What a step of `setup` printed.
    Captured(String),
}

impl Arg {
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        if text.contains('\0') {
            return Err("an argument without NUL");
        }
        let Some(open) = text.find("{{") else { return Ok(Self::Literal(text.to_owned())) };
        let Some(length) = text[open..].find("}}") else {
            return Ok(Self::Literal(text.to_owned()));
        };
        if open > 0 || length + 2 != text.len() {
            return Err("a placeholder as a whole argument");
        }
        Ok(Self::Placeholder(match &text[2..length] {
            "model" => Placeholder::Model,
            "effort" => Placeholder::Effort,
            "output" => Placeholder::Output,
            "prompt" => Placeholder::Prompt,
            "agent" => Placeholder::Agent,
            "time-limit" => Placeholder::TimeLimit,
            other => match other.split_once(':') {
                Some(("file", name)) => Placeholder::File(name.to_owned()),
                Some(("captured", name)) => Placeholder::Captured(name.to_owned()),
                Some(_) | None => {
                    return Err(
                        "one of `{{model}}`, `{{effort}}`, `{{output}}`, `{{prompt}}`, `{{agent}}`, `{{time-limit}}`, `{{file:NAME}}`, `{{captured:NAME}}`",
                    );
                }
            },
        }))
    }
}

/// The path of a resource below a configured base: it cannot change where the base points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlPath(String);

impl UrlPath {
    pub const EXPECTED: &'static str =
        "a path that starts with one `/` and has no `?`, `#`, `@`, `\\`, `%`, `..` or white space";

    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let odd = |c: char| {
            matches!(c, '?' | '#' | '@' | '\\' | '%') || c.is_whitespace() || !c.is_ascii_graphic()
        };
        let climbs = text.split('/').any(|part| matches!(part, "." | ".."));
        let fits = text.starts_with('/') && !text.contains("//") && text.len() <= 1024;
        if fits && !climbs && !text.contains(odd) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Self::EXPECTED)
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The fields of `invoke` that are for a program.
pub(crate) const SPAWN_ONLY: [&str; 13] = [
    "binary",
    "args",
    "promptChannel",
    "outputChannel",
    "outputArg",
    "modelArg",
    "agentArg",
    "defaultAgent",
    "effortArgs",
    "effortLevels",
    "effortEnv",
    "promptPlace",
    "files",
];
/// The fields of `invoke` that are for a server.
pub(crate) const HTTP_ONLY: [&str; 6] =
    ["hostConfigKey", "path", "modelDiscovery", "defaultHost", "fallbackModel", "streaming"];

/// What the fields that must be there look like.
const EXPECTED: &[Expected] = &[
    Expected::example("binary", r#""acme""#),
    Expected::example("args", r#"["review", "-"]"#),
    Expected { key: "promptChannel", example: "", schema: words::schema::<PromptChannel> },
    Expected { key: "outputChannel", example: "", schema: words::schema::<OutputChannel> },
    Expected::example("outputArg", r#""--output""#),
    Expected::example("modelArg", r#""--model""#),
    Expected { key: "effortChannel", example: "", schema: words::schema::<EffortChannel> },
    Expected::example("hostConfigKey", r#""review.acme_host""#),
    Expected::example("path", r#""/v1/chat/completions""#),
    Expected { key: "modelDiscovery", example: "", schema: words::schema::<ModelDiscovery> },
];

/// Whether a body names a key for the model; a model argument without one never gets a model.
pub(super) fn read(
    node: &Node,
    pointer: &Pointer,
    transport: Option<Transport>,
    has_model_key: ModelKey,
    sink: &mut Sink,
) -> Option<Invoke> {
    let mut fields = Fields::of(node, pointer, sink)?.expecting(EXPECTED);
    let has = |fields: &mut Fields<'_>, keys: &[&'static str]| {
        // Every key is asked for, so that each is known from now on.
        keys.iter().filter(|key| fields.node(key).is_some()).count() > 0
    };
    let (spawn, http) = (has(&mut fields, &SPAWN_ONLY), has(&mut fields, &HTTP_ONLY));
    if spawn && http {
        let at = fields.here(sink);
        let message = "fields of a program and of a server are mixed";
        sink.push(MIXED_SHAPES.at(at, message).help("keep those of the lane's transport"));
    }
    let forbidden: &[&'static str] = match transport {
        Some(Transport::Spawn) => &HTTP_ONLY,
        Some(Transport::OpenaiHttp) => &SPAWN_ONLY,
        None => &[],
    };
    for key in forbidden {
        let place = fields.name_span(key);
        let (Some(_), Some(transport)) = (fields.node(key), transport) else { continue };
        let at = sink.at(&place, &fields.pointer.key(key));
        let message = format!("`{key}` is not permitted with transport `{transport}`");
        let label = match transport {
            Transport::Spawn => "is for a server",
            Transport::OpenaiHttp => "is for a program",
        };
        sink.push(FORBIDDEN_FIELD.at(at, message).label(label).help("remove it"));
    }
    let invoke = match transport {
        Some(Transport::Spawn) => read_spawn(&mut fields, has_model_key, sink).map(Invoke::Spawn),
        Some(Transport::OpenaiHttp) => read_http(&mut fields, sink).map(Invoke::OpenaiHttp),
        None => {
            fields.node("effortChannel");
            None
        }
    };
    fields.finish(sink);
    invoke
}

/// What the body says about its `modelConfigKey`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModelKey {
    Named,
    Absent,
    /// It is malformed, which is reported elsewhere.
    Faulty,
}

fn read_spawn(
    fields: &mut Fields<'_>,
    model_key: ModelKey,
    sink: &mut Sink,
) -> Option<SpawnInvoke> {
    let binary = field::text(fields, "binary", sink, &BAD_BINARY, Binary::parse);
    let args = fields.required_node("args", sink).and_then(|node| {
        let pointer = fields.pointer.key("args");
        let args = field::texts(node, &pointer, sink, &BAD_PLACEHOLDER, Arg::parse);
        spelling::check(node, &pointer, sink);
        args
    });
    let prompt = field::word::<PromptChannel>(fields, "promptChannel", sink);
    let output = field::word::<OutputChannel>(fields, "outputChannel", sink);
    let output_arg = match output {
        Some(OutputChannel::FileArg) => field::non_empty(fields, "outputArg", sink).map(Some),
        Some(OutputChannel::Stdout) => {
            forbid(fields, "outputArg", "outputChannel `stdout`", sink);
            Some(None)
        }
        None => Some(None),
    };
    let model_arg = fields.required_node("modelArg", sink).and_then(|node| {
        let pointer = fields.pointer.key("modelArg");
        field::nullable(node, |node| {
            field::parse(node, &pointer, sink, &EMPTY_TEXT, field::not_empty)
        })
    });
    let agent_arg = field::optional_text(fields, "agentArg", sink, &EMPTY_TEXT, field::not_empty);
    let default_agent =
        field::optional_text(fields, "defaultAgent", sink, &EMPTY_TEXT, field::not_empty);
    let effort = effort::read(fields, sink);
    let prompt_place = match fields.node("promptPlace") {
        None => Some(PromptPlace::RunDir),
        Some(node) => read_word(node, &fields.pointer.key("promptPlace"), sink),
    };
    let files = read_files(fields, sink);
    let invoke = SpawnInvoke {
        binary: binary?,
        args: args?,
        prompt: prompt?,
        output: output?,
        output_arg: output_arg?,
        model_arg: model_arg?,
        agent_arg: agent_arg?,
        default_agent: default_agent?,
        effort: effort?,
        prompt_place: prompt_place?,
        files: files?,
    };
    placeholders::check(&invoke, model_key, fields, sink);
    Some(invoke)
}

fn read_http(fields: &mut Fields<'_>, sink: &mut Sink) -> Option<HttpInvoke> {
    let host_key = field::key(fields, "hostConfigKey", Presence::Required, sink);
    if host_key == Some(None) {
        let at = fields.value_at("hostConfigKey", sink);
        sink.push(BAD_KEY.at(at, "expected a configuration key, found null"));
    }
    let path = field::text(fields, "path", sink, &BAD_PATH, UrlPath::parse);
    let discovery = field::word::<ModelDiscovery>(fields, "modelDiscovery", sink);
    let default_host = field::optional_text(fields, "defaultHost", sink, &BAD_HOST, |text| {
        let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
        let fits = rest.is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[')
                && !rest.contains(['@', '?', '#', '\\'])
                && !rest.contains(|c: char| c.is_whitespace() || c.is_control())
        });
        if fits {
            Ok(text.to_owned())
        } else {
            Err("a base URL with `http://` or `https://`, without a user")
        }
    });
    let fallback_model =
        field::optional_text(fields, "fallbackModel", sink, &EMPTY_TEXT, field::not_empty);
    let channel = field::word::<EffortChannel>(fields, "effortChannel", sink);
    if channel.is_some_and(|channel| channel != EffortChannel::None) {
        let at = fields.value_at("effortChannel", sink);
        sink.push(FORBIDDEN_FIELD.at(at, "only `none` is permitted with transport `openai-http`"));
    }
    let streaming = match fields.optional::<bool>("streaming", sink) {
        Some(true) => Streaming::Asked,
        Some(false) | None => Streaming::Never,
    };
    Some(HttpInvoke {
        host_key: host_key??,
        default_host: default_host?,
        path: path?,
        discovery: discovery?,
        fallback_model: fallback_model?,
        streaming,
    })
}

/// No file of a manifest is longer; it holds instructions, not data.
const MAX_FILE_BYTES: usize = 16 * 1024;

fn read_files(fields: &mut Fields<'_>, sink: &mut Sink) -> Option<BTreeMap<String, String>> {
    let Some(node) = fields.node("files") else { return Some(BTreeMap::new()) };
    let pointer = fields.pointer.key("files");
    let Some(object) = node.as_object() else {
        sink.wrong(node, &pointer, "an object of file names and texts");
        return None;
    };
    let mut files = BTreeMap::new();
    let mut faults = 0;
    for member in &object.members {
        let name = member.name.as_str();
        let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.len() <= 60
            && name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.'));
        match member.value.as_str() {
            Some(text) if plain && text.len() <= MAX_FILE_BYTES && files.len() < 8 => {
                files.insert(name.to_owned(), text.to_owned());
            }
            Some(_) | None => {
                faults += 1;
                let at = sink.at(&member.name_span, &pointer.key(name));
                let message = format!(
                    "expected a lower-case file name with a text of at most {MAX_FILE_BYTES} bytes, found `{}`",
                    printable(name, 80)
                );
                sink.push(BAD_FILE.at(at, message));
            }
        }
    }
    (faults == 0).then_some(files)
}

fn forbid(fields: &mut Fields<'_>, key: &'static str, with: &str, sink: &mut Sink) {
    let place = fields.name_span(key);
    if fields.node(key).is_some() {
        let at = sink.at(&place, &fields.pointer.key(key));
        let message = format!("`{key}` is not permitted with {with}");
        sink.push(FORBIDDEN_FIELD.at(at, message).label("has no effect").help("remove it"));
    }
}
