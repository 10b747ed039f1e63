//! The registry as one JSON document. The same capabilities give the same bytes.

use super::{Capability, Registry};
use crate::id::Point;
use crate::manifest::{ConfigDefault, ConfigEntry};
use serde_json::{Map, Value, json};

/// The version of the document's shape.
const VERSION: &str = "1";

/// The whole registry: every manifest with the texts of its fragments, and the views. Its size grows
/// with what the manifests say: all that a capability requires, directly or not, follows from their
/// `requires` and is not written for each, since along a chain that would be its square.
pub fn document(registry: &Registry) -> Value {
    let capabilities: Map<String, Value> = registry
        .capabilities()
        .map(|capability| (capability.id().as_str().to_owned(), manifest(capability)))
        .collect();
    let runtimes: Vec<&str> = registry.runtimes().map(|runtime| runtime.id().as_str()).collect();
    let by_loop_point = by_loop_point(registry, &capabilities);
    json!({
        "version": VERSION,
        "capabilities": capabilities,
        "bySkill": registry.by_skill(),
        "byAgent": registry.by_agent(),
        "byLoopPoint": by_loop_point,
        "configKeys": registry.config_keys(),
        "configSchema": config_schema(registry),
        "runtimes": runtimes,
        "lanes": lanes(registry),
        "commandFamilies": command_families(registry),
        "capabilityClusters": registry.clusters(),
        "profileMembership": profile_membership(registry),
    })
}

/// The document as text: two spaces, one final line break.
pub fn render(registry: &Registry) -> String {
    let text =
        serde_json::to_string_pretty(&document(registry)).expect("a value always serialises");
    format!("{text}\n")
}

/// A manifest as it was declared, with the texts of its fragments beside their paths.
fn manifest(capability: &Capability) -> Value {
    let text = capability.manifest.file.text();
    let mut manifest: Value = serde_json::from_str(text).expect("the manifest was read from it");
    for list in ["steps", "contributions"] {
        let Some(hooks) = manifest.get_mut(list).and_then(Value::as_array_mut) else { continue };
        for fragment in hooks.iter_mut().filter_map(|hook| hook.get_mut("fragment")) {
            let path = fragment.get("path").and_then(Value::as_str);
            let text = path.and_then(|path| {
                // The manifest may spell a path with `./` or doubled slashes.
                let path = crate::id::RelPath::parse(path).ok()?;
                capability.fragments.get(path.as_str())
            });
            if let Some(text) = text {
                fragment["inline"] = json!(text);
            }
        }
    }
    manifest
}

fn by_loop_point(registry: &Registry, manifests: &Map<String, Value>) -> Value {
    let at = |point: &Point| {
        let hooks = registry.at_point(*point);
        let pick = |list: &str, owners: Vec<(&Capability, usize)>| -> Value {
            owners
                .into_iter()
                .map(|(capability, index)| {
                    let mut hook = manifests[capability.id().as_str()][list][index].clone();
                    hook["capId"] = json!(capability.id());
                    hook
                })
                .collect()
        };
        let steps =
            hooks.steps.iter().map(|(owner, step)| (*owner, index_of(&feature(owner).steps, step)));
        let contributions = hooks
            .contributions
            .iter()
            .map(|(owner, c)| (*owner, index_of(&feature(owner).contributions, c)));
        let gates =
            hooks.gates.iter().map(|(owner, gate)| (*owner, index_of(&feature(owner).gates, gate)));
        json!({
            "steps": pick("steps", steps.collect()),
            "contributions": pick("contributions", contributions.collect()),
            "gates": pick("gates", gates.collect()),
        })
    };
    Point::ALL.iter().map(|point| (point.word().to_owned(), at(point))).collect()
}

fn feature(capability: &Capability) -> &crate::manifest::Feature {
    capability.manifest.feature().expect("only features have hooks")
}

fn index_of<T>(list: &[T], item: &T) -> usize {
    list.iter().position(|other| std::ptr::eq(other, item)).expect("the hook is of this list")
}

fn default_value(default: &ConfigDefault) -> Value {
    match default {
        ConfigDefault::Boolean(value) => json!(value),
        // Whole numbers are written without a fraction, as they were declared.
        ConfigDefault::Number(value) if value.fract() == 0.0 && value.abs() < 9e15 => {
            #[expect(clippy::cast_possible_truncation, reason = "checked just above")]
            let whole = *value as i64;
            json!(whole)
        }
        ConfigDefault::Number(value) => json!(value),
        ConfigDefault::Text(text) => json!(text),
    }
}

fn config_schema(registry: &Registry) -> Value {
    let describe = |owner: &Capability, entry: &ConfigEntry| {
        let mut described = json!({
            "owner": owner.id(),
            "type": entry.kind.word(),
            "default": default_value(&entry.default),
            "description": entry.description,
        });
        if !entry.values.is_empty() {
            described["values"] = json!(entry.values);
        }
        described
    };
    let schema = registry.config_schema();
    schema
        .into_iter()
        .map(|(key, (owner, entry))| (key.to_owned(), describe(owner, entry)))
        .collect()
}

fn lanes(registry: &Registry) -> Value {
    let lane = |lane: &crate::lane::roster::Lane| {
        json!({
            "slug": lane.slug(),
            "capability": lane.capability,
            "heading": lane.descriptor.heading.as_str(),
            "flags": lane.descriptor.flags,
        })
    };
    registry.lanes().iter().map(lane).collect()
}

fn command_families(registry: &Registry) -> Value {
    let families = registry.command_families();
    let describe =
        |(family, (owner, command)): (&str, (&Capability, &crate::manifest::Command))| {
            let described = json!({
                "capability": owner.id(),
                "module": command.module.as_str(),
                "router": command.router.as_str(),
            });
            (family.to_owned(), described)
        };
    families.into_iter().map(describe).collect()
}

fn profile_membership(registry: &Registry) -> Value {
    let membership = registry.profile_membership();
    let describe =
        |(id, (tier, profiles)): (&str, (crate::manifest::Tier, Vec<crate::manifest::Tier>))| {
            let profiles: Vec<&str> = profiles.into_iter().map(|profile| profile.word()).collect();
            (id.to_owned(), json!({ "tier": tier.word(), "profiles": profiles }))
        };
    membership.into_iter().map(describe).collect()
}
