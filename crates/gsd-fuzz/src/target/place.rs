//! A place for parsers that read files: a project and a home in a folder of their own.

use camino::{Utf8Path, Utf8PathBuf};
use gsd_engine::registry::{Capability, first_party};
use std::sync::OnceLock;

/// What targets share from one input to the next. Nothing in it depends on earlier inputs but the
/// files, and each target writes those that it reads.
#[derive(Debug)]
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// Makes the folders, in memory where the machine has a file system for that.
    pub fn new() -> std::io::Result<Self> {
        let memory = std::path::Path::new("/dev/shm");
        let builder = || {
            let mut builder = tempfile::Builder::new();
            builder.prefix("gsd-fuzz-");
            builder
        };
        let folder = if memory.is_dir() {
            builder().tempdir_in(memory).or_else(|_| builder().tempdir())?
        } else {
            builder().tempdir()?
        };
        let place = Self { folder };
        place.write("project/src/store.js", b"export function open() {}\n");
        place.write("project/package.json", b"{\"scripts\":{\"test\":\"node --test\"}}\n");
        place.write("project/.planning/PROJECT.md", b"# Notes\n\nA service.\n");
        place.write("home/.keep", b"");
        Ok(place)
    }

    pub(super) fn project(&self) -> Utf8PathBuf {
        self.root().join("project")
    }

    pub(super) fn home(&self) -> Utf8PathBuf {
        self.root().join("home")
    }

    fn root(&self) -> &Utf8Path {
        Utf8Path::from_path(self.folder.path()).expect("the folders of a machine have UTF-8 names")
    }

    /// Writes a file; folders are made.
    pub(super) fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.root().join(path);
        if std::fs::write(&path, bytes).is_err() {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(&path, bytes).expect("a file");
        }
    }
}

/// gsd's own capabilities, read once.
pub(super) fn own() -> &'static [Capability] {
    static OWN: OnceLock<Vec<Capability>> = OnceLock::new();
    OWN.get_or_init(first_party)
}
