//! `gsd capability`: write, check, pack and list capabilities.

mod ask;
mod fetch;
mod frozen;
mod install;
mod list;
mod lock;
mod new;
mod outdated;
mod pack;
mod place;
mod put;
mod reconcile;
mod remove;
mod report;
mod show;
mod switch;
mod trust;
mod update;
mod validate;

use super::{Context, Outcome};
use crate::args::{CapabilityArgs, CapabilityCommand};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::ui::Ui;
use camino::Utf8Path;
use gsd_engine::lane::Roster;
use gsd_engine::lane::roster::first_party;
use gsd_engine::registry::{self, Composition, NothingThere, matrix_json, matrix_markdown};
use gsd_engine::store::switch::Switch;
use gsd_engine::store::{Discovery, Places, StoreProblem, discover};
use gsd_engine::text::printable;
use gsd_io::env::Env;
use serde_json::{Value, json};

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
        CapabilityCommand::Install(args) => install::run(ui, context, args),
        CapabilityCommand::Update(args) => update::run(ui, context, args),
        CapabilityCommand::Remove(args) => remove::run(ui, context, args),
        CapabilityCommand::Enable(args) => switch::run(ui, context, args, Switch::On),
        CapabilityCommand::Disable(args) => switch::run(ui, context, args, Switch::Off),
        CapabilityCommand::Adopt(args) => trust::adopt(ui, context, args),
        CapabilityCommand::Lock(args) => lock::run(ui, context, args),
        CapabilityCommand::Outdated(args) => outdated::run(ui, context, args),
        CapabilityCommand::Reconcile(args) => reconcile::run(ui, context, args),
        CapabilityCommand::Doctor => super::doctor::of_installed(ui, context),
        CapabilityCommand::List(args) => list::run(ui, context, args),
        CapabilityCommand::Show(args) => show::run(ui, context, args),
        CapabilityCommand::Trust(args) => trust::run(ui, context, &args.command),
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
    let mut found = discover(&places(&context.env, &context.root));
    let overlays = std::mem::take(&mut found.overlays);
    (registry::compose(registry::first_party(), overlays), found)
}

/// There is no capability at a path that was typed.
fn nothing_there(path: &str) -> CommandError {
    let error = NothingThere { path: path.to_owned() };
    CommandError::from_error(ExitStatus::Unknown, "capability-unknown", &error)
}

/// Says which records and folders cannot be read, so that nobody thinks that all is seen.
pub(super) fn say_problems(ui: &Ui, problems: &[&StoreProblem]) {
    for problem in problems {
        let (message, remedy) = (printable(&problem.message, 400), printable(&problem.remedy, 400));
        ui.warn(format_args!("{message}; {remedy}"));
    }
}

/// The same for programs.
pub(super) fn problems_json(problems: &[&StoreProblem]) -> Value {
    let problem = |problem: &&StoreProblem| {
        json!({
            "scope": problem.scope.word(), "message": problem.message, "remedy": problem.remedy,
        })
    };
    problems.iter().map(problem).collect()
}

/// The lanes of all capabilities, with those that may not be used; where nothing is installed
/// nothing is put together.
pub(super) fn lanes(env: &Env, root: &Utf8Path) -> Roster {
    let overlays = discover(&places(env, root)).overlays;
    if overlays.is_empty() {
        return Roster::of(first_party()).0;
    }
    registry::compose(registry::first_party(), overlays).lanes()
}

pub(super) fn places(env: &Env, root: &Utf8Path) -> Places {
    Places::of(env, root)
}
