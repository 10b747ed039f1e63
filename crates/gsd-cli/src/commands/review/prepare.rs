//! `gsd review prepare`: writes a folder that lanes are called from elsewhere.

use super::{ask, phase_error, refuse, run_dir_error};
use crate::args::PrepareArgs;
use crate::commands::lane::invoke::prepared_error;
use crate::commands::{Context, Outcome, tool};
use crate::exit::ExitStatus;
use crate::output::diagnostics;
use crate::output::format::count;
use crate::ui::Ui;
use gsd_engine::lane::selection::Missing;
use gsd_engine::review::{self, PrepareApartError};
use gsd_io::cancel::Cancel;
use serde_json::json;

pub(super) fn run(ui: &Ui, context: &Context, args: &PrepareArgs) -> Outcome {
    let ask = ask(context, &args.selection, Missing::Note, &args.lane_timeout);
    let project =
        review::open(&context.env, &context.root, args.phase.phase.as_deref(), &context.settings)
            .map_err(|error| phase_error(&error))?;
    diagnostics::warn(ui, &project.diagnostics);
    let folder = context.env.absolute(&args.run_dir);
    let (cancel, tool) = (Cancel::new(), tool());
    let run = match review::prepare_apart(
        &context.env,
        &project,
        context.roster(),
        &ask,
        &folder,
        &tool,
        &cancel,
    ) {
        Ok(run) => run,
        Err(PrepareApartError::Phase(error)) => return Err(phase_error(&error)),
        Err(PrepareApartError::Folder(error)) => return Err(run_dir_error(&error)),
        Err(PrepareApartError::Write(error)) => return Err(prepared_error(&error)),
        Err(PrepareApartError::Selection(errors)) => return Err(refuse(&errors)),
    };
    let lanes: Vec<&str> = run.asks.iter().map(|ask| ask.identity.as_str()).collect();
    if ui.json {
        ui.success(json!({
            "run_dir": folder.as_str(),
            "id": run.record.run.id,
            "phase": run.record.phase,
            "plans": run.record.plans,
            "lanes": lanes,
        }));
        return Ok(ExitStatus::Done);
    }
    for lane in &lanes {
        ui.line(lane);
    }
    let typed = &args.run_dir;
    ui.say(format_args!(
        "{} prepared in `{typed}`; nothing was sent\n\
         next   gsd review invoke --run-dir {typed} --lane NAME, anywhere\n       \
         gsd review merge --run-dir {typed}, here",
        count(lanes.len(), "lane")
    ));
    Ok(ExitStatus::Done)
}
