//! Diagnostics: something is wrong in a file that the user can edit.
//!
//! A diagnostic has a rule and a place. Rules are static data and live in the file that checks
//! them; this module holds the types only and knows no rule. Rendering belongs to the CLI.

mod source;

pub use source::{Location, Position, SourceFile, Span};

use std::fmt;

/// How bad it is. Findings have a severity; diagnostics have a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    Note,
    Warning,
    Error,
}

impl Level {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// One thing that can be wrong. Codes are `area/kebab-words`: stable, searchable, never reused.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    pub code: &'static str,
    pub level: Level,
    /// One line: what is wrong, in general.
    pub summary: &'static str,
    /// Markdown: what, why, an example of wrong and right. Printed by `gsd explain`.
    pub docs: &'static str,
}

impl Rule {
    /// A diagnostic of this rule at a place. The message is lower case, has no final period and
    /// says what was expected.
    pub fn at(&'static self, at: Location, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            rule: self,
            level: self.level,
            at,
            message: message.into(),
            label: None,
            related: vec![],
            note: None,
            help: None,
            fix: None,
        }
    }
}

/// A second place that belongs to a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    pub at: Location,
    pub message: String,
}

/// A mechanical change that removes the fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    pub span: Span,
    pub replacement: String,
}

/// Something is wrong in a file that the user can edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub rule: &'static Rule,
    pub level: Level,
    pub at: Location,
    pub message: String,
    /// A few words under the place itself.
    pub label: Option<String>,
    pub related: Vec<Related>,
    /// What the place is for, a line each.
    pub note: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    pub fix: Option<Fix>,
}

impl Diagnostic {
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn also(mut self, at: Location, message: impl Into<String>) -> Self {
        self.related.push(Related { at, message: message.into() });
        self
    }

    pub fn fix(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.fix = Some(Fix { span, replacement: replacement.into() });
        self
    }

    pub fn with_level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }
}

/// Sorts diagnostics by file and place, so that output does not depend on the order of checks.
pub fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|a, b| {
        (a.at.file.name(), a.at.span.start, a.at.span.end, a.rule.code, &a.message).cmp(&(
            b.at.file.name(),
            b.at.span.start,
            b.at.span.end,
            b.rule.code,
            &b.message,
        ))
    });
}
