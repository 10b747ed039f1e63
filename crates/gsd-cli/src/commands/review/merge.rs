//! `gsd review merge`: the results of a prepared run become one report.

use super::phase_error;
use super::run::{Outputs, finish};
use crate::args::MergeArgs;
use crate::commands::lane::invoke::prepared_error;
use crate::commands::{Context, Outcome};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::diagnostics;
use crate::ui::Ui;
use camino::Utf8PathBuf;
use gsd_engine::review::{self, MergeError};

pub(super) fn run(ui: &Ui, context: &Context, args: &MergeArgs) -> Outcome {
    let folders: Vec<Utf8PathBuf> =
        args.run_dir.iter().map(|folder| context.env.absolute(folder)).collect();
    let run = review::prepared_in(&folders).map_err(|error| merge_error(&error))?;
    let phase = review::phase_path(&run, &context.root);
    let project =
        review::open(&context.env, &context.root, Some(phase.as_str()), &context.settings)
            .map_err(|error| phase_error(&error))?;
    diagnostics::warn(ui, &project.diagnostics);
    let outputs = Outputs::of(context, &args.output, &project)?;
    let record = review::merge(&project, run, &folders);
    finish(ui, context, &args.output, &project, &record, &outputs)
}

fn merge_error(error: &MergeError) -> CommandError {
    let from = |status, code| CommandError::from_error(status, code, error);
    match error {
        MergeError::Folder(error) => prepared_error(error),
        MergeError::NotPrepared { .. } => from(ExitStatus::Unknown, "not-prepared")
            .hint("name folders that `gsd review prepare` wrote, or copies of them"),
        MergeError::OtherRun { .. } => {
            from(ExitStatus::Integrity, "other-run").hint("name folders of one run only")
        }
    }
}
