//! Puts a bundle in its place, so that whoever is cut off at any point leaves the old state or the
//! new one, and never a part of both.
//!
//! 1. In a project it is noted in the user's home what is going to be begun.
//! 2. The bundle is copied beside its place and its hash compared with the one that was agreed to;
//!    the *intent* is written into the ledger.
//! 3. The old bundle is set aside, the new one takes its place; files of hosts are edited, each with
//!    its old content set aside; the consent is recorded, the old one kept beside it.
//! 4. The ledger is written without the intent: from here on it is done.
//! 5. What was set aside is removed.
//!
//! Up to step 4 everything is taken back, by this process or, if it was killed, by the next.

use super::ledger::{Intent, IntentKind, SharedEdit};
use super::plan::Placing;
use super::root::{backup_name, replaced_name, token};
use super::shared::SharedChange;
use super::wish::Unmanaged;
use super::{Consented, Entry, Ledger, ScopeRoot, StoreError, begun, content_hash, heir, recover};
use crate::id::CapabilityId;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs;
use serde_json::{Value, json};
use std::time::Duration;

/// No bundle has more files and folders.
const MAX_ENTRIES: usize = 20_000;

/// What was done.
#[derive(Debug)]
pub struct Installed {
    pub id: CapabilityId,
    pub version: String,
    /// The version that was there before.
    pub from: Option<String>,
    pub shared: Vec<SharedReport>,
    /// What is done and left something to say.
    pub warnings: Vec<String>,
}

/// What became of a file of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedReport {
    pub file: String,
    pub added: Vec<String>,
    /// What was left out, and why.
    pub skipped: Vec<(String, String)>,
}

/// Puts a bundle that was agreed to in its place.
pub fn install(
    root: &ScopeRoot,
    consented: &Consented,
    placing: &Placing,
    patience: Duration,
) -> Result<Installed, StoreError> {
    let _held = root.lock(patience)?;
    let mut warnings = recover::recover(root)?.warnings;
    let mut ledger = root.ledger()?;
    let id = consented.id();
    if ledger.get(id) != placing.seen.as_ref() {
        return Err(StoreError::ChangedMeanwhile { id: id.to_string() });
    }
    let changes = placing.shared_changes(root, &ledger, id, consented.staged())?;
    let swap = Swap::prepare(root, consented, placing)?;
    let before = placing.seen.as_ref();
    let committed = committed(before, consented, root, placing, &changes);
    let left = left(before, &committed);
    let intent = Intent {
        backup_name: swap.backup.clone(),
        content_hash: Some(consented.staged().content_hash().to_owned()),
        ..intent(swap.kind, &swap.token, &changes)
    };
    let before_done = match before {
        Some(entry) => entry.clone(),
        None => committed.clone(),
    };
    let run = |ledger: &mut Ledger| -> Result<(), StoreError> {
        // Before anything is made: what is noted is swept, should this process be killed.
        begun::note(root, id, &intent)?;
        swap.stage(root, consented)?;
        ledger.set(id, before_done.with_pending(Some(intent)));
        ledger.save()?;
        swap.run(root, id)?;
        write_shared(&changes, &swap.token)?;
        if let (Some(store), Some(record)) = (root.consents(), consented.record(root)) {
            store.begin(record)?;
        }
        ledger.set(id, committed);
        heir::record(ledger, &changes);
        heir::record_folders(ledger, &left);
        Ok(ledger.save()?)
    };
    run(&mut ledger).map_err(|error| taken_back(root, id, error))?;
    // Done. What follows only tidies up, and whatever stays is swept by the next change.
    if let Err(error) = recover::tidy(root) {
        warnings.push(format!("something of the old version could not be removed: {error}"));
    }
    warnings.extend(changes.iter().flat_map(SharedChange::remarks));
    if before.is_none()
        && let Some(kept) = &swap.backup
    {
        let kept = root.bundles().join(kept);
        warnings.push(format!("what lay in its place is kept in `{kept}`"));
    }
    Ok(Installed {
        id: id.clone(),
        version: consented.version(),
        from: before.map(|entry| entry.version().to_owned()),
        shared: reports(&changes),
        warnings,
    })
}

/// Takes a change back that failed; the error says so if that failed, too.
pub(super) fn taken_back(root: &ScopeRoot, id: &CapabilityId, error: StoreError) -> StoreError {
    let pending = |ledger: &Ledger| ledger.get(id).is_some_and(|entry| entry.pending().is_some());
    match recover::recover(root).and_then(|_| root.ledger()) {
        Ok(ledger) if !pending(&ledger) => error,
        Ok(_) | Err(_) => StoreError::Unfinished(Box::new(error)),
    }
}

/// An intent about files of hosts.
pub(super) fn intent(kind: IntentKind, token: &str, changes: &[SharedChange]) -> Intent {
    let written = || changes.iter().filter(|change| change.is_one());
    let mut made_folders: Vec<String> = vec![];
    for folder in written().flat_map(|change| &change.file.missing) {
        if !made_folders.contains(folder) {
            made_folders.push(folder.clone());
        }
    }
    Intent {
        shared_files: changes.iter().map(|change| change.file.name.clone()).collect(),
        states: written().map(SharedChange::state).collect(),
        token: Some(token.to_owned()),
        made_folders,
        ..Intent::new(kind)
    }
}

/// The entry as it is once the bundle is in its place.
fn committed(
    before: Option<&Entry>,
    consented: &Consented,
    root: &ScopeRoot,
    placing: &Placing,
    changes: &[SharedChange],
) -> Entry {
    let (id, staged, source) = (consented.id(), consented.staged(), consented.staged().source());
    let (version, at) = (consented.version(), consented.at());
    let entry = before.cloned().unwrap_or_else(|| Entry::new(id, &version, at));
    let disabled = entry.is_disabled();
    let entry = entry
        .with("version", version)
        .with("source", source.recorded.clone())
        .with("integrity", source.integrity.clone())
        .with("files", vec![ScopeRoot::recorded_path(id)])
        .with("updatedAt", at)
        .with("requestedSpec", source.requested.clone())
        .with("resolved", json!(source.resolved))
        .with("contentHash", staged.content_hash())
        .with("pinned", source.pinned.clone().unwrap_or(Value::Null));
    let edits: Vec<SharedEdit> = if disabled {
        let known = before.map(Entry::shared_edits).unwrap_or_default();
        let bare = |file: &String| {
            let known = known.iter().find(|edit| edit.file == *file);
            let folders = known.map(|edit| edit.folders.clone()).unwrap_or_default();
            SharedEdit { file: file.clone(), folders, undo: None }
        };
        placing.shared_files.iter().map(bare).collect()
    } else {
        changes.iter().filter_map(|change| change.edit.clone()).collect()
    };
    let dropped: Vec<&str> = changes
        .iter()
        .filter(|change| change.is_one() && !edits.iter().any(|e| e.file == change.file.name))
        .map(|change| change.file.name.as_str())
        .collect();
    let entry = entry.with_shared(id, &edits);
    let folders = left(before, &entry).into_iter().flat_map(|edit| edit.folders).collect();
    let entry = entry.with_set_aside(&dropped, folders);
    // In a project the user's word stands in the user's home: this file comes with the project.
    match root.consents() {
        None => entry.with_approval(&consented.approval()),
        Some(_) => entry.with("approval", Value::Null),
    }
}

/// The records of files in which nothing of it is to be any more.
fn left(before: Option<&Entry>, after: &Entry) -> Vec<SharedEdit> {
    let kept = after.shared_edits();
    let mut left = before.map(Entry::shared_edits).unwrap_or_default();
    left.retain(|edit| kept.iter().all(|kept| kept.file != edit.file));
    left
}

fn reports(changes: &[SharedChange]) -> Vec<SharedReport> {
    changes
        .iter()
        .filter(|change| !change.added.is_empty() || !change.skipped.is_empty())
        .map(|change| SharedReport {
            file: change.file.name.clone(),
            added: change.added.clone(),
            skipped: change.skipped.iter().map(|s| (s.name.clone(), s.reason.clone())).collect(),
        })
        .collect()
}

/// Writes files of hosts, the old content of each set aside beside it first.
pub(super) fn write_shared(changes: &[SharedChange], token: &str) -> Result<(), StoreError> {
    for change in changes.iter().filter(|change| change.is_one()) {
        let path = &change.file.path;
        for folder in folders(change) {
            fs::make_folder(&folder).map_err(StoreError::Write)?;
        }
        // What was planned is about this content and no other.
        if change.file.read().ok() != Some(change.before.clone()) {
            return Err(StoreError::ChangedMeanwhile { id: change.file.name.clone() });
        }
        if change.before.is_some() {
            fs::link_beside(path, &change.file.backup_name(token)).map_err(StoreError::Write)?;
        }
        match &change.after {
            Some(text) => fs::write_atomic(path, text.as_bytes()),
            None => fs::remove_file_durably(path),
        }
        .map_err(StoreError::Write)?;
    }
    Ok(())
}

/// The folders that have to be made for a file, the outermost first.
fn folders(change: &SharedChange) -> Vec<Utf8PathBuf> {
    let above: Vec<&Utf8Path> = change.file.path.ancestors().skip(1).collect();
    let count = change.file.missing.len().min(above.len());
    above[..count].iter().rev().map(|folder| (*folder).to_owned()).collect()
}

/// The bundle beside its place, and what it is going to do there.
struct Swap {
    token: String,
    staged: Utf8PathBuf,
    hash: String,
    kind: IntentKind,
    /// The name under which what lies in the place is set aside.
    backup: Option<String>,
}

impl Swap {
    fn prepare(
        root: &ScopeRoot,
        consented: &Consented,
        placing: &Placing,
    ) -> Result<Self, StoreError> {
        let id = consented.id();
        let place = root.bundle(id);
        root.check_place(id)?;
        let is_there = fs::kind(&place).is_some();
        if is_there && placing.seen.is_none() && placing.unmanaged == Unmanaged::Refuse {
            return Err(StoreError::ChangedMeanwhile { id: id.to_string() });
        }
        let token = token();
        let staged = root.staging().join(format!("{id}-{token}"));
        let kind = match placing.seen {
            Some(_) => IntentKind::Upgrade,
            None => IntentKind::Install,
        };
        let backup = is_there.then(|| match placing.seen {
            Some(_) => backup_name(id, &token),
            None => replaced_name(id, &token),
        });
        let hash = consented.staged().content_hash().to_owned();
        Ok(Self { token, staged, hash, kind, backup })
    }

    /// Copies the bundle beside its place.
    fn stage(&self, root: &ScopeRoot, consented: &Consented) -> Result<(), StoreError> {
        fs::make_folder(&root.staging()).map_err(StoreError::Write)?;
        let copied = fs::copy_tree(consented.staged().folder(), &self.staged, MAX_ENTRIES)
            .map_err(StoreError::Copy)
            .and_then(|()| match content_hash(&self.staged)? {
                found if found == self.hash => Ok(()),
                _ => Err(StoreError::ContentChanged),
            });
        if copied.is_err() {
            // Swept by the next change if it cannot be removed now.
            let _ = fs::remove_dir_all(&self.staged);
        }
        copied
    }

    fn run(&self, root: &ScopeRoot, id: &CapabilityId) -> Result<(), StoreError> {
        let place = root.bundle(id);
        if let Some(backup) = &self.backup {
            let aside = root.bundles().join(backup);
            fs::rename_durably(&place, &aside).map_err(StoreError::Write)?;
        }
        fs::rename_durably(&self.staged, &place).map_err(StoreError::Write)?;
        if content_hash(&place)? != self.hash {
            return Err(StoreError::ContentChanged);
        }
        Ok(())
    }
}
