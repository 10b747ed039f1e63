//! A folder for one piece of work, gone when the work is.
//!
//! Who is killed cannot remove it. So its maker holds a lock in it as long as it lives, and whoever
//! makes the next one removes those whose lock nobody holds any more.

use super::{Kind, WriteError, kind, modified, privacy, remove_dir_all};
use crate::lock::{Lock, Owner, try_lock};
use camino::{Utf8Path, Utf8PathBuf};
use std::io;
use std::time::Duration;
use tempfile::TempDir;

const PREFIX: &str = "gsd-scratch-";
const LOCK: &str = ".owner";
/// The maker of a younger one may not have come to its lock yet.
const UNLOCKED_AGE: Duration = Duration::from_secs(600);
/// A new folder is taken for one that was left only in the moment before its maker has its lock.
const MOST_TRIES: usize = 20;
/// No more entries are looked at for what others left.
const MOST: usize = 100_000;

/// A folder of this user only (mode 0700). It is removed when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    // Given back before the folder goes.
    _lock: Lock,
    _folder: TempDir,
    path: Utf8PathBuf,
}

impl Scratch {
    /// A new empty folder inside of `within`. What makers that were killed left there is removed.
    pub fn new(within: &Utf8Path) -> Result<Self, WriteError> {
        sweep(within);
        let make = || -> io::Result<Self> {
            let mut tries = 0;
            loop {
                let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(within)?;
                let root = Utf8Path::from_path(folder.path())
                    .ok_or_else(|| io::Error::other("its path is not UTF-8"))?;
                tries += 1;
                let lock = match try_lock(&root.join(LOCK), &Owner::this_process("scratch")) {
                    Ok(lock) => lock,
                    // Somebody who sweeps was faster and takes it away.
                    Err(_) if tries < MOST_TRIES => continue,
                    Err(error) => return Err(io::Error::other(error)),
                };
                let path = root.join("work");
                std::fs::create_dir(&path)?;
                return Ok(Self { _lock: lock, _folder: folder, path });
            }
        };
        make().map_err(WriteError::at(within))
    }

    pub fn path(&self) -> &Utf8Path {
        &self.path
    }
}

/// Removes the folders whose makers are gone. What cannot be removed stays for the next one.
fn sweep(within: &Utf8Path) {
    let Ok(entries) = std::fs::read_dir(within) else { return };
    for entry in entries.take(MOST).flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = within.join(&name);
        // Of nobody else's, and nothing behind a link.
        if !name.starts_with(PREFIX) || !privacy(&path).is_some_and(|it| it.owned_by_us) {
            continue;
        }
        let lock = path.join(LOCK);
        let is_dead = match kind(&lock) {
            Some(Kind::File { .. }) => try_lock(&lock, &Owner::this_process("sweep")).is_ok(),
            Some(_) => false,
            None => {
                let now = crate::clock::since_epoch();
                modified(&path).is_some_and(|then| now.saturating_sub(then) > UNLOCKED_AGE)
            }
        };
        if is_dead {
            let _ = remove_dir_all(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_maker_left_goes_and_what_is_in_use_stays() {
        let guard = tempfile::tempdir().unwrap();
        let within = Utf8Path::from_path(guard.path()).unwrap();
        let used = Scratch::new(within).unwrap();
        std::fs::write(used.path().join("a"), "x").unwrap();
        let dead = within.join("gsd-scratch-dead");
        std::fs::create_dir_all(dead.join("work/deep")).unwrap();
        std::fs::write(dead.join(LOCK), "1\n2\n3\n").unwrap();
        // Its maker may be about to take its lock; and what only has such a name is nobody's.
        std::fs::create_dir(within.join("gsd-scratch-young")).unwrap();
        std::os::unix::fs::symlink(&dead, within.join("gsd-scratch-link")).unwrap();
        std::fs::write(within.join("gsd-scratch-file"), "x").unwrap();
        std::fs::create_dir(within.join("gsd-other")).unwrap();
        let next = Scratch::new(within).unwrap();
        assert!(!dead.exists());
        assert!(used.path().join("a").exists() && next.path().exists());
        drop((used, next));
        let mut left: Vec<_> =
            std::fs::read_dir(within).unwrap().map(|it| it.unwrap().file_name()).collect();
        left.sort();
        let stays = ["gsd-other", "gsd-scratch-file", "gsd-scratch-link", "gsd-scratch-young"];
        assert_eq!(left, stays);
    }
}
