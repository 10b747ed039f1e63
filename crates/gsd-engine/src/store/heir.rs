//! What a capability made for itself in files of hosts and leaves behind because others need it:
//! lists, files and folders. It goes with the last of them, so each of them is told.

use super::ledger::SharedEdit;
use super::shared::{SharedChange, SharedFile};
use super::shared_edit::{Other, Undo};
use super::{Ledger, ScopeRoot};
use crate::id::CapabilityId;
use camino::Utf8Path;
use gsd_io::fs::{self, WriteError};
use std::cmp::Reverse;

/// A record of another capability about a file, as it is from then on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Heir {
    pub(super) id: CapabilityId,
    pub(super) edit: SharedEdit,
}

/// The records of all others about a file.
pub(super) fn others(
    root: &ScopeRoot,
    ledger: &Ledger,
    id: &CapabilityId,
    path: &Utf8Path,
) -> Vec<Heir> {
    let is_it = |name: &str| SharedFile::resolve(root, name).is_ok_and(|file| file.path == path);
    ledger
        .iter()
        .filter(|(other, _)| *other != id)
        .flat_map(|(id, entry)| entry.shared_edits().into_iter().map(move |edit| (id, edit)))
        .filter(|(_, edit)| is_it(&edit.file))
        .map(|(id, edit)| Heir { id: id.clone(), edit })
        .collect()
}

/// The ways back that records hold, as the edit of a text takes them.
pub(super) fn ways_back(records: &[Heir]) -> Vec<Other> {
    let undo = |record: &Heir| Undo::from_json(record.edit.undo.as_ref()?);
    let other = |record: &Heir| Some(Other { id: record.id.clone(), undo: undo(record)? });
    records.iter().filter_map(other).collect()
}

/// The records that are not any more what they were.
pub(super) fn changed(records: &[Heir], ways_back: &[Other]) -> Vec<Heir> {
    let with = |record: &Heir| {
        let undo = ways_back.iter().find(|other| other.id == record.id)?.undo.to_json();
        let edit = SharedEdit { undo: Some(undo), ..record.edit.clone() };
        (edit != record.edit).then(|| Heir { id: record.id.clone(), edit })
    };
    records.iter().filter_map(with).collect()
}

/// Records what changes hand on.
pub(super) fn record(ledger: &mut Ledger, changes: &[SharedChange]) {
    record_all(ledger, changes.iter().flat_map(|change| &change.heirs));
}

pub(super) fn record_all<'a>(ledger: &mut Ledger, heirs: impl IntoIterator<Item = &'a Heir>) {
    for Heir { id, edit } in heirs {
        let Some(entry) = ledger.get(id).cloned() else { continue };
        let mut edits = entry.shared_edits();
        for known in edits.iter_mut().filter(|known| known.file == edit.file) {
            known.clone_from(edit);
        }
        ledger.set(id, entry.with_shared(id, &edits));
    }
}

/// Records who has the folders from now on that were made for some files, where a file of somebody
/// lies below them.
pub(super) fn record_folders(ledger: &mut Ledger, left: &[SharedEdit]) {
    let folders: Vec<&String> = left.iter().flat_map(|edit| &edit.folders).collect();
    let mut heirs = vec![];
    for (id, entry) in ledger.iter() {
        for mut edit in entry.shared_edits() {
            let file = edit.file.clone();
            let below = |folder: &&&String| Utf8Path::new(&file).starts_with(folder);
            let known = edit.folders.len();
            for folder in folders.iter().filter(below) {
                if !edit.folders.contains(folder) {
                    edit.folders.push((**folder).clone());
                }
            }
            if edit.folders.len() > known {
                heirs.push(Heir { id: id.clone(), edit });
            }
        }
    }
    record_all(ledger, &heirs);
}

/// Removes folders that were made for files of hosts, if nothing is in them any more.
pub(super) fn remove_folders(root: &ScopeRoot, folders: &[String]) -> Result<(), WriteError> {
    let mut folders: Vec<&Utf8Path> = folders.iter().map(Utf8Path::new).collect();
    folders.sort_by_key(|folder| Reverse(folder.components().count()));
    for folder in folders {
        // Named like a file in it, so that the same rules hold for it.
        let inside = format!("{folder}/settings.json");
        if let Ok(file) = SharedFile::resolve(root, &inside)
            && let Some(folder) = file.path.parent()
        {
            fs::remove_empty_folder(folder)?;
        }
    }
    Ok(())
}
