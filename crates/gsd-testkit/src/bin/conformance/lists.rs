//! Output that is a list: lines about lanes, and the JSON of `capability list`.

use crate::golden::Row;
use crate::program::Ran;
use crate::tally::Tally;
use serde_json::Value;
use std::fmt::Debug;

pub(crate) fn compare_lines(row: &Row, ran: &Ran, tally: &mut Tally) {
    exit(row, ran, tally);
    let theirs: Vec<&str> = row.stdout.lines().collect();
    let ours: Vec<&str> = ran.stdout.lines().collect();
    in_order(&theirs, &ours, &mut |line| tally.differs(format!("lanes {} {line}", row.id)));
}

/// Each failure and each success is one there, whatever the number.
fn exit(row: &Row, ran: &Ran, tally: &mut Tally) {
    if row.success != (ran.code == 0) {
        let theirs = if row.success { "success" } else { "failure" };
        tally.differs(format!("exit {} {theirs} -> {}", row.id, ran.code));
    }
}

/// Tells what is missing (`-`), what is there beside it (`+`, with what stands before it), and what
/// stands elsewhere.
pub(crate) fn in_order<T: PartialEq + Debug>(
    theirs: &[T],
    ours: &[T],
    tell: &mut dyn FnMut(String),
) {
    let (mut at, mut before) = (0, None);
    for item in ours {
        if !theirs.contains(item) {
            match before {
                Some(before) => tell(format!("+ {item:?} after {before:?}")),
                None => tell(format!("+ {item:?} first")),
            }
        } else {
            while theirs.get(at).is_some_and(|theirs| !ours.contains(theirs)) {
                at += 1;
            }
            if theirs.get(at) != Some(item) {
                tell(format!("order {item:?}"));
            }
            at += 1;
        }
        before = Some(item);
    }
    for item in theirs.iter().filter(|item| !ours.contains(item)) {
        tell(format!("- {item:?}"));
    }
}

/// `capability list`, row by row and field by field. Which skills of a capability are shown is
/// decided elsewhere, so `surfaced` is left out.
pub(crate) fn compare_list(row: &Row, ran: &Ran, tally: &mut Tally) -> Result<(), String> {
    exit(row, ran, tally);
    let picked = row.words.iter().any(|word| word == "--pick");
    if !row.success || picked {
        if row.stdout.trim_end() != ran.stdout.trim_end() {
            let what = if picked { "picked" } else { "stdout" };
            tally.differs(format!("list {} {what} {:?} -> {:?}", row.id, row.stdout, ran.stdout));
        }
        return Ok(());
    }
    let theirs: Value = serde_json::from_str(&row.stdout).map_err(|error| error.to_string())?;
    let ours = if ran.stdout.is_empty() { Value::Null } else { ran.json()? };
    let none = vec![];
    let (theirs, ours) = (theirs.as_array().unwrap_or(&none), ours.as_array().unwrap_or(&none));
    let name = |item: &Value| format!("{}:{}", text(&item["scope"]), text(&item["id"]));
    let (names, our_names): (Vec<String>, Vec<String>) =
        (theirs.iter().map(name).collect(), ours.iter().map(name).collect());
    in_order(&names, &our_names, &mut |line| tally.differs(format!("list {} {line}", row.id)));
    for item in theirs {
        let Some(own) = ours.iter().find(|own| name(own) == name(item)) else { continue };
        let empty = serde_json::Map::new();
        let (a, b) = (item.as_object().unwrap_or(&empty), own.as_object().unwrap_or(&empty));
        let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for key in keys.into_iter().filter(|key| *key != "surfaced") {
            if a.get(key) != b.get(key) {
                let show = |value: Option<&Value>| {
                    value.map_or_else(|| "nothing".to_owned(), Value::to_string)
                };
                tally.differs(format!(
                    "list {} {} {key} {} -> {}",
                    row.id,
                    name(item),
                    show(a.get(key)),
                    show(b.get(key))
                ));
            }
        }
    }
    Ok(())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
