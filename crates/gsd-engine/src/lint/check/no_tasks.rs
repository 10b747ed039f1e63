//! A plan has no tasks.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::View;
use crate::planning::UNRECOGNISED_PLAN;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/no-tasks",
    level: Level::Error,
    summary: "a plan has no tasks",
    docs: include_str!("no_tasks.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        if !plan.plan.tasks.is_empty() {
            continue;
        }
        // A plan in another shape is told as such by its reader.
        let Some(at) = plan.plain.find("<tasks>") else { continue };
        let diagnostic = RULE
            .at(plan.at(&(at..at + "<tasks>".len())), "the plan has no tasks")
            .help("write `<task>` blocks, or headings under `## Tasks`");
        found.retain(|other| {
            other.rule.code != UNRECOGNISED_PLAN.code
                || other.at.file.name() != diagnostic.at.file.name()
        });
        found.push(diagnostic);
    }
}
