//! The public manifests: none may have an error, and what gsd brings under the same ids is compared
//! with them, value by value.

use crate::program::{Place, Programs};
use crate::tally::Tally;
use camino::Utf8Path;
use serde_json::Value;

/// Words for people, and what every implementation has of its own.
const OWN: [&str; 5] = ["title", "description", "notes", "fragment", "version"];

pub(crate) fn compare(
    data: &Utf8Path,
    programs: &Programs,
    tally: &mut Tally,
) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let home = Utf8Path::from_path(folder.path()).ok_or("the folder is not UTF-8")?.to_owned();
    let place = Place::plain(&home, &home);
    let data = data.canonicalize_utf8().map_err(|error| error.to_string())?;
    let manifests = data.join("manifests");
    let ran = programs.gsd(&place, &["--json", "capability", "validate", manifests.as_str()])?;
    let report = ran.json()?;
    let empty = vec![];
    for diagnostic in report["details"]["diagnostics"].as_array().unwrap_or(&empty) {
        if diagnostic["level"] == "error" {
            let (code, at) = (&diagnostic["code"], &diagnostic["at"]);
            tally.differs(format!(
                "manifest {} {} {}",
                plain(code),
                plain(&at["file"]),
                plain(&at["pointer"])
            ));
        }
    }
    let built = programs.gsd(&place, &["registry", "build", "--first-party"])?.json()?;
    let mut entries: Vec<_> =
        manifests.read_dir_utf8().map_err(|error| error.to_string())?.flatten().collect();
    entries.sort_by(|a, b| a.file_name().cmp(b.file_name()));
    for entry in entries {
        let text = std::fs::read_to_string(entry.path().join("capability.json"))
            .map_err(|error| format!("`{}`: {error}", entry.path()))?;
        let theirs: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        tally.compared("public manifests, validated and compared with gsd's own");
        let id = entry.file_name();
        differences(&theirs, &built["capabilities"][id], "", &mut |pointer, theirs, ours| {
            tally.differs(format!("data {id} {pointer} {theirs} -> {ours}"));
        });
    }
    Ok(())
}

fn plain(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Calls `found` for each pointer at which two values differ. Lists are compared as a whole where
/// their lengths differ.
fn differences(
    theirs: &Value,
    ours: &Value,
    pointer: &str,
    found: &mut dyn FnMut(&str, &Value, &Value),
) {
    match (theirs, ours) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                if OWN.contains(&key.as_str()) {
                    continue;
                }
                let null = Value::Null;
                let (a, b) = (a.get(key).unwrap_or(&null), b.get(key).unwrap_or(&null));
                differences(a, b, &format!("{pointer}/{key}"), found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                differences(a, b, &format!("{pointer}/{index}"), found);
            }
        }
        (a, b) if a == b => {}
        (a, b) => found(pointer, a, b),
    }
}
