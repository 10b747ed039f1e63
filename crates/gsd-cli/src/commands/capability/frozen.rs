//! `gsd capability install --frozen`: exactly what `capabilities.lock` names, or nothing.
//!
//! Everything is fetched and held against the file before the first question is asked. The file
//! approves nothing: whoever installs by it is asked like anybody else.

use super::super::{Context, Outcome};
use super::ask::Said;
use super::fetch::Pins;
use super::install::{again, ready};
use super::lock::unusable;
use super::place::{configured, failed, scope, settings};
use super::put::{Put, Way, wish};
use super::{fetch, places, report};
use crate::args::CapabilityInstallArgs;
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::ui::Ui;
use gsd_engine::id::CapabilityId;
use gsd_engine::registry::Scope;
use gsd_engine::source::{Drift, LOCK_FILE, LockFile};
use gsd_engine::store::plan::Planned;
use gsd_engine::store::wish::{Downgrade, OtherSource, Wish};
use gsd_engine::store::{
    Acquired, Ledger, Recording, ScopeRoot, check_number, content_hash, locked, signer_of,
};
use serde_json::json;

pub(super) fn run(ui: &Ui, context: &Context, args: &CapabilityInstallArgs) -> Outcome {
    let places = places(&context.env, &context.root);
    check_number(args.fetch.shared_file.len()).map_err(|error| failed(&error))?;
    let root = ScopeRoot::of(&places, args.change.scope.scope.map_or(Scope::Project, scope))
        .map_err(|error| failed(&error))?;
    let mut file = locked::read(&context.root).map_err(|error| unusable(&error))?;
    if let Some(text) = &args.spec {
        only(&mut file, context, text)?;
    }
    ready(ui, &root, args.change.dry_run, args.change.lock_timeout)?;
    let config = settings(context);
    let configured = configured(&config);
    let ledger = Ledger::read(root.path()).map_err(|error| failed(&error.into()))?;
    let (mut got, mut current) = (vec![], vec![]);
    for (id, entry) in &file.capabilities {
        if is_there(&root, &ledger, id, &entry.content_hash.sha512().to_string()) {
            current.push(id.clone());
            continue;
        }
        let exact = fetch::locked_spec(context, &entry.exact)?;
        let source = fetch::locked_spec(context, &entry.source)?;
        let recording = Recording::Locked(&source);
        let signer = match (&entry.minisign, ledger.get(id)) {
            (Some(key), _) => Some(key.clone()),
            (None, Some(known)) => signer_of(&root, id, known).map_err(|error| failed(&error))?,
            (None, None) => None,
        };
        let pins = Pins { integrity: entry.integrity.clone(), signer };
        let one = fetch::get(context, &root, &exact, recording, &pins, &args.fetch, &configured)?;
        let found = locked::of_staged(&one.staged, entry).ok_or_else(|| {
            let message = format!("what came for `{id}` is no capability");
            CommandError::new(ExitStatus::Integrity, "lock-drift", message)
        })?;
        let brought = &one.staged.manifest().expect("it was just read").id.value;
        file.check(brought, &found).map_err(|drift| drifted(&drift))?;
        got.push((id.clone(), one));
    }
    let mut installed = vec![];
    for (id, one) in in_order(got) {
        let (dry_run, patience) = (args.change.dry_run, args.change.lock_timeout);
        // What the file says may be older, or of another source, than what is there; it is asked.
        let wish = Wish {
            other_source: OtherSource::Replace,
            downgrade: Downgrade::Allow,
            ..wish(None, &args.fetch, dry_run, patience)
        };
        let way = Way {
            ui,
            places: &places,
            root: &root,
            configured: &configured,
            wish: &wish,
            said: Said::of(args.fetch.yes),
            again: &again(ui, args),
            patience,
        };
        let put = match way.plan(&one.staged)? {
            Planned::Current { version } => Put::Current { version },
            Planned::Change(change) if dry_run => {
                let version = change.question.version();
                if !ui.json {
                    ui.line(format_args!("would install {id} {version} ({})", root.scope));
                }
                installed.push(json!({ "id": id, "version": version }));
                continue;
            }
            Planned::Change(change) => way.put(&one.staged, *change)?,
        };
        let version = match put {
            Put::Current { .. } => {
                current.push(id);
                continue;
            }
            Put::Done(done) => {
                report::warn(ui, &done);
                if !ui.json {
                    ui.line(format_args!("installed {id} {} ({})", done.version, root.scope));
                    report::say_shared(ui, &done);
                }
                done.version
            }
        };
        installed.push(json!({ "id": id, "version": version }));
    }
    if ui.json {
        let status = if args.change.dry_run { "would-change" } else { "installed" };
        ui.success(json!({
            "status": status, "scope": root.scope.word(), "installed": installed, "current": current,
        }));
    } else if installed.is_empty() {
        ui.line(format_args!("everything in `{LOCK_FILE}` is installed as it is there"));
    }
    Ok(ExitStatus::Done)
}

/// Leaves in the file only what came from one source.
fn only(file: &mut LockFile, context: &Context, text: &str) -> Result<(), CommandError> {
    let wanted = fetch::spec(context, text)?.recorded();
    file.capabilities.retain(|_, locked| {
        fetch::locked_spec(context, &locked.source).is_ok_and(|spec| spec.recorded() == wanted)
    });
    if file.capabilities.is_empty() {
        let message = format!("{} is not in `{LOCK_FILE}`", report::word(text));
        return Err(CommandError::new(ExitStatus::Integrity, "lock-drift", message)
            .hint("install it without `--frozen`, then `gsd capability lock`"));
    }
    Ok(())
}

/// Whether a bundle lies in its place as it was locked, and its install was ended.
fn is_there(root: &ScopeRoot, ledger: &Ledger, id: &CapabilityId, hash: &str) -> bool {
    let recorded = ledger.get(id).and_then(|entry| entry.content_hash());
    recorded == Some(hash) && content_hash(&root.bundle(id)).is_ok_and(|found| found == hash)
}

/// Each after what it requires, as far as that is among them.
fn in_order(mut got: Vec<(CapabilityId, Acquired)>) -> Vec<(CapabilityId, Acquired)> {
    let mut ordered = vec![];
    while !got.is_empty() {
        let ids: Vec<CapabilityId> = got.iter().map(|(id, _)| id.clone()).collect();
        let waits = |one: &Acquired| {
            let requires = one.staged.manifest().map(|m| m.requires.as_slice()).unwrap_or_default();
            requires.iter().any(|other| ids.contains(&other.value))
        };
        // Where they wait for each other, the check of the whole registry says so.
        let next = got.iter().position(|(_, one)| !waits(one)).unwrap_or(0);
        ordered.push(got.remove(next));
    }
    ordered
}

fn drifted(drift: &Drift) -> CommandError {
    CommandError::from_error(ExitStatus::Integrity, "lock-drift", drift)
        .hint("see what changed at the source; to take it, install it without `--frozen` and run `gsd capability lock`")
}
