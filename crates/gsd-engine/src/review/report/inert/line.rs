//! One line of a reviewer's text: code stays code, links lead into the repository or nowhere.

use super::{OURS, code, neutral, starts_ignoring_case};
use crate::review::report::links::Links;

/// How far the end of a link or of code is looked for. What goes on for longer is neither: a line
/// of many openings would be read from each of them to its end.
const MAX_LOOK: usize = 4096;
/// Brackets inside brackets that are followed, for the same reason.
const MAX_NESTING: usize = 16;

/// One line, made inert. It ends every code span that it begins, so that what stands between
/// backticks is the same for every reader.
pub(super) fn line(text: &str, links: &Links<'_>) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    // In a row of a table a bar ends a cell even inside code, and with it the code.
    let torn = text.contains('|')
        && ["<", "](", "//", "www."].iter().any(|mark| text.contains(mark))
        && has_bar_in_code(text);
    spans(text, links, &Mode { links: true, code: !torn, start: true }, &mut out);
    out
}

#[derive(Clone, Copy)]
struct Mode {
    /// Whether links may be made; not inside the text of one.
    links: bool,
    /// Whether backticks may make code.
    code: bool,
    /// Whether the text begins its line.
    start: bool,
}

fn spans(text: &str, links: &Links<'_>, mode: &Mode, out: &mut String) {
    let last_definition = if mode.start { text.rfind("]:") } else { None };
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let c = rest.chars().next().expect("the position is before the end");
        if let Some(length) = address(text, at) {
            apart(out);
            out.push_str(&code(&rest[..length]));
            at += length;
            continue;
        }
        match c {
            '\\' => {
                let next = rest[1..].chars().next();
                match next {
                    Some(mark) if mark.is_ascii_punctuation() => {
                        out.push('\\');
                        out.push(mark);
                        at += 1 + mark.len_utf8();
                    }
                    // At the end of a line it would join what follows.
                    Some(_) | None => {
                        out.push_str("\\\\");
                        at += 1;
                    }
                }
            }
            '`' => {
                apart(out);
                let run = rest.len() - rest.trim_start_matches('`').len();
                match code_end(rest, run).filter(|_| mode.code) {
                    Some(end) => {
                        out.push_str(&neutral(&rest[..end]));
                        at += end;
                    }
                    None => {
                        out.push_str(&"\\`".repeat(run));
                        at += run;
                    }
                }
            }
            '<' => {
                out.push_str("&lt;");
                at += 1;
            }
            // Formulas are code to the readers that know them, and would pair with our backticks.
            '$' => {
                out.push_str("\\$");
                at += 1;
            }
            '!' if rest[1..].starts_with('[') => match link(&rest[1..]) {
                Some(link) => {
                    out.push_str("image: ");
                    spans(link.text, links, &Mode { links: false, start: false, ..*mode }, out);
                    out.push_str(&format!(" ({})", code(link.destination)));
                    at += 1 + link.length;
                }
                None => {
                    out.push_str("\\!");
                    at += 1;
                }
            },
            '[' => {
                let defines = last_definition.is_some_and(|last| last >= at);
                at += bracket(rest, defines, links, mode, out);
            }
            ']' if rest[1..].starts_with(['(', '[']) => {
                out.push_str("\\]");
                at += 1;
            }
            'c' | 'C' | 'g' | 'G' => {
                let word = OURS.iter().find(|(word, _)| starts_ignoring_case(rest, word));
                let length = word.map_or(1, |(word, _)| word.len());
                out.push_str(&neutral(&rest[..length]));
                at += length;
            }
            c => {
                out.push(c);
                at += c.len_utf8();
            }
        }
    }
}

/// Keeps two runs of backticks from becoming one.
fn apart(out: &mut String) {
    if out.ends_with('`') {
        out.push(' ');
    }
}

/// Writes what the opening bracket that begins a text opens, and returns how many bytes that was.
/// `defines` says whether a definition may stand behind it.
fn bracket(rest: &str, defines: bool, links: &Links<'_>, mode: &Mode, out: &mut String) -> usize {
    if !mode.links {
        out.push_str("\\[");
        return 1;
    }
    if let Some(found) = link(rest) {
        let inner = Mode { links: false, start: false, ..*mode };
        match links.within_repository(found.destination) {
            Some(target) => {
                out.push('[');
                spans(found.text, links, &inner, out);
                out.push_str(&format!("]({target})"));
            }
            None => {
                // Without its brackets the text could open a block: `[# x](…)` a heading.
                let harmless = found.text.starts_with(char::is_alphabetic);
                out.push_str(if harmless { "" } else { "\\[" });
                spans(found.text, links, &inner, out);
                out.push_str(if harmless { "" } else { "\\]" });
                if found.text.trim() != found.destination {
                    out.push_str(&format!(" ({})", code(found.destination)));
                }
            }
        }
        return found.length;
    }
    // A label that is not closed on its line, or is defined on it, would make links elsewhere; two
    // brackets make one where notes are linked by name, and a caret makes a footnote.
    let special = rest.starts_with("[[") || rest.starts_with("[^");
    if closing_bracket(rest).is_none() || defines || special {
        out.push('\\');
    }
    out.push('[');
    1
}

struct Link<'a> {
    text: &'a str,
    destination: &'a str,
    length: usize,
}

/// An inline link that a text begins with.
fn link(text: &str) -> Option<Link<'_>> {
    let end = closing_bracket(text)?;
    let after = text[end + 1..].strip_prefix('(')?;
    let mut depth = 1;
    let mut close = None;
    for (at, c) in after.char_indices() {
        if at > MAX_LOOK || depth > MAX_NESTING {
            return None;
        }
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            close = Some(at);
            break;
        }
    }
    let close = close?;
    let inside = after[..close].trim();
    let destination = match inside.strip_prefix('<') {
        Some(rest) => rest.split('>').next().unwrap_or(rest),
        None => inside.split_whitespace().next().unwrap_or(""),
    };
    Some(Link { text: &text[1..end], destination, length: end + 2 + close + 1 })
}

/// The bracket that closes the one a text begins with; code and escapes are passed over.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() && at <= MAX_LOOK && depth <= MAX_NESTING {
        let rest = &text[at..];
        match rest.as_bytes()[0] {
            b'\\' => at += 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            b'`' => {
                let run = rest.len() - rest.trim_start_matches('`').len();
                at += code_end(rest, run).unwrap_or(run);
            }
            b'[' => {
                depth += 1;
                at += 1;
            }
            b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
                at += 1;
            }
            _ => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    None
}

/// Where the code span ends that a run of backticks begins.
fn code_end(text: &str, run: usize) -> Option<usize> {
    let text = within(text, run.saturating_add(MAX_LOOK));
    let mut at = run;
    while let Some(next) = text[at..].find('`') {
        let start = at + next;
        let length = text[start..].len() - text[start..].trim_start_matches('`').len();
        if length == run {
            return Some(start + length);
        }
        at = start + length;
    }
    None
}

/// The beginning of a text, at most so many bytes of it.
fn within(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let end = (0..=bytes).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

fn has_bar_in_code(text: &str) -> bool {
    let mut at = 0;
    while let Some(next) = text[at..].find('`') {
        let start = at + next;
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        match code_end(&text[start..], run) {
            Some(end) => {
                if text[start..start + end].contains('|') {
                    return true;
                }
                at = start + end;
            }
            None => at = start + run,
        }
    }
    false
}

/// The length of a web address at a position: some readers make a link of a bare one.
fn address(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let schemes = ["http://", "https://", "ftp://", "mailto:", "www.", "javascript:", "data:"];
    let scheme = schemes.iter().find(|scheme| {
        rest.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    })?;
    if text[..at].ends_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let end = rest
        .find(|c: char| c.is_whitespace() || "<>\"'`|[]{}\\*".contains(c))
        .unwrap_or(rest.len());
    let found = rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?']);
    let found = match found.strip_suffix(')') {
        Some(inner) if !inner.contains('(') => inner,
        Some(_) | None => found,
    };
    (found.len() > scheme.len()).then_some(found.len())
}
