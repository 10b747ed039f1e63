//! Decides what an install or update would do, before anything is written: whether the bundle fits,
//! what stands in its place now, which files of hosts change, and what has to be agreed to.

use super::check::{Preview, SharedFilePlan, Surroundings, check_candidate};
use super::consent::{Before, Question};
use super::shared::{self, Wanted};
use super::shared_edit::Surfaces;
use super::{Consent, Entry, Places, ScopeRoot, Staged, StoreError, discover};
use crate::id::CapabilityId;
use crate::registry;
use crate::source::{Base, SourceSpec};
use crate::text::printable;
use camino::Utf8Path;
use gsd_io::fs::{self, Kind};

/// What to do with a folder that lies in the place and that nobody installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmanaged {
    Refuse,
    Replace,
}

/// Whether another source than the recorded one may take a capability over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherSource {
    Refuse,
    Replace,
}

/// Whether an older version may take the place of a newer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Downgrade {
    Refuse,
    Allow,
}

/// What becomes of the files that hold entries of the capability already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedFiles {
    Keep,
    Leave,
}

/// What a user asked for.
#[derive(Debug)]
pub struct Wish {
    /// The capability that an update is about; `None` for an install.
    pub update: Option<CapabilityId>,
    /// Files of hosts below the root that are to get its entries.
    pub shared_files: Vec<String>,
    pub recorded_files: RecordedFiles,
    pub unmanaged: Unmanaged,
    pub other_source: OtherSource,
    pub downgrade: Downgrade,
}

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

/// Decides what a staged bundle would do here.
pub fn plan(
    places: &Places,
    root: &ScopeRoot,
    staged: Staged,
    wish: &Wish,
    configured: &dyn Fn(&str) -> Option<String>,
) -> Result<Planned, StoreError> {
    shared::check_number(wish.shared_files.len())?;
    if let Some(store) = root.consents() {
        // Found out now, not when the bundle is in its place.
        store.check_writable()?;
    }
    let ledger = root.ledger()?;
    let surroundings = surroundings(places);
    let refusals = check_candidate(staged.candidate(), &surroundings, wish.update.as_ref());
    let Some(manifest) = staged.manifest().filter(|_| refusals.is_empty()) else {
        return Err(StoreError::Unfit { refusals });
    };
    let id = manifest.id.value.clone();
    let version = manifest.version.clone();
    let entry = ledger.get(&id).cloned();
    let folder = root.bundle(&id);
    if entry.is_none() && fs::kind(&folder).is_some() {
        match (wish.unmanaged, fs::kind(&folder)) {
            (Unmanaged::Replace, Some(Kind::Directory)) => {}
            _ => return Err(unmanaged(&folder)),
        }
    }
    let from = entry.as_ref().map(|entry| entry.version().to_owned());
    let mut also = vec![];
    if let Some(entry) = &entry {
        also.extend(other_source(entry, &staged, wish.other_source, &id)?);
        if wish.update.is_some() {
            also.extend(version_rules(entry, &staged, &version, wish.downgrade)?);
        }
    }
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
            Some(entry) => unagreed_files(root, &id, entry, &staged)?,
            None => vec![],
        };
        let named = |file: &String| wish.shared_files.contains(file);
        let unknown: Vec<String> = unknown
            .into_iter()
            .filter(|file| shared_files.contains(file) && !named(file))
            .collect();
        Question::new(id.clone(), staged, before, also).about_files(&shared_files, &unknown)
    };
    if wish.update.is_some()
        && let Some(entry) = &entry
        && is_current(entry, live.as_ref(), &question, &shared_files)
    {
        return Ok(Planned::Current { version: entry.version().to_owned() });
    }
    let placing = Placing { seen: entry, shared_files, unmanaged: wish.unmanaged };
    let change = Change { question, placing, from };
    // What cannot be edited is refused now, while nothing is written.
    change.shared_changes(root)?;
    Ok(Planned::Change(Box::new(change)))
}

/// Everything that a capability would come to live with.
pub(super) fn surroundings(places: &Places) -> Surroundings {
    let overlays = discover(places).overlays;
    Surroundings { first_party: registry::first_party(), overlays }
}

fn unmanaged(folder: &Utf8Path) -> StoreError {
    let reason = format!("`{folder}` is there, and nobody installed it");
    StoreError::refused_hint(
        reason,
        "`--adopt` puts the installed one in its place; or move it away",
    )
}

/// What has to be said where another source takes a capability over.
fn other_source(
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
    match rule {
        OtherSource::Refuse => Err(StoreError::refused_hint(
            format!("`{id}` came from {old}, not from {new}"),
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
        self.placing.shared_changes(root, self.id(), self.question.staged())
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
        shared::plan(root, id, entry, &wanted)
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
