//! Sets and removes members of objects, and items of lists, in a text that people keep by hand.
//!
//! Only what is asked for changes: comments, order, indentation, line ends, byte order mark and a trailing
//! comma stay as they are, byte for byte. What is added takes its looks from its neighbours. A text
//! that cannot be read is never touched.

use super::tree::{Dialect, Member, Node, Object, Value, parse};
use super::{insert, layout};
use crate::diag::{Diagnostic, SourceFile, Span};
use std::sync::Arc;

/// Why a member was not changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EditError {
    #[error("the file is broken")]
    Broken(Box<Diagnostic>),
    #[error("`{path}` is {kind} in the file, not an object")]
    NotAnObject { path: String, kind: &'static str },
    #[error("`{path}` is {kind} in the file, not a list")]
    NotAList { path: String, kind: &'static str },
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
    remove_member_and(text, path, &|_| true)
}

/// The same, but an object on the way goes only if `may_go` says so of its path.
pub fn remove_member_and(
    text: &str,
    path: &[&str],
    may_go: &dyn Fn(&[&str]) -> bool,
) -> Result<Option<String>, EditError> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(None);
    }
    let (file, root) = read(text)?;
    let text = file.text();
    let mut node = &root;
    let mut steps: Vec<(&Node, &Object, &Member)> = vec![];
    for (at, name) in path.iter().enumerate() {
        if let Value::Array(items) = &node.value {
            // A number is the place in a list; what holds the list stays.
            let Some(item) = name.parse().ok().and_then(|index: usize| items.get(index)) else {
                return Ok(None);
            };
            steps.clear();
            node = item;
            continue;
        }
        let object = object_at(node, &path[..at])?;
        let Some(member) = last_named(object, name) else { return Ok(None) };
        steps.push((node, object, member));
        node = &member.value;
    }
    let mut edits = vec![];
    let mut depth = path.len();
    while let Some((owner, object, member)) = steps.pop() {
        edits = member_removal(text, owner, object, member);
        let whole = member.name_span.start..member.value.span.end;
        let empty = object.members.len() == 1 && layout::holds_nothing_but(text, owner, &whole);
        depth -= 1;
        if !empty || steps.is_empty() || !may_go(&path[..depth]) {
            break;
        }
    }
    Ok(Some(replaced(text, &edits)))
}

pub(super) fn read(text: &str) -> Result<(Arc<SourceFile>, Node), EditError> {
    let file = SourceFile::new("", text);
    match parse(&file, Dialect::Relaxed) {
        (Some(root), _) => Ok((file, root)),
        (None, found) => {
            let fault = found.into_iter().next();
            Err(EditError::Broken(Box::new(fault.expect("no tree means a diagnostic"))))
        }
    }
}

pub(super) fn object_at<'a>(node: &'a Node, path: &[&str]) -> Result<&'a Object, EditError> {
    node.as_object().ok_or_else(|| EditError::NotAnObject {
        path: if path.is_empty() { "the whole".to_owned() } else { path.join(".") },
        kind: node.kind(),
    })
}

/// Of members with one name the last one holds, as for every reader.
pub(super) fn last_named<'a>(object: &'a Object, name: &str) -> Option<&'a Member> {
    object.members.iter().rev().find(|member| member.name == name)
}

/// Applies edits that do not overlap, in the order of the text.
pub(super) fn replaced(text: &str, edits: &[(Span, String)]) -> String {
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
    match object.members.last() {
        None => {
            let look = layout::of_content(text, owner, unit);
            let member = layout::render_member(name, value, &look, unit);
            insert::first(text, owner, &look, &member, unit)
        }
        Some(last) => {
            let look = layout::of_member(text, last);
            let member = layout::render_member(name, value, &look, unit);
            insert::behind(text, owner, last.value.span.end, &look, &member)
        }
    }
}

/// The edits that take a member out of its object.
fn member_removal(
    text: &str,
    owner: &Node,
    object: &Object,
    member: &Member,
) -> Vec<(Span, String)> {
    let spans: Vec<Span> =
        object.members.iter().map(|member| member.name_span.start..member.value.span.end).collect();
    let index = spans.iter().position(|span| span.start == member.name_span.start);
    insert::removal(text, owner, &spans, index.expect("the member is one of its object"))
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
