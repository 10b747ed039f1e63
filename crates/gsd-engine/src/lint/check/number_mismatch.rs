//! A plan says another number than its file name.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::order::PlanNumber;
use crate::lint::view::View;
use crate::lint::{Check, order};
use crate::planning::PhaseNumber;
use crate::text::printable;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/number-mismatch",
    level: Level::Warning,
    summary: "a plan says another number than its file name",
    docs: include_str!("number_mismatch.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let own = PlanNumber::of(plan.plan);
        let frontmatter = &plan.plan.frontmatter;
        if let (Some(stated), Some(expected)) = (&frontmatter.plan, &own.plan) {
            let text = stated.value.trim();
            let number = PlanNumber::of_id(text).plan.or_else(|| order::number(text));
            if number.is_some_and(|number| number != *expected) {
                found.push(
                    RULE.at(
                        plan.at(&stated.span),
                        format!(
                            "the plan calls itself `{}`, its file name says {expected}",
                            printable(text, 40)
                        ),
                    )
                    .help("let `plan` repeat the number of the file"),
                );
            }
        }
        if let (Some(stated), Some(expected)) = (&frontmatter.phase, &view.phase.directory.number) {
            let text = stated.value.trim();
            let lower = text.to_ascii_lowercase();
            let digits = lower.strip_prefix("phase").unwrap_or(&lower);
            let digits = digits.trim_start_matches([' ', '-', '_']);
            if PhaseNumber::leading(digits).is_some_and(|(number, _)| number != *expected) {
                found.push(
                    RULE.at(
                        plan.at(&stated.span),
                        format!(
                            "the plan belongs to phase `{}`, its folder to phase {expected}",
                            printable(text, 60)
                        ),
                    )
                    .help("let `phase` repeat the name of the folder"),
                );
            }
        }
    }
}
