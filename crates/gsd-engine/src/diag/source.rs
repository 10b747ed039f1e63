//! Texts with names, and places in them.

use std::ops::Range;
use std::sync::Arc;

/// A range of bytes in a text.
pub type Span = Range<usize>;

/// A line and a column, both from 1. Columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// A text and the name that people know it by: a path relative to the root where there is one.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

impl SourceFile {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        let text = text.into();
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Arc::new(Self { name: name.into(), text, line_starts })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of lines; a final line break does not begin another one.
    pub fn line_count(&self) -> usize {
        self.line_starts.len() - usize::from(self.text.ends_with('\n') || self.text.is_empty())
    }

    /// The line of a byte offset, from 1. An offset past the end is on the last line.
    pub fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.line_of(offset);
        let start = self.line_starts[line - 1];
        let before = self.text.get(start..offset).unwrap_or_default();
        Position { line, column: before.chars().count() + 1 }
    }

    /// The bytes of a line, from 1, without its line break.
    pub fn line_span(&self, line: usize) -> Option<Span> {
        let start = *self.line_starts.get(line.checked_sub(1)?)?;
        let end = self.line_starts.get(line).map_or(self.text.len(), |next| next - 1);
        let end = if self.text[start..end].ends_with('\r') { end - 1 } else { end };
        Some(start..end)
    }

    /// The text of a line, from 1, without its line break.
    pub fn line(&self, line: usize) -> Option<&str> {
        self.line_span(line).map(|span| &self.text[span])
    }

    /// A place in this text.
    pub fn at(self: &Arc<Self>, span: Span) -> Location {
        Location { file: Arc::clone(self), pointer: None, span }
    }

    /// The place of a whole line, from 1; line 1, column 1 if there is no such line.
    pub fn at_line(self: &Arc<Self>, line: usize) -> Location {
        self.at(self.line_span(line).unwrap_or(0..0))
    }

    /// Line 1, column 1: the place of a fault of the whole file.
    pub fn at_start(self: &Arc<Self>) -> Location {
        self.at(0..0)
    }
}

/// A place in a text: for machines a JSON Pointer (RFC 6901) where there is one, for people a span.
#[derive(Debug, Clone)]
pub struct Location {
    pub file: Arc<SourceFile>,
    pub pointer: Option<String>,
    pub span: Span,
}

impl Location {
    pub fn with_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    pub fn position(&self) -> Position {
        self.file.position(self.span.start)
    }

    pub fn line(&self) -> usize {
        self.file.line_of(self.span.start)
    }

    /// The text at this place.
    pub fn text(&self) -> &str {
        self.file.text().get(self.span.clone()).unwrap_or_default()
    }
}

impl PartialEq for Location {
    fn eq(&self, other: &Self) -> bool {
        self.file.name() == other.file.name()
            && self.span == other.span
            && self.pointer == other.pointer
    }
}

impl Eq for Location {}

#[cfg(test)]
mod tests {
    use super::{Position, SourceFile};

    #[test]
    fn positions_count_characters_and_lines() {
        let file = SourceFile::new("a", "one\r\nzwö|\n\nend");
        assert_eq!(file.line_count(), 4);
        assert_eq!(file.line(1), Some("one"));
        assert_eq!(file.line(3), Some(""));
        assert_eq!(file.line(5), None);
        let bar = file.text().find('|').expect("present");
        assert_eq!(file.position(bar), Position { line: 2, column: 4 });
        assert_eq!(file.position(usize::MAX), Position { line: 4, column: 4 });
        assert_eq!(SourceFile::new("b", "").line_count(), 0);
        assert_eq!(SourceFile::new("b", "x\n").line_count(), 1);
    }
}
