//! `REQUIREMENTS.md`: ids, what they say, for when they are meant, and who traces them.

use super::markdown::{Heading, Page, bare, items};
use super::number::PhaseNumber;
use super::plan::Document;
use super::spanned::{Prose, Spanned, slice, trim};
use crate::diag::Span;
use std::fmt;

/// `AUTH-01`, `V2-AUTH-01`, `R001`, as written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequirementId(String);

impl RequirementId {
    /// The id that the whole of `text` is.
    pub fn parse(text: &str) -> Option<Self> {
        (id_length(text) == Some(text.len())).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequirementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `REQUIREMENTS.md`.
#[derive(Debug, Clone)]
pub struct Requirements {
    pub document: Document,
    pub requirements: Vec<Requirement>,
    pub traceability: Vec<Trace>,
}

impl Requirements {
    pub fn find(&self, id: &RequirementId) -> Option<&Requirement> {
        self.requirements.iter().find(|requirement| requirement.id.value == *id)
    }
}

/// For when a requirement is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Horizon {
    Now,
    /// Under a heading for later versions.
    Later,
    OutOfScope,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    pub id: Spanned<RequirementId>,
    pub checked: Option<bool>,
    pub text: Spanned<String>,
    pub horizon: Horizon,
}

/// A row of a traceability table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    pub id: Spanned<RequirementId>,
    /// The other cells, as written.
    pub cells: Vec<Spanned<String>>,
    /// The phase that the row names, if it can be told.
    pub phase: Option<PhaseNumber>,
}

/// Reads the requirements.
pub(super) fn read(document: Document) -> Requirements {
    let page = Page::new(document.file.text(), 0);
    let mut requirements = vec![];
    let mut traceability = vec![];
    let mut scopes = Scopes::default();
    for index in 0..page.lines.len() {
        scopes.seen = !requirements.is_empty();
        if let Some(heading) = page.heading(index) {
            scopes.enter(&page.text[heading.title.clone()], heading.level);
            requirements.extend(under_heading(&page, &heading, scopes.now()));
        } else if !page.lines[index].fenced && page.line(index).trim_start().starts_with('|') {
            traceability.extend(row(&page, index));
        } else {
            requirements.extend(list_line(&page, index, scopes.now()));
        }
    }
    Requirements { document, requirements, traceability }
}

/// The horizons of the headings that enclose a line.
#[derive(Default)]
struct Scopes {
    open: Vec<(usize, Horizon)>,
    /// The first version that a heading names is the present one, unless requirements stood
    /// before it.
    version: Option<PhaseNumber>,
    /// Whether there were requirements yet.
    seen: bool,
}

impl Scopes {
    fn enter(&mut self, title: &str, level: usize) {
        self.open.retain(|(outer, _)| *outer < level);
        // The title of the document speaks of all of it.
        let horizon = if level == 1 { None } else { self.horizon(&title.to_lowercase()) };
        let horizon = horizon.unwrap_or_else(|| self.now());
        self.open.push((level, horizon));
    }

    fn horizon(&mut self, title: &str) -> Option<Horizon> {
        let says = |words: &[&str]| words.iter().any(|word| title.contains(word));
        if says(&["out of scope", "out-of-scope", "non-goal", "excluded", "will not", "won't"]) {
            return Some(Horizon::OutOfScope);
        }
        if says(&["later", "future", "deferred", "backlog", "next version", "next milestone"]) {
            return Some(Horizon::Later);
        }
        let version = title
            .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ':' | ','))
            .find_map(|word| PhaseNumber::parse(word.strip_prefix('v')?))?;
        match &self.version {
            Some(present) if version > *present => Some(Horizon::Later),
            Some(_) => Some(Horizon::Now),
            None if self.seen => Some(Horizon::Later),
            None => {
                self.version = Some(version);
                Some(Horizon::Now)
            }
        }
    }

    fn now(&self) -> Horizon {
        self.open.last().map_or(Horizon::Now, |(_, horizon)| *horizon)
    }
}

/// `- [ ] **A-01**: text`, `- [x] A-01 text`, `- **A-01** — text`, `**A-01**: text`.
fn list_line(page: &Page<'_>, index: usize, horizon: Horizon) -> Option<Requirement> {
    let line = page.lines[index];
    if line.fenced {
        return None;
    }
    let item = page.item(index);
    let (body, checked) = match item {
        Some(item) => (item.body, item.checked),
        None if page.line(index).trim_start().starts_with("**") => {
            (trim(page.text, line.start..line.end), None)
        }
        None => return None,
    };
    let (id, rest) = leading_id(page.text, body)?;
    // Lines that are indented below the item belong to it.
    let indent = |index: usize| {
        let line = page.line(index);
        line.len() - line.trim_start().len()
    };
    let own = indent(index);
    let end = (index + 1..page.lines.len())
        .find(|next| page.line(*next).trim().is_empty() || indent(*next) <= own)
        .unwrap_or(page.lines.len())
        .min(index + MAX_LINES);
    let prose = Prose::of(page.text, rest.start..page.span(index, end).end.max(rest.end));
    let text = Spanned::new(super::fields::fold(&prose.text()), prose.span);
    Some(Requirement { id, checked, text, horizon })
}

/// Lines that one requirement may have; a bound keeps nested lists linear.
const MAX_LINES: usize = 100;

/// `### A-01 — Title`.
fn under_heading(page: &Page<'_>, heading: &Heading, horizon: Horizon) -> Option<Requirement> {
    let (id, rest) = leading_id(page.text, heading.title.clone())?;
    Some(Requirement { id, checked: None, text: slice(page.text, rest), horizon })
}

/// The id that a text begins with, but for marks, and what follows it.
fn leading_id(text: &str, span: Span) -> Option<(Spanned<RequirementId>, Span)> {
    let shown = &text[span.clone()];
    let from = shown.len() - shown.trim_start_matches(['*', '`', '[', '_', '~', ' ']).len();
    let length = match id_length(&shown[from..]) {
        Some(length) => length,
        // `**SEC-HARDENING**: text`
        None if shown.starts_with("**") => {
            worded(&shown[from..]).filter(|length| shown[from + length..].starts_with("**"))?
        }
        None => return None,
    };
    let id = RequirementId(shown[from..from + length].to_owned());
    let at = span.start + from;
    let after = shown[from + length..]
        .trim_start_matches(['*', '`', ']', '_', '~', ':', ' ', '—', '–', '.', ')']);
    let after = after.strip_prefix("- ").unwrap_or(after);
    Some((Spanned::new(id, at..at + length), span.end - after.len()..span.end))
}

/// `| A-01 | Phase 1 | Pending |`; the first cell may hold a range.
fn row(page: &Page<'_>, index: usize) -> Vec<Trace> {
    let line = page.lines[index];
    let mut cells = vec![];
    let mut at = line.start;
    for cell in page.line(index).split('|') {
        cells.push(slice(page.text, at..at + cell.len()));
        at += cell.len() + 1;
    }
    let cells: Vec<_> = cells.into_iter().filter(|cell| !cell.value.is_empty()).collect();
    let Some((first, others)) = cells.split_first() else { return vec![] };
    if others.is_empty() || leading_id(page.text, first.span.clone()).is_none() {
        return vec![];
    }
    let phase = others.iter().find_map(|cell| {
        let word = bare(&cell.value);
        let number = word.get(..5).filter(|p| p.eq_ignore_ascii_case("phase")).map(|_| &word[5..]);
        let number = number.unwrap_or(word).trim();
        PhaseNumber::leading(number).map(|(number, _)| number)
    });
    ids_in(page.text, first.span.clone())
        .into_iter()
        .map(|id| Trace { id, cells: others.to_vec(), phase: phase.clone() })
        .collect()
}

/// How many ids a range may stand for.
const MAX_RANGE: u32 = 500;

/// All ids that a text names, ranges expanded: `A-01..A-07`, `A-03..09`, `A-01 through A-04`.
pub(super) fn ids_in(text: &str, span: Span) -> Vec<Spanned<RequirementId>> {
    let shown = &text[span.clone()];
    let mut found: Vec<Spanned<RequirementId>> = vec![];
    let mut at = 0;
    let mut inside_word = false;
    while let Some(c) = shown[at..].chars().next() {
        if inside_word || !c.is_ascii_uppercase() {
            inside_word = c.is_alphanumeric() || matches!(c, '-' | '_');
            at += c.len_utf8();
            continue;
        }
        let Some(length) = id_length(&shown[at..]) else {
            inside_word = true;
            at += 1;
            continue;
        };
        let id = &shown[at..at + length];
        let start = span.start + at;
        match range(id, &shown[at + length..]) {
            Some((ids, more)) => {
                let place = start..start + length + more;
                found.extend(ids.into_iter().map(|id| Spanned::new(id, place.clone())));
                at += length + more;
            }
            None => {
                found.push(Spanned::new(RequirementId(id.to_owned()), start..start + length));
                at += length;
            }
        }
        if found.len() > 10_000 {
            break;
        }
    }
    found
}

/// The ids in a field that holds nothing else, where one may have no number: `SEC-HARDENING`.
pub(super) fn ids_in_field(text: &str, span: Span) -> Vec<Spanned<RequirementId>> {
    let mut found = ids_in(text, span.clone());
    let mut at = span.start;
    for part in text[span].split([',', ';', '\n']) {
        let id = part.trim_start_matches(|c: char| !c.is_alphanumeric());
        let start = at + part.len() - id.len();
        if let Some(length) = worded(id) {
            let id = RequirementId(id[..length].to_owned());
            found.push(Spanned::new(id, start..start + length));
        }
        at += part.len() + 1;
    }
    found.sort_by_key(|id| id.span.start);
    found
}

/// How long an id without a number is that a text begins with: capital words joined by hyphens.
fn worded(text: &str) -> Option<usize> {
    let length = text
        .bytes()
        .take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'-')
        .count();
    let id = &text[..length];
    let words = id.split('-').count();
    let ends = !text[length..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let whole = words >= 2 && id.split('-').all(|word| word.len() >= 2);
    (whole && ends && length <= 60 && id_length(text).is_none()).then_some(length)
}

/// The ids from `first` to the end that `rest` names, and how many bytes name it.
fn range(first: &str, rest: &str) -> Option<(Vec<RequirementId>, usize)> {
    // Marks of emphasis and code may stand around either end.
    let open = rest.trim_start_matches(['*', '`', ']', ' ']);
    let operators = ["...", "..", "…", "–", "—", "through ", "thru ", "to "];
    let after = match operators.iter().find_map(|operator| open.strip_prefix(operator)) {
        Some(after) => after,
        None => open.strip_prefix("- ").filter(|_| rest.starts_with(' '))?,
    };
    let after = after.trim_start_matches([' ', '*', '`', '[']);
    let (prefix, digits) = split(first)?;
    let last = match id_length(after) {
        Some(length) => {
            let (last_prefix, last) = split(&after[..length])?;
            (last_prefix == prefix).then_some((last, length))?
        }
        None => {
            let length = after.bytes().take_while(u8::is_ascii_digit).count();
            (length > 0).then_some((&after[..length], length))?
        }
    };
    let (from, to): (u32, u32) = (digits.parse().ok()?, last.0.parse().ok()?);
    if to < from || to - from > MAX_RANGE {
        return None;
    }
    let width = digits.len();
    let ids = (from..=to).map(|n| RequirementId(format!("{prefix}{n:0width$}"))).collect();
    Some((ids, rest.len() - after.len() + last.1))
}

/// The part before the last digits, and those digits.
fn split(id: &str) -> Option<(&str, &str)> {
    let at = id.len() - id.bytes().rev().take_while(u8::is_ascii_digit).count();
    (at < id.len()).then(|| id.split_at(at))
}

/// How long the id is that a text begins with: upper-case words joined by `-`, the last of which
/// begins with a digit (`AUTH-01`, `V2-AUTH-3a`), or letters and at least two digits (`R001`).
fn id_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if !bytes.first()?.is_ascii_uppercase() {
        return None;
    }
    let word = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || **b == b'_')
            .count()
    };
    let mut at = word(0);
    let letters = bytes[..at].iter().take_while(|b| b.is_ascii_uppercase()).count();
    let digits = bytes[letters..at].iter().all(u8::is_ascii_digit);
    let mut numbered = digits && at - letters >= 2;
    while bytes.get(at) == Some(&b'-') {
        let length = word(at + 1);
        if length == 0 {
            break;
        }
        numbered = bytes[at + 1].is_ascii_digit();
        at += 1 + length;
        if at > 60 {
            return None;
        }
    }
    if numbered && bytes.get(at).is_some_and(u8::is_ascii_lowercase) {
        at += 1;
    }
    let ends = !bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    (numbered && ends && at <= 60).then_some(at)
}

/// The items of a prose, for readers of other documents.
pub(super) fn listed(text: &str, span: Span) -> Vec<Spanned<String>> {
    items(&Prose::of(text, span).lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_ranges() {
        for (text, expected) in [
            ("A-01, A-02", &["A-01", "A-02"][..]),
            ("A-01..A-03", &["A-01", "A-02", "A-03"]),
            ("A-08..10, B-1", &["A-08", "A-09", "A-10", "B-1"]),
            ("**A-01** – **A-02** and V2-AUTH-03", &["A-01", "A-02", "V2-AUTH-03"]),
            ("A-01 through A-02", &["A-01", "A-02"]),
            ("E2E-05, PERF-04 (partial), R001", &["E2E-05", "PERF-04", "R001"]),
            ("none: infrastructure-only, Phase 3, SHA-256abc", &[]),
            ("xA-01 a-A-02", &[]),
            ("A-01..A-900", &["A-01", "A-900"]),
            ("A-05..A-01", &["A-05", "A-01"]),
            ("A-01..B-03", &["A-01", "B-03"]),
            ("[A-01](#a)", &["A-01"]),
            ("SEC-IDOR-USERS, `SEC-HARDENING` (late)", &["SEC-IDOR-USERS", "SEC-HARDENING"]),
            ("RT-01–03", &["RT-01", "RT-02", "RT-03"]),
            ("TBD", &[]),
        ] {
            let found = ids_in_field(text, 0..text.len());
            for id in &found {
                assert!(text.get(id.span.clone()).is_some_and(|t| t.len() >= 3), "{text}");
            }
            let ids: Vec<_> = found.iter().map(|id| id.value.as_str()).collect();
            assert_eq!(ids, expected, "{text}");
        }
    }
}
