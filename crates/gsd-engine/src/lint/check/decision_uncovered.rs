//! A decision of CONTEXT is carried out by no task.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::View;
use crate::lint::{Check, decisions, prose};
use std::collections::{BTreeSet, HashSet};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/decision-uncovered",
    level: Level::Error,
    summary: "a decision of CONTEXT is carried out by no task",
    docs: include_str!("decision_uncovered.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for context in &view.phase.contexts {
        let named: HashSet<String> =
            view.plans.iter().flat_map(|plan| decisions::named(plan.plan.file().text())).collect();
        let ids = context.decisions.iter().filter_map(|decision| decision.id.as_ref());
        let custom = ids.into_iter().any(|id| named.contains(&decisions::key(&id.value)));
        for decision in &context.decisions {
            let Some(id) = &decision.id else { continue };
            if named.contains(&decisions::key(&id.value)) || leaves_it_open(&decision.text.value) {
                continue;
            }
            let topics = prose::topics(&decision.text.value);
            // Where plans name no decision at all, only words can tell, and only a clear case counts.
            let enough = if custom { 0.75 } else { 0.34 };
            if topics.len() < 3 || best_share(view, &topics) >= enough {
                if custom && topics.len() < 3 {
                    // Too short to be found by its words: the name is all there is.
                } else {
                    continue;
                }
            }
            let level = if custom { Level::Error } else { Level::Note };
            found.push(
                RULE.at(
                    context.document.file.at(id.span.clone()),
                    format!("no plan carries out or names {}", id.value.trim()),
                )
                .with_level(level)
                .help(format!("name {} in the task that does it", id.value.trim())),
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

/// The largest part of the topics that one task has.
fn best_share(view: &View<'_>, topics: &BTreeSet<String>) -> f64 {
    let tasks = view.plans.iter().flat_map(|plan| plan.tasks().map(move |(_, task)| (plan, task)));
    let best = tasks
        .map(|(plan, task)| {
            let text = plan.plain(&task.span);
            topics.iter().filter(|topic| text.contains(topic.as_str())).count()
        })
        .max();
    best.unwrap_or(0) as f64 / topics.len().max(1) as f64
}
