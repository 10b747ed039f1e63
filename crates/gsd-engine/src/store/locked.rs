//! `capabilities.lock` and what is installed: the one is written from the other, and a bundle is
//! held against what was locked before anything is asked or written.

use super::{Entry, ScopeRoot, Staged, StoreError};
use crate::id::CapabilityId;
use crate::source::{Integrity, LOCK_FILE, LockError, LockFile, Locked, SigningKey};
use camino::Utf8Path;
use gsd_io::fs::{self, Links, ReadError, WriteError};
use semver::Version;

const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Why there is no lock file to go by.
#[derive(Debug, thiserror::Error)]
pub enum LockFileError {
    #[error("there is no `{LOCK_FILE}` beside `.planning`")]
    Missing,
    #[error("`{LOCK_FILE}` cannot be read")]
    Unreadable(#[source] ReadError),
    #[error(transparent)]
    Unusable(#[from] LockError),
    #[error("`{LOCK_FILE}` cannot be written")]
    Write(#[source] WriteError),
}

/// Reads the lock file of a project.
pub fn read(project: &Utf8Path) -> Result<LockFile, LockFileError> {
    match fs::read_text(&project.join(LOCK_FILE), MAX_BYTES, Links::Refuse) {
        Ok(text) => Ok(LockFile::parse(&text)?),
        Err(ReadError::NotFound { .. }) => Err(LockFileError::Missing),
        Err(error) => Err(LockFileError::Unreadable(error)),
    }
}

/// Writes the lock file of a project. The caller has read what is there: one that cannot be
/// understood is left alone.
pub fn write(project: &Utf8Path, file: &LockFile) -> Result<(), LockFileError> {
    fs::write_atomic(&project.join(LOCK_FILE), file.render().as_bytes())
        .map_err(LockFileError::Write)
}

/// What is installed, as a lock file, and what cannot be locked: nobody knows where it came from, or
/// its change was never ended.
pub fn of_installed(root: &ScopeRoot) -> Result<(LockFile, Vec<CapabilityId>), StoreError> {
    let (mut file, mut left_out) = (LockFile::default(), vec![]);
    for (id, entry) in root.ledger()?.iter() {
        match of_entry(entry, root.path()) {
            Some(locked) => {
                file.capabilities.insert(id.clone(), locked);
            }
            None => left_out.push(id.clone()),
        }
    }
    Ok((file, left_out))
}

fn of_entry(entry: &Entry, root: &Utf8Path) -> Option<Locked> {
    if entry.source().is_empty() || entry.pending().is_some() {
        return None;
    }
    let resolved = |name: &str| entry.field("resolved")?.get(name)?.as_str();
    // A folder of the project is the same folder in every checkout.
    let portable = |spec: &str| match Utf8Path::new(spec).strip_prefix(root) {
        Ok(below) if spec.starts_with('/') => format!("./{below}"),
        Ok(_) | Err(_) => spec.to_owned(),
    };
    Some(Locked {
        version: Version::parse(entry.version()).ok()?,
        source: portable(entry.source()),
        exact: portable(resolved("exact").unwrap_or(entry.source())),
        commit: resolved("commit").map(str::to_owned),
        integrity: archive(entry.integrity())?,
        minisign: signer(entry.signer())?,
        content_hash: Integrity::parse(entry.content_hash()?).ok()?,
    })
}

/// What a bundle turned out to be that was fetched by what was locked; `None` if it is no
/// capability.
pub fn of_staged(staged: &Staged, locked: &Locked) -> Option<Locked> {
    let source = staged.source();
    let commit = source.resolved.get("commit").and_then(serde_json::Value::as_str);
    Some(Locked {
        version: staged.manifest()?.version.clone(),
        source: locked.source.clone(),
        exact: locked.exact.clone(),
        commit: commit.map(str::to_owned),
        integrity: archive(&source.integrity)?,
        // More than was locked is no difference.
        minisign: source.signed_by.clone().filter(|_| locked.minisign.is_some()),
        content_hash: Integrity::parse(staged.content_hash()).ok()?,
    })
}

/// The key of a record; none where nobody signed.
fn signer(text: Option<&str>) -> Option<Option<SigningKey>> {
    text.map(|text| SigningKey::parse(text).ok()).map_or(Some(None), |key| key.map(Some))
}

/// The digest of an archive; none for what did not come in one.
fn archive(text: &str) -> Option<Option<Integrity>> {
    if text.is_empty() { Some(None) } else { Integrity::parse(text).ok().map(Some) }
}
