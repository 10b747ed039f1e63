//! How the members of an object are laid out in a text, so that a new one looks like them.

use super::tree::{Member, Node};
use crate::diag::Span;

/// How a member stands in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    /// Set where the member begins its line.
    pub(super) line: Option<Line>,
    /// No space behind a colon.
    pub(super) tight: bool,
}

/// The line that a member begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) newline: &'static str,
    pub(super) indent: String,
}

/// What stands between a value and what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gap {
    /// The place of the comma, if there is one.
    pub(super) comma: Option<usize>,
    /// Behind the comma and all comments that end on the same line.
    pub(super) rest_of_line: usize,
}

impl Gap {
    /// Looks at `text[from..to]`, which holds white space, comments and at most one comma.
    pub(super) fn of(text: &str, from: usize, to: usize) -> Self {
        let mut gap = Self { comma: None, rest_of_line: from };
        let (mut at, mut same_line) = (from, true);
        while at < to {
            let rest = &text[at..to];
            let length = if rest.starts_with("//") {
                rest.find(['\n', '\r']).unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                rest.chars().next().map_or(1, char::len_utf8)
            };
            let piece = &rest[..length];
            same_line &= !piece.contains(['\n', '\r']);
            if piece == "," && gap.comma.is_none() {
                gap.comma = Some(at);
                // A comma on a line of its own moves the end of the line with it.
                same_line = true;
            }
            at += length;
            if same_line && !piece.trim().is_empty() {
                gap.rest_of_line = at;
            }
        }
        gap
    }
}

/// How a member of the text looks.
pub(super) fn of_member(text: &str, member: &Member) -> Look {
    let between = &text[member.name_span.end..member.value.span.start];
    Look { line: line_of(text, member.name_span.start), tight: between == ":" }
}

/// How an item of a list looks.
pub(super) fn of_item(text: &str, item: &Node) -> Look {
    let tight = !text.contains(": ") && text.contains(':');
    Look { line: line_of(text, item.span.start), tight }
}

/// The line that whatever stands at `at` begins, if it begins one.
pub(super) fn line_of(text: &str, at: usize) -> Option<Line> {
    let before = &text[..at];
    let indent_start = before.trim_end_matches([' ', '\t']).len();
    before[..indent_start].ends_with('\n').then(|| Line {
        newline: newline_before(&before[..indent_start]),
        indent: before[indent_start..].to_owned(),
    })
}

/// How the first member of an empty object should look: on a line of its own, unless the text
/// has no lines.
pub(super) fn of_content(text: &str, object: &Node, unit: &str) -> Look {
    let content = text[object.span.clone()].trim_end();
    let before = &text[..object.span.start];
    let lines = text.trim().contains('\n') || before.trim_start_matches('\u{feff}').is_empty();
    if !lines && !content.contains('\n') {
        return Look { line: None, tight: !text.contains(": ") && text.contains(':') };
    }
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before[line_start..].trim_start_matches('\u{feff}');
    let outer = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    Look { line: Some(Line { newline, indent: format!("{outer}{unit}") }), tight: false }
}

fn newline_before(text: &str) -> &'static str {
    if text.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// One step of indentation: that of the first member, else two spaces.
pub(super) fn indent_unit(text: &str, root: &Node) -> String {
    let first = root.as_object().and_then(|object| object.members.first());
    let look = first.map(|member| of_member(text, member));
    match look.and_then(|look| look.line) {
        Some(line) if !line.indent.is_empty() => line.indent,
        Some(_) | None => "  ".to_owned(),
    }
}

/// Whether an object or a list holds this element and white space only.
pub(super) fn holds_nothing_but(text: &str, owner: &Node, element: &Span) -> bool {
    let before = &text[owner.span.start + 1..element.start];
    let after = &text[element.end..owner.span.end - 1];
    let after = after.trim_start().strip_prefix(',').unwrap_or(after);
    before.trim().is_empty() && after.trim().is_empty()
}

/// Whether nothing but white space follows on the line.
pub(super) fn ends_line(text: &str, at: usize) -> bool {
    let rest = text[at..].trim_start_matches([' ', '\t']);
    rest.starts_with('\n') || rest.starts_with("\r\n")
}

/// The beginning of the line after the one that `at` is on.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |line| at + line + 1)
}

/// A name and its value.
pub(super) fn render_member(
    name: &str,
    value: &serde_json::Value,
    look: &Look,
    unit: &str,
) -> String {
    let name = serde_json::Value::from(name);
    let colon = if look.tight { ":" } else { ": " };
    format!("{name}{colon}{}", render(value, look, unit))
}

/// A value as it stands behind a name that looks like this. Lists of single values stay on one
/// line.
pub(super) fn render(value: &serde_json::Value, look: &Look, unit: &str) -> String {
    let (open, close, items): (char, char, Vec<String>) = match (value, &look.line) {
        (serde_json::Value::Object(members), Some(line)) if !members.is_empty() => {
            let inner = Look {
                line: Some(Line { indent: format!("{}{unit}", line.indent), ..line.clone() }),
                tight: look.tight,
            };
            let items =
                members.iter().map(|(name, value)| render_member(name, value, &inner, unit));
            ('{', '}', items.collect())
        }
        (serde_json::Value::Object(members), None) if !members.is_empty() => {
            let items = members.iter().map(|(name, value)| render_member(name, value, look, unit));
            return format!("{{{}}}", joined(items.collect(), look));
        }
        (serde_json::Value::Array(items), Some(line))
            if items.iter().any(|item| item.is_object() || item.is_array()) =>
        {
            let inner = Look {
                line: Some(Line { indent: format!("{}{unit}", line.indent), ..line.clone() }),
                tight: look.tight,
            };
            ('[', ']', items.iter().map(|item| render(item, &inner, unit)).collect())
        }
        (serde_json::Value::Array(items), _) => {
            let items = items.iter().map(|item| render(item, look, unit)).collect();
            return format!("[{}]", joined(items, look));
        }
        (scalar, _) => return scalar.to_string(),
    };
    let (newline, indent) = match &look.line {
        Some(line) => (line.newline, line.indent.as_str()),
        None => ("", ""),
    };
    let between = format!(",{newline}{indent}{unit}");
    format!("{open}{newline}{indent}{unit}{}{newline}{indent}{close}", items.join(&between))
}

fn joined(items: Vec<String>, look: &Look) -> String {
    items.join(if look.tight { "," } else { ", " })
}
