//! Text of a reviewer as a part of our Markdown: readable, and unable to be structure.
//!
//! The reader of this file is a parser that an attacker feeds. So nothing depends on guessing where
//! a block of the text ends: headings, underlines and rules are rewritten wherever they could be
//! one, also where they are not. Only inside a fence are lines left alone, and a fence is always
//! written at the first column, where every Markdown reader agrees that it begins and ends.
//!
//! What a line may still do: emphasis, lists, quotations, tables, code, and links that lead into
//! the repository.

mod line;

use self::line::line;
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
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let (word, split) = OURS
            .into_iter()
            .find(|(word, _)| starts_ignoring_case(rest, word))
            .unwrap_or((&rest[..c.len_utf8()], 0));
        out.push_str(&rest[..split]);
        if split > 0 {
            out.push('\\');
        }
        out.push_str(&rest[split..word.len()]);
        rest = &rest[word.len()..];
    }
    out
}

fn starts_ignoring_case(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
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
        // Some readers take a colon for the definition of the line above, and a block of its own.
        let colon = if body.starts_with(':') { "\\" } else { "" };
        self.out.push(format!("{prefix}{colon}{text}"));
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
    if after.starts_with([' ', '\t']) && !after.trim_start().is_empty() { length } else { 0 }
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

#[cfg(test)]
mod tests;
