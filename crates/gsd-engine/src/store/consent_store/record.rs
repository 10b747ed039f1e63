//! The records of the consent store, as values and as JSON.

use super::MAX_RECORDS;
use crate::id::CapabilityId;
use crate::store::ledger::SIGNER;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value, json};

const VERSION: &str = "1";

/// A user's word on one bundle in one project.
#[derive(Debug, Clone, PartialEq)]
pub struct Consent {
    /// The real path of the project.
    pub project: Utf8PathBuf,
    pub id: CapabilityId,
    pub integrity: String,
    /// The canonical disclosure, as the first version of the contract spells it.
    pub signature: String,
    /// The digest over everything that the present disclosure shows; empty in records that another
    /// program wrote.
    pub digest: String,
    /// What it is bound to.
    pub content_hash: String,
    /// RFC 3339, UTC.
    pub consented_at: String,
    /// Whether it takes the place of another one, and the change is not known to be done.
    unsettled: bool,
    before: Option<Box<Consent>>,
    rest: Map<String, Value>,
}

impl Consent {
    pub(in crate::store) fn new(
        project: &Utf8Path,
        id: &CapabilityId,
        content_hash: &str,
        consented_at: &str,
    ) -> Self {
        Self {
            project: project.to_owned(),
            id: id.clone(),
            integrity: String::new(),
            signature: String::new(),
            digest: String::new(),
            content_hash: content_hash.to_owned(),
            consented_at: consented_at.to_owned(),
            unsettled: false,
            before: None,
            rest: Map::new(),
        }
    }

    /// The server that a lane was to send plans to when the user agreed.
    pub(in crate::store) fn reviewer_host(&self) -> Option<&str> {
        self.rest.get("reviewerHost").and_then(Value::as_str)
    }

    #[must_use]
    pub(in crate::store) fn sending_to(mut self, host: Option<&str>) -> Self {
        if let Some(host) = host {
            self.rest.insert("reviewerHost".to_owned(), host.into());
        }
        self
    }

    /// Where it came from when the user agreed, in the form of a ledger. It is no fact of a bundle
    /// that was found where it lies.
    pub(in crate::store) fn source(&self) -> Option<&str> {
        self.rest.get("source").and_then(Value::as_str)
    }

    #[must_use]
    pub(in crate::store) fn coming_from(mut self, source: &str) -> Self {
        if !source.is_empty() {
            self.rest.insert("source".to_owned(), source.into());
        }
        self
    }

    /// The key by which it was signed, where one was asked for.
    pub(in crate::store) fn signer(&self) -> Option<&str> {
        self.rest.get(SIGNER).and_then(Value::as_str)
    }

    #[must_use]
    pub(in crate::store) fn signed_by(mut self, key: Option<String>) -> Self {
        if let Some(key) = key {
            self.rest.insert(SIGNER.to_owned(), key.into());
        }
        self
    }

    /// The files of hosts below the project that the user agreed to have written.
    pub(in crate::store) fn shared_files(&self) -> Vec<&str> {
        let files = self.rest.get("sharedFiles").and_then(Value::as_array);
        files.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    #[must_use]
    pub(in crate::store) fn writing_to(mut self, files: &[String]) -> Self {
        if !files.is_empty() {
            self.rest.insert("sharedFiles".to_owned(), json!(files));
        }
        self
    }

    /// Whether it holds for a bundle.
    pub fn covers(&self, content_hash: &str) -> bool {
        self.settled(content_hash).is_some()
    }

    pub(in crate::store) fn is_unsettled(&self) -> bool {
        self.unsettled
    }

    pub(super) fn instead_of(self, before: Option<Self>) -> Self {
        // What was never settled is no word to go back to unless it covers what was there.
        Self { unsettled: true, before: before.map(Box::new), ..self }
    }

    /// The one of the old and the new consent that is for these bytes.
    pub(super) fn settled(&self, content_hash: &str) -> Option<Self> {
        if self.content_hash == content_hash {
            return Some(Self { unsettled: false, before: None, ..self.clone() });
        }
        self.before.as_ref().and_then(|before| before.settled(content_hash))
    }

    fn key(project: &Utf8Path, id: &CapabilityId) -> String {
        json!({ "r": project.as_str(), "i": id.as_str() }).to_string()
    }

    fn read(value: &Value) -> Option<Self> {
        let Value::Object(mut rest) = value.clone() else { return None };
        let mut text = |field: &str| match rest.shift_remove(field) {
            Some(Value::String(text)) => Some(text),
            Some(_) | None => None,
        };
        if text("scope").as_deref() != Some("project") {
            return None;
        }
        let project = text("projectRoot").filter(|root| root.starts_with('/'))?;
        let id = CapabilityId::parse(&text("id")?).ok()?;
        let content_hash = text("contentHash").filter(|hash| !hash.is_empty())?;
        let integrity = text("integrity").unwrap_or_default();
        let signature = text("disclosureSignature").unwrap_or_default();
        let digest = text("disclosureDigest").unwrap_or_default();
        let consented_at = text("consentedAt").unwrap_or_default();
        let unsettled = rest.shift_remove("unsettled") == Some(Value::Bool(true));
        let before = rest.shift_remove("before").as_ref().and_then(Self::read).map(Box::new);
        Some(Self {
            project: project.into(),
            id,
            integrity,
            signature,
            digest,
            content_hash,
            consented_at,
            unsettled,
            before,
            rest,
        })
    }

    fn to_json(&self) -> Value {
        let mut out = Map::new();
        for (field, text) in [
            ("projectRoot", self.project.as_str()),
            ("id", self.id.as_str()),
            ("scope", "project"),
            ("integrity", &self.integrity),
            ("disclosureSignature", &self.signature),
            ("contentHash", &self.content_hash),
            ("consentedAt", &self.consented_at),
        ] {
            out.insert(field.to_owned(), text.into());
        }
        if !self.digest.is_empty() {
            out.insert("disclosureDigest".to_owned(), self.digest.as_str().into());
        }
        out.extend(self.rest.clone());
        if self.unsettled {
            out.insert("unsettled".to_owned(), true.into());
            if let Some(before) = &self.before {
                out.insert("before".to_owned(), before.to_json());
            }
        }
        Value::Object(out)
    }
}

/// The file as it is: what this version cannot read of it stays there.
#[derive(Debug, Default)]
pub(super) struct Records {
    rest: Map<String, Value>,
    /// In the order of the file.
    records: Vec<(String, Result<Consent, Value>)>,
    /// The digests of changes that were begun and not ended, by the keys of consents.
    begun: Map<String, Value>,
}

impl Records {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let root: Value = serde_json::from_str(text).map_err(|error| {
            format!("it is not JSON (line {}, column {})", error.line(), error.column())
        })?;
        let Value::Object(mut rest) = root else { return Err("it is no object".to_owned()) };
        match rest.shift_remove("version") {
            Some(Value::String(version)) if version == VERSION => {}
            Some(_) => return Err("it was written by a newer version of gsd".to_owned()),
            None => return Err("it has no version".to_owned()),
        }
        let Some(Value::Object(listed)) = rest.shift_remove("records") else {
            return Err("it has no `records`".to_owned());
        };
        if listed.len() > MAX_RECORDS {
            return Err(format!("it has more than {MAX_RECORDS} records"));
        }
        let begun = match rest.shift_remove("begun") {
            Some(Value::Object(begun)) if begun.len() <= MAX_RECORDS => begun,
            Some(_) => return Err("its `begun` is no list of changes".to_owned()),
            None => Map::new(),
        };
        let read = |(key, value): (String, Value)| {
            let consent = Consent::read(&value);
            (key, consent.ok_or(value))
        };
        Ok(Self { rest, records: listed.into_iter().map(read).collect(), begun })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty() && self.rest.is_empty() && self.begun.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Consent> {
        self.records.iter().filter_map(|(_, record)| record.as_ref().ok())
    }

    pub(super) fn get(&self, project: &Utf8Path, id: &CapabilityId) -> Option<&Consent> {
        self.iter().find(|consent| consent.project == project && consent.id == *id)
    }

    /// Whether a consent to a capability could be put in its place.
    pub(super) fn has_room(&self, project: &Utf8Path, id: &CapabilityId) -> bool {
        let key = Consent::key(project, id);
        self.records.len() < MAX_RECORDS || self.records.iter().any(|(known, _)| *known == key)
    }

    /// Puts a consent in its place; `false` if there is no room for one more.
    pub(super) fn put(&mut self, consent: Consent) -> bool {
        if !self.has_room(&consent.project, &consent.id) {
            return false;
        }
        match self.position(&consent.project, &consent.id) {
            Some(at) => self.records[at].1 = Ok(consent),
            None => {
                let key = Consent::key(&consent.project, &consent.id);
                self.records.retain(|(known, _)| *known != key);
                self.records.push((key, Ok(consent)));
            }
        }
        true
    }

    fn position(&self, project: &Utf8Path, id: &CapabilityId) -> Option<usize> {
        let is_it = |consent: &Consent| consent.project == project && consent.id == *id;
        self.records.iter().position(|(_, record)| record.as_ref().is_ok_and(is_it))
    }

    pub(super) fn remove(&mut self, project: &Utf8Path, id: &CapabilityId) -> Option<Consent> {
        let at = self.position(project, id)?;
        self.records.remove(at).1.ok()
    }

    /// Keeps what is noted of a change; `false` if there is no room for one more.
    pub(super) fn note_begun(
        &mut self,
        project: &Utf8Path,
        id: &CapabilityId,
        noted: &str,
    ) -> bool {
        let key = Consent::key(project, id);
        if self.begun.len() >= MAX_RECORDS && !self.begun.contains_key(&key) {
            return false;
        }
        self.begun.insert(key, noted.into());
        true
    }

    pub(super) fn begun(&self, project: &Utf8Path, id: &CapabilityId) -> Option<&str> {
        self.begun.get(&Consent::key(project, id)).and_then(Value::as_str)
    }

    /// The capabilities of a project of which a change was begun.
    pub(super) fn begun_in(&self, project: &Utf8Path) -> Vec<CapabilityId> {
        let of = |key: &String| {
            let key: Value = serde_json::from_str(key).ok()?;
            let id = CapabilityId::parse(key["i"].as_str()?).ok()?;
            (key["r"].as_str() == Some(project.as_str())).then_some(id)
        };
        self.begun.keys().filter_map(of).collect()
    }

    pub(super) fn forget_begun(&mut self, project: &Utf8Path, id: &CapabilityId) {
        self.begun.shift_remove(&Consent::key(project, id));
    }

    pub(super) fn to_text(&self) -> String {
        let mut root = Map::new();
        root.insert("version".to_owned(), VERSION.into());
        root.extend(self.rest.clone());
        let records = self.records.iter().map(|(key, record)| {
            let value = record.as_ref().map_or_else(Value::clone, Consent::to_json);
            (key.clone(), value)
        });
        root.insert("records".to_owned(), Value::Object(records.collect()));
        if !self.begun.is_empty() {
            root.insert("begun".to_owned(), Value::Object(self.begun.clone()));
        }
        let mut text = serde_json::to_string_pretty(&root).expect("JSON is plain data");
        text.push('\n');
        text
    }
}
