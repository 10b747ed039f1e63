//! What an install would write, run and contact, from the typed manifest: the side of the preview
//! that a user decides by.

use super::{Candidate, lane_effects};
use crate::hook::{Contribution, Fragment, Step};
use crate::manifest::{ConfigDefault, ConfigEntry, Manifest, RuntimeName};
use lane_effects::values;
use serde_json::{Map, Value, json};

pub(super) fn effects(candidate: &Candidate, manifest: &Manifest) -> Value {
    let disclosed = candidate.disclosure.to_json();
    let files: Map<String, Value> = candidate
        .files
        .iter()
        // The manifest itself counts by what it means, not by its bytes.
        .filter(|(path, _)| *path != "capability.json")
        .map(|(path, file)| {
            (path.to_owned(), json!({ "bytes": file.bytes, "sha256": file.sha256 }))
        })
        .collect();
    json!({
        "registry": registry(manifest),
        "config": config(&manifest.config),
        "loop": in_loop(manifest, &candidate.raw),
        "hooks": in_one_order(&disclosed["hooks"]),
        "commands": in_one_order(&disclosed["commands"]),
        "mcpServers": in_one_order(&disclosed["mcpServers"]),
        "gateCommands": in_one_order(&disclosed["gateCommands"]),
        "lane": manifest.lane().map(|lane| lane_effects::lane(&lane.descriptor)),
        "laneState": disclosed["lane"]["state"],
        "sends": disclosed["lane"]["sends"],
        "destination": disclosed["lane"]["destination"],
        "host": candidate.raw.get("runtime"),
        "prompts": in_one_order(&disclosed["prompts"]),
        "files": files,
    })
}

/// A list whose order means nothing.
fn in_one_order(list: &Value) -> Value {
    let mut items: Vec<Value> = list.as_array().cloned().unwrap_or_default();
    items.iter_mut().for_each(Value::sort_all_objects);
    items.sort_by_cached_key(ToString::to_string);
    items.into()
}

fn registry(manifest: &Manifest) -> Value {
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let feature = manifest.feature();
    let compat = manifest.runtime_compat.as_ref();
    let name = |name: &RuntimeName| match name {
        RuntimeName::Every => "*".to_owned(),
        RuntimeName::One(id) => id.to_string(),
    };
    json!({
        "id": manifest.id.as_str(),
        "role": manifest.role.word(),
        "tier": manifest.tier.value.word(),
        "requires": sorted(values(&manifest.requires, ToString::to_string)),
        "supported": compat.map(|compat| sorted(values(&compat.supported, name))),
        "unsupported": compat.map(|compat| sorted(values(&compat.unsupported, ToString::to_string))),
        "skills": feature.map(|feature| sorted(values(&feature.skills, ToString::to_string))),
        "agents": feature.map(|feature| sorted(values(&feature.agents, ToString::to_string))),
        "activationKey": feature.and_then(|feature| feature.activation_key.as_ref()).map(|key| key.as_str()),
        "families": sorted(manifest.commands.iter().map(|c| c.family.as_str().to_owned()).collect()),
    })
}

fn config(entries: &[ConfigEntry]) -> Value {
    let entry = |entry: &ConfigEntry| {
        let default = match &entry.default {
            ConfigDefault::Boolean(value) => json!(value),
            ConfigDefault::Number(value) => json!(value),
            ConfigDefault::Text(text) => json!(text),
        };
        let described =
            json!({ "type": entry.kind.word(), "default": default, "values": entry.values });
        (entry.key.as_str().to_owned(), described)
    };
    Value::Object(entries.iter().map(entry).collect())
}

fn in_loop(manifest: &Manifest, raw: &Value) -> Value {
    let Some(feature) = manifest.feature() else { return Value::Null };
    let gates = raw.get("gates").cloned().unwrap_or_default();
    json!({
        "steps": feature.steps.iter().map(step).collect::<Vec<_>>(),
        "contributions": feature.contributions.iter().map(contribution).collect::<Vec<_>>(),
        "gates": gates,
    })
}

fn step(step: &Step) -> Value {
    let (word, name) = step.target.word_and_name();
    json!({
        "point": step.point.value.word(),
        "runs": format!("{word} {name}"),
        "produces": values(&step.produces, |artifact| artifact.as_str().to_owned()),
        "consumes": values(&step.consumes, |artifact| artifact.as_str().to_owned()),
        "onError": step.on_error.word(),
        "when": step.when.as_ref().map(|key| key.as_str()),
        "fragment": step.fragment.as_ref().map(fragment),
    })
}

fn contribution(hook: &Contribution) -> Value {
    let given: Map<String, Value> = hook
        .config_values
        .iter()
        .flat_map(|values| &values.0)
        .map(|(alias, key)| (alias.clone(), key.as_str().into()))
        .collect();
    json!({
        "point": hook.point.value.word(),
        "into": hook.into.value,
        "produces": values(&hook.produces, |artifact| artifact.as_str().to_owned()),
        "consumes": values(&hook.consumes, |artifact| artifact.as_str().to_owned()),
        "fragment": fragment(&hook.fragment),
        "when": hook.when.as_ref().map(|key| key.as_str()),
        "onError": hook.on_error.map(|on_error| on_error.word()),
        "configValues": given,
    })
}

fn fragment(fragment: &Fragment) -> Value {
    match (&fragment.path, &fragment.inline) {
        (Some(path), _) => json!({ "path": path.as_str() }),
        (None, inline) => json!({ "inline": inline.as_ref().map(|text| text.value.as_str()) }),
    }
}
