//! Looks into values of any shape. What is not there or of another type is empty.

use serde_json::{Map, Value};

/// Names that mean something to JavaScript objects; they never count as names of anything.
const RESERVED: [&str; 3] = crate::id::RESERVED;

pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The texts of a list; what is no text is left out.
pub(super) fn texts(value: &Value, key: &str) -> Vec<String> {
    list(value, key).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The members of an object whose values are texts.
pub(super) fn pairs(value: &Value, key: &str) -> Vec<(String, String)> {
    let members = value.get(key).and_then(Value::as_object);
    let pair = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    let members = members.into_iter().flatten().filter(|(name, _)| !is_reserved(name));
    members.filter_map(pair).collect()
}

/// An object without the names that mean something to JavaScript.
pub(super) fn without_reserved(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| !is_reserved(name));
            Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
        }
        other => other.clone(),
    }
}

/// The members of an object; none where it is none.
pub(super) fn members<'a>(
    value: &'a Value,
    key: &str,
) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let object: Option<&Map<String, Value>> = value.get(key).and_then(Value::as_object);
    object.into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}
