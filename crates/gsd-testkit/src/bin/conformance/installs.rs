//! The golden runs about installing: each group is one home, in which the rows run in their order.
//! What the recording did between rows stands in [`STEPS`].

use crate::golden::Row;
use crate::program::{Place, Programs, Ran};
use crate::tally::Tally;
use crate::world::{self, World};
use camino::Utf8Path;
use serde_json::Value;
use std::{fs, io};

/// Before the row that begins so, the source is this one.
const STEPS: &[(&str, &str, &str)] = &[
    ("life-declarative-global/01", "src", "hello-decl"),
    ("life-declarative-global/11", "src", "hello-decl-v1.1.0"),
    ("life-declarative-global/18", "src", "hello-decl"),
    ("life-declarative-global/19", "src", ""),
    ("life-declarative-global/22", "src", "tiny"),
    ("life-declarative-global/26", "src", "hello-decl"),
    ("life-executable-global/01", "src", "hello-exec"),
    ("life-executable-global/07", "src", "hello-exec-v1.1.0-same-surface"),
    ("life-executable-global/09", "src", "hello-exec-v1.2.0-new-hook"),
    ("life-executable-global/12", "src", "hello-exec-v1.3.0-router"),
    ("life-project-consent/01", "src", "hello-decl"),
    ("life-project-consent/01", "srce", "hello-exec"),
    ("life-reviewer-lane/01", "src", "acme-lane"),
    ("life-reviewer-lane/08", "src", "acme-lane-v1.1.0"),
];

/// The ledgers of the group `ledger`, by the name of the case.
const LEDGERS: &[(&str, &str)] = &[
    ("array", "[]"),
    ("bad-entry", r#"{"version":"1","updatedAt":"x","entries":{"tiny":{"id":"tiny"}}}"#),
    ("corrupt", "{bad"),
    ("empty", ""),
    ("entries-array", r#"{"version":"1","updatedAt":"x","entries":[]}"#),
    ("proto", r#"{"version":"1","updatedAt":"x","entries":{"__proto__":{"id":"__proto__"}}}"#),
    ("unknown-version", r#"{"version":"99","updatedAt":"x","entries":{}}"#),
];

/// The stores of the group `consent-store`, by the beginning of the case.
const STORES: &[(&str, &str)] =
    &[("array", "[]"), ("corrupt", "{bad"), ("wrong-version", r#"{"version":"99","records":{}}"#)];

/// Rows that saw something which is not recorded: another folder, a settings file of a user.
const UNSEEN: [&str; 2] =
    ["life-declarative-global/28-install-relative", "life-executable-global/31-remove"];

/// Groups whose rows share a home.
const SHARED: [&str; 4] = [
    "life-declarative-global",
    "life-executable-global",
    "life-project-consent",
    "life-reviewer-lane",
];

/// Repeats the rows of these groups.
pub(crate) fn compare(
    data: &Utf8Path,
    rows: &[Row],
    programs: &Programs,
    tally: &mut Tally,
) -> Result<(), String> {
    let fault = |error: io::Error| error.to_string();
    let mut shared: Option<(String, World)> = None;
    for row in rows {
        let (group, case) = row.id.split_once('/').unwrap_or((&row.id, ""));
        if !SHARED.contains(&group) {
            let world = World::of(data, &row.id, &[])?;
            if seed(data, &world.place, group, case, row).map_err(fault)? {
                one(data, row, &world.place, programs, tally)?;
            } else {
                tally.left_out("installing: what was done before the row is not recorded");
            }
            continue;
        }
        if shared.as_ref().is_none_or(|(name, _)| name != group) {
            shared = Some((group.to_owned(), World::of(data, &row.id, &[])?));
        }
        let Some((_, world)) = &shared else { continue };
        for (_, name, bundle) in STEPS.iter().filter(|(at, ..)| row.id.starts_with(at)) {
            source(data, &world.place, name, bundle).map_err(fault)?;
        }
        one(data, row, &world.place, programs, tally)?;
    }
    Ok(())
}

/// Lays what a row by itself starts from; `false` if that is not known.
fn seed(data: &Utf8Path, place: &Place, group: &str, case: &str, row: &Row) -> io::Result<bool> {
    let tiny = || {
        world::copy(&data.join("fixtures/caps/tiny"), &place.home.join(".gsd/capabilities/tiny"))
    };
    match group {
        "ledger" => {
            let name = case.split('/').next().unwrap_or_default();
            let Some((_, text)) = LEDGERS.iter().find(|(known, _)| *known == name) else {
                return Ok(false);
            };
            tiny()?;
            fs::write(place.home.join(".gsd-capabilities.json"), text)?;
        }
        "consent-store" => {
            let Some((_, text)) = STORES.iter().find(|(known, _)| case.starts_with(known)) else {
                return Ok(false);
            };
            fs::create_dir_all(place.home.join(".gsd"))?;
            fs::write(place.home.join(".gsd/consent.json"), text)?;
        }
        _ => return Ok(!row.words.iter().any(|word| word.contains("{BOX}"))),
    }
    Ok(true)
}

/// Puts a bundle where a row looks for its source; an empty name takes it away.
fn source(data: &Utf8Path, place: &Place, name: &str, bundle: &str) -> io::Result<()> {
    let folder = beside(place).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    if bundle.is_empty() {
        Ok(())
    } else {
        world::copy(&data.join("fixtures/caps").join(bundle), &folder)
    }
}

/// The folder that rows call `{BOX}`.
fn beside(place: &Place) -> camino::Utf8PathBuf {
    place.home.parent().unwrap_or(&place.home).join("box")
}

fn one(
    data: &Utf8Path,
    row: &Row,
    place: &Place,
    programs: &Programs,
    tally: &mut Tally,
) -> Result<(), String> {
    let boxed = beside(place);
    let fixtures = data.join("fixtures");
    let names =
        [("{HOME}", &place.home), ("{PROJ}", &place.cwd), ("{FIX}", &fixtures), ("{BOX}", &boxed)];
    let real = |text: &str| {
        names.iter().fold(text.to_owned(), |text, (name, path)| text.replace(name, path.as_str()))
    };
    let words: Vec<String> = row.words.iter().map(|word| real(word)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.first() {
        Some(&"capability") if !words.contains(&"list") || words.contains(&"trust") => {}
        // What it sets counts for the rows after it.
        Some(&"config-set") => {
            programs.tools(place, &words)?;
            return Ok(());
        }
        _ => {
            tally.left_out("between installs: what other groups compare");
            return Ok(());
        }
    }
    if words.contains(&"state") {
        tally.left_out("capability state: with activation");
        return Ok(());
    }
    if UNSEEN.contains(&row.id.as_str()) {
        programs.tools(place, &words)?;
        tally.left_out("installing: what was done before the row is not recorded");
        return Ok(());
    }
    tally.compared("capability install, update, remove, trust, outdated");
    judge(row, &real(&row.stdout), &programs.tools(place, &words)?, tally);
    Ok(())
}

/// Success or failure, and what a success prints: shapes and values, not prose and not moments.
fn judge(row: &Row, stdout: &str, ran: &Ran, tally: &mut Tally) {
    if row.success != (ran.code == 0) {
        let theirs = if row.success { "success" } else { "failure" };
        return tally.differs(format!("install {} {theirs} -> {}", row.id, ran.code));
    }
    let parsed = |text: &str| serde_json::from_str::<Value>(text).ok().map(bare);
    let (theirs, ours) = (parsed(stdout), parsed(&ran.stdout));
    if row.success && theirs != ours {
        let show = |value: Option<Value>| value.unwrap_or_default().to_string();
        tally.differs(format!("install {} {} -> {}", row.id, show(theirs), show(ours)));
    }
}

/// A document without prose and moments.
fn bare(value: Value) -> Value {
    match value {
        Value::Object(members) => members
            .into_iter()
            .filter(|(name, _)| {
                !["disclosure", "consentedAt", "blockReasons"].contains(&name.as_str())
            })
            .map(|(name, value)| (name, bare(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(bare).collect(),
        other => other,
    }
}
