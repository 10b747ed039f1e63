//! Reads an object field by field. What is missing, mistyped or unknown is told to a [`Sink`].

use super::expected::Expected;
use super::sink::Sink;
use super::{Member, Node, Object, Pointer};
use crate::diag::{Diagnostic, Location, Related, Span};
use crate::text::{nearest, printable};
use std::collections::HashMap;

/// A text from outside in back-ticks, harmless and short.
pub fn quoted(text: &str) -> String {
    format!("`{}`", printable(text, 80))
}

/// A type that can be read from a JSON value.
pub trait Read: Sized {
    /// `None` means that a diagnostic was pushed.
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self>;
}

/// The fields of one object, taken one by one. What nobody takes is unknown.
#[derive(Debug)]
pub struct Fields<'a> {
    object: &'a Object,
    index: Index<'a>,
    pub span: Span,
    pub pointer: Pointer,
    known: Vec<&'static str>,
    /// What fields look like, should they be missing or of a wrong type.
    expected: &'static [Expected],
    /// How much was found before this object was read.
    found_before: usize,
    /// The fields that must be there and are not, and where that was reported.
    missing: Vec<(&'static str, usize)>,
}

/// Objects of manifests are small; only large ones are worth a table.
#[derive(Debug)]
enum Index<'a> {
    Scan,
    Table(HashMap<&'a str, &'a Member>),
}

const SMALL: usize = 24;

impl<'a> Fields<'a> {
    /// Starts reading; anything but an object is reported.
    pub fn of(node: &'a Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let Some(object) = node.as_object() else {
            sink.wrong(node, pointer, "an object");
            return None;
        };
        let (members, found_before) = (&object.members, sink.found.len());
        let index = if members.len() <= SMALL {
            for (at, member) in members.iter().enumerate() {
                if let Some(first) = members[..at].iter().find(|m| m.name == member.name) {
                    sink.duplicate(member, first, pointer);
                }
            }
            Index::Scan
        } else {
            let mut table = HashMap::with_capacity(members.len());
            for member in members {
                if let Some(first) = table.insert(member.name.as_str(), member) {
                    sink.duplicate(member, first, pointer);
                }
            }
            Index::Table(table)
        };
        Some(Self {
            object,
            index,
            span: node.span.clone(),
            pointer: pointer.clone(),
            known: vec![],
            expected: &[],
            found_before,
            missing: vec![],
        })
    }

    /// Says what fields look like.
    pub(crate) fn expecting(mut self, expected: &'static [Expected]) -> Self {
        self.expected = expected;
        self
    }

    /// The last member of that name, as JSON readers in the field do.
    fn member(&self, key: &str) -> Option<&'a Member> {
        match &self.index {
            Index::Scan => self.object.members.iter().rev().find(|member| member.name == key),
            Index::Table(table) => table.get(key).copied(),
        }
    }

    /// The value of a field, which is from now on known.
    pub fn node(&mut self, key: &'static str) -> Option<&'a Node> {
        self.known.push(key);
        self.member(key).map(|member| &member.value)
    }

    /// The value of a field whatever its type, without making it known.
    pub fn peek(&self, key: &str) -> Option<&'a Node> {
        self.member(key).map(|member| &member.value)
    }

    /// The span of a field's name; the opening brace where there is no such field.
    pub fn name_span(&self, key: &str) -> Span {
        self.member(key).map_or(self.brace(), |member| member.name_span.clone())
    }

    /// The place of a field's name.
    pub fn name_at(&self, key: &str, sink: &Sink) -> Location {
        sink.at(&self.name_span(key), &self.pointer.key(key))
    }

    /// The place of a field's value; the opening brace where there is no such field.
    pub fn value_at(&self, key: &str, sink: &Sink) -> Location {
        match self.peek(key) {
            Some(node) => sink.at(&node.span, &self.pointer.key(key)),
            None => self.here(sink),
        }
    }

    /// The opening brace: the place of what is missing.
    pub fn brace(&self) -> Span {
        self.span.start..self.span.start + 1
    }

    /// The place of this object's opening brace.
    pub fn here(&self, sink: &Sink) -> Location {
        sink.at(&self.brace(), &self.pointer)
    }

    /// A field that must be there.
    pub fn required_node(&mut self, key: &'static str, sink: &mut Sink) -> Option<&'a Node> {
        let node = self.node(key);
        if node.is_none() && sink.is_full() {
            // An example may cost a schema; nobody reads the one of the millionth object.
            sink.leave_out(sink.missing);
        } else if node.is_none() {
            let mut diagnostic = self.missing(key, sink);
            if let Some(help) = self.expected(key).and_then(Expected::help) {
                diagnostic = diagnostic.help(help);
            }
            self.missing.push((key, sink.found.len()));
            sink.push(diagnostic);
        }
        node
    }

    /// What fields of that name look like.
    fn expected(&self, key: &str) -> Option<&'static Expected> {
        self.expected.iter().find(|expected| expected.key == key)
    }

    /// Shows an example beside each value of this object that is of a wrong type.
    fn show_examples(&self, sink: &mut Sink) {
        let code = sink.wrong_type.code;
        for found in &mut sink.found[self.found_before..] {
            if found.rule.code != code || found.help.is_some() {
                continue;
            }
            let Some(below) =
                found.at.pointer.as_deref().and_then(|pointer| {
                    pointer.strip_prefix(self.pointer.as_str())?.strip_prefix('/')
                })
            else {
                continue;
            };
            // What is deeper than an element of a list, its own object shows.
            found.help = match below.split('/').collect::<Vec<_>>().as_slice() {
                [key] => self.expected(key).and_then(Expected::help),
                [key, index] if index.parse::<usize>().is_ok() => {
                    self.expected(key).and_then(Expected::element_help)
                }
                _ => None,
            };
        }
    }

    fn missing(&self, key: &str, sink: &Sink) -> Diagnostic {
        let place =
            if self.pointer.as_str().is_empty() { "at the top level" } else { "in this object" };
        let diagnostic = sink
            .missing
            .at(self.here(sink), format!("missing field `{key}`"))
            .label(format!("`{key}` is required {place}"));
        match sink.purpose(&self.pointer.key(key)) {
            Some(purpose) => diagnostic.note(purpose.note),
            None => diagnostic,
        }
    }

    /// A field that must be there and is too large for an example; `help` says where one is.
    pub fn required_or_help(
        &mut self,
        key: &'static str,
        help: &str,
        sink: &mut Sink,
    ) -> Option<&'a Node> {
        let node = self.node(key);
        if node.is_none() {
            sink.push(self.missing(key, sink).help(help));
        }
        node
    }

    /// A field that must be there and of a type.
    pub fn required<T: Read>(&mut self, key: &'static str, sink: &mut Sink) -> Option<T> {
        let node = self.required_node(key, sink)?;
        T::read(node, &self.pointer.key(key), sink)
    }

    /// A field that may be absent.
    pub fn optional<T: Read>(&mut self, key: &'static str, sink: &mut Sink) -> Option<T> {
        let node = self.node(key)?;
        T::read(node, &self.pointer.key(key), sink)
    }

    /// An array that must be there. Elements that cannot be read are reported and left out, so
    /// that the others can still be checked.
    pub fn required_list<T: Read>(&mut self, key: &'static str, sink: &mut Sink) -> Vec<T> {
        let node = self.required_node(key, sink);
        node.map(|node| read_list(node, &self.pointer.key(key), sink)).unwrap_or_default()
    }

    /// An array that may be absent, read like [`Self::required_list`].
    pub fn optional_list<T: Read>(&mut self, key: &'static str, sink: &mut Sink) -> Vec<T> {
        let node = self.node(key);
        node.map(|node| read_list(node, &self.pointer.key(key), sink)).unwrap_or_default()
    }

    /// Every key of the object, in the order of the text.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.object.members.iter().map(|member| member.name.as_str())
    }

    /// Reports every field that nobody took, and shows examples beside values of a wrong type.
    pub fn finish(mut self, sink: &mut Sink) {
        self.show_examples(sink);
        for member in &self.object.members {
            if self.known.contains(&member.name.as_str()) {
                continue;
            }
            let missing = self.missing.iter().map(|(key, _)| *key);
            if let Some(key) = nearest(&member.name, missing) {
                self.point_at(member, key, sink);
            }
            let is_there = |name: &str| self.member(name).is_some();
            sink.unknown_field(member, &self.pointer, &self.known, is_there);
        }
    }

    /// Tells of a missing field that another name most likely means it.
    fn point_at(&mut self, member: &Member, key: &'static str, sink: &mut Sink) {
        let Some(at) = self.missing.iter().position(|(missing, _)| *missing == key) else { return };
        let (_, index) = self.missing.swap_remove(at);
        let place = sink.at(&member.name_span, &self.pointer.key(&member.name));
        let name = printable(&member.name, 80);
        if let Some(found) = sink.found.get_mut(index) {
            found
                .related
                .push(Related { at: place, message: format!("`{name}` is most likely it") });
            found.help = Some(format!("rename `{name}` to `{key}`"));
        }
    }
}

/// The elements of an array that can be read.
pub fn read_list<T: Read>(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Vec<T> {
    let Some(items) = node.as_array() else {
        sink.wrong(node, pointer, "an array");
        return vec![];
    };
    let read = |(index, item)| T::read(item, &pointer.index(index), sink);
    items.iter().enumerate().filter_map(read).collect()
}

impl Read for String {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let text = node.as_str().map(str::to_owned);
        if text.is_none() {
            sink.wrong(node, pointer, "a string");
        }
        text
    }
}

impl Read for bool {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let value = node.as_bool();
        if value.is_none() {
            sink.wrong(node, pointer, "a boolean");
        }
        value
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let Some(items) = node.as_array() else {
            sink.wrong(node, pointer, "an array");
            return None;
        };
        // Every element is read, so that every fault is reported, before the result is decided.
        let read: Vec<Option<T>> = items
            .iter()
            .enumerate()
            .map(|(index, item)| T::read(item, &pointer.index(index), sink))
            .collect();
        read.into_iter().collect()
    }
}

/// A value that may be written out as null.
impl<T: Read> Read for Option<T> {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        match node.value {
            super::Value::Null => Some(None),
            super::Value::Bool(_)
            | super::Value::Number(_)
            | super::Value::String(_)
            | super::Value::Array(_)
            | super::Value::Object(_) => T::read(node, pointer, sink).map(Some),
        }
    }
}
