//! Calls of single lanes, with the recorded stand-ins on PATH and a model server: the result, the
//! arguments, what was sent, and the files that are left.

mod stress;
mod world;

use crate::program::{Programs, Ran};
use crate::tally::Tally;
use camino::Utf8Path;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use world::World;

pub(crate) fn compare(
    data: &Utf8Path,
    lines: &[String],
    programs: &Programs,
    tally: &mut Tally,
) -> Result<(), String> {
    for line in lines {
        let row: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let id = row["id"].as_str().ok_or("a row lacks `id`")?;
        let (group, case) = id.split_once('/').unwrap_or((id, ""));
        let world = World::of(data, group, case, &row, programs)
            .map_err(|error| format!("the world of {id}: {error}"))?;
        let words: Vec<String> = crate::golden::words(row["cmd"].as_str().unwrap_or_default())
            .into_iter()
            .map(|word| word.replace("{PROJ}", world.place.cwd.as_str()))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = programs.tools(&world.place, &words)?;
        tally.compared(group);
        let mut tell = |what: String| tally.differs(format!("{group} {case} {what}"));
        let printed = serde_json::from_str(text(&row["stdout"])).unwrap_or_default();
        compare_results(row["rc"] == "0", &printed, &ran, &mut tell);
        if group == "invoke" {
            calls(&row, &world, &mut tell);
            requests(&row, &world, &mut tell);
        }
        files(&row, &world, group == "invoke", &mut tell);
    }
    Ok(())
}

/// What is printed. The words of a detail are each side's own.
pub(crate) fn compare_results(
    success: bool,
    theirs: &Value,
    ran: &Ran,
    tell: &mut dyn FnMut(String),
) {
    let done = ran.code == 0;
    if success != done {
        let word = |done: bool| if done { "done" } else { "failed" };
        return tell(format!("exit {} -> {} ({})", word(success), word(done), ran.code));
    }
    let ours: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let none = serde_json::Map::new();
    let keys = |value: &Value| -> BTreeSet<String> {
        value.as_object().unwrap_or(&none).keys().cloned().collect()
    };
    for key in keys(theirs).union(&keys(&ours)).filter(|key| *key != "detail") {
        if theirs[key] != ours[key] {
            tell(format!("result {key} {} -> {}", theirs[key], ours[key]));
        }
    }
}

/// How the programs were called.
fn calls(row: &Value, world: &World, tell: &mut dyn FnMut(String)) {
    let recorded = row["files"]["stub.log"]["text"].as_str().unwrap_or_default();
    let (theirs, ours) = (read_calls(recorded), read_calls(&world.log()));
    if theirs.len() != ours.len() {
        tell(format!("calls {} -> {}", theirs.len(), ours.len()));
    }
    for (a, b) in theirs.iter().zip(&ours) {
        for key in ["bin", "argv", "cwd", "stdin_len", "stdin_head"] {
            if a[key] != b[key] {
                tell(format!("{key} {} -> {}", a[key], b[key]));
            }
        }
    }
}

/// One call a line. The sentence that points at the prompt is each side's own.
fn read_calls(log: &str) -> Vec<Value> {
    let calls = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    calls
        .map(|mut call| {
            for word in call["argv"].as_array_mut().into_iter().flatten() {
                if word.as_str().is_some_and(|word| word.contains("gsd-review-prompt.md")) {
                    *word = json!("<the prompt's file>");
                }
            }
            call
        })
        .collect()
}

/// What the server was asked.
fn requests(row: &Value, world: &World, tell: &mut dyn FnMut(String)) {
    let empty = vec![];
    let recorded = row["http_requests"].as_array().unwrap_or(&empty);
    let shown = |request: &Value| {
        let body = request["body"].as_str().and_then(|body| serde_json::from_str(body).ok());
        (format!("{} {}", text(&request["m"]), text(&request["path"])), body.unwrap_or(Value::Null))
    };
    let theirs: Vec<(String, Value)> = recorded.iter().map(shown).collect();
    let ours = world.requests();
    let lines = |all: &[(String, Value)]| {
        all.iter().map(|(line, _)| line.clone()).collect::<Vec<_>>().join(", ")
    };
    if lines(&theirs) != lines(&ours) {
        tell(format!("requests {} -> {}", lines(&theirs), lines(&ours)));
    }
    let post = |all: &[(String, Value)]| {
        all.iter().find(|(line, _)| line.starts_with("POST")).map(|(_, body)| body.clone())
    };
    let (Some(theirs), Some(ours)) = (post(&theirs), post(&ours)) else { return };
    let none = serde_json::Map::new();
    let (a, b) = (theirs.as_object().unwrap_or(&none), ours.as_object().unwrap_or(&none));
    for key in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
        if a.get(key) != b.get(key) {
            let show = |value: Option<&Value>| {
                value.map_or_else(|| "nothing".to_owned(), Value::to_string)
            };
            tell(format!("body {key} {} -> {}", show(a.get(key)), show(b.get(key))));
        }
    }
}

/// What lies in the folder of the run afterwards.
fn files(row: &Value, world: &World, texts: bool, tell: &mut dyn FnMut(String)) {
    let recorded = row["files"].as_object();
    let theirs: BTreeMap<&str, &Value> = recorded
        .into_iter()
        .flatten()
        .filter_map(|(name, file)| Some((name.strip_prefix("proj/run/")?, file)))
        .collect();
    let ours = world.files();
    for name in theirs.keys().filter(|name| !ours.contains_key(**name)) {
        tell(format!("file - {name}"));
    }
    for name in ours.keys().filter(|name| !theirs.contains_key(name.as_str())) {
        tell(format!("file + {name}"));
    }
    for (name, file) in theirs {
        let Some(own) = ours.get(name) else { continue };
        let recorded = text(&file["text"]);
        let (recorded, own) = (&stamped(recorded), &stamped(own));
        let (a, b) = (kind(recorded), kind(own));
        if a != b {
            tell(format!("file {name} {a} -> {b}"));
        } else if texts && a == "review" && recorded != own && !is_reference(recorded, own) {
            tell(format!("text {name} {recorded:?} -> {own:?}"));
        }
    }
}

/// Whether both sides repeat how they were pointed at the prompt.
fn is_reference(a: &str, b: &str) -> bool {
    [a, b].iter().all(|text| text.contains("gsd-review-prompt.md"))
}

/// What else the stamp of a blind review says is each side's own.
fn stamped(text: &str) -> String {
    const STAMP: &str = "> [reviewed-without-repo-access]";
    match text.strip_prefix(STAMP).and_then(|rest| rest.split_once('\n')) {
        Some((_, rest)) => format!("{STAMP}\n{rest}"),
        None => text.to_owned(),
    }
}

/// What stands in place of a review is each side's own.
fn kind(text: &str) -> &'static str {
    if text.contains("failed or returned empty output") { "stub" } else { "review" }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
