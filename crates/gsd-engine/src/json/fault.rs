//! What is wrong with a text that is not JSON, in words for people who write JSON by hand: the
//! place where the fault was made, which is seldom where a parser notices it.

use super::SYNTAX;
use super::forgiven::{end_of_string, without_forgiven};
use crate::diag::{Diagnostic, SourceFile, Span};
use std::sync::Arc;

/// How serde_json's message on a control character begins.
const CONTROL: &str = "control character";

const LINE_END: [char; 2] = ['\n', '\r'];

/// serde_json's error as a diagnostic.
pub(super) fn fault(file: &Arc<SourceFile>, error: &serde_json::Error) -> Diagnostic {
    if error.is_eof() && !file.text().trim().is_empty() {
        return open_end(file);
    }
    let (mut at, reason) = (offset_of(file, error.line(), error.column()), reason(error));
    if reason.starts_with(CONTROL) {
        // Of these alone serde_json counts the character before.
        at = at.end..next_boundary(file.text(), at.end);
    }
    syntax(file, at, &reason)
}

/// A fault at a place, and what is known to help against it.
pub(super) fn syntax(file: &Arc<SourceFile>, span: Span, message: &str) -> Diagnostic {
    let text = file.text();
    let message = match message.split_at_checked(1) {
        // Only a word begins lower, not an abbreviation such as EOF.
        Some((first, rest)) if rest.starts_with(|c: char| c.is_lowercase()) => {
            format!("{}{rest}", first.to_lowercase())
        }
        Some(_) | None => message.to_owned(),
    };
    let line_ends = text.get(span.start..).is_some_and(|rest| rest.starts_with(LINE_END));
    if message.starts_with(CONTROL) && line_ends {
        return open_text(file, span.start);
    }
    let message = plain(&message);
    let better = open_name(file, &span, message).or_else(|| missing_mark(file, &span, message));
    if let Some(better) = better {
        return better;
    }
    let expected = message.starts_with("expected");
    let found = if expected { found_there(text, &span) } else { String::new() };
    let diagnostic = SYNTAX
        .at(file.at(span.clone()).with_pointer(""), format!("not valid JSON: {message}{found}"))
        .label("reading stopped here");
    let diagnostic = match remedy(text, &span) {
        Some((help, Some(fix))) => diagnostic.help(help).fix(fix, ""),
        Some((help, None)) => diagnostic.help(help),
        None => diagnostic,
    };
    // A bracket that another kind of bracket closes is worth seeing.
    let closed = match text.get(span.start..).and_then(|rest| rest.chars().next()) {
        Some('}') => "[",
        Some(']') => "{",
        Some(_) | None => return diagnostic,
    };
    match Brackets::before(text, span.start).innermost() {
        Some(open) if text[open..].starts_with(closed) => {
            let at = file.at(open..open + 1).with_pointer("");
            diagnostic.also(at, format!("`{closed}` is still open here"))
        }
        Some(_) | None => diagnostic,
    }
}

/// serde_json's words that only programmers know, in others.
fn plain(message: &str) -> &str {
    match message {
        "key must be a string" => "expected the name of a field in double quotes",
        "expected ident" => "this is none of `true`, `false` and `null`",
        "trailing characters" => "something follows the value",
        "lone leading surrogate in hex escape" | "unexpected end of hex escape" => {
            "half of a character's `\\u` pair"
        }
        "invalid escape" => "no escape begins like that in a string",
        "recursion limit exceeded" => "objects and arrays are nested deeper than 128",
        message if message.starts_with(CONTROL) => {
            "a string holds a character that must be escaped"
        }
        message => message,
    }
}

/// A name whose closing quote is missing: it ends at the first quote of its value, after a colon.
fn open_name(file: &Arc<SourceFile>, at: &Span, message: &str) -> Option<Diagnostic> {
    let (text, before) = (file.text(), file.text().get(..at.start)?.trim_end());
    if !message.starts_with("expected `:`") {
        return None;
    }
    let body = before.strip_suffix('"')?;
    let start = body.rfind(['"', '\n'])?;
    let name = body[start..].strip_prefix('"')?.trim_end().strip_suffix(':')?.trim_end();
    let end = start + 1 + name.len();
    let diagnostic = SYNTAX
        .at(file.at(start..end).with_pointer(""), "not valid JSON: this name has no closing `\"`")
        .label("its closing quote is missing")
        .help(format!("write `{}\":`", &text[start..end]));
    Some(diagnostic.fix(end..end, "\""))
}

/// A comma or a colon that is missing: the place is after what it should follow.
fn missing_mark(file: &Arc<SourceFile>, at: &Span, message: &str) -> Option<Diagnostic> {
    let (mark, name) = match message {
        message if message.starts_with("expected `:`") => (":", "colon"),
        message if message.starts_with("expected `,`") => (",", "comma"),
        _ => return None,
    };
    let text = file.text();
    // A bare word is more likely the rest of a string whose quote is misplaced.
    let value = |c: char| matches!(c, '"' | '{' | '[' | '-') || c.is_ascii_digit();
    text.get(at.start..)?.chars().next().filter(|c| value(*c))?;
    let blanked = without_forgiven(text.get(..at.start)?);
    let end = blanked.trim_end().len();
    let last = blanked[..end].chars().next_back()?;
    if !matches!(last, '"' | '}' | ']') && !last.is_ascii_alphanumeric() {
        return None;
    }
    // The last value on the line before, or all of it if that is short.
    let line = text[..end].rfind(LINE_END).map_or(0, |at| at + 1);
    let shown = text[line..end].trim();
    let help = match shown.chars().count() {
        ..=60 => format!("write `{shown}{mark}`"),
        _ => format!("write `{mark}` there"),
    };
    let place = file.at(end - last.len_utf8()..end).with_pointer("");
    let diagnostic = SYNTAX
        .at(place, format!("not valid JSON: a {name} is missing"))
        .label(format!("`{mark}` is missing after this"))
        .help(help);
    let is_apart = text[end..at.start].contains('\n');
    let diagnostic = match is_apart {
        true => diagnostic.also(file.at(at.clone()).with_pointer(""), "reading stopped here"),
        false => diagnostic,
    };
    // On one line it may as well be a quote that is missing or one too many.
    Some(if mark == ":" || is_apart { diagnostic.fix(end..end, mark) } else { diagnostic })
}

/// A short word on the character that was met where another was expected.
fn found_there(text: &str, at: &Span) -> String {
    match text.get(at.clone()).and_then(|here| here.chars().next()) {
        Some(found @ ('{' | '}' | '[' | ']' | ':' | ',')) => format!(", found `{found}`"),
        Some(_) | None => String::new(),
    }
}

/// The file ends although something is open: the place is what is never closed.
fn open_end(file: &Arc<SourceFile>) -> Diagnostic {
    let text = file.text();
    let end = file.at(last_character(text)).with_pointer("");
    let brackets = Brackets::before(text, text.len());
    if let Some(start) = brackets.open_text {
        return open_text_to(file, start, text.len());
    }
    let Some(open) = brackets.suspect.or(brackets.innermost()) else {
        return SYNTAX
            .at(end, "not valid JSON: the file ends too early")
            .label("reading stopped here")
            .help("write what should come next");
    };
    let (bracket, closing) = match &text[open..=open] {
        "{" => ("{", "}"),
        _ => ("[", "]"),
    };
    SYNTAX
        .at(
            file.at(open..open + 1).with_pointer(""),
            format!("not valid JSON: this `{bracket}` is never closed"),
        )
        .label(format!("its `{closing}` is missing"))
        .also(end, "the file ends here")
        .help(format!("write `{closing}` where it should end"))
}

/// A text that runs into the end of its line, at `end`.
fn open_text(file: &Arc<SourceFile>, end: usize) -> Diagnostic {
    match Brackets::before(file.text(), end).open_text {
        Some(start) => open_text_to(file, start, end),
        None => syntax(file, end..end, "a line ends inside a string"),
    }
}

fn open_text_to(file: &Arc<SourceFile>, start: usize, end: usize) -> Diagnostic {
    let line = file.text()[start..end].split(LINE_END).next().unwrap_or_default();
    let (words, comma) = match line.trim_end().strip_suffix(',') {
        Some(words) => (words, ","),
        None => (line.trim_end(), ""),
    };
    // What is longer probably holds more than the string.
    let help = match words.chars().count() {
        2..=40 if !words.contains(['\\', ':', ',']) => format!("write `{words}\"{comma}`"),
        _ => "write `\"` where the string ends; a line break in it is written `\\n`".to_owned(),
    };
    SYNTAX
        .at(
            file.at(start..start + line.trim_end().len()).with_pointer(""),
            "not valid JSON: this string has no closing `\"` on its line",
        )
        .label("its closing quote is missing")
        .help(help)
}

/// The brackets and the text that are open at a place.
struct Brackets {
    /// Where each open bracket stands, and how far its line is indented.
    open: Vec<(usize, usize)>,
    open_text: Option<usize>,
    /// A bracket that was closed by one which is indented like an outer one: most likely its own
    /// is missing.
    suspect: Option<usize>,
}

impl Brackets {
    /// What is open in `text` before `end`. Comments are skipped.
    fn before(text: &str, end: usize) -> Self {
        let blanked = without_forgiven(&text[..end]);
        let bytes = blanked.as_bytes();
        let mut found = Self { open: vec![], open_text: None, suspect: None };
        let (mut at, mut line) = (0, 0);
        while at < bytes.len() {
            let indent = |at: usize| {
                bytes[line..at].iter().take_while(|b| **b == b' ' || **b == b'\t').count()
            };
            match bytes[at] {
                b'"' => {
                    let Some(closed) = end_of_string(bytes, at) else {
                        found.open_text = Some(at);
                        break;
                    };
                    at = closed;
                    continue;
                }
                b'\n' => line = at + 1,
                b'{' | b'[' => found.open.push((at, indent(at))),
                b'}' | b']' => {
                    if let Some((open, deep)) = found.open.pop()
                        && line > open
                        && line + indent(at) == at
                        && indent(at) < deep
                    {
                        found.suspect.get_or_insert(open);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        found
    }

    fn innermost(&self) -> Option<usize> {
        self.open.last().map(|(at, _)| *at)
    }
}

/// What helps against the faults that people make most, and what to take out where that is all.
fn remedy(text: &str, at: &Span) -> Option<(&'static str, Option<Span>)> {
    if text.starts_with('\u{feff}') && at.start < 3 {
        return Some(("remove the byte order mark at the start of the file", Some(0..3)));
    }
    if text.trim().is_empty() {
        return Some(("the file is empty: write `{}` at least", None));
    }
    let here = text.get(at.start..)?;
    let before = text.get(..at.start)?.trim_end();
    if here.starts_with("\\ud") || here.starts_with("\\uD") {
        return Some(("write the character itself, or both halves of its pair", None));
    }
    let closes = here.starts_with(['}', ']']);
    if closes && before.ends_with(',') {
        let comma = before.len() - 1;
        return Some(("remove the comma before it", Some(comma..comma + 1)));
    }
    if here.starts_with("//") || here.starts_with("/*") || here.starts_with('#') {
        return Some(("JSON has no comments: remove it", None));
    }
    if here.starts_with(',') && before.ends_with([',', '[', '{', ':']) {
        let one = (!before.ends_with(':')).then_some(at.start..at.start + 1);
        return Some(("remove this comma, or write what should stand before it", one));
    }
    if here.starts_with('\'') || is_bare_word(here, before) {
        return Some(("strings stand in double quotes", None));
    }
    if here.starts_with(|c: char| c.is_alphabetic()) && before.ends_with(['{', ',']) {
        return Some(("names stand in double quotes", None));
    }
    if before.ends_with('"') && !here.starts_with([':', ',', '}', ']', '\t']) {
        let help = "a string ended at the quote before it: one of the quotes on this line is missing \
                    or one too many; a quote inside a string is written `\\\"`";
        return Some((help, None));
    }
    if here.starts_with('\t') {
        return Some(("a tab inside a string is written `\\t`", None));
    }
    None
}

/// Whether a value is a word without quotes. A misspelt `true` is noticed inside the word.
fn is_bare_word(here: &str, before: &str) -> bool {
    here.starts_with(char::is_alphabetic) && before.ends_with([':', '['])
}

/// serde_json's message without the place that it repeats at its end.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

/// Where a text stopped too early: at the last character that is there.
fn last_character(text: &str) -> Span {
    let end = text.trim_end().len();
    let start = text[..end].char_indices().next_back().map_or(0, |(start, _)| start);
    start..end
}

/// The character at serde_json's line and column, which are counted in bytes, from 1 and from 0.
fn offset_of(file: &SourceFile, line: usize, column: usize) -> Span {
    let Some(span) = file.line_span(line) else { return 0..0 };
    let text = file.text();
    let mut start = (span.start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    start..next_boundary(text, start)
}

/// Where the character at `start` ends.
fn next_boundary(text: &str, start: usize) -> usize {
    text[start..].chars().next().map_or(start, |c| start + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Dialect, parse};

    /// Line, column, message and help of the only fault.
    fn said(text: &str, dialect: Dialect) -> (usize, usize, String, String) {
        let (_, found) = parse(&SourceFile::new("t", text), dialect);
        assert_eq!(found.len(), 1, "{found:?}");
        let position = found[0].at.position();
        let message = found[0].message.trim_start_matches("not valid JSON: ").to_owned();
        (position.line, position.column, message, found[0].help.clone().unwrap_or_default())
    }

    #[test]
    fn faults_that_people_make_are_named_where_they_were_made() {
        let comma = "remove this comma, or write what should stand before it";
        let quote = "write `\"` where the string ends; a line break in it is written `\\n`";
        let quotes = "a string ended at the quote before it: one of the quotes on this line is missing \
                      or one too many; a quote inside a string is written `\\\"`";
        for (text, line, column, message, help) in [
            ("{\n  \"a\": tru,\n}", 2, 11, "this is none of `true`, `false` and `null`", ""),
            (
                "{\"a\": 1,}",
                1,
                9,
                "expected the name of a field in double quotes, found `}`",
                "remove the comma before it",
            ),
            (
                "{\"a\": 1,, }",
                1,
                9,
                "expected the name of a field in double quotes, found `,`",
                comma,
            ),
            (
                "{\"a\": \"b,\n \"c\": 1}",
                1,
                7,
                "this string has no closing `\"` on its line",
                "write `\"b\",`",
            ),
            ("{\"a\": \"b", 1, 7, "this string has no closing `\"` on its line", "write `\"b\"`"),
            ("{\"a\": \"b, \"c\": 1}", 1, 12, "expected `,` or `}`", quotes),
            ("{\"a: 1}", 1, 2, "this string has no closing `\"` on its line", quote),
            ("{\"a\": \"b\" \"c\": 1}", 1, 9, "a comma is missing", "write `{\"a\": \"b\",`"),
            ("[{\"a\": 1}\n{}]", 1, 9, "a comma is missing", "write `[{\"a\": 1},`"),
            ("{\"a: \"b\"}", 1, 2, "this name has no closing `\"`", "write `\"a\":`"),
            ("{\n  \"a\" [1]\n}", 2, 5, "a colon is missing", "write `\"a\":`"),
            (
                "{\"a\": 1 // one\n\"b\": 2}",
                1,
                9,
                "expected `,` or `}`",
                "JSON has no comments: remove it",
            ),
            (
                "[\"a\tb\"]",
                1,
                4,
                "a string holds a character that must be escaped",
                "a tab inside a string is written `\\t`",
            ),
            (
                "{'a': 1}",
                1,
                2,
                "expected the name of a field in double quotes",
                "strings stand in double quotes",
            ),
        ] {
            let expected = (line, column, message.to_owned(), help.to_owned());
            assert_eq!(said(text, Dialect::Strict), expected, "{text}");
        }
    }

    #[test]
    fn a_bracket_that_is_never_closed_is_named_and_not_the_end() {
        // The inner object ends where only the outer one can end.
        let nested = "{\n  \"a\": {\n    \"b\": 1,\n  \"c\": 2\n}\n";
        for (text, line, column, message) in [
            (nested, 2, 8, "this `{` is never closed"),
            ("{\n  \"a\": [\n    1\n", 2, 8, "this `[` is never closed"),
            ("{\"a\": 1", 1, 1, "this `{` is never closed"),
        ] {
            let found = said(text, Dialect::Strict);
            assert_eq!((found.0, found.1, found.2.as_str()), (line, column, message), "{text}");
        }
        let (_, found) = parse(&SourceFile::new("t", "{\"a\": [1, 2}"), Dialect::Strict);
        assert_eq!(found[0].message, "not valid JSON: expected `,` or `]`, found `}`");
        assert_eq!(found[0].related[0].at.position().column, 7);
    }

    #[test]
    fn the_fault_is_what_is_not_forgiven() {
        let found = |text: &str| said(text, Dialect::Relaxed);
        let quotes = "strings stand in double quotes";
        let text = "\u{feff}// \"why\n{\"a\": [1, 2,], /* [, */ \"b\": [codex],\n}";
        let fault = found(text);
        assert_eq!((fault.0, fault.1, fault.3.as_str()), (2, 31, quotes));
        let fault = found("{\"a\": codex}");
        assert_eq!((fault.0, fault.1, fault.3.as_str()), (1, 7, quotes));
        let fault = found("{\n\"a\": \"/*\",,\n}");
        assert_eq!((fault.0, fault.1), (2, 11));
        let fault = found("{ // why {\n\"a\": {\"b\": 1,},\n");
        assert_eq!((fault.0, fault.1, fault.2.as_str()), (1, 1, "this `{` is never closed"));
    }
}
