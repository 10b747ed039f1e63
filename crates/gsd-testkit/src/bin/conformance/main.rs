//! Compares the built programs with data measured on another implementation of the same contract.
//!
//! `conformance DATA [--bin FOLDER] [--page FILE] [--only BEGINNING] [--all]` takes a folder with `manifests/`,
//! `mutations.jsonl`, `fixtures/` and `golden/`. It runs `gsd` and `gsd-tools` of FOLDER (by default
//! its own) as a user would, each time with a home and a project made for the run, and holds what
//! differs against the page of divergences (`docs/reference/divergences.md` below the working
//! directory): a difference that no entry matches, an entry whose count is not what was found, and
//! too many differences without a rule make it exit with 1. `--all` prints every difference;
//! `--only` looks at the golden groups whose names begin so, and at no count.

mod budget;
mod golden;
mod installs;
mod invoke;
mod lists;
mod loader;
mod manifests;
mod mutations;
mod page;
mod program;
mod tally;
mod world;

use camino::{Utf8Path, Utf8PathBuf};
use program::Programs;
use std::process::ExitCode;
use tally::{Counted, Tally};

/// What the command line said.
struct Words {
    data: Utf8PathBuf,
    bin: Utf8PathBuf,
    page: Utf8PathBuf,
    all: bool,
    /// The beginning of the names of the only groups to look at; everything if empty.
    only: String,
}

const USAGE: &str =
    "usage: conformance DATA [--bin FOLDER] [--page FILE] [--only BEGINNING] [--all]";

fn main() -> ExitCode {
    let words = match words(std::env::args().skip(1)) {
        Ok(words) => words,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    match run(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn words(mut given: impl Iterator<Item = String>) -> Result<Words, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let own =
        Utf8PathBuf::from_path_buf(own).map_err(|_| "the path of this program is not UTF-8")?;
    let mut words = Words {
        data: Utf8PathBuf::new(),
        bin: own.parent().unwrap_or(Utf8Path::new(".")).to_owned(),
        page: "docs/reference/divergences.md".into(),
        all: false,
        only: String::new(),
    };
    while let Some(word) = given.next() {
        match word.as_str() {
            "--bin" => words.bin = given.next().ok_or(USAGE)?.into(),
            "--page" => words.page = given.next().ok_or(USAGE)?.into(),
            "--only" => words.only = given.next().ok_or(USAGE)?,
            "--all" => words.all = true,
            _ if words.data.as_str().is_empty() && !word.starts_with('-') => {
                words.data = word.into()
            }
            _ => return Err(USAGE.to_owned()),
        }
    }
    if words.data.as_str().is_empty() {
        return Err(USAGE.to_owned());
    }
    Ok(words)
}

/// Whether everything is equal or listed.
fn run(words: &Words) -> Result<bool, String> {
    let page = page::read(&words.page)?;
    let programs = Programs::of(&words.bin)?;
    let mut tally = Tally::default();
    if words.only.is_empty() {
        manifests::compare(&words.data, &programs, &mut tally)?;
        mutations::compare(&words.data, &programs, &mut tally)?;
    }
    golden::compare(&words.data, &words.only, &programs, &mut tally)?;
    let counted = if words.only.is_empty() { Counted::Whole } else { Counted::InPart };
    Ok(tally.judge(&page, counted, words.all))
}
