//! Writes the two files of a report and keeps what stood there before.
//!
//! The record goes first and the Markdown after it, both atomically: whatever is interrupted,
//! neither file is ever half written, and the Markdown can be rendered again from the record.

use super::record::{self, Record};
use super::report::{self, Format, merge_existing};
use crate::planning::PhaseDir;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Links, ReadError, WriteError};

/// Where the report of a phase stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportPaths {
    pub markdown: Utf8PathBuf,
    pub record: Utf8PathBuf,
}

/// `<NN>-REVIEWS.md` and `<NN>-REVIEWS.json` in the phase directory.
pub fn report_paths(root: &Utf8Path, directory: &PhaseDir) -> ReportPaths {
    let folder = root.join(directory.path.as_str());
    ReportPaths {
        markdown: folder.join(directory.file_name("REVIEWS.md")),
        record: folder.join(directory.file_name("REVIEWS.json")),
    }
}

/// Why a report was not written. Nothing that stood there was changed.
#[derive(Debug, thiserror::Error)]
pub enum WriteReportError {
    #[error("the existing report cannot be read, so it is not replaced")]
    Existing(#[source] ReadError),
    #[error("the report cannot be written")]
    Write(#[from] WriteError),
}

/// A report that grew larger was not written by people or by gsd.
const MAX_MARKDOWN: u64 = 64 * 1024 * 1024;

/// Earlier runs that a record remembers.
const MAX_HISTORY: usize = 20;

/// Joins the record with what stands there and writes both files. The joined record comes back in
/// any case, so that nothing is lost where writing fails.
pub fn write(
    root: &Utf8Path,
    directory: &PhaseDir,
    record: &Record,
) -> Result<(Box<Record>, Utf8PathBuf), (Box<Record>, WriteReportError)> {
    let paths = report_paths(root, directory);
    let alone = || Box::new(record.clone());
    let old_markdown = match fs::read_bounded(&paths.markdown, MAX_MARKDOWN, Links::Refuse) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(ReadError::NotFound { .. }) => None,
        Err(error) => return Err((alone(), WriteReportError::Existing(error))),
    };
    let old_record = match fs::read_text(&paths.record, record::MAX_BYTES, Links::Refuse) {
        // A file of that name that is no record is not ours; the Markdown keeps its text.
        Ok(text) => Record::parse(&text).ok(),
        Err(ReadError::NotFound { .. } | ReadError::NotUtf8 { .. }) => None,
        Err(error) => return Err((alone(), WriteReportError::Existing(error))),
    };
    let merged = merge_existing(old_markdown.as_deref(), old_record);
    let mut joined =
        Box::new(Record { kept: merged.kept, history: merged.history, ..record.clone() });
    // A report that is made daily must not grow for ever; git has the older ones.
    joined.history.truncate(MAX_HISTORY);
    let files = [
        (&paths.record, report::render(&joined, Format::Json)),
        (&paths.markdown, report::render(&joined, Format::Markdown)),
    ];
    for (path, text) in files {
        if let Err(error) = fs::write_atomic(path, text.as_bytes()) {
            return Err((joined, error.into()));
        }
    }
    Ok((joined, paths.markdown))
}
