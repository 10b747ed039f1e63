//! Rules about a set of manifests that each are right alone.

use super::MAX_ALIKE;
use super::artifact::check_artifacts;
use super::claim::check_claims;
use crate::config::{Central, Nested, central, nested};
use crate::diag::{Diagnostic, Level, Rule, sort};
use crate::id::{CapabilityId, ConfigKey};
use crate::json::{At, one_of};
use crate::manifest::{ConfigEntry, Manifest, Role, Tier};
use crate::text::nearest;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A capability requires one that is not there.
pub(super) static UNKNOWN_REQUIREMENT: Rule = Rule {
    code: "registry/unknown-requirement",
    level: Level::Error,
    summary: "a capability requires one that is not there",
    docs: include_str!("unknown_requirement.md"),
};

/// Capabilities require each other.
pub(super) static REQUIREMENT_CYCLE: Rule = Rule {
    code: "registry/requirement-cycle",
    level: Level::Error,
    summary: "capabilities require each other",
    docs: include_str!("requirement_cycle.md"),
};

/// A capability requires a rarer one.
pub(super) static REQUIREMENT_TIER: Rule = Rule {
    code: "registry/requirement-tier",
    level: Level::Error,
    summary: "a capability requires one that smaller installs do not have",
    docs: include_str!("requirement_tier.md"),
};

/// A capability speaks of a runtime that is not there.
pub(super) static UNKNOWN_RUNTIME: Rule = Rule {
    code: "registry/unknown-runtime",
    level: Level::Error,
    summary: "a capability speaks of a runtime that is not there",
    docs: include_str!("unknown_runtime.md"),
};

/// A capability declares a setting of gsd's.
pub(super) static CENTRAL_CONFIG_KEY: Rule = Rule {
    code: "registry/central-config-key",
    level: Level::Error,
    summary: "a capability declares a setting that belongs to gsd",
    docs: include_str!("central_config_key.md"),
};

/// The key of one capability is the beginning of another's.
pub(super) static CONFIG_OVERLAP: Rule = Rule {
    code: "registry/config-overlap",
    level: Level::Error,
    summary: "the key of one capability is the beginning of another's",
    docs: include_str!("config_overlap.md"),
};

/// A contribution hands over a setting that nobody declares.
pub(super) static UNKNOWN_CONFIG_VALUE: Rule = Rule {
    code: "registry/unknown-config-value",
    level: Level::Warning,
    summary: "a contribution hands over a setting that nobody declares",
    docs: include_str!("unknown_config_value.md"),
};

/// Names beyond these are not suggested: thousands of names are not compared with thousands.
const MAX_SUGGESTED: usize = 200;

/// Checks a set of manifests against each other. The result does not depend on their order.
pub fn check_set(manifests: &[&Manifest]) -> Vec<Diagnostic> {
    let mut found = check_claims(manifests);
    found.extend(check_artifacts(manifests));
    found.extend(check_requirements(manifests));
    found.extend(check_overlaps(manifests));
    let facts = Facts::of(manifests.iter().copied());
    for manifest in manifests {
        found.extend(check_runtimes(manifest, &facts));
        found.extend(check_central(manifest));
        found.extend(check_config_values(manifest, &facts));
    }
    sort(&mut found);
    found
}

/// What single manifests are checked against.
#[derive(Debug, Default)]
pub(super) struct Facts<'a> {
    pub(super) runtimes: HashSet<&'a str>,
    pub(super) config_keys: HashSet<&'a str>,
    pub(super) tiers: HashMap<&'a str, Tier>,
}

impl<'a> Facts<'a> {
    pub(super) fn of(manifests: impl Iterator<Item = &'a Manifest>) -> Self {
        let mut facts = Self::default();
        for manifest in manifests {
            facts.tiers.insert(manifest.id.as_str(), manifest.tier.value);
            if manifest.role == Role::Runtime {
                facts.runtimes.insert(manifest.id.as_str());
            }
            facts.config_keys.extend(manifest.config.iter().map(|entry| entry.key.as_str()));
        }
        facts
    }
}

/// The runtimes that a manifest names have to be there.
pub(super) fn check_runtimes(manifest: &Manifest, facts: &Facts<'_>) -> Vec<Diagnostic> {
    let Some(compat) = &manifest.runtime_compat else { return vec![] };
    let supported = compat.supported.iter().filter_map(|name| match &name.value {
        crate::manifest::RuntimeName::Every => None,
        crate::manifest::RuntimeName::One(id) => Some((id.as_str(), name.place(&manifest.file))),
    });
    let others = compat.named().map(|id| (id.as_str(), id.place(&manifest.file)));
    let unknown = supported.chain(others).filter(|(id, _)| !facts.runtimes.contains(id));
    let say = |(id, at)| {
        let diagnostic = UNKNOWN_RUNTIME.at(at, format!("no runtime `{id}`")).label("not there");
        match nearest(id, facts.runtimes.iter().copied().take(MAX_SUGGESTED)) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help("`gsd runtime list` shows the runtimes"),
        }
    };
    unknown.take(MAX_ALIKE).map(say).collect()
}

/// A capability cannot declare what belongs to gsd, nor what could not stand beside it.
pub(super) fn check_central(manifest: &Manifest) -> Vec<Diagnostic> {
    let say = |entry: &ConfigEntry| {
        let key = entry.key.as_str();
        let (message, label) = match (central(key), nested(key)) {
            (Some(Central::Key), _) => (format!("the setting `{key}` belongs to gsd"), "taken"),
            (Some(Central::Pattern(family)), _) => {
                (format!("the setting `{key}` is of gsd's family `{family}`"), "taken")
            }
            (None, Some(Nested::Around(own))) => {
                let message = format!("the setting `{key}` is the beginning of gsd's `{own}`");
                (message, "gsd needs an object there")
            }
            (None, Some(Nested::Inside(own))) => {
                let message = format!("the setting `{key}` lies inside gsd's `{own}`");
                (message, "gsd has a value there")
            }
            (None, None) => return None,
        };
        let at = entry.key.place(&manifest.file);
        let diagnostic = CENTRAL_CONFIG_KEY.at(at, message).label(label);
        Some(diagnostic.help(format!("name it after the capability: `{}.…`", manifest.id.value)))
    };
    manifest.config.iter().filter_map(say).take(MAX_ALIKE).collect()
}

fn check_config_values(manifest: &Manifest, facts: &Facts<'_>) -> Vec<Diagnostic> {
    let contributions = manifest.feature().into_iter().flat_map(|f| &f.contributions);
    let keys = contributions.filter_map(|c| c.config_values.as_ref()).flat_map(|values| &values.0);
    let unknown = keys.filter(|(_, key)| {
        !facts.config_keys.contains(key.as_str()) && central(key.as_str()).is_none()
    });
    let say = |(alias, key): &(String, At<ConfigKey>)| {
        let message = format!("nobody declares the setting `{}`", key.value);
        let diagnostic = UNKNOWN_CONFIG_VALUE.at(key.place(&manifest.file), message);
        let alias = crate::json::quoted(alias);
        let diagnostic = diagnostic.label(format!("{alias} will have no value"));
        match nearest(key.as_str(), facts.config_keys.iter().copied().take(MAX_SUGGESTED)) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help("declare it in `config`"),
        }
    };
    unknown.take(MAX_ALIKE).map(say).collect()
}

/// The proper beginnings of a dotted key: `a.b` and `a` of `a.b.c`.
pub(super) fn prefixes(key: &str) -> impl Iterator<Item = &str> {
    key.match_indices('.').map(|(at, _)| &key[..at])
}

fn check_overlaps(manifests: &[&Manifest]) -> Vec<Diagnostic> {
    let mut owners: BTreeMap<&str, (&Manifest, &ConfigEntry)> = BTreeMap::new();
    for manifest in manifests {
        for entry in &manifest.config {
            let better =
                |old: &&(&Manifest, &ConfigEntry)| old.0.id.as_str() <= manifest.id.as_str();
            if owners.get(entry.key.as_str()).as_ref().is_none_or(|old| !better(old)) {
                owners.insert(entry.key.as_str(), (manifest, entry));
            }
        }
    }
    let mut found = vec![];
    for (key, (manifest, entry)) in &owners {
        for prefix in prefixes(key) {
            let Some((other, first)) = owners.get(prefix) else { continue };
            // Within one manifest it was reported there.
            if other.id == manifest.id {
                continue;
            }
            if found.len() < MAX_ALIKE {
                found.push(overlap(manifest, entry, other, first));
            }
        }
    }
    found
}

fn overlap(
    manifest: &Manifest,
    entry: &ConfigEntry,
    other: &Manifest,
    first: &ConfigEntry,
) -> Diagnostic {
    let message = format!(
        "`{}` of `{}` is the beginning of `{}` of `{}`",
        first.key.value, other.id.value, entry.key.value, manifest.id.value
    );
    CONFIG_OVERLAP
        .at(entry.key.place(&manifest.file), message)
        .label("needs an object there")
        .also(first.key.place(&other.file), "a single value here")
        .help("rename one of them")
}

/// `requires`: there, not rarer, not in a circle.
fn check_requirements(manifests: &[&Manifest]) -> Vec<Diagnostic> {
    let mut by_id: BTreeMap<&str, &Manifest> = BTreeMap::new();
    for manifest in manifests {
        by_id.entry(manifest.id.as_str()).or_insert(manifest);
    }
    let mut found = vec![];
    for manifest in manifests {
        let problem = |required: &At<CapabilityId>| {
            let at = required.place(&manifest.file);
            match by_id.get(required.as_str()) {
                None => {
                    let known = by_id.keys().copied().take(MAX_SUGGESTED);
                    Some(unknown_requirement(required.as_str(), at, known))
                }
                Some(other) => tier_problem(manifest, other, at),
            }
        };
        found.extend(manifest.requires.iter().filter_map(problem).take(MAX_ALIKE));
    }
    found.extend(requirement_cycles(&by_id));
    found
}

pub(super) fn unknown_requirement<'a>(
    id: &str,
    at: crate::diag::Location,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let diagnostic = UNKNOWN_REQUIREMENT.at(at, format!("no capability `{id}`")).label("not there");
    match nearest(id, known) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help(format!("install `{id}`, or remove it from `requires`")),
    }
}

pub(super) fn tier_problem(
    manifest: &Manifest,
    required: &Manifest,
    at: crate::diag::Location,
) -> Option<Diagnostic> {
    if required.tier.value <= manifest.tier.value {
        return None;
    }
    let (tier, other) = (manifest.tier.value, required.tier.value);
    let message = format!(
        "`{}` is of tier `{tier}` but requires `{}` of tier `{other}`",
        manifest.id.value, required.id.value
    );
    let allowed = Tier::ALL.iter().filter(|allowed| **allowed <= tier).map(|t| t.word());
    Some(
        REQUIREMENT_TIER
            .at(at, message)
            .label(format!("expected a capability of tier {}", one_of(allowed)))
            .also(required.tier.place(&required.file), "its tier")
            .help(format!("make `{}` tier `{other}`", manifest.id.value)),
    )
}

/// One diagnostic for every circle of `requires`, with its path.
fn requirement_cycles(by_id: &BTreeMap<&str, &Manifest>) -> Vec<Diagnostic> {
    let mut found = vec![];
    // Depth first without recursion: a chain of requirements may be as long as the set.
    let mut done: HashSet<&str> = HashSet::new();
    for start in by_id.keys() {
        let mut path: Vec<(&str, usize)> = vec![(start, 0)];
        let mut on_path: HashSet<&str> = HashSet::from([*start]);
        if done.contains(start) {
            continue;
        }
        while let Some((id, next)) = path.last_mut() {
            let requires = by_id.get(id).map(|m| m.requires.as_slice()).unwrap_or_default();
            let Some(required) = requires.get(*next) else {
                done.insert(id);
                on_path.remove(id);
                path.pop();
                continue;
            };
            *next += 1;
            let (from, required_id) = (*id, required.as_str());
            if on_path.contains(required_id) {
                let begin = path.iter().position(|(id, _)| *id == required_id).unwrap_or(0);
                let mut names: Vec<&str> = path[begin..].iter().map(|(id, _)| *id).collect();
                names.push(required_id);
                // A capability that requires itself was told so already.
                if names.len() > 2 {
                    let manifest = by_id[from];
                    let message = format!("capabilities require each other: {}", path_text(&names));
                    let at = required.place(&manifest.file);
                    let diagnostic = REQUIREMENT_CYCLE.at(at, message).label("closes the circle");
                    found.push(diagnostic.help("take one of them out of `requires`"));
                }
            } else if let Some((known, _)) = by_id.get_key_value(required_id)
                && !done.contains(known)
            {
                on_path.insert(known);
                path.push((known, 0));
            }
        }
    }
    found
}

/// `a → b → a`, cut in the middle where it is long.
pub(super) fn path_text(names: &[&str]) -> String {
    let shown: Vec<String> = if names.len() > 12 {
        let (first, last) = (&names[..6], &names[names.len() - 5..]);
        let middle = format!("… {} more …", names.len() - 11);
        first
            .iter()
            .map(|n| format!("`{n}`"))
            .chain([middle])
            .chain(last.iter().map(|n| format!("`{n}`")))
            .collect()
    } else {
        names.iter().map(|name| format!("`{name}`")).collect()
    };
    shown.join(" → ")
}
