//! Takes a folder of somebody else: step by step from open folders, so that nothing in it can be
//! exchanged for a link between looking and reading.

use super::{TreeError, TreeWriter, shown};
use camino::Utf8Path;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use std::fs::File;
use std::os::fd::OwnedFd;

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK);
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

/// Copies all that is in `from` but what `skip` says yes to, by its path. Links are refused, also
/// where `from` itself is one.
pub fn copy_tree(
    from: &Utf8Path,
    to: &mut TreeWriter<'_>,
    skip: &dyn Fn(&str) -> bool,
) -> Result<(), TreeError> {
    let unreadable = |errno: rustix::io::Errno| match errno {
        rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR => {
            TreeError::NotPlain { path: shown(from.as_str()), what: "a symlink or no folder" }
        }
        errno => TreeError::Read { path: shown(from.as_str()), source: errno.into() },
    };
    let root = rustix::fs::open(from.as_std_path(), FOLDER, Mode::empty()).map_err(unreadable)?;
    copy_folder(&root, "", to, skip)
}

/// As deep as names may be, so one open folder for each of some thirty levels at most.
fn copy_folder(
    folder: &OwnedFd,
    below: &str,
    to: &mut TreeWriter<'_>,
    skip: &dyn Fn(&str) -> bool,
) -> Result<(), TreeError> {
    for name in names(folder, below, to)? {
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        if skip(&path) {
            continue;
        }
        let failed =
            |errno: rustix::io::Errno| TreeError::Read { path: shown(&path), source: errno.into() };
        let stat = rustix::fs::statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?;
        match plain(FileType::from_raw_mode(stat.st_mode), &path)? {
            Plain::Folder => {
                to.folder(&path)?;
                let opened = rustix::fs::openat(folder, &name, FOLDER, Mode::empty());
                copy_folder(&opened.map_err(failed)?, &path, to, skip)?;
            }
            Plain::File => {
                let opened = rustix::fs::openat(folder, &name, FILE, Mode::empty());
                let opened = opened.map_err(failed)?;
                // It may have become something else since it was looked at.
                let stat = rustix::fs::fstat(&opened).map_err(failed)?;
                if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                    return Err(TreeError::NotPlain { path: shown(&path), what: "exchanged" });
                }
                to.file(&path, &mut File::from(opened))?;
            }
        }
    }
    Ok(())
}

enum Plain {
    File,
    Folder,
}

fn plain(kind: FileType, path: &str) -> Result<Plain, TreeError> {
    let what = match kind {
        FileType::RegularFile => return Ok(Plain::File),
        FileType::Directory => return Ok(Plain::Folder),
        FileType::Symlink => "a symlink",
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "of an unknown kind",
    };
    Err(TreeError::NotPlain { path: shown(path), what })
}

/// The names in an open folder, sorted; no more of them than can be taken.
fn names(folder: &OwnedFd, below: &str, to: &TreeWriter<'_>) -> Result<Vec<String>, TreeError> {
    let failed =
        |errno: rustix::io::Errno| TreeError::Read { path: shown(below), source: errno.into() };
    let mut names = vec![];
    for entry in Dir::read_from(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b"..") {
            continue;
        }
        let Ok(name) = std::str::from_utf8(name) else {
            let path = shown(&format!("{below}/{}", String::from_utf8_lossy(name)));
            return Err(TreeError::Name { path, why: "it is not UTF-8" });
        };
        names.push(name.to_owned());
        if names.len() > to.limits.entries + 1 {
            return Err(TreeError::TooMany { max: to.limits.entries });
        }
    }
    names.sort();
    Ok(names)
}
