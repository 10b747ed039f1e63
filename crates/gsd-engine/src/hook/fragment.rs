//! Fragments: text of a capability that becomes part of a prompt, inline or in a file of the
//! bundle.

use crate::diag::{Level, Rule};
use crate::id::RelPath;
use crate::json::{At, Fields, Node, Pointer, Read, Schema, Sink, record};

/// A fragment has no text.
pub(super) static FRAGMENT_EMPTY: Rule = Rule {
    code: "hook/fragment-empty",
    level: Level::Error,
    summary: "a fragment has neither a path nor text",
    docs: include_str!("fragment_empty.md"),
};

record! {
    /// Text for a prompt: a file of the bundle, or the text itself. With both, the file counts.
    pub struct Fragment, FragmentDraft, checked by check_text {
        /// A file of the bundle.
        optional "path" path: At<FragmentPath> = r#""fragments/plan-pre.md""#,
        /// The text itself.
        optional "inline" inline: At<String>,
    }
}

fn check_text(draft: &FragmentDraft, fields: &Fields<'_>, sink: &mut Sink) {
    if let Some(inline) = &draft.inline
        && inline.trim().is_empty()
    {
        let at = sink.at(&inline.span, &inline.pointer);
        sink.push(FRAGMENT_EMPTY.at(at, "the text is blank").label("expected some text"));
    }
    // A path or a text that is there but malformed was reported already.
    if fields.peek("path").is_none() && fields.peek("inline").is_none() {
        let diagnostic = FRAGMENT_EMPTY.at(fields.here(sink), "expected `path` or `inline`");
        sink.push(diagnostic.label("has no text"));
    }
}

/// A path below the bundle, as the manifest spells it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FragmentPath(RelPath);

impl FragmentPath {
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl Read for FragmentPath {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        RelPath::read(node, pointer, sink).map(Self)
    }
}

impl Schema for FragmentPath {
    fn schema() -> serde_json::Value {
        RelPath::schema()
    }
}
