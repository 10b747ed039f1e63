//! What a type looks like as JSON Schema (2020-12), so that the reader, the schema for editors and
//! the reference pages come from one definition.

use super::At;
use serde_json::{Map, Value, json};

/// A type whose JSON form can be described.
pub trait Schema {
    /// A fragment of JSON Schema.
    fn schema() -> Value;
}

impl Schema for String {
    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl Schema for bool {
    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
}

impl<T: Schema> Schema for Vec<T> {
    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema() })
    }
}

impl<T: Schema> Schema for At<T> {
    fn schema() -> Value {
        T::schema()
    }
}

impl<T: Schema> Schema for Option<T> {
    fn schema() -> Value {
        json!({ "anyOf": [T::schema(), { "type": "null" }] })
    }
}

/// One field of a record, as the `record!` macro describes it.
#[derive(Debug)]
pub struct Field {
    pub key: &'static str,
    pub required: bool,
    pub docs: &'static [&'static str],
    /// A JSON text; empty if there is none.
    pub example: &'static str,
    pub schema: Value,
}

/// The schema of an object with these fields. Unknown fields draw a warning from the validator, not
/// an error, so the schema lets them pass; editors offer only the known ones.
pub fn object(title: &str, docs: &[&str], fields: Vec<Field>) -> Value {
    let mut properties = Map::new();
    let mut required = vec![];
    for field in fields {
        if field.required {
            required.push(Value::from(field.key));
        }
        let mut schema = described(field.schema, &prose(field.docs));
        if let Ok(example) = serde_json::from_str::<Value>(field.example)
            && let Some(members) = schema.as_object_mut()
        {
            members.insert("examples".into(), json!([example]));
        }
        properties.insert(field.key.into(), schema);
    }
    json!({
        "title": title,
        "description": prose(docs),
        "type": "object",
        "properties": properties,
        "required": required,
    })
}

/// Puts a description in front of what a fragment says already.
pub fn described(schema: Value, text: &str) -> Value {
    if text.is_empty() {
        return schema;
    }
    let mut out = Map::new();
    out.insert("description".into(), text.into());
    if let Value::Object(members) = schema {
        for (key, value) in members {
            out.entry(key).or_insert(value);
        }
    }
    Value::Object(out)
}

/// Doc comments as one paragraph.
pub fn prose(docs: &[&str]) -> String {
    docs.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ").trim().to_owned()
}
