//! Text of a reviewer as a part of our Markdown: readable, and unable to be structure.
//!
//! The reader of this file is a parser that an attacker feeds. So nothing depends on guessing where
//! a block of the text ends: headings, underlines and rules are rewritten wherever they could be
//! one, also where they are not. Only inside a fence are lines left alone, and a fence is always
//! written at the first column, where every Markdown reader agrees that it begins and ends.
//!
//! What a line may still do: emphasis, lists, quotations, tables, code, and links that lead into
//! the repository.

use super::links::Links;
use crate::text::is_deceptive;

/// Headings of a reviewer begin at this level, below all of ours.
const LEAST_LEVEL: usize = 4;
/// Frontmatter of a reviewer is looked for in so many lines.
const MAX_FRONTMATTER: usize = 100;

/// Lines of text, ended by a line break; nothing for a blank text.
pub(super) fn block(text: &str, links: &Links<'_>) -> String {
    let text = strip(text);
    let lines: Vec<&str> = text.trim_matches('\n').lines().collect();
    let mut writer = Writer { links, out: vec![], fence: None, paragraph: None };
    let mut rest = lines.as_slice();
    if let Some(end) = frontmatter(rest) {
        writer.out.push("```yaml".to_owned());
        writer.out.extend(rest[1..end].iter().map(|line| neutral(line)));
        writer.out.push("```".to_owned());
        rest = &rest[end + 1..];
    }
    for line in rest {
        writer.line(line);
    }
    if let Some(fence) = writer.fence.take() {
        writer.out.push(fence.marker());
    }
    while writer.out.last().is_some_and(|line| line.trim().is_empty()) {
        writer.out.pop();
    }
    if writer.out.is_empty() { String::new() } else { writer.out.join("\n") + "\n" }
}

/// A text as one line of inert Markdown that opens no block, wherever it stands.
pub(super) fn inline(text: &str, links: &Links<'_>) -> String {
    let one = strip(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let out = line(&one, links);
    let digits = out.bytes().take_while(u8::is_ascii_digit).count();
    let rule = out.chars().all(|c| "*_- ".contains(c));
    let opens = out.starts_with(['#', '>', '+', '-', '=', '~', '|', ':'])
        || out.starts_with("* ")
        || (rule && !out.is_empty());
    if digits > 0 && out[digits..].starts_with(['.', ')']) {
        format!("{}\\{}", &out[..digits], &out[digits..])
    } else if opens {
        format!("\\{out}")
    } else {
        out
    }
}

/// The same for a cell of a table.
pub(super) fn cell(text: &str, links: &Links<'_>) -> String {
    let mut out = String::new();
    let mut backslashes = 0;
    for c in inline(text, links).chars() {
        // A bar that is escaped already would lose its escape to a second one.
        if c == '|' && backslashes % 2 == 0 {
            out.push('\\');
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        out.push(c);
    }
    out
}

/// A text as a code span, whatever it holds.
pub(super) fn code(text: &str) -> String {
    let text = neutral(&strip(text).split_whitespace().collect::<Vec<_>>().join(" "));
    if text.is_empty() {
        return "(nothing)".to_owned();
    }
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A text in a fence that nothing inside can close.
pub(super) fn fenced(text: &str, info: &str) -> String {
    // What is stripped may stand between two backticks, so the runs are counted afterwards.
    let text = strip(text);
    let fence = "`".repeat(longest_run(&text, '`').max(2) + 1);
    let body: Vec<String> = text.trim_matches('\n').lines().map(neutral).collect();
    format!("{fence}{info}\n{}\n{fence}\n", body.join("\n"))
}

/// Text without what deceives the eye.
pub(super) fn strip(text: &str) -> String {
    text.replace("\r\n", "\n")
        .chars()
        .map(|c| if c == '\r' { '\n' } else { c })
        .filter(|c| matches!(c, '\n' | '\t') || !is_deceptive(*c))
        .collect()
}

/// What other programs look for in a report must come from us alone: the line of the convergence
/// loop, and the marks around what is ours. Each with the place of the backslash that breaks it.
const OURS: [(&str, usize); 2] = [("CYCLE_SUMMARY", 5), ("gsd:review:", 3)];

fn neutral(line: &str) -> String {
    let mut out = line.to_owned();
    for (word, split) in OURS {
        let mut from = 0;
        while let Some(at) = find_ignoring_case(&out[from..], word) {
            out.insert(from + at + split, '\\');
            from += at + word.len();
        }
    }
    out
}

fn find_ignoring_case(text: &str, word: &str) -> Option<usize> {
    let position =
        text.as_bytes().windows(word.len()).position(|w| w.eq_ignore_ascii_case(word.as_bytes()));
    position.filter(|at| text.is_char_boundary(*at))
}

fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// The line that closes the frontmatter a text begins with.
fn frontmatter(lines: &[&str]) -> Option<usize> {
    if lines.first()?.trim_end() != "---" {
        return None;
    }
    let end = lines[1..]
        .iter()
        .take(MAX_FRONTMATTER)
        .position(|line| matches!(line.trim_end(), "---" | "..."))?
        + 1;
    let keys = lines[1..end]
        .iter()
        .all(|line| line.is_empty() || line.starts_with([' ', '-', '#']) || line.contains(':'));
    // The closing marker of our own fence must not stand among them.
    let closes = lines[1..end].iter().any(|line| line.trim_start().starts_with("```"));
    (end > 1 && keys && !closes).then_some(end)
}

struct Fence {
    mark: char,
    length: usize,
    /// Columns before it in the text.
    indent: usize,
}

impl Fence {
    fn marker(&self) -> String {
        self.mark.to_string().repeat(self.length)
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let trimmed = line.trim();
        trimmed.len() >= self.length && trimmed.chars().all(|c| c == self.mark)
    }
}

struct Writer<'a> {
    links: &'a Links<'a>,
    out: Vec<String>,
    fence: Option<Fence>,
    /// How many lines of a paragraph outside every list stand at the end of `out`.
    paragraph: Option<usize>,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        if let Some(fence) = &self.fence {
            if fence.is_closed_by(text) {
                self.out.push(fence.marker());
                self.fence = None;
            } else {
                let inner = neutral(outdent(text, fence.indent));
                self.out.push(inner);
            }
            return;
        }
        let (prefix, body) = split_containers(text);
        if let Some((fence, info)) = opened_fence(prefix, body) {
            self.paragraph = None;
            self.out.push(format!("{}{info}", fence.marker()));
            self.fence = Some(fence);
            return;
        }
        if body.trim().is_empty() {
            self.paragraph = None;
            self.out.push(prefix.trim_end().to_owned());
            return;
        }
        let bare = body.trim();
        if bare.chars().all(|c| c == '=') || bare.chars().all(|c| c == '-') {
            return self.underline(prefix, bare);
        }
        let level = body.bytes().take_while(|b| *b == b'#').count();
        if (1..=6).contains(&level) && body[level..].starts_with([' ', '\t']) || level == body.len()
        {
            let level = (level + LEAST_LEVEL - 1).min(6);
            self.paragraph = None;
            let text = line(without_closing(body.trim_start_matches('#').trim()), self.links);
            self.out.push(format!("{prefix}{} {text}", "#".repeat(level)).trim_end().to_owned());
            return;
        }
        let continues = prefix.trim().is_empty();
        self.paragraph = match self.paragraph {
            Some(lines) if continues => Some(lines + 1),
            None if prefix.is_empty() && !body.starts_with('|') => Some(1),
            Some(_) | None => None,
        };
        let text = line(body, self.links);
        self.out.push(format!("{prefix}{text}"));
    }

    /// A line of nothing but `=` or `-`: an underline if a paragraph stands above it, else a rule.
    fn underline(&mut self, prefix: &str, bare: &str) {
        let heading = prefix.trim().is_empty() && self.paragraph == Some(1);
        self.paragraph = None;
        if heading && let Some(above) = self.out.pop() {
            let level = if bare.starts_with('=') { LEAST_LEVEL } else { LEAST_LEVEL + 1 };
            self.out.push(format!("{} {}", "#".repeat(level), above.trim()));
        } else if bare.starts_with('-') && bare.len() > 2 {
            // The other spelling of a rule underlines nothing.
            self.out.push(format!("{prefix}***"));
        } else {
            self.out.push(format!("{prefix}\\{bare}"));
        }
    }
}

/// The text of a heading without the marks that may close it.
fn without_closing(text: &str) -> &str {
    let open = text.trim_end_matches('#');
    if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { text }
}

/// Splits what opens quotations and list items off a line. A marker that is followed by nothing
/// stays with the rest: after a line of text it could be an underline.
fn split_containers(line: &str) -> (&str, &str) {
    let mut at = 0;
    loop {
        let rest = &line[at..];
        let trimmed = rest.trim_start_matches([' ', '\t']);
        let spaces = rest.len() - trimmed.len();
        let marker = if trimmed.starts_with('>') {
            1
        } else if trimmed.starts_with(['-', '*', '+']) {
            item_marker(trimmed, 1)
        } else {
            let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
            let point = trimmed[digits..].starts_with(['.', ')']);
            if (1..=9).contains(&digits) && point { item_marker(trimmed, digits + 1) } else { 0 }
        };
        at += spaces;
        if marker == 0 {
            return line.split_at(at);
        }
        at += marker;
    }
}

/// The length of a list marker, zero if no text follows it.
fn item_marker(text: &str, length: usize) -> usize {
    let after = &text[length..];
    if after.starts_with([' ', '\t']) && !after.trim().is_empty() { length } else { 0 }
}

/// A fence that a line opens. Fences of quotations are left to end with them.
fn opened_fence(prefix: &str, body: &str) -> Option<(Fence, String)> {
    let mark = body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = body.chars().take_while(|c| *c == mark).count();
    let info = body[length..].trim();
    if length < 3 || prefix.contains('>') || (mark == '`' && info.contains('`')) {
        return None;
    }
    let indent = prefix.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum();
    let word: String = info
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || "+-_.#".contains(*c))
        .take(30)
        .collect();
    Some((Fence { mark, length, indent }, neutral(&word)))
}

/// A line without up to `columns` of white space.
fn outdent(line: &str, columns: usize) -> &str {
    let mut left = columns;
    let mut rest = line;
    while left > 0 {
        if let Some(after) = rest.strip_prefix(' ') {
            left -= 1;
            rest = after;
        } else if let Some(after) = rest.strip_prefix('\t') {
            left = left.saturating_sub(4);
            rest = after;
        } else {
            break;
        }
    }
    rest
}

/// One line, made inert. It ends every code span that it begins, so that what stands between
/// backticks is the same for every reader.
fn line(text: &str, links: &Links<'_>) -> String {
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
            '[' => at += bracket(text, at, links, mode, out),
            ']' if rest[1..].starts_with(['(', '[']) => {
                out.push_str("\\]");
                at += 1;
            }
            'c' | 'C' | 'g' | 'G' => {
                let word = OURS.iter().find(|(word, _)| find_ignoring_case(rest, word) == Some(0));
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

/// Writes what an opening bracket begins and returns how many bytes of the text that was.
fn bracket(text: &str, at: usize, links: &Links<'_>, mode: &Mode, out: &mut String) -> usize {
    let rest = &text[at..];
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
                spans(found.text, links, &inner, out);
                if found.text.trim() != found.destination {
                    out.push_str(&format!(" ({})", code(found.destination)));
                }
            }
        }
        return found.length;
    }
    // A label that is not closed on its line, or is defined on it, would make links elsewhere; two
    // brackets make one where notes are linked by name, and a caret makes a footnote.
    let defines = mode.start && rest.contains("]:");
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
    while at < text.len() {
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

#[cfg(test)]
mod tests;
