//! The blocks of a plan: XML-like, and not XML.
//!
//! Bodies hold unescaped `<` and `&`, code fences, and blocks that nobody closed. Only tags with
//! the shape of a block's name count, never those in fences, code spans or comments. Time is
//! linear: each tag is looked at a bounded number of times.

use super::markdown::Page;
use super::spanned::{Prose, Spanned, trim};
use crate::diag::Span;
use std::collections::HashMap;

/// Blocks that stand by themselves.
const OUTER: [&str; 16] = [
    "objective",
    "execution_context",
    "context",
    "interfaces",
    "tasks",
    "verification",
    "success_criteria",
    "output",
    "threat_model",
    "domain",
    "decisions",
    "canonical_refs",
    "code_context",
    "specifics",
    "deferred",
    "must_haves",
];

/// Parts of a task.
const PARTS: [&str; 17] = [
    "name",
    "title",
    "files",
    "read_first",
    "precondition",
    "reversibility",
    "behavior",
    "action",
    "implementation",
    "verify",
    "automated",
    "acceptance_criteria",
    "done",
    "what_built",
    "how_to_verify",
    "options",
    "resume_signal",
];

/// The names of all tags that are part of a plan's structure, with `_` for `-`.
pub fn plan_tags() -> impl Iterator<Item = &'static str> {
    OUTER.into_iter().chain(PARTS).chain(TASKS)
}

/// Whether a tag of this name is part of a plan's structure.
pub fn is_structural(name: &str) -> bool {
    let name = name.replace('-', "_");
    let name = name.as_str();
    OUTER.contains(&name) || PARTS.contains(&name) || is_task(name)
}

/// A `<feature>` is how test-first plans write their one task.
const TASKS: [&str; 2] = ["task", "feature"];

fn is_task(name: &str) -> bool {
    TASKS.contains(&name)
}

/// A tag.
#[derive(Debug, Clone)]
struct Tag {
    /// With `-` as `_`.
    name: String,
    closing: bool,
    /// `<x/>`.
    alone: bool,
    /// Only white space stands before it on its line.
    leads: bool,
    span: Span,
    /// Between the name and `>`.
    attributes: Span,
}

/// A block and what stands in it.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) name: String,
    /// The opening tag.
    pub(super) head: Span,
    pub(super) attributes: Vec<Attribute>,
    pub(super) inner: Span,
    /// With both tags.
    pub(super) outer: Span,
    pub(super) closed: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) value: Spanned<String>,
}

impl Block {
    pub(super) fn attribute(&self, name: &str) -> Option<&Spanned<String>> {
        self.attributes.iter().find(|found| found.name == name).map(|found| &found.value)
    }

    pub(super) fn prose(&self, text: &str) -> Prose {
        Prose::of(text, self.inner.clone())
    }
}

/// A task block and its parts, in order.
#[derive(Debug, Clone)]
pub(super) struct TaskBlock {
    pub(super) block: Block,
    pub(super) parts: Vec<Block>,
}

/// Everything that is written in blocks.
#[derive(Debug, Clone, Default)]
pub(super) struct Blocks {
    pub(super) outer: Vec<Block>,
    pub(super) tasks: Vec<TaskBlock>,
}

impl Blocks {
    /// The first block of a name that says anything.
    pub(super) fn find(&self, name: &str) -> Option<&Block> {
        self.outer.iter().find(|block| block.name == name && !block.inner.is_empty())
    }
}

/// Reads the blocks of a page.
pub(super) fn read(page: &Page<'_>) -> Blocks {
    let tags = tags(page);
    let links = Links::of(&tags);
    let mut blocks = Blocks::default();
    let mut at = 0;
    while at < tags.len() {
        let tag = &tags[at];
        if tag.closing || !tag.leads {
            at += 1;
        } else if is_task(&tag.name) {
            let (task, next) = task(page, &tags, &links, at);
            blocks.tasks.push(task);
            at = next;
        } else {
            if OUTER.contains(&tag.name.as_str()) {
                blocks.outer.push(outer(page, &tags, &links, at));
            }
            at += 1;
        }
    }
    blocks
}

/// For each tag, the next tags of its name, found in one walk so that no look-ahead is repeated.
struct Links {
    closing: Vec<Option<usize>>,
    /// The next opening one that leads its line.
    opening: Vec<Option<usize>>,
}

impl Links {
    fn of(tags: &[Tag]) -> Self {
        let mut next: HashMap<&str, (Option<usize>, Option<usize>)> = HashMap::new();
        let mut links = Self { closing: vec![None; tags.len()], opening: vec![None; tags.len()] };
        for (index, tag) in tags.iter().enumerate().rev() {
            let (closing, opening) = next.entry(tag.name.as_str()).or_default();
            links.closing[index] = *closing;
            links.opening[index] = *opening;
            if tag.closing {
                *closing = Some(index);
            } else if tag.leads {
                *opening = Some(index);
            }
        }
        links
    }
}

fn outer(page: &Page<'_>, tags: &[Tag], links: &Links, at: usize) -> Block {
    let again = links.opening[at];
    match links.closing[at].filter(|close| again.is_none_or(|again| *close < again)) {
        Some(close) => block(page, tags, at, tags[close].span.start, Some(close)),
        None => {
            let end = tags[at + 1..]
                .iter()
                .find(|tag| tag.leads && (OUTER.contains(&tag.name.as_str()) || is_task(&tag.name)))
                .map_or(page.text.len(), |tag| tag.span.start);
            block(page, tags, at, end, None)
        }
    }
}

fn block(page: &Page<'_>, tags: &[Tag], at: usize, end: usize, close: Option<usize>) -> Block {
    let tag = &tags[at];
    let (inner, outer_end) = if tag.alone {
        (tag.span.end..tag.span.end, tag.span.end)
    } else {
        let inner = trim(page.text, tag.span.end..end.max(tag.span.end));
        let outer_end = close.map_or(inner.end, |close| tags[close].span.end);
        (inner, outer_end)
    };
    Block {
        name: tag.name.clone(),
        head: tag.span.clone(),
        attributes: attributes(page.text, tag.attributes.clone()),
        inner,
        outer: tag.span.start..outer_end,
        closed: tag.alone || close.is_some(),
    }
}

/// Reads the task whose tag is at `at`; returns the tag to go on with.
fn task(page: &Page<'_>, tags: &[Tag], links: &Links, at: usize) -> (TaskBlock, usize) {
    // Tasks do not nest: the next one, or the end of all tasks, ends one that is not closed.
    let end = tags[at + 1..]
        .iter()
        .position(|tag| tag.leads && ends_task(&tags[at].name, tag))
        .map_or(tags.len(), |offset| at + 1 + offset);
    let close = links.closing[at].filter(|close| *close <= end && !tags[at].alone);
    let end = if tags[at].alone { at + 1 } else { close.unwrap_or(end) };
    let end_offset = tags.get(end).map_or(page.text.len(), |tag| tag.span.start);
    let mut parts = vec![];
    let mut inner = at + 1;
    while inner < end {
        let tag = &tags[inner];
        if tag.closing || !(tag.leads || PARTS.contains(&tag.name.as_str())) {
            inner += 1;
            continue;
        }
        let close = links.closing[inner].filter(|close| *close < end && !tag.alone);
        // A lone tag of an unknown name is a placeholder in prose, such as `<branch>`.
        if close.is_none() && !tag.alone && !PARTS.contains(&tag.name.as_str()) {
            inner += 1;
            continue;
        }
        let part_end = match close {
            Some(close) => close,
            None if tag.alone => inner,
            // Not closed: it ends where the next part begins.
            None => (inner + 1..end)
                .find(|next| {
                    let next = &tags[*next];
                    next.leads && !next.closing && PARTS.contains(&next.name.as_str())
                })
                .unwrap_or(end),
        };
        let offset = tags.get(part_end).map_or(page.text.len(), |tag| tag.span.start);
        parts.push(block(page, tags, inner, offset.min(end_offset), close));
        inner = part_end.max(inner + 1);
    }
    let next = match close {
        Some(close) => close + 1,
        None => end,
    };
    (TaskBlock { block: block(page, tags, at, end_offset, close), parts }, next.max(at + 1))
}

fn ends_task(name: &str, tag: &Tag) -> bool {
    match tag.name.as_str() {
        "tasks" => tag.closing,
        "task" | "feature" => !tag.closing || tag.name == name,
        "verification" | "success_criteria" | "output" => !tag.closing,
        _ => false,
    }
}

/// All tags of the page, in order.
fn tags(page: &Page<'_>) -> Vec<Tag> {
    let mut found = vec![];
    let mut comment = false;
    let last_comment_end = page.text.rfind("-->");
    for line in &page.lines {
        if line.fenced {
            continue;
        }
        let text = &page.text[line.start..line.end];
        let bytes = text.as_bytes();
        let last_tick = text.rfind('`');
        let mut ticks = 0usize;
        let mut leads = true;
        let mut at = 0;
        while at < bytes.len() {
            if comment {
                match text[at..].find("-->") {
                    Some(end) => {
                        comment = false;
                        at += end + 3;
                    }
                    None => break,
                }
                continue;
            }
            match bytes[at] {
                b'`' => {
                    ticks += 1;
                    leads = false;
                    at += 1;
                }
                b'<' if text[at..].starts_with("<!--") => {
                    // A comment that never ends hides nothing.
                    comment = last_comment_end.is_some_and(|end| end > line.start + at);
                    at += 4;
                }
                b'<' => {
                    let in_code = ticks % 2 == 1 && last_tick.is_some_and(|tick| tick > at);
                    match tag(text, at).filter(|_| !in_code) {
                        Some((mut tag, end)) => {
                            tag.leads = leads;
                            tag.span = line.start + at..line.start + end;
                            tag.attributes =
                                line.start + tag.attributes.start..line.start + tag.attributes.end;
                            found.push(tag);
                            at = end;
                        }
                        None => {
                            leads = false;
                            at += 1;
                        }
                    }
                }
                byte => {
                    leads = leads && byte.is_ascii_whitespace();
                    at += 1;
                }
            }
        }
    }
    found
}

/// The tag at `at` of a line, and where it ends. Spans count within the line.
fn tag(line: &str, at: usize) -> Option<(Tag, usize)> {
    let bytes = line.as_bytes();
    let closing = bytes.get(at + 1) == Some(&b'/');
    let start = at + 1 + usize::from(closing);
    let length = bytes[start..]
        .iter()
        .take(MAX_NAME + 1)
        .take_while(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'-'))
        .count();
    if length == 0 || length > MAX_NAME {
        return None;
    }
    let name_end = start + length;
    let close = bytes[name_end..]
        .iter()
        .take(MAX_ATTRIBUTES)
        .position(|b| matches!(b, b'>' | b'<'))
        .map(|offset| name_end + offset)
        .filter(|close| bytes[*close] == b'>')?;
    let alone = bytes[close - 1] == b'/' && !closing;
    let attributes = name_end..close - usize::from(alone);
    let separated = bytes.get(name_end).is_some_and(u8::is_ascii_whitespace);
    if !attributes.is_empty() && (closing || !separated) {
        // `</name >` is a closing tag; `<Vec::new>` and `<a/b>` are none.
        if !(closing && line[attributes.clone()].trim().is_empty()) {
            return None;
        }
    }
    let name = line[start..name_end].replace('-', "_");
    let tag = Tag { name, closing, alone, leads: false, span: at..close + 1, attributes };
    Some((tag, close + 1))
}

const MAX_NAME: usize = 40;
const MAX_ATTRIBUTES: usize = 1024;

/// `type="auto"`, `type='auto'`, `type=auto`; a lone name has the value `true`.
fn attributes(text: &str, span: Span) -> Vec<Attribute> {
    let mut found = vec![];
    let mut at = span.start;
    while at < span.end {
        let rest = &text[at..span.end];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.is_empty() {
            break;
        }
        let length = trimmed.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(trimmed.len());
        let name = trimmed[..length].to_owned();
        let name_span = at..at + length;
        at += length;
        let Some(value) = text[at..span.end].strip_prefix('=') else {
            found.push(Attribute { name, value: Spanned::new("true".to_owned(), name_span) });
            continue;
        };
        at += 1;
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (start, length, skip) = match quote {
            Some(quote) => {
                let length = value[1..].find(quote).unwrap_or(value.len() - 1);
                (at + 1, length, (length + 2).min(value.len()))
            }
            None => {
                let length = value.find(char::is_whitespace).unwrap_or(value.len());
                (at, length, length)
            }
        };
        let value = Spanned::new(text[start..start + length].to_owned(), start..start + length);
        found.push(Attribute { name, value });
        // An empty value between two spaces must not stop the walk.
        at += skip;
    }
    found
}
