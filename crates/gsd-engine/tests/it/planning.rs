//! Planning directories, read from disk.

mod addressing;
mod example;
mod hostile;

use camino::{Utf8Path, Utf8PathBuf};

/// A project in a folder of its own.
struct Project {
    _folder: tempfile::TempDir,
    root: Utf8PathBuf,
}

impl Project {
    /// With an empty `.planning/`.
    fn new() -> Self {
        let project = Self::empty();
        project.folder(".planning");
        project
    }

    fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        Self { _folder: folder, root }
    }

    fn root(&self) -> &Utf8Path {
        &self.root
    }

    fn folder(&self, path: &str) -> Utf8PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    fn place(&self, path: &str) -> Utf8PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    fn file(&self, path: &str, text: &str) {
        self.bytes(path, text.as_bytes());
    }

    fn bytes(&self, path: &str, bytes: &[u8]) {
        std::fs::write(self.place(path), bytes).unwrap();
    }

    fn sparse(&self, path: &str, bytes: u64) {
        std::fs::File::create(self.place(path)).unwrap().set_len(bytes).unwrap();
    }

    fn link(&self, path: &str, target: &str) {
        std::os::unix::fs::symlink(target, self.place(path)).unwrap();
    }

    fn fifo(&self, path: &str) {
        let made = std::process::Command::new("mkfifo").arg(self.place(path)).status().unwrap();
        assert!(made.success());
    }
}
