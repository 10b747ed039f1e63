//! A plan depends on a plan that does not exist.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::order::Target;
use crate::lint::view::{PlanView, View};
use crate::text::printable;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/depends-unknown",
    level: Level::Error,
    summary: "a plan depends on a plan that does not exist",
    docs: include_str!("depends_unknown.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        for dependency in &view.order.depends[plan.index] {
            if dependency.target != Target::Unknown {
                continue;
            }
            let name = printable(dependency.entry.value.trim(), 60);
            let others: Vec<&str> = view.plans.iter().map(PlanView::id).collect();
            found.push(
                RULE.at(plan.at(&dependency.entry.span), format!("there is no plan `{name}`"))
                    .label("unknown plan")
                    .help(format!("the phase has {}", others.join(", "))),
            );
        }
    }
}
