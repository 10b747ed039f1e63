//! Whether what a reader is told to type installs exactly one thing: a commit, or a version with
//! its hash. What is not pinned can be another program tomorrow.

use crate::source::{Base, SourceSpec, SpecError};
use camino::Utf8Path;

/// How an install of a capability begins.
const COMMANDS: [&str; 2] = ["gsd capability install ", "gsd-tools capability install "];

/// Every line of the text that installs a capability, and there has to be one.
pub(super) fn check(text: &str) -> Result<(), String> {
    let commands = text
        .lines()
        .map(str::trim)
        .filter_map(|line| COMMANDS.iter().find_map(|command| line.strip_prefix(command)));
    let commands: Vec<&str> = commands.collect();
    if commands.is_empty() {
        return Err("no line is `gsd capability install SOURCE`".to_owned());
    }
    commands.into_iter().try_for_each(check_command)
}

fn check_command(words: &str) -> Result<(), String> {
    let words: Vec<&str> =
        words.split_whitespace().map(|word| word.trim_matches(['\'', '"'])).collect();
    let mut sources = vec![];
    let mut integrity = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--integrity" => integrity = rest.next().copied(),
            "--scope" | "--shared-file" => drop(rest.next()),
            flag if flag.starts_with("--integrity=") => {
                integrity = flag.split_once('=').map(|(_, value)| value)
            }
            flag if flag.starts_with('-') => {}
            source => sources.push(source),
        }
    }
    let [source] = sources.as_slice() else {
        return Err("expected one source behind `capability install`".to_owned());
    };
    let base = Base { cwd: Utf8Path::new("/"), home: None };
    if let Err(SpecError::Bad { what, .. }) = SourceSpec::parse(source, &base) {
        return Err(what);
    }
    let hashed = integrity.is_some_and(|value| value.starts_with("sha512-") && value.len() == 95);
    match pin(source) {
        Pin::Commit => Ok(()),
        Pin::Version if hashed => Ok(()),
        Pin::Version => Err("a tag or a version needs `--integrity sha512-…` beside it".to_owned()),
        Pin::Folder => Err("a folder is nothing that a reader has".to_owned()),
        Pin::None => {
            Err("the source is not pinned: expected `#sha:COMMIT`, or `#tag:TAG` or an exact version with `--integrity sha512-…`".to_owned())
        }
    }
}

enum Pin {
    Commit,
    Version,
    Folder,
    None,
}

fn pin(source: &str) -> Pin {
    let is_commit =
        |text: &str| matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
    if source.starts_with(['.', '/', '~']) || source.starts_with("file:") {
        return Pin::Folder;
    }
    if let Some((_, reference)) = source.rsplit_once('#') {
        return match reference.split_once(':') {
            Some(("sha", commit)) if is_commit(commit) => Pin::Commit,
            Some(("tag", tag)) if !tag.is_empty() => Pin::Version,
            Some(_) | None => Pin::None,
        };
    }
    if let Some(package) = source.strip_prefix("npm:") {
        let version = package.rsplit_once('@').map(|(_, version)| version);
        return match version.map(semver::Version::parse) {
            Some(Ok(_)) => Pin::Version,
            Some(Err(_)) | None => Pin::None,
        };
    }
    let path = source.split(['?', '#']).next().unwrap_or(source);
    let archive = [".tgz", ".tar.gz", ".tar"].iter().any(|end| path.ends_with(end));
    // An archive has no name that lasts; its hash says what it is.
    if archive && source.contains("https://") { Pin::Version } else { Pin::None }
}
