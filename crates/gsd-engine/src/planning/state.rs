//! `STATE.md`: which phase the project is in.

use super::frontmatter::{locate, tree};
use super::markdown::{Page, bare};
use super::number::PhaseNumber;
use super::plan::Document;
use super::spanned::{Spanned, slice};
use super::yaml::{Node, Value};
use crate::diag::Span;

/// `STATE.md`.
#[derive(Debug, Clone)]
pub struct State {
    pub document: Document,
    pub current_phase: Option<Spanned<PhaseNumber>>,
    pub status: Option<Spanned<String>>,
}

/// Reads the state. Frontmatter goes before the body, `current_phase` before `active_phase`, what
/// stands under "Current Position" before the rest.
pub(super) fn read(document: Document) -> State {
    let text = document.file.text();
    let fenced = locate(text);
    let mut current_phase = None;
    let mut status = None;
    if let Some(fenced) = &fenced {
        let (node, _, _) = tree(text, fenced);
        let value = |name: &str| {
            let Value::Map(entries) = &node.value else { return None };
            entries.iter().find(|entry| entry.key.value == name).map(|entry| &entry.node)
        };
        current_phase = ["current_phase", "active_phase", "phase", "next_phases"]
            .iter()
            .find_map(|name| in_node(value(name)?));
        status = value("status").and_then(|node| match &node.value {
            Value::Text(text) => Some(Spanned::new(text.clone(), node.span.clone())),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        });
    }
    let page = Page::new(text, fenced.map_or(0, |fenced| fenced.outer.end));
    if current_phase.is_none() {
        current_phase = in_body(&page);
    }
    if status.is_none() {
        status = labelled(&page, &["status"], 0..page.lines.len()).map(|span| slice(text, span));
    }
    State { current_phase, status, document }
}

fn in_node(node: &Node) -> Option<Spanned<PhaseNumber>> {
    match &node.value {
        Value::Text(text) => number_in(text).map(|number| Spanned::new(number, node.span.clone())),
        Value::List(nodes) => in_node(nodes.first()?),
        Value::Null | Value::Map(_) => None,
    }
}

fn in_body(page: &Page<'_>) -> Option<Spanned<PhaseNumber>> {
    const NAMES: [&str; 3] = ["current phase", "active phase", "phase"];
    let headings = page.headings();
    let position = headings.iter().position(|heading| {
        let title = page.text[heading.title.clone()].to_lowercase();
        title.contains("current position") || title.contains("current phase")
    });
    let here = position.map(|at| page.section(&headings, at));
    let everywhere = 0..page.lines.len();
    let stated = here.into_iter().chain([everywhere.clone()]).find_map(|lines| {
        let span = labelled(page, &NAMES, lines)?;
        let number = number_in(&page.text[span.clone()])?;
        Some(Spanned::new(number, slice(page.text, span).span))
    });
    stated.or_else(|| {
        // `**Current focus:** v1.2 Packaging — Phase 9: Installer`
        let span = labelled(page, &["current focus"], everywhere)?;
        let text = &page.text[span.clone()];
        let at = text.to_ascii_lowercase().find("phase ")?;
        let number = number_in(&text[at..])?;
        Some(Spanned::new(number, span.start + at..span.end))
    })
}

/// What follows the first label of one of these names, names before places.
fn labelled(page: &Page<'_>, names: &[&str], lines: std::ops::Range<usize>) -> Option<Span> {
    names.iter().find_map(|name| {
        lines.clone().find_map(|index| {
            let (label, rest) = page.label(index)?;
            (label.name.eq_ignore_ascii_case(name) && !rest.is_empty()).then_some(rest)
        })
    })
}

/// `3`, `03 of 8 (Name)`, `Phase 3: Name`, `[3] of [8]`, `07-statistics`.
pub(super) fn number_in(text: &str) -> Option<PhaseNumber> {
    let text = bare(text).trim_start_matches(['[', '(', '#', '"', '\'', '*']);
    let text = match text.get(..5).filter(|word| word.eq_ignore_ascii_case("phase")) {
        Some(_) => text[5..].trim_start_matches([' ', '-', ':', '[', '*']),
        None => text,
    };
    let (number, rest) = PhaseNumber::leading(text)?;
    // `2026-03-07` is a date, `80%` is progress.
    let year = number.spelling().len() == 4 && rest.starts_with('-');
    (!year && !rest.starts_with('%')).then_some(number)
}
