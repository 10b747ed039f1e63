//! `gsd capability remove`: takes a capability away, and says what is left of it.

use super::super::{Context, Outcome};
use super::place::{failed, id, root_of};
use super::{compose, places};
use crate::Program;
use crate::args::CapabilityRemoveArgs;
use crate::commands::config;
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::ui::Ui;
use gsd_engine::id::CapabilityId;
use gsd_engine::registry::{Capability, Scope};
use gsd_engine::store::remove::{Removed, WrittenFiles, remove};
use gsd_engine::store::{Ledger, ScopeRoot, StoreError};
use gsd_engine::text::printable;
use gsd_io::fs;
use serde_json::json;

pub(super) fn run(ui: &Ui, context: &Context, args: &CapabilityRemoveArgs) -> Outcome {
    let id = id(&args.id)?;
    let root = root_of(context, &id, &args.change.scope)?;
    let keys = own_keys(context, &id);
    nobody_requires(context, &root, &id)?;
    if args.change.dry_run {
        return dry_run(ui, context, &root, &id);
    }
    let written = if args.purge_data { WrittenFiles::Purge } else { WrittenFiles::Keep };
    let removed = remove(&root, &id, written, args.change.lock_timeout)
        .map_err(|error| not_removed(context, &root, &id, &error))?;
    let set = config::set_in_project(context, &keys);
    let gone = if args.purge_config { config::purge(ui, context, &set)? } else { vec![] };
    let kept: Vec<&String> = set.iter().filter(|key| !gone.contains(key)).collect();
    say(ui, context, &root, &id, &removed, args, &kept);
    Ok(ExitStatus::Done)
}

/// What requires another one is out of force without it, so that one goes first.
fn nobody_requires(
    context: &Context,
    root: &ScopeRoot,
    id: &CapabilityId,
) -> Result<(), CommandError> {
    let (composition, discovery) = compose(context);
    let recorded = |scope, id: &str| discovery.recorded.contains_key(&(scope, id.to_owned()));
    if !recorded(root.scope, id.as_str()) {
        return Ok(());
    }
    let needs = |capability: &Capability| {
        capability.manifest.requires.iter().any(|required| required.value == *id)
    };
    let others = composition.registry.capabilities().filter(|capability| needs(capability));
    let found = others.map(|capability| capability.id().as_str()).find_map(|other| {
        let scopes = [Scope::Global, Scope::Project].into_iter();
        scopes.filter(|scope| recorded(*scope, other)).map(|scope| (other, scope)).next()
    });
    let Some((other, scope)) = found else { return Ok(()) };
    let message = format!("`{other}` ({scope}) requires `{id}`");
    let hint = format!("gsd capability remove {other} --scope {scope}");
    Err(CommandError::new(ExitStatus::Refused, "required", message).hint(hint))
}

/// The settings that a capability declares, as long as that can be known.
fn own_keys(context: &Context, id: &CapabilityId) -> Vec<String> {
    let composition = compose(context).0;
    let capability = composition.registry.get(id.as_str());
    let entries = capability.into_iter().flat_map(|capability| &capability.manifest.config);
    entries.map(|entry| entry.key.value.to_string()).collect()
}

fn not_removed(
    context: &Context,
    root: &ScopeRoot,
    id: &CapabilityId,
    error: &StoreError,
) -> CommandError {
    let failure = failed(error);
    let folder = places(&context.env, &context.root)
        .root(root.scope)
        .join(".gsd/capabilities")
        .join(id.as_str());
    // Nothing that gsd did not put there is removed by it.
    if matches!(error, StoreError::NotInstalled { .. }) && fs::kind(&folder).is_some() {
        let scope = root.scope;
        return failure.hint(format!(
            "nobody installed `{folder}`; `gsd capability adopt {id} --scope {scope}` records it, or \
             remove the folder yourself"
        ));
    }
    failure
}

fn dry_run(ui: &Ui, context: &Context, root: &ScopeRoot, id: &CapabilityId) -> Outcome {
    let ledger = Ledger::read(root.path()).map_err(|error| failed(&error.into()))?;
    let Some(entry) = ledger.get(id) else {
        let error = StoreError::NotInstalled { id: id.to_string(), scope: root.scope };
        return Err(not_removed(context, root, id, &error));
    };
    let files: Vec<String> = entry.shared_edits().into_iter().map(|edit| edit.file).collect();
    let own = format!(".gsd/capabilities/{id}");
    if ui.json || context.program == Program::GsdTools {
        ui.success(json!({
            "status": "would-remove", "id": id, "scope": root.scope.word(),
            "removedFiles": [own], "sharedFiles": files,
        }));
        return Ok(ExitStatus::Done);
    }
    ui.line(format_args!("would remove {own}"));
    for file in files {
        ui.line(format_args!("would take its entries out of {}", printable(&file, 200)));
    }
    ui.say("nothing was written");
    Ok(ExitStatus::Done)
}

fn say(
    ui: &Ui,
    context: &Context,
    root: &ScopeRoot,
    id: &CapabilityId,
    removed: &Removed,
    args: &CapabilityRemoveArgs,
    kept: &[&String],
) {
    for warning in &removed.warnings {
        ui.warn(printable(warning, 400));
    }
    let revoke = format!("gsd capability trust revoke {id} --scope {}", root.scope);
    if let Some(why) = &removed.consent_kept {
        ui.warn(format_args!("your word on it could not be taken back: {why}; `{revoke}` does it"));
    }
    let plain = context.program == Program::GsdTools;
    if ui.json || plain {
        let mut out = json!({
            "status": "removed", "id": id, "scope": root.scope.word(),
            "removedFiles": removed.files, "strippedEdits": removed.stripped,
            "dataPreserved": !args.purge_data,
        });
        if let Some(why) = &removed.consent_kept {
            out["consentRevokeFailed"] = json!(true);
            out["consentRevokeWarning"] = json!(why);
        }
        if !plain {
            out["leftovers"] = json!(removed.left_overs);
            out["warnings"] = json!(removed.warnings);
            out["settings"] = json!(kept);
        }
        ui.success(out);
        return;
    }
    ui.line(format_args!("removed {id} ({})", root.scope));
    for left in &removed.left_overs {
        ui.say(format_args!("still there: {}", printable(left, 300)));
    }
    for key in kept {
        ui.say(format_args!("still set: {}", printable(key, 200)));
    }
}
