//! A plan is very long.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::View;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/too-large",
    level: Level::Note,
    summary: "a plan is very long",
    docs: include_str!("too_large.md"),
};

const LONG: u64 = 48 << 10;
const VERY_LONG: u64 = 96 << 10;

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let bytes = plan.plan.document.bytes;
        if bytes < LONG {
            continue;
        }
        let level = if bytes < VERY_LONG { Level::Note } else { Level::Warning };
        found.push(
            RULE.at(
                plan.plan.file().at_start(),
                format!("the plan has {} KiB, about {} tokens", bytes >> 10, bytes / 4000 * 1000),
            )
            .with_level(level)
            .help("split it, or point at documents instead of repeating them"),
        );
    }
}
