//! A folder for one piece of work, gone when the work is.
//!
//! Who is killed cannot remove it. So its maker holds a lock in it as long as it lives, and whoever
//! makes the next one removes those whose lock nobody holds any more. A folder gets its name only
//! when its lock is held, so that a free lock always means that the maker is gone.

use super::{Kind, WriteError, kind, modified, privacy, remove_dir_all};
use crate::lock::{Lock, Owner, try_lock};
use camino::{Utf8Path, Utf8PathBuf};
use std::io;
use std::time::Duration;

const PREFIX: &str = "gsd-scratch-";
/// What a folder is called until its maker has its lock.
const MAKING: &str = "gsd-making-";
const LOCK: &str = ".owner";
/// No maker takes so long to come to its lock.
const UNLOCKED_AGE: Duration = Duration::from_secs(600);
/// No more entries are looked at for what others left.
const MOST: usize = 100_000;

/// A folder of this user only (mode 0700). It is removed when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    root: Utf8PathBuf,
    path: Utf8PathBuf,
    _lock: Lock,
}

impl Scratch {
    /// A new empty folder inside of `within`. What makers that were killed left there is removed.
    pub fn new(within: &Utf8Path) -> Result<Self, WriteError> {
        sweep(within);
        let make = || -> io::Result<Self> {
            let folder = tempfile::Builder::new().prefix(MAKING).tempdir_in(within)?;
            let making = Utf8Path::from_path(folder.path())
                .ok_or_else(|| io::Error::other("its path is not UTF-8"))?;
            let owner = Owner::this_process("scratch");
            let lock = try_lock(&making.join(LOCK), &owner).map_err(io::Error::other)?;
            std::fs::create_dir(making.join("work"))?;
            let name = making.file_name().unwrap_or_default().replacen(MAKING, PREFIX, 1);
            let root = within.join(name);
            std::fs::rename(making, &root)?;
            // From now on it goes with the value that is made here.
            let _ = folder.keep();
            Ok(Self { path: root.join("work"), root, _lock: lock })
        };
        make().map_err(WriteError::at(within))
    }

    pub fn path(&self) -> &Utf8Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is removed by whoever makes the next one.
        let _ = remove_dir_all(&self.root);
    }
}

/// Removes the folders whose makers are gone. What cannot be removed stays for the next one.
fn sweep(within: &Utf8Path) {
    let Ok(entries) = std::fs::read_dir(within) else { return };
    for entry in entries.take(MOST).flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = within.join(&name);
        let in_use = name.starts_with(PREFIX);
        // Of nobody else's, and nothing behind a link.
        let ours = in_use || name.starts_with(MAKING);
        if !ours || !privacy(&path).is_some_and(|it| it.owned_by_us) {
            continue;
        }
        let lock = path.join(LOCK);
        let is_dead = match kind(&lock) {
            Some(Kind::File { .. }) if in_use => {
                try_lock(&lock, &Owner::this_process("sweep")).is_ok()
            }
            Some(Kind::File { .. }) | None => {
                let now = crate::clock::since_epoch();
                modified(&path).is_some_and(|then| now.saturating_sub(then) > UNLOCKED_AGE)
            }
            Some(_) => false,
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
    fn nobody_takes_away_what_another_is_just_making() {
        let guard = tempfile::tempdir().unwrap();
        let within = Utf8Path::from_path(guard.path()).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let scratch = Scratch::new(within).unwrap();
                        let file = scratch.path().join("a");
                        std::fs::write(&file, "x").unwrap();
                        assert_eq!(std::fs::read_to_string(&file).unwrap(), "x");
                    }
                });
            }
        });
        assert_eq!(std::fs::read_dir(within).unwrap().count(), 0);
    }

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
        std::fs::create_dir(within.join("gsd-making-young")).unwrap();
        std::fs::write(within.join("gsd-making-young").join(LOCK), "").unwrap();
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
        let stays = [
            "gsd-making-young",
            "gsd-other",
            "gsd-scratch-file",
            "gsd-scratch-link",
            "gsd-scratch-young",
        ];
        assert_eq!(left, stays);
    }
}
