//! A child that may write only to a few places, and read everything, or everything but one folder.
//!
//! Invariants:
//! - The sandbox holds from the child's first instruction on, and for all that descends from it.
//! - This process is never restricted: a thread of its own takes the restriction on and starts
//!   the child, which inherits it. No code runs between fork and exec.
//! - A sandbox that cannot be had is an error, never no sandbox.
//!
//! The network is free. So are mode, owner, times and attributes of files that
//! belong to the user: Landlock cannot forbid changing these.

#[cfg_attr(not(target_os = "linux"), path = "landlock_portable.rs")]
mod landlock;

use crate::fs;
use camino::{Utf8Path, Utf8PathBuf};
use std::io;

/// Where a child may write.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Sandbox {
    /// Wherever this process may.
    #[default]
    None,
    /// Wherever this process may; but its signals and its tracing reach nothing outside, where the
    /// kernel can prevent it: nobody stops or ends who watches it.
    Inward,
    /// At and below these absolute paths only; links are followed, missing ones are left out.
    /// Devices are never made, and signals do not reach processes outside of the sandbox where
    /// the kernel can prevent it.
    WriteOnly { places: Vec<Utf8PathBuf> },
    /// Writes as there, and opens files to read at and below `readable` and the places only. Names
    /// in folders are free.
    Apart { places: Vec<Utf8PathBuf>, readable: Vec<Utf8PathBuf> },
}

/// More entries than these in the folders around a hidden one are not looked at.
const MAX_AROUND: usize = 4096;

/// All that there is beside one folder, for [`Sandbox::Apart`]: a kernel that only knows what is
/// allowed must be told of everything else. What is made later directly in a folder that holds it
/// is not among it. `None` where it is too much, or a folder around it cannot be listed.
pub fn all_but(hidden: &Utf8Path) -> Option<Vec<Utf8PathBuf>> {
    let hidden = fs::canonical(hidden)?;
    let mut around = vec![];
    let mut inner = hidden.as_path();
    let mut looked_at = 0;
    while let Some(outer) = inner.parent() {
        for entry in std::fs::read_dir(outer).ok()? {
            looked_at += 1;
            if looked_at > MAX_AROUND {
                return None;
            }
            around.extend(beside(inner, outer, &entry.ok()?));
        }
        inner = outer;
    }
    Some(around)
}

/// An entry of the folder that holds `inner`, if it is another one that can be named. What kind it
/// is its folder says: a look at each would be most of what a start costs.
fn beside(inner: &Utf8Path, outer: &Utf8Path, entry: &std::fs::DirEntry) -> Option<Utf8PathBuf> {
    // A link could lead right back; what it leads to elsewhere is there by itself.
    if entry.file_type().ok()?.is_symlink() {
        return None;
    }
    let path = outer.join(entry.file_name().to_str()?);
    (path != inner).then_some(path)
}

/// What the Landlock of this kernel can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Landlock {
    /// The version of its interface, from 1; at most the newest one that we know.
    pub abi: u8,
}

impl Landlock {
    /// Before version 3 a file could be cut to any length where it may not be written to.
    pub fn stops_truncation(self) -> bool {
        self.abi >= 3
    }
}

/// What this kernel offers; `None` where there is no Landlock, or it is turned off.
pub fn landlock() -> Option<Landlock> {
    landlock::offered()
}

/// Files and folders below `/dev` that programs write to and that hold nothing of anybody.
pub const DEVICES: [&str; 9] = [
    "/dev/full",
    "/dev/null",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/random",
    "/dev/shm",
    "/dev/tty",
    "/dev/urandom",
    "/dev/zero",
];

/// Why a child was not confined, and therefore not started.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("this system has no Landlock, so it cannot be kept from writing into the project")]
    Unavailable,
    #[error("the kernel took no restriction: {0}")]
    Refused(String),
    #[error("no thread for its start")]
    Thread(#[from] io::Error),
}

/// Calls `start` so that whatever it starts is in the sandbox.
pub(crate) fn within<T: Send>(
    sandbox: &Sandbox,
    start: impl FnOnce() -> T + Send,
) -> Result<T, SandboxError> {
    let rules = match sandbox {
        Sandbox::None => return Ok(start()),
        Sandbox::Inward => None,
        Sandbox::WriteOnly { places } => Some((places, None)),
        Sandbox::Apart { places, readable } => Some((places, Some(readable.as_slice()))),
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("sandbox".to_owned());
        let restricted = move || {
            match rules {
                Some((places, readable)) => landlock::restrict(places, readable)?,
                None => landlock::turn_inward()?,
            }
            Ok(start())
        };
        match thread.spawn_scoped(scope, restricted)?.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
