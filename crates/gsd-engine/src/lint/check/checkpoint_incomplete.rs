//! A checkpoint does not say what to decide or to look at.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::{View, task_name};
use crate::planning::{Checkpoint, Prose, TaskForm, TaskKind};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/checkpoint-incomplete",
    level: Level::Warning,
    summary: "a checkpoint does not say what to decide or to look at",
    docs: include_str!("checkpoint_incomplete.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        for (index, task) in plan.tasks() {
            if task.form != TaskForm::Block {
                continue;
            }
            let TaskKind::Checkpoint(kind) = &task.kind.value else { continue };
            let given = |part: &Option<Prose>| part.as_ref().is_some_and(|part| !part.is_blank());
            // Some hosts have these parts under other names; any text that says what to do counts.
            let other = given(&task.action) || task.verify.is_some() || !task.other.is_empty();
            let missing = match kind {
                Checkpoint::HumanVerify if !given(&task.how_to_verify) && !other => {
                    "how to verify it"
                }
                Checkpoint::Decision if !given(&task.options) && !other => "between what to choose",
                Checkpoint::HumanAction
                    if !given(&task.how_to_verify) && !given(&task.decision) && !other =>
                {
                    "what to do"
                }
                Checkpoint::HumanVerify
                | Checkpoint::Decision
                | Checkpoint::HumanAction
                | Checkpoint::Other(_) => continue,
            };
            found.push(
                RULE.at(
                    plan.at_line_of(&task.head),
                    format!("{} does not say {missing}", task_name(index)),
                )
                .help("a person reads it without having followed the work"),
            );
        }
    }
}
