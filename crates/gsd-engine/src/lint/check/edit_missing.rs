//! A task edits a file that does not exist.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::needs::{Fault, Why};
use crate::lint::view::{View, task_name};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/edit-missing",
    level: Level::Error,
    summary: "a task edits a file that does not exist",
    docs: include_str!("edit_missing.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for need in view.needs() {
        if need.why != Why::Edit || !matches!(need.fault, Fault::Nobody) {
            continue;
        }
        let plan = &view.plans[need.plan];
        let editor = need.task.map_or_else(|| "the plan".to_owned(), task_name);
        let help = match view.suggestion(&need.path) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "say `create` where a new file is meant".to_owned(),
        };
        found.push(
            RULE.at(
                plan.at(&need.span),
                format!(
                    "{editor} edits `{}`, which does not exist and which no plan makes",
                    need.path
                ),
            )
            .help(help),
        );
    }
}
