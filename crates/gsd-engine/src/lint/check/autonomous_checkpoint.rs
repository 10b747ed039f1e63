//! `autonomous` and the checkpoints of a plan contradict each other.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::{View, is_checkpoint, task_name};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/autonomous-checkpoint",
    level: Level::Error,
    summary: "`autonomous` and the checkpoints of a plan contradict each other",
    docs: include_str!("autonomous_checkpoint.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let frontmatter = &plan.plan.frontmatter;
        let Some(autonomous) = &frontmatter.autonomous else { continue };
        let checkpoint = plan.tasks().find(|(_, task)| is_checkpoint(task));
        match (autonomous.value, checkpoint) {
            (true, Some((index, task))) => found.push(
                RULE.at(
                    plan.at(&autonomous.span),
                    format!("the plan is autonomous, but {} waits for a person", task_name(index)),
                )
                .also(plan.at_line_of(&task.head), "the checkpoint")
                .help("say `autonomous: false`"),
            ),
            (false, None) if frontmatter.user_setup.is_none() && !plan.plan.tasks.is_empty() => {
                found.push(
                    RULE.at(
                        plan.at(&autonomous.span),
                        "the plan is not autonomous, but no task waits for a person",
                    )
                    .with_level(Level::Note)
                    .help("add the checkpoint, or say `autonomous: true`"),
                );
            }
            (true, None) | (false, Some(_) | None) => {}
        }
    }
}
