//! A lock that leaves no trace: its folders are made for it, and go again if nothing else is in them.

use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::clock;
use gsd_io::fs::{self, Kind, WriteError};
use gsd_io::lock::{self, Lock, LockError, Owner};
use std::io::ErrorKind;
use std::time::Duration;

/// A held lock.
#[derive(Debug)]
pub(super) struct Held {
    lock: Option<Lock>,
    /// Taken away when empty, the innermost first.
    folders: Vec<Utf8PathBuf>,
}

/// Why it could not be taken.
#[derive(Debug)]
pub(super) enum HeldError {
    Lock(LockError),
    Folder(WriteError),
}

impl Held {
    /// Takes the lock at a path. Its folder is made if it is not there; `folders`, the innermost
    /// first, go again with the lock if nothing is in them.
    pub(super) fn take(
        path: &Utf8Path,
        folders: &[&Utf8Path],
        command: &str,
        patience: Duration,
    ) -> Result<Self, HeldError> {
        let deadline = clock::after(clock::now(), patience);
        let owner = Owner::this_process(command);
        loop {
            make(path.parent().unwrap_or(path), deadline).map_err(HeldError::Folder)?;
            let gone = |error: &std::io::Error| error.kind() == ErrorKind::NotFound;
            match lock::lock_until(path, &owner, deadline, &Cancel::new()) {
                Ok(lock) => {
                    let folders = folders.iter().map(|folder| (*folder).to_owned()).collect();
                    return Ok(Self { lock: Some(lock), folders });
                }
                // The one who held it took its folder away.
                Err(LockError::Io { source, .. }) if gone(&source) && clock::now() < deadline => {}
                // Left by something that is no lock of anybody.
                Err(LockError::NotAFile { .. })
                    if matches!(fs::kind(path), Some(Kind::Special | Kind::Link)) =>
                {
                    fs::remove_file(path).map_err(HeldError::Folder)?;
                }
                // An empty folder is nothing that anybody would miss.
                Err(LockError::NotAFile { .. })
                    if fs::remove_empty_folder(path).map_err(HeldError::Folder)? => {}
                Err(error) => return Err(HeldError::Lock(error)),
            }
        }
    }
}

/// Makes a folder. Another process may take the one above it away at the same moment.
fn make(folder: &Utf8Path, deadline: std::time::Instant) -> Result<(), WriteError> {
    loop {
        match fs::create_dir_all(folder) {
            Err(error) if error.source.kind() == ErrorKind::NotFound && clock::now() < deadline => {
            }
            other => return other,
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(lock) = self.lock.take() {
            lock.remove();
        }
        for folder in &self.folders {
            if !fs::remove_empty_folder(folder).unwrap_or(false) {
                break;
            }
        }
    }
}
