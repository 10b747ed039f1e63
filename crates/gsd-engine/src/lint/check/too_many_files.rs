//! A plan changes too many files.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::View;
use crate::lint::{Check, path};
use crate::planning::List;
use std::collections::HashSet;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/too-many-files",
    level: Level::Warning,
    summary: "a plan changes too many files",
    docs: include_str!("too_many_files.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let tasks = plan.plan.tasks.iter().flat_map(|task| &task.files);
        let listed = plan.plan.frontmatter.files_modified.as_ref();
        let lists: Vec<&List> = listed.into_iter().chain(tasks).collect();
        let files: HashSet<String> = lists
            .iter()
            .flat_map(|list| &list.value)
            .filter_map(|entry| path::file(&entry.value))
            .filter(|path| !path.starts_with(".planning/"))
            .collect();
        let level = match files.len() {
            0..=10 => continue,
            11..=14 => Level::Warning,
            _ => Level::Error,
        };
        let Some(place) = lists.first() else { continue };
        found.push(
            RULE.at(
                plan.at_line_of(&place.span),
                format!("the plan changes {} files; eight to ten are right", files.len()),
            )
            .with_level(level)
            .help("split the plan"),
        );
    }
}
