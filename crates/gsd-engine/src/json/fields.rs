//! Reads an object field by field and gathers what is wrong.
//!
//! The rules for missing, mistyped and unknown fields belong to whoever reads (a manifest, a
//! configuration), so the reader is given them as a [`Sink`].

use super::{DUPLICATE_KEY, Member, Node, Object, Pointer};
use crate::diag::{Diagnostic, Location, Rule, SourceFile, Span};
use crate::text::{nearest, printable};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Where diagnostics are gathered, and under which rules the reader reports.
#[derive(Debug)]
pub struct Sink {
    pub file: Arc<SourceFile>,
    pub found: Vec<Diagnostic>,
    pub missing: &'static Rule,
    pub wrong_type: &'static Rule,
    pub unknown: &'static Rule,
    /// How many unknown fields were left out because there were too many to list.
    unknown_seen: usize,
}

/// More unknown fields than this are counted, not listed.
const MAX_UNKNOWN: usize = 10;

impl Sink {
    pub fn new(
        file: Arc<SourceFile>,
        missing: &'static Rule,
        wrong_type: &'static Rule,
        unknown: &'static Rule,
    ) -> Self {
        Self { file, found: vec![], missing, wrong_type, unknown, unknown_seen: 0 }
    }

    /// A place in the file that is read.
    pub fn at(&self, span: &Span, pointer: &Pointer) -> Location {
        self.file.at(span.clone()).with_pointer(pointer.as_str())
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Reports a value of another type than was asked for.
    pub fn wrong(&mut self, node: &Node, pointer: &Pointer, expected: &str) {
        let message = format!("expected {expected}, found {}", node.kind());
        let diagnostic = self.wrong_type.at(self.at(&node.span, pointer), message);
        self.push(diagnostic.label(format!("not {expected}")));
    }

    /// All that was found, with one summary if unknown fields were left out.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        if self.unknown_seen > MAX_UNKNOWN {
            let more = self.unknown_seen - MAX_UNKNOWN;
            let summary = format!("{more} more unknown fields are not listed");
            let diagnostic = self.unknown.at(self.file.at_start(), summary);
            self.found.push(diagnostic);
        }
        self.found
    }
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
    index: HashMap<&'a str, &'a Member>,
    pub span: Span,
    pub pointer: Pointer,
    known: BTreeSet<&'static str>,
}

impl<'a> Fields<'a> {
    /// Starts reading; anything but an object is reported.
    pub fn of(node: &'a Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let Some(object) = node.as_object() else {
            sink.wrong(node, pointer, "an object");
            return None;
        };
        let mut index = HashMap::with_capacity(object.members.len());
        for member in &object.members {
            if let Some(first) = index.insert(member.name.as_str(), member) {
                let name = printable(&member.name, 80);
                let at = sink.at(&member.name_span, &pointer.key(&member.name));
                let first = sink.at(&first.name_span, &pointer.key(&first.name));
                sink.push(
                    DUPLICATE_KEY
                        .at(at, format!("duplicate key `{name}`"))
                        .also(first, "first used here")
                        .help("remove one of the two"),
                );
            }
        }
        Some(Self {
            object,
            index,
            span: node.span.clone(),
            pointer: pointer.clone(),
            known: BTreeSet::new(),
        })
    }

    /// The value of a field, which is from now on known.
    pub fn node(&mut self, key: &'static str) -> Option<&'a Node> {
        self.known.insert(key);
        self.index.get(key).map(|member| &member.value)
    }

    /// The span of a field's name; the opening brace where there is no such field.
    pub fn name_span(&self, key: &str) -> Span {
        self.index.get(key).map_or(self.brace(), |member| member.name_span.clone())
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
        if node.is_none() {
            let diagnostic = sink
                .missing
                .at(self.here(sink), format!("missing field `{key}`"))
                .label(format!("`{key}` is required in this object"));
            sink.push(diagnostic);
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

    /// Every key of the object, in the order of the text.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.object.members.iter().map(|member| member.name.as_str())
    }

    /// Reports every field that nobody took.
    pub fn finish(self, sink: &mut Sink) {
        for member in &self.object.members {
            if self.known.contains(member.name.as_str()) {
                continue;
            }
            sink.unknown_seen += 1;
            if sink.unknown_seen > MAX_UNKNOWN {
                continue;
            }
            let name = printable(&member.name, 80);
            let at = sink.at(&member.name_span, &self.pointer.key(&member.name));
            let mut diagnostic = sink.unknown.at(at, format!("unknown field `{name}`"));
            if let Some(near) = nearest(&member.name, self.known.iter().copied()) {
                diagnostic = diagnostic
                    .help(format!("did you mean `{near}`?"))
                    .fix(member.name_span.clone(), format!("\"{near}\""));
            }
            sink.push(diagnostic.label("has no meaning here"));
        }
    }
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
