//! Single-field mutations of public manifests: is each accepted or refused as it was there?

use crate::program::{Place, Programs};
use crate::tally::Tally;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use std::collections::HashMap;

/// So many are validated by one run of the program.
const BATCH: usize = 100;

/// A mutated manifest and what was said of it.
struct Mutant {
    base: String,
    path: Vec<String>,
    set: String,
    peer: String,
}

impl Mutant {
    fn read(line: &str) -> Result<Self, String> {
        let row: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let text = |key: &str| {
            row[key].as_str().map(str::to_owned).ok_or_else(|| format!("a row lacks `{key}`"))
        };
        let path = row["path"].as_array().ok_or("a row lacks `path`")?;
        Ok(Self {
            base: text("base")?,
            path: path.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            set: text("set")?,
            peer: text("peer")?,
        })
    }

    /// The manifest with its mutation.
    fn apply(&self, manifest: &Value) -> Result<Value, String> {
        let lost = || format!("{} has no {:?}", self.base, self.path);
        let mut changed = manifest.clone();
        let (last, above) = self.path.split_last().ok_or_else(lost)?;
        let mut at = &mut changed;
        for key in above {
            at = match at {
                Value::Array(items) => {
                    key.parse().ok().and_then(|index: usize| items.get_mut(index))
                }
                other => other.get_mut(key),
            }
            .ok_or_else(lost)?;
        }
        let new: Option<Value> = match self.set.as_str() {
            "DELETE" => None,
            text => Some(serde_json::from_str(text).map_err(|error| error.to_string())?),
        };
        match (at, new) {
            (Value::Object(fields), Some(new)) => {
                fields.insert(last.clone(), new);
            }
            (Value::Object(fields), None) => {
                fields.shift_remove(last);
            }
            (Value::Array(items), new) => {
                let index: usize = last.parse().map_err(|_| lost())?;
                match new {
                    Some(new) => *items.get_mut(index).ok_or_else(lost)? = new,
                    None => {
                        items.remove(index);
                    }
                }
            }
            _ => return Err(lost()),
        }
        Ok(changed)
    }
}

pub(crate) fn compare(
    data: &Utf8Path,
    programs: &Programs,
    tally: &mut Tally,
) -> Result<(), String> {
    let text = std::fs::read_to_string(data.join("mutations.jsonl"))
        .map_err(|error| format!("mutations.jsonl: {error}"))?;
    let mutants: Vec<Mutant> = text.lines().map(Mutant::read).collect::<Result<_, _>>()?;
    let mut bases: HashMap<String, Value> = HashMap::new();
    for mutant in &mutants {
        if !bases.contains_key(&mutant.base) {
            let path = data.join("manifests").join(&mutant.base).join("capability.json");
            let text =
                std::fs::read_to_string(&path).map_err(|error| format!("`{path}`: {error}"))?;
            let base = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            bases.insert(mutant.base.clone(), base);
        }
    }
    for batch in mutants.chunks(BATCH) {
        for (mutant, codes) in batch.iter().zip(validate(data, batch, &bases, programs)?) {
            tally.compared("mutated manifests");
            let ours = if codes.is_empty() { "accept" } else { "reject" };
            // An exception of theirs is a refusal in other words.
            let theirs = if mutant.peer == "accept" { "accept" } else { "reject" };
            if ours != theirs {
                let path = mutant.path.join("/");
                tally.differs(format!(
                    "mutation {} /{path} = {} : {} -> {ours} {}",
                    mutant.base,
                    mutant.set,
                    mutant.peer,
                    codes.join(" ")
                ));
            }
        }
    }
    Ok(())
}

/// The codes of the errors that each has by itself, in the order given.
fn validate(
    data: &Utf8Path,
    batch: &[Mutant],
    bases: &HashMap<String, Value>,
    programs: &Programs,
) -> Result<Vec<Vec<String>>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned())
        .map_err(|_| "the folder is not UTF-8".to_owned())?;
    let root = root.canonicalize_utf8().map_err(|error| error.to_string())?;
    let place = Place::plain(&root.join("home"), &root);
    let mut args: Vec<String> = ["--json", "capability", "validate"].map(str::to_owned).to_vec();
    for (index, mutant) in batch.iter().enumerate() {
        let path = root.join(format!("{index}/{}", mutant.base));
        crate::world::copy(&data.join("manifests").join(&mutant.base), &path)
            .map_err(|error| error.to_string())?;
        std::fs::remove_file(path.join("capability.json")).map_err(|error| error.to_string())?;
        let manifest = mutant.apply(&bases[&mutant.base])?;
        let text = serde_json::to_string_pretty(&manifest).map_err(|error| error.to_string())?;
        std::fs::write(path.join("capability.json"), text).map_err(|error| error.to_string())?;
        args.push(format!("{index}/{}", mutant.base));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let ran = programs.gsd(&place, &args)?;
    if !matches!(ran.code, 0 | 1) {
        return Err(format!("validating ended with {}: {}", ran.code, ran.stderr));
    }
    let report = ran.json()?;
    let mut codes: Vec<Vec<String>> = vec![vec![]; batch.len()];
    let none = vec![];
    for diagnostic in report["details"]["diagnostics"].as_array().unwrap_or(&none) {
        let code = diagnostic["code"].as_str().unwrap_or_default();
        // What two manifests say of each other is no fault of either by itself: all of one batch
        // share their ids.
        if diagnostic["level"] != "error" || code.starts_with("registry/") {
            continue;
        }
        let file = diagnostic["at"]["file"].as_str().unwrap_or_default();
        let index = file.split('/').next().and_then(|first| first.parse::<usize>().ok());
        let index = index.filter(|index| *index < codes.len());
        let list = index.map(|index| &mut codes[index]);
        list.ok_or_else(|| format!("a diagnostic is of `{file}`"))?.push(code.to_owned());
    }
    for list in &mut codes {
        list.sort();
        list.dedup();
    }
    Ok(codes)
}
