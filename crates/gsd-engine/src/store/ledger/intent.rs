//! The intent: what stands in an entry while a change of it is under way.
//!
//! It is written before anything of the change is, and the write that takes it away is the moment
//! at which the change is done. Whoever finds one knows that its writer did not get that far, and
//! has here what is needed to go back, or for a removal forward.

use super::entry::{MAX_SHARED, SharedEdit};
use crate::id::CapabilityId;
use crate::store::heir::Heir;
use serde_json::{Map, Value, json};

/// What was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum IntentKind {
    /// Nothing was there before.
    Install,
    /// The entry around it says what was there before.
    Upgrade,
    /// Goes forward: once begun, nothing of it is to stay.
    Remove,
    /// Only entries in files of hosts and a mark change.
    Switch,
}

impl IntentKind {
    const ALL: [Self; 4] = [Self::Install, Self::Upgrade, Self::Remove, Self::Switch];

    const fn word(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Upgrade => "upgrade",
            Self::Remove => "remove",
            Self::Switch => "switch",
        }
    }
}

/// A file of a host that the change writes. Its content before is set aside beside it, since it may
/// hold secrets that have no place in a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct SharedState {
    /// Below the root.
    pub(in crate::store) file: String,
    /// Whether there was no file before.
    pub(in crate::store) created: bool,
    /// The digest of what it was; `None` where there was none, or where an older gsd began it.
    pub(in crate::store) before: Option<String>,
    /// The digest of what the change writes; `None` where it takes the file away.
    pub(in crate::store) after: Option<String>,
}

/// A change that was begun.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::store) struct Intent {
    pub(in crate::store) kind: IntentKind,
    /// The name under which the bundle that was there is set aside.
    pub(in crate::store) backup_name: Option<String>,
    /// Files of hosts that may hold entries of the capability, below the root.
    pub(in crate::store) shared_files: Vec<String>,
    /// The hash of the bundle that is being put there.
    pub(in crate::store) content_hash: Option<String>,
    /// What is written of them; empty where another program wrote the intent.
    pub(in crate::store) states: Vec<SharedState>,
    /// Marks what is set aside beside the shared files as belonging to this change.
    pub(in crate::store) token: Option<String>,
    /// Folders that were made for shared files, the outermost first.
    pub(in crate::store) made_folders: Vec<String>,
    /// Whether what the capability itself wrote goes, too.
    pub(in crate::store) purge_data: bool,
    /// For a removal, what is recorded of others once it is done.
    pub(in crate::store) heirs: Vec<Heir>,
}

impl Intent {
    pub(in crate::store) fn new(kind: IntentKind) -> Self {
        Self {
            kind,
            backup_name: None,
            shared_files: vec![],
            content_hash: None,
            states: vec![],
            token: None,
            made_folders: vec![],
            purge_data: false,
            heirs: vec![],
        }
    }

    /// Reads an intent; the error completes "the entry has …".
    pub(super) fn read(value: &Value) -> Result<Self, String> {
        let bad = || "an intent of another shape".to_owned();
        let fields = value.as_object().ok_or_else(bad)?;
        let word = fields.get("kind").and_then(Value::as_str).ok_or_else(bad)?;
        let kind = IntentKind::ALL.into_iter().find(|kind| kind.word() == word).ok_or_else(bad)?;
        let texts = |field: &str| match fields.get(field) {
            None => Ok(vec![]),
            Some(Value::Array(list)) if list.len() <= MAX_SHARED => list
                .iter()
                .map(|text| text.as_str().map(str::to_owned).ok_or_else(bad))
                .collect::<Result<Vec<_>, _>>(),
            Some(_) => Err(bad()),
        };
        let text = |value: Option<&Value>| match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(bad()),
        };
        let states = match fields.get("states") {
            None => vec![],
            Some(Value::Array(list)) if list.len() <= MAX_SHARED => list
                .iter()
                .map(|state| {
                    let file = state["file"].as_str().ok_or_else(bad)?.to_owned();
                    let created = state["created"] == true;
                    let (before, after) = (text(state.get("before"))?, text(state.get("after"))?);
                    Ok(SharedState { file, created, before, after })
                })
                .collect::<Result<Vec<_>, String>>()?,
            Some(_) => return Err(bad()),
        };
        let heirs = match fields.get("heirs") {
            None => vec![],
            Some(Value::Array(list)) if list.len() <= MAX_SHARED => list
                .iter()
                .map(|heir| {
                    let id = heir["marker"].as_str().and_then(|id| CapabilityId::parse(id).ok());
                    let edit = SharedEdit::read(heir).ok_or_else(bad)?;
                    Ok(Heir { id: id.ok_or_else(bad)?, edit })
                })
                .collect::<Result<Vec<_>, String>>()?,
            Some(_) => return Err(bad()),
        };
        if fields.get("sharedFiles").is_none() {
            return Err(bad());
        }
        Ok(Self {
            kind,
            backup_name: text(fields.get("backupName"))?,
            shared_files: texts("sharedFiles")?,
            content_hash: text(fields.get("contentHash"))?,
            states,
            token: text(fields.get("token"))?,
            made_folders: texts("madeFolders")?,
            purge_data: fields.get("purgeData") == Some(&Value::Bool(true)),
            heirs,
        })
    }

    pub(in crate::store) fn to_json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("kind".to_owned(), self.kind.word().into());
        fields.insert("backupName".to_owned(), json!(self.backup_name));
        fields.insert("sharedFiles".to_owned(), json!(self.shared_files));
        if let Some(hash) = &self.content_hash {
            fields.insert("contentHash".to_owned(), json!(hash));
        }
        if !self.states.is_empty() {
            let state = |s: &SharedState| {
                let (created, before, after) = (s.created, &s.before, &s.after);
                json!({ "file": s.file, "created": created, "before": before, "after": after })
            };
            let states: Vec<Value> = self.states.iter().map(state).collect();
            fields.insert("states".to_owned(), json!(states));
        }
        if let Some(token) = &self.token {
            fields.insert("token".to_owned(), json!(token));
        }
        if !self.made_folders.is_empty() {
            fields.insert("madeFolders".to_owned(), json!(self.made_folders));
        }
        if self.purge_data {
            fields.insert("purgeData".to_owned(), json!(true));
        }
        if !self.heirs.is_empty() {
            let heirs: Vec<Value> = self.heirs.iter().map(|h| h.edit.to_json(&h.id)).collect();
            fields.insert("heirs".to_owned(), json!(heirs));
        }
        Value::Object(fields)
    }
}
