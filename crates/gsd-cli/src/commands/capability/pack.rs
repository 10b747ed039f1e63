//! `gsd capability pack`: an archive that is the same wherever and whenever it is made.

use super::{Context, Outcome, nothing_there};
use crate::args::CapabilityPackArgs;
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::file::OutputFile;
use crate::output::{diagnostics, json_v1};
use crate::ui::Ui;
use gsd_engine::diag::Level;
use gsd_engine::manifest::pack::{archive, archive_name, collect, integrity, likely_secrets};
use gsd_engine::manifest::{Context as Known, Origin, read_bundle};
use gsd_io::fs;
use serde_json::json;

pub(super) fn run(ui: &Ui, context: &Context, args: &CapabilityPackArgs) -> Outcome {
    // As for `validate`, the manifest stands for its folder.
    let typed = match (args.path.file_name(), args.path.parent()) {
        (Some("capability.json"), Some(parent)) if parent.as_str().is_empty() => ".".into(),
        (Some("capability.json"), Some(parent)) => parent,
        _ => args.path.as_path(),
    };
    let folder = context.env.absolute(typed);
    let name = typed.join("capability.json");
    if fs::kind(&folder.join("capability.json")).is_none() {
        return Err(nothing_there(typed.as_str()));
    }
    let real = fs::canonical(&folder).unwrap_or_else(|| folder.clone());
    let known = Known { origin: Origin::ThirdParty, folder: real.file_name() };
    let bundle = read_bundle(&folder, name.as_str(), known);
    let found = &bundle.parsed.diagnostics;
    let Some(manifest) = bundle.manifest() else {
        let refused = CommandError::new(
            ExitStatus::Refused,
            "invalid",
            format!("`{typed}` is not a valid capability"),
        );
        let refused =
            refused.hint(format!("`gsd capability validate {typed}` shows what is wrong"));
        let list = json!(json_v1::diagnostics(found));
        if !ui.json {
            ui.talk(diagnostics::human(ui, found));
        }
        return Err(refused.detail("diagnostics", list));
    };
    if !ui.json && found.iter().any(|found| found.level == Level::Warning) {
        diagnostics::warn(ui, found);
    }
    let refused = |error| CommandError::from_error(ExitStatus::Refused, "not-packed", &error);
    let files = collect(&folder, &manifest.id.value).map_err(refused)?;
    let secrets = likely_secrets(&files);
    if !ui.json {
        for path in &secrets {
            ui.warn(format_args!("`{path}` looks like a secret, and it is packed"));
        }
    }
    let bytes = archive(&files).map_err(refused)?;
    let integrity = integrity(&bytes);
    let out = args.out.clone().unwrap_or_else(|| archive_name(manifest).into());
    if !args.integrity {
        let path = context.env.absolute(&out);
        let inside = path.starts_with(&folder) || path.starts_with(&real);
        if args.out.is_some() && inside {
            let message = format!("`{out}` lies in the bundle, and would be packed the next time");
            let error = CommandError::new(ExitStatus::Usage, "output-file", message);
            return Err(error.hint("name a file outside with `--out`"));
        }
        // An archive may take the place of an older one, whoever made it.
        let is_archive = |head: &[u8]| head.starts_with(&[0x1f, 0x8b]);
        OutputFile::out(&path, is_archive)?.write(&bytes).map_err(|error| {
            CommandError::from_error(ExitStatus::Diagnostics, "not-written", &error)
        })?;
    }
    if ui.json {
        ui.success(json!({
            "id": manifest.id.value,
            "version": manifest.version.to_string(),
            "archive": (!args.integrity).then_some(out.as_str()),
            "bytes": bytes.len(),
            "files": files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
            "likelySecrets": secrets,
            "integrity": integrity,
        }));
    } else {
        ui.line(&integrity);
        if !args.integrity {
            ui.say(format_args!("{out}: {} files, {} bytes", files.len(), bytes.len()));
        }
    }
    Ok(ExitStatus::Done)
}
