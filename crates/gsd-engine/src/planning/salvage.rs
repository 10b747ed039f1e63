//! What can be taken from frontmatter that is not YAML: `key: value` lines, lists of lines, and
//! both below a key. A line that fits nowhere is passed over.

use super::spanned::{Spanned, trim};
use super::yaml::{Entry, MAX_BYTES, Node, Value};
use crate::diag::Span;

/// Nested deeper than anything that is read.
const MAX_DEPTH: usize = 8;

/// Reads the lines that stand at `span` of `text`.
pub(super) fn read(text: &str, span: Span) -> Node {
    let mut end = span.end.min(span.start + MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut lines = vec![];
    let mut start = span.start;
    while start < end {
        let length = text[start..end].find('\n').unwrap_or(end - start);
        let content = trim(text, start..start + length);
        let shown = &text[content.clone()];
        if !shown.is_empty() && !shown.starts_with('#') {
            lines.push(Line { indent: content.start - start, content });
        }
        start += length + 1;
    }
    let mut reader = Reader { text, lines, at: 0 };
    let mut entries = vec![];
    while reader.at < reader.lines.len() {
        let indent = reader.lines[reader.at].indent;
        let before = reader.at;
        if let Some(Node { value: Value::Map(found), .. }) = reader.block(indent, 0) {
            entries.extend(found);
        }
        // A line that fits nowhere must not stop the walk.
        reader.at = reader.at.max(before + 1);
    }
    Node { value: Value::Map(entries), span: span.start..end }
}

#[derive(Debug, Clone)]
struct Line {
    indent: usize,
    content: Span,
}

struct Reader<'t> {
    text: &'t str,
    lines: Vec<Line>,
    at: usize,
}

impl Reader<'_> {
    fn shown(&self, line: &Line) -> &str {
        &self.text[line.content.clone()]
    }

    /// The list or map whose lines stand at `indent`; `None` if the line is neither.
    fn block(&mut self, indent: usize, depth: usize) -> Option<Node> {
        let first = self.lines.get(self.at)?;
        if entry(self.shown(first)).is_some() {
            self.list(indent, depth)
        } else if key(self.shown(first)).is_some() {
            self.map(indent, depth)
        } else {
            None
        }
    }

    fn list(&mut self, indent: usize, depth: usize) -> Option<Node> {
        let start = self.lines.get(self.at)?.content.start;
        let mut nodes: Vec<Node> = vec![];
        while let Some(line) = self.lines.get(self.at).cloned() {
            let offset = entry(self.shown(&line));
            match offset {
                Some(offset) if line.indent == indent => {
                    let content = line.content.start + offset..line.content.end;
                    let inner = Line { indent: indent + offset, content: content.clone() };
                    // `- path: x` begins a map whose other keys stand below `path`.
                    let is_map = depth < MAX_DEPTH && key(self.shown(&inner)).is_some();
                    if is_map && !self.text[content.clone()].starts_with(['"', '\'']) {
                        self.lines[self.at] = inner;
                        let at = self.at;
                        let node = self.map(indent + offset, depth + 1);
                        self.at = self.at.max(at + 1);
                        nodes.extend(node);
                    } else {
                        nodes.push(scalar(self.text, content));
                        self.at += 1;
                    }
                }
                _ if line.indent > indent => self.at += 1,
                _ => break,
            }
        }
        let end = nodes.last().map_or(start, |node| node.span.end);
        Some(Node { value: Value::List(nodes), span: start..end })
    }

    fn map(&mut self, indent: usize, depth: usize) -> Option<Node> {
        let start = self.lines.get(self.at)?.content.start;
        let mut entries: Vec<Entry> = vec![];
        while let Some(line) = self.lines.get(self.at).cloned() {
            if line.indent > indent {
                self.at += 1;
                continue;
            }
            let Some((name, rest)) = key(self.shown(&line)).filter(|_| line.indent == indent)
            else {
                break;
            };
            let name = Spanned::new(
                self.text[line.content.start + name.start..line.content.start + name.end]
                    .to_owned(),
                line.content.start + name.start..line.content.start + name.end,
            );
            let rest = trim(self.text, line.content.start + rest..line.content.end);
            self.at += 1;
            let node = match &self.text[rest.clone()] {
                "" => self.below(indent, depth, rest),
                "|" | ">" | "|-" | ">-" | "|+" | ">+" => self.folded(indent, rest),
                _ => scalar(self.text, rest),
            };
            entries.push(Entry { key: name, node });
        }
        let end = entries.last().map_or(start, |entry| entry.node.span.end);
        Some(Node { value: Value::Map(entries), span: start..end.max(start) })
    }

    /// What stands below a key without a value.
    fn below(&mut self, indent: usize, depth: usize, rest: Span) -> Node {
        let null = Node { value: Value::Null, span: rest };
        let Some(next) = self.lines.get(self.at) else { return null };
        let next_indent = next.indent;
        let is_entry = entry(self.shown(next)).is_some();
        let inside = next_indent > indent || (next_indent == indent && is_entry);
        if !inside || depth >= MAX_DEPTH {
            return null;
        }
        self.block(next_indent, depth + 1).unwrap_or(null)
    }

    /// The lines of a block scalar, joined by spaces.
    fn folded(&mut self, indent: usize, mark: Span) -> Node {
        let mut value = String::new();
        let mut span = mark;
        while let Some(line) = self.lines.get(self.at).filter(|line| line.indent > indent) {
            if value.is_empty() {
                span = line.content.clone();
            } else {
                value.push(' ');
            }
            value.push_str(self.shown(line));
            span.end = line.content.end;
            self.at += 1;
        }
        Node { value: Value::Text(value), span }
    }
}

/// Where the content of a `- ` line begins.
fn entry(line: &str) -> Option<usize> {
    let rest = line.strip_prefix('-')?;
    let content = rest.trim_start();
    (content.len() < rest.len() || rest.is_empty()).then(|| line.len() - content.len())
}

/// The key of a `key: value` line and where the value begins.
fn key(line: &str) -> Option<(Span, usize)> {
    let quoted = line.starts_with(['"', '\'']);
    let start = usize::from(quoted);
    let length = line[start..]
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
        .count();
    let end = start + length;
    let colon = line[end..].strip_prefix(['"', '\'']).map_or(end, |_| end + 1);
    let after = line[colon..].strip_prefix(':')?;
    let separate = after.is_empty() || after.starts_with([' ', '\t']);
    (length > 0 && separate).then_some((start..end, colon + 1))
}

/// A value on one line: quoted, a list in brackets, or plain text up to a comment.
fn scalar(text: &str, span: Span) -> Node {
    let span = trim(text, span);
    let shown = &text[span.clone()];
    if let Some(inner) =
        shown.strip_prefix('[').and_then(|rest| rest.find(']').map(|end| &rest[..end]))
    {
        let mut nodes = vec![];
        let mut at = span.start + 1;
        for part in inner.split(',') {
            let node = scalar_text(text, at..at + part.len());
            if !matches!(&node.value, Value::Null) {
                nodes.push(node);
            }
            at += part.len() + 1;
        }
        return Node { value: Value::List(nodes), span };
    }
    scalar_text(text, span)
}

fn scalar_text(text: &str, span: Span) -> Node {
    let span = trim(text, span);
    let shown = &text[span.clone()];
    for quote in ['"', '\''] {
        if let Some(rest) = shown.strip_prefix(quote) {
            let inner = rest.rfind(quote).map_or(rest, |end| &rest[..end]);
            let place = span.start..span.start + inner.len() + 2;
            let place = place.start..place.end.min(span.end);
            return Node { value: Value::Text(inner.to_owned()), span: place };
        }
    }
    let plain = match shown.find(" #") {
        Some(comment) => shown[..comment].trim_end(),
        None if shown.starts_with('#') => "",
        None => shown,
    };
    let value = match plain {
        "" | "~" | "null" => Value::Null,
        plain => Value::Text(plain.to_owned()),
    };
    Node { value, span: span.start..span.start + plain.len() }
}
