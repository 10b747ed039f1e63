//! Just enough Markdown: lines with their places, code fences, headings, list items, labels.
//!
//! Not a Markdown parser. It answers the questions that readers of planning files ask, in time
//! linear in the text. A fence that is never closed hides nothing: people forget to close them.

use super::spanned::{Spanned, trim};
use crate::diag::Span;

/// A text cut into lines.
pub(super) struct Page<'t> {
    pub(super) text: &'t str,
    pub(super) lines: Vec<Line>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) start: usize,
    /// Without the line break.
    pub(super) end: usize,
    /// Inside a code fence, or a fence itself.
    pub(super) fenced: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Heading {
    /// Index of its line.
    pub(super) line: usize,
    pub(super) level: usize,
    /// Without `#` at either end.
    pub(super) title: Span,
}

/// A list item's first line.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) indent: usize,
    pub(super) checked: Option<bool>,
    /// What follows marker and check box.
    pub(super) body: Span,
}

/// `**Goal:** text`, `**Goal**: text`, `Goal: text`, with or without a list marker.
#[derive(Debug, Clone)]
pub(super) struct Label<'t> {
    pub(super) name: &'t str,
    /// Where the text after the colon begins, as an offset in the line.
    pub(super) rest: usize,
    pub(super) bold: bool,
}

impl<'t> Page<'t> {
    /// The lines from byte `from` on; a byte order mark belongs to no line.
    pub(super) fn new(text: &'t str, from: usize) -> Self {
        let mut lines = vec![];
        let mut start = from;
        if start == 0 {
            start = after_marks(text);
        }
        while start < text.len() {
            let length = text[start..].find('\n').unwrap_or(text.len() - start);
            let line = text[start..start + length].trim_end_matches('\r');
            lines.push(Line { start, end: start + line.len(), fenced: false });
            start += length + 1;
        }
        let mut page = Self { text, lines };
        page.mark_fences();
        page
    }

    pub(super) fn line(&self, index: usize) -> &'t str {
        let line = self.lines[index];
        &self.text[line.start..line.end]
    }

    /// From the start of one line to the end of the line before another.
    pub(super) fn span(&self, from: usize, to: usize) -> Span {
        match (self.lines.get(from), to.checked_sub(1).and_then(|last| self.lines.get(last))) {
            (Some(first), Some(last)) if from < to => first.start..last.end,
            (Some(first), _) => first.start..first.start,
            (None, _) => self.text.len()..self.text.len(),
        }
    }

    /// The index of the line that holds a byte.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        self.lines.partition_point(|line| line.start <= offset).saturating_sub(1)
    }

    fn mark_fences(&mut self) {
        let fences: Vec<Option<Fence>> =
            (0..self.lines.len()).map(|index| Fence::of(self.line(index))).collect();
        // The longest closing fence at or after each line, so that an opening one knows at once
        // whether anything can close it.
        let mut closers = vec![[0usize; 2]; self.lines.len() + 1];
        for index in (0..self.lines.len()).rev() {
            closers[index] = closers[index + 1];
            if let Some(fence) = fences[index].filter(|fence| fence.bare) {
                let longest = &mut closers[index][fence.kind()];
                *longest = (*longest).max(fence.length);
            }
        }
        let mut index = 0;
        while index < self.lines.len() {
            let Some(open) = fences[index] else {
                index += 1;
                continue;
            };
            self.lines[index].fenced = true;
            index += 1;
            if closers[index][open.kind()] < open.length {
                continue;
            }
            let mut inside = vec![];
            while index < self.lines.len() {
                // A block that was opened outside and ends here: the fence was never closed.
                if leaves_block(self.line(index), &mut inside) {
                    break;
                }
                self.lines[index].fenced = true;
                index += 1;
                if fences[index - 1].is_some_and(|close| close.closes(open)) {
                    break;
                }
            }
        }
    }

    /// All headings outside fences.
    pub(super) fn headings(&self) -> Vec<Heading> {
        (0..self.lines.len()).filter_map(|index| self.heading(index)).collect()
    }

    pub(super) fn heading(&self, index: usize) -> Option<Heading> {
        let Line { start, end, fenced } = *self.lines.get(index)?;
        let line = self.line(index);
        let level = line.bytes().take_while(|b| *b == b'#').count();
        let follows = line.as_bytes().get(level);
        if fenced || level == 0 || level > 6 || !matches!(follows, None | Some(b' ' | b'\t')) {
            return None;
        }
        let title = trim(self.text, start + level..end);
        let shown = self.text[title.clone()].trim_end_matches('#').trim_end();
        Some(Heading { line: index, level, title: title.start..title.start + shown.len() })
    }

    /// The lines below a heading, up to the next one of its level or above.
    pub(super) fn section(&self, headings: &[Heading], at: usize) -> std::ops::Range<usize> {
        let heading = &headings[at];
        let end = headings[at + 1..]
            .iter()
            .find(|next| next.level <= heading.level)
            .map_or(self.lines.len(), |next| next.line);
        heading.line + 1..end
    }

    pub(super) fn item(&self, index: usize) -> Option<Item> {
        let line = self.lines[index];
        if line.fenced {
            return None;
        }
        let mut item = item(self.line(index))?;
        item.body = line.start + item.body.start..line.start + item.body.end;
        Some(item)
    }

    pub(super) fn label(&self, index: usize) -> Option<(Label<'t>, Span)> {
        let line = self.lines[index];
        if line.fenced {
            return None;
        }
        let label = label(self.line(index))?;
        let rest = trim(self.text, line.start + label.rest..line.end);
        Some((label, rest))
    }

    /// A paragraph that begins at `first` and goes on over the following lines, up to a blank
    /// line, a heading, a list item, a label or `end`; white space folded.
    pub(super) fn paragraph(&self, first: Span, end: usize) -> Spanned<String> {
        let mut span = trim(self.text, first);
        let mut value = self.text[span.clone()].to_owned();
        for index in self.line_at(span.start) + 1..end {
            let line = self.line(index);
            let over = line.trim().is_empty()
                || self.heading(index).is_some()
                || self.lines[index].fenced
                || self.item(index).is_some()
                || self.label(index).is_some()
                || line.trim_start().starts_with(['<', '|']);
            if over {
                break;
            }
            let part = trim(self.text, self.lines[index].start..self.lines[index].end);
            if !value.is_empty() {
                value.push(' ');
            }
            value.push_str(&self.text[part.clone()]);
            span.end = part.end;
        }
        Spanned::new(value, span)
    }
}

#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: u8,
    length: usize,
    /// Nothing follows the marks, so it can close a fence.
    bare: bool,
}

impl Fence {
    fn of(line: &str) -> Option<Self> {
        let line = line.trim();
        let mark = *line.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
        let length = line.bytes().take_while(|b| *b == mark).count();
        let after = &line[length..];
        // An info string of backticks has none itself: "```npm test```" is a code span.
        let opens = length >= 3 && !(mark == b'`' && after.contains('`'));
        opens.then_some(Self { mark, length, bare: after.is_empty() })
    }

    fn kind(self) -> usize {
        usize::from(self.mark == b'~')
    }

    fn closes(self, open: Self) -> bool {
        self.bare && self.mark == open.mark && self.length >= open.length
    }
}

/// Whether a line inside a fence closes a block of a plan that was opened before the fence.
fn leaves_block<'t>(line: &'t str, inside: &mut Vec<&'t str>) -> bool {
    let line = line.trim();
    let (closing, rest) = match line.strip_prefix("</") {
        Some(rest) => (true, rest),
        None => match line.strip_prefix('<') {
            Some(rest) => (false, rest),
            None => return false,
        },
    };
    let length =
        rest.bytes().take_while(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'-')).count();
    let name = &rest[..length];
    if !super::blocks::is_structural(name) {
        return false;
    }
    if closing {
        // Only a few names are structural, so this list stays short unless the text is hostile;
        // the bound keeps that case linear.
        match inside.iter().rev().take(16).position(|open| *open == name) {
            Some(back) => inside.truncate(inside.len() - 1 - back),
            None => return true,
        }
    } else if !line.contains("</") {
        inside.push(name);
    }
    false
}

/// The list item that a line begins, with offsets in the line.
pub(super) fn item(line: &str) -> Option<Item> {
    let rest = line.trim_start();
    let indent = line.len() - rest.len();
    let marker = match rest.as_bytes() {
        [b'-' | b'*' | b'+', b' ' | b'\t', ..] => 1,
        [b'-' | b'*' | b'+'] => 1,
        bytes => {
            let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
            let marked = matches!(bytes.get(digits), Some(b'.' | b')'))
                && matches!(bytes.get(digits + 1), None | Some(b' ' | b'\t'));
            if digits == 0 || digits > 9 || !marked {
                return None;
            }
            digits + 1
        }
    };
    let mut body = trim(line, indent + marker..line.len());
    let mut checked = None;
    if let [b'[', mark, b']', ..] = line.as_bytes()[body.clone()] {
        // A link's text may have one letter: `[x](…)` is no check box.
        if line.as_bytes().get(body.start + 3).is_none_or(u8::is_ascii_whitespace) {
            checked = Some(matches!(mark, b'x' | b'X'));
            body = trim(line, body.start + 3..body.end);
        }
    } else if line[body.clone()].starts_with("[]") {
        checked = Some(false);
        body = trim(line, body.start + 2..body.end);
    }
    Some(Item { indent, checked, body })
}

/// The label that a line begins with.
pub(super) fn label(line: &str) -> Option<Label<'_>> {
    let start = item(line).map_or(line.len() - line.trim_start().len(), |item| item.body.start);
    let rest = &line[start..];
    for mark in ["**", "__"] {
        let Some(inner) = rest.strip_prefix(mark) else { continue };
        let close = inner.find(mark)?;
        let name = inner[..close].trim();
        let after = start + 2 + close + 2;
        let tail = &line[after..];
        if let Some(colon) = name.strip_suffix(':') {
            return Some(Label { name: colon.trim(), rest: after, bold: true });
        }
        let trimmed = tail.trim_start();
        let gap = tail.len() - trimmed.len();
        if trimmed.is_empty() {
            return Some(Label { name, rest: after, bold: true });
        }
        if trimmed.starts_with(':') {
            return Some(Label { name, rest: after + gap + 1, bold: true });
        }
        // `**Success Criteria** (what must be TRUE):`
        if trimmed.starts_with('(') {
            let closed = trimmed.find(')')?;
            let colon = trimmed[closed + 1..].trim_start();
            if colon.starts_with(':') {
                return Some(Label { name, rest: line.len() - colon.len() + 1, bold: true });
            }
        }
        return None;
    }
    let colon = rest.find(':')?;
    let name = rest[..colon].trim_end();
    let plain = !name.is_empty()
        && name.len() <= 40
        && name.starts_with(|c: char| c.is_alphabetic())
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '\''))
        && name.split_whitespace().count() <= 4
        && rest[colon + 1..].chars().next().is_none_or(char::is_whitespace);
    plain.then_some(Label { name, rest: start + colon + 1, bold: false })
}

/// The items of a list, each with its continuation lines and nested items, white space folded. A
/// text without list markers has one item a paragraph.
pub(super) fn items(lines: &[Spanned<String>]) -> Vec<Spanned<String>> {
    let outer = lines.iter().filter_map(|line| item(&line.value)).map(|item| item.indent).min();
    let mut found: Vec<Spanned<String>> = vec![];
    // Whether the next line belongs to the last item.
    let mut open = false;
    let mut fence: Option<Fence> = None;
    for line in lines {
        let mark = Fence::of(&line.value);
        let fenced = fence.is_some() || mark.is_some();
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if mark.closes(open) => fence = None,
            (None | Some(_), _) => {}
        }
        let text = line.value.trim();
        if text.is_empty() {
            open = open && outer.is_some();
            continue;
        }
        let begins = if fenced {
            None
        } else {
            item(&line.value).filter(|item| outer.is_none_or(|outer| item.indent <= outer))
        };
        match begins {
            Some(item) => {
                let start = line.span.start;
                found.push(Spanned::new(
                    line.value[item.body.clone()].to_owned(),
                    start + item.body.start..start + item.body.end,
                ));
                open = true;
            }
            None if open => {
                if let Some(last) = found.last_mut() {
                    if !last.value.is_empty() {
                        last.value.push(' ');
                    }
                    last.value.push_str(text);
                    last.span.end = line.span.end;
                }
            }
            None if outer.is_none() && !fenced => {
                let start = line.span.start + (line.value.len() - line.value.trim_start().len());
                found.push(Spanned::new(text.to_owned(), start..line.span.end));
                open = true;
            }
            None => {}
        }
    }
    found.retain(|item| !item.value.is_empty());
    found
}

/// Where a text begins behind its byte order marks; joined files may have several.
pub(super) fn after_marks(text: &str) -> usize {
    text.len() - text.trim_start_matches('\u{feff}').len()
}

/// A text without the marks of emphasis, code and links around it.
pub(super) fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`' | '~'))
}
