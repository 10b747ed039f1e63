//! Reads files below the root: regular ones, of bounded size, in UTF-8, never through a link that
//! leaves the root.

use super::phase::Why;
use super::plan::Document;
use crate::diag::SourceFile;
use crate::id::RelPath;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Kind, Links, ReadError};
use sha2::{Digest, Sha256};

/// Real plans have up to 110 KB; nothing near this bound is a plan.
pub(super) const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Where a path below the root really is. `root` must be canonical.
pub(super) fn inside(root: &Utf8Path, path: &Utf8Path) -> Result<Utf8PathBuf, Why> {
    let real = fs::canonical(&root.join(path)).ok_or(Why::LinkOut)?;
    if real.starts_with(root) { Ok(real) } else { Err(Why::LinkOut) }
}

/// Reads a document; `None` if nothing stands at the path.
pub(super) fn document(root: &Utf8Path, path: &RelPath) -> Result<Option<Document>, Why> {
    let relative = Utf8Path::new(path.as_str());
    match fs::kind(&root.join(relative)) {
        None => return Ok(None),
        Some(Kind::Directory) => return Err(Why::NotAFile("a directory")),
        Some(Kind::Special) => return Err(Why::NotAFile("a FIFO, a socket or a device")),
        Some(Kind::File { bytes }) if bytes > MAX_BYTES => {
            return Err(Why::TooLarge { bytes, max: MAX_BYTES });
        }
        Some(Kind::File { .. } | Kind::Link) => {}
    }
    let real = inside(root, relative)?;
    let bytes = match fs::read_bounded(&real, MAX_BYTES, Links::Refuse) {
        Ok(bytes) => bytes,
        Err(ReadError::NotFound { .. }) => return Ok(None),
        Err(ReadError::NotAFile { what, .. }) => return Err(Why::NotAFile(what)),
        Err(ReadError::TooLarge { bytes, max, .. }) => return Err(Why::TooLarge { bytes, max }),
        Err(ReadError::NotUtf8 { offset, .. }) => return Err(Why::NotUtf8 { offset }),
        Err(ReadError::Io { source, .. }) => return Err(Why::Unreadable(source.to_string())),
    };
    let sha256 = hexadecimal(&Sha256::digest(&bytes));
    let size = bytes.len() as u64;
    let text = String::from_utf8(bytes)
        .map_err(|error| Why::NotUtf8 { offset: error.utf8_error().valid_up_to() })?;
    let file = SourceFile::new(path.as_str(), text);
    let lines = file.line_count() as u64;
    Ok(Some(Document { path: path.clone(), file, bytes: size, lines, sha256 }))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
