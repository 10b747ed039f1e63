//! A success criterion of the roadmap is in no plan.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::{PlanView, View};
use crate::lint::{Check, prose};

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
    for criterion in &phase.success_criteria {
        let topics = prose::topics(&criterion.value);
        let spoken =
            topics.iter().filter(|topic| view.plans.iter().any(|plan| says(plan, topic))).count();
        if topics.len() < 4 || spoken * 2 >= topics.len() {
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

fn says(plan: &PlanView<'_>, topic: &str) -> bool {
    plan.plain.contains(topic)
}
