//! Diagnostics for people: an excerpt of the source in the manner of rustc, or one line each.

use super::format::count;
use crate::ui::{Tone, Ui};
use annotate_snippets::{AnnotationKind, Group, Level as SnippetLevel, Renderer, Snippet};
use gsd_engine::diag::{Diagnostic, Level, Location, SourceFile};
use gsd_engine::text::{is_deceptive, printable};
use std::collections::BTreeMap;
use std::ops::Range;

/// Talks about diagnostics that stop nothing, one line each.
pub(crate) fn warn(ui: &Ui, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        let position = diagnostic.at.position();
        let help = diagnostic.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        ui.warn(format_args!(
            "{}:{}:{}: {}{help}",
            printable(diagnostic.at.file.name(), 200),
            position.line,
            position.column,
            printable(&diagnostic.message, 400),
        ));
    }
}

/// Renders diagnostics with their places and a last line that counts them.
pub(crate) fn human(ui: &Ui, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    let renderer = if ui.colored_out() { Renderer::styled() } else { Renderer::plain() };
    for diagnostic in diagnostics {
        out.push_str(&one(&renderer, diagnostic));
        out.push_str("\n\n");
    }
    let mut counts: BTreeMap<Level, usize> = BTreeMap::new();
    for diagnostic in diagnostics {
        *counts.entry(diagnostic.level).or_default() += 1;
    }
    let parts: Vec<String> =
        counts.iter().rev().map(|(level, number)| count(*number, level.word())).collect();
    if parts.is_empty() {
        out.push_str(&format!("{}\n", ui.paint(Tone::Good, "nothing found")));
    } else {
        out.push_str(&format!("{}\n", parts.join(" · ")));
    }
    out
}

fn one(renderer: &Renderer, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.level {
        Level::Error => SnippetLevel::ERROR,
        Level::Warning => SnippetLevel::WARNING,
        Level::Note => SnippetLevel::NOTE,
    };
    let main = Excerpt::of(&diagnostic.at);
    let label = diagnostic.label.as_ref().map(|label| printable(label, 200));
    let message = printable(&diagnostic.message, 500);
    let mut same_file =
        main.snippet().annotation(annotation(AnnotationKind::Primary, &main, label.as_deref()));
    // Places of the same file share its excerpt only if they lie close to each other.
    let related: Vec<(Excerpt, String)> = diagnostic
        .related
        .iter()
        .map(|related| (Excerpt::of(&related.at), printable(&related.message, 200)))
        .collect();
    let (near, far): (Vec<_>, Vec<_>) =
        related.iter().partition(|(excerpt, _)| excerpt.joins(&main));
    for (excerpt, message) in &near {
        let span = excerpt.start + excerpt.span.start - main.start
            ..excerpt.start + excerpt.span.end - main.start;
        if span.end <= main.text.len() {
            same_file =
                same_file.annotation(AnnotationKind::Context.span(span).label(message.as_str()));
        }
    }
    let mut group =
        level.primary_title(message.as_str()).id(diagnostic.rule.code).element(same_file);
    for (excerpt, message) in &far {
        group = group.element(excerpt.snippet().annotation(annotation(
            AnnotationKind::Context,
            excerpt,
            Some(message),
        )));
    }
    let note = diagnostic
        .note
        .as_ref()
        .map(|note| note.lines().map(|line| printable(line, 400)).collect::<Vec<_>>().join("\n"));
    if let Some(note) = &note {
        group = group.element(SnippetLevel::NOTE.message(note.as_str()));
    }
    let mut report = vec![group];
    let help = diagnostic.help.as_ref().map(|help| printable(help, 1500));
    if let Some(help) = &help {
        report.push(Group::with_title(SnippetLevel::HELP.secondary_title(help.as_str())));
    }
    let mut text = renderer.render(&report);
    for excerpt in std::iter::once(&main).chain(far.iter().map(|(excerpt, _)| excerpt)) {
        if let Some((wrong, right)) = excerpt.misplaced() {
            // Not a place whose column begins with the same digits.
            for end in ["\n", "\u{1b}"] {
                text = text.replacen(&format!("{wrong}{end}"), &format!("{right}{end}"), 1);
            }
        }
    }
    text
}

fn annotation<'a>(
    kind: AnnotationKind,
    excerpt: &Excerpt,
    label: Option<&'a str>,
) -> annotate_snippets::Annotation<'a> {
    let annotation = kind.span(excerpt.span.clone());
    match label {
        Some(label) => annotation.label(label),
        None => annotation,
    }
}

/// The lines around a place, made harmless and short: a file may be one line of megabytes, and its
/// bytes may move a terminal's cursor.
struct Excerpt {
    name: String,
    first_line: usize,
    /// Where the excerpt starts in the file, for places that share it.
    start: usize,
    text: String,
    /// The place within `text`.
    span: Range<usize>,
    /// Where the place begins in its whole line, from 1.
    column: usize,
}

/// Longer lines are cut around the place.
const MAX_LINE: usize = 160;
/// A place of more lines is shown by its first one.
const MAX_LINES: usize = 8;

impl Excerpt {
    fn of(at: &Location) -> Self {
        let file: &SourceFile = &at.file;
        let length = file.text().len();
        let span =
            at.span.start.min(length)..at.span.end.min(length).max(at.span.start.min(length));
        let first_line = file.line_of(span.start);
        let first = file.line_span(first_line).unwrap_or(0..0);
        let last_line = file.line_of(span.end.saturating_sub(1).max(span.start));
        let last = if last_line - first_line < MAX_LINES {
            file.line_span(last_line).unwrap_or_else(|| first.clone())
        } else {
            first.clone()
        };
        let mut start = first.start;
        let mut end = last.end.max(first.end);
        if first.len() > MAX_LINE || end - start > MAX_LINE * MAX_LINES {
            start = boundary(file.text(), span.start.saturating_sub(40).max(first.start));
            end = boundary(file.text(), (span.start + MAX_LINE - 40).min(first.end));
        }
        let raw = file.text().get(start..end).unwrap_or_default();
        let inside = span.start.clamp(start, end) - start..span.end.clamp(start, end) - start;
        let (text, inside) = harmless(raw, inside);
        let (name, column) = (printable(file.name(), 200), at.position().column);
        Self { name, first_line, start, text, span: inside, column }
    }

    /// The place as it is rendered, and as it is, where the beginning of a long line is left out.
    fn misplaced(&self) -> Option<(String, String)> {
        let shown = self.text[..self.span.start].chars().count() + 1;
        let place = |column| format!("{}:{}:{column}", self.name, self.first_line);
        (shown != self.column).then(|| (place(shown), place(self.column)))
    }

    fn snippet<'a>(&'a self) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        Snippet::source(self.text.as_str()).path(self.name.as_str()).line_start(self.first_line)
    }

    /// Whether the place lies within the other's excerpt.
    fn joins(&self, other: &Self) -> bool {
        self.name == other.name
            && self.start >= other.start
            && self.start + self.span.end <= other.start + other.text.len()
            && self.first_line == other.first_line
    }
}

/// The nearest character boundary at or before an offset.
fn boundary(text: &str, mut offset: usize) -> usize {
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Text with each deceptive character replaced by one that shows, and the span that goes with it.
fn harmless(text: &str, span: Range<usize>) -> (String, Range<usize>) {
    let mut out = String::with_capacity(text.len());
    let (mut start, mut end) = (None, None);
    for (at, c) in text.char_indices() {
        if start.is_none() && at >= span.start {
            start = Some(out.len());
        }
        if end.is_none() && at >= span.end {
            end = Some(out.len());
        }
        match c {
            '\n' | '\t' => out.push(c),
            '\r' => {}
            c if is_deceptive(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    let start = start.unwrap_or(out.len());
    let end = end.unwrap_or(out.len()).max(start);
    (out, start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsd_engine::diag::Rule;
    use proptest::prelude::*;

    static RULE: Rule = Rule { code: "test/rule", level: Level::Error, summary: "s", docs: "d" };

    fn rendered(text: &str, span: Range<usize>) -> String {
        let file = SourceFile::new("a.md", text);
        one(&Renderer::plain(), &RULE.at(file.at(span), "wrong").label("here").help("do this"))
    }

    #[test]
    fn an_excerpt_shows_the_place() {
        insta::assert_snapshot!(rendered("one\ntwo three\nfour\n", 8..13), @r"
        error[test/rule]: wrong
         --> a.md:2:5
          |
        2 | two three
          |     ^^^^^ here
          |
        help: do this
        ");
    }

    #[test]
    fn what_moves_a_cursor_is_not_shown() {
        let text = rendered("a\u{1b}[2Kb\u{202e}c\n", 0..1);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    }

    #[test]
    fn a_line_of_megabytes_is_cut_around_the_place() {
        let text = format!("{}X{}", "a".repeat(1 << 20), "b".repeat(1 << 20));
        let shown = rendered(&text, 1 << 20..(1 << 20) + 1);
        assert!(shown.len() < 1000);
        assert!(shown.contains("--> a.md:1:1048577\n"), "{shown}");
    }

    #[test]
    fn the_column_is_that_of_the_whole_line() {
        let line = format!("{}X{}", "é".repeat(150), "b".repeat(100));
        let file = SourceFile::new("a.md", format!("{line}\n{line}\n"));
        let at = |line: usize| file.at(line * 402 + 300..line * 402 + 301);
        let diagnostic = RULE.at(at(0), "wrong").also(at(1), "as here");
        for renderer in [Renderer::plain(), Renderer::styled()] {
            let shown = one(&renderer, &diagnostic);
            assert_eq!(shown.matches("a.md:1:151").count(), 1, "{shown:?}");
            assert_eq!(shown.matches("a.md:2:151").count(), 1, "{shown:?}");
        }
    }

    proptest! {
        #[test]
        fn any_place_in_any_text_renders(text in any::<String>(), a in 0usize..60, b in 0usize..60) {
            let (a, b) = (boundary(&text, a.min(text.len())), boundary(&text, b.min(text.len())));
            prop_assert!(!rendered(&text, a.min(b)..a.max(b)).is_empty());
        }
    }
}
