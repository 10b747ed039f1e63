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

/// Earlier runs that a record remembers, and what they may weigh together, in bytes of JSON. A
/// report that is made daily must not grow for ever; git has the older ones.
const MAX_HISTORY: usize = 20;
const MAX_HISTORY_BYTES: usize = 8 * 1024 * 1024;

/// Keeps the newest runs, as many as there is room for.
fn limit(history: &mut Vec<Record>) {
    history.truncate(MAX_HISTORY);
    let mut room = MAX_HISTORY_BYTES;
    let fitting = history.iter().take_while(|run| {
        let size = serde_json::to_string(run).map_or(usize::MAX, |text| text.len());
        let fits = size <= room;
        room = room.saturating_sub(size);
        fits
    });
    let kept = fitting.count();
    history.truncate(kept);
}

/// The record that stands at a path. One that cannot be used is set aside, since it holds earlier
/// runs all the same: half merged, cut off, or of a newer gsd. The text tells of that.
fn existing_record(path: &Utf8Path) -> Result<(Option<Record>, Option<String>), WriteReportError> {
    let told = match fs::read_text(path, record::MAX_BYTES, Links::Refuse) {
        Ok(text) => match Record::parse(&text) {
            Ok(record) => return Ok((Some(record), None)),
            Err(error) => format!("{error}; the file that stood there is now"),
        },
        Err(ReadError::NotFound { .. }) => return Ok((None, None)),
        Err(ReadError::NotUtf8 { .. }) => {
            "The record that stood there is no text; it is now".to_owned()
        }
        Err(error) => return Err(WriteReportError::Existing(error)),
    };
    let kept = set_aside(path)?;
    Ok((None, Some(format!("{told} {kept}."))))
}

/// Moves a file that cannot be used to a free name beside it, and gives that name.
fn set_aside(path: &Utf8Path) -> Result<String, WriteError> {
    let stem = path.file_stem().unwrap_or("REVIEWS");
    let name = (1..)
        .map(|number| format!("{stem}.unreadable-{number}.json"))
        .find(|name| fs::kind(&path.with_file_name(name)).is_none())
        .expect("numbers do not end");
    fs::rename(path, &path.with_file_name(&name))?;
    Ok(name)
}

/// Tells of each lane whose program stands where it stood in the last run and is another one.
fn tell_other_programs(record: &mut Record) {
    let Some(last) = record.history.first() else { return };
    for lane in &mut record.lanes {
        let before = last.lane(&lane.identity).filter(|one| one.destination == lane.destination);
        let pair =
            before.and_then(|one| one.program_sha256.as_ref()).zip(lane.program_sha256.as_ref());
        if let Some((before, _)) = pair.filter(|(before, now)| before != now) {
            let short: String = before.chars().take(12).collect();
            lane.warnings.push(format!(
                "its program is not that of the last review, whose sha256 began with {short}"
            ));
        }
    }
}

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
    let (old_record, note) = match existing_record(&paths.record) {
        Ok(found) => found,
        Err(error) => return Err((alone(), error)),
    };
    let merged = merge_existing(old_markdown.as_deref(), old_record);
    let mut joined =
        Box::new(Record { kept: merged.kept, history: merged.history, ..record.clone() });
    joined.run.notes.extend(note);
    limit(&mut joined.history);
    tell_other_programs(&mut joined);
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
