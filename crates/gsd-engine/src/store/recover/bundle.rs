//! Puts the bundle back that was there before.

use crate::id::CapabilityId;
use crate::store::ledger::Intent;
use crate::store::root::{discard_name, is_backup_of, token};
use crate::store::{ScopeRoot, StoreError, content_hash};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Kind};

/// Where the old bundle is set aside, if it is. A name that is not of this capability is used for
/// nothing.
fn backup(
    root: &ScopeRoot,
    id: &CapabilityId,
    intent: &Intent,
) -> Result<Option<Utf8PathBuf>, StoreError> {
    let Some(name) = &intent.backup_name else { return Ok(None) };
    if !is_backup_of(name, id) {
        return Err(StoreError::refused("what was set aside has a name that is not its own"));
    }
    let path = root.bundles().join(name);
    Ok((fs::kind(&path) == Some(Kind::Directory)).then_some(path))
}

/// Puts a bundle that was set aside back where nothing lies in its place; nothing is deleted.
pub(super) fn put_back(
    root: &ScopeRoot,
    id: &CapabilityId,
    intent: &Intent,
) -> Result<(), StoreError> {
    let place = root.bundle(id);
    match backup(root, id, intent) {
        Ok(Some(aside)) if fs::kind(&place).is_none() => {
            fs::rename_durably(&aside, &place).map_err(StoreError::Write)
        }
        // A name that is not its own is used for nothing.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Nothing was installed: what lies in the place goes, unless it was there before.
pub(super) fn take_back_install(
    root: &ScopeRoot,
    id: &CapabilityId,
    intent: &Intent,
) -> Result<(), StoreError> {
    match backup(root, id, intent)? {
        Some(aside) => restore(root, id, intent, &aside),
        // It was not set aside yet, so it still lies in its place.
        None if intent.backup_name.is_some() => Ok(()),
        None => discard(root, id, intent),
    }
}

/// Another version was installed.
pub(super) fn take_back_upgrade(
    root: &ScopeRoot,
    id: &CapabilityId,
    intent: &Intent,
) -> Result<(), StoreError> {
    if let Some(aside) = backup(root, id, intent)? {
        return restore(root, id, intent, &aside);
    }
    // Its files were missing before; what lies there now is the new one or nothing.
    let is_new = intent.content_hash.is_some()
        && content_hash(&root.bundle(id)).ok().as_deref() == intent.content_hash.as_deref();
    if intent.backup_name.is_none() && is_new {
        return discard(root, id, intent);
    }
    Ok(())
}

/// Puts the old bundle in its place. The new one is moved aside first and deleted last, so that
/// there is always a whole one to go on from.
fn restore(
    root: &ScopeRoot,
    id: &CapabilityId,
    intent: &Intent,
    aside: &Utf8Path,
) -> Result<(), StoreError> {
    let place = root.bundle(id);
    let discarded = move_aside(root, id, intent)?;
    fs::rename_durably(aside, &place).map_err(StoreError::Write)?;
    match discarded {
        Some(path) => fs::remove_dir_all(&path).map_err(StoreError::Write),
        None => Ok(()),
    }
}

/// Removes what lies in the place. A link is removed and not followed.
pub(in crate::store) fn discard(
    root: &ScopeRoot,
    id: &CapabilityId,
    intent: &Intent,
) -> Result<(), StoreError> {
    match move_aside(root, id, intent)? {
        Some(path) => fs::remove_dir_all(&path).map_err(StoreError::Write),
        None => Ok(()),
    }
}

/// Gives what lies in the place a name under which it waits for its removal.
fn move_aside(
    root: &ScopeRoot,
    id: &CapabilityId,
    intent: &Intent,
) -> Result<Option<Utf8PathBuf>, StoreError> {
    let place = root.bundle(id);
    match fs::kind(&place) {
        None => Ok(None),
        Some(Kind::Directory) => {
            let token = intent.token.clone().unwrap_or_else(token);
            let path = root.bundles().join(discard_name(id, &token));
            fs::rename_durably(&place, &path).map_err(StoreError::Write)?;
            Ok(Some(path))
        }
        Some(Kind::Link | Kind::File { .. } | Kind::Special) => {
            fs::remove_file_durably(&place).map_err(StoreError::Write)?;
            Ok(None)
        }
    }
}
