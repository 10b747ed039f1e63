//! A plan has too many tasks.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::{View, is_work};
use crate::planning::TaskForm;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/too-many-tasks",
    level: Level::Error,
    summary: "a plan has too many tasks",
    docs: include_str!("too_many_tasks.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let tasks = plan.tasks().filter(|(_, task)| is_work(task));
        // The items of a list are steps, not tasks with a commit each.
        let counted: Vec<_> = tasks.filter(|(_, task)| task.form != TaskForm::ListItem).collect();
        let level = match counted.len() {
            0..=3 => continue,
            4 => Level::Warning,
            _ => Level::Error,
        };
        let (Some((_, first)), Some((_, surplus))) = (counted.first(), counted.get(3)) else {
            continue;
        };
        found.push(
            RULE.at(
                plan.at_line_of(&first.head),
                format!("the plan has {} tasks; two or three are right", counted.len()),
            )
            .with_level(level)
            .also(plan.at_line_of(&surplus.head), "the fourth one")
            .help("split the plan"),
        );
    }
}
