//! What is recorded of one capability.

use super::Intent;
use crate::id::CapabilityId;
use crate::json::quoted;
use crate::source::SigningKey;
use serde_json::{Map, Value, json};

/// The field for the public key of minisign by which something is signed.
pub(in crate::store) const SIGNER: &str = "minisign";
const MAX_FILES: usize = 10_000;
pub(super) const MAX_SHARED: usize = 256;

/// One entry, with every field that it had when it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    fields: Map<String, Value>,
    pending: Option<Intent>,
}

/// A configuration file of a host that holds entries of the capability.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedEdit {
    /// Below the root of the scope.
    pub file: String,
    /// The folders that were made for it, the outermost first.
    pub folders: Vec<String>,
    /// How to take the entries out again, as the edit itself wrote it.
    pub undo: Option<Value>,
}

/// What a user agreed to, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The canonical disclosure, as the first version of the contract spells it.
    pub signature: String,
    /// The digest over everything that the present disclosure shows.
    pub digest: String,
    /// RFC 3339, UTC.
    pub at: String,
}

impl SharedEdit {
    pub(super) fn read(edit: &Value) -> Option<Self> {
        let file = edit["file"].as_str()?.to_owned();
        let folders = edit["folders"].as_array().into_iter().flatten();
        let folders = folders.filter_map(Value::as_str).map(str::to_owned).collect();
        Some(Self { file, folders, undo: edit.get("undo").cloned() })
    }

    pub(super) fn to_json(&self, id: &CapabilityId) -> Value {
        let mut value = json!({ "file": self.file, "marker": id.as_str() });
        if !self.folders.is_empty() {
            value["folders"] = json!(self.folders);
        }
        if let Some(undo) = &self.undo {
            value["undo"] = undo.clone();
        }
        value
    }
}

impl Entry {
    /// A new entry. What is not said here is added with [`Entry::with`].
    pub(in crate::store) fn new(id: &CapabilityId, version: &str, at: &str) -> Self {
        let fields = json!({
            "id": id.as_str(), "version": version, "source": "", "integrity": "", "files": [],
            "sharedEdits": [], "installedAt": at, "updatedAt": at,
        });
        let Value::Object(fields) = fields else { unreachable!("an object was written") };
        Self { fields, pending: None }
    }

    /// Reads an entry; the error completes "the entry has …".
    pub(super) fn read(id: &CapabilityId, value: Value) -> Result<Self, String> {
        let Value::Object(mut fields) = value else { return Err("no fields".to_owned()) };
        let pending = match fields.shift_remove("_pending") {
            None => None,
            Some(intent) => Some(Intent::read(&intent)?),
        };
        let entry = Self { fields, pending };
        if entry.text("id") != Some(id.as_str()) {
            return Err("another id".to_owned());
        }
        for field in ["version", "source", "integrity"] {
            entry.text(field).ok_or_else(|| format!("no {}", quoted(field)))?;
        }
        let list = |field: &str, most: usize| {
            let list = entry.fields.get(field).and_then(Value::as_array);
            list.filter(|list| list.len() <= most)
                .ok_or_else(|| format!("no {} of at most {most}", quoted(field)))
        };
        if !list("files", MAX_FILES)?.iter().all(Value::is_string) {
            return Err(format!("{} that are no texts", quoted("files")));
        }
        let filled =
            |edit: &Value, field: &str| edit[field].as_str().is_some_and(|t| !t.is_empty());
        if !list("sharedEdits", MAX_SHARED)?
            .iter()
            .all(|edit| filled(edit, "file") && filled(edit, "marker"))
        {
            return Err(format!("{} without a file or marker", quoted("sharedEdits")));
        }
        let texts = ["contentHash", "installedAt", "updatedAt", "requestedSpec"];
        let wrong = |field: &&&str| entry.fields.get(**field).is_some_and(|v| !v.is_string());
        if let Some(field) = texts.iter().find(wrong) {
            return Err(format!("a {} that is no text", quoted(field)));
        }
        Ok(entry)
    }

    pub(super) fn to_json(&self) -> Value {
        let mut fields = self.fields.clone();
        if let Some(intent) = &self.pending {
            fields.insert("_pending".to_owned(), intent.to_json());
        }
        Value::Object(fields)
    }

    fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str)
    }

    pub fn version(&self) -> &str {
        self.text("version").unwrap_or_default()
    }

    /// Where it came from, as it is to be resolved again; empty for what was adopted.
    pub fn source(&self) -> &str {
        self.text("source").unwrap_or_default()
    }

    pub fn integrity(&self) -> &str {
        self.text("integrity").unwrap_or_default()
    }

    /// The paths below the root that belong to it.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let files = self.fields.get("files").and_then(Value::as_array);
        files.into_iter().flatten().filter_map(Value::as_str)
    }

    pub fn shared_edits(&self) -> Vec<SharedEdit> {
        let edits = self.fields.get("sharedEdits").and_then(Value::as_array);
        edits.into_iter().flatten().filter_map(SharedEdit::read).collect()
    }

    /// The key that has to have signed whatever takes its place, as it was written.
    pub(in crate::store) fn signer(&self) -> Option<&str> {
        self.fields.get("pinned")?.get(SIGNER)?.as_str()
    }

    /// The number of that key.
    pub fn signer_id(&self) -> Option<String> {
        SigningKey::parse(self.signer()?).ok().map(|key| key.id().to_owned())
    }

    pub fn content_hash(&self) -> Option<&str> {
        self.text("contentHash")
    }

    pub fn updated_at(&self) -> Option<&str> {
        self.text("updatedAt")
    }

    pub fn approval(&self) -> Option<Approval> {
        let approval = self.fields.get("approval")?;
        let text = |field: &str| approval[field].as_str().map(str::to_owned);
        Some(Approval { signature: text("signature")?, digest: text("digest")?, at: text("at")? })
    }

    /// Whether somebody agreed to what it runs.
    pub fn is_approved(&self) -> bool {
        self.fields.get("approval").is_some_and(Value::is_object)
    }

    pub fn is_disabled(&self) -> bool {
        self.fields.get("disabled") == Some(&Value::Bool(true))
    }

    /// A change that was begun and not finished.
    pub(in crate::store) fn pending(&self) -> Option<&Intent> {
        self.pending.as_ref()
    }

    /// A field of it, as it stands in the file.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    /// The same with another value for a field; `null` takes it away.
    #[must_use]
    pub(in crate::store) fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        match value.into() {
            Value::Null => {
                self.fields.shift_remove(field);
            }
            value => {
                self.fields.insert(field.to_owned(), value);
            }
        }
        self
    }

    #[must_use]
    pub(in crate::store) fn with_shared(self, id: &CapabilityId, edits: &[SharedEdit]) -> Self {
        self.with("sharedEdits", edits.iter().map(|edit| edit.to_json(id)).collect::<Vec<_>>())
    }

    #[must_use]
    pub(in crate::store) fn with_approval(self, approval: &Approval) -> Self {
        let Approval { signature, digest, at } = approval;
        self.with("approval", json!({ "signature": signature, "digest": digest, "at": at }))
    }

    /// Files beside which something may be set aside although nothing of the capability is in them
    /// any more.
    pub(in crate::store) fn set_aside(&self) -> Vec<String> {
        self.texts("setAside")
    }

    /// Folders that were made for such files, and go if nothing is in them.
    pub(in crate::store) fn emptied(&self) -> Vec<String> {
        self.texts("emptied")
    }

    fn texts(&self, field: &str) -> Vec<String> {
        let texts = self.fields.get(field).and_then(Value::as_array);
        texts.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    #[must_use]
    pub(in crate::store) fn with_set_aside(self, files: &[&str], folders: Vec<String>) -> Self {
        let list = |texts: Value| if texts == json!([]) { Value::Null } else { texts };
        self.with("setAside", list(json!(files))).with("emptied", list(json!(folders)))
    }

    #[must_use]
    pub(in crate::store) fn with_pending(mut self, pending: Option<Intent>) -> Self {
        self.pending = pending;
        self
    }
}
