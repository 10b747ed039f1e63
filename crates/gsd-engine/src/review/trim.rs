//! Cuts a prompt to the budget of its lane: what belongs to the plans stays longest.
//!
//! The order in which documents are given up is fixed here: the end of PROJECT.md, the decisions,
//! the research, the requirements, PROJECT.md, the bodies of the plans, and last what a plan cannot
//! be judged without. How that order becomes a text that fits is known by [`budget`].

use super::prompt::{self, Cut, Document, Input, PROJECT_LINES, PlanDocument};
use super::record::{Trimmed, TrimmedDocument};
use crate::lane::budget::{self, Ranked, Section, TooLarge, Weight, pieces};
use std::num::NonZeroU64;
use std::ops::Range;

/// A prompt that fits, and what was cut from it; `None` if it is whole.
pub(super) struct Fitted {
    pub(super) text: String,
    pub(super) trimmed: Option<Trimmed>,
}

/// Estimates err: a tenth of a budget stays free.
pub(super) const MARGIN_PERCENT: u64 = 10;

/// What a prompt may really have.
pub(super) fn effective(budget: NonZeroU64) -> u64 {
    budget.get() - budget.get().saturating_mul(MARGIN_PERCENT).div_ceil(100)
}

/// The smallest budget whose prompt may have so many tokens.
fn needed(tokens: u64) -> u64 {
    tokens.saturating_mul(100).div_ceil(100 - MARGIN_PERCENT)
}

/// The stages in which pieces are given up, the last one first.
mod stage {
    pub(super) const LEAST: u8 = 0;
    /// What a plan cannot be judged without, and the rest of the roadmap's section.
    pub(super) const CORE: u8 = 1;
    pub(super) const BODY: u8 = 2;
    pub(super) const PROJECT_HEAD: u8 = 3;
    pub(super) const REQUIREMENTS: u8 = 4;
    pub(super) const RESEARCH: u8 = 5;
    pub(super) const CONTEXT: u8 = 6;
    pub(super) const PROJECT_TAIL: u8 = 7;
}

/// At least so many bytes of a plan, and of the roadmap's section, are always sent.
const LEAST_BYTES: usize = 1024;
/// The lines of PROJECT.md that are given up after everything but the plans.
const PROJECT_HEAD_LINES: usize = 40;

/// What of a prompt's documents belongs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Project,
    Roadmap,
    Requirements,
    Context,
    Research,
    Plan,
}

/// Cuts a prompt so that it fits, or tells the budget that would do.
pub(super) fn fit(input: &Input<'_>, budget: NonZeroU64) -> Result<Fitted, TooLarge> {
    let limit = effective(budget);
    let whole = prompt::build(input);
    if Weight::of(&whole).tokens() <= limit {
        return Ok(Fitted { text: whole, trimmed: None });
    }
    let project_head = input.project.map(|project| prompt::head(project.text, PROJECT_LINES));
    let documents = documents(input, project_head);
    let sections: Vec<Section<'_>> =
        documents.iter().map(|(part, document)| section(*part, *document, input)).collect();
    let fixed = Weight::of(&prompt::build(&bare(input)));
    let fit = budget::fit(&sections, fixed, limit)
        .map_err(|TooLarge { least }| TooLarge { least: needed(least) })?;

    let kept = |wanted: Part| -> Vec<Document<'_>> {
        let texts = documents.iter().zip(&fit.texts);
        texts
            .filter(|((part, _), text)| *part == wanted && !text.is_empty())
            .map(|((_, document), text)| Document { path: document.path, text })
            .collect()
    };
    let left_out = documents.iter().zip(&fit.texts).filter(|((part, document), text)| {
        *part != Part::Plan && text.is_empty() && !document.text.is_empty()
    });
    let plans = documents.iter().zip(&fit.texts).filter(|((part, _), _)| *part == Part::Plan);
    let cut = Input {
        project: kept(Part::Project).pop(),
        roadmap: kept(Part::Roadmap).pop(),
        requirements: kept(Part::Requirements).pop(),
        context: kept(Part::Context),
        research: kept(Part::Research),
        plans: plans
            .zip(&input.plans)
            .map(|(((_, document), text), plan)| PlanDocument {
                document: Document { path: document.path, text },
                nonce: plan.nonce.clone(),
            })
            .collect(),
        cut: Some(Cut { left_out: left_out.map(|((_, document), _)| document.path).collect() }),
        ..input.clone()
    };
    let text = prompt::build(&cut);
    let trimmed = trimmed(&documents, &fit.kept, budget, Weight::of(&text).tokens());
    Ok(Fitted { text, trimmed: Some(trimmed) })
}

/// What the record says of a prompt that cannot be made to fit.
pub(super) fn refused(budget: NonZeroU64) -> Trimmed {
    Trimmed {
        budget: budget.get(),
        effective_budget: effective(budget),
        estimated_tokens: 0,
        omitted: vec![],
        project_md_shrunk: false,
        plan_truncation_pct: 0.0,
        hard_failed: true,
        note_injected: false,
        documents: vec![],
    }
}

/// Every document of a prompt in the order of the prompt.
fn documents<'a>(input: &Input<'a>, project_head: Option<&'a str>) -> Vec<(Part, Document<'a>)> {
    let project = input.project.zip(project_head);
    let project = project.map(|(project, text)| Document { path: project.path, text });
    let of = |part: Part| move |document: &Document<'a>| (part, *document);
    let mut all: Vec<(Part, Document<'a>)> = vec![];
    all.extend(project.iter().map(of(Part::Project)));
    all.extend(input.roadmap.iter().map(of(Part::Roadmap)));
    all.extend(input.requirements.iter().map(of(Part::Requirements)));
    all.extend(input.context.iter().map(of(Part::Context)));
    all.extend(input.research.iter().map(of(Part::Research)));
    all.extend(input.plans.iter().map(|plan| (Part::Plan, plan.document)));
    all
}

/// The prompt without any text of a document: what is there whatever is cut.
fn bare<'a>(input: &Input<'a>) -> Input<'a> {
    let plans = input.plans.iter().map(|plan| PlanDocument {
        document: Document { text: "", ..plan.document },
        nonce: plan.nonce.clone(),
    });
    Input {
        project: None,
        roadmap: None,
        requirements: None,
        context: vec![],
        research: vec![],
        plans: plans.collect(),
        cut: Some(Cut { left_out: vec![] }),
        ..input.clone()
    }
}

impl Part {
    /// Whether it is told apart what of them is missing altogether.
    pub(super) const fn is_optional(self) -> bool {
        match self {
            Self::Context | Self::Research | Self::Requirements => true,
            Self::Project | Self::Roadmap | Self::Plan => false,
        }
    }
}

fn section<'a>(part: Part, document: Document<'a>, input: &Input<'_>) -> Section<'a> {
    let (frame, absence) = match part {
        // The frame of a plan stands in any case.
        Part::Plan => (Weight::default(), Weight::default()),
        Part::Project | Part::Roadmap | Part::Requirements | Part::Context | Part::Research => {
            let frame = prompt::frame(&input.token, document.path);
            (Weight::of(&frame), Weight::of(&prompt::left_out(document.path)))
        }
    };
    Section::new(document.text, frame, absence, ranked(part, document.text, PROJECT_HEAD_LINES))
}

/// The pieces of a document and when each of them is given up. `project_head` is how many lines of
/// PROJECT.md stay longer than the others.
pub(super) fn ranked(part: Part, text: &str, project_head: usize) -> Vec<Ranked> {
    let lines = pieces(text);
    let stage = match part {
        Part::Plan => return plan(text, &lines),
        Part::Roadmap => return least_first(lines, stage::CORE),
        Part::Project => {
            let end = prompt::head(text, project_head).len();
            let of = |range: Range<usize>| {
                let head = range.start < end;
                let stage = if head { stage::PROJECT_HEAD } else { stage::PROJECT_TAIL };
                Ranked { range, stage }
            };
            return lines.into_iter().map(of).collect();
        }
        Part::Requirements => stage::REQUIREMENTS,
        Part::Context => stage::CONTEXT,
        Part::Research => stage::RESEARCH,
    };
    lines.into_iter().map(|range| Ranked { range, stage }).collect()
}

/// In their order; the first ones are the least that is kept.
fn least_first(lines: Vec<Range<usize>>, rest: u8) -> Vec<Ranked> {
    let mut bytes = 0;
    let of = |range: Range<usize>| {
        let stage = if bytes < LEAST_BYTES { stage::LEAST } else { rest };
        bytes += range.len();
        Ranked { range, stage }
    };
    lines.into_iter().map(of).collect()
}

/// The lines of a plan: first what it cannot be judged without, then the others, from both ends, so
/// that what is missing is one part in the middle.
fn plan(text: &str, lines: &[Range<usize>]) -> Vec<Ranked> {
    let core = core(text, lines);
    let with = |wanted: bool| {
        let zipped = lines.iter().zip(&core);
        zipped.filter(move |(_, core)| **core == wanted).map(|(range, _)| range.clone())
    };
    let body: Vec<Range<usize>> = with(false).collect();
    let last = body.len().saturating_sub(1);
    let mut from_both_ends: Vec<usize> = (0..body.len()).collect();
    from_both_ends.sort_by_key(|index| (2 * index).min(2 * (last - index) + 1));
    let mut ranked = least_first(with(true).collect(), stage::CORE);
    let mut bytes: usize = ranked.iter().map(|ranked| ranked.range.len()).sum();
    ranked.extend(from_both_ends.into_iter().map(|index| {
        // A plan without any of the known parts keeps its beginning and its end.
        let stage = if bytes < LEAST_BYTES { stage::LEAST } else { stage::BODY };
        bytes += body[index].len();
        Ranked { range: body[index].clone(), stage }
    }));
    ranked
}

/// Blocks of a plan that say what is to be built and how one sees that it was.
const CORE_BLOCKS: [&str; 9] = [
    "objective",
    "name",
    "files",
    "must_haves",
    "acceptance_criteria",
    "verify",
    "verification",
    "done",
    "success_criteria",
];

/// Which lines belong to the frontmatter, are headings or stand in one of [`CORE_BLOCKS`].
fn core(text: &str, lines: &[Range<usize>]) -> Vec<bool> {
    let mut block: Option<&str> = None;
    let mut frontmatter = false;
    lines
        .iter()
        .enumerate()
        .map(|(index, range)| {
            let line = text[range.clone()].trim();
            if line == "---" && (index == 0 || frontmatter) {
                frontmatter = index == 0;
                return true;
            }
            let tag = line.strip_prefix('<').map(|rest| {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                &rest[..end.unwrap_or(rest.len())]
            });
            if block.is_none() {
                block = tag.filter(|tag| CORE_BLOCKS.contains(tag));
            }
            let inside = block.is_some();
            if block.is_some_and(|name| line.contains(&format!("</{name}>"))) {
                block = None;
            }
            frontmatter || inside || line.starts_with('#') || tag == Some("task")
        })
        .collect()
}

fn trimmed(
    documents: &[(Part, Document<'_>)],
    kept: &[usize],
    budget: NonZeroU64,
    tokens: u64,
) -> Trimmed {
    let of = |wanted: Part| {
        let zipped = documents.iter().zip(kept).filter(move |((part, _), _)| *part == wanted);
        zipped.fold((0, 0), |(kept, total), ((_, document), bytes)| {
            (kept + bytes, total + document.text.len())
        })
    };
    let optional = [
        (Part::Context, "context"),
        (Part::Research, "research"),
        (Part::Requirements, "requirements"),
    ];
    let omitted = optional.iter().filter(|(part, _)| matches!(of(*part), (0, total) if total > 0));
    let (project, plans) = (of(Part::Project), of(Part::Plan));
    let left_out = (plans.1 - plans.0) as f64 / (plans.1.max(1)) as f64;
    Trimmed {
        budget: budget.get(),
        effective_budget: effective(budget),
        estimated_tokens: tokens,
        omitted: omitted.map(|(_, name)| (*name).to_owned()).collect(),
        project_md_shrunk: project.0 < project.1,
        plan_truncation_pct: (left_out * 1000.0).round() / 10.0,
        hard_failed: false,
        note_injected: true,
        documents: documents
            .iter()
            .zip(kept)
            .filter(|((_, document), kept)| **kept < document.text.len())
            .map(|((_, document), kept)| TrimmedDocument {
                path: document.path.to_owned(),
                kept_bytes: *kept as u64,
                total_bytes: document.text.len() as u64,
            })
            .collect(),
    }
}

impl Trimmed {
    /// What was cut, for people.
    pub fn sentence(&self) -> String {
        let (gone, cut): (Vec<&TrimmedDocument>, Vec<&TrimmedDocument>) =
            self.documents.iter().partition(|document| document.kept_bytes == 0);
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let mut parts: Vec<String> = cut
            .iter()
            .map(|one| {
                let kept = one.kept_bytes * 100 / one.total_bytes.max(1);
                format!("{} to {kept} %", name(&one.path))
            })
            .collect();
        parts.extend(gone.iter().map(|one| format!("{} left out", name(&one.path))));
        format!("the prompt was cut to {} tokens: {}", self.budget, parts.join(", "))
    }
}

#[cfg(test)]
mod tests;
