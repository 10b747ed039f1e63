//! `gsd review show`: the last report of a phase, from its record.

use super::phase_error;
use super::render::{load, print};
use crate::args::ReviewShowArgs;
use crate::commands::{Context, Outcome};
use crate::ui::Ui;
use gsd_engine::review;
use gsd_io::fs::Links;

pub(super) fn run(ui: &Ui, context: &Context, args: &ReviewShowArgs) -> Outcome {
    let directory = review::find_phase(&context.env, &context.root, args.phase.phase.as_deref())
        .map_err(|error| phase_error(&error))?;
    let paths = review::report_paths(&context.root, &directory);
    let record = load(&paths.record, Links::Refuse)?;
    let report = paths.markdown.strip_prefix(context.env.cwd()).unwrap_or(&paths.markdown);
    print(ui, &record, args.format, Some(report.as_str()))
}
