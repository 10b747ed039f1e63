//! The difference of two registries, as people read it: which values were added, removed, changed.

use crate::json::quoted;
use serde_json::Value;
use std::collections::BTreeSet;

/// One value that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// A JSON Pointer.
    pub pointer: String,
    /// The value in the first document, short; `None` if there is none.
    pub before: Option<String>,
    pub after: Option<String>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => write!(f, "~ {}: {before} → {after}", self.pointer),
            (None, Some(after)) => write!(f, "+ {}: {after}", self.pointer),
            (Some(before), None) => write!(f, "- {}: {before}", self.pointer),
            (None, None) => write!(f, "  {}", self.pointer),
        }
    }
}

/// Every value that differs, in the order of their pointers.
pub fn differences(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = vec![];
    walk(String::new(), Some(before), Some(after), &mut found);
    found
}

fn walk(
    pointer: String,
    before: Option<&Value>,
    after: Option<&Value>,
    found: &mut Vec<Difference>,
) {
    match (before, after) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let escaped = key.replace('~', "~0").replace('/', "~1");
                walk(format!("{pointer}/{escaped}"), a.get(key), b.get(key), found);
            }
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) => {
            for index in 0..a.len().max(b.len()) {
                walk(format!("{pointer}/{index}"), a.get(index), b.get(index), found);
            }
        }
        (before, after) if before == after => {}
        (before, after) => {
            found.push(Difference { pointer, before: before.map(short), after: after.map(short) })
        }
    }
}

fn short(value: &Value) -> String {
    match value {
        Value::Object(members) => format!("an object of {}", members.len()),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::String(text) => quoted(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::differences;
    use serde_json::json;

    #[test]
    fn what_was_added_removed_and_changed() {
        let before = json!({ "a": 1, "b/c": [1, 2], "d": { "e": "x" } });
        let after = json!({ "a": 2, "b/c": [1], "f": {} });
        let shown: Vec<String> =
            differences(&before, &after).iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            ["~ /a: 1 → 2", "- /b~1c/1: 2", "- /d: an object of 1", "+ /f: an object of 0"]
        );
        assert!(differences(&before, &before).is_empty());
    }
}
