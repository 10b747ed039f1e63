//! A run that was prepared in one place and is invoked in others: what its folder says about it.
//!
//! The folder is all that travels. It holds `prepared.json` and one prompt for each lane; every
//! lane that ran adds its result. Nothing in it names the machine that it was made on.

use super::prompts::{LanePrompt, digest};
use super::record::{self, Record, Trimmed};
use crate::text::printable;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Links, ReadError, WriteError};
use serde::{Deserialize, Serialize};

/// What was prepared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreparedRun {
    /// The record as it will be if no lane ever brings a result: every lane stands in it, with the
    /// words for one that did not come back.
    pub record: Record,
    pub asks: Vec<PreparedAsk>,
    /// Milliseconds since the epoch.
    pub prepared_ms: u64,
}

/// What one lane is to be given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreparedAsk {
    /// The slug, or the name of an instance.
    pub identity: String,
    pub slug: String,
    pub model: Option<String>,
    pub agent: Option<String>,
    /// Digest of its prompt file; `None` for a lane that is given none.
    pub prompt_sha256: Option<String>,
    /// The read marks in the order of the census, for a lane that must repeat them.
    pub marks: Option<Vec<String>>,
    /// The limit that the command line gave it, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// What a budget cut from its prompt.
    pub trimmed: Option<Trimmed>,
}

/// Why the folder of a prepared run cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PreparedRunError {
    #[error("`{path}` cannot be read")]
    Read { path: Utf8PathBuf, source: ReadError },
    #[error("`{path}` is not what `gsd review prepare` of this version writes")]
    Shape { path: Utf8PathBuf, source: serde_json::Error },
    #[error("`{path}` names a lane `{name}`, which is no name of one")]
    Name { path: Utf8PathBuf, name: String },
    #[error("the prompt `{path}` is not the one that was prepared")]
    Prompt { path: Utf8PathBuf },
    #[error("the run folder cannot be written")]
    Write(#[from] WriteError),
}

const MAX_PROMPT: u64 = 64 << 20;

impl PreparedRun {
    /// Reads what stands in a folder; `None` if no run was prepared there.
    pub fn read(folder: &Utf8Path) -> Result<Option<Self>, PreparedRunError> {
        let path = folder.join("prepared.json");
        let text = match fs::read_text(&path, record::MAX_BYTES, Links::Refuse) {
            Ok(text) => text,
            Err(ReadError::NotFound { .. }) => return Ok(None),
            Err(source) => return Err(PreparedRunError::Read { path, source }),
        };
        let run: Self = match serde_json::from_str(&text) {
            Ok(run) => run,
            Err(source) => return Err(PreparedRunError::Shape { path, source }),
        };
        // The folder may come from anywhere, and names become parts of paths.
        let lanes = run.record.lanes.iter().map(|lane| lane.identity.as_str());
        let asks = run.asks.iter().map(|ask| ask.identity.as_str());
        match lanes.chain(asks).find(|name| !is_plain(name)) {
            Some(name) => Err(PreparedRunError::Name { path, name: printable(name, 60) }),
            None => Ok(Some(run)),
        }
    }

    /// Writes the prompts, and then what makes the folder a prepared one.
    pub(super) fn write(
        &self,
        folder: &Utf8Path,
        prompts: &[LanePrompt],
    ) -> Result<(), PreparedRunError> {
        for prompt in prompts.iter().filter(|prompt| !prompt.text.is_empty()) {
            fs::write_atomic(&prompt_path(folder, &prompt.identity), prompt.text.as_bytes())?;
        }
        let bytes = serde_json::to_vec_pretty(self).expect("a prepared run is plain data");
        Ok(fs::write_atomic(&folder.join("prepared.json"), &bytes)?)
    }

    pub fn ask(&self, identity: &str) -> Option<&PreparedAsk> {
        self.asks.iter().find(|ask| ask.identity == identity)
    }
}

impl PreparedAsk {
    /// The prompt, which must be the one that was prepared.
    pub(super) fn prompt(&self, folder: &Utf8Path) -> Result<LanePrompt, PreparedRunError> {
        let Some(expected) = &self.prompt_sha256 else {
            return Ok(LanePrompt::none(&self.identity));
        };
        let path = prompt_path(folder, &self.identity);
        match fs::read_text(&path, MAX_PROMPT, Links::Refuse) {
            Ok(text) if digest(&text) == *expected => Ok(LanePrompt {
                marks: self.marks.clone(),
                trimmed: self.trimmed.clone(),
                ..LanePrompt::whole(&self.identity, text)
            }),
            Ok(_) => Err(PreparedRunError::Prompt { path }),
            Err(source) => Err(PreparedRunError::Read { path, source }),
        }
    }
}

fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.len() <= 64 && name.chars().all(plain)
}

/// Where the prompt of a lane stands in the folder of a run.
pub(super) fn prompt_path(folder: &Utf8Path, identity: &str) -> Utf8PathBuf {
    folder.join(format!("gsd-review-prompt-{identity}.md"))
}
