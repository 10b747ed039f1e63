//! Two plans bear one number.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::order::PlanNumber;
use crate::lint::view::View;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/number-duplicate",
    level: Level::Error,
    summary: "two plans bear one number",
    docs: include_str!("number_duplicate.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let mut first: HashMap<(String, String), usize> = HashMap::new();
    for plan in &view.plans {
        let PlanNumber { phase: Some(phase), plan: Some(number) } = PlanNumber::of(plan.plan)
        else {
            continue;
        };
        match first.entry((phase, number)) {
            Entry::Vacant(entry) => {
                entry.insert(plan.index);
            }
            Entry::Occupied(entry) => {
                let other = &view.plans[*entry.get()];
                found.push(
                    RULE.at(
                        plan.plan.file().at_start(),
                        format!("{} and {} bear one number", other.id(), plan.id()),
                    )
                    .also(other.plan.file().at_start(), "the other one")
                    .help("renumber one of them, or mark the replaced one `status: superseded`"),
                );
            }
        }
    }
}
