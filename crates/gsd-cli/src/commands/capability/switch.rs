//! `gsd capability enable` and `disable`: off and on again, without being removed.

use super::super::{Context, Outcome};
use super::place::{failed, id, root_of};
use crate::Program;
use crate::args::CapabilitySwitchArgs;
use crate::exit::ExitStatus;
use crate::ui::Ui;
use gsd_engine::store::switch::{Switch, Switched, switch};
use gsd_engine::store::{Ledger, StoreError};
use gsd_engine::text::printable;
use serde_json::json;

pub(super) fn run(ui: &Ui, context: &Context, args: &CapabilitySwitchArgs, to: Switch) -> Outcome {
    let id = id(&args.id)?;
    let root = root_of(context, &id, &args.change.scope)?;
    let done = if args.change.dry_run {
        let ledger = Ledger::read(root.path()).map_err(|error| failed(&error.into()))?;
        match ledger.get(&id) {
            Some(entry) if entry.is_disabled() == (to == Switch::Off) => Ok(Switched::Already),
            Some(_) => Ok(Switched::Changed { warnings: vec![] }),
            None => Err(StoreError::NotInstalled { id: id.to_string(), scope: root.scope }),
        }
    } else {
        switch(&root, &id, to, args.change.lock_timeout)
    };
    let done = done.map_err(|error| failed(&error))?;
    let warnings = match &done {
        Switched::Changed { warnings } => warnings.clone(),
        Switched::Already => vec![],
    };
    for warning in &warnings {
        ui.warn(printable(warning, 400));
    }
    let word = match to {
        Switch::On => "enabled",
        Switch::Off => "disabled",
    };
    if context.program == Program::GsdTools {
        let on = to == Switch::On;
        ui.document(&json!({ "id": id, "enabled": on, "surfaced": on, "installed": true }));
        return Ok(ExitStatus::Done);
    }
    if ui.json {
        ui.success(json!({
            "status": word, "id": id, "scope": root.scope.word(),
            "changed": done != Switched::Already, "dryRun": args.change.dry_run,
            "warnings": warnings,
        }));
        return Ok(ExitStatus::Done);
    }
    let would = if args.change.dry_run { "would be " } else { "" };
    match done {
        Switched::Changed { .. } => ui.line(format_args!("{id} ({}) {would}{word}", root.scope)),
        Switched::Already => ui.line(format_args!("{id} ({}) was {word} already", root.scope)),
    }
    Ok(ExitStatus::Done)
}
