//! A task lacks a part that it needs.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::{View, is_work, task_name};
use crate::planning::{Task, TaskForm};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/task-incomplete",
    level: Level::Error,
    summary: "a task lacks a part that it needs",
    docs: include_str!("task_incomplete.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let any =
        |has: fn(&Task) -> bool| view.plans.iter().any(|plan| plan.plan.tasks.iter().any(has));
    // Criteria came into use late: where no task of the phase has any, that is a custom.
    let criteria =
        any(|task| has(task.acceptance_criteria.as_ref().map(|list| !list.value.is_empty())));
    for plan in &view.plans {
        for (index, task) in plan.tasks().filter(|(_, task)| is_work(task)) {
            let siblings =
                plan.plan.tasks.iter().filter(|other| is_work(other) && other.form == task.form);
            let missing = missing(task, criteria);
            let missing: Vec<&'static str> = match task.form {
                TaskForm::Block => missing,
                // Headings and lists have no fixed parts; what all the others have is expected.
                TaskForm::Heading => {
                    let others: Vec<&Task> =
                        siblings.filter(|other| other.span != task.span).collect();
                    missing
                        .into_iter()
                        .filter(|part| {
                            others.len() >= 2
                                && others
                                    .iter()
                                    .all(|other| !self::missing(other, criteria).contains(part))
                        })
                        .collect()
                }
                TaskForm::ListItem => vec![],
            };
            if missing.is_empty() {
                continue;
            }
            let grave = missing.iter().any(|part| matches!(*part, "action" | "verify"));
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

fn missing(task: &Task, criteria: bool) -> Vec<&'static str> {
    let mut missing = vec![];
    let other = |names: &[&str]| {
        task.other.iter().any(|part| {
            names.contains(&part.value.name.to_ascii_lowercase().as_str())
                && !part.value.prose.is_blank()
        })
    };
    if !has(task.files.as_ref().map(|list| !list.value.is_empty())) {
        missing.push("files");
    }
    let action = has(task.action.as_ref().map(|prose| !prose.is_blank()));
    // Test-first tasks describe behaviour and implementation instead.
    let described = task.tdd && has(task.behavior.as_ref().map(|prose| !prose.is_blank()));
    if !action && !described && !other(&["implementation", "steps", "actions", "instructions"]) {
        missing.push("action");
    }
    if !has(task
        .verify
        .as_ref()
        .map(|verify| !verify.prose.is_blank() || !verify.commands.is_empty()))
        && !other(&["verification", "automated"])
    {
        missing.push("verify");
    }
    let behavior = task.tdd && task.behavior.is_some();
    if criteria
        && !behavior
        && !has(task.acceptance_criteria.as_ref().map(|list| !list.value.is_empty()))
    {
        missing.push("acceptance_criteria");
    }
    if !has(task.done.as_ref().map(|prose| !prose.is_blank())) {
        missing.push("done");
    }
    missing
}

fn has(part: Option<bool>) -> bool {
    part.unwrap_or(false)
}

fn joined(parts: &[&str]) -> String {
    let parts: Vec<String> = parts.iter().map(|part| format!("`{part}`")).collect();
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and no {last}", others.join(", no ")),
        None => String::new(),
    }
}
