//! `ROADMAP.md`: phases in lists, in sections, and in both.

use super::markdown::{Heading, Page, bare};
use super::number::PhaseNumber;
use super::plan::Document;
use super::requirements::{RequirementId, ids_in_field};
use super::spanned::{Prose, Spanned, slice, trim};
use crate::diag::Span;
use std::ops::Range;

/// `ROADMAP.md`.
#[derive(Debug, Clone)]
pub struct Roadmap {
    pub document: Document,
    /// One entry a phase, in the order of first mention; list line and section are joined.
    pub phases: Vec<RoadmapPhase>,
}

impl Roadmap {
    pub fn phase(&self, number: &PhaseNumber) -> Option<&RoadmapPhase> {
        self.phases.iter().find(|phase| phase.number == *number)
    }

    /// The phase that is marked as current, else the first one whose check box is empty.
    pub fn current(&self) -> Option<&RoadmapPhase> {
        let open = || self.phases.iter().filter(|phase| !phase.folded);
        let marked = open().find(|phase| phase.marked && phase.checked != Some(true));
        marked.or_else(|| open().find(|phase| phase.checked == Some(false)))
    }
}

/// A phase as the roadmap tells it.
#[derive(Debug, Clone)]
pub struct RoadmapPhase {
    pub number: PhaseNumber,
    pub name: String,
    /// The heading of its section, else its list line.
    pub span: Span,
    /// Its list line, if there is one.
    pub list_line: Option<Span>,
    /// From the heading to the next one of its level; `None` where it stands in lists only.
    pub section: Option<Span>,
    /// The check box of its list line; `None` where it has none.
    pub checked: Option<bool>,
    /// Inside `<details>`: a finished milestone.
    pub folded: bool,
    /// Marked `(INSERTED)`.
    pub inserted: bool,
    /// Marked as current or in progress.
    pub marked: bool,
    pub goal: Option<Spanned<String>>,
    pub depends_on: Option<Spanned<String>>,
    /// Ranges are expanded; each id has the place of the token that names it.
    pub requirements: Vec<Spanned<RequirementId>>,
    pub success_criteria: Vec<Spanned<String>>,
    pub plans: Vec<RoadmapPlan>,
    pub plan_count: Option<PlanCount>,
}

/// `**Plans:** 2/4`, `**Plans**: 7 plans`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanCount {
    pub done: Option<u64>,
    pub total: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoadmapPlan {
    /// `03-01`.
    pub id: Spanned<String>,
    pub checked: Option<bool>,
    /// The line without its check box.
    pub text: Spanned<String>,
}

/// Reads a roadmap.
pub(super) fn read(document: Document) -> Roadmap {
    let page = Page::new(document.file.text(), 0);
    let headings = page.headings();
    let folded = folded(&page);
    let mut phases: Vec<RoadmapPhase> = vec![];
    // Phases by number, so that joining stays cheap whatever the length.
    let mut known = std::collections::BTreeMap::new();
    let mut next_heading = 0;
    for (index, is_folded) in folded.iter().enumerate() {
        let is_heading = headings.get(next_heading).is_some_and(|heading| heading.line == index);
        if is_heading {
            next_heading += 1;
        }
        let mention = if is_heading {
            heading_mention(&page, &headings[next_heading - 1])
        } else {
            list_mention(&page, index)
        };
        let Some(mention) = mention else { continue };
        let at = *known.entry(mention.number.clone()).or_insert_with(|| {
            phases.push(RoadmapPhase::new(&mention, *is_folded));
            phases.len() - 1
        });
        let phase = &mut phases[at];
        phase.inserted |= mention.inserted;
        phase.marked |= mention.marked;
        if is_heading {
            if phase.section.is_none() {
                let lines = section(&page, &headings, next_heading - 1, &folded);
                phase.span = mention.span;
                if !mention.name.is_empty() {
                    // List lines carry remarks behind the name.
                    phase.name = mention.name;
                }
                phase.folded = *is_folded;
                phase.section = Some(page.span(index, lines.end));
                details(&page, lines, phase);
            }
        } else if phase.list_line.is_none() {
            phase.list_line = Some(mention.span);
            phase.checked = mention.checked;
        }
    }
    Roadmap { document, phases }
}

impl RoadmapPhase {
    fn new(mention: &Mention, folded: bool) -> Self {
        Self {
            number: mention.number.clone(),
            name: mention.name.clone(),
            span: mention.span.clone(),
            list_line: None,
            section: None,
            checked: None,
            folded,
            inserted: false,
            marked: false,
            goal: None,
            depends_on: None,
            requirements: vec![],
            success_criteria: vec![],
            plans: vec![],
            plan_count: None,
        }
    }
}

/// A line that names a phase.
struct Mention {
    number: PhaseNumber,
    name: String,
    span: Span,
    checked: Option<bool>,
    inserted: bool,
    marked: bool,
}

/// `### Phase 2: Name`, `## ✅ Phase 2.1 — Name (INSERTED)`.
fn heading_mention(page: &Page<'_>, heading: &Heading) -> Option<Mention> {
    let line = page.lines[heading.line];
    let title = &page.text[heading.title.clone()];
    let (number, rest) = phase_words(title)?;
    Some(mention(page, number, rest, line.start..line.end, None))
}

/// `- [x] **Phase 2: Name** — text`.
fn list_mention(page: &Page<'_>, index: usize) -> Option<Mention> {
    let item = page.item(index)?;
    let body = &page.text[item.body.clone()];
    let (number, rest) = phase_words(body)?;
    let bold = body.trim_start_matches(['~', ' ']).starts_with("**");
    let rest = match rest.split_once("**").filter(|_| bold) {
        // `**Phase 7:** Name`
        Some((inside, after)) if inside.trim_matches([':', ' ']).is_empty() => after,
        Some((inside, _)) => inside,
        None => rest,
    };
    // `- Phase 3 depends on phase 2` is prose: without a box or bold text a name must follow.
    let named = item.checked.is_some() || body.contains("**") || rest.starts_with([':', '—', '–']);
    let line = page.lines[index];
    named.then(|| mention(page, number, rest, line.start..line.end, item.checked))
}

fn mention(
    page: &Page<'_>,
    number: PhaseNumber,
    rest: &str,
    span: Span,
    checked: Option<bool>,
) -> Mention {
    let line = page.text[span.clone()].to_lowercase();
    let marked = ["(current", "🚧", "in progress", "<- current", "← current"]
        .iter()
        .any(|mark| line.contains(mark));
    let inserted = rest.to_ascii_uppercase().contains("(INSERTED)");
    let name = rest.trim_start_matches([':', '—', '–', '-', '.', ')', ' ', '*']);
    let mut name = name.split(" — ").next().unwrap_or(name);
    for mark in [" (INSERTED)", " (inserted)", " ✅", " 🚧", "**"] {
        name = name.split(mark).next().unwrap_or(name);
    }
    let name = bare(name).to_owned();
    Mention { number, name, span, checked, inserted, marked }
}

/// The number after the word "Phase", with which the text must begin but for marks; and the rest.
fn phase_words(text: &str) -> Option<(PhaseNumber, &str)> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let text = match text.strip_prefix("x] ") {
        Some(rest) => rest.trim_start_matches(|c: char| !c.is_alphanumeric()),
        None => text,
    };
    let word = text.get(..5).filter(|word| word.eq_ignore_ascii_case("phase"))?;
    let rest = text[word.len()..].strip_prefix([' ', '-', '\u{a0}'])?;
    PhaseNumber::leading(rest.trim_start())
}

/// Which lines stand inside `<details>`.
fn folded(page: &Page<'_>) -> Vec<bool> {
    let mut depth = 0usize;
    (0..page.lines.len())
        .map(|index| {
            let line = page.line(index).trim_start();
            if !page.lines[index].fenced {
                if line.starts_with("<details") {
                    depth += 1;
                }
                if line.contains("</details>") {
                    depth = depth.saturating_sub(1);
                }
            }
            depth > 0
        })
        .collect()
}

/// The lines of a phase's section: up to the next heading of its level, the next phase, or the
/// end of the fold it stands in.
fn section(page: &Page<'_>, headings: &[Heading], at: usize, folded: &[bool]) -> Range<usize> {
    let heading = &headings[at];
    let end = headings[at + 1..]
        .iter()
        .find(|next| next.level <= heading.level || heading_mention(page, next).is_some())
        .map_or(page.lines.len(), |next| next.line);
    let start = heading.line + 1;
    let end = match folded[heading.line] {
        true => (start..end).find(|line| !folded[*line]).unwrap_or(end),
        false => end,
    };
    start..end
}

fn details(page: &Page<'_>, lines: Range<usize>, phase: &mut RoadmapPhase) {
    for index in lines.clone() {
        if let Some(plan) = plan_line(page, index) {
            phase.plans.push(plan);
            continue;
        }
        let Some((label, rest)) = page.label(index) else { continue };
        let name = label.name.to_ascii_lowercase();
        match name.as_str() {
            "goal" if phase.goal.is_none() => {
                phase.goal = Some(page.paragraph(rest, lines.end)).filter(|g| !g.value.is_empty());
            }
            "depends on" if phase.depends_on.is_none() => {
                phase.depends_on = Some(slice(page.text, rest)).filter(|d| !d.value.is_empty());
            }
            "requirements" | "requirement" | "requirements covered" | "req ids"
                if phase.requirements.is_empty() =>
            {
                let end = block_end(page, index + 1, lines.end);
                let span = rest.start..page.span(index, end).end.max(rest.end);
                phase.requirements = ids_in_field(page.text, span);
            }
            "success criteria" if phase.success_criteria.is_empty() => {
                let end = block_end(page, index + 1, lines.end);
                let span = rest.start..page.span(index, end).end.max(rest.end);
                phase.success_criteria = Prose::of(page.text, span).items();
            }
            "plans" | "plan count" if phase.plan_count.is_none() => {
                phase.plan_count = plan_count(&page.text[rest]);
            }
            _ => {}
        }
    }
}

/// Where the list or paragraph below a label ends: at the next label, heading or plan list.
fn block_end(page: &Page<'_>, from: usize, end: usize) -> usize {
    let mut blank = false;
    for index in from..end {
        let shown = page.line(index).trim();
        if shown.is_empty() {
            blank = true;
            continue;
        }
        let item = page.item(index);
        let labelled = page.label(index).is_some_and(|(label, _)| {
            // An item of the list may itself begin with bold words.
            label.bold && item.is_none() || is_own_label(label.name)
        });
        let prose_again = blank && item.is_none() && !page.line(index).starts_with([' ', '\t']);
        if labelled
            || prose_again
            || page.heading(index).is_some()
            || plan_line(page, index).is_some()
        {
            return index;
        }
        blank = false;
    }
    end
}

fn is_own_label(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(
        name.as_str(),
        "goal"
            | "depends on"
            | "requirements"
            | "success criteria"
            | "plans"
            | "status"
            | "ui hint"
            | "mode"
            | "research"
    )
}

/// `- [ ] 09-01-PLAN.md — text`, `- [x] 01-01: text`, `- [x] **02-03** text`.
fn plan_line(page: &Page<'_>, index: usize) -> Option<RoadmapPlan> {
    let item = page.item(index)?;
    let body = &page.text[item.body.clone()];
    let text = body.trim_start_matches(['*', '`', '[', '~', '_']);
    let start = item.body.start + (body.len() - text.len());
    let word = text.split([' ', ':', '*', '`', ']', '(', '~']).next()?;
    let word = word.strip_suffix(".md").unwrap_or(word);
    let id = word.strip_suffix("-PLAN").unwrap_or(word);
    let (_, rest) = PhaseNumber::leading(id)?;
    let after = rest.strip_prefix('-')?;
    let is_plan = word.len() > id.len() || after.starts_with(|c: char| c.is_ascii_digit());
    // `2026-03-07` is a date.
    let date = id.len() == 10 && id.split('-').count() == 3 && id.starts_with("20");
    (is_plan && !date).then(|| RoadmapPlan {
        id: Spanned::new(id.to_owned(), start..start + id.len()),
        checked: item.checked,
        text: Spanned::new(body.to_owned(), item.body.clone()),
    })
}

fn plan_count(text: &str) -> Option<PlanCount> {
    let text = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let number = |text: &str| -> Option<(u64, usize)> {
        let length = text.bytes().take_while(u8::is_ascii_digit).count();
        Some((text[..length].parse().ok()?, length))
    };
    let (first, length) = number(text)?;
    let rest = text[length..].trim_start();
    let second = rest.strip_prefix('/').or_else(|| rest.strip_prefix("of "));
    match second.and_then(|rest| number(rest.trim_start())) {
        Some((total, _)) => Some(PlanCount { done: Some(first), total }),
        None => Some(PlanCount { done: None, total: first }),
    }
}

/// The lines of the whole text that belong to a phase, for readers that want the text itself.
impl RoadmapPhase {
    /// Its section, else its list line.
    pub fn text<'t>(&self, roadmap: &'t Roadmap) -> &'t str {
        let text = roadmap.document.file.text();
        let span = self.section.clone().or_else(|| self.list_line.clone());
        span.map_or("", |span| &text[trim(text, span)])
    }
}
