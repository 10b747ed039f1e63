//! Looking through a whole folder, bounded and without following links.

use super::stamp::{self, Stamp};
use super::{Kind, ReadError};
use camino::{Utf8Path, Utf8PathBuf};
use std::path::PathBuf;

/// One thing below the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Relative to the folder. Where the name is not UTF-8, a readable stand-in.
    pub path: Utf8PathBuf,
    /// Whether `path` is the real name, by which the thing can be opened.
    pub is_named: bool,
    pub stamp: Stamp,
}

/// What stands below a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walked {
    /// A folder comes before what it holds; otherwise in no order.
    pub found: Vec<Found>,
    /// Whether the bound was not reached and every folder could be listed.
    pub is_whole: bool,
}

/// Everything below `root`, at most `max` things. What `skip` says yes to, by its path relative to
/// the root, is left out together with all that it holds.
pub fn walk(
    root: &Utf8Path,
    max: usize,
    skip: &dyn Fn(&Utf8Path) -> bool,
) -> Result<Walked, ReadError> {
    let io = |source| ReadError::Io { path: root.to_owned(), source };
    let mut walked = Walked { found: vec![], is_whole: true };
    let mut folders = vec![(PathBuf::from(root), Utf8PathBuf::new())];
    let mut first = Some(std::fs::read_dir(root).map_err(io)?);
    while let Some((folder, relative)) = folders.pop() {
        let listed = match first.take() {
            Some(listed) => Ok(listed),
            None => std::fs::read_dir(&folder),
        };
        let Ok(listed) = listed else {
            walked.is_whole = false;
            continue;
        };
        for entry in listed {
            let Ok(entry) = entry else {
                walked.is_whole = false;
                break;
            };
            let name = entry.file_name();
            let is_named = name.to_str().is_some();
            let path = relative.join(name.to_string_lossy().as_ref());
            if skip(&path) {
                continue;
            }
            // What has just gone away is not there.
            let Some(stamp) = stamp::of(&entry.path()) else { continue };
            if walked.found.len() == max {
                walked.is_whole = false;
                return Ok(walked);
            }
            if stamp.kind == Kind::Directory {
                folders.push((entry.path(), path.clone()));
            }
            walked.found.push(Found { path, is_named, stamp });
        }
    }
    Ok(walked)
}
