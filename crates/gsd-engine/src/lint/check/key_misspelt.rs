//! A key of a frontmatter is nearly one that is read.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::View;
use crate::planning::FRONTMATTER_KEYS;
use crate::text::{nearest, printable};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/key-misspelt",
    level: Level::Warning,
    summary: "a key of a frontmatter is nearly one that is read",
    docs: include_str!("key_misspelt.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        for key in &plan.plan.frontmatter.unknown {
            // Another style of the same word (`dependsOn`, `depends-on`) is not read either.
            let word = key.value.to_ascii_lowercase().replace('-', "_");
            let Some(likely) = nearest(&word, FRONTMATTER_KEYS) else { continue };
            let message = format!("nobody reads the key `{}`", printable(&key.value, 60));
            found.push(
                RULE.at(plan.at(&key.span), message).help(format!("did you mean `{likely}`?")),
            );
        }
    }
}
