//! Takes a capability away: its entries in files of hosts, its bundle, its record and the user's
//! word on it. Once it is begun it goes forward, also after a crash.

use super::ledger::{Intent, IntentKind};
use super::recover::{self, discard};
use super::root::{replaced, token};
use super::shared::{self, SharedChange, Wanted};
use super::transaction::{intent, taken_back};
use super::{ConsentError, Entry, Ledger, ScopeRoot, StoreError, begun, heir};
use crate::id::CapabilityId;
use gsd_io::fs::{self, Kind};
use std::time::Duration;

/// No folder is looked through further.
const MOST: usize = 20_000;

/// What becomes of what the capability itself wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenFiles {
    Keep,
    Purge,
}

/// What was taken away.
#[derive(Debug, Default)]
pub struct Removed {
    pub files: Vec<String>,
    /// Entries that were taken out of files of hosts.
    pub stripped: usize,
    /// Why the user's word could not be taken back, if it could not.
    pub consent_kept: Option<String>,
    /// What is still there.
    pub left_overs: Vec<String>,
    pub warnings: Vec<String>,
}

/// Removes a capability.
pub fn remove(
    root: &ScopeRoot,
    id: &CapabilityId,
    written: WrittenFiles,
    patience: Duration,
) -> Result<Removed, StoreError> {
    // Found out before anything is made, the lock included.
    known(root, id)?;
    let _held = root.lock(patience)?;
    let warnings = recover::recover(root)?.warnings;
    let (mut ledger, entry) = known(root, id)?;
    if entry.pending().is_some() {
        let reason = format!("a change of `{id}` was begun and cannot be ended");
        return Err(StoreError::refused_hint(reason, "gsd capability reconcile"));
    }
    let changes = shared::plan(root, &ledger, id, &Wanted::Nowhere)?;
    let stripped = changes.iter().map(|change| change.removed).sum();
    let planned = Intent {
        purge_data: written == WrittenFiles::Purge,
        heirs: changes.iter().flat_map(|change| change.heirs.clone()).collect(),
        ..intent(IntentKind::Remove, &token(), &changes)
    };
    ledger.set(id, entry.clone().with_pending(Some(planned.clone())));
    let noted = begun::note(root, id, &planned);
    if let Err(error) = noted.and_then(|()| Ok(ledger.save()?)) {
        return Err(taken_back(root, id, error));
    }
    let unfinished = |error: StoreError| StoreError::Unfinished(Box::new(error));
    let consent_kept = forward(root, &mut ledger, id, &entry, &planned).map_err(unfinished)?;
    ledger.remove(id);
    ledger.save().map_err(|error| unfinished(error.into()))?;
    let mut removed = Removed { stripped, consent_kept, warnings, ..Removed::default() };
    removed.warnings.extend(changes.iter().flat_map(SharedChange::remarks));
    if let Err(error) = recover::tidy(root) {
        removed.warnings.push(format!("something could not be tidied up: {error}"));
    }
    removed.files = vec![ScopeRoot::recorded_path(id)];
    removed.left_overs = left_overs(root, id, &entry);
    Ok(removed)
}

fn known(root: &ScopeRoot, id: &CapabilityId) -> Result<(Ledger, Entry), StoreError> {
    let ledger = root.ledger()?;
    match ledger.get(id).cloned() {
        Some(entry) => Ok((ledger, entry)),
        None => Err(StoreError::NotInstalled { id: id.to_string(), scope: root.scope }),
    }
}

/// Does what a removal does, as far as it is not done; gives the reason why the user's word could
/// not be taken back, if there is one that lasts. What the ledger says from then on of others is in
/// it and not written yet.
pub(super) fn forward(
    root: &ScopeRoot,
    ledger: &mut Ledger,
    id: &CapabilityId,
    entry: &Entry,
    intent: &Intent,
) -> Result<Option<String>, StoreError> {
    let changes = shared::plan(root, ledger, id, &Wanted::Nowhere)?;
    // A file that was written before a crash says nothing any more of what was there; the intent
    // does.
    heir::record_all(ledger, &intent.heirs);
    let now = changes.iter().filter(|change| change.is_one()).flat_map(|change| &change.heirs);
    heir::record_all(ledger, now);
    for change in &changes {
        for half in fs::left_overs(&change.file.path) {
            fs::remove_file_durably(&half).map_err(StoreError::Write)?;
        }
        match &change.after {
            _ if !change.is_one() => {}
            Some(text) => {
                fs::write_atomic(&change.file.path, text.as_bytes()).map_err(StoreError::Write)?;
            }
            None => fs::remove_file_durably(&change.file.path).map_err(StoreError::Write)?,
        }
    }
    let edits = entry.shared_edits();
    let folders: Vec<String> = edits.iter().flat_map(|edit| edit.folders.clone()).collect();
    heir::remove_folders(root, &folders).map_err(StoreError::Write)?;
    heir::record_folders(ledger, &edits);
    discard(root, id, intent)?;
    let written = root.written_by(id);
    let folder = written.parent().unwrap_or(&written);
    // Behind a link there may be anything; then it is told as left over.
    let is_folder = |path| fs::kind(path) == Some(Kind::Directory);
    if intent.purge_data && is_folder(folder) && is_folder(&written) {
        fs::remove_dir_all(&written).map_err(StoreError::Write)?;
        fs::remove_empty_folder(folder).map_err(StoreError::Write)?;
    }
    // Before the record goes: after that nobody would know that there is a word to take back.
    match root.consents().map(|store| store.revoke(id)) {
        None | Some(Ok(_)) => Ok(None),
        Some(Err(error @ (ConsentError::Lock(_) | ConsentError::Write(_)))) => Err(error.into()),
        // Trying again would not help.
        Some(Err(error)) => Ok(Some(error.to_string())),
    }
}

/// What of a capability is still there, so that nobody is surprised by it.
fn left_overs(root: &ScopeRoot, id: &CapabilityId, entry: &Entry) -> Vec<String> {
    let mut left = vec![];
    if fs::kind(&root.written_by(id)).is_some() {
        left.push(format!(".gsd/capability-data/{id}"));
    }
    let kept = fs::list(&root.bundles(), MOST).unwrap_or_default().into_iter();
    let kept = kept.filter(|entry| replaced(&entry.name) == Some(id.as_str()));
    left.extend(kept.map(|entry| format!(".gsd/capabilities/{}", entry.name)));
    let own = ScopeRoot::recorded_path(id);
    // What else a record names may be anything; it is told and not touched.
    let others = entry.files().filter(|file| *file != own);
    let others = others.filter(|file| fs::kind(&root.path().join(file)).is_some());
    left.extend(others.map(str::to_owned));
    left
}
