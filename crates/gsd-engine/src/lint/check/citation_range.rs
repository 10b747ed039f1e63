//! A cited line is past the end of its file.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::View;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/citation-range",
    level: Level::Error,
    summary: "a cited line is past the end of its file",
    docs: include_str!("citation_range.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for citation in view.citations() {
        let Some(file) = view.tree.text(&citation.path) else { continue };
        let count = file.line_count() as u64;
        if citation.lines.last > count {
            found.push(
                RULE.at(
                    citation.at(),
                    format!("`{}` has {count} lines, not {}", citation.path, citation.lines.last),
                )
                .with_level(citation.level)
                .label("past the end"),
            );
        }
    }
}
