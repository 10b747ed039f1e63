//! Reads values that are words: members of a closed set, identifiers, texts for people.

use super::{Node, Pointer, Read, Schema, Sink, prose, quoted};
use crate::id::{CapabilityId, ConfigKey, LaneFlag, LaneSlug, RelPath, Stem};
use crate::text::nearest;
use serde_json::{Value, json};

/// A word of a closed set. A word that is not in it is reported with the nearest one.
pub fn read_word<'a>(
    node: &'a Node,
    pointer: &Pointer,
    sink: &mut Sink,
    what: &str,
    words: impl Iterator<Item = &'static str> + Clone,
) -> Option<&'a str> {
    let Some(word) = node.as_str() else {
        let expected = one_of(words);
        sink.wrong(node, pointer, &expected);
        return None;
    };
    if words.clone().any(|known| known == word) {
        return Some(word);
    }
    let message = format!("unknown {what} {}", quoted(word));
    let mut diagnostic = sink.value.at(sink.at(&node.span, pointer), message);
    let count = words.clone().count();
    if let Some(near) = nearest(word, words.clone()) {
        diagnostic = diagnostic
            .help(format!("did you mean `{near}`?"))
            .fix(node.span.clone(), format!("\"{near}\""));
    } else if count > FEW {
        diagnostic = diagnostic.help(format!("write {}", one_of(words.clone())));
    }
    // A label stands beside the text, where a long list would be cut.
    sink.push(diagnostic.label(match count {
        ..=FEW => format!("expected {}", one_of(words)),
        _ => format!("not one of the {count} that there are"),
    }));
    None
}

/// How many words fit beside a text.
const FEW: usize = 8;

/// Words as a phrase: `a`, `b` or `c`.
pub fn one_of<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    match words.as_slice() {
        [] => "nothing".into(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// The schema of a closed set. Editors show the second list beside each word.
pub fn words_schema(docs: &[&str], words: &[(&str, &[&str])]) -> Value {
    let mut schema = json!({
        "enum": words.iter().map(|(word, _)| *word).collect::<Vec<_>>(),
    });
    let described: Vec<String> = words.iter().map(|(_, docs)| prose(docs)).collect();
    if described.iter().any(|text| !text.is_empty()) {
        schema["enumDescriptions"] = json!(described);
    }
    super::described(schema, &prose(docs))
}

/// The schema of a text with a grammar.
pub fn pattern_schema(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": pattern })
}

/// A text that passes a parser; otherwise it is reported with what would have been right.
pub fn read_text<T, E>(
    node: &Node,
    pointer: &Pointer,
    sink: &mut Sink,
    what: &str,
    expected: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Option<T> {
    let text = node.as_str();
    if text.is_none() {
        sink.wrong(node, pointer, "a string");
    }
    let parsed = parse(text?).ok();
    if parsed.is_none() {
        sink.invalid(node, pointer, what, expected);
    }
    parsed
}

macro_rules! readable {
    ($($name:ty, $what:literal, $pattern:literal;)+) => {$(
        impl Read for $name {
            fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
                read_text(node, pointer, sink, $what, Self::EXPECTED, Self::parse)
            }
        }

        impl Schema for $name {
            fn schema() -> Value {
                pattern_schema($pattern)
            }
        }
    )+};
}

readable! {
    CapabilityId, "a capability id", "^(?!constructor$|prototype$)[a-z][a-z0-9-]{0,127}$";
    Stem, "a stem", "^(?!constructor$|prototype$)[a-z0-9][a-z0-9_-]{0,127}$";
    LaneSlug, "a lane slug", "^(?!constructor$|prototype$)[a-z0-9][a-z0-9_-]{0,127}$";
    LaneFlag, "a flag", "^--[a-z0-9][a-z0-9-]{0,125}$";
    ConfigKey, "a configuration key",
        "^(?=.{1,128}$)(?!(.*\\.)?(__proto__|constructor|prototype)(\\.|$))[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$";
    RelPath, "a relative path", "^(?=.{1,4096}$)(?!/)(?!(\\./+)*.:)(?!(.*/)?\\.\\.(/|$))[^\\\\\\u0000-\\u001f\\u007f-\\u009f]*[^\\\\/.\\u0000-\\u001f\\u007f-\\u009f][^\\\\\\u0000-\\u001f\\u007f-\\u009f]*$";
}
