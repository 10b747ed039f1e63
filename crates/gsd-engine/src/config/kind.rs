//! What values a setting takes.

use crate::json::one_of;
use serde_json::Value;

/// The type of a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Whatever its reader makes of it.
    Any,
    Boolean,
    Text,
    Number(Range),
    /// One of a few words.
    Words(Vec<String>),
    /// A list of texts.
    List,
    /// An object whose members have declarations of their own.
    Object,
}

/// Which numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    pub whole: bool,
    pub min: Option<f64>,
    pub max: Option<f64>,
    /// The number that stands for no value.
    pub unset: Option<f64>,
}

impl Range {
    /// Every number.
    pub const ANY: Self = Self { whole: false, min: None, max: None, unset: None };

    fn holds(self, number: f64) -> bool {
        let inside = self.min.is_none_or(|min| number >= min)
            && self.max.is_none_or(|max| number <= max)
            && (!self.whole || number.fract() == 0.0);
        inside || self.unset == Some(number)
    }
}

impl Kind {
    /// The word of the type, as manifests and the reference spell it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Boolean => "boolean",
            Self::Text => "string",
            Self::Number(_) => "number",
            Self::Words(_) => "enum",
            Self::List => "list",
            Self::Object => "object",
        }
    }

    /// What it takes, for messages.
    pub fn expected(&self) -> String {
        match self {
            Self::Any => "any value".to_owned(),
            Self::Boolean => "true or false".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Number(range) => {
                let whole = if range.whole { "a whole number" } else { "a number" };
                let bounds = match (range.min, range.max) {
                    (None, None) => String::new(),
                    (Some(min), None) => format!(" of at least {min}"),
                    (None, Some(max)) => format!(" of at most {max}"),
                    (Some(min), Some(max)) => format!(" from {min} to {max}"),
                };
                let unset = range.unset.map(|unset| format!(", {unset} for unset"));
                format!("{whole}{bounds}{}", unset.unwrap_or_default())
            }
            Self::Words(words) => one_of(words.iter().map(String::as_str)),
            Self::List => "a list of texts".to_owned(),
            Self::Object => "an object".to_owned(),
        }
    }

    /// Whether it takes a value. Null means unset, and everything can be unset.
    pub fn accepts(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Any, _) | (_, Value::Null) => true,
            (Self::Boolean, Value::Bool(_)) | (Self::Text, Value::String(_)) => true,
            (Self::Number(range), Value::Number(number)) => {
                number.as_f64().is_some_and(|number| range.holds(number))
            }
            (Self::Words(words), Value::String(word)) => words.contains(word),
            (Self::List, Value::Array(items)) => items.iter().all(Value::is_string),
            (Self::Object, Value::Object(_)) => true,
            (
                Self::Boolean
                | Self::Text
                | Self::Number(_)
                | Self::Words(_)
                | Self::List
                | Self::Object,
                _,
            ) => false,
        }
    }

    /// A value as somebody types it: `true`, a number, a list as JSON or with commas, anything
    /// else as a text. Quotes around a text are its JSON spelling. The error says what is expected.
    pub fn parse(&self, typed: &str) -> Result<Value, String> {
        let value = match self {
            Self::List if !typed.trim_start().starts_with('[') && typed.contains(',') => {
                typed.split(',').map(|item| Value::from(item.trim())).collect()
            }
            Self::Any
            | Self::Boolean
            | Self::Text
            | Self::Number(_)
            | Self::Words(_)
            | Self::List
            | Self::Object => typed_value(typed),
        };
        if self.accepts(&value) {
            return Ok(value);
        }
        Err(self.expected())
    }
}

/// What a typed word is without knowing what it is for.
fn typed_value(typed: &str) -> Value {
    match typed {
        "true" => return Value::Bool(true),
        "false" => return Value::Bool(false),
        "null" => return Value::Null,
        _ => {}
    }
    if let Some(number) = typed_number(typed) {
        return number;
    }
    if typed.starts_with(['[', '{', '"'])
        && let Ok(value) = serde_json::from_str(typed)
    {
        return value;
    }
    Value::from(typed)
}

/// A decimal number as people type it, leading zeros included. Words such as `inf` are texts.
fn typed_number(typed: &str) -> Option<Value> {
    let digits = typed.trim();
    if !digits.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return None;
    }
    let number: f64 = digits.parse().ok().filter(|number: &f64| number.is_finite())?;
    if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_991.0 {
        return Some(Value::from(number as i64));
    }
    serde_json::Number::from_f64(number).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn typed_words_become_values() {
        let typed = |kind: &Kind, text: &str| kind.parse(text).ok();
        for (text, value) in [
            ("true", json!(true)),
            ("null", json!(null)),
            ("007", json!(7)),
            ("1e3", json!(1000)),
            ("-1", json!(-1)),
            ("1.5", json!(1.5)),
            ("Infinity", json!("Infinity")),
            ("True", json!("True")),
            ("[1,2", json!("[1,2")),
            ("[1,2]", json!([1, 2])),
            ("\"7\"", json!("7")),
            ("a b", json!("a b")),
        ] {
            assert_eq!(typed(&Kind::Any, text), Some(value), "{text}");
        }
        assert_eq!(typed(&Kind::Text, "7"), None);
        assert_eq!(typed(&Kind::Text, "\"7\""), Some(json!("7")));
        assert_eq!(typed(&Kind::List, "codex, gemini"), Some(json!(["codex", "gemini"])));
        assert_eq!(typed(&Kind::List, "[\"codex\"]"), Some(json!(["codex"])));
        assert_eq!(typed(&Kind::List, "codex"), None);
        assert_eq!(typed(&Kind::Boolean, "yes"), None);
        assert_eq!(typed(&Kind::Boolean, "null"), Some(json!(null)));
    }

    #[test]
    fn numbers_have_bounds_and_a_word_for_unset() {
        let range = Range { whole: true, min: Some(0.0), max: None, unset: Some(-1.0) };
        let kind = Kind::Number(range);
        for (text, good) in [("0", true), ("-1", true), ("7", true), ("-2", false), ("1.5", false)]
        {
            assert_eq!(kind.parse(text).is_ok(), good, "{text}");
        }
        assert_eq!(kind.expected(), "a whole number of at least 0, -1 for unset");
    }
}
