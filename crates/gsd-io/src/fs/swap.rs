//! The steps that a change of several files is made of: each one is durable when it returns, and
//! what a crash leaves half done can be told by its name.

use super::{Entry, Kind, ReadError, WriteError, faults, list};
use camino::{Utf8Path, Utf8PathBuf};
use rustix::io::Errno;
use std::fs::File;
use std::io;

/// How the name of a file goes on that is written to take the place of another.
const MARK: &str = ".gsd-tmp-";
/// No file name is longer than 255 bytes, and the mark must find room.
const MAX_NAME: usize = 200;

/// What the name of a half-written file for `path` begins with.
pub(super) fn left_over_prefix(path: &Utf8Path) -> String {
    let name = path.file_name().unwrap_or_default();
    let end = (0..=name.len().min(MAX_NAME)).rev().find(|end| name.is_char_boundary(*end));
    format!(".{}{MARK}", &name[..end.unwrap_or(0)])
}

/// Files beside `path` that were to take its place when their writer was killed. To be asked only
/// while nobody can be writing it.
pub fn left_overs(path: &Utf8Path) -> Vec<Utf8PathBuf> {
    const MOST: usize = 100_000;
    let Some(folder) = path.parent() else { return vec![] };
    let prefix = left_over_prefix(path);
    let is_file = |entry: &Entry| matches!(entry.kind, Kind::File { .. });
    list(folder, MOST)
        .unwrap_or_default()
        .into_iter()
        .filter(|entry| is_file(entry) && entry.name.starts_with(&prefix))
        .map(|entry| folder.join(entry.name))
        .collect()
}

/// Brings the names of a folder to the disk. Some file systems cannot; that is no fault of ours.
pub(super) fn sync_folder(folder: &Utf8Path) -> io::Result<()> {
    faults::step()?;
    match File::open(folder)?.sync_all() {
        Err(error)
            if [Errno::ISDIR, Errno::PERM, Errno::INVAL, Errno::BADF]
                .iter()
                .any(|known| error.raw_os_error() == Some(known.raw_os_error())) =>
        {
            Ok(())
        }
        other => other,
    }
}

fn parent(path: &Utf8Path) -> &Utf8Path {
    path.parent().filter(|p| !p.as_str().is_empty()).unwrap_or(Utf8Path::new("."))
}

/// Gives a file or folder another name where nothing has it yet, and makes the change last.
pub fn rename_durably(from: &Utf8Path, to: &Utf8Path) -> Result<(), WriteError> {
    let rename = || {
        faults::step()?;
        std::fs::rename(from, to)?;
        sync_folder(parent(to))?;
        if parent(from) != parent(to) {
            sync_folder(parent(from))?;
        }
        Ok(())
    };
    rename().map_err(WriteError::at(to))
}

/// Removes a file and makes the change last; one that is already gone is no error.
pub fn remove_file_durably(path: &Utf8Path) -> Result<(), WriteError> {
    let remove = || {
        faults::step()?;
        match std::fs::remove_file(path) {
            Ok(()) => sync_folder(parent(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    };
    remove().map_err(WriteError::at(path))
}

/// Makes one folder whose parent is there. Nobody else may write to it, whatever the umask.
pub fn make_folder(path: &Utf8Path) -> Result<(), WriteError> {
    use std::os::unix::fs::DirBuilderExt;
    let make = || {
        faults::step()?;
        match std::fs::DirBuilder::new().mode(0o755).create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
            other => other,
        }
    };
    make().map_err(WriteError::at(path))
}

/// Removes a folder if nothing is in it; says whether it is gone.
pub fn remove_empty_folder(path: &Utf8Path) -> Result<bool, WriteError> {
    let remove = || {
        faults::step()?;
        match std::fs::remove_dir(path) {
            Ok(()) => Ok(true),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound => Ok(true),
                io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotADirectory => Ok(false),
                _ => Err(error),
            },
        }
    };
    remove().map_err(WriteError::at(path))
}

/// Gives a file a second name beside its first, under which it stays as it is when the first is
/// given to another. Where a file system knows no second names, it is copied.
pub fn link_beside(path: &Utf8Path, name: &str) -> Result<Utf8PathBuf, WriteError> {
    let to = path.with_file_name(name);
    let link = || {
        faults::step()?;
        match std::fs::hard_link(path, &to) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                std::fs::copy(path, &to)?;
                File::open(&to)?.sync_all()?;
            }
            other => other?,
        }
        sync_folder(parent(&to))
    };
    link().map_err(WriteError::at(&to))?;
    Ok(to)
}

/// Why a tree could not be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error("`{path}` is a link or no plain file")]
    NotPlain { path: Utf8PathBuf },
    #[error("there are more than {max} files and folders in `{path}`")]
    TooMany { path: Utf8PathBuf, max: usize },
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Copies a folder of plain files and folders to where nothing stands yet, at most `max` of them,
/// and brings all of it to the disk. The copies belong to this user; what may be run stays so.
pub fn copy_tree(from: &Utf8Path, to: &Utf8Path, max: usize) -> Result<(), CopyError> {
    make_folder(to)?;
    let mut folders = vec![Utf8PathBuf::new()];
    let mut left = max;
    let mut made = vec![to.to_owned()];
    while let Some(below) = folders.pop() {
        let entries = list(&from.join(&below), left.saturating_add(1))?;
        left = left
            .checked_sub(entries.len())
            .ok_or_else(|| CopyError::TooMany { path: from.to_owned(), max })?;
        for entry in entries {
            let path = below.join(&entry.name);
            let target = to.join(&path);
            match entry.kind {
                Kind::Directory => {
                    make_folder(&target)?;
                    made.push(target);
                    folders.push(path);
                }
                Kind::File { .. } => copy_plain(&from.join(&path), &target)?,
                Kind::Link | Kind::Special => return Err(CopyError::NotPlain { path }),
            }
        }
    }
    for folder in made.iter().rev() {
        sync_folder(folder).map_err(WriteError::at(folder))?;
    }
    sync_folder(parent(to)).map_err(WriteError::at(to))?;
    Ok(())
}

fn copy_plain(from: &Utf8Path, to: &Utf8Path) -> Result<(), CopyError> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let mut source = super::open_regular(from, super::Links::Refuse)?;
    let mut copy = || {
        faults::step()?;
        let runs = source.metadata()?.permissions().mode() & 0o100 != 0;
        let mode = if runs { 0o755 } else { 0o644 };
        let mut target =
            std::fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(to)?;
        io::copy(&mut source, &mut target)?;
        faults::step()?;
        target.sync_all()
    };
    copy().map_err(WriteError::at(to))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::kind;
    use super::*;

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        (folder, path)
    }

    #[test]
    fn what_a_killed_writer_leaves_is_known_by_its_name() {
        let (_guard, root) = folder();
        let path = root.join("settings.json");
        super::super::write_atomic(&path, b"{}").unwrap();
        assert_eq!(left_overs(&path), Vec::<Utf8PathBuf>::new());
        let half = root.join(".settings.json.gsd-tmp-aB3dE9");
        std::fs::write(&half, "{").unwrap();
        std::fs::write(root.join(".settings.json.bak"), "{").unwrap();
        assert_eq!(left_overs(&path), [half]);
    }

    #[test]
    fn a_second_name_keeps_the_content_when_the_first_is_replaced() {
        let (_guard, root) = folder();
        let path = root.join("a");
        super::super::write_atomic(&path, b"old").unwrap();
        let kept = link_beside(&path, ".a.kept").unwrap();
        super::super::write_atomic(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&kept).unwrap(), b"old");
        assert!(link_beside(&path, ".a.kept").is_err(), "nothing is replaced");
    }

    #[test]
    fn a_tree_is_copied_whole_or_refused() {
        let (_guard, root) = folder();
        let from = root.join("from");
        std::fs::create_dir_all(from.join("a/empty")).unwrap();
        std::fs::write(from.join("a/x"), "x").unwrap();
        super::super::make_executable(&from.join("a/x")).unwrap();
        copy_tree(&from, &root.join("to"), 3).unwrap();
        assert_eq!(std::fs::read(root.join("to/a/x")).unwrap(), b"x");
        assert!(kind(&root.join("to/a/empty")) == Some(Kind::Directory));
        let too_many = copy_tree(&from, &root.join("to2"), 2);
        assert!(matches!(too_many, Err(CopyError::TooMany { .. })));
        std::os::unix::fs::symlink("x", from.join("a/link")).unwrap();
        let refused = copy_tree(&from, &root.join("to3"), 9);
        assert!(matches!(refused, Err(CopyError::NotPlain { .. })));
    }
}
