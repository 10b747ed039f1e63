//! A check calls a script that does not exist.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::order::When;
use crate::lint::scripts::Missing;
use crate::lint::view::{PlanView, View};
use crate::lint::{Check, path, scripts, shell};
use crate::text::nearest;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/verify-unknown-script",
    level: Level::Error,
    summary: "a check calls a script that does not exist",
    docs: include_str!("verify_unknown_script.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        for (index, task) in plan.tasks() {
            let commands = task.verify.iter().flat_map(|verify| &verify.commands);
            for command in commands {
                let Some(node) = shell::parse(&command.text) else { continue };
                let mut missing = vec![];
                shell::each(&node, &mut |simple, folder| {
                    missing.extend(
                        folder.and_then(|folder| scripts::missing(view.tree, simple, folder)),
                    );
                });
                for missing in missing {
                    if is_added(view, plan, index, &missing) {
                        continue;
                    }
                    let start = command.span.start + missing.span.start;
                    let span = start..command.span.start + missing.span.end;
                    // Where the command is not the text of its place, the place is the command.
                    let exact = plan.text(&span).contains(missing.name.as_str());
                    let at = if exact { plan.at(&span) } else { plan.at_line_of(&command.span) };
                    let mut diagnostic = RULE.at(at, message(&missing));
                    if let Some(near) =
                        nearest(&missing.name, missing.known.iter().map(String::as_str))
                    {
                        diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                    } else if !missing.known.is_empty() && missing.known.len() <= 12 {
                        let known: Vec<&str> = missing.known.iter().map(String::as_str).collect();
                        diagnostic = diagnostic.help(format!("it has {}", known.join(", ")));
                    }
                    found.push(diagnostic);
                }
            }
        }
    }
}

fn message(missing: &Missing) -> String {
    match missing.what {
        "test" | "example" => format!("there is no {} `{}`", missing.what, missing.file),
        what => format!("`{}` has no {what} `{}`", missing.file, missing.name),
    }
}

/// Whether a task up to this one, or a plan that may run earlier, changes the file and names the
/// script.
fn is_added(view: &View<'_>, plan: &PlanView<'_>, task: usize, missing: &Missing) -> bool {
    let changes = |other: &PlanView<'_>, upto: usize| {
        let touches = view.files.touches(&missing.file);
        let in_plan = touches
            .iter()
            .any(|touch| touch.plan == other.index && touch.task.is_none_or(|task| task <= upto));
        let speaks = other.tasks().take_while(|(index, _)| *index <= upto).any(|(_, other)| {
            let parts = [other.action.as_ref(), other.behavior.as_ref()];
            parts.into_iter().flatten().any(|part| {
                let text = part.text();
                text.contains(missing.name.as_str())
                    && (in_plan || text.contains(path::file_name(&missing.file)))
            })
        });
        // A manifest of a package that is made in this phase says nothing yet.
        speaks || (in_plan && matches!(missing.what, "package" | "test" | "example"))
    };
    view.plans.iter().any(|other| {
        if other.index == plan.index {
            return changes(other, task);
        }
        matches!(view.order.when(other.index, plan.index), When::Before | When::Unknown)
            && changes(other, usize::MAX)
    })
}
