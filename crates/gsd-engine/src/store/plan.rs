//! Decides what an install or update would do, before anything is written: whether the bundle fits,
//! what stands in its place now, which files of hosts change, and what has to be agreed to.

use super::check::{Preview, SharedFilePlan, Surroundings, check_candidate};
use super::consent::{Before, Question};
use super::shared::{self, Wanted};
use super::shared_edit::Surfaces;
use super::signer::{is_known, other_signer};
use super::wish::{Downgrade, OtherSource, Others, RecordedFiles, Unmanaged, Wish};
use super::{
    Consent, Entry, Ledger, Places, ScopeRoot, Staged, StoreError, discover, recover,
    source_is_confirmed,
};
use crate::id::CapabilityId;
use crate::registry;
use crate::source::{Base, SourceSpec};
use crate::text::printable;
use camino::Utf8Path;
use gsd_io::fs::{self, Kind};
use std::sync::Arc;

/// So often it is decided anew because somebody else changed what is installed meanwhile. More says
/// that the ledger is no ordinary file; then what is seen has to do.
const MOST_ROUNDS: usize = 100;

/// What was found where the bundle is to go, and what is to become of it. It is found again, or
/// nothing is done.
#[derive(Debug)]
pub struct Placing {
    pub(super) seen: Option<Entry>,
    pub(super) shared_files: Vec<String>,
    pub(super) unmanaged: Unmanaged,
}

/// A decision.
#[derive(Debug)]
pub enum Planned {
    /// What is there is what the source has.
    Current {
        version: String,
    },
    Change(Box<Change>),
}

/// A change that may be made once it was agreed to.
#[derive(Debug)]
pub struct Change {
    pub question: Question,
    pub placing: Placing,
    /// The version that is replaced.
    pub from: Option<String>,
}

/// Decides what a staged bundle would do here. It is decided on one state: where somebody else
/// changes what is installed meanwhile, it is decided again.
pub fn plan(
    places: &Places,
    root: &ScopeRoot,
    staged: &Arc<Staged>,
    wish: &Wish,
    configured: &dyn Fn(&str) -> Option<String>,
) -> Result<Planned, StoreError> {
    let mut rounds = 0;
    loop {
        let mut ledger = root.ledger()?;
        if let Others::Wait(patience) = wish.others
            && ledger.iter().any(|(_, entry)| entry.pending().is_some())
        {
            recover::reconcile(root, patience)?;
            ledger = root.ledger()?;
        }
        let stamp = fs::stamp(ledger.path());
        let planned = decide(places, root, &ledger, staged, wish, configured);
        rounds += 1;
        if rounds == MOST_ROUNDS || fs::stamp(ledger.path()) == stamp {
            return planned;
        }
    }
}

fn decide(
    places: &Places,
    root: &ScopeRoot,
    ledger: &Ledger,
    staged: &Arc<Staged>,
    wish: &Wish,
    configured: &dyn Fn(&str) -> Option<String>,
) -> Result<Planned, StoreError> {
    shared::check_number(wish.shared_files.len())?;
    let surroundings = surroundings(places);
    let refusals = check_candidate(staged.candidate(), &surroundings, wish.update.as_ref());
    let Some(manifest) = staged.manifest().filter(|_| refusals.is_empty()) else {
        return Err(StoreError::Unfit { refusals });
    };
    let id = manifest.id.value.clone();
    // Found out now, not when the bundle is in its place.
    root.check_place(&id)?;
    ledger.check_room(&id)?;
    if let Some(store) = root.consents() {
        store.check_room(&id)?;
    }
    let entry = ledger.get(&id).cloned();
    let mut also = vec![];
    match &entry {
        Some(entry) => {
            also.extend(other_source(root, entry, staged, wish.other_source, &id)?);
            also.extend(other_signer(root, &id, entry, staged, wish.other_signer)?);
            also.extend(version_rules(entry, staged, &manifest.version, wish.downgrade)?);
        }
        None => also.extend(unmanaged(root, &id, wish.unmanaged)?),
    }
    let from = entry.as_ref().map(|entry| entry.version().to_owned());
    let recorded = entry.iter().flat_map(Entry::shared_edits).map(|edit| edit.file);
    let mut shared_files: Vec<String> = match wish.recorded_files {
        RecordedFiles::Keep => recorded.chain(wish.shared_files.iter().cloned()).collect(),
        RecordedFiles::Leave => wish.shared_files.clone(),
    };
    shared_files.sort();
    shared_files.dedup();
    let live = Staged::live(root, &id, configured);
    let question = {
        let before = Before::of(root, &id, entry.as_ref(), live.as_ref())?;
        let unknown = match &entry {
            Some(entry) => unagreed_files(root, &id, entry, staged)?,
            None => vec![],
        };
        let named = |file: &String| wish.shared_files.contains(file);
        let unknown: Vec<String> = unknown
            .into_iter()
            .filter(|file| shared_files.contains(file) && !named(file))
            .collect();
        let question = Question::new(id.clone(), Arc::clone(staged), before, also);
        question.about_files(&shared_files, &unknown)
    };
    let current =
        entry.as_ref().filter(|entry| is_current(entry, live.as_ref(), &question, &shared_files));
    let current = match current {
        // A signature that is there for the first time is recorded.
        Some(entry) if is_known(root, &id, entry, staged)? => Some(entry.version().to_owned()),
        Some(_) | None => None,
    };
    let placing = Placing { seen: entry, shared_files, unmanaged: wish.unmanaged };
    let change = Change { question, placing, from };
    // What cannot be edited is refused now, while nothing is written.
    let changes = change.placing.shared_changes(root, ledger, change.id(), staged)?;
    // Who installs again what is there wants the files of hosts to be in order as well.
    let as_wished = wish.update.is_some() || changes.iter().all(|change| !change.is_one());
    match current {
        Some(version) if as_wished => Ok(Planned::Current { version }),
        Some(_) | None => Ok(Planned::Change(Box::new(change))),
    }
}

/// Everything that a capability would come to live with.
pub(super) fn surroundings(places: &Places) -> Surroundings {
    let overlays = discover(places).overlays;
    Surroundings { first_party: registry::first_party(), overlays }
}

/// What has to be said of a folder that lies in the place and that nobody installed.
fn unmanaged(
    root: &ScopeRoot,
    id: &CapabilityId,
    rule: Unmanaged,
) -> Result<Option<String>, StoreError> {
    const SHOWN: usize = 5;
    let folder = root.bundle(id);
    let kind = fs::kind(&folder);
    match (rule, kind) {
        (_, None) => Ok(None),
        (Unmanaged::Replace, Some(Kind::Directory)) => {
            let found = fs::list(&folder, SHOWN + 1).unwrap_or_default();
            let shown = found.iter().take(SHOWN).map(|entry| printable(&entry.name, 60));
            let mut names = shown.collect::<Vec<_>>().join(", ");
            if found.len() > SHOWN {
                names.push_str(", and more");
            }
            let holds = if names.is_empty() { "holds nothing".to_owned() } else { names };
            Ok(Some(format!(
                "takes the place of `{folder}`, which nobody installed ({holds}); what is there is \
                 kept beside it"
            )))
        }
        (_, Some(_)) => Err(StoreError::refused_hint(
            format!("`{folder}` is there, and nobody installed it"),
            "`--adopt` puts the installed one in its place and keeps what is there; or move it away",
        )),
    }
}

/// What has to be said where another source takes a capability over.
fn other_source(
    root: &ScopeRoot,
    entry: &Entry,
    staged: &Staged,
    rule: OtherSource,
    id: &CapabilityId,
) -> Result<Option<String>, StoreError> {
    let (old, new) = (entry.source(), staged.source());
    // A recorded source is whole: nothing that it is seen from makes a difference.
    let base = Base { cwd: Utf8Path::new("/"), home: None };
    let identity = SourceSpec::parse(old, &base).map(|spec| spec.identity());
    let same = old == new.recorded || identity.is_ok_and(|identity| identity == new.identity);
    if old.is_empty() || new.recorded.is_empty() || same {
        return Ok(None);
    }
    let (old, new) = (printable(old, 200), printable(&new.recorded, 200));
    let old = if source_is_confirmed(root, id, entry) {
        old
    } else {
        format!("{old}, as the project's ledger says")
    };
    match rule {
        OtherSource::Refuse => Err(StoreError::refused_hint(
            format!("`{id}` came from {old}, and not from {new}"),
            "`--replace` lets another source take it over",
        )),
        OtherSource::Replace => Ok(Some(format!("takes `{id}` over from {old}"))),
    }
}

/// What has to be said of the versions, if they may follow each other at all.
fn version_rules(
    entry: &Entry,
    staged: &Staged,
    new: &semver::Version,
    rule: Downgrade,
) -> Result<Option<String>, StoreError> {
    let Ok(old) = semver::Version::parse(entry.version()) else { return Ok(None) };
    if *new < old {
        return match rule {
            Downgrade::Refuse => Err(StoreError::refused_hint(
                format!("the source has {new}, which is older than the installed {old}"),
                "`--allow-downgrade` goes back to it",
            )),
            Downgrade::Allow => Ok(Some(format!("goes back from {old} to {new}"))),
        };
    }
    let other = entry.content_hash().is_some_and(|hash| hash != staged.content_hash());
    // A folder that its author works on has no releases.
    let released = staged.source().kind != "local";
    Ok((*new == old && other && released).then(|| {
        format!("version {new} is not the {new} that was installed: it was released anew")
    }))
}

fn is_current(
    entry: &Entry,
    live: Option<&Staged>,
    question: &Question,
    shared_files: &[String],
) -> bool {
    let hash = question.staged().content_hash();
    let recorded: Vec<String> = entry.shared_edits().into_iter().map(|edit| edit.file).collect();
    entry.content_hash() == Some(hash)
        && live.is_some_and(|live| live.content_hash() == hash)
        && question.was_agreed_to()
        && shared_files.iter().all(|file| recorded.contains(file))
        && recorded.iter().all(|file| shared_files.contains(file))
}

impl Change {
    /// The id that it is about.
    pub fn id(&self) -> &CapabilityId {
        self.question.id()
    }

    /// How files of hosts would change now.
    pub(super) fn shared_changes(
        &self,
        root: &ScopeRoot,
    ) -> Result<Vec<shared::SharedChange>, StoreError> {
        self.placing.shared_changes(root, &root.ledger()?, self.id(), self.question.staged())
    }

    /// What it would do, for people and programs that want to see it first.
    pub fn preview(
        &self,
        places: &Places,
        root: &ScopeRoot,
        configured: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Preview, StoreError> {
        let live =
            self.placing.seen.as_ref().and_then(|_| Staged::live(root, self.id(), configured));
        let shared = self.shared_changes(root)?.into_iter().map(|change| SharedFilePlan {
            file: change.file.name,
            added: change.added,
            skipped: change.skipped.into_iter().map(|skip| (skip.name, skip.reason)).collect(),
        });
        let (candidate, around) = (self.question.staged().candidate(), surroundings(places));
        let live = live.as_ref().map(Staged::candidate);
        Ok(Preview::of(candidate, live, &around, &[], shared.collect()))
    }
}

impl Placing {
    /// How files of hosts change when a bundle takes its place.
    pub(super) fn shared_changes(
        &self,
        root: &ScopeRoot,
        ledger: &Ledger,
        id: &CapabilityId,
        staged: &Staged,
    ) -> Result<Vec<shared::SharedChange>, StoreError> {
        let surfaces = surfaces(root, id, staged);
        let entry = self.seen.as_ref();
        let wanted = if entry.is_some_and(Entry::is_disabled) {
            Wanted::Nowhere
        } else {
            Wanted::In { surfaces: &surfaces, files: &self.shared_files }
        };
        shared::plan(root, ledger, id, &wanted)
    }
}

/// The files that the ledger of a project says get the entries of a bundle, and to which this user
/// did not agree: the ledger comes with the project.
pub(super) fn unagreed_files(
    root: &ScopeRoot,
    id: &CapabilityId,
    entry: &Entry,
    staged: &Staged,
) -> Result<Vec<String>, StoreError> {
    let Some(store) = root.consents() else { return Ok(vec![]) };
    if surfaces(root, id, staged).is_empty() {
        return Ok(vec![]);
    }
    let consent = store.of(id)?;
    let agreed = consent.as_ref().map(Consent::shared_files).unwrap_or_default();
    let recorded = entry.shared_edits().into_iter().map(|edit| edit.file);
    Ok(recorded.filter(|file| !agreed.contains(&file.as_str())).collect())
}

/// The entries that a bundle has for files of hosts, once it lies in its place.
pub(super) fn surfaces(root: &ScopeRoot, id: &CapabilityId, staged: &Staged) -> Surfaces {
    let bundles = root.bundles();
    let bundles = fs::canonical(&bundles).unwrap_or(bundles);
    Surfaces::of(id, staged.disclosure(), staged.files(), &bundles.join(id.as_str()))
}
