//! An action says too little to be carried out.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::{View, is_work, task_name};
use crate::lint::{Check, prose};
use crate::planning::TaskForm;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/action-vague",
    level: Level::Warning,
    summary: "an action says too little to be carried out",
    docs: include_str!("action_vague.md"),
};

/// Fewer words than this say nothing unless they name code.
const FEW_WORDS: usize = 6;

const VAGUE: [&str; 12] = [
    "figure out",
    "as you see fit",
    "as appropriate",
    "as necessary",
    "whatever is needed",
    "whatever is necessary",
    "do what is needed",
    "and so on",
    "use your judgment",
    "use your judgement",
    "somehow",
    "details to follow",
];

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        for (index, task) in plan.tasks().filter(|(_, task)| is_work(task)) {
            let Some(action) = task.action.as_ref().filter(|action| !action.is_blank()) else {
                continue;
            };
            let text = plan.text(&action.span);
            let names_code =
                text.contains(['`', '/', '(', '_']) || text.bytes().any(|b| b.is_ascii_digit());
            // Where a list of steps follows in another part, the action is only its title.
            let alone =
                task.form == TaskForm::Block && task.behavior.is_none() && task.other.is_empty();
            if alone && !names_code && prose::words(text).count() < FEW_WORDS {
                found.push(
                    RULE.at(
                        plan.at_line_of(&action.span),
                        format!("the action of {} has a few words only", task_name(index)),
                    )
                    .help("say which code to change, and how"),
                );
                continue;
            }
            let unquoted = prose::unquoted(text);
            if let Some((span, phrase)) = prose::phrases(&unquoted, &VAGUE).into_iter().next() {
                let span = action.span.start + span.start..action.span.start + span.end;
                found.push(
                    RULE.at(plan.at(&span), format!("\"{phrase}\" leaves the work to guesswork"))
                        .help("say what to do"),
                );
            }
        }
    }
}
