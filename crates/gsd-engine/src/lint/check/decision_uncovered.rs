//! A decision of CONTEXT is carried out by no task.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::View;
use crate::lint::{Check, decisions, prose};
use crate::planning::Spanned;
use std::collections::{BTreeSet, HashSet};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/decision-uncovered",
    level: Level::Error,
    summary: "a decision of CONTEXT is carried out by no task",
    docs: include_str!("decision_uncovered.md"),
};

/// From this share of its words on, a decision is taken for done by a task.
const DONE: f64 = 0.75;
/// Below this share nothing speaks for it.
const UNHEARD: f64 = 0.34;

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let named: HashSet<String> =
        view.plans.iter().flat_map(|plan| decisions::named(plan.plan.file().text())).collect();
    for context in &view.phase.contexts {
        // What no plan names, with the share of its words that the nearest task has.
        let unnamed: Vec<(&Spanned<String>, Option<f64>)> = context
            .decisions
            .iter()
            .filter(|decision| !leaves_it_open(&decision.text.value))
            .filter_map(|decision| Some((decision.id.as_ref()?, &decision.text.value)))
            .filter(|(id, _)| !named.contains(&decisions::key(&id.value)))
            .map(|(id, text)| (id, best_share(view, &prose::topics(text))))
            .collect();
        let ids = context.decisions.iter().filter(|decision| decision.id.is_some()).count();
        let custom = unnamed.len() < ids;
        // Where plans name no decision at all, only words can tell; where the words of most
        // decisions are found, they are in one language.
        let heard =
            unnamed.iter().filter(|(_, share)| share.is_some_and(|share| share >= 0.5)).count();
        if !custom && (unnamed.len() < 3 || heard * 3 < unnamed.len() * 2) {
            continue;
        }
        let (limit, level) = if custom { (DONE, Level::Error) } else { (UNHEARD, Level::Note) };
        for (id, share) in unnamed {
            // Too few words to be found by: where decisions are named, the name is all there is.
            if share.map_or(!custom, |share| share >= limit) {
                continue;
            }
            let name = id.value.trim();
            found.push(
                RULE.at(
                    context.document.file.at(id.span.clone()),
                    format!("no plan carries out or names {name}"),
                )
                .with_level(level)
                .help(format!("name {name} in the task that does it")),
            );
        }
    }
}

fn leaves_it_open(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["discretion", "[informational]", "out of scope", "deferred", "no change"]
        .iter()
        .any(|word| lower.contains(word))
}

/// The largest share of the topics that one task has; `None` where there are too few to tell.
fn best_share(view: &View<'_>, topics: &BTreeSet<String>) -> Option<f64> {
    if topics.len() < 3 {
        return None;
    }
    let tasks = view.plans.iter().flat_map(|plan| plan.tasks().map(move |(_, task)| (plan, task)));
    let most = tasks
        .map(|(plan, task)| {
            let text = plan.plain(&task.span);
            topics.iter().filter(|topic| text.contains(topic.as_str())).count()
        })
        .max()?;
    Some(most as f64 / topics.len() as f64)
}
