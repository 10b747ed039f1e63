//! Copies for a throw-away folder: content and mode, nothing shared with the original.

use super::WriteError;
use camino::{Utf8Path, Utf8PathBuf};
use std::os::unix::fs::PermissionsExt;

/// Copies a regular file to a place where nothing stands yet. Its mode is kept, but its owner may
/// always write to the copy, so that it can be removed again.
pub fn copy_file(from: &Utf8Path, to: &Utf8Path) -> Result<(), WriteError> {
    let copy = || {
        std::fs::copy(from, to)?;
        let mode = std::fs::metadata(to)?.permissions().mode();
        if mode & 0o200 == 0 {
            std::fs::set_permissions(to, std::fs::Permissions::from_mode(mode | 0o200))?;
        }
        Ok(())
    };
    copy().map_err(WriteError::at(to))
}

/// Makes a symbolic link.
pub fn make_link(at: &Utf8Path, target: &Utf8Path) -> Result<(), WriteError> {
    std::os::unix::fs::symlink(target, at).map_err(WriteError::at(at))
}

/// Where a symbolic link leads, as it is written; `None` if it is none or not UTF-8.
pub fn link_target(path: &Utf8Path) -> Option<Utf8PathBuf> {
    path.read_link_utf8().ok()
}
