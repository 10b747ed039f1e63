//! Frontmatter as a tree with places: strict YAML first, and what simple lines still say when the
//! YAML is broken.
//!
//! Bounded: size, depth and number of events. Aliases are refused, since they let a small text
//! stand for a large one and no planning file needs them.

use super::spanned::{Spanned, trim};
use crate::diag::Span;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle};

/// A value and its place in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Nothing, `~`, `null`.
    Null,
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: Spanned<String>,
    pub(super) node: Node,
}

/// Why a text is not YAML that is read, and where that shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) message: String,
}

pub(super) const MAX_BYTES: usize = 256 * 1024;
const MAX_DEPTH: usize = 24;
const MAX_EVENTS: usize = 50_000;

/// Reads the YAML that stands at `span` of `text`.
pub(super) fn parse(text: &str, span: Span) -> Result<Node, Fault> {
    let yaml = &text[span.clone()];
    if yaml.len() > MAX_BYTES {
        let message = format!("it has {} bytes; at most {MAX_BYTES} are read", yaml.len());
        return Err(Fault { at: span.start, message });
    }
    let places = Places::of(yaml, span.start);
    let mut parser = Parser::new_from_str(yaml);
    let mut stack: Vec<Open> = vec![];
    let mut events = 0;
    let mut root = None;
    while let Some(event) = parser.next_event() {
        let (event, at) = event.map_err(|error| Fault {
            at: places.byte(error.marker()),
            message: error.info().to_owned(),
        })?;
        let here = places.byte(&at.start)..places.byte(&at.end).max(places.byte(&at.start));
        events += 1;
        if events > MAX_EVENTS {
            return Err(Fault { at: here.start, message: "it has too many values".to_owned() });
        }
        let node = match event {
            Event::Scalar(value, style, _, _) => {
                let plain = style == ScalarStyle::Plain;
                let null = plain && matches!(&*value, "" | "~" | "null" | "Null" | "NULL");
                // Spans of block scalars and empty values reach over the white space that follows.
                let span = trim(text, here.clone());
                let value = if null { Value::Null } else { Value::Text(value.into_owned()) };
                Node { value, span }
            }
            Event::Alias(_) => {
                let message = "aliases are not read; write the value out".to_owned();
                return Err(Fault { at: here.start, message });
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if stack.len() == MAX_DEPTH {
                    let message = "it is nested too deeply".to_owned();
                    return Err(Fault { at: here.start, message });
                }
                let map = matches!(event, Event::MappingStart(..));
                stack.push(Open {
                    map,
                    start: here.start,
                    key: None,
                    nodes: vec![],
                    entries: vec![],
                });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match stack.pop() {
                Some(open) => open.close(text, here.end),
                None => continue,
            },
            // A second document in frontmatter is somebody's thematic break.
            Event::DocumentEnd if root.is_some() => break,
            Event::DocumentEnd
            | Event::DocumentStart(_)
            | Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd => continue,
        };
        match stack.last_mut() {
            Some(open) => open.take(node),
            None => root = Some(node),
        }
    }
    Ok(root.unwrap_or(Node { value: Value::Null, span: span.start..span.start }))
}

/// A list or a map that has not ended yet.
struct Open {
    map: bool,
    start: usize,
    key: Option<Spanned<String>>,
    nodes: Vec<Node>,
    entries: Vec<Entry>,
}

impl Open {
    fn take(&mut self, node: Node) {
        if !self.map {
            self.nodes.push(node);
            return;
        }
        match self.key.take() {
            Some(key) => self.entries.push(Entry { key, node }),
            None => {
                let text = match node.value {
                    Value::Text(text) => text,
                    Value::Null | Value::List(_) | Value::Map(_) => String::new(),
                };
                self.key = Some(Spanned::new(text, node.span));
            }
        }
    }

    fn close(self, text: &str, end: usize) -> Node {
        // A block's end event stands where the next token begins, so its children tell the end.
        let last = match self.entries.last() {
            Some(entry) => Some(entry.node.span.end.max(entry.key.span.end)),
            None => self.nodes.last().map(|node| node.span.end),
        };
        let flow = matches!(text.as_bytes().get(self.start), Some(b'[' | b'{'));
        let end = if flow { end } else { last.unwrap_or(self.start) };
        let value = if self.map { Value::Map(self.entries) } else { Value::List(self.nodes) };
        Node { value, span: self.start..end.max(self.start) }
    }
}

/// Markers count characters; spans count bytes.
struct Places {
    base: usize,
    /// The byte of each character; empty where every character is one byte.
    bytes: Vec<usize>,
    length: usize,
}

impl Places {
    fn of(yaml: &str, base: usize) -> Self {
        let bytes =
            if yaml.is_ascii() { vec![] } else { yaml.char_indices().map(|(at, _)| at).collect() };
        Self { base, bytes, length: yaml.len() }
    }

    fn byte(&self, marker: &Marker) -> usize {
        let index = marker.index();
        let byte = if self.bytes.is_empty() {
            index.min(self.length)
        } else {
            self.bytes.get(index).copied().unwrap_or(self.length)
        };
        self.base + byte
    }
}
