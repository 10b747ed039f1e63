//! Whether a file is still the one that it was, without reading it.

use super::Kind;
use camino::Utf8Path;
use std::path::Path;

/// What the system notes about a file. Every change of content, name or mode changes it, also
/// where the time of change was set back afterwards, because `changed` cannot be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub kind: Kind,
    /// The permission bits.
    pub mode: u32,
    /// Nanoseconds since the epoch.
    changed: i128,
    modified: i128,
    device: u64,
    inode: u64,
}

/// The stamp of what stands at a path, links not followed; `None` if nothing does.
pub fn stamp(path: &Utf8Path) -> Option<Stamp> {
    of(path.as_std_path())
}

pub(super) fn of(path: &Path) -> Option<Stamp> {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::symlink_metadata(path).ok()?;
    let nanos = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
    Some(Stamp {
        kind: Kind::of(&meta),
        mode: meta.mode() & 0o7777,
        changed: nanos(meta.ctime(), meta.ctime_nsec()),
        modified: nanos(meta.mtime(), meta.mtime_nsec()),
        device: meta.dev(),
        inode: meta.ino(),
    })
}
