//! `gsd capability validate`: diagnostics about manifests, and their mechanical fixes.

use super::{Context, Outcome};
use crate::args::{CapabilityValidateArgs, Format};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::{diagnostics, format::count, github, json_v1, sarif};
use crate::ui::Ui;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_engine::diag::{Diagnostic, Level};
use gsd_engine::json::{MAX_ROUNDS, apply_fixes};
use gsd_engine::registry::{Strictness, Validation, validate};
use gsd_io::fs;
use serde_json::json;

pub(super) fn run(ui: &Ui, context: &Context, args: &CapabilityValidateArgs) -> Outcome {
    let strictness = if args.strict { Strictness::Strict } else { Strictness::Usual };
    let paths: Vec<Utf8PathBuf> =
        args.paths.iter().map(|path| context.env.absolute(path)).collect();
    let look = || read(context, &paths, strictness);
    let mut validation = look()?;
    let mut fixed = 0;
    if args.fix {
        for _ in 0..MAX_ROUNDS {
            let written = write_fixes(&validation)?;
            if written == 0 {
                break;
            }
            fixed += written;
            validation = look()?;
        }
    }
    let found = &validation.diagnostics;
    let worst = found.iter().map(|diagnostic| diagnostic.level).max();
    let status =
        if worst == Some(Level::Error) { ExitStatus::Diagnostics } else { ExitStatus::Done };
    if ui.json {
        let manifests: Vec<String> =
            validation.manifests.iter().map(|found| shown(context, &found.path)).collect();
        let details = json!({
            "manifests": manifests,
            "fixed": fixed,
            "diagnostics": json_v1::diagnostics(found),
        });
        ui.document(&json!({ "ok": status == ExitStatus::Done, "details": details }));
        return Ok(status);
    }
    match args.format {
        Format::Human => human(ui, &validation, fixed),
        Format::Json => ui.document(&json!(json_v1::diagnostics(found))),
        Format::Sarif => ui.document(&sarif::diagnostics(found)),
        Format::Github => ui.data(&github::diagnostics(found)),
    }
    Ok(status)
}

fn human(ui: &Ui, validation: &Validation, fixed: usize) {
    let found = &validation.diagnostics;
    if found.is_empty() {
        let checked = count(validation.manifests.len(), "manifest");
        ui.line(format_args!("{checked}, nothing to say"));
    } else {
        ui.data(&diagnostics::human(ui, found));
    }
    if validation.manifests.iter().any(|found| found.bundle.parsed.manifest.is_none()) {
        ui.say(format_args!("the files named by a manifest with errors were not checked"));
    }
    if fixed > 0 {
        let fixes = if fixed == 1 { "fix" } else { "fixes" };
        ui.say(format_args!("{fixed} {fixes} written"));
    } else if found.iter().any(|diagnostic| diagnostic.fix.is_some()) {
        let mechanical = found.iter().filter(|diagnostic| diagnostic.fix.is_some()).count();
        ui.say(format_args!("{mechanical} can be fixed with `--fix`"));
    }
}

/// The name of a path in messages: from where the user stands.
fn shown(context: &Context, path: &Utf8Path) -> String {
    let cwd = context.env.cwd();
    let short = path.strip_prefix(cwd).map(Utf8Path::as_str).unwrap_or(path.as_str());
    if short.is_empty() { ".".to_owned() } else { short.to_owned() }
}

fn read(
    context: &Context,
    paths: &[Utf8PathBuf],
    strictness: Strictness,
) -> Result<Validation, CommandError> {
    validate(paths, strictness, &|path| shown(context, path)).map_err(|error| {
        CommandError::from_error(ExitStatus::Unknown, "capability-unknown", &error)
            .hint("give a capability.json, the folder of a capability, or a folder of such folders")
    })
}

/// Writes one round of fixes into each file that has some.
fn write_fixes(validation: &Validation) -> Result<usize, CommandError> {
    let mut written = 0;
    for found in &validation.manifests {
        let file = &found.bundle.parsed.file;
        let own: Vec<Diagnostic> = validation
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.at.file.name() == file.name())
            .cloned()
            .collect();
        let (text, applied) = apply_fixes(file.text(), &own);
        if applied == 0 {
            continue;
        }
        fs::write_atomic(&found.path, text.as_bytes()).map_err(|error| {
            CommandError::from_error(ExitStatus::Diagnostics, "not-written", &error)
        })?;
        written += applied;
    }
    Ok(written)
}
