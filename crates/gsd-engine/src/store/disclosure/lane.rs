//! A reviewer lane: what it starts, with which words, what it may see, and what it is sent.

use super::destination::Destination;
use super::raw::{list, pairs, text, texts};
use serde_json::Value;

/// A reviewer lane.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneSurface {
    pub slug: String,
    pub flags: Vec<String>,
    pub transport: String,
    pub binary: String,
    /// As they are declared, also those that are no texts.
    pub args: Vec<Value>,
    pub host_key: String,
    pub prompt_channel: String,
    pub handler: String,
    /// For a server: where it is.
    pub destination: Option<Destination>,
    /// Every program that is started, in order: probe, preparation, review.
    pub runs: Vec<Run>,
    /// Programs that are looked for on PATH and not started.
    pub looks_for: Vec<String>,
    /// Requests that the probe makes, below the destination.
    pub probe_path: String,
    /// Names of variables that the program may see.
    pub env: Vec<String>,
    /// Variables that are set for it.
    pub set_env: Vec<(String, String)>,
    /// Files that are written beside the prompt: a name and a text.
    pub files: Vec<(String, String)>,
    /// Places outside the project that it may write to.
    pub state: Vec<String>,
    pub posture: String,
    pub confinement: String,
    /// What it is given to read, or reads by itself.
    pub payload: Vec<&'static str>,
}

/// One start of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub phase: String,
    pub program: String,
    /// As they are declared, also those that are no texts.
    pub args: Vec<Value>,
}

/// What a review prompt is made of.
const PROMPT: [&str; 4] =
    ["plan text", "requirements", "research findings", "CONTEXT.md decisions"];
/// What a program sees that works in the project.
const WORK_TREE: &str = "files of the project";

/// The lane of a manifest; none where its body is missing, has another shape, or says nothing.
pub(super) fn lane(
    manifest: &Value,
    configured: &dyn Fn(&str) -> Option<String>,
) -> Option<LaneSurface> {
    let body = manifest.get("reviewer").filter(|body| body.is_object())?;
    let empty = Value::Null;
    let invoke = body.get("invoke").unwrap_or(&empty);
    let probe = body.get("probe").unwrap_or(&empty);
    let own = |value: &Value, key: &str| text(value, key).to_owned();
    let (transport, binary) = (own(body, "transport"), own(invoke, "binary"));
    let (host_key, prompt_channel) = (own(invoke, "hostConfigKey"), own(invoke, "promptChannel"));
    let (slug, handler) = (own(body, "slug"), own(body, "handler"));
    let args = list(invoke, "args").to_vec();
    let says = [&slug, &transport, &binary, &host_key, &prompt_channel, &handler];
    if says.iter().all(|field| field.is_empty()) && args.is_empty() {
        return None;
    }
    let is_server = transport == "openai-http" || (binary.is_empty() && !host_key.is_empty());
    let destination = is_server
        .then(|| Destination::of(manifest, &host_key, text(invoke, "defaultHost"), configured));
    let mut looks_for = texts(body, "requiresBinaries");
    let mut runs = vec![];
    match (text(probe, "kind"), text(probe, "binary")) {
        (_, "") => {}
        ("command-exists", name) => looks_for.push(name.to_owned()),
        // A probe of a kind that nobody knows is shown as if it was run.
        (_, name) => runs.push(Run {
            phase: "probe".to_owned(),
            program: name.to_owned(),
            args: vec!["--help".into()],
        }),
    }
    for (index, step) in list(body, "setup").iter().enumerate() {
        let args = step.as_array().map_or_else(|| list(step, "args"), Vec::as_slice).to_vec();
        runs.push(Run { phase: format!("setup {}", index + 1), program: binary.clone(), args });
    }
    if !binary.is_empty() || !is_server {
        let phase = "review".to_owned();
        runs.push(Run { phase, program: binary.clone(), args: args.clone() });
    }
    looks_for.sort();
    looks_for.dedup();
    let reads = if is_server { &[][..] } else { &[WORK_TREE] };
    let sent = if prompt_channel == "none" { &[][..] } else { &PROMPT };
    Some(LaneSurface {
        flags: texts(body, "flags"),
        probe_path: own(probe, "path"),
        env: texts(body, "env"),
        set_env: pairs(body, "setEnv"),
        files: pairs(invoke, "files"),
        state: texts(body, "state"),
        posture: match own(body, "posture") {
            absent if absent.is_empty() => "read-only".to_owned(),
            declared => declared,
        },
        confinement: own(body, "confinement"),
        payload: sent.iter().chain(reads).copied().collect(),
        slug,
        transport,
        binary,
        args,
        host_key,
        prompt_channel,
        handler,
        destination,
        runs,
        looks_for,
    })
}

impl LaneSurface {
    /// The placeholders that stand among its words, each with what it becomes.
    pub fn placeholders(&self) -> Vec<(String, &'static str)> {
        let words = self.runs.iter().flat_map(|run| &run.args).filter_map(Value::as_str);
        let mut found: Vec<(String, &'static str)> =
            words.filter_map(|word| Some((word.to_owned(), meaning(word)?))).collect();
        found.sort();
        found.dedup();
        found
    }
}

fn meaning(word: &str) -> Option<&'static str> {
    let name = word.strip_prefix("{{")?.strip_suffix("}}")?;
    Some(match name.split(':').next().unwrap_or(name) {
        "prompt" => "the prompt, or the path of its file",
        "model" => "the words for the model that the settings name, or nothing",
        "effort" => "the words for the effort that the settings name, or nothing",
        "agent" => "the words for the agent of the lane, or nothing",
        "output" => "the words for the file that the review is written to",
        "time-limit" => "nine tenths of the time limit",
        "file" => "the path of a file that the lane brings",
        "captured" => "what a step of its setup printed",
        _ => "nothing that gsd knows",
    })
}
