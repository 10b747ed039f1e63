//! The marks of Markdown by which a line says what it is: heading, label, item, row.

use crate::evidence::places;
use crate::review::findings::words;
use crate::review::record::Kind;

/// Level and text of a heading in any form: ATX, setext, or a bold line that stands for one.
pub(super) fn heading(line: &str, next: &str) -> Option<(usize, String)> {
    let trimmed = line.trim();
    let level = trimmed.bytes().take_while(|b| *b == b'#').count();
    if (1..=6).contains(&level) {
        let text = trimmed[level..].trim().trim_end_matches('#').trim();
        return (!text.is_empty()).then(|| (level, text.to_owned()));
    }
    if trimmed.is_empty() || list_item(line).is_some() {
        return None;
    }
    let underline = next.trim();
    if underline.len() > 2 && !trimmed.starts_with('|') {
        if underline.bytes().all(|b| b == b'=') {
            return Some((1, trimmed.to_owned()));
        }
        if underline.bytes().all(|b| b == b'-') {
            return Some((2, trimmed.to_owned()));
        }
    }
    let bold = label(trimmed)?;
    // A severity alone in bold is the start of a finding, not a section; a known section or a plan
    // is one.
    (words::section(bold).is_some()
        || words::leading_severity(bold).is_some_and(|(_, r)| r.is_empty()))
    .then(|| (7, bold.to_owned()))
}

/// The text of a line that is nothing but a label: `**Concerns**`, `**Concerns:**`, `Concerns:`.
pub(super) fn label(text: &str) -> Option<&str> {
    let text = text.trim();
    if let Some(inner) = bold_start(text) {
        let rest = text.trim_start_matches(['*', '_']);
        let rest = rest.get(inner.len()..)?.trim_matches(['*', '_', ':', ' ']);
        return rest.is_empty().then(|| inner.trim_end_matches(':').trim());
    }
    let bare = text.strip_suffix(':')?;
    (bare.split_whitespace().count() <= 4 && !bare.contains('`')).then_some(bare)
}

/// What stands in bold at the start of a text.
pub(super) fn bold_start(text: &str) -> Option<&str> {
    let text = text.trim_start();
    ["**", "__"].iter().find_map(|mark| {
        let rest = text.strip_prefix(mark)?;
        let end = rest.find(mark)?;
        (end > 0).then(|| &rest[..end])
    })
}

/// Columns of white space before the text; a tab counts four.
pub(super) fn columns(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// Columns before the marker, and the text of a list item.
pub(super) fn list_item(line: &str) -> Option<(usize, &str)> {
    let indent = columns(line);
    let text = line.trim_start();
    let rest = match text.chars().next()? {
        '-' | '*' | '+' | '•' | '–' | '◦' | '▪' => {
            let mut chars = text.chars();
            chars.next();
            chars.as_str()
        }
        c if c.is_ascii_digit() => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            text[digits..].strip_prefix(['.', ')']).filter(|_| digits < 5)?
        }
        _ => return None,
    };
    let body = rest.strip_prefix([' ', '\t'])?.trim();
    let body = ["[ ] ", "[x] ", "[X] "].iter().find_map(|b| body.strip_prefix(b)).unwrap_or(body);
    Some((indent, body))
}

pub(super) fn strip_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(['.', ')', ':']) {
        Some(rest) if rest.starts_with(' ') => rest.trim_start(),
        Some(_) | None => text,
    }
}

/// A kind that an item begins with: `**Risk:** …`, `Suggestion (minor): …`.
pub(super) fn leading_kind(text: &str) -> Option<(Kind, &str)> {
    let opened = text.trim_start().trim_start_matches(['*', '_', '[']);
    let end = opened.find(|c: char| !c.is_alphabetic())?;
    let kind = words::kind(&opened[..end])?;
    let mut rest = opened[end..].trim_start();
    if let Some(remark) = rest.strip_prefix('(') {
        rest = remark.split_once(')')?.1.trim_start();
    }
    let marked = rest.starts_with([':', ']', '*', '—', '–']);
    marked.then(|| (kind, rest.trim_start_matches([':', ']', '*', '—', '–', ' '])))
}

pub(super) fn remedy_text(line: &str) -> Option<&str> {
    let bare = line.trim_start_matches(['*', '_', '-', '>', ' ']);
    let end = bare.find(':')?;
    let word = bare[..end].trim_matches(['*', '_', ' ']).to_ascii_lowercase();
    let known = [
        "suggestion",
        "suggested fix",
        "recommendation",
        "fix",
        "do",
        "remedy",
        "mitigation",
        "action",
        "proposed fix",
        "how to fix",
        "resolution",
    ];
    known.contains(&word.as_str()).then(|| bare[end + 1..].trim_start_matches(['*', '_', ' ']))
}

pub(super) fn is_severity_line(line: &str) -> bool {
    let bare = line.trim_start_matches(['*', '_', '-', '>', ' ']);
    bare.get(..8).is_some_and(|word| word.eq_ignore_ascii_case("severity")) && bare.len() < 40
}

/// An item that says there is nothing.
pub(super) fn is_nothing(text: &str) -> bool {
    let plain = plain(text).to_lowercase();
    let bare = plain.trim_matches(|c: char| !c.is_alphanumeric());
    const STARTS: &[&str] = &[
        "no blocking",
        "no concerns",
        "no critical",
        "no further",
        "no issues",
        "no major",
        "no significant",
        "none at ",
        "none blocking",
        "none found",
        "none identified",
        "none noted",
        "none significant",
        "nothing blocking",
        "nothing significant",
        "nothing to ",
    ];
    matches!(bare, "" | "none" | "n/a" | "na" | "nil" | "nothing")
        || (bare.len() < 60 && STARTS.iter().any(|start| bare.starts_with(start)))
}

/// A title without the place that is cited in brackets at its end: that is evidence, and moves.
pub(super) fn without_place(title: &str) -> &str {
    let Some((before, inside)) = title.strip_suffix(')').and_then(|t| t.rsplit_once(" (")) else {
        return title;
    };
    let mut words = inside.split([',', ' ', ';']).filter(|word| !word.is_empty());
    let place_word = |word: &str| {
        !places(word, 1).is_empty() || matches!(word, "line" | "lines" | "and" | "see" | "in")
    };
    let only_places = words.all(|word| place_word(word) || word.parse::<u64>().is_ok());
    if only_places && !places(inside, 1).is_empty() && before.split(' ').count() > 1 {
        before.trim_end()
    } else {
        title
    }
}

/// A title without the severity that stands in brackets at its end.
pub(super) fn without_severity(title: &str) -> &str {
    let Some((before, word)) = title.rsplit_once([' ']) else { return title };
    let bracketed = word.starts_with(['(', '[']) && word.ends_with([')', ']']);
    if bracketed && words::severity(word).is_some() { before.trim_end() } else { title }
}

/// Text without its emphasis; code marks stay, since they tell names from words.
pub(super) fn plain(text: &str) -> String {
    text.replace("**", "").trim().to_owned()
}

pub(super) fn is_delimiter_row(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('|') && line.contains('-') && line.bytes().all(|b| b"|-: ".contains(&b))
}

/// The cells of a table row; `\|` is a character of its cell.
pub(super) fn cells(row: &str) -> Vec<String> {
    let row = row.trim().trim_start_matches('|');
    let mut cells = vec![String::new()];
    let mut chars = row.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'|') => {
                chars.next();
                cells.last_mut().expect("a row has a cell").push('|');
            }
            '|' => cells.push(String::new()),
            c => cells.last_mut().expect("a row has a cell").push(c),
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}
