//! A task that cannot be taken back has no decision before it.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::order::When;
use crate::lint::view::{View, is_checkpoint, task_name};
use crate::planning::{Checkpoint, Task, TaskKind};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/one-way-undecided",
    level: Level::Error,
    summary: "a task that cannot be taken back has no decision before it",
    docs: include_str!("one_way_undecided.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let decides =
        |task: &Task| matches!(task.kind.value, TaskKind::Checkpoint(Checkpoint::Decision));
    for plan in &view.plans {
        for (index, task) in plan.tasks() {
            let Some(reversibility) = &task.reversibility else { continue };
            let Some(rating) = &reversibility.rating else { continue };
            let word = rating.value.trim().to_ascii_lowercase().replace(['_', ' '], "-");
            if !["one-way", "oneway", "irreversible"].contains(&word.as_str())
                || is_checkpoint(task)
            {
                continue;
            }
            let before = plan.plan.tasks[..index].iter().any(decides)
                || view.plans.iter().any(|other| {
                    other.index != plan.index
                        && view.order.when(other.index, plan.index) == When::Before
                        && other.plan.tasks.iter().any(decides)
                });
            if before {
                continue;
            }
            found.push(
                RULE.at(
                    plan.at(&rating.span),
                    format!(
                        "{} cannot be taken back, and nobody decides on it before",
                        task_name(index)
                    ),
                )
                .help("put a `checkpoint:decision` task before it"),
            );
        }
    }
}
