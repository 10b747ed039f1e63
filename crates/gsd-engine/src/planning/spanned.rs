//! Values that remember where they stand, so that a check never has to search for a place.
//!
//! Invariant: a span lies inside the text of its file, on character boundaries; the text under the
//! span of a [`Prose`] line is that line, byte for byte.

use crate::diag::Span;

/// A value and its place in the file it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    pub value: T,
    pub span: Span,
}

impl<T> Spanned<T> {
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// A list, its own place, and the place of each entry.
pub type List = Spanned<Vec<Spanned<String>>>;

/// Lines of text without their line breaks: equal for LF and CRLF, and a hit inside a line has an
/// exact place, `line.span.start + offset`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prose {
    /// From the first character that is not white space to the last.
    pub span: Span,
    /// Trailing white space is cut, indentation is kept; blank lines inside are kept.
    pub lines: Vec<Spanned<String>>,
}

impl Prose {
    /// The prose that stands at `span` of `text`.
    pub fn of(text: &str, span: Span) -> Self {
        let span = trim(text, span);
        let mut lines = vec![];
        // The first line keeps its indentation too, else lists would seem to begin further out.
        let before = text[..span.start].trim_end_matches([' ', '\t']);
        let whole_line = before.is_empty() || before.ends_with('\n');
        let mut start = if whole_line && !span.is_empty() { before.len() } else { span.start };
        while start < span.end {
            let rest = &text[start..span.end];
            let length = rest.find('\n').unwrap_or(rest.len());
            let line = rest[..length].trim_end();
            lines.push(Spanned::new(line.to_owned(), start..start + line.len()));
            start += length + 1;
        }
        Self { span, lines }
    }

    /// The lines joined by `\n`.
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| line.value.as_str()).collect::<Vec<_>>().join("\n")
    }

    pub fn is_blank(&self) -> bool {
        self.lines.is_empty()
    }

    /// The items of the list that this is, each with its continuation lines and nested items,
    /// white space folded; a text without list markers has one item a paragraph.
    pub fn items(&self) -> Vec<Spanned<String>> {
        super::markdown::items(&self.lines)
    }

    /// Adds the lines of another prose of the same file.
    pub(super) fn append(&mut self, other: Self) {
        if other.is_blank() {
            return;
        }
        if self.is_blank() {
            *self = other;
            return;
        }
        self.span = self.span.start.min(other.span.start)..self.span.end.max(other.span.end);
        self.lines.extend(other.lines);
    }
}

/// The span without the white space at its ends.
pub(super) fn trim(text: &str, span: Span) -> Span {
    let inner = &text[span.clone()];
    let start = span.start + (inner.len() - inner.trim_start().len());
    start..(start + inner.trim().len())
}

/// The trimmed text at a span, with its place.
pub(super) fn slice(text: &str, span: Span) -> Spanned<String> {
    let span = trim(text, span);
    Spanned::new(text[span.clone()].to_owned(), span)
}
