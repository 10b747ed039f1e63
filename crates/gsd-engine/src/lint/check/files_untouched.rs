//! `files_modified` lists a file that no task touches.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::path::Named;
use crate::lint::view::{View, is_work};
use crate::lint::{Check, path};
use crate::planning::Task;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/files-untouched",
    level: Level::Note,
    summary: "`files_modified` lists a file that no task touches",
    docs: include_str!("files_untouched.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let work: Vec<_> = plan.tasks().filter(|(_, task)| is_work(task)).collect();
        // Where tasks do not list their files, nothing can be missing there.
        if work.is_empty() || !work.iter().all(|(_, task)| task.files.is_some()) {
            continue;
        }
        let list = plan.plan.frontmatter.files_modified.iter().flat_map(|list| &list.value);
        for entry in list {
            let Some(path) = path::file(&entry.value) else { continue };
            let name = path::file_name(&path);
            let spoken = plan.tasks().any(|(_, task)| {
                let text = plan.text(&task.span);
                text.contains(name) || covers(task, &path)
            });
            if spoken
                || path.ends_with('/')
                || path.starts_with(".planning/")
                || view.tree.is_generated(&path)
                || view.tree.is_directory(&path)
            {
                continue;
            }
            found.push(
                RULE.at(plan.at(&entry.span), format!("no task touches `{path}`"))
                    .help("add it to the task that changes it, or take it off the list"),
            );
        }
    }
}

/// Whether a task lists a folder or a pattern that the file belongs to.
fn covers(task: &Task, path: &str) -> bool {
    let entries = task.files.iter().flat_map(|list| &list.value);
    entries.map(|entry| path::entry(&entry.value)).any(|named| match named {
        Named::Inside(area) | Named::Pattern(area) => path.starts_with(area.trim_end_matches('/')),
        Named::Outside(_) | Named::Nothing => false,
    })
}
