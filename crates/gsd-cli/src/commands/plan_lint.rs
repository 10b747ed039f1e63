//! `gsd plan-lint`: the embedded reviewer by itself, and in its form as a lane.

use super::{Context, Outcome, review::phase_error};
use crate::args::{LintFormat, PlanLintArgs};
use crate::exit::ExitStatus;
use crate::output::{diagnostics, github, json_v1, sarif};
use crate::ui::Ui;
use gsd_engine::diag::Level;
use gsd_engine::lint;
use gsd_engine::review;
use serde_json::json;

pub(super) fn run(ui: &Ui, context: &Context, args: &PlanLintArgs) -> Outcome {
    // As a lane it is told which phase by the variables that every lane's child gets.
    let asked = args.phase.phase.as_deref().or_else(|| {
        (args.format == LintFormat::Review)
            .then(|| context.env.var("GSD_REVIEW_PHASE_DIR"))
            .flatten()
    });
    let root = match (args.format, context.env.var("GSD_REVIEW_ROOT")) {
        (LintFormat::Review, Some(root)) => camino::Utf8Path::new(root),
        _ => &context.root,
    };
    let project = review::open(&context.env, root, asked, &context.settings)
        .map_err(|error| phase_error(&error))?;
    if project.phase.counted().next().is_none() {
        return Err(phase_error(&review::PrepareError::no_plans(&project.phase)));
    }
    let found = lint::run(&project.phase, &lint::WorkTree::new(&project.root));
    let worst = found.iter().map(|diagnostic| diagnostic.level).max();
    let status =
        if worst == Some(Level::Error) { ExitStatus::Diagnostics } else { ExitStatus::Done };
    if ui.json {
        let details = json!({
            "phase": project.phase.directory.path.as_str(),
            "plans": project.phase.counted().map(|p| p.document.path.as_str()).collect::<Vec<_>>(),
            "diagnostics": json_v1::diagnostics(&found),
        });
        if status == ExitStatus::Done {
            ui.success(details);
        } else {
            ui.document(&json!({
                "ok": false,
                "code": "diagnostics",
                "message": status.meaning(),
                "details": details,
            }));
        }
        return Ok(status);
    }
    match args.format {
        LintFormat::Human => ui.data(&diagnostics::human(ui, &found)),
        LintFormat::Json => ui.document(&json!(json_v1::diagnostics(&found))),
        LintFormat::Sarif => ui.document(&sarif::diagnostics(&found)),
        LintFormat::Github => ui.data(&github::diagnostics(&found)),
        LintFormat::Review => {
            ui.data(&lint::review_text(&project.phase, &found));
            return Ok(ExitStatus::Done);
        }
    }
    Ok(status)
}
