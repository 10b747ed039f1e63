//! Small readers for the kinds of fields that a body has.

use super::remedy::remedy;
use super::rules::{BAD_KEY, BAD_NUMBER, EMPTY_TEXT};
use crate::diag::Rule;
use crate::id::ConfigKey;
use crate::json::{Fields, Node, Pointer, Sink, Value};
use crate::lane::words::{Closed, read_word};
use crate::text::printable;
use std::ops::RangeInclusive;

/// Whether a field must be written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
}

/// `null` is a value of its own: `Some(None)`.
pub(crate) fn nullable<T>(node: &Node, read: impl FnOnce(&Node) -> Option<T>) -> Option<Option<T>> {
    match node.value {
        Value::Null => Some(None),
        Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => read(node).map(Some),
    }
}

/// Parses a text under a rule of its own.
pub(crate) fn parse<T>(
    node: &Node,
    pointer: &Pointer,
    sink: &mut Sink,
    rule: &'static Rule,
    parse: impl FnOnce(&str) -> Result<T, &'static str>,
) -> Option<T> {
    let Some(text) = node.as_str() else {
        sink.wrong(node, pointer, "a string");
        return None;
    };
    match parse(text) {
        Ok(value) => Some(value),
        Err(expected) => {
            let message = format!("expected {expected}, found `{}`", printable(text, 80));
            let mut diagnostic = rule.at(sink.at(&node.span, pointer), message);
            if let Some(help) = remedy(rule, text) {
                diagnostic = diagnostic.help(help);
            }
            sink.push(diagnostic.label("not accepted"));
            None
        }
    }
}

/// A required text.
pub(crate) fn text<T>(
    fields: &mut Fields<'_>,
    key: &'static str,
    sink: &mut Sink,
    rule: &'static Rule,
    how: impl FnOnce(&str) -> Result<T, &'static str>,
) -> Option<T> {
    let node = fields.required_node(key, sink)?;
    parse(node, &fields.pointer.key(key), sink, rule, how)
}

/// A text that may be absent or `null`.
pub(crate) fn optional_text<T>(
    fields: &mut Fields<'_>,
    key: &'static str,
    sink: &mut Sink,
    rule: &'static Rule,
    how: impl FnOnce(&str) -> Result<T, &'static str>,
) -> Option<Option<T>> {
    let pointer = fields.pointer.key(key);
    match fields.node(key) {
        None => Some(None),
        Some(node) => nullable(node, |node| parse(node, &pointer, sink, rule, how)),
    }
}

/// A required text that is not empty.
pub(crate) fn non_empty(
    fields: &mut Fields<'_>,
    key: &'static str,
    sink: &mut Sink,
) -> Option<String> {
    text(fields, key, sink, &EMPTY_TEXT, not_empty)
}

pub(crate) fn not_empty(text: &str) -> Result<String, &'static str> {
    let plain = !text.is_empty() && !text.contains('\0');
    if plain { Ok(text.to_owned()) } else { Err("a text that is not empty") }
}

/// A list of texts, each under one rule.
pub(crate) fn texts<T>(
    node: &Node,
    pointer: &Pointer,
    sink: &mut Sink,
    rule: &'static Rule,
    how: impl Fn(&str) -> Result<T, &'static str>,
) -> Option<Vec<T>> {
    let Some(items) = node.as_array() else {
        sink.wrong(node, pointer, "an array of strings");
        return None;
    };
    if items.len() > super::MAX_ITEMS {
        let message = format!("{} entries; at most {} are read", items.len(), super::MAX_ITEMS);
        let at = sink.at(&node.span, pointer);
        sink.push(super::rules::TOO_MANY.at(at, message).help("remove some"));
        return None;
    }
    let read: Vec<Option<T>> = items
        .iter()
        .enumerate()
        .map(|(index, item)| parse(item, &pointer.index(index), sink, rule, &how))
        .collect();
    read.into_iter().collect()
}

/// A list of texts that may be absent.
pub(crate) fn optional_texts<T>(
    fields: &mut Fields<'_>,
    key: &'static str,
    sink: &mut Sink,
    rule: &'static Rule,
    how: impl Fn(&str) -> Result<T, &'static str>,
) -> Option<Vec<T>> {
    match fields.node(key) {
        None => Some(vec![]),
        Some(node) => texts(node, &fields.pointer.key(key), sink, rule, how),
    }
}

/// A required member of a closed set.
pub(crate) fn word<T: Closed>(
    fields: &mut Fields<'_>,
    key: &'static str,
    sink: &mut Sink,
) -> Option<T> {
    let node = fields.required_node(key, sink)?;
    read_word::<T>(node, &fields.pointer.key(key), sink)
}

/// A configuration key or `null`. `None` means a fault.
pub(crate) fn key(
    fields: &mut Fields<'_>,
    key: &'static str,
    presence: Presence,
    sink: &mut Sink,
) -> Option<Option<ConfigKey>> {
    let node = match presence {
        Presence::Required => fields.required_node(key, sink)?,
        Presence::Optional => match fields.node(key) {
            Some(node) => node,
            None => return Some(None),
        },
    };
    let pointer = fields.pointer.key(key);
    nullable(node, |node| config_key(node, &pointer, sink))
}

/// A configuration key.
pub(crate) fn config_key(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<ConfigKey> {
    parse(node, pointer, sink, &BAD_KEY, |text| {
        ConfigKey::parse(text).map_err(|error| error.expected)
    })
}

/// A required whole number.
pub(crate) fn whole(
    fields: &mut Fields<'_>,
    key: &'static str,
    range: RangeInclusive<u64>,
    unit: &str,
    sink: &mut Sink,
) -> Option<u64> {
    let node = fields.required_node(key, sink)?;
    whole_number(node, &fields.pointer.key(key), range, unit, sink)
}

/// A whole number within a range.
pub(crate) fn whole_number(
    node: &Node,
    pointer: &Pointer,
    range: RangeInclusive<u64>,
    unit: &str,
    sink: &mut Sink,
) -> Option<u64> {
    let Value::Number(digits) = &node.value else {
        sink.wrong(node, pointer, "a whole number");
        return None;
    };
    let value = node.as_f64().filter(|value| value.fract() == 0.0 && *value >= 0.0);
    let value = value.map(|value| value as u64).filter(|value| range.contains(value));
    if value.is_none() {
        let message = format!(
            "expected {unit}: a whole number from {} to {}, found {}",
            range.start(),
            range.end(),
            printable(digits, 40)
        );
        let at = sink.at(&node.span, pointer);
        sink.push(BAD_NUMBER.at(at, message));
    }
    value
}
