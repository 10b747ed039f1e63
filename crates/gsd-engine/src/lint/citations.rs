//! Citations of lines, `src/a.ts:12`, in plans and in the documents beside them.

use super::path::{Lines, mentions};
use super::view::View;
use crate::diag::{Level, Location, SourceFile, Span};
use std::collections::HashSet;
use std::sync::Arc;

pub(super) struct Citation {
    pub(super) file: Arc<SourceFile>,
    pub(super) span: Span,
    pub(super) path: String,
    pub(super) lines: Lines,
    /// A wrong citation in a plan leads an agent astray; elsewhere it is a warning.
    pub(super) level: Level,
}

impl Citation {
    pub(super) fn at(&self) -> Location {
        self.file.at(self.span.clone())
    }
}

/// Every citation outside code fences, each place of a document once.
pub(super) fn all(view: &View<'_>) -> Vec<Citation> {
    let plans = view.plans.iter().map(|plan| (plan.plan.file(), Level::Error));
    let contexts = view.phase.contexts.iter().map(|c| (&c.document.file, Level::Warning));
    let research = view.phase.research.iter().map(|r| (&r.document.file, Level::Warning));
    let mut found = vec![];
    for (file, level) in plans.chain(contexts).chain(research) {
        of(file, level, &mut found);
    }
    found
}

fn of(file: &Arc<SourceFile>, level: Level, found: &mut Vec<Citation>) {
    let mut seen = HashSet::new();
    let mut fenced = false;
    let mut start = 0;
    for line in file.text().split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && may_cite(line) {
            for mention in mentions(line) {
                let Some(lines) = mention.lines else { continue };
                if seen.insert((mention.path.clone(), lines.first, lines.last)) {
                    found.push(Citation {
                        file: Arc::clone(file),
                        span: start + mention.span.start..start + mention.span.end,
                        path: mention.path,
                        lines,
                        level,
                    });
                }
            }
        }
        start += line.len();
    }
}

/// A line number stands behind a colon or behind `#L`; lines without either are most.
fn may_cite(line: &str) -> bool {
    line.as_bytes().windows(2).any(|pair| match pair {
        [b':', next] => next.is_ascii_digit() || matches!(next, b'L' | b'l'),
        pair => pair == b"#L",
    })
}
