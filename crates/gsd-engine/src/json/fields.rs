//! Reads an object field by field and gathers what is wrong.
//!
//! The rules for missing, mistyped and unknown fields belong to whoever reads (a manifest, a
//! configuration), so the reader is given them as a [`Sink`].
//!
//! Whatever the text holds, the number of diagnostics is bounded: a million wrong elements are one
//! line that counts them.

use super::{DUPLICATE_KEY, Member, Node, Object, Pointer};
use crate::diag::{Diagnostic, Level, Location, Rule, SourceFile, Span};
use crate::text::{nearest, printable};
use std::collections::HashMap;
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
    /// How many unknown fields were met; more than [`MAX_LISTED`] are counted, not listed.
    unknown_seen: usize,
    duplicates_seen: usize,
    left_out: usize,
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
            unknown_seen: 0,
            duplicates_seen: 0,
            left_out: 0,
        }
    }

    /// Values that are not among those allowed are reported under this rule.
    pub fn with_value_rule(mut self, rule: &'static Rule) -> Self {
        self.value = rule;
        self
    }

    /// A place in the file that is read.
    pub fn at(&self, span: &Span, pointer: &Pointer) -> Location {
        self.file.at(span.clone()).with_pointer(pointer.as_str())
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.is_full() {
            self.left_out += 1;
        } else {
            self.found.push(diagnostic);
        }
    }

    /// Whether what is found from here on is counted and no longer listed.
    fn is_full(&self) -> bool {
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

    /// Reports a field that nobody knows.
    fn unknown_field(&mut self, member: &Member, pointer: &Pointer, known: &[&'static str]) {
        self.unknown_seen += 1;
        if self.unknown_seen > MAX_LISTED {
            return;
        }
        let name = printable(&member.name, 80);
        let at = self.at(&member.name_span, &pointer.key(&member.name));
        let mut diagnostic = self.unknown.at(at, format!("unknown field `{name}`"));
        diagnostic = match nearest(&member.name, known.iter().copied()) {
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

    fn duplicate(&mut self, member: &Member, first: &Member, pointer: &Pointer) {
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
        let start = self.file.at_start().with_pointer("");
        if self.left_out > 0 {
            let message = format!("{} more problems are not listed", self.left_out);
            self.found.push(self.wrong_type.at(start.clone(), message));
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
}

/// What a field looks like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected {
    pub(crate) key: &'static str,
    /// A JSON text; empty if the schema says it better.
    pub(crate) example: &'static str,
    pub(crate) schema: fn() -> serde_json::Value,
}

impl Expected {
    /// A field that is shown by an example.
    pub(crate) const fn example(key: &'static str, example: &'static str) -> Self {
        Self { key, example, schema: || serde_json::Value::Null }
    }

    /// What to write, as far as it can be told.
    fn help(&self) -> Option<String> {
        let key = self.key;
        if !self.example.is_empty() {
            return Some(format!("write for example `\"{key}\": {}`", self.example));
        }
        let schema = (self.schema)();
        if let Some(words) = schema["enum"].as_array() {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            return Some(format!("write `\"{key}\":` and one of {}", words.join(", ")));
        }
        match schema["type"].as_str() {
            Some("array") => Some(format!("write `\"{key}\": []` if there are none")),
            Some("boolean") => Some(format!("write `\"{key}\": true` or `\"{key}\": false`")),
            _ => None,
        }
    }
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
            sink.left_out += 1;
        } else if node.is_none() {
            let mut diagnostic = self.missing(key, sink);
            if let Some(help) = self.example(key) {
                diagnostic = diagnostic.help(help);
            }
            sink.push(diagnostic);
        }
        node
    }

    /// What to write for a field, as far as it can be told.
    fn example(&self, key: &str) -> Option<String> {
        self.expected.iter().find(|expected| expected.key == key)?.help()
    }

    /// Shows an example beside each value of this object that is of a wrong type.
    fn show_examples(&self, sink: &mut Sink) {
        let code = sink.wrong_type.code;
        for found in &mut sink.found[self.found_before..] {
            if found.rule.code != code || found.help.is_some() {
                continue;
            }
            let below = |pointer: &str| {
                let mut keys =
                    pointer.strip_prefix(self.pointer.as_str())?.strip_prefix('/')?.split('/');
                let key = keys.next()?.to_owned();
                // An element of a list is shown the list; what is deeper, its own object shows.
                let is_element = keys.next().is_none_or(|key| key.parse::<usize>().is_ok());
                (is_element && keys.next().is_none()).then_some(key)
            };
            if let Some(key) = found.at.pointer.as_deref().and_then(below) {
                found.help = self.example(&key);
            }
        }
    }

    fn missing(&self, key: &str, sink: &Sink) -> Diagnostic {
        sink.missing
            .at(self.here(sink), format!("missing field `{key}`"))
            .label(format!("`{key}` is required in this object"))
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
    pub fn finish(self, sink: &mut Sink) {
        self.show_examples(sink);
        for member in &self.object.members {
            if !self.known.contains(&member.name.as_str()) {
                sink.unknown_field(member, &self.pointer, &self.known);
            }
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
