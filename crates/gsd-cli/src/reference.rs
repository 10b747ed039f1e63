//! The reference pages, written from the tables of the program and compared with what is
//! committed. `UPDATE_DOCS=1 cargo test -p gsd-cli reference` rewrites them.

#![allow(clippy::disallowed_methods, reason = "the pages are files of the repository")]

use crate::exit::ExitStatus;
use crate::parse::definition;
use crate::{Program, commands};
use gsd_engine::config::{DEFAULTS_VARIABLE, Declaration, SETTINGS_VARIABLE, WORKSTREAM_VARIABLE};
use gsd_engine::lane::meaning::Word;
use gsd_engine::lane::roster::first_party;
use gsd_engine::lane::{Lane, Roster};
use gsd_engine::registry;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn page(name: &str, text: &str) {
    let path: PathBuf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == text,
        "docs/reference/{name} is not what the program says; \
         `UPDATE_DOCS=1 cargo test -p gsd-cli reference` rewrites it"
    );
}

#[test]
fn exit_codes() {
    let mut text = String::from("# Exit codes\n\n| code | meaning |\n| --- | --- |\n");
    for status in ExitStatus::ALL {
        writeln!(text, "| {} | {} |", status.code(), status.meaning()).unwrap();
    }
    text.push_str(
        "\n`gsd review` ends with the first of these that applies: 130 · 2, 6, 7, 8 (nothing was \
         started) · 11 · 12 · 13 · 1 · 9 · 0.\n\n\
         `gsd doctor` ends with 7 where a record of gsd cannot be read, with 1 where a file of settings \
         is broken, else with 0: reviewers that are not here, and a folder without `.planning`, are \
         told and are no faults. With `--json`, `ok` is `false` exactly where it does not end with 0.\n",
    );
    page("exit-codes.md", &text);
}

#[test]
fn lane_states() {
    let mut text = String::from(
        "# States and reasons of lanes\n\nWhat `gsd explain WORD` prints. Every lane of a run ends in one \
         state, and where it matters with a reason. The words are those of the record and the report.\n",
    );
    for kind in ["state", "reason"] {
        write!(text, "\n## {}s\n\n| {kind} | meaning |\n| --- | --- |\n", title(kind)).unwrap();
        for word in Word::all().filter(|word| word.kind() == kind) {
            writeln!(text, "| `{}` | {} |", word.word(), word.meaning()).unwrap();
        }
    }
    page("lane-states.md", &text);
}

fn title(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

#[test]
fn codes() {
    let rules = gsd_engine::rules();
    let mut text = String::from(
        "# Codes of diagnostics\n\nWhat `gsd explain CODE` prints. Codes are stable and never \
         reused.\n\n| code | level | meaning |\n| --- | --- | --- |\n",
    );
    for rule in &rules {
        let anchor = rule.code.replace('/', "");
        let (code, level, summary) = (rule.code, rule.level, rule.summary);
        writeln!(text, "| [`{code}`](#{anchor}) | {level} | {summary} |").unwrap();
    }
    for rule in &rules {
        writeln!(
            text,
            "\n## {}\n\n{}: {}\n\n{}",
            rule.code,
            rule.level,
            rule.summary,
            rule.docs.trim()
        )
        .unwrap();
    }
    page("codes.md", &text);
}

#[test]
fn codes_are_unique_sorted_and_documented() {
    let rules = gsd_engine::rules();
    assert!(rules.windows(2).all(|pair| pair[0].code < pair[1].code));
    for rule in rules {
        let (area, words) = rule.code.split_once('/').expect("an area");
        let plain = |text: &str| {
            text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        };
        assert!(plain(area) && plain(words), "{}", rule.code);
        assert!(rule.docs.len() > 60, "{} says what and why", rule.code);
        assert!(!rule.summary.ends_with('.'), "{}", rule.code);
    }
}

#[test]
fn lanes() {
    let mut text = String::from(
        "# The lanes\n\nThe reviewers that gsd knows from the start, in the order of reports. `gsd \
         lane show SLUG` prints one whole, `gsd lane list` says which are here.\n\n\
         | slug | flags | reached by | prompt | vendor | limit | sees besides the common variables |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let (roster, clashes) = Roster::of(first_party());
    assert!(clashes.is_empty());
    for lane in roster.iter() {
        writeln!(text, "{}", row(lane)).unwrap();
    }
    text.push_str(
        "\nEvery child gets PATH, HOME, locale, a TMPDIR of its own, proxy and XDG settings, `TERM=dumb`, \
         `NO_COLOR=1` and `GSD_REVIEW_ROOT`, `GSD_REVIEW_PHASE_DIR`, `GSD_REVIEW_RUN_DIR` (a folder of its own); no other \
         variable, unless you list it under `review.env.<slug>` in `~/.gsd/defaults.json`.\n",
    );
    page("lanes.md", &text);
}

fn row(lane: &Lane) -> String {
    use gsd_engine::lane::descriptor::Invoke;
    let descriptor = &lane.descriptor;
    let flags: Vec<String> = descriptor.flags.iter().map(|flag| format!("`{flag}`")).collect();
    let (reached, prompt) = match &descriptor.invoke {
        Invoke::Spawn(invoke) => (format!("program `{}`", invoke.binary), invoke.prompt.word()),
        Invoke::OpenaiHttp(invoke) => (
            format!("server, `{}`", invoke.default_host.as_deref().unwrap_or("no default")),
            "body",
        ),
    };
    let env: Vec<String> =
        descriptor.env.iter().map(|name| format!("`{}`", name.as_str())).collect();
    format!(
        "| `{}` | {} | {reached} | {prompt} | {} | {} s | {} |",
        descriptor.slug,
        flags.join(" "),
        descriptor.vendor.as_deref().unwrap_or("–"),
        descriptor.time_limit.as_secs(),
        if env.is_empty() { "–".to_owned() } else { env.join(" ") },
    )
}

#[test]
fn configuration() {
    let registry = registry::compose(registry::first_party(), vec![]).registry;
    let declared = registry.declarations();
    let mut text = String::from(
        "# Settings\n\nWhat `gsd config explain KEY` prints. `gsd config list` shows what is set and where; \
         `gsd config set KEY VALUE` changes one value and keeps every other byte of the file.\n\n\
         ## Layers\n\nThe strongest layer that says something holds. Objects of several layers are put \
         together, other values replace each other, `null` makes unset.\n\n\
         | layer | where |\n| --- | --- |\n\
         | flag | `--config KEY=VALUE`, and options such as `--jobs` |\n",
    );
    writeln!(text, "| environment | `{SETTINGS_VARIABLE}`, a JSON object; `{DEFAULTS_VARIABLE}`, names with commas |").unwrap();
    writeln!(text, "| workstream | `.planning/workstreams/<{WORKSTREAM_VARIABLE}>/config.json` |")
        .unwrap();
    text.push_str(
        "| project | `.planning/config.json` |\n\
         | user | `~/.gsd/defaults.json` (below `GSD_HOME` if that is set) |\n\
         | default | the tables below |\n\n\
         Files are JSON; comments, trailing commas and a byte order mark are forgiven with a warning. A file \
         that cannot be read counts as empty and is never written. What is marked *user* is ignored, with a \
         warning, in every layer but the user's own file.\n",
    );
    let is_review = |one: &&Declaration| one.key.starts_with("review.");
    let central = |one: &&Declaration| one.owner.is_none();
    settings("Reviews", declared.iter().filter(central).filter(is_review), &mut text);
    settings("Lanes", declared.iter().filter(|one| !central(one)).filter(is_review), &mut text);
    settings(
        "Capabilities",
        declared.iter().filter(|one| !central(one) && !is_review(one)),
        &mut text,
    );
    settings(
        "Workflows of the host",
        declared.iter().filter(|one| central(one) && !is_review(one)),
        &mut text,
    );
    page("configuration.md", &text);
}

fn settings<'a>(title: &str, rows: impl Iterator<Item = &'a Declaration>, text: &mut String) {
    writeln!(text, "\n## {title}\n\n| key | takes | default | what |\n| --- | --- | --- | --- |")
        .unwrap();
    for one in rows {
        let default = match &one.default {
            Some(default) if *default == serde_json::json!("") => "–".to_owned(),
            Some(default) => format!("`{default}`"),
            None => "–".to_owned(),
        };
        let user = if one.user_only { "; *user*" } else { "" };
        let takes = one.kind.expected();
        writeln!(
            text,
            "| `{}` | {takes}{user} | {default} | {} |",
            one.key,
            one.description.replace('|', "\\|")
        )
        .unwrap();
    }
}

#[test]
fn command_line() {
    let (roster, _) = Roster::of(first_party());
    let mut command = definition(Program::Gsd, &commands::flags_of(&roster));
    command.build();
    let mut text = String::from("# The command line\n\nWhat `--help` prints.\n");
    describe(&command, &mut text);
    page("command-line.md", &text);
}

fn describe(command: &clap::Command, text: &mut String) {
    // A width of its own, so that the page does not depend on a terminal.
    let help = command.clone().term_width(100).render_long_help().to_string();
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let trimmed: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    writeln!(text, "\n## {name}\n\n```text\n{}\n```", trimmed.join("\n")).unwrap();
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        describe(verb, text);
    }
}
