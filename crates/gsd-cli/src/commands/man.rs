//! `gsd man`: the manual page, from the same definition as the help text.

use super::{Context, Outcome};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::parse::definition;
use crate::ui::Ui;

pub(super) fn run(ui: &Ui, context: &Context) -> Outcome {
    let command = definition(context.program, &context.switches);
    let mut page = vec![];
    let main = clap_mangen::Man::new(command.clone());
    let mut render = || -> std::io::Result<()> {
        main.render(&mut page)?;
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let name = format!("{} {}", command.get_name(), verb.get_name());
            clap_mangen::Man::new(verb.clone().name(name)).render(&mut page)?;
        }
        Ok(())
    };
    render()
        .map_err(|error| CommandError::from_error(ExitStatus::Diagnostics, "man-page", &error))?;
    ui.data(&String::from_utf8_lossy(&page));
    Ok(ExitStatus::Done)
}
