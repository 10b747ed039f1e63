//! What was recorded of installs: the ledger of a scope, and the consents of a user. Both are read
//! tolerantly here: whatever is wrong with them counts as "nothing recorded", which never activates
//! anything.

use camino::Utf8Path;
use gsd_io::fs::{self, Links, ReadError};
use serde_json::Value;
use std::collections::BTreeMap;

/// No ledger and no consent store is larger.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
const MAX_ENTRIES: usize = 4096;

/// What a ledger says of one capability.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// A change was begun and not finished.
    pub(super) pending: bool,
    pub(super) disabled: bool,
    pub(super) content_hash: Option<String>,
    /// Whether somebody consented to what it runs.
    pub(super) approved: bool,
    pub(super) source: Option<String>,
}

/// A ledger, or what is wrong with it.
pub(super) type Ledger = Result<BTreeMap<String, Entry>, String>;

/// Reads `.gsd-capabilities.json` of a scope. One that is not there is empty.
pub(super) fn ledger(path: &Utf8Path) -> Ledger {
    let text = match fs::read_text(path, MAX_BYTES, Links::Refuse) {
        Ok(text) => text,
        Err(ReadError::NotFound { .. }) => return Ok(BTreeMap::new()),
        Err(error) => return Err(error.to_string()),
    };
    let bad = |what: &str| format!("`{path}` is not a ledger: {what}");
    let root: Value = serde_json::from_str(&text).map_err(|_| bad("it is not JSON"))?;
    match root["version"].as_str() {
        Some("1" | "2") => {}
        Some(_) => return Err(bad("it was written by a newer version")),
        None => return Err(bad("it has no version")),
    }
    let entries = root["entries"].as_object().ok_or_else(|| bad("it has no entries"))?;
    if entries.len() > MAX_ENTRIES {
        return Err(bad("it has too many entries"));
    }
    let read = |entry: &Value| Entry {
        pending: entry.get("_pending").is_some_and(|pending| !pending.is_null()),
        disabled: entry["disabled"] == true,
        content_hash: entry["contentHash"].as_str().map(str::to_owned),
        approved: entry["approval"].is_object(),
        source: entry["source"].as_str().map(str::to_owned),
    };
    if let Some((id, _)) = entries.iter().find(|(id, entry)| entry["id"] != id.as_str()) {
        return Err(bad(&format!("an entry is not of {}", crate::json::quoted(id))));
    }
    Ok(entries.iter().map(|(id, entry)| (id.clone(), read(entry))).collect())
}

/// The hashes that the user consented to for one project, by capability.
pub(super) fn consents(store: &Utf8Path, project: &Utf8Path) -> BTreeMap<String, String> {
    let Ok(text) = fs::read_text(store, MAX_BYTES, Links::Refuse) else { return BTreeMap::new() };
    let Ok(root) = serde_json::from_str::<Value>(&text) else { return BTreeMap::new() };
    let Some(records) = root["records"].as_object() else { return BTreeMap::new() };
    if records.len() > MAX_ENTRIES {
        return BTreeMap::new();
    }
    let of_project =
        |record: &&Value| record["scope"] == "project" && record["projectRoot"] == project.as_str();
    let pair = |record: &Value| {
        let hash = record["contentHash"].as_str().filter(|hash| !hash.is_empty())?;
        Some((record["id"].as_str()?.to_owned(), hash.to_owned()))
    };
    records.values().filter(of_project).filter_map(pair).collect()
}
