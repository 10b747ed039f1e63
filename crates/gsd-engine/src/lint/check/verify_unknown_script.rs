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

/// How many names a remedy lists.
const MOST_NAMES: usize = 12;

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
                    found.push(RULE.at(at, message(&missing)).help(remedy(&missing)));
                }
            }
        }
    }
}

fn message(missing: &Missing) -> String {
    match missing.what {
        "test" | "example" => format!("there is no {} `{}`", missing.what, missing.file),
        "file" => format!("there is no `{}`, and this command needs it", missing.file),
        what => format!("`{}` has no {what} `{}`", missing.file, missing.name),
    }
}

/// What to do: a near name may be meant, else it is added, or another one is called.
fn remedy(missing: &Missing) -> String {
    if let Some(near) = nearest(&missing.name, missing.known.iter().map(String::as_str)) {
        return format!("did you mean `{near}`?");
    }
    let Missing { what, name, file, known, .. } = missing;
    let add = match *what {
        "test" | "example" | "file" => {
            format!("let an earlier task create `{file}`, or call something that is there")
        }
        what => format!("add the {what} `{name}` to `{file}`"),
    };
    if known.is_empty() {
        return add;
    }
    let mut names: Vec<String> =
        known.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    if known.len() > MOST_NAMES {
        names.push(format!("{} more", known.len() - MOST_NAMES));
    }
    format!("{add}, or call one of {}", names.join(", "))
}

/// Whether any plan of the phase creates the file, or speaks of it.
fn is_promised(view: &View<'_>, missing: &Missing) -> bool {
    let name = path::file_name(&missing.file);
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let speaks = |text: &str| {
        let text = text.to_lowercase();
        let marks = INITIALISERS.iter().any(|command| text.contains(command));
        marks
            || text.contains(&name.to_lowercase())
            || (stem.ends_with("file") && text.contains(&stem))
    };
    let mut tasks = view.plans.iter().flat_map(|plan| plan.tasks()).map(|(_, task)| task);
    view.files.is_touched(&missing.file)
        || tasks.any(|task| {
            let parts = [task.action.as_ref(), task.behavior.as_ref()];
            parts.into_iter().flatten().any(|part| speaks(&part.text()))
        })
}

/// What makes a new project, with files that no plan lists.
const INITIALISERS: [&str; 8] = [
    " init",
    "create-",
    "npm create",
    "pnpm create",
    "yarn create",
    "scaffold",
    "bootstrap",
    "ng new",
];

/// Whether a task up to this one, or a plan that may run earlier, changes the file and names the
/// script.
fn is_added(view: &View<'_>, plan: &PlanView<'_>, task: usize, missing: &Missing) -> bool {
    // A file that is to be made may have another of its names, and may come from a generator.
    if missing.what == "file" && is_promised(view, missing) {
        return true;
    }
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
