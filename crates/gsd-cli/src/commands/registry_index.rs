//! `gsd registry-index build`: the index of a folder, with which it is a registry.

use super::{Context, Outcome, registry};
use crate::args::{RegistryIndexArgs, RegistryIndexBuildArgs, RegistryIndexCommand};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::file::OutputFile;
use crate::output::format::count;
use crate::ui::Ui;
use gsd_engine::source::{BuildError, build_index};
use gsd_io::cancel::Cancel;
use gsd_io::fs::Scratch;
use serde_json::{Value, json};

pub(super) fn run(ui: &Ui, context: &Context, args: &RegistryIndexArgs) -> Outcome {
    match &args.command {
        RegistryIndexCommand::Build(args) => build(ui, context, args),
    }
}

fn build(ui: &Ui, context: &Context, args: &RegistryIndexBuildArgs) -> Outcome {
    let not_written =
        |error| CommandError::from_error(ExitStatus::Diagnostics, "not-written", &error);
    let folder = context.env.absolute(&args.folder);
    let scratch = Scratch::new(context.env.temp_folder()).map_err(not_written)?;
    let index =
        build_index(&folder, scratch.path(), &Cancel::new()).map_err(|error| refused(&error))?;
    let out = args.out.clone().unwrap_or_else(|| args.folder.join("index.json"));
    let text = format!("{index:#}\n");
    let is_index = |head: &[u8]| {
        let head = String::from_utf8_lossy(head);
        head.starts_with('{') && head.contains("\"capabilities\"")
    };
    OutputFile::out(&context.env.absolute(&out), is_index)?
        .write(text.as_bytes())
        .map_err(not_written)?;
    let (capabilities, versions) = sizes(&index);
    if ui.json {
        ui.success(json!({
            "file": out.as_str(), "capabilities": capabilities, "versions": versions,
        }));
    } else {
        let versions = count(versions, "version");
        ui.say(format_args!("{out}: {versions} of {}", registry::capabilities(capabilities)));
    }
    Ok(ExitStatus::Done)
}

fn refused(error: &BuildError) -> CommandError {
    let refused = CommandError::from_error(ExitStatus::Refused, "no-index", error);
    match error {
        BuildError::Archive { .. } | BuildError::NoBundle { .. } | BuildError::Empty { .. } => {
            refused.hint("`gsd capability pack DIR` makes an archive that fits")
        }
        BuildError::Twice { .. } => refused.hint("remove one of the two archives"),
        BuildError::Read(_) | BuildError::Scratch(_) => refused,
    }
}

/// How many capabilities, and how many versions in all.
fn sizes(index: &Value) -> (usize, usize) {
    let all = index["capabilities"].as_object();
    let versions = all.into_iter().flatten().filter_map(|(_, one)| one["versions"].as_object());
    (all.map_or(0, serde_json::Map::len), versions.map(serde_json::Map::len).sum())
}
