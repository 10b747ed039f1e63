//! What an approval is bound to: all that a manifest says and all that a bundle holds, less what is
//! known to do nothing. A field that nobody thought of is bound.
//!
//! Lists whose order means nothing are kept in one order, and lists of named things by their names,
//! so that two ways to write the same thing are the same and a difference can be told.

use super::files::BundleFiles;
use super::raw::text;
use super::stringify::stringify;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Fields of a manifest that only describe it, or that are checked before consent is asked.
const INERT: [&str; 13] = [
    "$schema",
    "author",
    "compatVersions",
    "description",
    "engines",
    "homepage",
    "integrity",
    "keywords",
    "license",
    "provenance",
    "repository",
    "title",
    "version",
];

/// Fields of a lane that change neither what is started, what is sent, nor where to.
const INERT_OF_LANE: [&str; 3] = ["evidenceClass", "reviewsSection", "timeoutFloorMs"];

/// What is bound. `files` are those of a bundle that brings something that runs: any of them may be
/// read by it, a README or a licence as well. The manifest is bound by what it says.
pub(super) fn bound(manifest: &Value, files: Option<&BundleFiles>) -> Value {
    let declared = match manifest {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| !INERT.contains(&name.as_str()));
            kept.map(|(name, value)| (name.clone(), part(name, value))).collect()
        }
        other => other.clone(),
    };
    let digests: Map<String, Value> = files
        .into_iter()
        .flat_map(BundleFiles::iter)
        .filter(|(path, _)| *path != "capability.json")
        .map(|(path, file)| (path.to_owned(), file.sha256.as_str().into()))
        .collect();
    json!({ "manifest": declared, "files": digests })
}

/// One member of a manifest.
fn part(name: &str, value: &Value) -> Value {
    match (name, value) {
        ("skills" | "agents" | "requires", Value::Array(items)) => in_one_order(items),
        ("hooks", Value::Array(items)) => by_name(items, |hook| {
            (hook.clone(), format!("{} -> {}", text(hook, "event"), text(hook, "script")))
        }),
        ("commands", Value::Array(items)) => by_name(items, |command| {
            (without(command, &["subcommands"]), text(command, "family").to_owned())
        }),
        ("mcpServers", Value::Array(items)) => {
            by_name(items, |server| match server.get("config") {
                Some(config) => (config.clone(), text(server, "name").to_owned()),
                None => (without(server, &["name"]), text(server, "name").to_owned()),
            })
        }
        ("mcpServers", Value::Object(servers)) => {
            let server = |(name, config): (&String, &Value)| (name.clone(), json!([config]));
            Value::Object(servers.iter().map(server).collect())
        }
        ("config", Value::Object(entries)) => {
            let entry =
                |(key, entry): (&String, &Value)| (key.clone(), without(entry, &["description"]));
            Value::Object(entries.iter().map(entry).collect())
        }
        ("runtimeCompat", compat) => match without(compat, &["notes"]) {
            Value::Object(lists) => {
                let list = |(name, list): (String, Value)| match &list {
                    Value::Array(items) => (name, in_one_order(items)),
                    _ => (name, list),
                };
                Value::Object(lists.into_iter().map(list).collect())
            }
            other => other,
        },
        ("reviewer", lane) => without(lane, &INERT_OF_LANE),
        (_, other) => other.clone(),
    }
}

fn without(value: &Value, fields: &[&str]) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| !fields.contains(&name.as_str()));
            Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
        }
        other => other.clone(),
    }
}

fn in_one_order(items: &[Value]) -> Value {
    let mut items = items.to_vec();
    items.sort_by_cached_key(stringify);
    items.into()
}

/// A list of named things as an object, each name with a list of what bears it: of several with one
/// name, none stands in for another.
fn by_name(items: &[Value], name: impl Fn(&Value) -> (Value, String)) -> Value {
    let mut named: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for item in items {
        let (value, name) = name(item);
        named.entry(name).or_default().push(value);
    }
    let alike = |(name, values): (String, Vec<Value>)| (name, in_one_order(&values));
    Value::Object(named.into_iter().map(alike).collect())
}
