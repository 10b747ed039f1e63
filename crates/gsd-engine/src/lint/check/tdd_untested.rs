//! A test-first task has no test.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::{PlanView, View, task_name};
use crate::planning::Task;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/tdd-untested",
    level: Level::Warning,
    summary: "a test-first task has no test",
    docs: include_str!("tdd_untested.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let kind = plan.plan.frontmatter.kind.as_ref();
        let whole = kind.filter(|kind| kind.value.trim().eq_ignore_ascii_case("tdd"));
        let mut tested = false;
        for (index, task) in plan.tasks() {
            let has_test = speaks_of_tests(plan, task);
            tested |= has_test;
            if task.tdd && !has_test {
                found.push(
                    RULE.at(
                        plan.at_line_of(&task.head),
                        format!("{} is test-first and has no test", task_name(index)),
                    )
                    .help("list the cases under `<behavior>` and the test among the files"),
                );
            }
        }
        if let Some(kind) = whole
            && !tested
            && !plan.plan.tasks.is_empty()
            && !plan.plan.tasks.iter().any(|task| task.tdd)
        {
            found.push(
                RULE.at(plan.at(&kind.span), "the plan is test-first and no task has a test")
                    .help("begin with a task that writes a failing test"),
            );
        }
    }
}

fn speaks_of_tests(plan: &PlanView<'_>, task: &Task) -> bool {
    let text = plan.text(&task.span).to_ascii_lowercase();
    let opening = plan.text(&task.head).len().min(text.len());
    let rest = text.get(opening..).unwrap_or_default();
    task.behavior.is_some() || rest.contains("test") || rest.contains("spec")
}
