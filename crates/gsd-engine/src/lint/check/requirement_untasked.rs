//! A plan lists a requirement that none of its tasks speaks of.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::View;
use crate::lint::{Check, prose, requirements};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/requirement-untasked",
    level: Level::Note,
    summary: "a plan lists a requirement that none of its tasks speaks of",
    docs: include_str!("requirement_untasked.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let Some(requirements) = &view.phase.requirements else { return };
    for plan in &view.plans {
        let listed = requirements::listed(plan);
        let is_named =
            |id: &str| plan.tasks().any(|(_, task)| prose::names(plan.text(&task.span), id));
        let (named, unnamed): (Vec<_>, Vec<_>) = listed.iter().partition(|(id, _)| is_named(id));
        // A plan that never names requirements in its tasks follows another custom.
        if named.is_empty() {
            continue;
        }
        for (id, entry) in unnamed {
            let Some(requirement) =
                requirements.requirements.iter().find(|known| known.id.value.as_str() == id)
            else {
                continue;
            };
            let topics = prose::topics(&requirement.text.value);
            let spoken = topics
                .iter()
                .filter(|topic| {
                    plan.tasks().any(|(_, task)| plan.plain(&task.span).contains(topic.as_str()))
                })
                .count();
            if topics.len() < 3 || spoken * 2 > topics.len() {
                continue;
            }
            found.push(
                RULE.at(plan.at(&entry.span), format!("no task speaks of `{id}`"))
                    .also(
                        requirements.document.file.at(requirement.text.span.clone()),
                        "the requirement",
                    )
                    .help("name it in the task that fulfils it, or take it off the list"),
            );
        }
    }
}
