//! The golden runs about overlays and queries: which of them are compared, and how each is repeated.

use crate::program::{Programs, Ran};
use crate::tally::Tally;
use crate::world::World;
use crate::{installs, lists, loader};
use camino::Utf8Path;
use serde_json::Value;

/// One run that was recorded.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// `group/case`.
    pub(crate) id: String,
    /// The words after the program's name.
    pub(crate) words: Vec<String>,
    /// Whether it ended with 0.
    pub(crate) success: bool,
    pub(crate) stdout: String,
}

/// The beginnings of the groups about installing.
const INSTALLS: [&str; 8] = [
    "capability-set",
    "consent-store",
    "crash-recovery",
    "install-refusals",
    "ledger",
    "life-",
    "source-",
    "strict-registries",
];

/// What a row is about.
enum Kind {
    /// Lines of text about lanes.
    Lanes,
    List,
    Loader,
    Config,
    /// Not compared here, and why.
    Other(&'static str),
}

impl Row {
    fn read(line: &str) -> Result<Self, String> {
        let row: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let text = |key: &str| {
            row[key].as_str().map(str::to_owned).ok_or_else(|| format!("a row lacks `{key}`"))
        };
        Ok(Self {
            id: text("id")?,
            words: words(&text("cmd")?),
            success: text("rc")? == "0",
            stdout: text("stdout")?,
        })
    }

    fn kind(&self) -> Kind {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let words = words.strip_prefix(&["query"]).unwrap_or(&words);
        match words {
            ["{X}", "{PEER}", ..] => Kind::Loader,
            ["review-lane", "sections" | "flags", ..] => Kind::Lanes,
            ["capability", "list", ..] => Kind::List,
            ["review-lane", ..] => Kind::Other("review-lane plan, and misuse"),
            ["loop" | "loop.render-hooks", ..] => Kind::Other("loop: with the hooks of the loop"),
            ["capability", "state", ..] => Kind::Other("capability state: with activation"),
            ["capability", ..] => Kind::Other("capability, other verbs: with installing"),
            ["config-get" | "config-set", ..] => Kind::Config,
            _ => Kind::Other("commands of capabilities: with their dispatch"),
        }
    }
}

/// The words after the program's name; single quotes are the only quoting there is.
pub(crate) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut begun) = (vec![], String::new(), false, false);
    for c in line.chars() {
        match c {
            '\'' => (quoted, begun) = (!quoted, true),
            ' ' if !quoted => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            c => {
                word.push(c);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words.drain(..1.min(words.len()));
    words
}

pub(crate) fn compare(
    data: &Utf8Path,
    only: &str,
    programs: &Programs,
    tally: &mut Tally,
) -> Result<(), String> {
    let data = data.canonicalize_utf8().map_err(|error| error.to_string())?;
    crate::budget::compare(&data, &lines(&data, only, &["prompt-budget"])?, programs, tally)?;
    crate::invoke::compare(&data, &lines(&data, only, &["invoke"])?, programs, tally)?;
    let lines = lines(&data, only, &["config-", "overlay-", "queries-"])?;
    let rows: Vec<Row> = lines.iter().map(|line| Row::read(line)).collect::<Result<_, _>>()?;
    let mut alone: Vec<String> = rows
        .iter()
        .filter_map(|row| row.id.strip_prefix("overlay-one/"))
        .filter_map(|rest| rest.split_once('/').map(|(name, _)| name.to_owned()))
        .collect();
    alone.dedup();
    let own = loader::own(&data, programs)?;
    for row in &rows {
        let kind = row.kind();
        if let Kind::Other(why) = kind {
            tally.left_out(why);
            continue;
        }
        let world = World::of(&data, &row.id, &alone)?;
        let words: Vec<&str> = row.words.iter().map(String::as_str).collect();
        match kind {
            Kind::Lanes => {
                tally.compared("review-lane sections and flags");
                lists::compare_lines(row, &programs.tools(&world.place, &words)?, tally);
            }
            Kind::List => {
                tally.compared("capability list");
                lists::compare_list(row, &programs.tools(&world.place, &words)?, tally)?;
            }
            Kind::Loader => {
                tally.compared("the loader's view");
                loader::compare(row, &world, programs, &own, tally)?;
            }
            Kind::Config => {
                tally.compared("config-get and config-set");
                settings(row, &programs.tools(&world.place, &words)?, tally);
            }
            Kind::Other(_) => {}
        }
    }
    let lines = self::lines(&data, only, &INSTALLS)?;
    let rows: Vec<Row> = lines.iter().map(|line| Row::read(line)).collect::<Result<_, _>>()?;
    installs::compare(&data, &rows, programs, &own, tally)
}

/// Settings: what is printed, byte for byte, and whether it was done.
fn settings(row: &Row, ran: &Ran, tally: &mut Tally) {
    let theirs = if row.success { "done" } else { "refused" };
    match (row.success, ran.code == 0) {
        (true, true) if row.stdout == ran.stdout => {}
        (true, true) => tally.differs(format!("config {} : another text", row.id)),
        (false, false) => {}
        (_, done) => {
            let ours = if done { "done" } else { "refused" };
            tally.differs(format!("config {} : {theirs} -> {ours} ({})", row.id, ran.code));
        }
    }
}

/// The lines of the groups whose names begin so, sorted by group.
fn lines(data: &Utf8Path, only: &str, beginnings: &[&str]) -> Result<Vec<String>, String> {
    let folder = data.join("golden");
    let entries = folder.read_dir_utf8().map_err(|error| format!("`{folder}`: {error}"))?;
    let wanted = |name: &str| {
        name.ends_with(".jsonl")
            && name.starts_with(only)
            && beginnings.iter().any(|beginning| name.starts_with(beginning))
    };
    let mut files: Vec<_> = entries
        .flatten()
        .filter(|entry| wanted(entry.file_name()))
        .map(|entry| entry.into_path())
        .collect();
    files.sort();
    let mut lines = vec![];
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|error| format!("`{file}`: {error}"))?;
        lines.extend(text.lines().map(str::to_owned));
    }
    Ok(lines)
}
