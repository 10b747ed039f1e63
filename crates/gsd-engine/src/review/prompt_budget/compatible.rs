//! Cuts a prompt as existing workflows know it.
//!
//! The plans are cut first, and what is left out afterwards does not give them their room back. So
//! a larger budget may give a worse prompt, and some budgets give none although one would fit. It is
//! kept as it is for those who compare; everything else uses the other way.

use super::{Cut, Decided, DoesNotFit, Limits, Sources, joined};

const MODE: &str = "compatible";

/// Kept free for the note, in tokens.
const NOTE_ROOM: u64 = 80;
/// Of every plan at least so many units are kept.
const LEAST_UNITS: usize = 1024;

/// Four UTF-16 units a token, as those workflows count.
fn tokens(text: &str) -> u64 {
    (text.encode_utf16().count() as u64).div_ceil(4)
}

/// The first units of a text, never half a character.
fn first_units(text: &str, units: usize) -> &str {
    let mut seen = 0;
    let end = text.char_indices().find_map(|(at, c)| {
        seen += c.len_utf16();
        (seen > units).then_some(at)
    });
    &text[..end.unwrap_or(text.len())]
}

/// The first lines of a text without the end of the last one; all of a text that has no more.
fn first_lines(text: &str, lines: usize) -> &str {
    match lines {
        0 => "",
        lines => text.match_indices('\n').nth(lines - 1).map_or(text, |(end, _)| &text[..end]),
    }
}

/// What is there at the moment.
#[derive(Clone)]
struct Draft<'a> {
    instructions: &'a str,
    roadmap: &'a str,
    project: &'a str,
    plans: Vec<(&'a str, &'a str)>,
    context: &'a str,
    research: &'a str,
    requirements: &'a str,
}

impl<'a> Draft<'a> {
    fn of(sources: &'a Sources) -> Self {
        let text = |text: &'a Option<String>| text.as_deref().unwrap_or_default();
        Self {
            instructions: &sources.instructions,
            roadmap: &sources.roadmap,
            project: text(&sources.project),
            plans: sources.plans.iter().map(|(name, text)| (&**name, &**text)).collect(),
            context: text(&sources.context),
            research: text(&sources.research),
            requirements: text(&sources.requirements),
        }
    }

    /// The blocks of the prompt, the note among them if there is one.
    fn blocks(&self, note: Option<String>) -> Vec<String> {
        let optional = |heading: &str, text: &str| match text {
            "" => vec![],
            text => vec![heading.to_owned(), text.to_owned()],
        };
        let mut blocks = vec![self.instructions.to_owned()];
        blocks.extend(note);
        blocks.extend(["## Roadmap".to_owned(), self.roadmap.to_owned()]);
        blocks.extend(optional("## Project", self.project));
        blocks.push("## Plans".to_owned());
        for (name, text) in &self.plans {
            blocks.extend([format!("### {name}"), (*text).to_owned()]);
        }
        blocks.extend(optional("## Context", self.context));
        blocks.extend(optional("## Research", self.research));
        blocks.extend(optional("## Requirements", self.requirements));
        blocks
    }

    /// Leaves a section out; false if it is not there anyway.
    fn drop(&mut self, name: &str) -> bool {
        let section = match name {
            "context" => &mut self.context,
            "research" => &mut self.research,
            _ => &mut self.requirements,
        };
        !std::mem::take(section).is_empty()
    }

    /// Each block rounded up by itself.
    fn total(&self) -> u64 {
        self.blocks(None).iter().map(|block| tokens(block)).sum()
    }

    fn plan_total(&self) -> u64 {
        self.plans.iter().map(|(_, text)| tokens(text)).sum()
    }

    fn plan_units(&self) -> usize {
        self.plans.iter().map(|(_, text)| text.encode_utf16().count()).sum()
    }
}

/// Cuts in one pass, a step at a time, as long as it is too much.
pub fn cut(sources: &Sources, limits: &Limits) -> Result<Cut, DoesNotFit> {
    let mut draft = Draft::of(sources);
    let effective = limits.effective();
    let least = tokens(draft.instructions)
        + tokens(draft.roadmap)
        + draft.plans.iter().map(|(_, text)| tokens(first_units(text, LEAST_UNITS))).sum::<u64>();
    let refuse = |decided: Decided| DoesNotFit {
        // The least that this way asks for; it may ask for more, and nobody can say how much.
        needs: limits.needed(least.max(effective + 1)),
        metadata: decided.metadata(limits, true, MODE),
    };
    if least > effective {
        return Err(refuse(Decided::default()));
    }
    let mut decided = Decided::default();
    if draft.total() > effective {
        let room = effective.saturating_sub(NOTE_ROOM);
        squeeze(&mut draft, room, limits.project_head, &mut decided);
    }
    decided.note =
        decided.project_shrunk || decided.plan_percent > 0.0 || !decided.omitted.is_empty();
    let note = decided.note.then(|| note(limits.budget, &decided));
    let prompt = joined(&draft.blocks(note));
    decided.tokens = tokens(&prompt);
    if decided.tokens > effective {
        return Err(refuse(decided));
    }
    let metadata = decided.metadata(limits, false, MODE);
    Ok(Cut { prompt, metadata })
}

fn squeeze(draft: &mut Draft<'_>, room: u64, project_head: usize, decided: &mut Decided) {
    if draft.total() > room {
        let head = first_lines(draft.project, project_head);
        decided.project_shrunk = head.len() < draft.project.len();
        draft.project = head;
    }
    if draft.total() > room {
        let (plans, units) = (draft.plan_total(), draft.plan_units());
        let left = room.saturating_sub(draft.total() - plans);
        if left > 0 && left < plans {
            for (_, text) in &mut draft.plans {
                let own = text.encode_utf16().count() as u128;
                let share = own * u128::from(left) * 4 / units.max(1) as u128;
                *text = first_units(text, LEAST_UNITS.max(share as usize));
            }
            let lost = units - draft.plan_units();
            decided.plan_percent = lost as f64 * 100.0 / units.max(1) as f64;
        }
    }
    for name in ["context", "research", "requirements"] {
        if draft.total() > room && draft.drop(name) {
            decided.omitted.push(name);
        }
    }
}

fn note(budget: u64, decided: &Decided) -> String {
    let omitted =
        if decided.omitted.is_empty() { "none".to_owned() } else { decided.omitted.join(", ") };
    format!(
        "> Cut to a budget of {budget} tokens. Sections left out: {omitted}. Of the plans {:.0} % are \
         missing at their ends. What is not here is out of scope.",
        decided.plan_percent
    )
}
