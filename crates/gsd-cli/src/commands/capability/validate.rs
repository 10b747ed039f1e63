//! `gsd capability validate`: diagnostics about manifests, and their mechanical fixes.

use super::{Context, Outcome};
use crate::args::{CapabilityValidateArgs, Format};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::{diagnostics, format::count, github, json_v1, sarif};
use crate::ui::Ui;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_engine::diag::Level;
use gsd_engine::manifest::MAX_MANIFEST;
use gsd_engine::registry::{Strictness, Validation, fixed, validate};
use gsd_engine::store::check::refused_ids;
use gsd_io::fs::{self, Links};
use serde_json::json;
use std::error::Error;

pub(super) fn run(ui: &Ui, context: &Context, args: &CapabilityValidateArgs) -> Outcome {
    let strictness = if args.strict { Strictness::Strict } else { Strictness::Usual };
    let paths: Vec<Utf8PathBuf> =
        args.paths.iter().map(|path| context.env.absolute(path)).collect();
    let look = || read(context, &paths, strictness);
    let mut validation = look()?;
    let mut done = Fixes::default();
    if args.fix {
        done = write_fixes(context, &validation);
        validation = look()?;
    }
    let found = &validation.diagnostics;
    let worst = found.iter().map(|diagnostic| diagnostic.level).max();
    let is_wrong = worst == Some(Level::Error) || !done.not_written.is_empty();
    let status = if is_wrong { ExitStatus::Diagnostics } else { ExitStatus::Done };
    if ui.json {
        let manifests: Vec<String> =
            validation.manifests.iter().map(|found| shown(context, &found.path)).collect();
        let details = json!({
            "manifests": manifests,
            "fixed": done.written,
            "notWritten": done.not_written,
            "diagnostics": json_v1::diagnostics(found),
            "refusedIds": refused_ids(ids(&validation))
                .iter()
                .map(|refusal| json!({ "code": refusal.code, "message": refusal.message }))
                .collect::<Vec<_>>(),
        });
        ui.document(&json!({ "ok": status == ExitStatus::Done, "details": details }));
        return Ok(status);
    }
    match args.format {
        Format::Human => human(ui, &validation),
        Format::Json => ui.document(&json!(json_v1::diagnostics(found))),
        Format::Sarif => ui.document(&sarif::diagnostics(found)),
        Format::Github => ui.data(&github::diagnostics(found)),
    }
    if args.fix {
        done.tell(ui);
    } else if args.format == Format::Human {
        let mechanical = found.iter().filter(|diagnostic| diagnostic.fix.is_some()).count();
        if mechanical > 0 {
            ui.say(format_args!("{mechanical} can be fixed with `--fix`"));
        }
    }
    Ok(status)
}

fn human(ui: &Ui, validation: &Validation) {
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
    say_refused_ids(ui, validation);
}

/// The ids of what was read.
fn ids(validation: &Validation) -> impl Iterator<Item = &str> {
    let manifests = validation.manifests.iter();
    manifests.filter_map(|found| Some(found.bundle.parsed.manifest.as_ref()?.id.value.as_str()))
}

/// Says that nobody could install it under its id. That is no fault of the manifest: gsd's own ones
/// have such ids, and so have those that others published for gsd.
fn say_refused_ids(ui: &Ui, validation: &Validation) {
    let refused = refused_ids(ids(validation));
    let Some(first) = refused.first() else { return };
    let more = match refused.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more like it)"),
    };
    ui.say(format_args!("note: {}, so `install` refuses it{more}", first.message));
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

/// What became of the fixes.
#[derive(Debug, Default)]
struct Fixes {
    written: usize,
    /// Files that could not be written, each with the reason.
    not_written: Vec<String>,
    /// Files that could be fixed further.
    unfinished: Vec<String>,
}

impl Fixes {
    fn tell(&self, ui: &Ui) {
        if self.written > 0 {
            let fixes = if self.written == 1 { "fix" } else { "fixes" };
            ui.say(format_args!("{} {fixes} written", self.written));
        }
        for file in &self.unfinished {
            ui.warn(format_args!("{file}: there is more to fix; run it again"));
        }
        for why in &self.not_written {
            ui.warn(format_args!("not fixed: {why}"));
        }
    }
}

/// Writes the fixes of each file, unless somebody else wrote to it meanwhile. A file that cannot be
/// written keeps no other one from it.
fn write_fixes(context: &Context, validation: &Validation) -> Fixes {
    let mut done = Fixes::default();
    for found in &validation.manifests {
        let fixed = fixed(found);
        if fixed.fixes == 0 {
            continue;
        }
        let name = shown(context, &found.path);
        let before = found.bundle.parsed.file.text();
        let now = fs::read_text(&found.path, MAX_MANIFEST, Links::Refuse);
        if now.ok().as_deref() != Some(before) {
            done.not_written.push(format!("{name}: it was changed meanwhile; run it again"));
            continue;
        }
        match fs::write_atomic(&found.path, fixed.text.as_bytes()) {
            Ok(()) => done.written += fixed.fixes,
            Err(error) => {
                let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
                done.not_written.push(format!("{error}{cause}"));
            }
        }
        if fixed.is_unfinished {
            done.unfinished.push(name);
        }
    }
    done
}
