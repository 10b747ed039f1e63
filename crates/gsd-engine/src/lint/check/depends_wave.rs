//! A plan depends on a plan of its own wave or of a later one.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::order::Target;
use crate::lint::view::View;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/depends-wave",
    level: Level::Error,
    summary: "a plan depends on a plan of its own wave or of a later one",
    docs: include_str!("depends_wave.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let Some(wave) = &plan.plan.frontmatter.wave else { continue };
        for dependency in &view.order.depends[plan.index] {
            let Target::Plan(target) = dependency.target else { continue };
            let other = &view.plans[target];
            let Some(others) = &other.plan.frontmatter.wave else { continue };
            if others.value < wave.value {
                continue;
            }
            let which = if others.value == wave.value { "the same" } else { "the later" };
            found.push(
                RULE.at(
                    plan.at(&dependency.entry.span),
                    format!(
                        "{} depends on {}, which runs in {which} wave {}",
                        plan.id(),
                        other.id(),
                        others.value
                    ),
                )
                .also(plan.at(&wave.span), format!("{} is in wave {}", plan.id(), wave.value))
                .also(other.at(&others.span), format!("{} is in wave {}", other.id(), others.value))
                .help(format!(
                    "move {} to wave {}",
                    plan.id(),
                    others.value.saturating_add(1)
                )),
            );
        }
    }
}
