//! A key link ends at a file that nobody makes.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::View;
use crate::lint::{Check, path};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/key-link-missing",
    level: Level::Error,
    summary: "a key link ends at a file that nobody makes",
    docs: include_str!("key_link_missing.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let must_haves = plan.plan.frontmatter.must_haves.iter();
        for link in must_haves.flat_map(|must| &must.value.key_links) {
            for (side, end) in [("begins", &link.value.from), ("ends", &link.value.to)] {
                let Some(end) = end else { continue };
                let Some(path) = path::inside(&end.value) else { continue };
                // A name without its folder may stand anywhere.
                if !path.contains('/')
                    || !path::has_known_extension(&path)
                    || !view.files.is_never_made(view, &path)
                {
                    continue;
                }
                let mut diagnostic = RULE.at(
                    plan.at(&end.span),
                    format!(
                        "the link {side} at `{path}`, which does not exist and which no plan makes"
                    ),
                );
                if let Some(near) = view.suggestion(&path) {
                    diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                }
                found.push(diagnostic);
            }
        }
    }
}
