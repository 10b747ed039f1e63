//! Where prompts stand that a program can read only inside the project.
//!
//! Several runs of one project may be at it, so each holds a lock of its own beside the folder that
//! it uses, as long as it lives. A folder that nobody holds was left by a run that was killed, and
//! the next one takes it away.

use crate::lane::{CallPlan, LanePlan};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::fs::{self, Entry, Kind};
use gsd_io::lock::{self, Lock, LockError, Owner};
use gsd_io::{clock, random};
use std::time::Duration;

/// The folder for prompts of one run: `.planning/.run/<id>`.
pub(super) fn project_folder(root: &Utf8Path, run_dir: &Utf8Path) -> Utf8PathBuf {
    let id = run_dir.file_name().unwrap_or("run");
    runs(root).join(id)
}

fn runs(root: &Utf8Path) -> Utf8PathBuf {
    root.join(".planning/.run")
}

/// The folder inside the project for prompts of programs that can read nowhere else. It keeps
/// itself out of version control, and is gone with this value.
pub(super) struct InsideProject(Option<Held>);

struct Held {
    folder: Utf8PathBuf,
    /// `None` where no lock could be made: the folder is used all the same.
    lock: Option<Lock>,
}

impl InsideProject {
    /// Makes the folder if one of the lanes has its prompt there.
    pub(super) fn open<'a>(
        root: &Utf8Path,
        run_dir: &Utf8Path,
        plans: impl IntoIterator<Item = &'a LanePlan>,
    ) -> Self {
        let folder = project_folder(root, run_dir);
        let wanted = plans.into_iter().any(|plan| match &plan.call {
            CallPlan::Spawn(spawn) => spawn.prompt_path.starts_with(&folder),
            CallPlan::OpenaiHttp(_) => false,
        });
        if !wanted {
            return Self(None);
        }
        let runs = runs(root);
        let _turn = turn(&runs);
        let id = folder.file_name().unwrap_or_default();
        let own = runs.join(format!("{id}.{}.lock", random::hex(6)));
        let lock = lock::try_lock(&own, &owner()).ok();
        // A folder that cannot be made fails the lanes that need it, each with its own message.
        let _ = fs::create_private_dir_all(&folder);
        let _ = fs::write_private(&runs.join(".gitignore"), b"*\n");
        Self(Some(Held { folder, lock }))
    }
}

impl Drop for InsideProject {
    fn drop(&mut self) {
        let Some(Held { folder, lock }) = self.0.take() else { return };
        let (Some(runs), Some(id)) = (folder.parent(), folder.file_name()) else { return };
        let turn = turn(runs);
        if let Some(lock) = lock {
            lock.remove();
        }
        // Another call may have its prompt there, too.
        if !is_held(runs, id) {
            let _ = fs::remove_dir_all(&folder);
        }
        remove_if_empty(runs);
        drop(turn);
    }
}

/// Takes away what runs left that were killed. Returns how many there were.
pub fn sweep_project(root: &Utf8Path) -> usize {
    let runs = runs(root);
    // A link would lead to folders of somebody else.
    let inside = fs::canonical(&runs).zip(fs::canonical(root)).is_some_and(|(runs, root)| {
        runs == root.join(".planning/.run") && fs::kind(&runs) == Some(Kind::Directory)
    });
    if !inside || folders(&runs).next().is_none() {
        return 0;
    }
    let Some(turn) = turn(&runs) else { return 0 };
    let mut swept = 0;
    for id in folders(&runs) {
        let folder = runs.join(&id);
        if !is_held(&runs, &id) && holds_prompts_only(&folder) {
            swept += usize::from(fs::remove_dir_all(&folder).is_ok());
        }
    }
    remove_if_empty(&runs);
    drop(turn);
    swept
}

/// No project has more of them at a time.
const MAX_ENTRIES: usize = 1000;

fn entries(folder: &Utf8Path) -> Vec<Entry> {
    fs::list(folder, MAX_ENTRIES).unwrap_or_default()
}

fn folders(runs: &Utf8Path) -> impl Iterator<Item = String> {
    let folders = entries(runs).into_iter().filter(|entry| entry.kind == Kind::Directory);
    folders.map(|entry| entry.name)
}

/// Whether a folder is as a run leaves it. Whatever else came to stand there is not ours to remove.
fn holds_prompts_only(folder: &Utf8Path) -> bool {
    entries(folder).iter().all(|entry| {
        matches!(entry.kind, Kind::File { .. }) && entry.name.contains("gsd-review-prompt-")
    })
}

fn owner() -> Owner {
    Owner::this_process("gsd review")
}

const TURN: &str = "lock";

/// Nobody looks who holds what while somebody else makes or removes something. Without a turn in
/// time it goes on: the worst is a folder that stays.
fn turn(runs: &Utf8Path) -> Option<Lock> {
    const PATIENCE: Duration = Duration::from_secs(2);
    let deadline = clock::after(clock::now(), PATIENCE);
    // Whoever was there before may have taken the folder away, with the lock in it.
    (0..3).find_map(|_| {
        fs::create_private_dir_all(runs).ok()?;
        lock::lock_until(&runs.join(TURN), &owner(), deadline, &Cancel::new()).ok()
    })
}

/// Whether a living run uses the folder of that name. Locks of dead ones go.
fn is_held(runs: &Utf8Path, id: &str) -> bool {
    let of_id = |name: &str| {
        name.strip_prefix(id).is_some_and(|rest| rest.starts_with('.') && rest.ends_with(".lock"))
    };
    let locks = entries(runs).into_iter().filter(|entry| of_id(&entry.name));
    let mut held = false;
    for entry in locks {
        match lock::try_lock(&runs.join(entry.name), &owner()) {
            Ok(lock) => lock.remove(),
            Err(LockError::Held { .. }) => held = true,
            // What is no lock says nothing of anybody alive.
            Err(
                LockError::Cancelled { .. } | LockError::NotAFile { .. } | LockError::Io { .. },
            ) => {}
        }
    }
    held
}

/// Takes the folder of all runs away where nothing of any of them is left. Only in one's turn.
fn remove_if_empty(runs: &Utf8Path) {
    let ours = |entry: &Entry| entry.name == ".gitignore" || entry.name == TURN;
    if entries(runs).iter().all(ours) {
        let _ = fs::remove_dir_all(runs);
    }
}
