//! A cited file does not exist.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::View;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/citation-missing",
    level: Level::Error,
    summary: "a cited file does not exist",
    docs: include_str!("citation_missing.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for citation in view.citations() {
        // Prose may cite another repository; below a folder of this one it means this one.
        if !view.is_below_a_folder(&citation.path)
            || !view.tree.is_absent(&citation.path)
            || !view.files.is_never_made(view, &citation.path)
        {
            continue;
        }
        let mut diagnostic = RULE
            .at(citation.at(), format!("`{}` does not exist", citation.path))
            .with_level(citation.level)
            .label("no such file");
        if let Some(near) = view.suggestion(&citation.path) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        found.push(diagnostic);
    }
}
