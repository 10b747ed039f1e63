//! `gsd capability lock`: writes down exactly what is installed.

use super::super::{Context, Outcome};
use super::place::{failed, scope};
use super::places;
use crate::args::CapabilityLockArgs;
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::ui::Ui;
use gsd_engine::registry::Scope;
use gsd_engine::source::LOCK_FILE;
use gsd_engine::store::ScopeRoot;
use gsd_engine::store::locked::{self, LockFileError};
use serde_json::json;

pub(super) fn run(ui: &Ui, context: &Context, args: &CapabilityLockArgs) -> Outcome {
    let places = places(&context.env, &context.root);
    let root = ScopeRoot::of(&places, args.scope.scope.map_or(Scope::Project, scope))
        .map_err(|error| failed(&error))?;
    let (file, left_out) = locked::of_installed(&root).map_err(|error| failed(&error))?;
    let changed = match locked::read(&context.root) {
        Ok(before) => before != file,
        Err(LockFileError::Missing) => true,
        Err(error) => return Err(unusable(&error)),
    };
    if changed && !args.check {
        locked::write(&context.root, &file).map_err(|error| unusable(&error))?;
    }
    for id in &left_out {
        ui.warn(format_args!("`{id}` is left out: nobody knows where it came from"));
    }
    let status = if changed && args.check { ExitStatus::Diagnostics } else { ExitStatus::Done };
    let count = file.capabilities.len();
    if ui.json {
        let ids: Vec<&str> = file.capabilities.keys().map(|id| id.as_str()).collect();
        ui.document(&json!({ "ok": status == ExitStatus::Done, "details": {
            "file": LOCK_FILE, "scope": root.scope.word(), "changed": changed,
            "locked": ids, "leftOut": left_out,
        }}));
    } else if status == ExitStatus::Diagnostics {
        ui.line(format_args!("`{LOCK_FILE}` is not what is installed"));
        ui.say(format_args!("next: {} capability lock", ui.program_here()));
    } else {
        let verb = if changed { "wrote" } else { "nothing new in" };
        ui.line(format_args!("{verb} `{LOCK_FILE}`: {count} in {} scope", root.scope));
    }
    Ok(status)
}

/// Why the file cannot be gone by.
pub(super) fn unusable(error: &LockFileError) -> CommandError {
    let (status, code, hint) = match error {
        LockFileError::Missing => (ExitStatus::Unknown, "lock-missing", "gsd capability lock"),
        LockFileError::Unreadable(_) | LockFileError::Unusable(_) => {
            (ExitStatus::Corrupt, "lock-unusable", "mend it or take it away; it was not changed")
        }
        LockFileError::Write(_) => {
            (ExitStatus::Diagnostics, "lock-not-written", "see that the project can be written")
        }
    };
    CommandError::from_error(status, code, error).hint(hint)
}
