//! An artifact is a file that nobody makes.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::View;
use crate::lint::{Check, path};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/artifact-unmade",
    level: Level::Error,
    summary: "an artifact is a file that nobody makes",
    docs: include_str!("artifact_unmade.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let must_haves = plan.plan.frontmatter.must_haves.iter();
        for artifact in must_haves.flat_map(|must| &must.value.artifacts) {
            let Some(stated) = &artifact.value.path else { continue };
            let Some(path) = path::inside(&stated.value) else { continue };
            if !path.contains('/')
                || !path::has_known_extension(&path)
                || path.starts_with(".planning/")
                || !view.files.is_never_made(view, &path)
            {
                continue;
            }
            let mut diagnostic = RULE.at(
                plan.at(&stated.span),
                format!("`{path}` does not exist, and no task makes it"),
            );
            if let Some(near) = view.suggestion(&path) {
                diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
            }
            found.push(diagnostic);
        }
    }
}
