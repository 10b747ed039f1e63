//! A check runs a file that does not exist.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::files::Supply;
use crate::lint::view::{PlanView, View, task_name};
use crate::lint::{Check, path, scripts, shell};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/verify-missing-file",
    level: Level::Error,
    summary: "a check runs a file that does not exist",
    docs: include_str!("verify_missing_file.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        for (index, task) in plan.tasks() {
            let commands = task.verify.iter().flat_map(|verify| &verify.commands);
            for command in commands.filter(|command| command.automated) {
                let Some(node) = shell::parse(&command.text) else { continue };
                let mut paths = vec![];
                shell::each(&node, &mut |simple, folder| {
                    let Some(folder) = folder else { return };
                    for word in scripts::operands(simple) {
                        let name = word.text.split("::").next().unwrap_or_default();
                        let path = path::inside(name).and_then(|path| shell::join(folder, &path));
                        paths.extend(path.map(|path| (path, word.span.clone())));
                    }
                });
                for (path, span) in paths {
                    if spoken_of(plan, &path) {
                        continue;
                    }
                    let supply = view.files.supply(view, &path, plan.index, Some(index));
                    if !matches!(supply, Supply::Nobody) {
                        continue;
                    }
                    let span = command.span.start + span.start..command.span.start + span.end;
                    let exact = plan.text(&span).contains(path::file_name(&path));
                    let at = if exact { plan.at(&span) } else { plan.at_line_of(&command.span) };
                    let mut diagnostic = RULE.at(
                        at,
                        format!("the check of {} runs `{path}`, which does not exist and which no plan makes",
                            task_name(index)),
                    );
                    if let Some(near) = view.suggestion(&path) {
                        diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                    }
                    found.push(diagnostic);
                }
            }
        }
    }
}

/// Whether the action of a task names the file, without saying that it makes it: it probably does.
fn spoken_of(plan: &PlanView<'_>, path: &str) -> bool {
    let name = path::file_name(path);
    plan.plan.tasks.iter().any(|task| {
        [task.action.as_ref(), task.behavior.as_ref()]
            .into_iter()
            .flatten()
            .any(|part| plan.text(&part.span).contains(name))
    })
}
