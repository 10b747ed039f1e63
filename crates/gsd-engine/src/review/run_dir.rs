//! The folder of one run: prompts, outputs, results, events.
//!
//! It lies outside the repository, is private to the user, and is kept until a later run of the
//! phase succeeds, so that an interrupted run can be resumed. One lock per phase makes two runs
//! take turns, wherever their folders are.

use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::env::Env;
use gsd_io::fs::{self, Kind, WriteError};
use gsd_io::lock::{Lock, LockError, Owner};
use sha2::{Digest, Sha256};

/// A run's folder and the lock of its phase, held as long as this value lives.
#[derive(Debug)]
pub struct RunDir {
    pub path: Utf8PathBuf,
    pub id: String,
    /// Older folders of the phase, to be removed when this run succeeds.
    older: Vec<Utf8PathBuf>,
    _lock: Lock,
}

/// Where the folder comes from.
#[derive(Debug, Clone, Copy)]
pub enum Choice<'a> {
    /// A new one below the user's state folder.
    New,
    /// The newest one of the phase.
    Newest,
    /// This one.
    Given(&'a Utf8Path),
}

#[derive(Debug, thiserror::Error)]
pub enum RunDirError {
    #[error("there is no state folder: neither XDG_STATE_HOME nor HOME is an absolute path")]
    NoStateHome,
    #[error("another run holds this phase")]
    Busy(#[source] LockError),
    #[error("the lock of this phase cannot be taken")]
    Lock(#[source] LockError),
    #[error("there is no earlier run of this phase to resume")]
    NothingToResume,
    #[error("there is no run folder `{path}`")]
    NotThere { path: Utf8PathBuf },
    #[error("`{path}` cannot be the run folder: {why}")]
    Unsafe { path: Utf8PathBuf, why: &'static str },
    #[error("the run folder cannot be made")]
    Write(#[from] WriteError),
}

/// Takes the lock of a phase and opens the folder of a run.
pub fn open(
    env: &Env,
    root: &Utf8Path,
    phase_directory: &str,
    choice: Choice<'_>,
) -> Result<RunDir, RunDirError> {
    let home = phase_home(env, root, phase_directory).ok_or(RunDirError::NoStateHome)?;
    fs::create_private_dir_all(&home)?;
    let owner = Owner::this_process("gsd review");
    let lock = gsd_io::lock::try_lock(&home.join("lock"), &owner).map_err(|error| match error {
        LockError::Held { .. } => RunDirError::Busy(error),
        other => RunDirError::Lock(other),
    })?;
    let mut older: Vec<Utf8PathBuf> = fs::list(&home, 10_000)
        .unwrap_or_default()
        .into_iter()
        .filter(|entry| entry.kind == Kind::Directory)
        .map(|entry| home.join(entry.name))
        .collect();
    // A copy of the project goes with its lane; one that is here was left by a run that was killed.
    for folder in &older {
        for entry in fs::list(folder, 10_000).unwrap_or_default() {
            if entry.kind == Kind::Directory && entry.name.ends_with(".copy") {
                let _ = fs::remove_dir_all(&folder.join(entry.name));
            }
        }
    }
    let id = new_id();
    let path = match choice {
        Choice::New => home.join(&id),
        Choice::Newest => older.pop().ok_or(RunDirError::NothingToResume)?,
        Choice::Given(path) => path.to_owned(),
    };
    open_folder(&path)?;
    fs::write_private(&path.join(MARK), b"")?;
    Ok(RunDir { path, id, older, _lock: lock })
}

/// The file that marks the folder of a run: nothing else is written into.
const MARK: &str = ".gsd-run";

fn may_be_used(path: &Utf8Path) -> bool {
    let empty = fs::list(path, 1).is_ok_and(|entries| entries.is_empty());
    empty || fs::kind(&path.join(MARK)).is_some()
}

/// Makes a folder for a run, or takes one that is empty or that a run made.
pub(super) fn open_folder(path: &Utf8Path) -> Result<(), RunDirError> {
    if fs::kind(path).is_none() {
        return Ok(fs::create_private_dir_all(path)?);
    }
    check_folder(path)?;
    if !may_be_used(path) {
        let why = "it is not empty, and no run of gsd made it";
        return Err(RunDirError::Unsafe { path: path.to_owned(), why });
    }
    Ok(())
}

/// A folder that somebody else may change is no place for prompts and results.
pub(super) fn check_folder(path: &Utf8Path) -> Result<(), RunDirError> {
    let refuse = |why| Err(RunDirError::Unsafe { path: path.to_owned(), why });
    match fs::kind(path) {
        None => Err(RunDirError::NotThere { path: path.to_owned() }),
        Some(Kind::Directory) => match fs::privacy(path) {
            Some(privacy) if !privacy.owned_by_us => refuse("it belongs to another user"),
            Some(privacy) if privacy.others_may_write => refuse("everybody may write to it"),
            Some(_) => Ok(()),
            None => refuse("it cannot be looked at"),
        },
        Some(Kind::Link) => refuse("it is a symbolic link"),
        Some(Kind::File { .. } | Kind::Special) => refuse("it is not a directory"),
    }
}

impl RunDir {
    /// Removes the older runs that a run which succeeded makes needless, and marks this one if it
    /// is to stay.
    pub fn succeeded(&self, keep: Keep) {
        for path in &self.older {
            if fs::kind(&path.join(KEEP)).is_none() {
                // A folder that cannot be removed costs space, nothing else.
                let _ = fs::remove_dir_all(path);
            }
        }
        match keep {
            Keep::UntilTheNext => {}
            Keep::ForGood => {
                let _ = fs::write_private(&self.path.join(KEEP), b"");
            }
        }
    }
}

/// How long the folder of a run stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Until a later run of the phase succeeds.
    UntilTheNext,
    /// Until somebody removes it.
    ForGood,
}

/// The file that marks a folder that stays.
const KEEP: &str = "keep";

/// `$XDG_STATE_HOME/gsd/runs/<project>/<phase>`.
fn phase_home(env: &Env, root: &Utf8Path, phase_directory: &str) -> Option<Utf8PathBuf> {
    let root = fs::canonical(root).unwrap_or_else(|| root.to_owned());
    let project = short_digest(root.as_str());
    // The last part of the directory for people, the digest to tell equal names apart.
    let name: String = phase_directory
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' })
        .take(60)
        .collect();
    let phase = format!("{name}-{}", &short_digest(phase_directory)[..8]);
    Some(env.state_home()?.join("gsd/runs").join(project).join(phase))
}

fn short_digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Sorts by time: `20261130T210412Z-1a2b3c`.
pub(super) fn new_id() -> String {
    let stamp: String =
        gsd_io::clock::timestamp().chars().filter(|c| *c != '-' && *c != ':').collect();
    format!("{stamp}-{}", gsd_io::random::hex(6))
}
