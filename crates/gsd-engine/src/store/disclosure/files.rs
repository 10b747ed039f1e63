//! The files of a bundle: their names, sizes and digests.

use camino::Utf8Path;
use gsd_io::fs::{self, Kind, Links, ReadError};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// No bundle that can be installed is larger or has more entries.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
const MAX_ENTRIES: usize = 20_000;

/// A file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleFile {
    pub bytes: u64,
    /// Lower-case hexadecimal.
    pub sha256: String,
}

/// Every file of a bundle, by its path below the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BundleFiles(BTreeMap<String, BundleFile>);

/// A bundle whose files cannot all be told.
#[derive(Debug, thiserror::Error)]
pub enum BundleFilesError {
    #[error("the bundle cannot be listed")]
    Unlisted(#[source] ReadError),
    #[error("the bundle exceeds {MAX_ENTRIES} entries, or holds a folder that cannot be listed")]
    NotWhole,
    #[error("the bundle exceeds {MAX_BYTES} bytes")]
    TooLarge,
    #[error("`{path}` is no plain file with a name in UTF-8")]
    NotPlain { path: String },
    #[error("`{path}` cannot be read")]
    Unreadable {
        path: String,
        #[source]
        source: ReadError,
    },
}

impl BundleFiles {
    /// Reads every file below a folder.
    pub fn read(folder: &Utf8Path) -> Result<Self, BundleFilesError> {
        let walked =
            fs::walk(folder, MAX_ENTRIES, &|_| false).map_err(BundleFilesError::Unlisted)?;
        if !walked.is_whole {
            return Err(BundleFilesError::NotWhole);
        }
        let (mut files, mut left) = (BTreeMap::new(), MAX_BYTES);
        for found in walked.found {
            match found.stamp.kind {
                Kind::Directory if found.is_named => continue,
                Kind::File { .. } if found.is_named => {}
                Kind::File { .. } | Kind::Directory | Kind::Link | Kind::Special => {
                    return Err(BundleFilesError::NotPlain { path: found.path.into() });
                }
            }
            let read = fs::read_bounded(&folder.join(&found.path), left, Links::Refuse);
            let content = read.map_err(|source| match source {
                ReadError::TooLarge { .. } => BundleFilesError::TooLarge,
                source => BundleFilesError::Unreadable { path: found.path.to_string(), source },
            })?;
            left -= content.len() as u64;
            files.insert(found.path.into(), BundleFile::of(&content));
        }
        Ok(Self(files))
    }

    /// The same from contents that are known already.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let file = |(path, content): (&str, &[u8])| (path.to_owned(), BundleFile::of(content));
        Self(files.into_iter().map(file).collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &BundleFile)> {
        self.0.iter().map(|(path, file)| (path.as_str(), file))
    }

    pub fn get(&self, path: &str) -> Option<&BundleFile> {
        self.0.get(clean(path)?.as_str())
    }

    /// Whether a path that a manifest gives names a file of the bundle.
    pub fn holds(&self, path: &str) -> bool {
        self.get(path).is_some()
    }

    /// The size of all files together.
    pub fn bytes(&self) -> u64 {
        self.0.values().map(|file| file.bytes).sum()
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }
}

impl BundleFile {
    fn of(content: &[u8]) -> Self {
        let digest = Sha256::digest(content);
        let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { bytes: content.len() as u64, sha256 }
    }
}

/// `./hooks//a.js` as `hooks/a.js`; nothing for a path that leaves the bundle.
fn clean(path: &str) -> Option<String> {
    let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    let parts: Vec<&str> = parts.collect();
    (!path.starts_with('/') && !parts.contains(&"..")).then(|| parts.join("/"))
}
