//! A task reads a file that does not exist.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::needs::{Fault, Why};
use crate::lint::view::{View, task_name};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/read-missing",
    level: Level::Error,
    summary: "a task reads a file that does not exist",
    docs: include_str!("read_missing.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for need in view.needs() {
        if need.why != Why::Read || !matches!(need.fault, Fault::Nobody) {
            continue;
        }
        let plan = &view.plans[need.plan];
        let reader = need.task.map_or_else(|| "the plan".to_owned(), task_name);
        let mut diagnostic = RULE.at(
            plan.at(&need.span),
            format!("{reader} reads `{}`, which does not exist and which no plan makes", need.path),
        );
        if let Some(near) = view.suggestion(&need.path) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        found.push(diagnostic);
    }
}
