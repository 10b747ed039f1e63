//! A requirement of the phase is in no plan.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::View;
use crate::lint::{Check, prose, requirements};
use std::collections::HashSet;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/requirement-uncovered",
    level: Level::Error,
    summary: "a requirement of the phase is in no plan",
    docs: include_str!("requirement_uncovered.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    if view.plans.is_empty() {
        return;
    }
    let listed: HashSet<&str> =
        view.plans.iter().flat_map(requirements::listed).map(|(id, _)| id).collect();
    for (id, at) in requirements::of_phase(view) {
        // Some hosts have the list under another name, such as `requirements_addressed`.
        let elsewhere =
            view.plans.iter().any(|plan| prose::names(plan.text(&plan.plan.frontmatter.span), id));
        if listed.contains(id) || elsewhere || requirements::is_done(view, id) {
            continue;
        }
        let spoken = view.plans.iter().find(|plan| prose::names(plan.text(&plan.body()), id));
        let mut diagnostic = match spoken {
            // Plans without frontmatter have nowhere else to say it.
            Some(_) if listed.is_empty() => continue,
            Some(plan) => RULE
                .at(at, format!("`{id}` is listed by no plan; {} only speaks of it", plan.id()))
                .with_level(Level::Warning)
                .help(format!("add `{id}` to `requirements` of {}", plan.id())),
            None => RULE
                .at(at, format!("`{id}` belongs to the phase, and no plan covers it"))
                .help("list it in the plan that builds it, or move it to another phase"),
        };
        if let Some(place) = requirements::definition(view, id)
            && place != diagnostic.at
        {
            diagnostic = diagnostic.also(place, "the requirement");
        }
        found.push(diagnostic);
    }
}
