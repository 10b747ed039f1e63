//! `gsd capability update`: one or all, each from the source that it came from.

use super::super::{Context, Outcome};
use super::ask::Said;
use super::fetch::Pins;
use super::install::ready;
use super::place::{configured, confirming, failed, id, root_of, scope, settings};
use super::put::{Put, Way, wish, words};
use super::{fetch, places, report};
use crate::Program;
use crate::args::CapabilityUpdateArgs;
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::ui::{Tone, Ui};
use gsd_engine::id::CapabilityId;
use gsd_engine::registry::Scope;
use gsd_engine::store::plan::Planned;
use gsd_engine::store::wish::{RecordedFiles, Wish};
use gsd_engine::store::{
    Ledger, Recording, ScopeRoot, StoreError, check_number, signer_of, source_is_confirmed,
    transaction,
};
use gsd_engine::text::printable;
use serde_json::{Value, json};

/// What became of one.
enum Updated {
    Current { version: String, lines: Vec<String> },
    Upgraded { done: Box<transaction::Installed>, lines: Vec<String> },
    Previewed,
}

pub(super) fn run(ui: &Ui, context: &Context, args: &CapabilityUpdateArgs) -> Outcome {
    check_number(args.fetch.shared_file.len()).map_err(|error| failed(&error))?;
    match &args.id {
        Some(text) => one(ui, context, args, &id(text)?),
        None => all(ui, context, args),
    }
}

fn one(ui: &Ui, context: &Context, args: &CapabilityUpdateArgs, id: &CapabilityId) -> Outcome {
    let root = root_of(context, id, &args.change.scope)?;
    ready(ui, &root, args.change.dry_run, args.change.lock_timeout)?;
    let updated = update(ui, context, args, &root, id)?;
    let scope = root.scope;
    let plain = context.program == Program::GsdTools;
    match updated {
        Updated::Previewed => {}
        Updated::Current { version, lines } if ui.json || plain => ui.success(json!({
            "status": "current", "id": id, "fromVersion": version, "toVersion": version,
            "scope": scope.word(), "disclosure": lines,
        })),
        Updated::Current { version, .. } => {
            ui.line(format_args!("{id} {version} is what its source has"));
        }
        Updated::Upgraded { done, lines } => {
            report::warn(ui, &done);
            if ui.json || plain {
                let mut out = json!({
                    "status": "upgraded", "id": id, "fromVersion": done.from,
                    "toVersion": done.version, "scope": scope.word(), "disclosure": lines,
                });
                if !plain {
                    out["sharedEdits"] = report::shared(&done);
                    out["warnings"] = json!(done.warnings);
                }
                ui.success(out);
            } else {
                let from = printable(done.from.as_deref().unwrap_or("?"), 40);
                ui.line(format_args!("updated {id} from {from} to {} ({scope})", done.version));
                report::say_shared(ui, &done);
            }
        }
    }
    Ok(ExitStatus::Done)
}

fn all(ui: &Ui, context: &Context, args: &CapabilityUpdateArgs) -> Outcome {
    let places = places(&context.env, &context.root);
    let root = ScopeRoot::of(&places, args.change.scope.scope.map_or(Scope::Global, scope))
        .map_err(|error| failed(&error))?;
    ready(ui, &root, args.change.dry_run, args.change.lock_timeout)?;
    let ledger = Ledger::read(root.path()).map_err(|error| failed(&error.into()))?;
    let ids: Vec<CapabilityId> = ledger.iter().map(|(id, _)| id.clone()).collect();
    let plain = context.program == Program::GsdTools;
    let (mut rows, mut failures) = (vec![], 0);
    for id in &ids {
        let result = update(ui, context, args, &root, id);
        failures += usize::from(result.is_err());
        if !ui.json && !plain {
            say(ui, id, &result);
        }
        rows.push(row(id, &result));
    }
    if ui.json || plain {
        let details = json!({ "scope": root.scope.word(), "updated": rows });
        if plain {
            ui.success(details);
        } else {
            ui.document(&json!({ "ok": failures == 0, "details": details }));
        }
    } else if ids.is_empty() {
        ui.say(format_args!("nothing is installed in {} scope", root.scope));
    }
    Ok(if failures == 0 { ExitStatus::Done } else { ExitStatus::SomeFailed })
}

/// Updates one capability from the source that its entry names.
fn update(
    ui: &Ui,
    context: &Context,
    args: &CapabilityUpdateArgs,
    root: &ScopeRoot,
    id: &CapabilityId,
) -> Result<Updated, CommandError> {
    let places = places(&context.env, &context.root);
    let ledger = Ledger::read(root.path()).map_err(|error| failed(&error.into()))?;
    let Some(entry) = ledger.get(id) else {
        let error = StoreError::NotInstalled { id: id.to_string(), scope: root.scope };
        return Err(failed(&error));
    };
    if entry.source().is_empty() {
        let message = format!("nobody knows where `{id}` came from");
        return Err(CommandError::new(ExitStatus::Refused, "no-source", message)
            .hint("install it anew from its source, with `--replace`"));
    }
    if !source_is_confirmed(root, id, entry) {
        let source = printable(entry.source(), 200);
        let message = format!(
            "unconfirmed source: only the project's own ledger says that `{id}` came from {source}"
        );
        return Err(CommandError::new(ExitStatus::Refused, "source-unconfirmed", message)
            .hint(confirming(entry.source())));
    }
    let spec = fetch::spec(context, entry.source())?;
    let pins = Pins {
        integrity: fetch::pin_of(entry)?,
        signer: signer_of(root, id, entry).map_err(|error| failed(&error))?,
    };
    let config = settings(context);
    let configured = configured(&config);
    let requested = entry.field("requestedSpec").and_then(Value::as_str);
    let requested = requested.unwrap_or(entry.source());
    let recording = Recording::Typed(requested);
    let got = fetch::get(context, root, &spec, recording, &pins, &args.fetch, &configured)?;
    let (dry_run, patience) = (args.change.dry_run, args.change.lock_timeout);
    let wish = Wish {
        recorded_files: if args.no_shared_files {
            RecordedFiles::Leave
        } else {
            RecordedFiles::Keep
        },
        ..wish(Some(id.clone()), &args.fetch, dry_run, patience)
    };
    let said = Said::of(args.fetch.yes);
    let way = Way {
        ui,
        places: &places,
        root,
        configured: &configured,
        wish: &wish,
        said: if args.all { said.without_asking() } else { said },
        again: &again(ui, args, root, id),
        patience,
    };
    let lines = got.staged.disclosure().lines();
    let put = match way.plan(&got.staged)? {
        Planned::Current { version } => Put::Current { version },
        Planned::Change(change) if dry_run => {
            way.preview(context, &change)?;
            return Ok(Updated::Previewed);
        }
        Planned::Change(change) => way.put(&got.staged, *change)?,
    };
    Ok(match put {
        Put::Current { version } => Updated::Current { version, lines },
        Put::Done(done) => Updated::Upgraded { done: Box::new(done), lines },
    })
}

/// The same command for this one, as it is to be typed again.
fn again(ui: &Ui, args: &CapabilityUpdateArgs, root: &ScopeRoot, id: &CapabilityId) -> String {
    let command = format!("{} capability update {id} --scope {}", ui.program_here(), root.scope);
    let mut typed = vec![command];
    typed.extend(args.no_shared_files.then(|| "--no-shared-files".to_owned()));
    typed.extend(words(&args.fetch));
    typed.join(" ")
}

fn row(id: &CapabilityId, result: &Result<Updated, CommandError>) -> Value {
    let (status, from, to, consent, reasons, lines) = match result {
        Ok(Updated::Current { version, lines }) => {
            ("current", json!(version), json!(version), Value::Null, Value::Null, json!(lines))
        }
        Ok(Updated::Upgraded { done, lines }) => (
            "upgraded",
            json!(done.from),
            json!(done.version),
            Value::Null,
            Value::Null,
            json!(lines),
        ),
        Ok(Updated::Previewed) => {
            ("would-change", Value::Null, Value::Null, Value::Null, Value::Null, Value::Null)
        }
        Err(error) if error.status == ExitStatus::ConsentRequired => {
            let lines = error.details.get("lines").cloned().unwrap_or_default();
            ("aborted", Value::Null, Value::Null, json!(true), Value::Null, lines)
        }
        Err(error) if error.status == ExitStatus::Unknown => (
            "not_installed",
            Value::Null,
            Value::Null,
            Value::Null,
            json!([error.message]),
            Value::Null,
        ),
        Err(error) => {
            ("blocked", Value::Null, Value::Null, Value::Null, json!([error.message]), Value::Null)
        }
    };
    json!({
        "id": id, "status": status, "fromVersion": from, "toVersion": to,
        "requiresConsent": consent, "blockReasons": reasons, "disclosure": lines,
    })
}

fn say(ui: &Ui, id: &CapabilityId, result: &Result<Updated, CommandError>) {
    match result {
        Ok(Updated::Current { version, .. }) => ui.line(format_args!("{id} {version}: current")),
        Ok(Updated::Upgraded { done, .. }) => {
            report::warn(ui, done);
            let from = printable(done.from.as_deref().unwrap_or("?"), 40);
            ui.line(format_args!("{id}: {from} -> {}", done.version));
        }
        Ok(Updated::Previewed) => {}
        Err(error) => {
            let hint = error.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
            ui.line(format_args!("{id}: {}{hint}", ui.paint(Tone::Bad, &error.message)));
        }
    }
}
