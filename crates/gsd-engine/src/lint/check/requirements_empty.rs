//! A plan lists no requirement.

use crate::diag::{Diagnostic, Level, Location, Rule};
use crate::lint::view::{PlanView, View};
use crate::lint::{Check, prose, requirements};
use crate::planning::Reading;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/requirements-empty",
    level: Level::Error,
    summary: "a plan lists no requirement",
    docs: include_str!("requirements_empty.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    // A project without requirements has none to list.
    let wanted = requirements::of_phase(view);
    if wanted.is_empty() {
        return;
    }
    for plan in &view.plans {
        let frontmatter = &plan.plan.frontmatter;
        match &frontmatter.requirements {
            Some(list) if requirements::listed(plan).is_empty() => {
                found.push(
                    RULE.at(plan.at_line_of(&list.span), "the plan lists no requirement")
                        .help("name the requirements of the phase that this plan covers"),
                );
            }
            None if frontmatter.reading != Reading::Absent && !speaks(plan, &wanted) => {
                found.push(
                    RULE.at(plan.at_line_of(&frontmatter.span), "the plan has no `requirements`")
                        .with_level(Level::Warning)
                        .help("name the requirements of the phase that this plan covers"),
                );
            }
            Some(_) | None => {}
        }
    }
}

/// Whether the plan names a requirement of the phase in another place, or lists some under another
/// name.
fn speaks(plan: &PlanView<'_>, wanted: &[(&str, Location)]) -> bool {
    let text = plan.plan.file().text();
    wanted.iter().any(|(id, _)| prose::names(text, id))
        || plan.plan.frontmatter.unknown.iter().any(|key| key.value.starts_with("requirement"))
}
