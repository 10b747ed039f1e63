//! `gsd completions SHELL`.

use super::{Context, Outcome};
use crate::args::CompletionsArgs;
use crate::exit::ExitStatus;
use crate::parse::definition;
use crate::ui::Ui;

pub(super) fn run(ui: &Ui, context: &Context, args: &CompletionsArgs) -> Outcome {
    let mut command = definition(context.program, &context.switches);
    let name = command.get_name().to_owned();
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    ui.data(&String::from_utf8_lossy(&script));
    Ok(ExitStatus::Done)
}
