//! The user's word. [`Consented`] is made here and nowhere else, so that nothing is put in its place
//! that nobody agreed to, unless it brings nothing to agree to.

use super::consent_store::Consent;
use super::disclosure::{Changes, Destination, Disclosure, Signatures};
use super::ledger::Approval;
use super::{Entry, ScopeRoot, Staged, StoreError};
use crate::id::CapabilityId;
use crate::text::printable;
use gsd_io::clock;
use serde_json::{Value, json};
use std::sync::Arc;

/// What was agreed to before, if anything was.
#[derive(Debug)]
pub(super) enum Before {
    /// Nothing of this id is there, or nobody ever agreed to it.
    Nothing,
    /// This was approved; the disclosure is known if the bundle still is the one that was.
    Approved { signatures: Signatures, disclosure: Option<Box<Disclosure>> },
}

/// A bundle of which it is known whether somebody has to agree, and to what.
#[derive(Debug)]
pub struct Question {
    id: CapabilityId,
    staged: Arc<Staged>,
    before: Before,
    /// What has to be agreed to beside the disclosure, a line each.
    also: Vec<String>,
    /// Files of hosts that may be written once it is agreed to.
    shared_files: Vec<String>,
}

/// A bundle that may be put in its place.
#[derive(Debug)]
pub struct Consented {
    id: CapabilityId,
    staged: Arc<Staged>,
    at: String,
    shared_files: Vec<String>,
}

impl Question {
    pub(super) fn new(
        id: CapabilityId,
        staged: Arc<Staged>,
        before: Before,
        also: Vec<String>,
    ) -> Self {
        Self { id, staged, before, also, shared_files: vec![] }
    }

    /// Makes it a question about files of hosts as well. Those that the user did not name and did
    /// not agree to before are named in it.
    #[must_use]
    pub(super) fn about_files(mut self, files: &[String], unknown: &[String]) -> Self {
        self.shared_files = files.to_vec();
        self.also.extend(unknown.iter().map(|file| {
            let file = printable(file, 200);
            format!("puts its hooks and servers into `{file}`, as the ledger of the project says")
        }));
        self
    }

    /// Whether somebody has to be asked: it brings something that runs or sends and nobody agreed
    /// to it, or it is not what was agreed to.
    pub fn is_open(&self) -> bool {
        if !self.also.is_empty() {
            return true;
        }
        match &self.before {
            Before::Nothing => self.disclosure().requires_consent(),
            Before::Approved { signatures, .. } => *signatures != self.disclosure().signatures(),
        }
    }

    /// Whether somebody agreed to exactly what it discloses.
    pub(super) fn was_agreed_to(&self) -> bool {
        matches!(self.before, Before::Approved { .. }) && !self.is_open()
    }

    pub fn id(&self) -> &CapabilityId {
        &self.id
    }

    pub fn version(&self) -> String {
        self.staged.manifest().map(|manifest| manifest.version.to_string()).unwrap_or_default()
    }

    pub fn staged(&self) -> &Staged {
        &self.staged
    }

    pub fn disclosure(&self) -> &Disclosure {
        self.staged.disclosure()
    }

    /// What has to be agreed to beside the disclosure, a line each.
    pub fn also(&self) -> &[String] {
        &self.also
    }

    /// What is different from what was agreed to; `None` where that is not known any more.
    pub fn changes(&self) -> Option<Changes> {
        match &self.before {
            Before::Nothing | Before::Approved { disclosure: None, .. } => None,
            Before::Approved { disclosure: Some(old), .. } => {
                Some(self.disclosure().changes_since(old))
            }
        }
    }

    /// Goes on without asking; gives the question back if it has to be asked.
    pub fn unasked(self) -> Result<Consented, Box<Self>> {
        if self.is_open() { Err(Box::new(self)) } else { Ok(self.agreed()) }
    }

    /// The user said yes to what was shown.
    pub fn agreed(self) -> Consented {
        let Self { id, staged, shared_files, .. } = self;
        Consented { id, staged, at: clock::timestamp(), shared_files }
    }

    /// All that there is to know before agreeing, for programs.
    pub fn to_json(&self) -> Value {
        let source = self.staged.source();
        let mut out = json!({
            "id": self.id,
            "version": self.version(),
            "title": self.staged.manifest().map(|manifest| &manifest.title),
            "source": source.recorded,
            "resolved": source.resolved,
            "integrity": source.integrity,
            "contentHash": self.staged.content_hash(),
            "files": self.staged.files().count(),
            "bytes": self.staged.files().bytes(),
            "disclosure": self.disclosure().to_json(),
            "signature": self.disclosure().signature_v1(),
            "digest": self.disclosure().signature_v2(),
            "lines": self.disclosure().lines(),
            "also": self.also,
        });
        if source.was_fetched() {
            out["signature"] = match &source.signed_by {
                Some(key) => json!({
                    "kind": "minisign", "key": key.to_string(), "keyId": key.id(),
                }),
                None => Value::Null,
            };
        }
        if let Some(claimed) = &source.claimed {
            out["claimedSource"] = json!(claimed);
        }
        if let Some(changes) = self.changes() {
            out["changes"] = changes.to_json();
        }
        out
    }
}

impl Consented {
    pub fn id(&self) -> &CapabilityId {
        &self.id
    }

    pub fn staged(&self) -> &Staged {
        &self.staged
    }

    /// When it was agreed to.
    pub(super) fn at(&self) -> &str {
        &self.at
    }

    pub(super) fn version(&self) -> String {
        self.staged.manifest().map(|manifest| manifest.version.to_string()).unwrap_or_default()
    }

    pub(super) fn approval(&self) -> Approval {
        let Signatures { v1, v2 } = self.staged.disclosure().signatures();
        Approval { signature: v1, digest: v2, at: self.at.clone() }
    }

    /// The record for a project; the user's own scope keeps the approval in its ledger.
    pub(super) fn record(&self, root: &ScopeRoot) -> Option<Consent> {
        let store = root.consents()?;
        let Approval { signature, digest, at } = self.approval();
        let mut consent = Consent::new(store.project(), &self.id, self.staged.content_hash(), &at);
        consent.integrity.clone_from(&self.staged.source().integrity);
        consent.signature = signature;
        consent.digest = digest;
        let lane = self.staged.disclosure().lane.as_ref();
        let host = match lane.and_then(|lane| lane.destination.as_ref()) {
            Some(Destination::Resolved { address, .. }) => Some(address.as_str()),
            Some(Destination::Unresolved { .. }) | None => None,
        };
        let source = self.staged.source().recorded.as_str();
        let key = self.staged.source().signed_by.as_ref().map(ToString::to_string);
        let consent = consent.sending_to(host).writing_to(&self.shared_files);
        Some(consent.coming_from(source).signed_by(key))
    }
}

impl Before {
    /// What was agreed to of a capability, and how it was disclosed if its files are still those.
    pub(super) fn of(
        root: &ScopeRoot,
        id: &CapabilityId,
        entry: Option<&Entry>,
        live: Option<&Staged>,
    ) -> Result<Self, StoreError> {
        let approved = match root.consents() {
            None => entry.and_then(|entry| {
                let Approval { signature, digest, .. } = entry.approval()?;
                Some((Signatures { v1: signature, v2: digest }, entry.content_hash()?.to_owned()))
            }),
            Some(store) => store.of(id)?.map(|consent| {
                let Consent { signature, digest, content_hash, .. } = consent;
                (Signatures { v1: signature, v2: digest }, content_hash)
            }),
        };
        let Some((signatures, hash)) = approved else { return Ok(Self::Nothing) };
        let live = live.filter(|live| live.content_hash() == hash);
        let disclosure = live.map(|live| Box::new(live.disclosure().clone()));
        Ok(Self::Approved { signatures, disclosure })
    }
}
