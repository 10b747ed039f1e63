//! Switches a capability off and on again: it stays installed, and nothing of it is in force.

use super::ledger::{IntentKind, SharedEdit};
use super::root::token;
use super::shared::{self, SharedChange, Wanted};
use super::transaction::{intent, taken_back, write_shared};
use super::{Entry, Ledger, ScopeRoot, Staged, StoreError, begun, heir, plan, recover};
use crate::id::CapabilityId;
use crate::text::printable;
use gsd_io::clock;
use serde_json::Value;
use std::time::Duration;

/// What a capability is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Switched {
    Changed {
        warnings: Vec<String>,
    },
    /// It was so already.
    Already,
}

/// Switches an installed capability.
pub fn switch(
    root: &ScopeRoot,
    id: &CapabilityId,
    to: Switch,
    patience: Duration,
) -> Result<Switched, StoreError> {
    if is_so(&known(root, id)?.1, to) {
        return Ok(Switched::Already);
    }
    let _held = root.lock(patience)?;
    recover::recover(root)?;
    let (mut ledger, entry) = known(root, id)?;
    if entry.pending().is_some() {
        let reason = format!("a change of `{id}` was begun and cannot be ended");
        return Err(StoreError::refused_hint(reason, "gsd capability reconcile"));
    }
    if is_so(&entry, to) {
        return Ok(Switched::Already);
    }
    let files: Vec<String> = entry.shared_edits().into_iter().map(|edit| edit.file).collect();
    let surfaces = match to {
        Switch::On if !files.is_empty() => Some(approved(root, id, &entry)?),
        Switch::On | Switch::Off => None,
    };
    let wanted = match &surfaces {
        Some(surfaces) => Wanted::In { surfaces, files: &files },
        None => Wanted::Nowhere,
    };
    let changes = shared::plan(root, &ledger, id, &wanted)?;
    let token = token();
    let intent = intent(IntentKind::Switch, &token, &changes);
    let edits: Vec<SharedEdit> = entry
        .shared_edits()
        .into_iter()
        .map(|old| {
            let new = changes.iter().find(|change| change.file.name == old.file);
            let bare = SharedEdit { undo: None, ..old };
            new.and_then(|change| change.edit.clone()).unwrap_or(bare)
        })
        .collect();
    let switched = match to {
        Switch::On => Value::Null,
        Switch::Off => true.into(),
    };
    let committed = entry
        .clone()
        .with_shared(id, &edits)
        .with("disabled", switched)
        .with("updatedAt", clock::timestamp());
    let run = || -> Result<(), StoreError> {
        begun::note(root, id, &intent)?;
        ledger.set(id, entry.with_pending(Some(intent)));
        ledger.save()?;
        write_shared(&changes, &token)?;
        ledger.set(id, committed);
        heir::record(&mut ledger, &changes);
        Ok(ledger.save()?)
    };
    run().map_err(|error| taken_back(root, id, error))?;
    recover::tidy(root)?;
    Ok(Switched::Changed { warnings: changes.iter().flat_map(SharedChange::remarks).collect() })
}

fn known(root: &ScopeRoot, id: &CapabilityId) -> Result<(Ledger, Entry), StoreError> {
    let ledger = root.ledger()?;
    match ledger.get(id).cloned() {
        Some(entry) => Ok((ledger, entry)),
        None => Err(StoreError::NotInstalled { id: id.to_string(), scope: root.scope }),
    }
}

fn is_so(entry: &Entry, to: Switch) -> bool {
    entry.pending().is_none() && entry.is_disabled() == (to == Switch::Off)
}

/// The entries of the bundle, which must be the one that was approved: they make hosts run it.
fn approved(
    root: &ScopeRoot,
    id: &CapabilityId,
    entry: &Entry,
) -> Result<shared::Surfaces, StoreError> {
    let tampered = || StoreError::Tampered { id: id.to_string(), scope: root.scope };
    let live = Staged::live(root, id, &|_| None).ok_or_else(tampered)?;
    let approved = match root.consents() {
        Some(store) => store.of(id)?.is_some_and(|consent| consent.covers(live.content_hash())),
        None => entry.is_approved() && entry.content_hash() == Some(live.content_hash()),
    };
    if !approved {
        return Err(tampered());
    }
    match plan::unagreed_files(root, id, entry, &live)?.first() {
        None => Ok(plan::surfaces(root, id, &live)),
        Some(file) => {
            let file = printable(file, 200);
            let reason = format!("you did not agree that `{id}` writes to `{file}`");
            let hint = format!("gsd capability trust grant {id} --scope {}", root.scope);
            Err(StoreError::refused_hint(reason, hint))
        }
    }
}
