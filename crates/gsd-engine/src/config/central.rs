//! The settings that belong to gsd itself. No capability may declare them.
//!
//! They are data (`central.json`): exact keys, and families of keys below a prefix.

use serde::Deserialize;
use std::collections::HashSet;
use std::sync::OnceLock;

#[derive(Debug, Deserialize)]
struct Table {
    keys: Vec<String>,
    patterns: Vec<String>,
}

/// Why a key belongs to gsd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Central {
    /// It is one of gsd's settings.
    Key,
    /// It is of a family of gsd's settings, such as `models.*`.
    Pattern(&'static str),
}

fn table() -> &'static (HashSet<String>, Vec<String>) {
    static TABLE: OnceLock<(HashSet<String>, Vec<String>)> = OnceLock::new();
    TABLE.get_or_init(|| {
        let table: Table = serde_json::from_str(include_str!("central.json"))
            .expect("a test reads the embedded table");
        (table.keys.into_iter().collect(), table.patterns)
    })
}

/// Whether a dotted key belongs to gsd.
pub fn central(key: &str) -> Option<Central> {
    let (keys, patterns) = table();
    if keys.contains(key) {
        return Some(Central::Key);
    }
    let family = |pattern: &&String| {
        let prefix = pattern.strip_suffix('*').unwrap_or(pattern);
        key.len() > prefix.len() && key.starts_with(prefix)
    };
    patterns.iter().find(family).map(|pattern| Central::Pattern(pattern))
}

/// Every key of gsd, in order.
pub fn central_keys() -> Vec<&'static str> {
    let mut keys: Vec<&str> = table().0.iter().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

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
        assert!(central_keys().is_sorted() && central_keys().len() > 80);
    }
}
