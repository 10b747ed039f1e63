//! The hash over every name and byte of a bundle. Consent is bound to it.
//!
//! SHA-512 over the number of entries, then over each file and folder in the order of their paths'
//! bytes: a tag, the length of the path, the path, and for files the length and the content. Times,
//! owners and modes do not count.

use crate::manifest::pack::base64;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Kind, Links};
use sha2::{Digest, Sha512};

/// Larger bundles have no hash, so they can neither be installed nor consented to.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
const MAX_ENTRIES: usize = 20_000;

/// A bundle that cannot be hashed. It counts as not consented to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    #[error("`{path}` is a link or no plain file")]
    NotPlain { path: String },
    #[error("the bundle exceeds {MAX_BYTES} bytes")]
    TooLarge,
    #[error("the bundle exceeds {MAX_ENTRIES} files and folders")]
    TooManyEntries,
    #[error("`{path}` cannot be read")]
    Unreadable { path: String },
}

/// The hash of the bundle in a folder, as `sha512-` and base64.
pub fn content_hash(folder: &Utf8Path) -> Result<String, HashError> {
    hash_of(folder, walk(folder, None)?)
}

/// The hash that the bundle would have which is made of a folder that somebody works on.
pub(super) fn source_hash(folder: &Utf8Path) -> Result<String, HashError> {
    // What git keeps is no part of it.
    hash_of(folder, walk(folder, Some(".git"))?)
}

fn hash_of(folder: &Utf8Path, mut entries: Vec<(Utf8PathBuf, bool)>) -> Result<String, HashError> {
    entries.sort_by(|a, b| a.0.as_str().as_bytes().cmp(b.0.as_str().as_bytes()));
    let mut hash = Sha512::new();
    hash.update((entries.len() as u64).to_be_bytes());
    let mut left = MAX_BYTES;
    for (path, is_file) in &entries {
        hash.update([if *is_file { 1u8 } else { 2 }]);
        let name = path.as_str().as_bytes();
        // A path is shorter than 4 GiB on every system.
        hash.update(u32::try_from(name.len()).unwrap_or(u32::MAX).to_be_bytes());
        hash.update(name);
        if *is_file {
            let unreadable = |_| HashError::Unreadable { path: path.to_string() };
            let content =
                fs::read_bounded(&folder.join(path), left, Links::Refuse).map_err(|error| {
                    match error {
                        fs::ReadError::TooLarge { .. } => HashError::TooLarge,
                        other => unreadable(other),
                    }
                })?;
            left -= content.len() as u64;
            hash.update((content.len() as u64).to_be_bytes());
            hash.update(&content);
        }
    }
    Ok(format!("sha512-{}", base64(&hash.finalize())))
}

fn walk(folder: &Utf8Path, but: Option<&str>) -> Result<Vec<(Utf8PathBuf, bool)>, HashError> {
    let mut found = vec![];
    let mut queue = vec![Utf8PathBuf::new()];
    while let Some(below) = queue.pop() {
        let unreadable = |_| HashError::Unreadable { path: below.to_string() };
        let left = MAX_ENTRIES - found.len();
        for entry in fs::list(&folder.join(&below), left + 1).map_err(unreadable)? {
            let path = below.join(&entry.name);
            if but.is_some_and(|but| path == but) {
                continue;
            }
            match entry.kind {
                Kind::File { .. } => found.push((path, true)),
                Kind::Directory => {
                    found.push((path.clone(), false));
                    queue.push(path);
                }
                Kind::Link | Kind::Special => {
                    return Err(HashError::NotPlain { path: path.into() });
                }
            }
            if found.len() > MAX_ENTRIES {
                return Err(HashError::TooManyEntries);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_byte_counts_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = Utf8Path::from_path(folder.path()).expect("UTF-8");
        fs::create_dir_all(&root.join("a")).expect("created");
        fs::write_atomic(&root.join("capability.json"), b"{}").expect("written");
        let plain = content_hash(root).expect("hashes");
        assert_eq!(content_hash(root).expect("hashes"), plain);
        fs::create_dir_all(&root.join("b")).expect("created");
        let folder_added = content_hash(root).expect("hashes");
        assert_ne!(folder_added, plain, "an empty folder counts");
        fs::write_atomic(&root.join("capability.json"), b"[]").expect("written");
        assert_ne!(content_hash(root).expect("hashes"), folder_added);
        std::os::unix::fs::symlink("capability.json", root.join("link")).expect("linked");
        assert_eq!(content_hash(root), Err(HashError::NotPlain { path: "link".into() }));
    }
}
