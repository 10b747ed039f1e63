//! A plan has no wave although the others have one.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::{PlanView, View};
use crate::planning::Reading;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/wave-missing",
    level: Level::Warning,
    summary: "a plan has no wave although the others have one",
    docs: include_str!("wave_missing.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let has_wave = |plan: &PlanView<'_>| plan.plan.frontmatter.wave.is_some();
    let with = view.plans.iter().filter(|plan| has_wave(plan)).count();
    if with == 0 {
        return;
    }
    for plan in view.plans.iter().filter(|plan| !has_wave(plan)) {
        let frontmatter = &plan.plan.frontmatter;
        if frontmatter.reading == Reading::Absent {
            continue;
        }
        let mut diagnostic =
            RULE.at(plan.at_line_of(&frontmatter.span), format!("{} has no `wave`", plan.id()));
        if let Some(wave) = view.order.wave(plan.index) {
            diagnostic = diagnostic.help(format!("by what it depends on it is in wave {wave}"));
        }
        found.push(diagnostic);
    }
}
