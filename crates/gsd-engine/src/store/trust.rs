//! What a user trusts: listing it, giving it to a bundle that lies there already, taking it back.

use super::check::{Origin, Refusal, check_candidate};
use super::consent::{Before, Consented, Question};
use super::consent_store::Consent;
use super::ledger::Entry;
use super::staged::{SourceRecord, Staged};
use super::switch::{Switch, switch};
use super::{Places, ScopeRoot, StoreError, content_hash, plan, source_is_confirmed};
use crate::id::CapabilityId;
use crate::registry::Scope;
use camino::Utf8PathBuf;
use gsd_io::fs::{self, Kind};
use std::sync::Arc;
use std::time::Duration;

/// Something that a user agreed to.
#[derive(Debug, Clone, PartialEq)]
pub struct Trusted {
    pub id: CapabilityId,
    pub scope: Scope,
    /// The real path of the project; `None` for what holds everywhere.
    pub project: Option<Utf8PathBuf>,
    pub integrity: String,
    pub signature: String,
    pub digest: String,
    pub content_hash: String,
    pub at: String,
    /// The server that a lane of it was to send plans to.
    pub reviewer_host: Option<String>,
}

impl Trusted {
    fn of_consent(consent: Consent) -> Self {
        let reviewer_host = consent.reviewer_host().map(str::to_owned);
        Self {
            id: consent.id,
            scope: Scope::Project,
            project: Some(consent.project),
            integrity: consent.integrity,
            signature: consent.signature,
            digest: consent.digest,
            content_hash: consent.content_hash,
            reviewer_host,
            at: consent.consented_at,
        }
    }

    fn of_entry(id: &CapabilityId, entry: &Entry) -> Option<Self> {
        let approval = entry.approval()?;
        Some(Self {
            id: id.clone(),
            scope: Scope::Global,
            project: None,
            integrity: entry.integrity().to_owned(),
            signature: approval.signature,
            digest: approval.digest,
            content_hash: entry.content_hash()?.to_owned(),
            at: approval.at,
            reviewer_host: None,
        })
    }
}

/// Whether there is anything of a capability in a scope: a bundle, a record, or a word of the user.
pub fn is_there(places: &Places, scope: Scope, id: &CapabilityId) -> bool {
    let root = places.root(scope);
    if scope == Scope::Global && !places.home_is_trusted() {
        return false;
    }
    fs::kind(&super::overlay_folder::overlays_folder(root).join(id.as_str())).is_some()
        || super::Ledger::read(root).is_ok_and(|ledger| ledger.get(id).is_some())
        || scope == Scope::Project && places.consents().of(id).is_ok_and(|word| word.is_some())
}

/// What a user agreed to in a scope; for projects, in all of them.
pub fn trusted(places: &Places, scope: Scope) -> Result<Vec<Trusted>, StoreError> {
    match scope {
        Scope::Project => {
            Ok(places.consents().all()?.into_iter().map(Trusted::of_consent).collect())
        }
        Scope::Global => {
            if let Some(error) = places.no_home() {
                return Err(error);
            }
            let ledger = super::Ledger::read(places.home())?;
            Ok(ledger.iter().filter_map(|(id, entry)| Trusted::of_entry(id, entry)).collect())
        }
    }
}

/// What a user agreed to of one capability, here.
pub fn trusted_one(root: &ScopeRoot, id: &CapabilityId) -> Result<Option<Trusted>, StoreError> {
    match root.consents() {
        Some(store) => Ok(store.of(id)?.map(Trusted::of_consent)),
        None => Ok(root.ledger()?.get(id).and_then(|entry| Trusted::of_entry(id, entry))),
    }
}

/// A bundle that lies there, what there is to agree to, and what speaks against it.
#[derive(Debug)]
pub struct Lying {
    pub question: Question,
    pub refusals: Vec<Refusal>,
}

/// Looks at the bundle that lies there, as it is.
pub fn look(
    places: &Places,
    root: &ScopeRoot,
    id: &CapabilityId,
    configured: &dyn Fn(&str) -> Option<String>,
) -> Result<Lying, StoreError> {
    let folder = root.bundle(id);
    match fs::kind(&folder) {
        Some(Kind::Directory) => {}
        Some(_) => return Err(StoreError::refused(format!("`{folder}` is no folder"))),
        None => return Err(not_installed(root, id)),
    }
    let ledger = root.ledger()?;
    let entry = ledger.get(id);
    if entry.is_some_and(|entry| entry.pending().is_some()) {
        let reason = format!("a change of `{id}` was begun and not finished");
        return Err(StoreError::refused_hint(reason, "gsd capability reconcile"));
    }
    let source = entry.map(|entry| source_of(root, id, entry)).unwrap_or_default();
    let staged = Staged::take(&folder, root, source, Origin::Unproven, configured)?;
    let around = plan::surroundings(places);
    let mut refusals = check_candidate(staged.candidate(), &around, Some(id));
    // Where it lies, nobody can say where it came from.
    refusals.retain(|refusal| refusal.code != "provenance");
    let before = Before::of(root, id, entry, Some(&staged))?;
    let (files, unknown) = match entry {
        Some(entry) => (
            entry.shared_edits().into_iter().map(|edit| edit.file).collect(),
            plan::unagreed_files(root, id, entry, &staged)?,
        ),
        None => (vec![], vec![]),
    };
    let question = Question::new(id.clone(), Arc::new(staged), before, vec![]);
    Ok(Lying { question: question.about_files(&files, &unknown), refusals })
}

fn not_installed(root: &ScopeRoot, id: &CapabilityId) -> StoreError {
    StoreError::NotInstalled { id: id.to_string(), scope: root.scope }
}

fn source_of(root: &ScopeRoot, id: &CapabilityId, entry: &Entry) -> SourceRecord {
    let source = Some(entry.source().to_owned()).filter(|source| !source.is_empty());
    let (known, claimed) =
        if source_is_confirmed(root, id, entry) { (source, None) } else { (None, source) };
    SourceRecord {
        recorded: known.unwrap_or_default(),
        claimed,
        integrity: entry.integrity().to_owned(),
        ..SourceRecord::default()
    }
}

/// What is recorded of a bundle that lies there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// The user's word, and for the user's own scope the entry that it stands in.
    Word,
    /// An entry in any scope, as an install would make it.
    Entry,
}

/// Records the user's word on the bundle that lies there.
pub fn grant(
    root: &ScopeRoot,
    consented: &Consented,
    record: Record,
    patience: Duration,
) -> Result<(), StoreError> {
    let (staged, id) = (consented.staged(), consented.id().clone());
    let _held = root.lock(patience)?;
    let mut ledger = root.ledger()?;
    // Before the user's word is kept: of two records both are made or none.
    if root.scope == Scope::Global || record == Record::Entry {
        ledger.check_room(&id)?;
    }
    if content_hash(&root.bundle(&id))? != staged.content_hash() {
        return Err(StoreError::ContentChanged);
    }
    if let (Some(store), Some(word)) = (root.consents(), consented.record(root)) {
        // Agreeing to other bytes is no word on who may sign what comes next.
        let before = store.of(&id)?;
        let key = before.as_ref().and_then(|before| before.signer()).map(str::to_owned);
        store.grant(word.signed_by(key))?;
        if record == Record::Word {
            return Ok(());
        }
    }
    let version = consented.version();
    let approval = consented.approval();
    let entry = ledger.get(&id).cloned().unwrap_or_else(|| {
        let new = Entry::new(&id, &version, &approval.at);
        new.with("files", vec![ScopeRoot::recorded_path(&id)])
    });
    let entry = entry
        .with("version", version)
        .with("updatedAt", approval.at.clone())
        .with("contentHash", staged.content_hash());
    ledger.set(
        &id,
        match root.scope {
            Scope::Global => entry.with_approval(&approval),
            // In a project the user's word stands in the user's home.
            Scope::Project => entry,
        },
    );
    Ok(ledger.save()?)
}

/// Takes back what was agreed to; says whether there was something. What it has in files of hosts
/// goes first: a host would run it without asking anybody.
pub fn revoke(root: &ScopeRoot, id: &CapabilityId, patience: Duration) -> Result<bool, StoreError> {
    if trusted_one(root, id)?.is_none() {
        return Ok(false);
    }
    let is_wired = |entry: &Entry| !entry.is_disabled() && !entry.shared_edits().is_empty();
    if root.ledger()?.get(id).is_some_and(is_wired) {
        switch(root, id, Switch::Off, patience)?;
    }
    if let Some(store) = root.consents() {
        return Ok(store.revoke(id)?.is_some());
    }
    if root.ledger()?.get(id).is_none_or(|entry| !entry.is_approved()) {
        return Ok(false);
    }
    let _held = root.lock(patience)?;
    let mut ledger = root.ledger()?;
    let Some(entry) = ledger.get(id).filter(|entry| entry.is_approved()).cloned() else {
        return Ok(false);
    };
    ledger.set(id, entry.with("approval", serde_json::Value::Null));
    ledger.save()?;
    Ok(true)
}
