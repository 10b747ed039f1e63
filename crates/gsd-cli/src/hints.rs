//! Every command that a message about capabilities tells to type is one: it is parsed as if it had
//! been typed.

#![allow(clippy::disallowed_methods, reason = "the messages stand in files of the repository")]

use crate::args::Cli;
use clap::{Command, CommandFactory};
use std::path::{Path, PathBuf};

/// Where messages about capabilities stand.
const PLACES: [&str; 6] = [
    "../gsd-engine/src/store",
    "../gsd-engine/src/registry",
    "../gsd-engine/src/source",
    "src/commands/capability",
    "src/commands/doctor",
    "src/commands/doctor.rs",
];

fn sources(path: PathBuf, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).expect("a folder");
        entries.for_each(|entry| sources(entry.expect("an entry").path(), found));
    } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with("tests.rs") {
        found.push(path);
    }
}

/// The text of a file without its comments and its tests, texts over several lines made one.
fn messages(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let mut out = String::new();
    for line in lines {
        match line.strip_suffix('\\') {
            Some(more) => out.push_str(more),
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

/// The commands in a text, with a value in the place of each blank.
fn commands(text: &str) -> Vec<String> {
    let mut found = vec![];
    for start in ["gsd capability ", "{} capability ", "gsd config ", "gsd registry"] {
        for (at, _) in text.match_indices(start) {
            let end = |c: char| "`\"\n;,".contains(c);
            let command = text[at..].split(end).next().unwrap_or_default();
            let command = command.replace("--scope {}", "--scope {scope}");
            let mut words: Vec<String> = vec![];
            for word in command.split_whitespace() {
                words.push(match word {
                    "{}" if words.is_empty() => "gsd".to_owned(),
                    // A verb that is filled in; this is one of those that are.
                    word if word.contains('{') && words.len() == 2 => "remove".to_owned(),
                    "{scope}" => "global".to_owned(),
                    word if word.contains('{') => "acme".to_owned(),
                    word => word.to_owned(),
                });
            }
            found.push(words.join(" "));
        }
    }
    found
}

fn has_option(command: &Command, name: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_long() == Some(name))
        || command.get_subcommands().any(|below| has_option(below, name))
}

#[test]
fn every_command_and_option_that_is_told_can_be_typed() {
    let mut whole = Cli::command();
    whole.build();
    let mut files = vec![];
    for place in PLACES {
        sources(Path::new(env!("CARGO_MANIFEST_DIR")).join(place), &mut files);
    }
    let (mut parsed, mut wrong) = (0, vec![]);
    for file in &files {
        let text = messages(file);
        for command in commands(&text) {
            parsed += 1;
            if let Err(error) = Cli::command().try_get_matches_from(command.split(' ')) {
                wrong.push(format!("{}: `{command}`: {}", file.display(), error.kind()));
            }
        }
        for option in text.split("`--").skip(1) {
            let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
            let name = option.split(|c| !is_name(c)).next().unwrap_or_default();
            if !name.is_empty() && !has_option(&whole, name) {
                wrong.push(format!("{}: `--{name}`", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "cannot be typed:\n{}", wrong.join("\n"));
    assert!(parsed > 20, "only {parsed} commands were found");
}
