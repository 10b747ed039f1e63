//! The settings that a capability brings: each with a type, a default and a description.

use super::envelope::BLANK_TEXT;
use super::refuse_reserved;
use crate::config::{Declaration, Kind, range_of};
use crate::diag::{Level, Rule};
use crate::id::ConfigKey;
use crate::json::{
    At, Fields, Node, Pointer, Schema, Sink, Value, object, one_of, pattern_schema, quoted,
    vocabulary,
};
use serde_json::json;

/// A key of a setting breaks the grammar.
pub(super) static CONFIG_KEY: Rule = Rule {
    code: "manifest/config-key",
    level: Level::Error,
    summary: "the key of a setting is not a dotted name",
    docs: include_str!("config_key.md"),
};

/// One key is the beginning of another.
pub(super) static CONFIG_OVERLAP: Rule = Rule {
    code: "manifest/config-overlap",
    level: Level::Error,
    summary: "one key is the beginning of another",
    docs: include_str!("config_overlap.md"),
};

/// The default does not fit the type.
pub(super) static CONFIG_DEFAULT: Rule = Rule {
    code: "manifest/config-default",
    level: Level::Error,
    summary: "the default of a setting is missing or of another type",
    docs: include_str!("config_default.md"),
};

/// The words of an enum are missing or wrong, or there although the type is none.
pub(super) static CONFIG_VALUES: Rule = Rule {
    code: "manifest/config-values",
    level: Level::Error,
    summary: "the words of an enum are missing or wrong",
    docs: include_str!("config_values.md"),
};

vocabulary! {
    /// What values a setting takes.
    pub enum ConfigType "type of setting" {
        Boolean = "boolean",
        String = "string",
        Number = "number",
        /// One of the words in `values`.
        Enum = "enum",
    }
}

/// The value of a setting that nobody sets.
#[derive(Debug, Clone, PartialEq)]
pub enum ConfigDefault {
    Boolean(bool),
    Number(f64),
    /// Of a string, or the word of an enum.
    Text(String),
}

/// One setting.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigEntry {
    pub key: At<ConfigKey>,
    pub kind: ConfigType,
    pub default: ConfigDefault,
    /// The words of an enum; empty for other types.
    pub values: Vec<String>,
    pub description: String,
}

impl ConfigEntry {
    /// The setting as the configuration knows it; `owner` is the capability that brings it.
    pub fn declaration(&self, owner: &str) -> Declaration {
        let default = match &self.default {
            ConfigDefault::Boolean(value) => (*value).into(),
            ConfigDefault::Number(value) if value.fract() == 0.0 && value.abs() < 1e15 => {
                (*value as i64).into()
            }
            ConfigDefault::Number(value) => (*value).into(),
            ConfigDefault::Text(text) => text.as_str().into(),
        };
        Declaration {
            key: self.key.as_str().to_owned(),
            kind: match self.kind {
                ConfigType::Boolean => Kind::Boolean,
                ConfigType::String => Kind::Text,
                ConfigType::Number => Kind::Number(range_of(self.key.as_str())),
                ConfigType::Enum => Kind::Words(self.values.clone()),
            },
            default: Some(default),
            description: self.description.clone(),
            owner: Some(owner.to_owned()),
            user_only: false,
            secret: false,
        }
    }

    /// Whether a hook can hang on it: its value says yes or no, or is one of a few words.
    pub fn is_toggle(&self) -> bool {
        match self.kind {
            ConfigType::Boolean | ConfigType::Enum => true,
            ConfigType::String | ConfigType::Number => false,
        }
    }
}

/// Whether a key stands in `config`, also where what it declares could not be read: its fault was
/// reported, and nothing more should be said of whoever names it.
pub(super) fn mentions(root: &Fields<'_>, key: &ConfigKey) -> bool {
    let config = root.peek("config").and_then(Node::as_object);
    config.is_some_and(|config| config.get(key.as_str()).is_some())
}

/// Reads the settings of a manifest.
pub(super) fn read(node: Option<&Node>, fields: &Fields<'_>, sink: &mut Sink) -> Vec<ConfigEntry> {
    let Some(node) = node else { return vec![] };
    let pointer = fields.pointer.key("config");
    // This finds duplicate keys, which would let one setting hide another.
    let Some(_) = Fields::of(node, &pointer, sink) else { return vec![] };
    let members = node.as_object().map(|object| object.members.as_slice()).unwrap_or_default();
    let mut entries: Vec<ConfigEntry> = vec![];
    for member in members {
        let below = pointer.key(&member.name);
        let at = sink.at(&member.name_span, &below);
        if refuse_reserved(&member.name, at.clone(), "a setting", sink) {
            continue;
        }
        let key = ConfigKey::parse(&member.name).ok();
        if key.is_none() {
            let message = format!("{} is not the key of a setting", quoted(&member.name));
            let expected = "expected names of letters, digits, `_` and `-`, joined by dots";
            sink.push(CONFIG_KEY.at(at, message).label(expected));
        }
        let entry = read_entry(&member.value, &below, sink);
        if let (Some(key), Some((kind, default, values, description))) = (key, entry) {
            let key = At { value: key, span: member.name_span.clone(), pointer: below };
            entries.push(ConfigEntry { key, kind, default, values, description });
        }
    }
    check_overlap(&entries, sink);
    entries
}

type Parts = (ConfigType, ConfigDefault, Vec<String>, String);

fn read_entry(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Parts> {
    let mut fields = Fields::of(node, pointer, sink)?;
    let kind: Option<ConfigType> = fields.required("type", sink);
    let values = read_values(&mut fields, kind, sink);
    let default = read_default(&mut fields, kind, values.as_deref(), sink);
    let description: Option<String> = fields.required("description", sink);
    if let Some(text) = &description
        && text.trim().is_empty()
    {
        let span = fields.peek("description").map_or(fields.brace(), |node| node.span.clone());
        let at = sink.at(&span, &pointer.key("description"));
        sink.push(BLANK_TEXT.at(at, "the text is blank").label("expected what the setting does"));
    }
    fields.finish(sink);
    Some((kind?, default?, values?, description?))
}

fn read_values(
    fields: &mut Fields<'_>,
    kind: Option<ConfigType>,
    sink: &mut Sink,
) -> Option<Vec<String>> {
    let pointer = fields.pointer.key("values");
    let node = fields.node("values");
    let (node, kind) = match (node, kind) {
        (None, Some(ConfigType::Enum)) => {
            let diagnostic = CONFIG_VALUES.at(fields.here(sink), "an enum needs its `values`");
            let diagnostic = diagnostic.label("lacks `values`");
            sink.push(diagnostic.help("write for example `\"values\": [\"on\", \"off\"]`"));
            return None;
        }
        (None, _) => return Some(vec![]),
        (Some(node), Some(kind)) => (node, kind),
        (Some(_), None) => return None,
    };
    if kind != ConfigType::Enum {
        let message = format!("only an enum has `values`, this is a {kind}");
        let diagnostic = CONFIG_VALUES.at(fields.name_at("values", sink), message);
        let diagnostic = diagnostic.with_level(Level::Warning).label("has no meaning here");
        sink.push(diagnostic.help("remove it, or make the type `enum`"));
        return Some(vec![]);
    }
    let Some(items) = node.as_array() else {
        sink.wrong(node, &pointer, "an array");
        return None;
    };
    if items.is_empty() {
        let diagnostic = CONFIG_VALUES.at(sink.at(&node.span, &pointer), "an enum without words");
        sink.push(diagnostic.label("expected at least one word"));
        return None;
    }
    let mut words = vec![];
    for (index, item) in items.iter().enumerate() {
        match item.as_str() {
            Some(word) if !word.trim().is_empty() => words.push(word.to_owned()),
            Some(_) | None => {
                let at = sink.at(&item.span, &pointer.index(index));
                let diagnostic = CONFIG_VALUES.at(at, "the words of an enum are texts");
                sink.push(diagnostic.label("expected a word"));
            }
        }
    }
    (words.len() == items.len()).then_some(words)
}

fn read_default(
    fields: &mut Fields<'_>,
    kind: Option<ConfigType>,
    words: Option<&[String]>,
    sink: &mut Sink,
) -> Option<ConfigDefault> {
    let pointer = fields.pointer.key("default");
    let Some(node) = fields.node("default") else {
        let diagnostic = CONFIG_DEFAULT.at(fields.here(sink), "missing field `default`");
        let example = match kind {
            Some(ConfigType::Boolean) => "false",
            Some(ConfigType::Number) => "0",
            Some(ConfigType::String) | None => "\"\"",
            Some(ConfigType::Enum) => "\"\", with one of `values`",
        };
        let diagnostic =
            diagnostic.label("a setting needs the value that holds when nobody sets it");
        sink.push(diagnostic.help(format!("write for example `\"default\": {example}`")));
        return None;
    };
    let kind = kind?;
    let default = match (kind, &node.value) {
        (ConfigType::Boolean, Value::Bool(value)) => Some(ConfigDefault::Boolean(*value)),
        (ConfigType::Number, Value::Number(_)) => node.as_f64().map(ConfigDefault::Number),
        (ConfigType::String, Value::String(text)) => Some(ConfigDefault::Text(text.clone())),
        (ConfigType::Enum, Value::String(text)) => {
            // If the words are wrong nobody can say whether this is one of them.
            let words = words?;
            words.contains(text).then(|| ConfigDefault::Text(text.clone()))
        }
        (_, _) => None,
    };
    if default.is_none() {
        let expected = match (kind, words) {
            (ConfigType::Boolean, _) => "true or false".to_owned(),
            (ConfigType::Number, _) => "a number".to_owned(),
            (ConfigType::String, _) => "a text".to_owned(),
            (ConfigType::Enum, Some(words)) => one_of(words.iter().take(20).map(String::as_str)),
            (ConfigType::Enum, None) => "one of `values`".to_owned(),
        };
        let text = |text| format!("the text {}", quoted(text));
        let found = node.as_str().map_or_else(|| node.kind().to_owned(), text);
        let message = format!("the default of a setting of type `{kind}` cannot be {found}");
        let diagnostic = CONFIG_DEFAULT.at(sink.at(&node.span, &pointer), message);
        let diagnostic = diagnostic.label(format!("expected {expected}"));
        sink.push(match unquoted(kind, node) {
            Some(bare) => diagnostic.help(format!("write {bare}")).fix(node.span.clone(), bare),
            None => diagnostic,
        });
    }
    default
}

/// The value that stands between quotes: `"true"`, `"3"`.
fn unquoted(kind: ConfigType, node: &Node) -> Option<String> {
    let text = node.as_str()?.trim();
    let meant = match kind {
        ConfigType::Boolean => matches!(text, "true" | "false"),
        ConfigType::Number => {
            text.bytes().all(|b| b.is_ascii_digit())
                && text.len() < 16
                && !text.is_empty()
                && (text == "0" || !text.starts_with('0'))
        }
        ConfigType::String | ConfigType::Enum => false,
    };
    meant.then(|| text.to_owned())
}

/// `a` and `a.b` cannot both be settings: one is a value, the other needs it to be an object.
fn check_overlap(entries: &[ConfigEntry], sink: &mut Sink) {
    let mut sorted: Vec<&At<ConfigKey>> = entries.iter().map(|entry| &entry.key).collect();
    // With the dot before every other character, a key stands just before what it begins.
    sorted.sort_by(|a, b| a.as_str().split('.').cmp(b.as_str().split('.')));
    for pair in sorted.windows(2) {
        let [short, long] = pair else { continue };
        let rest = long.as_str().strip_prefix(short.as_str());
        if rest.is_some_and(|rest| rest.starts_with('.')) {
            let message = format!("`{}` is the beginning of `{}`", short.value, long.value);
            let at = sink.at(&long.span, &long.pointer);
            let first = sink.at(&short.span, &short.pointer);
            let diagnostic = CONFIG_OVERLAP.at(at, message).label("needs an object there");
            sink.push(diagnostic.also(first, "a single value here").help("rename one of them"));
        }
    }
}

/// The schema of `config`.
pub(super) fn slice_schema() -> serde_json::Value {
    let field = |key, required, docs: &'static [&'static str], schema| crate::json::Field {
        key,
        required,
        docs,
        example: "",
        schema,
    };
    let entry = object(
        "ConfigEntry",
        &[
            "A setting: its `type`, the `default` that holds when nobody sets it, and a `description`.",
        ],
        vec![
            field("type", true, &["What values it takes."], ConfigType::schema()),
            field("default", true, &["The value that holds when nobody sets it."], json!({})),
            field("description", true, &["What it does."], pattern_schema("\\S")),
            field("values", false, &["The words of an enum."], json!({})),
        ],
    );
    let when = |kind: &str, then: serde_json::Value| {
        json!({
            "if": { "properties": { "type": { "const": kind } }, "required": ["type"] },
            "then": then,
        })
    };
    let mut entry = entry;
    let example = json!({ "type": "boolean", "default": true, "description": "Look twice." });
    entry["examples"] = json!([example]);
    entry["allOf"] = json!([
        when("boolean", json!({ "properties": { "default": { "type": "boolean" } } })),
        when("string", json!({ "properties": { "default": { "type": "string" } } })),
        when("number", json!({ "properties": { "default": { "type": "number" } } })),
        when(
            "enum",
            json!({
                "properties": {
                    "default": { "type": "string" },
                    "values": {
                        "type": "array",
                        "minItems": 1,
                        "items": { "type": "string", "pattern": "\\S" },
                    },
                },
                "required": ["values"],
            })
        ),
    ]);
    json!({
        "description": "Settings that users can make, by their dotted keys.",
        "type": "object",
        "propertyNames": ConfigKey::schema(),
        "additionalProperties": entry,
    })
}
