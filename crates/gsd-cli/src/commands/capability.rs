//! `gsd capability`: write, check, pack and list capabilities.

mod list;
mod new;
mod pack;
mod show;
mod validate;

use super::{Context, Outcome};
use crate::args::{CapabilityArgs, CapabilityCommand};
use crate::exit::ExitStatus;
use crate::ui::Ui;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_engine::registry::{self, Composition, matrix_json, matrix_markdown};
use gsd_engine::store::{Discovery, Places, discover};

pub(super) fn run(ui: &Ui, context: &Context, args: &CapabilityArgs) -> Outcome {
    match &args.command {
        CapabilityCommand::New(args) => new::run(ui, context, args),
        CapabilityCommand::Validate(args) => validate::run(ui, context, args),
        CapabilityCommand::Schema => {
            let schema = gsd_engine::manifest::schema();
            if ui.json {
                ui.success(schema);
            } else {
                ui.document(&schema);
            }
            Ok(ExitStatus::Done)
        }
        CapabilityCommand::Pack(args) => pack::run(ui, context, args),
        CapabilityCommand::List(args) => list::run(ui, context, args),
        CapabilityCommand::Show(args) => show::run(ui, context, args),
        CapabilityCommand::Matrix => {
            let registry = registry::compose(registry::first_party(), vec![]).registry;
            if ui.json {
                ui.success(matrix_json(&registry));
            } else {
                ui.data(&matrix_markdown(&registry));
            }
            Ok(ExitStatus::Done)
        }
    }
}

/// Everything that is in force for this user and project, and what is not.
pub(super) fn compose(context: &Context) -> (Composition, Discovery) {
    let mut found = discover(&places(context));
    let overlays = std::mem::take(&mut found.overlays);
    (registry::compose(registry::first_party(), overlays), found)
}

fn places(context: &Context) -> Places {
    let set = |name: &str| context.env.var(name).filter(|value| !value.is_empty());
    let home = set("GSD_HOME").map(Utf8PathBuf::from);
    let home = home.or_else(|| context.env.home().map(Utf8Path::to_owned));
    Places {
        home: home.map_or_else(|| context.root.clone(), |home| context.env.absolute(&home)),
        project: context.root.clone(),
    }
}
