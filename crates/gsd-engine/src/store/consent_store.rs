//! The consents of a user: which bundles of which projects they agreed to, bound to every byte.
//!
//! The file lies in the user's home and counts only where nobody else can have written it: not
//! inside a project, not open to others. One that cannot be understood consents to nothing and is
//! never overwritten.

mod begun;
mod record;

pub use record::Consent;

use super::held::{Held, HeldError};
use crate::id::CapabilityId;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Links, ReadError, WriteError};
use gsd_io::lock::LockError;
use record::Records;
use std::time::Duration;

const MAX_BYTES: u64 = 8 * 1024 * 1024;
const MAX_RECORDS: usize = 4096;
/// The lock goes with who held it, unless that one was killed.
const LOCK: &str = ".consent.lock";
/// How long another process may be at the file.
const PATIENCE: Duration = Duration::from_secs(10);

/// The file, wherever the user's home is.
#[derive(Debug, Clone)]
pub struct ConsentStore {
    path: Utf8PathBuf,
    project: Utf8PathBuf,
}

/// Why consents cannot be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum ConsentError {
    #[error("`{path}` lies inside the project `{project}`, so it is no word of the user")]
    InsideProject { path: Utf8PathBuf, project: Utf8PathBuf },
    #[error("`{path}` can be changed by others than its user")]
    NotPrivate { path: Utf8PathBuf },
    #[error("the consents cannot be read")]
    Unreadable(#[source] ReadError),
    #[error("`{path}` is no list of consents: {what}")]
    Corrupt { path: Utf8PathBuf, what: String },
    #[error("`{path}` has {MAX_RECORDS} records already, and no more are kept")]
    Full { path: Utf8PathBuf },
    #[error("the consent-store lock is held by somebody else")]
    Lock(#[source] LockError),
    #[error("the consents cannot be kept")]
    Write(#[source] WriteError),
}

impl ConsentError {
    /// What to do about it.
    pub fn remedy(&self) -> String {
        match self {
            Self::InsideProject { .. } => {
                "set `GSD_HOME` or `HOME` to a folder outside of every project".to_owned()
            }
            Self::NotPrivate { path } => {
                format!("look at what is in it, then `chmod go-w {path}` as its owner")
            }
            Self::Unreadable(_) | Self::Corrupt { .. } => {
                "mend it, or set it aside and consent anew; it was not changed".to_owned()
            }
            Self::Full { .. } => "take your word back where you do not need it any more: \
                 `gsd capability trust list`, then `gsd capability trust revoke ID`"
                .to_owned(),
            Self::Lock(LockError::NotAFile { path }) => format!("move `{path}` away"),
            Self::Lock(_) => "try again when the other process is done".to_owned(),
            Self::Write(error) => format!("see that `{}` can be written", error.path),
        }
    }

    /// Whether there is a file that nobody can make sense of, or that must not be trusted.
    pub fn is_about_the_file(&self) -> bool {
        match self {
            Self::NotPrivate { .. } | Self::Unreadable(_) | Self::Corrupt { .. } => true,
            Self::InsideProject { .. } | Self::Full { .. } | Self::Lock(_) | Self::Write(_) => {
                false
            }
        }
    }
}

impl ConsentStore {
    /// The store below a home, as seen from a project.
    pub fn new(home: &Utf8Path, project: &Utf8Path) -> Self {
        Self { path: home.join(".gsd").join("consent.json"), project: real(project) }
    }

    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// The project that is looked at, links resolved: records are bound to that path.
    pub fn project(&self) -> &Utf8Path {
        &self.project
    }

    /// Every consent of the user, in whatever project.
    pub fn all(&self) -> Result<Vec<Consent>, ConsentError> {
        Ok(self.load()?.iter().cloned().collect())
    }

    /// Whether these very bytes were agreed to. While a change is under way both the old and the
    /// new ones are: the user agreed to either.
    pub fn of(&self, id: &CapabilityId) -> Result<Option<Consent>, ConsentError> {
        Ok(self.load()?.get(&self.project, id).cloned())
    }

    /// Records a consent, and keeps the one that it takes the place of until [`Self::settle`].
    pub(super) fn begin(&self, consent: Consent) -> Result<(), ConsentError> {
        let _lock = self.lock()?;
        let mut records = self.load()?;
        let before = records.get(&self.project, &consent.id).cloned();
        self.put(&mut records, consent.instead_of(before))
    }

    /// Records a consent that holds at once.
    pub(super) fn grant(&self, consent: Consent) -> Result<(), ConsentError> {
        let _lock = self.lock()?;
        let mut records = self.load()?;
        self.put(&mut records, consent)
    }

    /// Ends what [`Self::begin`] began: of the old and the new consent the one stays that is for
    /// the bundle which is there now. Where neither is, nothing is consented to.
    pub(super) fn settle(&self, id: &CapabilityId, live: Option<&str>) -> Result<(), ConsentError> {
        if self.load()?.get(&self.project, id).is_none_or(|consent| !consent.is_unsettled()) {
            return Ok(());
        }
        let _lock = self.lock()?;
        let mut records = self.load()?;
        let Some(consent) = records.get(&self.project, id) else { return Ok(()) };
        match live.and_then(|hash| consent.settled(hash)) {
            Some(settled) => self.put(&mut records, settled),
            None => {
                records.remove(&self.project, id);
                self.save(&records)
            }
        }
    }

    /// Takes back the consent to a capability in this project; gives it, if there was one.
    pub(super) fn revoke(&self, id: &CapabilityId) -> Result<Option<Consent>, ConsentError> {
        if self.load()?.get(&self.project, id).is_none() {
            return Ok(None);
        }
        let _lock = self.lock()?;
        let mut records = self.load()?;
        let gone = records.remove(&self.project, id);
        if gone.is_some() {
            self.save(&records)?;
        }
        Ok(gone)
    }

    /// Removes what a killed writer left: half a file, its lock, the folder made for both.
    pub(super) fn tidy(&self) -> Result<(), ConsentError> {
        let lock = self.folder().join(LOCK);
        if fs::kind(&lock).is_none() && fs::left_overs(&self.path).is_empty() {
            if fs::list(self.folder(), 1).is_ok_and(|entries| entries.is_empty()) {
                fs::remove_empty_folder(self.folder()).map_err(ConsentError::Write)?;
            }
            return Ok(());
        }
        let _lock = self.lock()?;
        for half in fs::left_overs(&self.path) {
            fs::remove_file(&half).map_err(ConsentError::Write)?;
        }
        Ok(())
    }

    /// That a consent could be recorded, found out before anything is changed.
    pub(super) fn check_room(&self, id: &CapabilityId) -> Result<(), ConsentError> {
        if !self.load()?.has_room(&self.project, id) {
            return Err(self.full());
        }
        self.folder_is_ours()
    }

    /// A folder that others may write to would make every consent in it void.
    fn folder_is_ours(&self) -> Result<(), ConsentError> {
        let real = fs::canonical(self.folder()).unwrap_or_default();
        let ours = |p: fs::Privacy| p.owned_by_us && !p.others_may_write;
        if fs::privacy(&real).is_none_or(ours) {
            Ok(())
        } else {
            Err(ConsentError::NotPrivate { path: self.folder().to_owned() })
        }
    }

    fn put(&self, records: &mut Records, consent: Consent) -> Result<(), ConsentError> {
        if records.put(consent) { self.save(records) } else { Err(self.full()) }
    }

    fn folder(&self) -> &Utf8Path {
        self.path.parent().unwrap_or(Utf8Path::new("/"))
    }

    fn lock(&self) -> Result<Held, ConsentError> {
        self.outside_projects()?;
        fs::create_private_dir_all(self.folder()).map_err(ConsentError::Write)?;
        let path = self.folder().join(LOCK);
        Held::take(&path, &[self.folder()], "gsd capability", PATIENCE).map_err(|e| match e {
            HeldError::Lock(error) => ConsentError::Lock(error),
            HeldError::Folder(error) => ConsentError::Write(error),
        })
    }

    /// A file that a repository could bring along must not consent to anything.
    fn outside_projects(&self) -> Result<(), ConsentError> {
        // The file or its folder need not be there yet; then the nearest one that is decides.
        let real = self.path.ancestors().find_map(fs::canonical).unwrap_or_default();
        let marked = |folder: &&Utf8Path| fs::kind(&folder.join(".planning")).is_some();
        let here = real.starts_with(&self.project).then_some(&*self.project);
        match here.or_else(|| real.ancestors().find(marked)) {
            Some(project) => Err(ConsentError::InsideProject {
                path: self.path.clone(),
                project: project.to_owned(),
            }),
            None => Ok(()),
        }
    }

    fn load(&self) -> Result<Records, ConsentError> {
        self.outside_projects()?;
        let text = match fs::read_text(&self.path, MAX_BYTES, Links::Refuse) {
            Ok(text) => text,
            Err(ReadError::NotFound { .. }) => return Ok(Records::default()),
            Err(error) => return Err(ConsentError::Unreadable(error)),
        };
        let ours = |p: fs::Privacy| p.owned_by_us && !p.others_may_write && !p.group_may_write;
        self.folder_is_ours()?;
        if !fs::file_privacy(&self.path).is_some_and(ours) {
            return Err(ConsentError::NotPrivate { path: self.path.clone() });
        }
        Records::parse(&text).map_err(|what| self.corrupt(&what))
    }

    fn save(&self, records: &Records) -> Result<(), ConsentError> {
        for half in fs::left_overs(&self.path) {
            fs::remove_file(&half).map_err(ConsentError::Write)?;
        }
        if records.is_empty() {
            return fs::remove_file_durably(&self.path).map_err(ConsentError::Write);
        }
        let text = records.to_text();
        if text.len() as u64 > MAX_BYTES {
            return Err(self.corrupt("it would have more than 8 MiB"));
        }
        fs::write_atomic_private(&self.path, text.as_bytes()).map_err(ConsentError::Write)
    }

    fn full(&self) -> ConsentError {
        ConsentError::Full { path: self.path.clone() }
    }

    fn corrupt(&self, what: &str) -> ConsentError {
        ConsentError::Corrupt { path: self.path.clone(), what: what.to_owned() }
    }
}

/// The one path that a project is known by.
fn real(project: &Utf8Path) -> Utf8PathBuf {
    fs::canonical(project).unwrap_or_else(|| project.to_owned())
}

#[cfg(test)]
mod tests;
