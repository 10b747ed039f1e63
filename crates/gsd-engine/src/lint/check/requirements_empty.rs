//! A plan lists no requirement.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::View;
use crate::lint::{Check, requirements};
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
    if requirements::of_phase(view).is_empty() {
        return;
    }
    let others_list = view.plans.iter().any(|plan| !requirements::listed(plan).is_empty());
    for plan in &view.plans {
        let frontmatter = &plan.plan.frontmatter;
        match &frontmatter.requirements {
            Some(list) if requirements::listed(plan).is_empty() => {
                found.push(
                    RULE.at(plan.at_line_of(&list.span), "the plan lists no requirement")
                        .help("name the requirements of the phase that this plan covers"),
                );
            }
            None if frontmatter.reading != Reading::Absent
                && others_list
                && !frontmatter.unknown.iter().any(|key| key.value.starts_with("requirement")) =>
            {
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
