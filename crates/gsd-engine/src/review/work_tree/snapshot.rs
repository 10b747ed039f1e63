//! A throw-away copy of the project for one lane.
//!
//! It holds what the work tree holds, uncommitted files included and ignored ones left out, and a
//! repository of its own that only borrows the objects of the original. It is removed when this
//! value is dropped.

use super::{MAX_FILES, Tree, bytes_of};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_io::fs::{self, Kind, Walked, WriteError};

/// A copy has at most so many files and bytes: it is made again for each lane and each run.
const MOST_FILES: usize = 50_000;
const MOST_BYTES: u64 = 1 << 30;

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub(in crate::review) enum SnapshotError {
    #[error("it has more than {MOST_FILES} files or folders")]
    TooMany,
    #[error("its files have {} MiB, and a copy has at most {}", bytes >> 20, MOST_BYTES >> 20)]
    TooLarge { bytes: u64 },
    #[error("not all of its folders can be listed")]
    Unreadable,
    #[error("interrupted")]
    Cancelled,
    #[error("the copy cannot be written")]
    Write(#[from] WriteError),
}

/// Whether the project could be copied, without doing it. `root` is canonical.
pub(in crate::review) fn can_copy(
    env: &Env,
    root: &Utf8Path,
    run_dir: &Utf8Path,
    cancel: &Cancel,
) -> Result<(), SnapshotError> {
    checked(&Tree::open(env, root, run_dir, cancel)).map(|_| ())
}

fn checked(tree: &Tree<'_>) -> Result<Walked, SnapshotError> {
    const { assert!(MOST_FILES < MAX_FILES, "a bound that is never reached is none") };
    let walked = tree.files();
    if walked.found.len() > MOST_FILES {
        return Err(SnapshotError::TooMany);
    }
    let bytes: u64 = walked.found.iter().map(bytes_of).sum();
    if bytes > MOST_BYTES {
        return Err(SnapshotError::TooLarge { bytes });
    }
    if walked.is_whole { Ok(walked) } else { Err(SnapshotError::Unreadable) }
}

/// The copy.
#[derive(Debug)]
pub(in crate::review) struct Snapshot {
    root: Utf8PathBuf,
    /// What is removed in the end.
    folder: Utf8PathBuf,
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        // What cannot be removed goes with the folder of the run.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Snapshot {
    /// Copies the project to `at`, where whatever stood before is removed. `root` is canonical.
    pub(in crate::review) fn make(
        env: &Env,
        root: &Utf8Path,
        run_dir: &Utf8Path,
        at: &Utf8Path,
        cancel: &Cancel,
    ) -> Result<Self, SnapshotError> {
        let folder = at.parent().unwrap_or(at).to_owned();
        fs::remove_dir_all(&folder)?;
        fs::create_private_dir_all(&folder)?;
        let this = Self { root: at.to_owned(), folder };
        let tree = Tree::open(env, root, run_dir, cancel);
        let walked = checked(&tree)?;
        this.clone_repository(&tree);
        fs::create_private_dir_all(&this.root)?;
        for found in walked.found.iter().filter(|found| found.is_named) {
            if cancel.is_cancelled() {
                return Err(SnapshotError::Cancelled);
            }
            let (from, to) = (root.join(&found.path), this.root.join(&found.path));
            match found.stamp.kind {
                Kind::Directory => fs::create_dir_all(&to)?,
                // What has gone meanwhile is not there to be copied.
                Kind::File { .. } if fs::kind(&from).is_none() => {}
                Kind::File { .. } => fs::copy_file(&from, &to)?,
                Kind::Link => this.copy_link(root, &from, &to)?,
                // A FIFO or a socket has nobody at its other end.
                Kind::Special => {}
            }
        }
        Ok(this)
    }

    pub(in crate::review) fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// A text of a lane that worked here, as if it had worked in the project.
    pub(in crate::review) fn relocate(&self, text: &str, root: &Utf8Path) -> String {
        text.replace(self.root.as_str(), root.as_str())
    }

    /// A link that leads into the project leads into the copy.
    fn copy_link(&self, root: &Utf8Path, from: &Utf8Path, to: &Utf8Path) -> Result<(), WriteError> {
        let Some(target) = fs::link_target(from) else { return Ok(()) };
        match target.strip_prefix(root) {
            Ok(below) => fs::make_link(to, &self.root.join(below)),
            Err(_) => fs::make_link(to, &target),
        }
    }

    /// A repository whose branches and index are those of the project, and whose objects are
    /// borrowed. Without git, or where the project is a part of a larger repository, there is none.
    fn clone_repository(&self, tree: &Tree<'_>) {
        let Some(repository) = tree.repository.as_ref().filter(|found| found.top == tree.root())
        else {
            return;
        };
        let args = [
            "clone",
            "--quiet",
            "--shared",
            "--no-checkout",
            "--template=",
            // What is pushed from the copy must not reach the project.
            "--config",
            "remote.origin.pushUrl=/dev/null",
            "--",
            tree.root().as_str(),
            self.root.as_str(),
        ];
        if tree.git.text(&args).is_some() {
            // Without the index everything would look deleted and untracked.
            let index = repository.dir.join("index");
            let _ = fs::copy_file(&index, &self.root.join(".git/index"));
        }
    }
}
