//! Where a new element goes into the text of an object or a list, and what goes with one that is
//! taken out.

use super::layout::{self, Gap, Look};
use super::members::replaced;
use super::tree::Node;
use crate::diag::Span;

/// The text with an element behind the last one of its owner, which ends at `last_end`.
pub(super) fn behind(
    text: &str,
    owner: &Node,
    last_end: usize,
    look: &Look,
    element: &str,
) -> String {
    let gap = Gap::of(text, last_end, owner.span.end - 1);
    let mut edits = vec![];
    if gap.comma.is_none() {
        edits.push((last_end..last_end, ",".to_owned()));
    }
    let comma = if gap.comma.is_some() { "," } else { "" };
    let (at, before) = match &look.line {
        Some(line) => (gap.rest_of_line, format!("{}{}", line.newline, line.indent)),
        None => {
            let at = gap.comma.map_or(last_end, |comma| comma + 1);
            (at, if look.tight { String::new() } else { " ".to_owned() })
        }
    };
    edits.push((at..at, format!("{before}{element}{comma}")));
    replaced(text, &edits)
}

/// The text with a first element in an owner that has none.
pub(super) fn first(text: &str, owner: &Node, look: &Look, element: &str, unit: &str) -> String {
    let inside = owner.span.start + 1..owner.span.end - 1;
    let content = &text[inside.clone()];
    let Some(line) = &look.line else {
        // A comment may stand there; it must not run into the element.
        let at = inside.start + content.trim_end().len();
        let space = if content.trim().is_empty() { "" } else { " " };
        return replaced(text, &[(at..inside.end, format!("{space}{element}"))]);
    };
    let outer = line.indent.strip_suffix(unit).unwrap_or_default();
    let kept = inside.start + content.trim_end().len();
    let new = format!("{0}{1}{element}{0}{outer}", line.newline, line.indent);
    replaced(text, &[(kept..inside.end, new)])
}

/// The edits that take one of the elements of an owner out.
pub(super) fn removal(
    text: &str,
    owner: &Node,
    elements: &[Span],
    index: usize,
) -> Vec<(Span, String)> {
    let element = &elements[index];
    if elements.len() == 1 && layout::holds_nothing_but(text, owner, element) {
        return vec![(owner.span.start + 1..owner.span.end - 1, String::new())];
    }
    let next = elements.get(index + 1);
    let end = next.map_or(owner.span.end - 1, |next| next.start);
    let gap = Gap::of(text, element.end, end);
    let after = gap.comma.map_or(element.end, |comma| comma + 1);
    let mut edits = vec![];
    let previous = index.checked_sub(1).map(|index| &elements[index]);
    if let (None, Some(previous)) = (gap.comma, previous) {
        // The one before becomes the last, and this text has no comma behind its last.
        let before = Gap::of(text, previous.end, element.start);
        edits.extend(before.comma.map(|comma| (comma..comma + 1, String::new())));
    }
    let own_line = layout::line_of(text, element.start);
    edits.push(match own_line {
        // The whole line goes, unless something else begins on it.
        Some(line) if layout::ends_line(text, gap.rest_of_line) => {
            let start = element.start - line.indent.len();
            (start..layout::next_line(text, gap.rest_of_line), String::new())
        }
        Some(_) | None => {
            let spaces = text[after..end].len() - text[after..end].trim_start_matches(' ').len();
            match (gap.comma, previous) {
                (Some(_), _) if next.is_some() => (element.start..after + spaces, String::new()),
                (_, Some(previous)) => {
                    let from = edits.last().map_or(previous.end, |(span, _)| span.end);
                    let blank = text[from..element.start].trim().is_empty();
                    (if blank { from } else { element.start }..after, String::new())
                }
                (_, None) => (element.start..after, String::new()),
            }
        }
    });
    edits
}
