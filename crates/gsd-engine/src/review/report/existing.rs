//! A report that is there already: what gsd wrote gives way, what people wrote stays.
//!
//! What gsd writes stands between two marks, the second with a digest of what is between. So a
//! later run can tell its own text, which is in the record's history, from text that somebody
//! added, also if he added it between the marks: then the whole of it is kept.

use super::inert;
use super::markdown::{self, KEYS};
use crate::review::record::{Kept, Record};
use sha2::{Digest, Sha256};

const BEGIN: &str = "<!-- gsd:review:begin -->";
const END: &str = "<!-- gsd:review:end sha256:";
const CLOSE: &str = " -->";

/// What a new run takes over from the last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Merged {
    pub kept: Kept,
    /// Earlier runs, newest first, each without its own history.
    pub history: Vec<Record>,
}

/// Takes over what must survive from an existing report and its record.
///
/// Text that gsd did not write is kept word for word. Where the record is missing, that is all of
/// the report, since nothing else remembers the earlier run.
pub fn merge_existing(old_markdown: Option<&str>, old_record: Option<Record>) -> Merged {
    let kept = match (old_markdown, &old_record) {
        (Some(text), record) => kept(text, record.as_ref()),
        (None, Some(record)) => record.kept.clone(),
        (None, None) => Kept::default(),
    };
    let mut history = vec![];
    if let Some(mut last) = old_record {
        let earlier = std::mem::take(&mut last.history);
        // What was kept is on top again; in each run it would only be repeated.
        last.kept = Kept::default();
        history.push(last);
        history.extend(earlier);
    }
    Merged { kept, history }
}

/// The region with its marks.
pub(super) fn mark(region: &str) -> String {
    format!("{BEGIN}\n{region}\n{END}{}{CLOSE}\n", digest(region))
}

fn digest(region: &str) -> String {
    // A checkout may have turned the ends of lines; that is nobody's edit.
    Sha256::digest(region.replace("\r\n", "\n").as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn kept(text: &str, record: Option<&Record>) -> Kept {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (front, body) = split_front(text);
    let region = find_region(body);
    let (frontmatter, replaced) = foreign_lines(front.unwrap_or(""));
    let mut parts: Vec<&str> = vec![];
    let shown;
    match &region {
        Some(region) => {
            parts.push(region.before);
            // Ours as it was written, and remembered: nothing to keep.
            let ours = region.untouched && record.is_some()
                || record.is_some_and(|record| markdown::region(record) == region.inside);
            if !ours {
                parts.push(region.inside);
            }
            parts.push(region.after);
        }
        None => {
            // A report of another hand: its frontmatter says when and by whom.
            if !replaced.is_empty() {
                shown = inert::fenced(&replaced, "yaml");
                parts.push(&shown);
            }
            parts.push(body);
        }
    }
    let body = parts
        .into_iter()
        .map(|part| part.trim_matches(['\n', '\r']))
        .filter(|part| !part.trim().is_empty())
        .collect::<Vec<_>>()
        .join("\n\n");
    Kept { frontmatter, body }
}

/// The lines between the marks of frontmatter, and what follows it.
fn split_front(text: &str) -> (Option<&str>, &str) {
    let Some(first) = text.lines().next().filter(|line| line.trim_end() == "---") else {
        return (None, text);
    };
    let start = text.find('\n').map_or(first.len(), |at| at + 1);
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return (Some(&text[start..at]), &text[at + line.len()..]);
        }
        at += line.len();
    }
    // Frontmatter that never ends is none.
    (None, text)
}

struct Region<'a> {
    before: &'a str,
    inside: &'a str,
    after: &'a str,
    untouched: bool,
}

fn find_region(body: &str) -> Option<Region<'_>> {
    let (mut at, mut begin) = (0, None);
    for line in body.split_inclusive('\n') {
        let bare = line.trim();
        match begin {
            None if bare == BEGIN => begin = Some((at, at + line.len())),
            Some((mark, start)) if bare.starts_with(END) && bare.ends_with(CLOSE) => {
                // A blank line that our own writing put before the mark is not of the region.
                let inside = &body[start..at];
                let inside = inside.strip_suffix('\n').unwrap_or(inside);
                let inside = inside.strip_suffix('\r').unwrap_or(inside);
                let written = bare[END.len()..].trim_end_matches(CLOSE).trim();
                return Some(Region {
                    before: &body[..mark],
                    inside,
                    after: &body[at + line.len()..],
                    untouched: digest(inside) == written,
                });
            }
            None | Some(_) => {}
        }
        at += line.len();
    }
    None
}

/// Splits frontmatter into the lines of keys that are not ours, and those that a new report
/// replaces.
fn foreign_lines(front: &str) -> (String, String) {
    let (mut foreign, mut ours) = (String::new(), String::new());
    let mut of_ours = false;
    for line in front.lines() {
        // A line that is indented and an item of a list belong to the key above them.
        let continues = line.starts_with([' ', '\t', '-']) || line.trim().is_empty();
        if line.starts_with('#') {
            // We write no remarks, so this one is somebody's.
            of_ours = false;
        } else if !continues {
            let key = line.split(':').next().unwrap_or("").trim().trim_matches(['"', '\'']);
            of_ours = KEYS.contains(&key);
        }
        let target = if of_ours { &mut ours } else { &mut foreign };
        target.push_str(line.trim_end_matches('\r'));
        target.push('\n');
    }
    (foreign, ours)
}
