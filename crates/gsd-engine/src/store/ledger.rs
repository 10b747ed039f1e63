//! The ledger of a scope: what is installed there, from where, and what its user approved.
//!
//! One reader serves everybody. A ledger is understood as a whole or not at all: one that is
//! damaged, or written by a newer gsd, is never overwritten, so nothing recorded can be lost. Fields
//! that this version does not know stay where they are.

mod entry;
mod intent;

pub(super) use entry::SIGNER;
pub use entry::{Approval, Entry, SharedEdit};
pub(super) use intent::{Intent, IntentKind, SharedState};

use crate::id::CapabilityId;
use crate::json::quoted;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Links, ReadError, WriteError};
use serde_json::{Map, Value};

/// The name of the file, in the folder that a scope is rooted at.
pub(super) const FILE: &str = ".gsd-capabilities.json";
const MAX_BYTES: u64 = 8 * 1024 * 1024;
pub(super) const MAX_ENTRIES: usize = 4096;
/// The schema that is written; 1 is read and becomes 2 with the next change.
const VERSION: &str = "2";
const OLDER: &str = "1";

/// Why a ledger cannot be used. Nothing of it was changed.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("the ledger cannot be read")]
    Unreadable(#[source] ReadError),
    #[error("`{path}` is corrupt: {what}")]
    Corrupt { path: Utf8PathBuf, what: String },
    #[error("`{path}` has an unsupported ledger schema version, {version}; this gsd knows 1 and 2")]
    Newer { path: Utf8PathBuf, version: String },
    #[error("`{path}` would have {what}")]
    Full { path: Utf8PathBuf, what: &'static str },
    #[error("the ledger cannot be written")]
    Write(#[source] WriteError),
}

impl LedgerError {
    /// What to do about it.
    pub fn remedy(&self) -> String {
        match self {
            Self::Unreadable(error) => {
                format!("put a plain file that you may read in place of `{}`", path_of(error))
            }
            Self::Corrupt { path, .. } => {
                format!(
                    "mend it, or set it aside with `mv {path} {path}.broken`; it was not changed"
                )
            }
            Self::Newer { .. } => "use the newer gsd that wrote it; it was not changed".to_owned(),
            Self::Full { .. } => "remove capabilities that you do not need".to_owned(),
            Self::Write(error) => format!("see that `{}` can be written", error.path),
        }
    }
}

fn path_of(error: &ReadError) -> &Utf8Path {
    match error {
        ReadError::NotFound { path }
        | ReadError::NotAFile { path, .. }
        | ReadError::TooLarge { path, .. }
        | ReadError::NotUtf8 { path, .. }
        | ReadError::Io { path, .. } => path,
    }
}

/// Everything that is recorded of a scope.
#[derive(Debug, Clone, PartialEq)]
pub struct Ledger {
    path: Utf8PathBuf,
    /// What stands beside the fields that this version knows.
    rest: Map<String, Value>,
    /// In the order of the file.
    entries: Vec<(CapabilityId, Entry)>,
    /// When something was last recorded, for a ledger that holds nothing which says so.
    updated_at: String,
}

impl Ledger {
    /// Reads the ledger below a root. One that is not there is empty.
    pub fn read(root: &Utf8Path) -> Result<Self, LedgerError> {
        let path = root.join(FILE);
        let text = match fs::read_text(&path, MAX_BYTES, Links::Refuse) {
            Ok(text) => text,
            // A link that leads nowhere is something, and not ours to replace.
            Err(ReadError::NotFound { .. }) if fs::kind(&path).is_none() => {
                let (rest, entries, updated_at) = (Map::new(), vec![], String::new());
                return Ok(Self { path, rest, entries, updated_at });
            }
            Err(error) => return Err(LedgerError::Unreadable(error)),
        };
        Self::parse(path, &text)
    }

    fn parse(path: Utf8PathBuf, text: &str) -> Result<Self, LedgerError> {
        let bad = |what: &str| LedgerError::Corrupt { path: path.clone(), what: what.to_owned() };
        let root: Value = serde_json::from_str(text).map_err(|error| {
            bad(&format!("it is not JSON (line {}, column {})", error.line(), error.column()))
        })?;
        let Value::Object(mut rest) = root else { return Err(bad("it is no object")) };
        match rest.shift_remove("version") {
            Some(Value::String(version)) if version == VERSION || version == OLDER => {}
            Some(version @ (Value::String(_) | Value::Number(_))) => {
                let version = crate::text::printable(&version.to_string(), 40);
                return Err(LedgerError::Newer { path, version });
            }
            Some(_) | None => return Err(bad("it has no version")),
        }
        let updated_at = match rest.shift_remove("updatedAt") {
            Some(Value::String(at)) if !at.is_empty() => at,
            Some(_) | None => return Err(bad("it has no `updatedAt`")),
        };
        let Some(Value::Object(listed)) = rest.shift_remove("entries") else {
            return Err(bad("it has no entries"));
        };
        if listed.len() > MAX_ENTRIES {
            return Err(bad(&format!("it has more than {MAX_ENTRIES} entries")));
        }
        let mut entries = vec![];
        for (key, value) in listed {
            let id = CapabilityId::parse(&key)
                .map_err(|_| bad(&format!("{} is no id", quoted(&key))))?;
            let entry = Entry::read(&id, value)
                .map_err(|what| bad(&format!("the entry of {} has {what}", quoted(&key))))?;
            entries.push((id, entry));
        }
        Ok(Self { path, rest, entries, updated_at })
    }

    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    pub fn get(&self, id: &CapabilityId) -> Option<&Entry> {
        self.entries.iter().find(|(known, _)| known == id).map(|(_, entry)| entry)
    }

    /// That an entry of an id could be recorded, found out before anything is changed.
    pub(super) fn check_room(&self, id: &CapabilityId) -> Result<(), LedgerError> {
        if self.get(id).is_none() && self.entries.len() >= MAX_ENTRIES {
            return Err(LedgerError::Full {
                path: self.path.clone(),
                what: "more than 4096 entries",
            });
        }
        Ok(())
    }

    /// Every entry, in the order in which they were first recorded.
    pub fn iter(&self) -> impl Iterator<Item = (&CapabilityId, &Entry)> {
        self.entries.iter().map(|(id, entry)| (id, entry))
    }

    /// Replaces the entry of an id, or adds one at the end.
    pub(super) fn set(&mut self, id: &CapabilityId, entry: Entry) {
        match self.entries.iter_mut().find(|(known, _)| known == id) {
            Some((_, old)) => *old = entry,
            None => self.entries.push((id.clone(), entry)),
        }
    }

    /// Removes the entry of an id, if there is one.
    pub(super) fn remove(&mut self, id: &CapabilityId) {
        self.entries.retain(|(known, _)| known != id);
    }

    /// Writes it, whole or not at all. One that records nothing any more goes away, so that what
    /// was never installed leaves no trace.
    pub(super) fn save(&self) -> Result<(), LedgerError> {
        if self.entries.is_empty() && self.rest.is_empty() {
            return fs::remove_file_durably(&self.path).map_err(LedgerError::Write);
        }
        let full = |what| LedgerError::Full { path: self.path.clone(), what };
        if self.entries.len() > MAX_ENTRIES {
            return Err(full("more than 4096 entries"));
        }
        let text = self.to_text();
        if text.len() as u64 > MAX_BYTES {
            return Err(full("more than 8 MiB"));
        }
        fs::write_atomic_guarded(&self.path, text.as_bytes()).map_err(LedgerError::Write)
    }

    fn to_text(&self) -> String {
        // Of the entries and of nothing else, so that what is taken back leaves no trace.
        let latest = self.entries.iter().filter_map(|(_, entry)| entry.updated_at()).max();
        let mut root = Map::new();
        root.insert("version".to_owned(), VERSION.into());
        root.insert("updatedAt".to_owned(), latest.unwrap_or(&self.updated_at).into());
        root.extend(self.rest.clone());
        let entries = self.entries.iter().map(|(id, entry)| (id.to_string(), entry.to_json()));
        root.insert("entries".to_owned(), Value::Object(entries.collect()));
        let mut text = serde_json::to_string_pretty(&root).expect("JSON is plain data");
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests;
