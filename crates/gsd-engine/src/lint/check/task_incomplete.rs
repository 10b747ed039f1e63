//! A task lacks a part that it needs.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::{View, is_work, task_name};
use crate::planning::{List, Prose, Task, TaskForm};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/task-incomplete",
    level: Level::Error,
    summary: "a task lacks a part that it needs",
    docs: include_str!("task_incomplete.md"),
};

/// Which parts the tasks of this phase have at all. Parts came into use one after another; one
/// that no task has is a custom, and a fault only where a task cannot do without it.
struct Custom {
    files: bool,
    verify: bool,
    criteria: bool,
    done: bool,
}

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let any =
        |part: fn(&Task) -> bool| view.plans.iter().any(|plan| plan.plan.tasks.iter().any(part));
    let custom = Custom {
        files: any(|task| has(&task.files)),
        verify: any(|task| task.verify.is_some()),
        criteria: any(|task| has(&task.acceptance_criteria)),
        done: any(|task| is_given(&task.done)),
    };
    for plan in &view.plans {
        for (index, task) in plan.tasks().filter(|(_, task)| is_work(task)) {
            let mut missing = missing(task, &custom);
            match task.form {
                TaskForm::Block => {}
                // Headings and lists have no fixed parts; what all the others have is expected.
                TaskForm::Heading => {
                    let others: Vec<Vec<&str>> = plan
                        .plan
                        .tasks
                        .iter()
                        .filter(|other| is_work(other) && other.form == task.form)
                        .filter(|other| other.span != task.span)
                        .map(|other| self::missing(other, &custom))
                        .collect();
                    missing.retain(|part| {
                        others.len() >= 2 && !others.iter().any(|other| other.contains(part))
                    });
                }
                TaskForm::ListItem => missing.clear(),
            }
            if missing.is_empty() {
                continue;
            }
            let grave = missing.iter().any(|part| match *part {
                "action" => true,
                "verify" => custom.verify,
                _ => false,
            });
            found.push(
                RULE.at(
                    plan.at_line_of(&task.head),
                    format!("{} has no {}", task_name(index), joined(&missing)),
                )
                .with_level(if grave { Level::Error } else { Level::Warning })
                .help("say what to change, how to check it, and when it is done"),
            );
        }
    }
}

fn missing(task: &Task, custom: &Custom) -> Vec<&'static str> {
    let mut missing = vec![];
    let other = |names: &[&str]| {
        task.other.iter().any(|part| {
            names.contains(&part.value.name.to_ascii_lowercase().as_str())
                && !part.value.prose.is_blank()
        })
    };
    if custom.files && !has(&task.files) {
        missing.push("files");
    }
    // Test-first tasks describe behaviour and implementation instead.
    let described = task.tdd && is_given(&task.behavior);
    if !is_given(&task.action)
        && !described
        && !other(&["implementation", "steps", "actions", "instructions"])
    {
        missing.push("action");
    }
    let verified = task
        .verify
        .as_ref()
        .is_some_and(|verify| !verify.prose.is_blank() || !verify.commands.is_empty());
    if !verified && !other(&["verification", "automated"]) && !has_commands(task) {
        missing.push("verify");
    }
    if custom.criteria && !described && !has(&task.acceptance_criteria) {
        missing.push("acceptance_criteria");
    }
    if custom.done && !is_given(&task.done) {
        missing.push("done");
    }
    missing
}

/// Whether a criterion says which command to run and how it ends.
fn has_commands(task: &Task) -> bool {
    let ends = ["exits 0", "exit 0", "returns", "prints", "passes", "succeeds", "outputs", "=="];
    task.acceptance_criteria.iter().flat_map(|list| &list.value).any(|criterion| {
        let text = criterion.value.as_str();
        ends.iter().any(|end| text.contains(end))
            && text.split('`').skip(1).step_by(2).any(|code| {
                let (program, rest) = code.trim().split_once(' ').unwrap_or_default();
                let named = program
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || matches!(b, b'.' | b'/' | b'-' | b'!'));
                named && !program.is_empty() && !rest.is_empty()
            })
    })
}

fn has(list: &Option<List>) -> bool {
    list.as_ref().is_some_and(|list| !list.value.is_empty())
}

fn is_given(part: &Option<Prose>) -> bool {
    part.as_ref().is_some_and(|part| !part.is_blank())
}

fn joined(parts: &[&str]) -> String {
    let parts: Vec<String> = parts.iter().map(|part| format!("`{part}`")).collect();
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and no {last}", others.join(", no ")),
        None => String::new(),
    }
}
