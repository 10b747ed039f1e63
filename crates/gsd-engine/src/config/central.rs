//! The settings that belong to gsd itself. No capability may declare them.
//!
//! They are data (`central.json`): exact keys, and families of keys below a prefix.

use super::declared::{Declaration, is_below};
use super::kind::{Kind, Range};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    keys: Map<String, Value>,
    patterns: Map<String, Value>,
    /// Numbers of capabilities that not every value makes sense for; manifests cannot say so.
    bounds: HashMap<String, Bounds>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bounds {
    #[serde(default)]
    whole: bool,
    min: Option<f64>,
    max: Option<f64>,
}

fn table() -> Table {
    serde_json::from_str(include_str!("central.json")).expect("a test reads the embedded table")
}

/// The numbers that a setting of a capability takes.
pub fn range_of(key: &str) -> Range {
    static BOUNDS: OnceLock<HashMap<String, Bounds>> = OnceLock::new();
    match BOUNDS.get_or_init(|| table().bounds).get(key) {
        Some(Bounds { whole, min, max }) => {
            Range { whole: *whole, min: *min, max: *max, unset: None }
        }
        None => Range::ANY,
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(rename = "type")]
    kind: Word,
    description: String,
    default: Option<Value>,
    #[serde(default)]
    values: Vec<String>,
    min: Option<f64>,
    max: Option<f64>,
    unset: Option<f64>,
    #[serde(default)]
    secret: bool,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Any,
    Boolean,
    String,
    Number,
    Integer,
    Enum,
    List,
    Object,
}

impl Row {
    fn declare(self, key: String) -> Declaration {
        let range = |whole| Range { whole, min: self.min, max: self.max, unset: self.unset };
        let kind = match self.kind {
            Word::Any => Kind::Any,
            Word::Boolean => Kind::Boolean,
            Word::String => Kind::Text,
            Word::Number => Kind::Number(range(false)),
            Word::Integer => Kind::Number(range(true)),
            Word::Enum => Kind::Words(self.values),
            Word::List => Kind::List,
            Word::Object => Kind::Object,
        };
        Declaration {
            user_only: USER_ONLY.contains(&key.strip_suffix(".*").unwrap_or(&key)),
            key,
            kind,
            default: self.default,
            description: self.description,
            owner: None,
            secret: self.secret,
        }
    }
}

/// Why a key belongs to gsd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Central {
    /// It is one of gsd's settings.
    Key,
    /// It is of a family of gsd's settings, such as `models.*`.
    Pattern(&'static str),
}

/// Every setting and family of gsd: keys in their order, then families.
pub fn central_declarations() -> &'static [Declaration] {
    static TABLE: OnceLock<Vec<Declaration>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let table = table();
        let rows = table.keys.into_iter().chain(table.patterns);
        rows.map(|(key, row)| {
            let row: Row = serde_json::from_value(row).expect("a test reads the embedded table");
            row.declare(key)
        })
        .collect()
    })
}

/// The same by name: registries ask for every key of every capability.
struct Index {
    keys: HashSet<&'static str>,
    /// Prefix and family.
    families: Vec<(&'static str, &'static str)>,
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let all = || central_declarations().iter();
        let keys = all().filter(|one| !one.is_family()).map(|one| one.key.as_str()).collect();
        let families =
            all().filter_map(|one| Some((one.key.split_once(".*")?.0, one.key.as_str())));
        Index { keys, families: families.collect() }
    })
}

/// Whether a dotted key belongs to gsd.
pub fn central(key: &str) -> Option<Central> {
    let Index { keys, families } = index();
    if keys.contains(key) {
        return Some(Central::Key);
    }
    let family = families.iter().find(|(prefix, _)| is_below(key, prefix));
    family.map(|(_, family)| Central::Pattern(family))
}

/// How a key that is none of gsd's lies to one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nested {
    /// This setting or family of gsd's lies inside the key.
    Around(&'static str),
    /// The key lies inside this setting of gsd's.
    Inside(&'static str),
}

/// The setting or family of gsd's that could not stand in one file beside a setting of this name.
pub fn nested(key: &str) -> Option<Nested> {
    central_declarations().iter().find_map(|one| {
        let own = one.key.as_str();
        let prefix = own.split_once(".*").map_or(own, |(prefix, _)| prefix);
        if is_below(own, key) {
            Some(Nested::Around(own))
        } else {
            is_below(key, prefix).then_some(Nested::Inside(own))
        }
    })
}

/// What a repository must not decide: which variables a child sees, where keys are sent, whether
/// secrets are taken out. Keys, and the prefixes of families. Every reading of settings asks for
/// these, and few ask for the rest of the table.
pub(super) const USER_ONLY: [&str; 12] = [
    "capabilities.auto_update",
    "capabilities.private_hosts",
    "capabilities.proxy",
    "capabilities.registries",
    "capabilities.signing_keys",
    "capabilities.timeout",
    "review.api_key_env",
    "review.confinement",
    "review.confinements",
    "review.env",
    "review.proxy",
    "review.redact",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_families() {
        assert_eq!(central("commit_docs"), Some(Central::Key));
        assert_eq!(central("features.zz"), Some(Central::Pattern("features.*")));
        assert_eq!(central("review.env.acme"), Some(Central::Pattern("review.env.*")));
        for own in ["review.models.codex", "review.timeouts.codex", "workflow.ui_phase", "features"]
        {
            assert_eq!(central(own), None, "{own}");
        }
        let keys: Vec<_> = central_declarations()
            .iter()
            .filter(|one| !one.is_family())
            .map(|one| &one.key)
            .collect();
        assert!(keys.is_sorted() && keys.len() > 80);
    }

    #[test]
    fn what_lies_around_or_inside_a_setting_of_gsd() {
        for (key, expected) in [
            ("git", Some(Nested::Around("git.base_branch"))),
            ("features", Some(Nested::Around("features.global_learnings"))),
            ("review.env", Some(Nested::Around("review.env.*"))),
            ("manager.flags", Some(Nested::Around("manager.flags.discuss"))),
            ("capabilities.proxy.x", Some(Nested::Inside("capabilities.proxy"))),
            ("mode.deep.x", Some(Nested::Inside("mode"))),
            ("review.models.codex", None),
            ("workflow.ui_phase", None),
            ("gitea", None),
        ] {
            assert_eq!(nested(key), expected, "{key}");
        }
    }

    #[test]
    fn every_setting_of_gsd_is_sound() {
        for one in central_declarations() {
            assert!(one.description.ends_with('.') && one.description.len() > 10, "{}", one.key);
            if let Some(default) = &one.default {
                assert!(one.kind.accepts(default), "the default of {}", one.key);
            }
            if let Kind::Words(words) = &one.kind {
                assert!(!words.is_empty(), "{}", one.key);
            }
        }
        let own = central_declarations().iter().filter(|one| one.user_only).count();
        assert_eq!(own, USER_ONLY.len(), "each is in the table");
    }
}
