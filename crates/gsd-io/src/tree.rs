//! Folders made from something hostile: an archive, a foreign folder, a repository.
//!
//! Only plain files and folders come into one, under names that mean the same on every system, and
//! never more of them than the [`Limits`] say. What does not fit is refused, not left out: whoever
//! uses the folder afterwards may take it for all that there was.
//!
//! Nothing is kept of owners, times and modes. A file is executable if it begins with `#!`.

mod copy;
mod name;
mod names;

pub use copy::copy_tree;
pub use names::Names;

use crate::cancel::Cancel;
use crate::fs::WriteError;
use camino::{Utf8Path, Utf8PathBuf};
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};

/// The most that a folder may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all files together.
    pub bytes: u64,
    /// Files and folders.
    pub entries: usize,
}

/// Why something does not become a folder.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    #[error("`{path}` is {what}; only plain files and folders are taken")]
    NotPlain { path: String, what: &'static str },
    #[error("unsafe member path `{path}`: {why}")]
    Name { path: String, why: &'static str },
    #[error("`{path}` and `{other}` are one name on some systems")]
    Collision { path: String, other: String },
    #[error("`{path}` is there twice")]
    Twice { path: String },
    #[error("it exceeds {max} files and folders")]
    TooMany { max: usize },
    #[error("it exceeds {max} bytes")]
    TooLarge { max: u64 },
    #[error("`{path}` cannot be read")]
    Read { path: String, source: io::Error },
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("it was interrupted")]
    Cancelled,
}

/// A folder in the making.
#[derive(Debug)]
pub struct TreeWriter<'a> {
    root: Utf8PathBuf,
    limits: Limits,
    cancel: &'a Cancel,
    names: Names,
    files: Vec<String>,
    bytes: u64,
}

/// A finished folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The paths of its files, sorted.
    pub files: Vec<String>,
    pub bytes: u64,
}

impl<'a> TreeWriter<'a> {
    /// Makes the folder, in which nothing may stand yet.
    pub fn new(root: &Utf8Path, limits: Limits, cancel: &'a Cancel) -> Result<Self, TreeError> {
        make_folder(root)?;
        Ok(Self {
            root: root.to_owned(),
            limits,
            cancel,
            names: Names::new(limits.entries),
            files: vec![],
            bytes: 0,
        })
    }

    /// Adds a folder.
    pub fn folder(&mut self, path: &str) -> Result<(), TreeError> {
        self.go_on()?;
        let made = self.names.folder(path)?;
        self.make(&made)
    }

    /// Adds a file with all that `from` gives.
    pub fn file(&mut self, path: &str, from: &mut dyn Read) -> Result<(), TreeError> {
        self.go_on()?;
        let made = self.names.file(path)?;
        self.make(&made)?;
        let read = |source| TreeError::Read { path: shown(path), source };
        let mut buffer = vec![0; 64 * 1024];
        let mut got = fill(from, &mut buffer).map_err(read)?;
        let mode = if buffer[..got].starts_with(b"#!") { 0o755 } else { 0o644 };
        let target = self.root.join(path);
        let failed = |source| WriteError { path: target.clone(), source };
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&target)
            .map_err(failed)?;
        while got > 0 {
            if self.cancel.is_cancelled() {
                return Err(TreeError::Cancelled);
            }
            self.bytes = self.bytes.saturating_add(got as u64);
            if self.bytes > self.limits.bytes {
                return Err(TreeError::TooLarge { max: self.limits.bytes });
            }
            file.write_all(&buffer[..got]).map_err(failed)?;
            got = fill(from, &mut buffer).map_err(read)?;
        }
        self.files.push(path.to_owned());
        Ok(())
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    pub fn finish(mut self) -> Written {
        self.files.sort();
        Written { files: self.files, bytes: self.bytes }
    }

    fn go_on(&self) -> Result<(), TreeError> {
        if self.cancel.is_cancelled() { Err(TreeError::Cancelled) } else { Ok(()) }
    }

    fn make(&self, folders: &[&str]) -> Result<(), TreeError> {
        folders.iter().try_for_each(|folder| make_folder(&self.root.join(folder)))
    }
}

fn make_folder(path: &Utf8Path) -> Result<(), TreeError> {
    let made = DirBuilder::new().mode(0o755).create(path);
    Ok(made.map_err(|source| WriteError { path: path.to_owned(), source })?)
}

/// Reads until the buffer is full or nothing more comes.
fn fill(from: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match from.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

/// A hostile path for a message: short, and without characters that act.
pub(crate) fn shown(path: &str) -> String {
    let mut out: String = path.chars().take(200).flat_map(char::escape_debug).collect();
    if path.chars().nth(200).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { bytes: 100, entries: 6 };

    fn writer<'a>(folder: &tempfile::TempDir, cancel: &'a Cancel) -> TreeWriter<'a> {
        let root = Utf8Path::from_path(folder.path()).expect("UTF-8").join("out");
        TreeWriter::new(&root, LIMITS, cancel).expect("made")
    }

    #[test]
    fn what_was_put_in_is_there_and_nothing_else() {
        use std::os::unix::fs::PermissionsExt;
        let (folder, cancel) = (tempfile::tempdir().unwrap(), Cancel::new());
        let mut tree = writer(&folder, &cancel);
        tree.file("a/run.sh", &mut &b"#!/bin/sh\n"[..]).unwrap();
        tree.folder("a").unwrap();
        tree.file("b", &mut io::empty()).unwrap();
        assert_eq!(
            tree.finish(),
            Written { files: vec!["a/run.sh".into(), "b".into()], bytes: 10 }
        );
        let mode = |path: &str| {
            let path = folder.path().join("out").join(path);
            std::fs::metadata(path).unwrap().permissions().mode() & 0o111
        };
        assert!(mode("a/run.sh") != 0 && mode("b") == 0);
        assert!(
            TreeWriter::new(
                Utf8Path::from_path(&folder.path().join("out")).unwrap(),
                LIMITS,
                &cancel
            )
            .is_err()
        );
    }

    #[test]
    fn one_name_is_one_thing() {
        let (folder, cancel) = (tempfile::tempdir().unwrap(), Cancel::new());
        let mut tree = writer(&folder, &cancel);
        tree.file("Dir/é", &mut io::empty()).unwrap();
        for (path, twice) in [
            ("Dir/é", true),
            ("Dir", true),
            ("Dir/é/x", true),
            ("dir/x", false),
            ("Dir/E\u{301}", false),
        ] {
            let error = tree.file(path, &mut io::empty()).expect_err(path);
            assert_eq!(matches!(error, TreeError::Twice { .. }), twice, "{path}: {error}");
            assert_eq!(matches!(error, TreeError::Collision { .. }), !twice, "{path}: {error}");
        }
        tree.folder("new").unwrap();
        assert!(matches!(tree.folder("new"), Err(TreeError::Twice { .. })));
    }

    #[test]
    fn there_is_an_end() {
        let (folder, cancel) = (tempfile::tempdir().unwrap(), Cancel::new());
        let mut tree = writer(&folder, &cancel);
        tree.file("full", &mut io::repeat(b'x').take(100)).unwrap();
        let error = tree.file("more", &mut io::repeat(b'x').take(1)).expect_err("full");
        assert!(matches!(error, TreeError::TooLarge { max: 100 }), "{error}");
        tree.folder("3/4/5/6").expect("six in all");
        assert!(matches!(tree.folder("7"), Err(TreeError::TooMany { max: 6 })));
        cancel.stop();
        assert!(matches!(tree.folder("3"), Err(TreeError::Cancelled)));
    }
}
