//! Where a reader gathers what is wrong with a text, instead of stopping at the first fault.
//!
//! The rules for missing, mistyped and unknown fields belong to whoever reads (a manifest, a
//! configuration), so the reader says which they are.
//!
//! Whatever the text holds, the number of diagnostics is bounded: a million wrong elements are one
//! line that counts them.

use super::fields::quoted;
use super::{DUPLICATE_KEY, Member, Node, Pointer};
use crate::diag::{Diagnostic, Level, Location, Rule, SourceFile, Span};
use crate::text::{nearest, printable};
use std::sync::Arc;

/// Where diagnostics are gathered, and under which rules the reader reports.
#[derive(Debug)]
pub struct Sink {
    pub file: Arc<SourceFile>,
    pub found: Vec<Diagnostic>,
    pub missing: &'static Rule,
    pub wrong_type: &'static Rule,
    pub unknown: &'static Rule,
    /// The rule for a value of the right type that is not one of those allowed.
    pub value: &'static Rule,
    /// What the place of a pointer is for.
    purpose: fn(&str) -> Option<Purpose>,
    /// How many unknown fields were met; more than [`MAX_LISTED`] are counted, not listed.
    unknown_seen: usize,
    duplicates_seen: usize,
    left_out: usize,
    /// The rule of the first one that was left out.
    left_out_rule: Option<&'static Rule>,
}

/// What a place in a document is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purpose {
    /// Its path and what it is for, then a line for each word that it can be.
    pub note: String,
    /// What could stand there, with its name.
    pub example: Option<String>,
}

/// More unknown fields, or more duplicate keys, than this are counted, not listed.
const MAX_LISTED: usize = 10;

/// No file is worth more diagnostics: nobody reads them, and a hostile file must stay cheap.
const MAX_FOUND: usize = 500;

impl Sink {
    pub fn new(
        file: Arc<SourceFile>,
        missing: &'static Rule,
        wrong_type: &'static Rule,
        unknown: &'static Rule,
    ) -> Self {
        Self {
            file,
            found: vec![],
            missing,
            wrong_type,
            unknown,
            value: wrong_type,
            purpose: |_| None,
            unknown_seen: 0,
            duplicates_seen: 0,
            left_out: 0,
            left_out_rule: None,
        }
    }

    /// Values that are not among those allowed are reported under this rule.
    pub fn with_value_rule(mut self, rule: &'static Rule) -> Self {
        self.value = rule;
        self
    }

    /// Errors say what their place is for, where this knows it.
    pub fn with_purpose(mut self, purpose: fn(&str) -> Option<Purpose>) -> Self {
        self.purpose = purpose;
        self
    }

    /// What a place is for.
    pub(super) fn purpose(&self, pointer: &Pointer) -> Option<Purpose> {
        (self.purpose)(pointer.as_str())
    }

    /// A place in the file that is read.
    pub fn at(&self, span: &Span, pointer: &Pointer) -> Location {
        self.file.at(span.clone()).with_pointer(pointer.as_str())
    }

    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        if self.is_full() {
            return self.leave_out(diagnostic.rule);
        }
        if diagnostic.level == Level::Error && diagnostic.note.is_none() {
            let purpose = diagnostic.at.pointer.as_deref().and_then(self.purpose);
            diagnostic.note = purpose.map(|purpose| purpose.note);
        }
        self.found.push(diagnostic);
    }

    /// Whether what is found from here on is counted and no longer listed.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= MAX_FOUND
    }

    /// Whether anything so far makes the text unusable.
    pub fn has_errors(&self) -> bool {
        self.left_out > 0 || self.found.iter().any(|found| found.level == Level::Error)
    }

    /// Reports a value of another type than was asked for.
    pub fn wrong(&mut self, node: &Node, pointer: &Pointer, expected: &str) {
        let message = format!("expected {expected}, found {}", node.kind());
        let diagnostic = self.wrong_type.at(self.at(&node.span, pointer), message);
        self.push(diagnostic.label(format!("not {expected}")));
    }

    /// Reports a value of the right type that is not one of those allowed.
    pub fn invalid(&mut self, node: &Node, pointer: &Pointer, what: &str, expected: &str) {
        let found = node.as_str().map_or_else(|| node.kind().to_owned(), quoted);
        let message = format!("{found} is not {what}");
        let diagnostic = self.value.at(self.at(&node.span, pointer), message);
        self.push(diagnostic.label(format!("expected {expected}")));
    }

    /// Counts one that is not worth a diagnostic.
    pub(super) fn leave_out(&mut self, rule: &'static Rule) {
        self.left_out += 1;
        self.left_out_rule.get_or_insert(rule);
    }

    /// Reports a field that nobody knows.
    pub(super) fn unknown_field(
        &mut self,
        member: &Member,
        pointer: &Pointer,
        known: &[&'static str],
        is_there: impl Fn(&str) -> bool,
    ) {
        self.unknown_seen += 1;
        if self.unknown_seen > MAX_LISTED {
            return;
        }
        let name = printable(&member.name, 80);
        let at = self.at(&member.name_span, &pointer.key(&member.name));
        let mut diagnostic = self.unknown.at(at, format!("unknown field `{name}`"));
        diagnostic = match nearest(&member.name, known.iter().copied()) {
            Some(near) if is_there(near) => {
                diagnostic.help(format!("remove it: `{near}` is there already"))
            }
            Some(near) => diagnostic
                .help(format!("did you mean `{near}`?"))
                .fix(member.name_span.clone(), format!("\"{near}\"")),
            None if known.is_empty() || known.len() > MAX_LISTED => diagnostic.help("remove it"),
            None => {
                let known = super::one_of(known.iter().copied());
                diagnostic.help(format!("remove it, or write {known}"))
            }
        };
        self.push(diagnostic.label("has no meaning here"));
    }

    /// Reports a key that is there already.
    pub(super) fn duplicate(&mut self, member: &Member, first: &Member, pointer: &Pointer) {
        self.duplicates_seen += 1;
        if self.duplicates_seen > MAX_LISTED {
            return;
        }
        let name = printable(&member.name, 80);
        let at = self.at(&member.name_span, &pointer.key(&member.name));
        let first = self.at(&first.name_span, &pointer.key(&first.name));
        self.push(
            DUPLICATE_KEY
                .at(at, format!("duplicate key `{name}`"))
                .also(first, "first used here")
                .help("remove one of the two"),
        );
    }

    /// All that was found, with one summary for each kind of thing that was left out.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        for found in &mut self.found {
            if found.help.is_none() && found.rule.code == self.wrong_type.code {
                let purpose = found.at.pointer.as_deref().and_then(self.purpose);
                let example = purpose.and_then(|purpose| purpose.example);
                found.help = example.map(|example| format!("write for example `{example}`"));
            }
        }
        let start = self.file.at_start().with_pointer("");
        if let Some(rule) = self.left_out_rule {
            let message = format!("{} more problems are not listed", self.left_out);
            let mut summary = rule.at(start.clone(), message);
            // Nobody knows how bad they are.
            summary.level = Level::Error;
            self.found.push(summary);
        }
        for (seen, rule, what) in [
            (self.unknown_seen, self.unknown, "unknown fields"),
            (self.duplicates_seen, &DUPLICATE_KEY, "duplicate keys"),
        ] {
            if let Some(more) = seen.checked_sub(MAX_LISTED).filter(|more| *more > 0) {
                let message = format!("{more} more {what} are not listed");
                self.found.push(rule.at(start.clone(), message));
            }
        }
        self.found
    }
}
