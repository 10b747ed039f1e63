//! Paths as people list them: with commas or on lines, in code spans, after words such as
//! `Modify:`, with remarks behind them.

use super::markdown::item;
use super::spanned::{List, Prose, Spanned};

/// The paths that a part of a task names. Words that name no path ("none") are left out, so the
/// list may be empty where the part itself is there.
pub(super) fn list(prose: &Prose) -> List {
    let mut found = vec![];
    for line in &prose.lines {
        let text = line.value.as_str();
        let start = item(text).map_or(0, |item| item.body.start);
        let body = &text[start..];
        if body.contains('`') {
            let listed = found.len();
            for (offset, token) in code_spans(body) {
                push(&mut found, token, line.span.start + start + offset);
            }
            if found.len() > listed {
                continue;
            }
        }
        let mut at = start;
        for part in body.split([',', ';']) {
            push_first(&mut found, part, line.span.start + at);
            at += part.len() + 1;
        }
    }
    Spanned::new(found, prose.span.clone())
}

/// `@path` lines, without the `@`.
pub(super) fn references(prose: &Prose) -> Vec<Spanned<String>> {
    let mut found = vec![];
    for line in &prose.lines {
        let start = item(&line.value).map_or(0, |item| item.body.start);
        let mut at = start;
        for token in line.value[start..].split_whitespace() {
            // Tokens of a split are slices of the line, in order.
            at += line.value[at..].find(token).unwrap_or(0);
            let bare = token.trim_matches('`');
            let inside = token.len() - token.trim_start_matches('`').len();
            if let Some(path) = bare.strip_prefix('@') {
                let path = path.trim_end_matches([',', ';', ')', '`']);
                if !path.is_empty() {
                    let from = line.span.start + at + inside + 1;
                    found.push(Spanned::new(path.to_owned(), from..from + path.len()));
                }
            }
            at += token.len();
        }
    }
    found
}

/// The contents of code spans and their offsets.
pub(super) fn code_spans(text: &str) -> Vec<(usize, &str)> {
    let mut found = vec![];
    let mut at = 0;
    while let Some(open) = text[at..].find('`') {
        let start = at + open;
        let ticks = text[start..].bytes().take_while(|b| *b == b'`').count();
        let from = start + ticks;
        // Marks of two or three are rare; the next mark closes, whatever its length.
        let Some(length) = text[from..].find('`') else { break };
        found.push((from, &text[from..from + length]));
        let close = from + length;
        at = close + text[close..].bytes().take_while(|b| *b == b'`').count();
    }
    found
}

fn push_first(found: &mut Vec<Spanned<String>>, part: &str, at: usize) {
    let mut text = part;
    let mut at = at;
    loop {
        let trimmed = text.trim_start_matches(|c: char| {
            c.is_whitespace() || matches!(c, '[' | '(' | '*' | '"' | '\'' | '@')
        });
        at += text.len() - trimmed.len();
        text = trimmed;
        // `Modify: src/a.rs`, `**Create:** src/a.rs`
        match text.find(':') {
            Some(colon)
                if text[..colon].chars().all(|c| c.is_ascii_alphabetic() || c == ' ')
                    && text[colon + 1..].starts_with([' ', '*', '\t']) =>
            {
                at += colon + 1;
                text = &text[colon + 1..];
            }
            Some(_) | None => break,
        }
    }
    let token = text.split(char::is_whitespace).next().unwrap_or_default();
    push(found, token, at);
}

fn push(found: &mut Vec<Spanned<String>>, token: &str, at: usize) {
    let start = token.len() - token.trim_start_matches('@').len();
    let path = place_cut(token[start..].trim_end_matches(['.', ')', ']', '"', '\'', '*', ':']));
    if looks_like_path(path) {
        let at = at + start;
        found.push(Spanned::new(path.to_owned(), at..at + path.len()));
    }
}

/// Without a line number: `src/a.rs:10-20`, `src/a.rs#L10`.
fn place_cut(token: &str) -> &str {
    if let Some(hash) = token.find("#L") {
        return &token[..hash];
    }
    match token.rfind(':') {
        Some(colon)
            if token[colon + 1..]
                .bytes()
                .all(|b| b.is_ascii_digit() || matches!(b, b'-' | b','))
                && token[colon + 1..].starts_with(|c: char| c.is_ascii_digit()) =>
        {
            &token[..colon]
        }
        Some(_) | None => token,
    }
}

/// A word without white space that has a folder, an extension, or the name of a file that has none.
pub(super) fn looks_like_path(word: &str) -> bool {
    const BARE: [&str; 8] = [
        "makefile",
        "dockerfile",
        "justfile",
        "gemfile",
        "rakefile",
        "procfile",
        "license",
        "readme",
    ];
    if word.is_empty()
        || word.len() > 1024
        || word.contains(char::is_whitespace)
        || word.contains("://")
        || word.contains(['(', '<', '>', '|', '=', '"', '\'', '`']) && !word.contains('/')
    {
        return false;
    }
    let name = word.trim_end_matches('/').rsplit('/').next().unwrap_or(word);
    if word.contains('/') {
        return word.len() > 1 && !matches!(word.to_ascii_lowercase().as_str(), "n/a" | "and/or");
    }
    if BARE.contains(&name.to_ascii_lowercase().as_str()) {
        return true;
    }
    match name.rfind('.') {
        Some(0) => name.len() > 1,
        Some(dot) => {
            let extension = &name[dot + 1..];
            (1..=12).contains(&extension.len())
                && extension.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                && !extension.bytes().all(|b| b.is_ascii_digit())
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let prose = Prose::of(text, 0..text.len());
        let list = list(&prose);
        for path in &list.value {
            assert_eq!(&text[path.span.clone()], path.value);
        }
        list.value.into_iter().map(|path| path.value).collect()
    }

    #[test]
    fn paths_as_people_list_them() {
        for (text, expected) in [
            ("src/a.rs, src/b.rs", &["src/a.rs", "src/b.rs"][..]),
            (
                "src/a.rs\n  src/b.rs (new)\n- Cargo.toml — the list",
                &["src/a.rs", "src/b.rs", "Cargo.toml"],
            ),
            ("- Modify: `src/a.rs`\n- **Create:** src/b.rs", &["src/a.rs", "src/b.rs"]),
            ("@src/a.rs\n- `src/c.ts:10-20` — the loop", &["src/a.rs", "src/c.ts"]),
            (
                "src/app/[locale]/page.tsx, src/**/*.rs",
                &["src/app/[locale]/page.tsx", "src/**/*.rs"],
            ),
            ("None (npm install only)", &[]),
            ("N/A", &[]),
            ("Dockerfile, .env.example, Makefile", &["Dockerfile", ".env.example", "Makefile"]),
            ("[src/a.rs, src/b.rs]", &["src/a.rs", "src/b.rs"]),
            ("`src/a.rs` calls `run()`", &["src/a.rs"]),
            ("version 1.2 of the thing", &[]),
        ] {
            assert_eq!(paths(text), expected, "{text}");
        }
    }

    #[test]
    fn references_with_places() {
        let text = "@.planning/STATE.md\r\n- @src/a.rs and `@src/b.rs`, not mail@host\r\n";
        let found = references(&Prose::of(text, 0..text.len()));
        assert_eq!(
            found.iter().map(|found| found.value.as_str()).collect::<Vec<_>>(),
            [".planning/STATE.md", "src/a.rs", "src/b.rs"]
        );
        for reference in found {
            assert_eq!(text[reference.span.clone()], reference.value);
        }
    }
}
