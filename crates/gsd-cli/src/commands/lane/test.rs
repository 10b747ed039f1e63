//! `gsd lane test`: what a lane withstands, for those who write one.

use super::known;
use crate::args::LaneTestArgs;
use crate::commands::{Context, Outcome, tool};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::diagnostics;
use crate::output::table::{hang, pad};
use crate::ui::{Tone, Ui};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_engine::diag::{Diagnostic, Level};
use gsd_engine::lane::{Lane, Origin};
use gsd_engine::manifest::{self, read_bundle};
use gsd_engine::text::printable;
use gsd_engine::trial::{self, Ground, Row, TrialError};
use gsd_io::cancel::Cancel;
use gsd_io::fs::{self, Kind};
use gsd_io::signal;
use serde_json::{Value, json};

pub(super) fn run(ui: &Ui, context: &Context, args: &LaneTestArgs) -> Outcome {
    let (lane, found) = find(context, &args.lane)?;
    diagnostics::warn(ui, &found);
    let cancel = Cancel::new();
    let _watching = signal::watch(&cancel)
        .map_err(|error| CommandError::from_error(ExitStatus::Diagnostics, "signals", &error))?;
    let temporary = context.env.var("TMPDIR").map_or("/tmp".into(), Utf8PathBuf::from);
    let tool = tool();
    let ground = Ground { env: &context.env, folder: &temporary, tool: &tool, cancel: &cancel };
    let mut emit = |row: &Row| {
        if !ui.json {
            tell(ui, row);
        }
    };
    let rows = trial::run(&lane, &ground, &mut emit).map_err(|error| refused(&error))?;
    if cancel.is_cancelled() {
        return Ok(ExitStatus::Interrupted);
    }
    let failed = rows.iter().filter(|row| row.problem.is_some()).count();
    let status = if failed == 0 { ExitStatus::Done } else { ExitStatus::Diagnostics };
    if ui.json {
        let details = json!({
            "slug": lane.slug().as_str(),
            "rows": rows.iter().map(as_json).collect::<Vec<_>>(),
        });
        if failed == 0 {
            ui.success(details);
        } else {
            let message = format!("{failed} of {} worlds were too much for it", rows.len());
            ui.document(&json!({
                "ok": false, "code": "trial", "message": message, "details": details,
            }));
        }
    } else if failed == 0 {
        ui.line(format_args!("`{}` withstands all {} worlds", lane.slug(), rows.len()));
    } else {
        ui.line(format_args!(
            "`{}` does not withstand {failed} of {} worlds",
            lane.slug(),
            rows.len()
        ));
    }
    Ok(status)
}

/// The lane of that name, or of the manifest at that path.
fn find(context: &Context, name: &str) -> Result<(Lane, Vec<Diagnostic>), CommandError> {
    if let Some(lane) = context.roster().by_slug(name) {
        return Ok((lane.clone(), vec![]));
    }
    let path = context.env.absolute(Utf8Path::new(name));
    let folder = match fs::kind(&path) {
        Some(Kind::Directory) => path,
        Some(Kind::File { .. }) => path.parent().map_or_else(|| path.clone(), Utf8Path::to_owned),
        Some(Kind::Link | Kind::Special) | None => {
            known(context, name)?;
            return Err(CommandError::new(ExitStatus::Unknown, "lane-unknown", "no such lane"));
        }
    };
    let shown = format!("{}/capability.json", folder.file_name().unwrap_or("."));
    let about =
        manifest::Context { origin: manifest::Origin::ThirdParty, folder: folder.file_name() };
    let bundle = read_bundle(&folder, &shown, about);
    let found = bundle.parsed.diagnostics.clone();
    let broken = found.iter().find(|diagnostic| diagnostic.level == Level::Error);
    let lane = bundle.manifest().and_then(|manifest| {
        let descriptor = manifest.lane()?.descriptor.clone();
        Some(Lane { capability: manifest.id.value.clone(), origin: Origin::Overlay, descriptor })
    });
    match (lane, broken) {
        (Some(lane), None) => Ok((lane, found)),
        (_, Some(diagnostic)) => {
            let message = format!("its manifest has a fault: {}", diagnostic.message);
            Err(CommandError::new(ExitStatus::Refused, "manifest", message)
                .hint(format!("see all of them: gsd capability validate {}", printable(name, 200))))
        }
        (None, None) => {
            let message = "its manifest declares no lane";
            Err(CommandError::new(ExitStatus::Unknown, "no-lane", message)
                .hint("a lane is the `reviewer` body of a manifest"))
        }
    }
}

fn refused(error: &TrialError) -> CommandError {
    let from = |status, code| CommandError::from_error(status, code, error);
    match error {
        TrialError::Own | TrialError::Path => from(ExitStatus::Refused, "no-stand-in"),
        TrialError::Folder(_) => from(ExitStatus::Diagnostics, "trial")
            .hint("set TMPDIR to a folder that you may write to"),
        TrialError::Project(_) | TrialError::Server(_) => from(ExitStatus::Diagnostics, "trial"),
    }
}

fn tell(ui: &Ui, row: &Row) {
    let (mark, tone) = match &row.problem {
        None => ("✔", Tone::Good),
        Some(_) => ("✘", Tone::Bad),
    };
    let text = format!("{}  {} → {}", pad(row.name, 22), row.does, row.seen);
    let text = hang(&text, 26, ui.prose_width());
    ui.line(format_args!("{} {text}", ui.paint(tone, mark)));
    if let Some(problem) = &row.problem {
        ui.line(format_args!("  expected {}; {}", row.expected, printable(problem, 400)));
    }
}

fn as_json(row: &Row) -> Value {
    json!({
        "world": row.kind.word(),
        "name": row.name,
        "does": row.does,
        "expected": row.expected,
        "seen": row.seen,
        "holds": row.problem.is_none(),
        "problem": row.problem,
    })
}
