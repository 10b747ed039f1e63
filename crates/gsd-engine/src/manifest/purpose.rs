//! What the fields of a manifest are for, out of the schema, so that an error can say it.

use crate::json::Purpose;
use crate::text::printable;
use serde_json::Value;
use std::sync::LazyLock;

/// Made when the first error asks for it.
static SCHEMA: LazyLock<Value> = LazyLock::new(super::schema);

/// More words than this fill the screen; the error itself lists them.
const MAX_WORDS: usize = 8;
/// How deep the shapes of one value may refer to others.
const MAX_REFERENCES: usize = 4;

/// What the value at a pointer is for.
pub(super) fn purpose(pointer: &str) -> Option<Purpose> {
    let mut path = String::new();
    let mut shapes = shapes_of(&SCHEMA, MAX_REFERENCES);
    let (mut text, mut name) = ("", None);
    for key in pointer.split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~")) {
        shapes = shapes.iter().flat_map(|shape| below(shape, &key)).collect();
        // An element of a list has the purpose of the list where it has none of its own.
        let is_index = extend(&mut path, &key);
        match shapes.iter().find_map(|shape| shape["description"].as_str()) {
            Some(more) => text = more,
            None if is_index => {}
            None => text = "",
        }
        name = (!is_index).then_some(key);
    }
    let about = match (path.contains(['.', '[']), text) {
        (_, text) if !text.is_empty() => format!("`{path}`: {}", phrase(text)),
        (true, _) => format!("this is `{path}`"),
        (false, _) => return None,
    };
    let words = shapes.iter().find_map(|shape| described_words(shape)).unwrap_or_default();
    let example = shapes.iter().find_map(|shape| shape["examples"].get(0));
    Some(Purpose {
        note: std::iter::once(about).chain(words).collect::<Vec<_>>().join("\n"),
        example: example.map(|example| match name {
            Some(name) => format!("\"{}\": {example}", printable(&name, 80)),
            None => example.to_string(),
        }),
    })
}

/// Appends a key as people write paths: `a.b[0]["c.d"]`. Whether it is an index is returned.
fn extend(path: &mut String, key: &str) -> bool {
    let is_index = !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit());
    let is_plain =
        key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'$'));
    if is_index {
        path.push_str(&format!("[{key}]"));
    } else if is_plain && !key.is_empty() {
        path.push_str(if path.is_empty() { "" } else { "." });
        path.push_str(key);
    } else {
        path.push_str(&format!("[\"{}\"]", printable(key, 80)));
    }
    is_index
}

/// A description after a colon: in lower case, and a single sentence without its period.
fn phrase(text: &str) -> String {
    let mut chars = text.chars();
    let (first, second) = (chars.next(), chars.next());
    let text = match (first, second) {
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            format!("{}{}", first.to_lowercase(), &text[first.len_utf8()..])
        }
        _ => text.to_owned(),
    };
    match text.strip_suffix('.') {
        Some(sentence) if !sentence.contains(". ") => sentence.to_owned(),
        Some(_) | None => text,
    }
}

/// A line for each word of a closed set, if the set says what they mean.
fn described_words(shape: &Value) -> Option<Vec<String>> {
    let (words, meanings) = (shape["enum"].as_array()?, shape["enumDescriptions"].as_array()?);
    if words.len() > MAX_WORDS {
        return None;
    }
    let lines = words.iter().zip(meanings).filter_map(|(word, meaning)| {
        let meaning = meaning.as_str().filter(|text| !text.is_empty())?;
        Some(format!("`{}`: {}", word.as_str()?, phrase(meaning)))
    });
    Some(lines.collect())
}

/// The shapes that a value's member or element can have.
fn below(shape: &'static Value, key: &str) -> Vec<&'static Value> {
    let next = match &shape["properties"][key] {
        Value::Null if key.bytes().all(|b| b.is_ascii_digit()) && shape["items"].is_object() => {
            &shape["items"]
        }
        Value::Null => &shape["additionalProperties"],
        property => property,
    };
    if next.is_object() { shapes_of(next, MAX_REFERENCES) } else { vec![] }
}

/// A schema and those that it is put together from.
fn shapes_of(schema: &'static Value, references: usize) -> Vec<&'static Value> {
    let mut shapes = vec![schema];
    if references == 0 {
        return shapes;
    }
    if let Some(path) = schema["$ref"].as_str().and_then(|path| path.strip_prefix('#')) {
        let target = SCHEMA.pointer(path);
        shapes.extend(target.into_iter().flat_map(|target| shapes_of(target, references - 1)));
    }
    for key in ["allOf", "anyOf", "oneOf"] {
        let parts = schema[key].as_array().into_iter().flatten();
        shapes.extend(parts.flat_map(|part| shapes_of(part, references - 1)));
    }
    for key in ["then", "else"] {
        if schema[key].is_object() {
            shapes.extend(shapes_of(&schema[key], references - 1));
        }
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::purpose;

    #[test]
    fn a_place_says_its_path_and_its_purpose() {
        for (pointer, expected) in [
            (
                "/reviewer/flags/0",
                "`reviewer.flags[0]`: options of `gsd review` that select the lane",
            ),
            (
                "/runtime/configHome/name",
                "`runtime.configHome.name`: the folder, below what its kind says",
            ),
            (
                "/runtime/configHome/skillsHome/name",
                "`runtime.configHome.skillsHome.name`: the folder, below what its kind says",
            ),
            (
                "/reviewer/invoke/defaultHost",
                "`reviewer.invoke.defaultHost`: the server where no setting names one: a base URL",
            ),
            (
                "/config/review.acme/default",
                "`config[\"review.acme\"].default`: the value that holds when nobody sets it",
            ),
            ("/mcpServers/one/command", "this is `mcpServers.one.command`"),
        ] {
            let note = purpose(pointer).map(|purpose| purpose.note);
            assert_eq!(note.as_deref(), Some(expected), "{pointer}");
        }
        assert_eq!(purpose(""), None);
        assert_eq!(purpose("/nothing"), None);
        let note = |pointer| purpose(pointer).map(|purpose| purpose.note).unwrap_or_default();
        let tier = note("/tier");
        assert!(tier.ends_with("\n`full`: in the full install only"), "{tier}");
        let posture = note("/reviewer/posture");
        assert!(posture.contains("\n`isolated`: it works on a copy of its own"), "{posture}");
        let example = |pointer| purpose(pointer).and_then(|purpose| purpose.example);
        assert_eq!(example("/engines").as_deref(), Some(r#""engines": {"gsd":">=1.9.0"}"#));
        assert_eq!(example("/reviewer/flags/0"), None);
    }
}
