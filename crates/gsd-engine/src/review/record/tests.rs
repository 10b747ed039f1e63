use super::*;
use crate::review::sample;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::LazyLock;

/// The few keywords of JSON Schema that the published schema uses. An unknown keyword fails, so
/// the schema cannot come to rely on one that is not checked here.
fn allows(root: &Value, schema: &Value, value: &Value) -> bool {
    let Value::Object(schema) = schema else { panic!("a schema is an object") };
    schema.iter().all(|(keyword, wanted)| match keyword.as_str() {
        "$schema" | "title" | "description" | "$defs" => true,
        "$ref" => {
            let pointer = wanted.as_str().unwrap().strip_prefix('#').unwrap();
            allows(root, root.pointer(pointer).expect("a definition"), value)
        }
        "const" => wanted == value,
        "enum" => wanted.as_array().unwrap().contains(value),
        "type" => match wanted {
            Value::String(name) => is(name, value),
            names => names.as_array().unwrap().iter().any(|name| is(name.as_str().unwrap(), value)),
        },
        "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= wanted.as_f64().unwrap()),
        "required" => value.as_object().is_none_or(|object| {
            wanted.as_array().unwrap().iter().all(|key| object.contains_key(key.as_str().unwrap()))
        }),
        "properties" => value.as_object().is_none_or(|object| {
            object.iter().all(|(key, value)| match wanted.get(key) {
                Some(schema) => allows(root, schema, value),
                None => true,
            })
        }),
        "additionalProperties" => {
            assert_eq!(wanted, &json!(false));
            let known = &schema["properties"];
            value.as_object().is_none_or(|object| object.keys().all(|key| known.get(key).is_some()))
        }
        "items" => {
            value.as_array().is_none_or(|list| list.iter().all(|item| allows(root, wanted, item)))
        }
        "oneOf" => {
            wanted.as_array().unwrap().iter().filter(|one| allows(root, one, value)).count() == 1
        }
        other => panic!("keyword `{other}` is not checked"),
    })
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("type `{other}`"),
    }
}

static PUBLISHED: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(JSON_SCHEMA).expect("the published schema is JSON"));

fn by_schema(value: &Value) -> bool {
    allows(&PUBLISHED, &PUBLISHED, value)
}

fn by_structs(value: &Value) -> bool {
    Record::parse(&value.to_string()).is_ok()
}

/// A record in which every field has a value of every kind it may have somewhere.
fn full() -> Value {
    let mut record = sample::record();
    record.kept = Kept { frontmatter: "owner: me\n".into(), body: "# Old\n".into() };
    record.lanes[0].signal = Some(9);
    record.lanes[0].http_status = Some(200);
    record.findings[0].evidence[0].symbol = Some("feed".into());
    record.findings[0].evidence[0].end_line = Some(16);
    let mut earlier = sample::record();
    earlier.commit = None;
    earlier.phase.number = None;
    record.history.push(earlier);
    serde_json::to_value(record).unwrap()
}

/// Every place in a value, as JSON Pointers.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                pointers(value, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                pointers(value, &format!("{at}/{index}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn parent(pointer: &str) -> (&str, &str) {
    pointer.rsplit_once('/').unwrap()
}

#[test]
fn the_sample_is_a_record_and_comes_back_the_same() {
    let value = full();
    assert!(by_schema(&value));
    let text = serde_json::to_string_pretty(&value).unwrap();
    let record = Record::parse(&text).unwrap();
    assert_eq!(serde_json::to_value(&record).unwrap(), value);
    assert_eq!(serde_json::to_string_pretty(&record).unwrap(), text);
}

/// Removes, renames and mistypes every field of a full record: schema and structs must refuse each
/// of them, and agree.
#[test]
fn every_field_is_required_and_typed() {
    let whole = full();
    let mut places = vec![];
    pointers(&whole, "", &mut places);
    // One of each kind of place and value: another lane's `slug` is no other field.
    let mut seen = HashSet::new();
    places.retain(|place| {
        let shape: String = place
            .split('/')
            .map(|part| if part.parse::<usize>().is_ok() { "/*" } else { part })
            .collect();
        let value = whole.pointer(place).unwrap();
        let of_history = place.starts_with("/history/0/");
        let deep = of_history && place.matches('/').count() > 4;
        !place.is_empty() && !deep && seen.insert((shape, std::mem::discriminant(value)))
    });
    assert!(places.len() > 120, "{}", places.len());
    let mut tried = 0;
    for place in &places {
        let (above, key) = parent(place);
        let mut refused = |what: &str, value: &Value| {
            tried += 1;
            assert!(!by_schema(value), "schema accepts {what} at {place}");
            assert!(!by_structs(value), "structs accept {what} at {place}");
        };
        if whole.pointer(above).unwrap().is_object() {
            let mut value = whole.clone();
            let object = value.pointer_mut(above).unwrap().as_object_mut().unwrap();
            let taken = object.remove(key).unwrap();
            refused("a missing field", &value);
            let object = value.pointer_mut(above).unwrap().as_object_mut().unwrap();
            object.insert(key.to_owned(), taken);
            object.insert(format!("{key}_x"), json!(1));
            refused("an unknown field", &value);
        }
        let wrong = match whole.pointer(place).unwrap() {
            Value::String(_) => json!([7]),
            Value::Number(_) => json!("7"),
            Value::Bool(_) => json!("true"),
            Value::Array(_) => json!({}),
            Value::Object(_) => json!("x"),
            Value::Null => json!([{}]),
        };
        let mut value = whole.clone();
        *value.pointer_mut(place).unwrap() = wrong;
        refused("a mistyped value", &value);
    }
    assert!(tried > 250, "{tried}");
}

/// Words outside the closed sets, versions that are not ours, numbers below nothing.
#[test]
fn words_and_numbers_have_bounds() {
    for (place, wrong) in [
        ("/schema", json!(2)),
        ("/schema", json!(0)),
        ("/lanes/0/state", json!("done")),
        ("/lanes/0/state", json!(null)),
        ("/lanes/0/reason", json!("timeout")),
        ("/lanes/0/during", json!("later")),
        ("/lanes/0/proof", json!("trusted")),
        ("/lanes/0/findings_source", json!("guess")),
        ("/lanes/0/evidence_class", json!("rumour")),
        ("/lanes/0/http_status", json!(70000)),
        ("/lanes/0/timing/elapsed_ms", json!(-1)),
        ("/lanes/0/timing/elapsed_ms", json!(1.5)),
        ("/findings/0/kind", json!("Concern")),
        ("/findings/0/severity", json!("critical")),
        ("/findings/0/evidence/0/verdict", json!("true")),
        ("/clusters/0/verdict", json!("none")),
    ] {
        let mut value = full();
        *value.pointer_mut(place).unwrap() = wrong.clone();
        assert!(!by_schema(&value), "schema: {place} {wrong}");
        assert!(!by_structs(&value), "structs: {place} {wrong}");
    }
}

/// The closed sets are written twice; here they are held against each other.
#[test]
fn every_word_is_in_the_schema() {
    use crate::lane::{During, Proof, Reason, State};
    let at = |place: &str, word: &str| {
        let mut value = full();
        *value.pointer_mut(place).unwrap() = json!(word);
        by_schema(&value) && by_structs(&value)
    };
    assert!(State::ALL.iter().all(|word| at("/lanes/0/state", word.word())));
    assert!(Reason::ALL.iter().all(|word| at("/lanes/0/reason", word.word())));
    assert!(During::ALL.iter().all(|word| at("/lanes/0/during", word.word())));
    assert!(Proof::ALL.iter().all(|word| at("/lanes/0/proof", word.word())));
    assert!(Verdict::ALL.iter().all(|word| at("/findings/0/evidence/0/verdict", word.word())));
    assert!(Severity::ALL.iter().all(|word| at("/findings/0/severity", word.word())));
}

#[test]
fn a_newer_record_is_named_as_one() {
    let error = Record::parse(r#"{"schema": 7, "moons": []}"#).unwrap_err();
    assert_eq!(error.to_string(), "the record has schema 7; this gsd reads schema 1");
}
