//! A project to be attacked, and what it looks like.

use super::Effect;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository with one commit, made once, and copies of it.
#[derive(Debug)]
pub struct Ground {
    folder: tempfile::TempDir,
}

impl Default for Ground {
    fn default() -> Self {
        Self::new()
    }
}

impl Ground {
    pub fn new() -> Self {
        let this = Self { folder: tempfile::tempdir().expect("a folder") };
        let model = this.path("model");
        for folder in ["src", "empty", ".planning"] {
            fs::create_dir_all(model.join(folder)).expect("a folder");
        }
        let files =
            [("src/a.rs", "fn main() {}\n"), ("b.txt", "b\n"), (".planning/01-PLAN.md", "1\n")];
        for (path, text) in files {
            fs::write(model.join(path), text).expect("a file");
        }
        for args in [&["init", "-q", "--template="][..], &["add", "."], &["commit", "-qm", "start"]]
        {
            let done = Command::new("git")
                .args(["-c", "user.name=t", "-c", "user.email=t@localhost"])
                .args(args)
                .current_dir(&model)
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .status();
            assert!(done.is_ok_and(|status| status.success()), "git {args:?}");
        }
        fs::write(model.join("untracked.txt"), "u\n").expect("a file");
        this
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("it exists").join(name)
    }

    /// A project as it was in the beginning, and an empty folder beside it.
    pub fn fresh(&self) -> (PathBuf, PathBuf) {
        let (project, scratch) = (self.path("project"), self.path("scratch"));
        for folder in [&project, &scratch] {
            if folder.exists() {
                fs::remove_dir_all(folder).expect("a folder of ours");
            }
        }
        copy(&self.path("model"), &project);
        fs::create_dir(&scratch).expect("a folder");
        (project, scratch)
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).expect("a file");
        }
    }
}

/// Everything that can be seen of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture(BTreeMap<PathBuf, Look>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Look {
    kind: u32,
    content: Vec<u8>,
    mode: u32,
    times: (i64, i64),
    mark: bool,
}

impl Picture {
    pub fn of(project: &Path) -> Self {
        let mut looks = BTreeMap::new();
        add(project, &mut looks);
        Self(looks)
    }

    /// What is different in a later picture; `None` if nothing is.
    pub fn difference(&self, later: &Self) -> Option<Effect> {
        let content = |picture: &Self| -> Vec<_> {
            let looks = picture.0.iter();
            looks.map(|(path, look)| (path.clone(), look.kind, look.content.clone())).collect()
        };
        let modes =
            |picture: &Self| -> Vec<_> { picture.0.values().map(|look| look.mode).collect() };
        if content(self) != content(later) {
            Some(Effect::Content)
        } else if modes(self) != modes(later) {
            Some(Effect::Mode)
        } else {
            (self != later).then_some(Effect::Rest)
        }
    }
}

fn add(path: &Path, looks: &mut BTreeMap<PathBuf, Look>) {
    let Ok(meta) = fs::symlink_metadata(path) else { return };
    let content = if meta.is_file() { fs::read(path).unwrap_or_default() } else { vec![] };
    let mut buffer = [0; 64];
    let look = Look {
        kind: meta.mode() & 0o170_000,
        content,
        mode: meta.permissions().mode() & 0o7777,
        // The times of a folder follow from what it holds.
        times: if meta.is_file() { (meta.mtime(), meta.mtime_nsec()) } else { (0, 0) },
        mark: meta.is_file()
            && rustix::fs::getxattr(path, "user.mark", &mut buffer).is_ok_and(|length| length > 0),
    };
    looks.insert(path.to_owned(), look);
    if meta.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            add(&entry.path(), looks);
        }
    }
}
