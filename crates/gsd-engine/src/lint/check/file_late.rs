//! A task needs a file that is made later.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::needs::{Fault, Why};
use crate::lint::view::{View, task_name};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/file-late",
    level: Level::Error,
    summary: "a task needs a file that is made later",
    docs: include_str!("file_late.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for need in view.needs() {
        let (maker, beside) = match &need.fault {
            Fault::Nobody => continue,
            Fault::Later(maker) => (maker, false),
            // Two plans that write one file in one wave are told as that.
            Fault::Beside(_) if need.why == Why::Edit => continue,
            Fault::Beside(maker) => (maker, true),
        };
        let plan = &view.plans[need.plan];
        let other = &view.plans[maker.plan];
        let reader = need.task.map_or_else(|| "the plan".to_owned(), task_name);
        let by = match maker.task {
            Some(task) if maker.plan == need.plan => task_name(task),
            Some(_) | None => other.id().to_owned(),
        };
        let when = if beside { "in the same wave" } else { "later" };
        let help = if maker.plan == need.plan {
            "change the order of the tasks".to_owned()
        } else {
            format!("let {} depend on {} and move it to a later wave", plan.id(), other.id())
        };
        found.push(
            RULE.at(
                plan.at(&need.span),
                format!("{reader} needs `{}`, which {by} makes {when}", need.path),
            )
            .also(other.at(&maker.span), "made here")
            .help(help),
        );
    }
}
