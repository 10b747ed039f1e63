//! `*-CONTEXT.md`: what the user decided, and what was put off.

use super::blocks::{self, Blocks};
use super::fields::fold;
use super::frontmatter::locate;
use super::markdown::{Heading, Page, bare};
use super::paths;
use super::plan::Document;
use super::requirements::listed;
use super::spanned::{Prose, Spanned, trim};
use crate::diag::Span;

/// `*-CONTEXT.md`.
#[derive(Debug, Clone)]
pub struct Context {
    pub document: Document,
    pub decisions: Vec<Decision>,
    /// Ideas that are not to be built now.
    pub deferred: Vec<Spanned<String>>,
    /// Paths that agents are told to read.
    pub canonical_refs: Vec<Spanned<String>>,
    pub domain: Option<Prose>,
    pub specifics: Option<Prose>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// `D-01`; `None` for a decision without an id.
    pub id: Option<Spanned<String>>,
    /// What was decided, without the id.
    pub text: Spanned<String>,
}

/// Reads a context.
pub(super) fn read(document: Document) -> Context {
    let text = document.file.text();
    let page = Page::new(text, locate(text).map_or(0, |fenced| fenced.outer.end));
    let headings = page.headings();
    let blocks = blocks::read(&page);
    let part = |name: &str, titles: &[&str]| part(&page, &headings, &blocks, name, titles);

    let deferred_at = part("deferred", &["deferred ideas", "deferred", "deferred items"]);
    let decided = part("decisions", &["implementation decisions", "decisions", "locked decisions"]);
    let deferred = deferred_at.iter().flat_map(|span| ideas(&page, span.clone())).collect();
    let mut decisions = numbered(&page, deferred_at.as_ref());
    if decisions.is_empty() {
        decisions = decided.iter().flat_map(|span| unnumbered(&page, span.clone())).collect();
    }
    let canonical_refs = part("canonical_refs", &["canonical references", "canonical refs"])
        .map(|span| paths::list(&Prose::of(text, span)).value)
        .unwrap_or_default();
    let prose = |span: Option<Span>| span.map(|span| Prose::of(text, span));
    Context {
        decisions,
        deferred,
        canonical_refs,
        domain: prose(part("domain", &["domain", "phase boundary"])),
        specifics: prose(part("specifics", &["specific ideas", "specifics"])),
        document,
    }
}

/// The block of a name, else what stands below the first heading with one of the titles.
fn part(
    page: &Page<'_>,
    headings: &[Heading],
    blocks: &Blocks,
    name: &str,
    titles: &[&str],
) -> Option<Span> {
    if let Some(block) = blocks.find(name) {
        return Some(block.inner.clone());
    }
    let at = headings.iter().position(|heading| {
        let title = bare(&page.text[heading.title.clone()]).trim_end_matches(':').to_lowercase();
        titles.contains(&title.as_str())
    })?;
    let lines = page.section(headings, at);
    Some(trim(page.text, page.span(lines.start, lines.end))).filter(|span| !span.is_empty())
}

/// Everything that begins with `D-NN`, wherever it stands but among what was put off.
fn numbered(page: &Page<'_>, deferred: Option<&Span>) -> Vec<Decision> {
    let mut found: Vec<Decision> = vec![];
    let mut open = false;
    for index in 0..page.lines.len() {
        let line = page.lines[index];
        let shown = page.line(index).trim();
        let away = deferred.is_some_and(|span| span.contains(&line.start));
        if shown.is_empty() || line.fenced || away {
            open = false;
            continue;
        }
        let item = page.item(index);
        let body = match (&item, page.heading(index)) {
            (_, Some(heading)) => heading.title,
            (Some(item), None) => item.body.clone(),
            (None, None) => trim(page.text, line.start..line.end),
        };
        if let Some((id, rest)) = decision_id(page.text, body) {
            let mut value = fold(&page.text[rest.clone()]);
            // The bold text that held the id ends somewhere behind it.
            if value.matches("**").count() % 2 == 1 {
                value = value.replacen("**", "", 1);
            }
            let text = Spanned::new(value, rest);
            found.push(Decision { id: Some(id), text });
            open = true;
        } else if open
            && page.heading(index).is_none()
            && !shown.starts_with('<')
            && (item.is_none() || page.line(index).starts_with([' ', '\t']))
        {
            // A line that goes on, or a list below the decision.
            if let Some(last) = found.last_mut() {
                if !last.text.value.is_empty() {
                    last.text.value.push(' ');
                }
                last.text.value.push_str(&fold(shown));
                last.text.span.end = trim(page.text, line.start..line.end).end;
            }
        } else {
            open = false;
        }
    }
    found
}

/// `D-01`, `**D-01:**`, `**D-01 (locked)** —`, `[D-01]`, `D-7a.`
fn decision_id(text: &str, span: Span) -> Option<(Spanned<String>, Span)> {
    let shown = &text[span.clone()];
    let from = shown.len() - shown.trim_start_matches(['*', '_', '`', '[', '~', ' ']).len();
    let length = id_length(&shown[from..])?;
    let at = span.start + from;
    let after = &shown[from + length..];
    // What stands in bold beside the id is the title of the decision and stays; marks go.
    let rest = after.trim_start_matches(['*', '_', '`', ']', ':', '.', ' ', '—', '–', ')']);
    let rest = rest.strip_prefix("- ").unwrap_or(rest);
    let id = Spanned::new(shown[from..from + length].to_owned(), at..at + length);
    Some((id, span.end - rest.len()..span.end))
}

/// How long the `D-NN` is that a text begins with.
pub(super) fn id_length(text: &str) -> Option<usize> {
    let digits = text.strip_prefix("D-")?;
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    if count == 0 || count > 4 {
        return None;
    }
    let rest = &digits[count..];
    let letter = usize::from(
        rest.starts_with(|c: char| c.is_ascii_lowercase())
            && !rest[1..].starts_with(|c: char| c.is_alphanumeric()),
    );
    let ends = !rest[letter..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    ends.then_some(2 + count + letter)
}

/// The items of the decisions, without what is left to whoever builds it.
fn unnumbered(page: &Page<'_>, span: Span) -> Vec<Decision> {
    let mut parts = vec![];
    let mut from = span.start;
    let mut free = false;
    let first = page.line_at(span.start);
    for index in first..=page.line_at(span.end.max(span.start + 1) - 1) {
        let Some(heading) = page.heading(index) else { continue };
        if !free && from < page.lines[index].start {
            parts.push(from..page.lines[index].start);
        }
        free = page.text[heading.title].to_lowercase().contains("discretion");
        from = page.lines[index].end;
    }
    if !free && from < span.end {
        parts.push(from..span.end);
    }
    let lists = parts.into_iter().filter(|part| {
        // Paragraphs explain; only lists decide.
        let part = trim(page.text, part.clone());
        !part.is_empty()
            && (page.line_at(part.start)..=page.line_at(part.end - 1))
                .any(|index| page.item(index).is_some())
    });
    lists.flat_map(|part| listed(page.text, part)).map(|text| Decision { id: None, text }).collect()
}

/// What was put off, without the sentence that nothing was.
fn ideas(page: &Page<'_>, span: Span) -> Vec<Spanned<String>> {
    let mut found = vec![];
    let first = page.line_at(span.start);
    let last = page.line_at(span.end.max(span.start + 1) - 1);
    let mut from = first;
    for index in first..=last + 1 {
        // Headings inside cut the text into lists of their own.
        if index > last || page.heading(index).is_some() {
            let lines = page.span(from, index);
            let lines = lines.start.max(span.start)..lines.end.min(span.end);
            if lines.start < lines.end {
                found.extend(listed(page.text, lines));
            }
            from = index + 1;
        }
    }
    found.retain(|idea| {
        let word = bare(&idea.value).to_lowercase();
        !(word.starts_with("none") || word.starts_with("n/a") || word.starts_with("nothing"))
    });
    found
}
