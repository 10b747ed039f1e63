//! Antigravity's agent does not always print what it answered. What it answered then stands in a
//! transcript of its own, so the review is looked for in three places: what it printed; what its
//! transcript gained since the call began; and if there is nothing, its log says why.
//!
//! The transcript belongs to the workspace, not to the call. A watermark, taken before the call,
//! tells old answers from new ones, and a lock keeps two calls of one home apart.
//!
//! Everything below the user's home is read as hostile text: bounded, never through a link at its
//! end, and a broken file counts as one that is not there.

use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Links};
use serde_json::Value;
use std::time::Duration;

const FOLDER: &str = ".gemini/antigravity-cli";
const MAX_CACHE: u64 = 4 << 20;
const MAX_TRANSCRIPT: u64 = 64 << 20;
const LOG_TAIL: u64 = 256 << 10;
/// Clocks of file systems are coarse.
const CLOCK_SLACK: Duration = Duration::from_secs(2);

/// The state of its records before a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Watermark {
    folder: Utf8PathBuf,
    root: Utf8PathBuf,
    taken_at: Duration,
    seen: Option<Seen>,
}

/// The conversation of the workspace, and how much of it there was.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    id: String,
    lines: Lines,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lines {
    Known(usize),
    /// The transcript was there and could not be read, so nobody can tell old from new.
    Unreadable,
}

impl Watermark {
    /// Takes the watermark. `taken_at` is the time since the epoch.
    pub(crate) fn take(home: &Utf8Path, root: &Utf8Path, taken_at: Duration) -> Self {
        let folder = home.join(FOLDER);
        let seen = conversation(&folder, root).map(|id| {
            let path = transcript_path(&folder, &id);
            let lines = match fs::kind(&path) {
                None => Lines::Known(0),
                Some(_) => read(&path, MAX_TRANSCRIPT)
                    .map_or(Lines::Unreadable, |text| Lines::Known(entries(&text).count())),
            };
            Seen { id, lines }
        });
        Self { folder, root: root.to_owned(), taken_at, seen }
    }

    /// What the agent answered since then.
    pub(crate) fn answer_since(&self) -> Option<String> {
        let id = conversation(&self.folder, &self.root)?;
        let known = self.seen.as_ref().filter(|seen| seen.id == id);
        let skip = match known.map(|seen| seen.lines) {
            Some(Lines::Known(lines)) => lines,
            Some(Lines::Unreadable) => return None,
            None => 0,
        };
        let path = transcript_path(&self.folder, &id);
        if fs::modified(&path)? + CLOCK_SLACK < self.taken_at {
            return None;
        }
        answer(&read(&path, MAX_TRANSCRIPT)?, skip)
    }

    /// Why there is no answer, as far as the log tells.
    pub(crate) fn diagnosis(&self) -> String {
        let log = fs::read_tail(&self.folder.join("cli.log"), LOG_TAIL, Links::Refuse);
        let log = log.map(|bytes| crate::text::clean(&bytes).text).unwrap_or_default();
        explain(&telling_lines(&log), conversation(&self.folder, &self.root).is_some())
    }
}

fn read(path: &Utf8Path, max: u64) -> Option<String> {
    let bytes = fs::read_bounded(path, max, Links::Refuse).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The id of the workspace's last conversation. It becomes part of a path, so it is a plain word.
fn conversation(folder: &Utf8Path, root: &Utf8Path) -> Option<String> {
    let cache = read(&folder.join("cache/last_conversations.json"), MAX_CACHE)?;
    conversation_of(&cache, root.as_str())
}

fn conversation_of(cache: &str, root: &str) -> Option<String> {
    let cache: Value = serde_json::from_str(cache).ok()?;
    let cache = cache.as_object()?;
    let folded = || {
        let mut same = cache.iter().filter(|(path, _)| path.to_lowercase() == root.to_lowercase());
        same.next().map(|(_, id)| id)
    };
    let id = cache.get(root).or_else(folded)?.as_str()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (!id.is_empty() && id.len() <= 128 && id.chars().all(plain)).then(|| id.to_owned())
}

fn transcript_path(folder: &Utf8Path, id: &str) -> Utf8PathBuf {
    folder.join("brain").join(id).join(".system_generated/logs/transcript.jsonl")
}

fn entries(transcript: &str) -> impl Iterator<Item = &str> {
    transcript.lines().filter(|line| !line.trim().is_empty())
}

/// The last answer among the entries after the first `skip`.
fn answer(transcript: &str, skip: usize) -> Option<String> {
    let mut last = None;
    for line in entries(transcript).skip(skip) {
        let Ok(entry) = serde_json::from_str::<Value>(line) else { continue };
        let is = |key: &str, word: &str| entry[key].as_str() == Some(word);
        if is("source", "MODEL")
            && is("status", "DONE")
            && is("type", "PLANNER_RESPONSE")
            && let Some(content) = entry["content"].as_str()
        {
            last = Some(content.to_owned());
        }
    }
    last.filter(|content| !content.trim().is_empty())
}

/// The last three lines of the log that say what went wrong.
fn telling_lines(log: &str) -> Vec<&str> {
    const TELLING: [&str; 3] = ["agent executor error", "not_found", "publisher model"];
    let telling = |line: &&str| {
        let line = line.to_lowercase();
        TELLING.iter().any(|words| line.contains(words))
    };
    let mut lines: Vec<&str> = log.lines().rev().map(str::trim).filter(telling).take(3).collect();
    lines.reverse();
    lines
}

fn explain(lines: &[&str], has_conversation: bool) -> String {
    if !lines.is_empty() {
        let lines: Vec<String> =
            lines.iter().map(|line| crate::text::printable(line, 200)).collect();
        return format!(
            "it answered nothing, and its log says: {}; list its models and name one that exists",
            lines.join(" · ")
        );
    }
    if has_conversation {
        "it answered nothing, neither on its output nor in its transcript".to_owned()
    } else {
        "it answered nothing and began no conversation in this folder, so it stalled before it \
         had a session"
            .to_owned()
    }
}

/// Lets the agent see the root: before the last `-p`, or at the end. Only for a program whose
/// help text knows the option.
pub(crate) fn with_root(mut args: Vec<String>, help: &str, root: &Utf8Path) -> Vec<String> {
    if help.contains("--add-dir") {
        let at = args.iter().rposition(|arg| arg == "-p").unwrap_or(args.len());
        args.splice(at..at, ["--add-dir".to_owned(), root.to_string()]);
    }
    args
}

/// Whether a review was written from the agent's own scratch folder instead of the project.
pub(crate) fn worked_in_scratch(text: &str) -> bool {
    let text = text.to_lowercase();
    text.match_indices("antigravity-cli/scratch").any(|(at, _)| {
        // The path before the match belongs to it; what counts is what stands before that path.
        let start = text[..at].rfind(char::is_whitespace).unwrap_or(0);
        let from = text[..start].char_indices().rev().nth(40).map_or(0, |(index, _)| index);
        let before = &text[from..start];
        ["working directory", "workspace"].iter().any(|words| before.contains(words))
    })
}

#[cfg(test)]
mod tests;
