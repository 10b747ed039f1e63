//! A check is prose that no machine can run.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::{View, is_work, task_name};
use crate::planning::TaskForm;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/verify-prose",
    level: Level::Note,
    summary: "a check is prose that no machine can run",
    docs: include_str!("verify_prose.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        for (index, task) in plan.tasks().filter(|(_, task)| is_work(task)) {
            if task.form != TaskForm::Block {
                continue;
            }
            let Some(verify) = &task.verify else { continue };
            if verify.prose.is_blank() || !verify.commands.is_empty() {
                continue;
            }
            found.push(
                RULE.at(
                    plan.at_line_of(&verify.prose.span),
                    format!("the check of {} has no command", task_name(index)),
                )
                .help("give a command that fails while the task is not done"),
            );
        }
    }
}
