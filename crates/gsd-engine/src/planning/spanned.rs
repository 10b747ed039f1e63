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
        let mut start = span.start;
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
