//! An advisory lock on a file, held by at most one process at a time.
//!
//! The lock is the kernel's: it ends with its owner, however the owner ends, and the text in the
//! file only says who to wait for. The file is removed by nobody but its holder: whoever waits for
//! it notices, because a lock counts only if its file is still the one that the path names.

use crate::cancel::Cancel;
use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

/// Who holds a lock, for messages only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    pub pid: u32,
    /// When the owner took the lock.
    pub since: String,
    /// What the owner is doing.
    pub command: String,
}

impl Owner {
    /// This process, now.
    pub fn this_process(command: &str) -> Self {
        let command = command.replace(['\n', '\r'], " ");
        Self { pid: std::process::id(), since: crate::clock::timestamp(), command }
    }

    fn to_text(&self) -> String {
        format!("{}\n{}\n{}\n", self.pid, self.since, self.command)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let pid = lines.next()?.parse().ok()?;
        let since = lines.next()?.to_owned();
        Some(Self { pid, since, command: lines.next()?.to_owned() })
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "process {} (`{}`, since {})", self.pid, self.command, self.since)
    }
}

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("`{path}` is locked by {}", .owner.as_ref().map_or("another process".to_owned(), ToString::to_string))]
    Held { path: Utf8PathBuf, owner: Option<Owner> },
    #[error("cancelled while waiting for the lock `{path}`")]
    Cancelled { path: Utf8PathBuf },
    #[error("`{path}` is not a regular file")]
    NotAFile { path: Utf8PathBuf },
    #[error("`{path}` cannot be locked")]
    Io { path: Utf8PathBuf, source: io::Error },
}

/// The lock, held until this is dropped.
#[derive(Debug)]
pub struct Lock {
    path: Utf8PathBuf,
    file: File,
}

impl Lock {
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Gives the lock back and takes its file away.
    pub fn remove(self) {
        // While it is still held, so that nobody else's is taken away.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        // Said aloud, and not left to the closing of the file: a child that is being started
        // right now has a copy of the descriptor until it has become its own program.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// Takes the lock, or says who has it.
pub fn try_lock(path: &Utf8Path, owner: &Owner) -> Result<Lock, LockError> {
    let io = |source: io::Error| LockError::Io { path: path.to_owned(), source };
    loop {
        let file = open(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                return Err(LockError::Held { path: path.to_owned(), owner: read_owner(&file) });
            }
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(io(errno.into())),
        }
        // If somebody has replaced the file meanwhile, this lock protects nothing.
        let held = file.metadata().map_err(io)?;
        let same = std::fs::symlink_metadata(path)
            .is_ok_and(|now| (now.dev(), now.ino()) == (held.dev(), held.ino()));
        if !same {
            continue;
        }
        write_owner(&file, owner).map_err(io)?;
        return Ok(Lock { path: path.to_owned(), file });
    }
}

/// Takes the lock, and waits for it until the deadline or until the flag is raised.
pub fn lock_until(
    path: &Utf8Path,
    owner: &Owner,
    deadline: Instant,
    cancel: &Cancel,
) -> Result<Lock, LockError> {
    // A blocking wait could be neither limited nor cancelled; a few looks a second cost nothing.
    const LONGEST: Duration = Duration::from_millis(100);
    let mut pause = Duration::from_millis(5);
    loop {
        let held = match try_lock(path, owner) {
            Err(held @ LockError::Held { .. }) => held,
            other => return other,
        };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(held);
        }
        if cancel.wait(pause.min(left)) {
            return Err(LockError::Cancelled { path: path.to_owned() });
        }
        pause = (pause * 2).min(LONGEST);
    }
}

fn open(path: &Utf8Path) -> Result<File, LockError> {
    let flags = OFlags::RDWR
        | OFlags::CREATE
        | OFlags::CLOEXEC
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::NOCTTY;
    let not_a_file = || LockError::NotAFile { path: path.to_owned() };
    let file = match rustix::fs::open(path.as_std_path(), flags, Mode::RUSR | Mode::WUSR) {
        Ok(descriptor) => File::from(descriptor),
        Err(Errno::LOOP | Errno::ISDIR | Errno::NXIO) => return Err(not_a_file()),
        Err(errno) => {
            return Err(LockError::Io { path: path.to_owned(), source: errno.into() });
        }
    };
    match file.metadata() {
        Ok(meta) if meta.is_file() => Ok(file),
        Ok(_) => Err(not_a_file()),
        Err(source) => Err(LockError::Io { path: path.to_owned(), source }),
    }
}

fn read_owner(file: &File) -> Option<Owner> {
    const MOST: u64 = 4096;
    let mut text = String::new();
    file.take(MOST).read_to_string(&mut text).ok()?;
    Owner::parse(&text)
}

fn write_owner(mut file: &File, owner: &Owner) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(owner.to_text().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().join("a.lock")).unwrap();
        (folder, path)
    }

    #[test]
    fn one_holder_at_a_time_and_the_second_is_told_who() {
        let (_folder, path) = folder();
        let owner = Owner::this_process("gsd install\nx");
        let lock = try_lock(&path, &owner).unwrap();
        match try_lock(&path, &Owner::this_process("gsd review")) {
            Err(LockError::Held { owner: Some(found), .. }) => {
                assert_eq!(found, owner);
                assert_eq!(found.command, "gsd install x");
            }
            other => panic!("{other:?}"),
        }
        drop(lock);
        assert_eq!(std::fs::read(&path).unwrap(), b"", "the file stays, without an owner");
        try_lock(&path, &owner).unwrap();
    }

    #[test]
    fn waiting_ends_with_the_lock_the_deadline_or_the_flag() {
        let (_folder, path) = folder();
        let owner = Owner::this_process("test");
        let lock = try_lock(&path, &owner).unwrap();
        let cancel = Cancel::new();
        let soon = Instant::now() + Duration::from_millis(20);
        assert!(matches!(lock_until(&path, &owner, soon, &cancel), Err(LockError::Held { .. })));
        let late = Instant::now() + Duration::from_secs(60);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| lock_until(&path, &owner, late, &cancel));
            drop(lock);
            waiting.join().unwrap().unwrap();
        });
        let lock = try_lock(&path, &owner).unwrap();
        cancel.stop();
        assert!(matches!(
            lock_until(&path, &owner, late, &cancel),
            Err(LockError::Cancelled { .. })
        ));
        drop(lock);
    }

    #[test]
    fn a_replaced_file_is_locked_anew_and_a_link_is_refused() {
        let (_folder, path) = folder();
        let owner = Owner::this_process("test");
        let first = try_lock(&path, &owner).unwrap();
        std::fs::remove_file(&path).unwrap();
        let second = try_lock(&path, &owner).unwrap();
        assert_ne!(first.file.metadata().unwrap().ino(), second.file.metadata().unwrap().ino());
        let link = path.with_file_name("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(matches!(try_lock(&link, &owner), Err(LockError::NotAFile { .. })));
        let folder = path.parent().unwrap();
        assert!(matches!(try_lock(folder, &owner), Err(LockError::NotAFile { .. })));
    }
}
