//! The frontmatter of a plan.
//!
//! A value of a wrong type is reported once and left out; all others are kept. Broken YAML is one
//! diagnostic, and what simple lines still say is salvaged.

use super::markdown::after_marks;
use super::spanned::{List, Spanned};
use super::yaml::{Fault, Node, Value};
use super::{salvage, yaml};
use crate::diag::Span;

/// How the frontmatter was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The file does not begin with `---`.
    Absent,
    Yaml,
    /// The YAML is broken; simple `key: value` lines and lists were taken.
    Salvaged,
}

/// The keys that are read.
pub const FRONTMATTER_KEYS: [&str; 13] = [
    "phase",
    "plan",
    "type",
    "wave",
    "depends_on",
    "files_modified",
    "autonomous",
    "requirements",
    "status",
    "gap_closure",
    "estimate",
    "must_haves",
    "user_setup",
];

/// What a plan says about itself between its `---` lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frontmatter {
    pub reading: Reading,
    /// From the first `---` to the end of the last; empty at the start of the file if absent.
    pub span: Span,
    pub phase: Option<Spanned<String>>,
    /// As text, whether it was written `2`, `02` or `"12"`.
    pub plan: Option<Spanned<String>>,
    /// `type`: `execute`, `tdd`.
    pub kind: Option<Spanned<String>>,
    pub wave: Option<Spanned<u32>>,
    /// Plan ids or file names, as written.
    pub depends_on: Option<List>,
    pub files_modified: Option<List>,
    pub autonomous: Option<Spanned<bool>>,
    pub requirements: Option<List>,
    pub status: Option<Spanned<String>>,
    pub gap_closure: Option<Spanned<bool>>,
    pub estimate: Option<Spanned<Estimate>>,
    pub must_haves: Option<Spanned<MustHaves>>,
    /// The place of `user_setup`, if there is any.
    pub user_setup: Option<Span>,
    /// Top-level keys that no reader knows.
    pub unknown: Vec<Spanned<String>>,
}

impl Frontmatter {
    /// A frontmatter that says nothing, at `span`.
    pub fn empty(reading: Reading, span: Span) -> Self {
        Self {
            reading,
            span,
            phase: None,
            plan: None,
            kind: None,
            wave: None,
            depends_on: None,
            files_modified: None,
            autonomous: None,
            requirements: None,
            status: None,
            gap_closure: None,
            estimate: None,
            must_haves: None,
            user_setup: None,
            unknown: vec![],
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Estimate {
    pub tokens: Option<Spanned<u64>>,
    pub tasks: Option<Spanned<u64>>,
    pub confidence: Option<Spanned<String>>,
}

/// What must be true when the plan is done. A list that is absent is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MustHaves {
    /// Observable behaviour.
    pub truths: Vec<Spanned<String>>,
    pub artifacts: Vec<Spanned<Artifact>>,
    pub key_links: Vec<Spanned<KeyLink>>,
}

/// A plain string is an artifact that has a path only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Artifact {
    pub path: Option<Spanned<String>>,
    pub provides: Option<Spanned<String>>,
    pub min_lines: Option<Spanned<u64>>,
    pub exports: Vec<Spanned<String>>,
    pub contains: Option<Spanned<String>>,
}

/// A plain string is kept in `text` and has no parts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyLink {
    pub text: Option<Spanned<String>>,
    pub from: Option<Spanned<String>>,
    pub to: Option<Spanned<String>>,
    pub via: Option<Spanned<String>>,
    /// A regular expression, as written.
    pub pattern: Option<Spanned<String>>,
}

/// Where frontmatter stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fenced {
    /// With both `---` lines.
    pub(super) outer: Span,
    pub(super) inner: Span,
    pub(super) closed: bool,
}

/// Finds the frontmatter of a text: `---` on the first line that is not blank. One that is never
/// closed ends where something begins that cannot belong to it.
pub(super) fn locate(text: &str) -> Option<Fenced> {
    let mut start = after_marks(text);
    let mut lines = Lines { text, at: start };
    for line in lines.by_ref() {
        start = line.start;
        match text[line].trim_end() {
            "" => {}
            "---" => break,
            _ => return None,
        }
    }
    let inner = lines.at;
    if text[start..inner].trim_end() != "---" {
        return None;
    }
    let mut keys = 0;
    for line in lines {
        let shown = text[line.clone()].trim_end();
        if matches!(shown, "---" | "...") {
            let outer = start..line.start + shown.len();
            return Some(Fenced { outer, inner: inner..line.start, closed: true });
        }
        keys += usize::from(shown.starts_with(|c: char| c.is_alphabetic()) && shown.contains(':'));
        if shown.starts_with(['<', '#', '|', '`']) || shown.starts_with("**") {
            // A rule above prose is not frontmatter.
            return (keys > 0).then_some(Fenced {
                outer: start..line.start,
                inner: inner..line.start,
                closed: false,
            });
        }
    }
    (keys > 0).then_some(Fenced {
        outer: start..text.len(),
        inner: inner.min(text.len())..text.len(),
        closed: false,
    })
}

struct Lines<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Lines<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let line = self.at..self.at + length;
        self.at += length;
        Some(line)
    }
}

/// The tree of the frontmatter, how it was read, and the one fault if it is broken.
pub(super) fn tree(text: &str, fenced: &Fenced) -> (Node, Reading, Option<Fault>) {
    let unclosed =
        || Fault { at: fenced.outer.start, message: "its closing `---` is missing".to_owned() };
    let fault = match yaml::parse(text, fenced.inner.clone()) {
        // Where it ends is a guess, so what it says goes before what YAML says about the guess.
        Ok(node) if !fenced.closed && matches!(node.value, Value::Map(_)) => {
            return (node, Reading::Salvaged, Some(unclosed()));
        }
        Ok(_) | Err(_) if !fenced.closed => unclosed(),
        Ok(node) if matches!(node.value, Value::Map(_) | Value::Null) => {
            return (node, Reading::Yaml, None);
        }
        Ok(_) => Fault {
            at: fenced.inner.start,
            message: "it is not a list of `key: value` lines".to_owned(),
        },
        Err(fault) => fault,
    };
    (salvage::read(text, fenced.inner.clone()), Reading::Salvaged, Some(fault))
}
