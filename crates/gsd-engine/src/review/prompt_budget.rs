//! A prompt of separate files, cut to a budget: the verb `prompt-budget` of existing workflows.
//!
//! A run of gsd does not go this way; it builds and cuts its own prompts. Two ways of cutting are
//! here: [`compatible`], which cuts as those workflows know it, and the one of gsd, in which more
//! budget never keeps less. Both lay the prompt out alike.

pub mod compatible;

use super::trim::{Part, ranked};
use crate::lane::budget::{self, Section, TooLarge, Weight};
use serde_json::{Value, json};

/// What a prompt is made of. A plan is called by its file's name.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    pub instructions: String,
    pub roadmap: String,
    pub plans: Vec<(String, String)>,
    pub project: Option<String>,
    pub context: Option<String>,
    pub research: Option<String>,
    pub requirements: Option<String>,
}

/// How much a prompt may have.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// In tokens.
    pub budget: u64,
    /// How much of it stays free, since estimates err.
    pub margin_percent: u64,
    /// The lines of PROJECT.md that stay longest.
    pub project_head: usize,
}

impl Limits {
    /// The tokens that a prompt may really have.
    pub const fn effective(&self) -> u64 {
        let free = self.budget as u128 * self.margin_percent as u128;
        self.budget.saturating_sub(free.div_ceil(100) as u64)
    }

    /// The smallest budget with so many effective tokens.
    const fn needed(&self, tokens: u64) -> u64 {
        tokens.saturating_mul(100).div_ceil(100_u64.saturating_sub(self.margin_percent))
    }
}

/// A prompt and what was cut from it.
#[derive(Debug)]
pub struct Cut {
    pub prompt: String,
    /// The document that existing workflows read.
    pub metadata: Value,
}

/// No prompt that holds the least of everything fits.
#[derive(Debug)]
pub struct DoesNotFit {
    /// The smallest budget that would do.
    pub needs: u64,
    pub metadata: Value,
}

/// What was decided, in the words of the metadata.
#[derive(Debug, Default)]
struct Decided {
    tokens: u64,
    omitted: Vec<&'static str>,
    project_shrunk: bool,
    plan_percent: f64,
    note: bool,
}

impl Decided {
    fn metadata(&self, limits: &Limits, failed: bool, mode: &str) -> Value {
        json!({
            "budget": limits.budget,
            "effectiveBudget": limits.effective(),
            "estimatedTokens": self.tokens,
            "omitted": self.omitted,
            "projectMdShrunk": self.project_shrunk,
            "planTruncationPct": self.plan_percent,
            "hardFailed": failed,
            "noteInjected": self.note,
            "mode": mode,
        })
    }
}

/// The parts between the instructions and the end of the prompt: heading and text.
fn body<'a>(sources: &'a Sources) -> Vec<(Part, &'static str, &'a str, &'a str)> {
    let optional = |part, name, heading, text: &'a Option<String>| {
        text.as_deref().filter(|text| !text.is_empty()).map(|text| (part, name, heading, text))
    };
    let mut parts: Vec<(Part, &str, &str, &str)> =
        vec![(Part::Roadmap, "roadmap", "## Roadmap", &sources.roadmap)];
    parts.extend(optional(Part::Project, "project", "## Project", &sources.project));
    for (name, text) in &sources.plans {
        parts.push((Part::Plan, "plan", name, text));
    }
    parts.extend(optional(Part::Context, "context", "## Context", &sources.context));
    parts.extend(optional(Part::Research, "research", "## Research", &sources.research));
    let requirements = &sources.requirements;
    parts.extend(optional(Part::Requirements, "requirements", "## Requirements", requirements));
    parts
}

/// The note of a prompt that was cut.
const NOTE: &str = "\
> This prompt was cut to fit. `[left out: line A to line B]` stands where a part is missing; whole \
sections may be missing, too. What is not here exists: do not report it as absent.";

/// Blocks with an empty line between each two.
fn joined(blocks: &[String]) -> String {
    blocks.join("\n\n")
}

/// Cuts as the prompts of gsd are cut.
pub fn cut(sources: &Sources, limits: &Limits) -> Result<Cut, DoesNotFit> {
    const MODE: &str = "monotone";
    let parts = body(sources);
    let heading = |part: Part, heading: &str| match part {
        Part::Plan => format!("### {heading}"),
        Part::Project | Part::Roadmap | Part::Requirements | Part::Context | Part::Research => {
            heading.to_owned()
        }
    };
    let assemble = |note: bool, texts: &[String]| {
        let mut blocks = vec![sources.instructions.clone()];
        blocks.extend(note.then(|| NOTE.to_owned()));
        let mut plans = false;
        for ((part, _, name, _), text) in parts.iter().zip(texts) {
            if *part == Part::Plan && !std::mem::replace(&mut plans, true) {
                blocks.push("## Plans".to_owned());
            }
            if !text.is_empty() || *part == Part::Plan {
                blocks.extend([heading(*part, name), text.clone()]);
            }
        }
        joined(&blocks)
    };
    let whole: Vec<String> = parts.iter().map(|(.., text)| (*text).to_owned()).collect();
    let prompt = assemble(false, &whole);
    let tokens = Weight::of(&prompt).tokens();
    if tokens <= limits.effective() {
        let metadata = Decided { tokens, ..Decided::default() }.metadata(limits, false, MODE);
        return Ok(Cut { prompt, metadata });
    }
    let nothing = vec![String::new(); parts.len()];
    let sections: Vec<Section<'_>> = parts
        .iter()
        .map(|(part, _, name, text)| {
            let frame = match part {
                Part::Plan => Weight::default(),
                part => Weight::of(&format!("\n\n{}\n\n", heading(*part, name))),
            };
            let ranked = ranked(*part, text, limits.project_head);
            Section::new(text, frame, Weight::default(), ranked)
        })
        .collect();
    let fixed = Weight::of(&assemble(true, &nothing));
    let fit = budget::fit(&sections, fixed, limits.effective()).map_err(|TooLarge { least }| {
        DoesNotFit {
            needs: limits.needed(least),
            metadata: Decided::default().metadata(limits, true, MODE),
        }
    })?;
    let prompt = assemble(true, &fit.texts);
    let sizes = parts
        .iter()
        .zip(&fit.kept)
        .map(|((part, name, _, text), kept)| (*part, *name, *kept, text.len()));
    let sum = |wanted: Part| {
        let of_part = sizes.clone().filter(move |(part, ..)| *part == wanted);
        of_part.fold((0, 0), |(kept, total), (_, _, more, of)| (kept + more, total + of))
    };
    let (plans, project) = (sum(Part::Plan), sum(Part::Project));
    let decided = Decided {
        tokens: Weight::of(&prompt).tokens(),
        omitted: sizes
            .filter(|(part, _, kept, _)| *kept == 0 && part.is_optional())
            .map(|(_, name, ..)| name)
            .collect(),
        project_shrunk: project.0 < project.1,
        plan_percent: (plans.1 - plans.0) as f64 * 100.0 / plans.1.max(1) as f64,
        note: true,
    };
    Ok(Cut { prompt, metadata: decided.metadata(limits, false, MODE) })
}

#[cfg(test)]
mod tests;
