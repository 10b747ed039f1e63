//! Gates: conditions at the points of the loop that can stop it.
//!
//! A gate is a declaration. This module reads it and knows every kind of predicate, one file each;
//! the table below is the only list of them.

mod artifact_exists;
mod artifact_frontmatter_equals;
mod check;
mod command_exit_zero;
mod config_equals;

pub use artifact_exists::ArtifactExists;
pub use artifact_frontmatter_equals::ArtifactFrontmatterEquals;
pub use check::{AgentVerdict, Check, KNOWN_QUERIES};
pub use command_exit_zero::CommandExitZero;
pub use config_equals::ConfigEquals;

use crate::diag::{Level, Rule};
use crate::id::{ConfigKey, OnError, Point};
use crate::json::{
    At, Fields, Node, Pointer, Read, Schema, Sink, Value, one_of, quoted, record, vocabulary,
};
use crate::text::nearest;

/// No predicate is of that kind.
pub(crate) static UNKNOWN_PREDICATE: Rule = Rule {
    code: "gate/unknown-predicate",
    level: Level::Error,
    summary: "no predicate is of that kind",
    docs: include_str!("gate/unknown_predicate.md"),
};

/// A gate that asks an agent claims that it may stop the loop.
pub(crate) static VERDICT_BLOCKING: Rule = Rule {
    code: "gate/verdict-blocking",
    level: Level::Error,
    summary: "a gate that asks an agent claims that it may stop the loop",
    docs: include_str!("gate/verdict_blocking.md"),
};

/// Every rule of this module.
pub static RULES: &[&Rule] =
    &[&check::CHECK_FORM, &UNKNOWN_PREDICATE, &check::UNKNOWN_QUERY, &VERDICT_BLOCKING];

vocabulary! {
    /// What a gate does when its capability could not be loaded.
    pub enum OnLoadFailure "way to fail" {
        /// The loop goes on; every render of the point says so.
        Warn = "warn",
        /// The loop stops at the point until the capability is mended or removed.
        Block = "block",
    }
}

record! {
    /// A condition at a point of the loop.
    pub struct Gate, GateDraft, checked by check_verdict {
        /// Where in the loop it is checked.
        required "point" point: At<Point> = r#""ship:pre""#,
        /// What is checked: exactly one of `query`, `predicate` and `agentVerdict`.
        required "check" check: Check,
        /// Whether a failed check stops the loop.
        required "blocking" blocking: At<bool>,
        /// What happens when the check itself cannot be run.
        required "onError" on_error: OnError,
        /// A configuration key of this capability; the gate is active while its value is true.
        optional "when" when: At<ConfigKey>,
        /// What happens when this capability cannot be loaded. Reserved: honoured for capabilities
        /// that were consented to.
        optional "onLoadFailure" on_load_failure: OnLoadFailure,
    }
}

fn check_verdict(draft: &GateDraft, _: &Fields<'_>, sink: &mut Sink) {
    if let (Some(Check::AgentVerdict(_)), Some(blocking)) = (&draft.check, &draft.blocking)
        && blocking.value
    {
        let at = sink.at(&blocking.span, &blocking.pointer);
        let message = "what an agent thinks may not stop the loop";
        let diagnostic = VERDICT_BLOCKING.at(at, message).label("expected `false`");
        sink.push(diagnostic.fix(blocking.span.clone(), "false"));
    }
}

/// A condition that gsd evaluates itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    ArtifactExists(ArtifactExists),
    ArtifactFrontmatterEquals(ArtifactFrontmatterEquals),
    CommandExitZero(CommandExitZero),
    ConfigEquals(ConfigEquals),
}

/// One kind of predicate: its word, and how its parameters are read and described.
pub struct Kind {
    pub word: &'static str,
    read: fn(&Node, &Pointer, &mut Sink) -> Option<Predicate>,
    schema: fn() -> serde_json::Value,
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Kind").field(&self.word).finish()
    }
}

/// Every kind, sorted by its word.
pub static KINDS: &[Kind] = &[
    artifact_exists::KIND,
    artifact_frontmatter_equals::KIND,
    command_exit_zero::KIND,
    config_equals::KIND,
];

impl Predicate {
    /// The word of its kind.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::ArtifactExists(_) => artifact_exists::KIND.word,
            Self::ArtifactFrontmatterEquals(_) => artifact_frontmatter_equals::KIND.word,
            Self::CommandExitZero(_) => command_exit_zero::KIND.word,
            Self::ConfigEquals(_) => config_equals::KIND.word,
        }
    }
}

impl Read for Predicate {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let Some(object) = node.as_object() else {
            sink.wrong(node, pointer, "an object with a `kind`");
            return None;
        };
        let words = KINDS.iter().map(|kind| kind.word);
        let Some(word) = object.get("kind") else {
            let at = sink.at(&(node.span.start..node.span.start + 1), pointer);
            let diagnostic = sink.missing.at(at, "missing field `kind`");
            sink.push(diagnostic.label(format!("expected {}", one_of(words))));
            return None;
        };
        if let Some(kind) = KINDS.iter().find(|kind| word.as_str() == Some(kind.word)) {
            return (kind.read)(node, pointer, sink);
        }
        let shown = word.as_str().map_or_else(|| word.kind().to_owned(), quoted);
        let at = sink.at(&word.span, &pointer.key("kind"));
        let message = format!("{shown} is no kind of predicate");
        let mut diagnostic = UNKNOWN_PREDICATE.at(at, message);
        if let Some(near) = word.as_str().and_then(|text| nearest(text, words.clone())) {
            diagnostic = diagnostic
                .help(format!("did you mean `{near}`?"))
                .fix(word.span.clone(), format!("\"{near}\""));
        }
        sink.push(diagnostic.label(format!("expected {}", one_of(words))));
        None
    }
}

impl Schema for Predicate {
    fn schema() -> serde_json::Value {
        let one = |kind: &Kind| {
            let mut schema = (kind.schema)();
            schema["properties"]["kind"] = serde_json::json!({ "const": kind.word });
            schema
        };
        serde_json::json!({ "oneOf": KINDS.iter().map(one).collect::<Vec<_>>() })
    }
}

/// A word of a predicate's own `kind`, which was checked before its parameters are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindWord;

impl Read for KindWord {
    fn read(_: &Node, _: &Pointer, _: &mut Sink) -> Option<Self> {
        Some(Self)
    }
}

impl Schema for KindWord {
    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "string" })
    }
}

/// A value to compare with: any JSON value that is not a list or an object.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
}

impl Read for Scalar {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        match &node.value {
            Value::Null => Some(Self::Null),
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Number(_) => node.as_f64().map(Self::Number).or_else(|| {
                sink.invalid(node, pointer, "a number that can be compared", "a finite number");
                None
            }),
            Value::Array(_) | Value::Object(_) => {
                sink.wrong(node, pointer, "a string, a number, a boolean or null");
                None
            }
        }
    }
}

impl Schema for Scalar {
    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": ["string", "number", "boolean", "null"] })
    }
}

/// The bare name of a file: no folder, no way up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileName(String);

impl FileName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Read for FileName {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        crate::json::read_text(node, pointer, sink, "a file name", "a bare name", |text| {
            let plain = !text.contains('/') && !text.trim().is_empty();
            crate::id::RelPath::parse(text)
                .ok()
                .filter(|_| plain)
                .map(|_| Self(text.to_owned()))
                .ok_or(())
        })
    }
}

impl Schema for FileName {
    fn schema() -> serde_json::Value {
        crate::json::pattern_schema(
            "^(?!.:)(?!\\.{1,2}$)(?=.*\\S)[^/\\\\\\u0000-\\u001f\\u007f-\\u009f]+$",
        )
    }
}
