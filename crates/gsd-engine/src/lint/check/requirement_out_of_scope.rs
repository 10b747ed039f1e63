//! A plan lists a requirement that is put off.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::View;
use crate::lint::{Check, requirements};
use crate::planning::Horizon;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/requirement-out-of-scope",
    level: Level::Warning,
    summary: "a plan lists a requirement that is put off",
    docs: include_str!("requirement_out_of_scope.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let Some(requirements) = &view.phase.requirements else { return };
    let of_phase = requirements::of_phase(view);
    for plan in &view.plans {
        for (id, entry) in requirements::listed(plan) {
            // The roadmap has the last word on what the phase does.
            if of_phase.iter().any(|(own, _)| *own == id) {
                continue;
            }
            let mut defined =
                requirements.requirements.iter().filter(|one| one.id.value.as_str() == id);
            let Some(requirement) = defined.next().filter(|_| defined.next().is_none()) else {
                continue;
            };
            let put_off = match requirement.horizon {
                Horizon::Now => continue,
                Horizon::Later => "for a later version",
                Horizon::OutOfScope => "out of scope",
            };
            found.push(
                RULE.at(plan.at(&entry.span), format!("`{id}` is {put_off}"))
                    .also(
                        requirements.document.file.at(requirement.text.span.clone()),
                        "the requirement",
                    )
                    .help("leave it out, or move the requirement into this version"),
            );
        }
    }
}
