//! Which runtimes a feature works with.

use crate::diag::{Level, Rule};
use crate::id::CapabilityId;
use crate::json::{At, Fields, Node, Pointer, Read, Schema, Sink, quoted, record};

/// What is said about runtimes does not fit together.
pub(super) static RUNTIME_COMPAT: Rule = Rule {
    code: "manifest/runtime-compat",
    level: Level::Error,
    summary: "what is said about runtimes does not fit together",
    docs: include_str!("runtime_compat.md"),
};

/// A runtime, or every runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuntimeName {
    Every,
    One(CapabilityId),
}

impl std::fmt::Display for RuntimeName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Every => f.write_str("*"),
            Self::One(id) => id.fmt(f),
        }
    }
}

impl Read for RuntimeName {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        if node.as_str() == Some("*") {
            return Some(Self::Every);
        }
        CapabilityId::read(node, pointer, sink).map(Self::One)
    }
}

impl Schema for RuntimeName {
    fn schema() -> serde_json::Value {
        serde_json::json!({ "anyOf": [{ "const": "*" }, CapabilityId::schema()] })
    }
}

record! {
    /// Which runtimes the capability works with.
    pub struct RuntimeCompat, Draft, checked by check {
        /// The runtimes that it works with, or `*` alone for all.
        required_list "supported" supported: At<RuntimeName> = r#"["*"]"#,
        /// The runtimes that it does not work with.
        required_list "unsupported" unsupported: At<CapabilityId> = "[]",
        /// What there is to know about a runtime, by its id or `*`.
        optional "notes" notes: Notes,
    }
}

impl RuntimeCompat {
    /// Whether the capability works with a runtime.
    pub fn supports(&self, runtime: &str) -> bool {
        let named = |name: &At<RuntimeName>| match &name.value {
            RuntimeName::Every => true,
            RuntimeName::One(id) => id.as_str() == runtime,
        };
        self.supported.iter().any(named) && self.unsupported.iter().all(|id| id.as_str() != runtime)
    }

    /// Every runtime that is named, with its place.
    pub fn named(&self) -> impl Iterator<Item = &At<CapabilityId>> {
        let notes = self.notes.iter().flat_map(|notes| notes.0.iter());
        self.unsupported.iter().chain(notes)
    }
}

fn check(draft: &Draft, fields: &Fields<'_>, sink: &mut Sink) {
    let listed = fields.peek("supported").and_then(Node::as_array);
    if let Some(node) = fields.peek("supported")
        && listed.is_some_and(<[Node]>::is_empty)
    {
        let at = sink.at(&node.span, &fields.pointer.key("supported"));
        let diagnostic = RUNTIME_COMPAT.at(at, "a capability works with some runtime");
        sink.push(diagnostic.label("expected ids of runtimes").help("write `[\"*\"]` for all"));
    }
    let every = draft.supported.iter().find(|name| name.value == RuntimeName::Every);
    if let Some(every) = every
        && draft.supported.len() > 1
    {
        let at = sink.at(&every.span, &every.pointer);
        let diagnostic = RUNTIME_COMPAT.at(at, "`*` stands for all runtimes, so it stands alone");
        sink.push(diagnostic.label("beside other ids").help("keep `*` or the ids"));
    }
    for both in draft.unsupported.iter().take(256) {
        let same = |name: &&At<RuntimeName>| match &name.value {
            RuntimeName::Every => false,
            RuntimeName::One(id) => *id == both.value,
        };
        if let Some(first) = draft.supported.iter().take(256).find(same) {
            let message = format!("`{}` is both supported and unsupported", both.value);
            let first = sink.at(&first.span, &first.pointer);
            let at = sink.at(&both.span, &both.pointer);
            let diagnostic = RUNTIME_COMPAT.at(at, message).also(first, "supported here");
            sink.push(diagnostic.help("take it out of one of the two lists"));
        }
    }
    super::envelope::report_duplicates(&draft.supported, "listed", sink);
    super::envelope::report_duplicates(&draft.unsupported, "listed", sink);
}

/// Notes about runtimes: only the runtimes are kept, the texts are for people who read the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notes(pub Vec<At<CapabilityId>>);

impl Read for Notes {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        Fields::of(node, pointer, sink)?;
        let object = node.as_object()?;
        let mut named = vec![];
        for member in &object.members {
            let below = pointer.key(&member.name);
            super::Text::read(&member.value, &below, sink);
            if member.name == "*" {
                continue;
            }
            match CapabilityId::parse(&member.name) {
                Ok(value) => {
                    named.push(At { value, span: member.name_span.clone(), pointer: below });
                }
                Err(_) => {
                    let message = format!("{} is not the id of a runtime", quoted(&member.name));
                    let at = sink.at(&member.name_span, &below);
                    sink.push(RUNTIME_COMPAT.at(at, message).label("expected an id or `*`"));
                }
            }
        }
        Some(Self(named))
    }
}

impl Schema for Notes {
    fn schema() -> serde_json::Value {
        serde_json::json!({
            "type": "object",
            "propertyNames": RuntimeName::schema(),
            "additionalProperties": super::Text::schema(),
        })
    }
}
