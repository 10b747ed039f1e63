//! The frontmatter of a plan.
//!
//! A value of a wrong type is reported once and left out; all others are kept. Broken YAML is one
//! diagnostic, and what simple lines still say is salvaged.

use super::spanned::{List, Spanned};
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
