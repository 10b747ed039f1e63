//! What a field looks like, for messages about one that is missing or of a wrong type.

use serde_json::Value;

/// What a field looks like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected {
    pub(crate) key: &'static str,
    /// A JSON text; empty if the schema says it better.
    pub(crate) example: &'static str,
    pub(crate) schema: fn() -> Value,
}

impl Expected {
    /// A field that is shown by an example.
    pub(crate) const fn example(key: &'static str, example: &'static str) -> Self {
        Self { key, example, schema: || Value::Null }
    }

    /// What to write for the field, as far as it can be told.
    pub(super) fn help(&self) -> Option<String> {
        let key = self.key;
        match self.example {
            "" => {}
            "[]" => return Some(format!("write `\"{key}\": []` if there are none")),
            example => return Some(format!("write for example `\"{key}\": {example}`")),
        }
        let schema = (self.schema)();
        if let Some(words) = schema["enum"].as_array() {
            let words: Vec<String> =
                words.iter().map(|word| format!("`\"{key}\": {word}`")).collect();
            return Some(match words.as_slice() {
                [first, second] => format!("write {first} or {second}"),
                [first, second, third] => format!("write {first}, {second} or {third}"),
                _ => format!("write one of {}", words.join(", ")),
            });
        }
        match schema["type"].as_str() {
            Some("array") => Some(format!("write `\"{key}\": []` if there are none")),
            Some("boolean") => Some(format!("write `\"{key}\": true` or `\"{key}\": false`")),
            _ => None,
        }
    }

    /// What to write for an element of the field, which is a list.
    pub(super) fn element_help(&self) -> Option<String> {
        let list: Vec<Value> = serde_json::from_str(self.example).ok()?;
        Some(format!("write for example `{}`, or remove it", list.first()?))
    }
}
