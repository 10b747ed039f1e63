//! Ends what somebody began and did not end: back to the old state, or for a removal forward to the
//! new one. The only sign of it is an intent in the ledger; equal versions prove nothing.
//!
//! An intent may have been written by another program or, in a project, by whoever wrote the
//! repository. One of a project that this user did not begin is set aside with a warning: nothing is
//! deleted or written for it. And for any other, nothing is deleted but what carries the name of the
//! capability in the folder of capabilities, and no entry goes into a file of a host that is not of
//! an approved bundle.

mod bundle;
mod files;
mod sweep;

pub(super) use bundle::discard;

use super::ledger::{Entry, Intent, IntentKind, Ledger};
use super::shared_edit::Surfaces;
use super::{ScopeRoot, Staged, StoreError, begun, content_hash, plan, remove};
use crate::id::CapabilityId;
use gsd_io::fs;
use std::time::Duration;

/// What was found and ended.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// Taken back to what was there before.
    pub rolled_back: Vec<String>,
    /// Ended as it was meant.
    pub rolled_forward: Vec<String>,
    /// Names of what belonged to nobody any more.
    pub removed: Vec<String>,
    /// What could not be ended, and why.
    pub warnings: Vec<String>,
}

impl Recovered {
    /// Whether there was nothing to do.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What became of one intent.
enum Ended {
    /// This is recorded again.
    Back(Entry),
    /// This is recorded again, and nothing else was done: somebody else began the change.
    Dropped(Entry),
    /// Nothing is recorded any more, as before.
    Gone,
    /// Nothing is recorded any more, as was meant; but the user's word stays for that reason.
    Forward { kept: Option<String> },
}

/// Whether something is left of a change that did not come to its end. Looks only.
pub fn is_needed(root: &ScopeRoot) -> Result<bool, StoreError> {
    let pending = root.ledger()?.iter().any(|(_, entry)| entry.pending().is_some());
    Ok(pending || sweep::anything(root))
}

/// Ends everything that was begun in a scope.
pub fn reconcile(root: &ScopeRoot, patience: Duration) -> Result<Recovered, StoreError> {
    // A ledger that cannot be read is no reason to make anything.
    root.ledger()?;
    let _held = root.lock(patience)?;
    recover(root)
}

/// The same for who holds the lock already.
pub(super) fn recover(root: &ScopeRoot) -> Result<Recovered, StoreError> {
    let mut report = Recovered::default();
    let mut ledger = root.ledger()?;
    let pending: Vec<(CapabilityId, Entry, Intent)> = ledger
        .iter()
        .filter_map(|(id, entry)| Some((id.clone(), entry.clone(), entry.pending()?.clone())))
        .collect();
    let mut some_ended = false;
    for (id, entry, intent) in &pending {
        match end(root, &mut ledger, id, entry, intent) {
            Ok(ended) => {
                some_ended = true;
                match ended {
                    Ended::Back(entry) => {
                        report.rolled_back.push(id.to_string());
                        ledger.set(id, entry);
                    }
                    Ended::Dropped(entry) => {
                        report.warnings.push(format!(
                            "a change of `{id}` was not begun by you on this machine, so it was \
                             neither ended nor taken back; see what is there with `gsd capability \
                             show {id}`"
                        ));
                        ledger.set(id, entry);
                    }
                    Ended::Gone => {
                        report.rolled_back.push(id.to_string());
                        ledger.remove(id);
                    }
                    Ended::Forward { kept } => {
                        report.rolled_forward.push(id.to_string());
                        report.warnings.extend(kept);
                        ledger.remove(id);
                    }
                }
            }
            // It stays as it is, and the others go on.
            Err(error) => report.warnings.push(format!("`{id}` stays unfinished: {error}")),
        }
    }
    if some_ended {
        ledger.save()?;
        for (id, _, _) in pending.iter().filter(|(id, ..)| !waits(&ledger, id)) {
            settle(root, id)?;
        }
    }
    sweep::sweep(root, &mut ledger, &mut report)?;
    Ok(report)
}

/// Removes what was set aside for a change that is done.
pub(super) fn tidy(root: &ScopeRoot) -> Result<(), StoreError> {
    sweep::sweep(root, &mut root.ledger()?, &mut Recovered::default())
}

fn end(
    root: &ScopeRoot,
    ledger: &mut Ledger,
    id: &CapabilityId,
    entry: &Entry,
    intent: &Intent,
) -> Result<Ended, StoreError> {
    let recorded = entry.clone().with_pending(None);
    if !begun::is_ours(root, id, intent)? {
        bundle::put_back(root, id, intent)?;
        return Ok(Ended::Dropped(recorded));
    }
    match intent.kind {
        IntentKind::Install => {
            bundle::take_back_install(root, id, intent)?;
            files::take_back(root, id, entry, intent, None)?;
            Ok(Ended::Gone)
        }
        IntentKind::Upgrade => {
            bundle::take_back_upgrade(root, id, intent)?;
            let is_there = fs::kind(&root.bundle(id)).is_some();
            let was_there = is_there || intent.backup_name.is_none();
            let surfaces = approved_surfaces(root, id, entry);
            files::take_back(root, id, entry, intent, surfaces.as_ref())?;
            Ok(if was_there { Ended::Back(recorded) } else { Ended::Gone })
        }
        IntentKind::Switch => {
            let surfaces = approved_surfaces(root, id, entry);
            files::take_back(root, id, entry, intent, surfaces.as_ref())?;
            Ok(Ended::Back(recorded))
        }
        IntentKind::Remove => {
            let kept = remove::forward(root, ledger, id, entry, intent)?;
            Ok(Ended::Forward { kept })
        }
    }
}

/// The entries of the bundle that lies in the place, if the user approved exactly that one.
fn approved_surfaces(root: &ScopeRoot, id: &CapabilityId, entry: &Entry) -> Option<Surfaces> {
    let live = Staged::live(root, id, &|_| None)?;
    let approved = match root.consents() {
        Some(store) => store.of(id).ok()??.covers(live.content_hash()),
        // An older version kept no hash; the ledger of the user is the user's own.
        None => entry.content_hash().is_none_or(|hash| hash == live.content_hash()),
    };
    let wired = approved && !entry.is_disabled();
    wired.then(|| plan::surfaces(root, id, &live))
}

/// Leaves of two consents the one that is for the bundle which lies there now.
fn settle(root: &ScopeRoot, id: &CapabilityId) -> Result<(), StoreError> {
    let Some(store) = root.consents() else { return Ok(()) };
    let live = content_hash(&root.bundle(id)).ok();
    if live.is_none() && fs::kind(&root.bundle(id)).is_none() {
        // Bytes that come back some day are not agreed to by that.
        store.revoke(id)?;
        return Ok(());
    }
    Ok(store.settle(id, live.as_deref())?)
}

/// Whether a change of a capability is still unfinished.
fn waits(ledger: &Ledger, id: &CapabilityId) -> bool {
    ledger.get(id).is_some_and(|entry| entry.pending().is_some())
}
