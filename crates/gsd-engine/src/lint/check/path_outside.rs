//! A plan changes a file outside the repository.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::path::Named;
use crate::lint::view::View;
use crate::lint::{Check, path};
use crate::text::printable;
use std::collections::HashSet;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/path-outside",
    level: Level::Warning,
    summary: "a plan changes a file outside the repository",
    docs: include_str!("path_outside.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let tasks = plan.plan.tasks.iter().flat_map(|task| &task.files);
        let lists = plan.plan.frontmatter.files_modified.iter().chain(tasks);
        let mut seen = HashSet::new();
        for entry in lists.flat_map(|list| &list.value) {
            let Named::Outside(path) = path::entry(&entry.value) else { continue };
            if !seen.insert(path.clone()) {
                continue;
            }
            let mut diagnostic = RULE.at(
                plan.at(&entry.span),
                format!("`{}` is outside the repository", printable(&path, 120)),
            );
            let inside = path.trim_start_matches('/');
            if path.starts_with('/') && view.is_below_a_folder(inside) {
                diagnostic = diagnostic.help(format!("without the slash it is `{inside}`"));
            }
            found.push(diagnostic);
        }
    }
}
