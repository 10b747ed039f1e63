//! A folder for one piece of work, gone when the work is.

use super::WriteError;
use camino::{Utf8Path, Utf8PathBuf};
use std::io;
use tempfile::TempDir;

/// A folder of this user only (mode 0700). It is removed when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    _folder: TempDir,
    path: Utf8PathBuf,
}

impl Scratch {
    /// A new empty folder inside of `within`.
    pub fn new(within: &Utf8Path) -> Result<Self, WriteError> {
        let make = || -> io::Result<Self> {
            let folder = tempfile::Builder::new().prefix("gsd-").tempdir_in(within)?;
            let path = Utf8Path::from_path(folder.path())
                .ok_or_else(|| io::Error::other("its path is not UTF-8"))?;
            Ok(Self { path: path.to_owned(), _folder: folder })
        };
        make().map_err(WriteError::at(within))
    }

    pub fn path(&self) -> &Utf8Path {
        &self.path
    }
}
