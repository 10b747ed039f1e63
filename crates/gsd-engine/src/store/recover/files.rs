//! Gives the files of hosts back as they were.

use crate::id::CapabilityId;
use crate::store::ledger::{Entry, Intent, SharedState};
use crate::store::shared::{SharedFile, digest};
use crate::store::shared_edit::{self, Surfaces};
use crate::store::{ScopeRoot, StoreError, heir};
use camino::Utf8Path;
use gsd_io::fs::{self, Kind, Links};
use serde_json::Value;

const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Undoes what a change wrote into files of hosts. `surfaces` are the entries of the bundle that is
/// there again, if it is an approved one.
pub(super) fn take_back(
    root: &ScopeRoot,
    id: &CapabilityId,
    entry: &Entry,
    intent: &Intent,
    surfaces: Option<&Surfaces>,
) -> Result<(), StoreError> {
    let Some(token) = &intent.token else {
        return derive_again(root, id, entry, intent, surfaces);
    };
    for state in &intent.states {
        // What may not be edited was not edited.
        let Ok(file) = SharedFile::resolve(root, &state.file) else { continue };
        one(id, &file, state, token, surfaces)?;
        for half in fs::left_overs(&file.path) {
            fs::remove_file_durably(&half).map_err(StoreError::Write)?;
        }
    }
    heir::remove_folders(root, &intent.made_folders).map_err(StoreError::Write)?;
    Ok(())
}

fn one(
    id: &CapabilityId,
    file: &SharedFile,
    state: &SharedState,
    token: &str,
    surfaces: Option<&Surfaces>,
) -> Result<(), StoreError> {
    let now = file.read().map_err(|why| StoreError::refused(format!("`{}` {why}", file.name)))?;
    let is_ours = now.as_deref().map(digest) == state.after;
    if state.created {
        return match &now {
            None => Ok(()),
            Some(_) if is_ours => fs::remove_file_durably(&file.path).map_err(StoreError::Write),
            Some(text) => strip(id, file, text, None),
        };
    }
    let aside = file.path.with_file_name(file.backup_name(token));
    if !matches!(fs::kind(&aside), Some(Kind::File { .. })) {
        // It was not set aside yet, so it was not written either.
        return Ok(());
    }
    let before = fs::read_text(&aside, MAX_BYTES, Links::Refuse).map_err(StoreError::Read)?;
    if now.as_ref() == Some(&before) {
        return fs::remove_file_durably(&aside).map_err(StoreError::Write);
    }
    let is_known = state.before.as_ref() == Some(&digest(&before));
    if is_ours && (is_known || may_come_back(id, &before, now.as_deref(), surfaces)) {
        return fs::rename_durably(&aside, &file.path).map_err(StoreError::Write);
    }
    // Somebody edited it since: what they wrote stays, and only our entries are exchanged.
    if let Some(text) = &now {
        strip(id, file, text, surfaces)?;
    }
    fs::remove_file_durably(&aside).map_err(StoreError::Write)
}

/// Where nobody kept what the old content was: whether it differs from the present one in entries of this capability only, and has
/// none that were not approved.
fn may_come_back(
    id: &CapabilityId,
    before: &str,
    now: Option<&str>,
    surfaces: Option<&Surfaces>,
) -> bool {
    let bare = |text: &str| shared_edit::strip(text, id, None).ok();
    let value = |text: Option<&str>| -> Option<Value> {
        match text {
            Some(text) => crate::json::read_value(text).ok(),
            None => Some(Value::Null),
        }
    };
    let Some(old) = bare(before) else { return false };
    let has_entries = old.removed > 0;
    let new = match now {
        Some(text) => match bare(text) {
            Some(stripped) => stripped.text,
            None => return false,
        },
        None => None,
    };
    let same = now.is_none() || value(old.text.as_deref()) == value(new.as_deref());
    let approved = || {
        let applied = shared_edit::apply(old.text.as_deref(), surfaces?).ok()?;
        Some(value(Some(&applied.text)) == value(Some(before)))
    };
    same && (!has_entries || approved() == Some(true))
}

/// Takes the entries of a capability out of a file, and puts the given ones in.
fn strip(
    id: &CapabilityId,
    file: &SharedFile,
    text: &str,
    surfaces: Option<&Surfaces>,
) -> Result<(), StoreError> {
    // A file that cannot be understood any more holds nothing that could be told apart.
    let Ok(stripped) = shared_edit::strip(text, id, None) else { return Ok(()) };
    let mut after = stripped.text;
    if let Some(surfaces) = surfaces
        && let Ok(applied) = shared_edit::apply(after.as_deref(), surfaces)
        && !applied.added.is_empty()
    {
        after = Some(applied.text);
    }
    write(&file.path, text, after.as_deref())
}

fn write(path: &Utf8Path, before: &str, after: Option<&str>) -> Result<(), StoreError> {
    match after {
        Some(text) if text == before => Ok(()),
        Some(text) => fs::write_atomic(path, text.as_bytes()).map_err(StoreError::Write),
        None => fs::remove_file_durably(path).map_err(StoreError::Write),
    }
}

/// For an intent of another program, which says only which files may hold entries.
fn derive_again(
    root: &ScopeRoot,
    id: &CapabilityId,
    entry: &Entry,
    intent: &Intent,
    surfaces: Option<&Surfaces>,
) -> Result<(), StoreError> {
    let recorded: Vec<String> = entry.shared_edits().into_iter().map(|edit| edit.file).collect();
    let mut names: Vec<&String> = intent.shared_files.iter().chain(&recorded).collect();
    names.sort();
    names.dedup();
    for name in names {
        let Ok(file) = SharedFile::resolve(root, name) else { continue };
        let Ok(Some(text)) = file.read() else { continue };
        let surfaces = surfaces.filter(|_| recorded.contains(name));
        strip(id, &file, &text, surfaces)?;
    }
    Ok(())
}
