//! Sets and removes members of objects in a text that people keep by hand.
//!
//! Only the member changes: comments, order, indentation, line ends, byte order mark and a trailing
//! comma stay as they are, byte for byte. What is added takes its looks from its neighbours. A text
//! that cannot be read is never touched.

use super::layout::{self, Gap};
use super::tree::{Dialect, Member, Node, Object, Value, parse};
use crate::diag::{Diagnostic, SourceFile, Span};
use std::sync::Arc;

/// Why a member was not changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EditError {
    #[error("the file is broken")]
    Broken(Box<Diagnostic>),
    #[error("`{path}` is {kind} in the file, not an object")]
    NotAnObject { path: String, kind: &'static str },
}

/// Gives the member at `path` a value. Objects on the way that are missing are made; a scalar or a
/// list on the way is an error. An empty text counts as an empty object.
pub fn set_member(
    text: &str,
    path: &[&str],
    value: &serde_json::Value,
) -> Result<String, EditError> {
    let blank = text.trim_start_matches('\u{feff}').trim().is_empty();
    let text = if blank { "{}\n" } else { text };
    let (file, root) = read(text)?;
    let text = file.text();
    let unit = layout::indent_unit(text, &root);
    let (mut node, mut passed) = (&root, 0);
    loop {
        let object = object_at(node, &path[..passed])?;
        let Some((name, rest)) = path[passed..].split_first() else {
            // The root itself cannot be replaced; a path has at least one name.
            return Ok(text.to_owned());
        };
        let Some(member) = last_named(object, name) else {
            let value = rest.iter().rev().fold(value.clone(), |value, name| {
                serde_json::Value::Object([((*name).to_owned(), value)].into_iter().collect())
            });
            return Ok(inserted(text, node, object, name, &value, &unit));
        };
        if rest.is_empty() {
            let look = layout::of_member(text, member);
            let new = layout::render(value, &look, &unit);
            return Ok(replaced(text, &[(member.value.span.clone(), new)]));
        }
        (node, passed) = (&member.value, passed + 1);
    }
}

/// Removes the member at `path`, with a comment behind it on its line, and every object on the way
/// that holds nothing afterwards, not even a comment. `None` if there is no such member.
pub fn remove_member(text: &str, path: &[&str]) -> Result<Option<String>, EditError> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(None);
    }
    let (file, root) = read(text)?;
    let text = file.text();
    let mut node = &root;
    let mut steps: Vec<(&Node, &Object, &Member)> = vec![];
    for (at, name) in path.iter().enumerate() {
        let object = object_at(node, &path[..at])?;
        let Some(member) = last_named(object, name) else { return Ok(None) };
        steps.push((node, object, member));
        node = &member.value;
    }
    let mut edits = vec![];
    while let Some((owner, object, member)) = steps.pop() {
        edits = removal(text, owner, object, member);
        let empty = object.members.len() == 1 && layout::holds_nothing_but(text, owner, member);
        if !empty || steps.is_empty() {
            break;
        }
    }
    Ok(Some(replaced(text, &edits)))
}

fn read(text: &str) -> Result<(Arc<SourceFile>, Node), EditError> {
    let file = SourceFile::new("", text);
    match parse(&file, Dialect::Relaxed) {
        (Some(root), _) => Ok((file, root)),
        (None, found) => {
            let fault = found.into_iter().next();
            Err(EditError::Broken(Box::new(fault.expect("no tree means a diagnostic"))))
        }
    }
}

fn object_at<'a>(node: &'a Node, path: &[&str]) -> Result<&'a Object, EditError> {
    node.as_object().ok_or_else(|| EditError::NotAnObject {
        path: if path.is_empty() { "the whole".to_owned() } else { path.join(".") },
        kind: node.kind(),
    })
}

/// Of members with one name the last one holds, as for every reader.
fn last_named<'a>(object: &'a Object, name: &str) -> Option<&'a Member> {
    object.members.iter().rev().find(|member| member.name == name)
}

/// Applies edits that do not overlap, in the order of the text.
fn replaced(text: &str, edits: &[(Span, String)]) -> String {
    let (mut out, mut done) = (String::with_capacity(text.len() + 64), 0);
    for (span, new) in edits {
        out.push_str(&text[done..span.start]);
        out.push_str(new);
        done = span.end;
    }
    out.push_str(&text[done..]);
    out
}

/// The text with a member behind the last one of an object.
fn inserted(
    text: &str,
    owner: &Node,
    object: &Object,
    name: &str,
    value: &serde_json::Value,
    unit: &str,
) -> String {
    let close = owner.span.end - 1;
    let Some(last) = object.members.last() else {
        return filled(text, owner, name, value, unit);
    };
    let gap = Gap::of(text, last.value.span.end, close);
    let look = layout::of_member(text, last);
    let member = layout::render_member(name, value, &look, unit);
    let mut edits = vec![];
    if gap.comma.is_none() {
        edits.push((last.value.span.end..last.value.span.end, ",".to_owned()));
    }
    let comma = if gap.comma.is_some() { "," } else { "" };
    let (at, before) = match &look.line {
        Some(line) => (gap.rest_of_line, format!("{}{}", line.newline, line.indent)),
        None => {
            let at = gap.comma.map_or(last.value.span.end, |comma| comma + 1);
            (at, if look.tight { String::new() } else { " ".to_owned() })
        }
    };
    edits.push((at..at, format!("{before}{member}{comma}")));
    replaced(text, &edits)
}

/// The text with a first member in an object that has none.
fn filled(text: &str, owner: &Node, name: &str, value: &serde_json::Value, unit: &str) -> String {
    let inside = owner.span.start + 1..owner.span.end - 1;
    let look = layout::of_content(text, owner, unit);
    let member = layout::render_member(name, value, &look, unit);
    let content = &text[inside.clone()];
    let Some(line) = &look.line else {
        // A comment may stand there; it must not run into the member.
        let at = inside.start + content.trim_end().len();
        let space = if content.trim().is_empty() { "" } else { " " };
        return replaced(text, &[(at..inside.end, format!("{space}{member}"))]);
    };
    let outer = line.indent.strip_suffix(unit).unwrap_or_default();
    let kept = inside.start + content.trim_end().len();
    let new = format!("{0}{1}{member}{0}{outer}", line.newline, line.indent);
    replaced(text, &[(kept..inside.end, new)])
}

/// The edits that take a member out of its object.
fn removal(text: &str, owner: &Node, object: &Object, member: &Member) -> Vec<(Span, String)> {
    if object.members.len() == 1 && layout::holds_nothing_but(text, owner, member) {
        return vec![(owner.span.start + 1..owner.span.end - 1, String::new())];
    }
    let index = object
        .members
        .iter()
        .position(|other| other.name_span == member.name_span)
        .expect("the member is one of its object");
    let next = object.members.get(index + 1);
    let end = next.map_or(owner.span.end - 1, |next| next.name_span.start);
    let gap = Gap::of(text, member.value.span.end, end);
    let after = gap.comma.map_or(member.value.span.end, |comma| comma + 1);
    let mut edits = vec![];
    let previous = index.checked_sub(1).map(|index| &object.members[index]);
    if let (None, Some(previous)) = (gap.comma, previous) {
        // The one before becomes the last, and this text has no comma behind its last.
        let before = Gap::of(text, previous.value.span.end, member.name_span.start);
        edits.extend(before.comma.map(|comma| (comma..comma + 1, String::new())));
    }
    let own_line = layout::of_member(text, member).line;
    edits.push(match own_line {
        // The whole line goes, unless something else begins on it.
        Some(line) if layout::ends_line(text, gap.rest_of_line) => {
            let start = member.name_span.start - line.indent.len();
            (start..layout::next_line(text, gap.rest_of_line), String::new())
        }
        Some(_) | None => {
            let spaces = text[after..end].len() - text[after..end].trim_start_matches(' ').len();
            match (gap.comma, previous) {
                (Some(_), _) if next.is_some() => {
                    (member.name_span.start..after + spaces, String::new())
                }
                (_, Some(previous)) => {
                    let from = edits.last().map_or(previous.value.span.end, |(span, _)| span.end);
                    let blank = text[from..member.name_span.start].trim().is_empty();
                    (if blank { from } else { member.name_span.start }..after, String::new())
                }
                (_, None) => (member.name_span.start..after, String::new()),
            }
        }
    });
    edits
}

/// A value of ours as the library that writes documents knows it.
pub fn to_value(node: &Node) -> serde_json::Value {
    match &node.value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        // The text was accepted as JSON, so its numbers are numbers; too large ones are not finite.
        Value::Number(digits) => serde_json::from_str(digits).unwrap_or(serde_json::Value::Null),
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => items.iter().map(to_value).collect(),
        Value::Object(object) => serde_json::Value::Object(
            object
                .members
                .iter()
                .map(|member| (member.name.clone(), to_value(&member.value)))
                .collect(),
        ),
    }
}

#[cfg(test)]
mod tests;
