//! A success criterion of the roadmap is in no plan.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::View;
use crate::lint::{Check, prose};
use crate::planning::Spanned;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/success-uncovered",
    level: Level::Note,
    summary: "a success criterion of the roadmap is in no plan",
    docs: include_str!("success_uncovered.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let (Some(roadmap), Some(phase)) = (&view.phase.roadmap, view.phase.on_roadmap()) else {
        return;
    };
    // With a plan in no known shape, nobody knows what is planned.
    if view.plans.is_empty() || view.plans.iter().any(|plan| plan.plan.tasks.is_empty()) {
        return;
    }
    let judged: Vec<(&Spanned<String>, usize, usize)> = phase
        .success_criteria
        .iter()
        .map(|criterion| {
            let topics = prose::topics(&criterion.value);
            let spoken = topics
                .iter()
                .filter(|topic| view.plans.iter().any(|plan| plan.plain.contains(topic.as_str())))
                .count();
            (criterion, topics.len(), spoken)
        })
        .collect();
    // Where no criterion is found, plans and roadmap are in two languages.
    if !judged.iter().any(|(_, topics, spoken)| spoken * 2 >= *topics && *spoken > 0) {
        return;
    }
    for (criterion, topics, spoken) in judged {
        if topics < 4 || spoken * 2 >= topics {
            continue;
        }
        found.push(
            RULE.at(
                roadmap.document.file.at(criterion.span.clone()),
                "no plan speaks of this success criterion",
            )
            .help("let a plan have a truth for it"),
        );
    }
}
