//! A task has a type that no host knows.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::View;
use crate::planning::{Checkpoint, TaskKind};
use crate::text::{nearest, printable};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/task-kind",
    level: Level::Warning,
    summary: "a task has a type that no host knows",
    docs: include_str!("task_kind.md"),
};

const KNOWN: [&str; 6] = [
    "auto",
    "tracer",
    "tdd",
    "checkpoint:human-verify",
    "checkpoint:decision",
    "checkpoint:human-action",
];

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        for (_, task) in plan.tasks() {
            let word = match &task.kind.value {
                TaskKind::Other(word) => word.clone(),
                TaskKind::Checkpoint(Checkpoint::Other(word)) if word.starts_with("checkpoint") => {
                    word.clone()
                }
                TaskKind::Checkpoint(Checkpoint::Other(word)) => format!("checkpoint:{word}"),
                TaskKind::Checkpoint(
                    Checkpoint::HumanVerify | Checkpoint::Decision | Checkpoint::HumanAction,
                )
                | TaskKind::Auto
                | TaskKind::Tracer
                | TaskKind::Tdd
                | TaskKind::Unstated => continue,
            };
            let mut diagnostic = RULE.at(
                plan.at_line_of(&task.kind.span),
                format!("no host knows the type `{}`", printable(&word, 40)),
            );
            diagnostic = match nearest(&word, KNOWN) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic.help(format!("known are {}", KNOWN.join(", "))),
            };
            found.push(diagnostic);
        }
    }
}
