//! A task changes a file that `files_modified` does not list.

use crate::diag::{Diagnostic, Level, Rule, Span};
use crate::lint::path::Named;
use crate::lint::view::{View, is_work, task_name};
use crate::lint::{Check, path};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/files-unlisted",
    level: Level::Warning,
    summary: "a task changes a file that `files_modified` does not list",
    docs: include_str!("files_unlisted.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let Some(list) = &plan.plan.frontmatter.files_modified else { continue };
        let listed: Vec<Named> = list.value.iter().map(|entry| path::entry(&entry.value)).collect();
        let covers = |path: &str| {
            listed.iter().any(|named| match named {
                Named::Inside(own) => {
                    let own = own.trim_end_matches('/');
                    path.strip_prefix(own)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                }
                Named::Pattern(area) => path.starts_with(area.as_str()),
                Named::Outside(_) | Named::Nothing => false,
            })
        };
        let mut missing: Vec<(usize, String, &Span)> = vec![];
        for (index, task) in plan.tasks().filter(|(_, task)| is_work(task)) {
            for entry in task.files.iter().flat_map(|list| &list.value) {
                if let Some(path) = path::file(&entry.value)
                    && !covers(&path)
                    && !path.starts_with(".planning/")
                    && !missing.iter().any(|(_, known, _)| *known == path)
                {
                    missing.push((index, path, &entry.span));
                }
            }
        }
        for said in view.files.creates().filter(|said| said.plan == plan.index) {
            if !covers(&said.path)
                && !said.path.starts_with(".planning/")
                && !view.tree.is_generated(&said.path)
                && view.is_below_a_folder(&said.path)
                && !missing.iter().any(|(_, known, _)| *known == said.path)
            {
                missing.push((said.task, said.path.clone(), &said.span));
            }
        }
        if listed.is_empty() {
            if let Some((_, path, span)) = missing.first() {
                found.push(
                    RULE.at(
                        plan.at_line_of(&list.span),
                        "`files_modified` is empty, but tasks change files",
                    )
                    .also(plan.at(span), format!("such as `{path}`"))
                    .help("list every file that the tasks make or change"),
                );
            }
            continue;
        }
        for (index, path, span) in missing {
            found.push(
                RULE.at(
                    plan.at(span),
                    format!(
                        "{} changes `{path}`, which `files_modified` does not list",
                        task_name(index)
                    ),
                )
                .also(plan.at_line_of(&list.span), "the list")
                .help(format!("add `{path}` to `files_modified`")),
            );
        }
    }
}
