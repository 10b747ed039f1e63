//! `*-RESEARCH.md`: open questions and pitfalls.

use super::frontmatter::locate;
use super::markdown::{Heading, Page, bare};
use super::plan::Document;
use super::requirements::listed;
use super::spanned::{Spanned, slice};
use crate::diag::Span;
use std::ops::Range;

/// `*-RESEARCH.md`.
#[derive(Debug, Clone)]
pub struct Research {
    pub document: Document,
    pub open_questions: Option<OpenQuestions>,
    pub pitfalls: Vec<Spanned<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestions {
    pub heading: Span,
    /// The heading says `(RESOLVED)`.
    pub resolved: bool,
    pub questions: Vec<OpenQuestion>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestion {
    pub text: Spanned<String>,
    pub resolved: bool,
}

/// Reads research.
pub(super) fn read(document: Document) -> Research {
    let text = document.file.text();
    let page = Page::new(text, locate(text).map_or(0, |fenced| fenced.outer.end));
    let headings = page.headings();
    let find = |word: &str| {
        headings
            .iter()
            .position(|heading| page.text[heading.title.clone()].to_lowercase().contains(word))
    };
    let open_questions = find("open question").map(|at| {
        let heading = headings[at].title.clone();
        let lines = page.section(&headings, at);
        let questions = points(&page, &headings, lines);
        OpenQuestions {
            resolved: is_resolved(&page.text[heading.clone()]),
            heading,
            questions: questions
                .into_iter()
                .filter(|text| !is_none(&text.value))
                .map(|text| OpenQuestion { resolved: is_resolved(&text.value), text })
                .collect(),
        }
    });
    let pitfalls = find("pitfall")
        .map(|at| {
            let lines = page.section(&headings, at);
            points(&page, &headings, lines).into_iter().filter(|p| !is_none(&p.value)).collect()
        })
        .unwrap_or_default();
    Research { document, open_questions, pitfalls }
}

/// The points of a section: its sub-headings with what stands below them, else its list.
fn points(page: &Page<'_>, headings: &[Heading], lines: Range<usize>) -> Vec<Spanned<String>> {
    let inner: Vec<usize> =
        (0..headings.len()).filter(|at| lines.contains(&headings[*at].line)).collect();
    let top = inner.iter().map(|at| headings[*at].level).min();
    let Some(top) = top else {
        return listed(page.text, page.span(lines.start, lines.end));
    };
    inner
        .into_iter()
        .filter(|at| headings[*at].level == top)
        .map(|at| {
            let heading = &headings[at];
            let end = page.section(headings, at).end.min(lines.end);
            let whole = slice(page.text, heading.title.start..page.span(heading.line, end).end);
            Spanned::new(super::fields::fold(&whole.value), whole.span)
        })
        .collect()
}

/// Whether a question says of itself that it is answered.
fn is_resolved(text: &str) -> bool {
    let lower = text.to_lowercase();
    let unresolved = lower.contains("unresolved") || lower.contains("not resolved");
    let answered = ["resolved", "resolution:", "resolution (", "**answer", "answered", "✅"];
    (answered.iter().any(|word| lower.contains(word)) && !unresolved)
        || text.trim_start().starts_with("~~")
}

fn is_none(text: &str) -> bool {
    let lower = bare(text).to_lowercase();
    let rest = ["none", "n/a", "no open questions", "nothing"]
        .iter()
        .find_map(|none| lower.strip_prefix(none));
    rest.is_some_and(|rest| rest.len() < 80 && !rest.starts_with(char::is_alphanumeric))
}
