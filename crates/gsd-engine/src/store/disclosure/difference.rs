//! What changed between two disclosures, part by part.

use crate::json::Pointer;
use crate::text::printable;
use serde_json::{Value, json};
use std::collections::HashMap;

/// One part that is new, gone or another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The names on the way to it.
    pub path: Vec<String>,
    pub before: Option<Value>,
    pub after: Option<Value>,
}

/// Everything that changed. Empty exactly if the second signatures are equal.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes(Vec<Change>);

/// No value of a change is shown longer to people.
const MAX_SHOWN: usize = 240;

impl Changes {
    /// Compares what two approvals are bound to.
    pub fn between(old: &Value, new: &Value) -> Self {
        let mut changes = Self::default();
        changes.compare(&mut vec![], old, new);
        changes
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Change> {
        self.0.iter()
    }

    fn compare(&mut self, path: &mut Vec<String>, old: &Value, new: &Value) {
        match (old, new) {
            (Value::Object(before), Value::Object(after)) => {
                for (name, value) in before {
                    path.push(name.clone());
                    match after.get(name) {
                        Some(new) => self.compare(path, value, new),
                        None => self.push(path, Some(value), None),
                    }
                    path.pop();
                }
                for (name, value) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
                    path.push(name.clone());
                    self.push(path, None, Some(value));
                    path.pop();
                }
            }
            // The one thing of a name.
            (Value::Array(before), Value::Array(after))
                if before.len() == 1 && after.len() == 1 =>
            {
                self.compare(path, &before[0], &after[0]);
            }
            (Value::Array(before), Value::Array(after))
                if before.iter().chain(after).all(Value::is_object) =>
            {
                let gone: Vec<&Value> = without(before, after);
                let fresh: Vec<&Value> = without(after, before);
                if gone.is_empty() && fresh.is_empty() && before != after {
                    self.push(path, Some(old), Some(new));
                }
                for value in gone {
                    self.push(path, Some(value), None);
                }
                for value in fresh {
                    self.push(path, None, Some(value));
                }
            }
            _ if old == new => {}
            _ => self.push(path, Some(old), Some(new)),
        }
    }

    fn push(&mut self, path: &[String], before: Option<&Value>, after: Option<&Value>) {
        let (before, after) = (before.cloned(), after.cloned());
        self.0.push(Change { path: path.to_vec(), before, after });
    }

    /// For people, a line each: `+` new, `-` gone, `~` another one.
    pub fn lines(&self) -> Vec<String> {
        self.0.iter().map(Change::line).collect()
    }

    pub fn to_json(&self) -> Value {
        let of = |wanted: fn(&Change) -> bool| -> Vec<Value> {
            self.0.iter().filter(|change| wanted(change)).map(Change::to_json).collect()
        };
        json!({
            "added": of(|change| change.before.is_none()),
            "removed": of(|change| change.after.is_none()),
            "changed": of(|change| change.before.is_some() && change.after.is_some()),
        })
    }
}

/// The items of one list that the other one does not have, counted.
fn without<'a>(items: &'a [Value], others: &[Value]) -> Vec<&'a Value> {
    let spelled = |item: &Value| {
        let mut item = item.clone();
        item.sort_all_objects();
        item.to_string()
    };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for other in others {
        *counts.entry(spelled(other)).or_default() += 1;
    }
    let is_new = |item: &&Value| match counts.get_mut(&spelled(item)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        Some(_) | None => true,
    };
    items.iter().filter(is_new).collect()
}

impl Change {
    /// `hooks / Stop -> hooks/stop.sh / matcher`.
    fn place(&self) -> String {
        let parts =
            self.path.iter().enumerate().filter_map(|(at, part)| match (at, part.as_str()) {
                (0, "manifest") if self.path.len() > 1 => None,
                (0, "files") if self.path.len() > 1 => Some("file".to_owned()),
                (_, part) => Some(printable(part, MAX_SHOWN)),
            });
        parts.collect::<Vec<_>>().join(" / ")
    }

    fn line(&self) -> String {
        let shown = |value: &Value| printable(&value.to_string(), MAX_SHOWN);
        let place = self.place();
        match (&self.before, &self.after) {
            (None, Some(after)) => format!("+ {place}: {}", shown(after)),
            (Some(before), None) => format!("- {place}: {}", shown(before)),
            (Some(before), Some(after)) => {
                format!("~ {place}: {} => {}", shown(before), shown(after))
            }
            (None, None) => place,
        }
    }

    fn to_json(&self) -> Value {
        let pointer = self.path.iter().fold(Pointer::root(), |pointer, part| pointer.key(part));
        let mut change = json!({ "path": pointer.as_str() });
        for (name, value) in [("before", &self.before), ("after", &self.after)] {
            if let Some(value) = value {
                change[name] = value.clone();
            }
        }
        change
    }
}
