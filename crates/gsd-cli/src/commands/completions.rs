//! `gsd completions SHELL`.

use super::{Context, Outcome};
use crate::args::CompletionsArgs;
use crate::exit::ExitStatus;
use crate::parse::definition;
use crate::ui::Ui;
use serde_json::json;

pub(super) fn run(ui: &Ui, context: &Context, args: &CompletionsArgs) -> Outcome {
    let mut command = definition(context.program, &context.switches);
    let name = command.get_name().to_owned();
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    let script = String::from_utf8_lossy(&script);
    if ui.json {
        ui.success(json!({ "script": script }));
    } else {
        ui.data(&script);
    }
    Ok(ExitStatus::Done)
}
