//! An artifact promises what an untouched file does not have.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::View;
use crate::lint::{Check, exports, path};
use crate::text::nearest;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/artifact-impossible",
    level: Level::Error,
    summary: "an artifact promises what an untouched file does not have",
    docs: include_str!("artifact_impossible.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let must_haves = plan.plan.frontmatter.must_haves.iter();
        for artifact in must_haves.flat_map(|must| &must.value.artifacts) {
            let artifact = &artifact.value;
            let Some(path) = artifact.path.as_ref().and_then(|path| path::inside(&path.value))
            else {
                continue;
            };
            if view.files.is_touched(&path) {
                continue;
            }
            let Some(file) = view.tree.text(&path) else { continue };
            if let Some(offered) = exports::of(&path, file.text()) {
                for export in &artifact.exports {
                    let name = export.value.split(['(', ' ', ':', '<']).next().unwrap_or_default();
                    let is_name = !name.is_empty()
                        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
                    // `GET` of a route handler and the like are exports as well.
                    if !is_name || offered.contains(name) {
                        continue;
                    }
                    let mut diagnostic = RULE.at(
                        plan.at(&export.span),
                        format!("`{path}` exports no `{name}`, and no task changes it"),
                    );
                    if let Some(near) = nearest(name, offered.iter().map(String::as_str)) {
                        diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                    }
                    found.push(diagnostic);
                }
            }
            if let Some(contains) = &artifact.contains
                && !holds(file.text(), &contains.value)
            {
                found.push(RULE.at(
                    plan.at(&contains.span),
                    format!("`{path}` does not contain this, and no task changes it"),
                ));
            }
            if let Some(wanted) = &artifact.min_lines
                && (file.line_count() as u64) < wanted.value
            {
                found.push(RULE.at(
                    plan.at(&wanted.span),
                    format!("`{path}` has {} lines, and no task changes it", file.line_count()),
                ));
            }
        }
    }
}

/// Whether a text is there, as it stands or as a pattern; both are in use.
fn holds(text: &str, wanted: &str) -> bool {
    text.contains(wanted)
        || wanted.trim().is_empty()
        || wanted.contains(['\\', '*', '|', '['])
        || wanted.split_whitespace().collect::<Vec<_>>().join(" ").len() < 3
        || text.to_lowercase().contains(&wanted.to_lowercase())
}
