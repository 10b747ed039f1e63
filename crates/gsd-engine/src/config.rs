//! Configuration: layers of JSON files, the nearest one wins, and every value knows where it stands.
//!
//! Reading never writes. A file that is broken counts as empty with one diagnostic; nothing is ever
//! replaced by defaults. Keys that no rule knows are kept and ignored: files in the field hold keys
//! of many versions.

mod central;

pub use central::{Central, central, central_keys};

use crate::diag::{Diagnostic, Level, Location, Rule, SourceFile};
use crate::json::{self, Dialect, Node};
use std::sync::Arc;

/// A setting has a value of another type than it takes.
pub static WRONG_TYPE: Rule = Rule {
    code: "config/wrong-type",
    level: Level::Warning,
    summary: "a setting has a value of another type",
    docs: include_str!("config/wrong_type.md"),
};

/// A setting stands in a project's file although only the user may make it.
pub static USER_ONLY: Rule = Rule {
    code: "config/user-only",
    level: Level::Warning,
    summary: "a project sets what only the user may set",
    docs: include_str!("config/user_only.md"),
};

/// A settings file cannot be read.
pub static UNREADABLE: Rule = Rule {
    code: "config/unreadable",
    level: Level::Warning,
    summary: "a settings file cannot be read",
    docs: include_str!("config/unreadable.md"),
};

/// Every rule of this module.
pub static RULES: &[&Rule] = &[&UNREADABLE, &USER_ONLY, &WRONG_TYPE];

/// Where a value comes from, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// `~/.gsd/defaults.json`.
    User,
    /// `.planning/config.json`.
    Project,
    /// `.planning/workstreams/<name>/config.json`.
    Workstream,
}

impl Layer {
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Workstream => "workstream",
        }
    }
}

/// What a repository must not decide: which variables a child sees, where keys are sent, whether a
/// proxy carries plans, whether secrets are taken out, what a reviewer may write to.
const USER_ONLY_KEYS: [&str; 8] = [
    "review.confinement",
    "review.confinements",
    "review.env",
    "review.api_key_env",
    "review.proxy",
    "review.redact",
    "capabilities.registries",
    "capabilities.auto_update",
];

/// Settings in layers.
#[derive(Debug, Default)]
pub struct Config {
    layers: Vec<(Layer, Arc<SourceFile>, Node)>,
}

/// One value and its place.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    pub layer: Layer,
    pub node: &'a Node,
    file: &'a Arc<SourceFile>,
}

impl Setting<'_> {
    pub fn at(&self) -> Location {
        self.file.at(self.node.span.clone())
    }

    /// Another place in the file of this value, such as a part of it.
    pub fn place(&self, span: crate::diag::Span) -> Location {
        self.file.at(span)
    }
}

impl Config {
    /// Puts layers together. A text that is no JSON object is left out with a diagnostic.
    pub fn read(texts: Vec<(Layer, Arc<SourceFile>)>) -> (Self, Vec<Diagnostic>) {
        let mut found = vec![];
        let mut layers = vec![];
        for (layer, file) in texts {
            let (node, mut problems) = json::parse(&file, Dialect::Relaxed);
            for problem in &mut problems {
                // A broken settings file does not stop a review; it is said and left alone.
                problem.level = Level::Warning;
                if node.is_none() {
                    problem.help = Some("its settings are ignored until this is mended".into());
                }
            }
            found.append(&mut problems);
            match node {
                Some(node) if node.as_object().is_some() => layers.push((layer, file, node)),
                Some(node) => found.push(WRONG_TYPE.at(
                    file.at(node.span.clone()),
                    format!("expected an object, found {}; the file is ignored", node.kind()),
                )),
                None => {}
            }
        }
        layers.sort_by_key(|(layer, ..)| *layer);
        let config = Self { layers };
        for key in USER_ONLY_KEYS {
            for setting in config.all(key).filter(|setting| setting.layer != Layer::User) {
                found.push(
                    USER_ONLY
                        .at(setting.at(), format!("`{key}` is ignored in a project's settings"))
                        .help("put it into `~/.gsd/defaults.json` if you want it"),
                );
            }
        }
        (config, found)
    }

    /// Every layer's value of a dotted key, strongest first, also where it is ignored.
    fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = Setting<'a>> {
        self.layers.iter().rev().filter_map(move |(layer, file, root)| {
            Some(Setting { layer: *layer, node: lookup(root, key)?, file })
        })
    }

    /// The value of a dotted key in the strongest layer that has one and may have one.
    pub fn get<'a>(&'a self, key: &'a str) -> Option<Setting<'a>> {
        let guarded = USER_ONLY_KEYS.iter().any(|own| {
            key == *own || key.strip_prefix(own).is_some_and(|rest| rest.starts_with('.'))
        });
        self.all(key).find(|setting| !guarded || setting.layer == Layer::User)
    }

    /// A text. Absent, null, blank, and the words `null` and `undefined` count as unset; other
    /// types are never coerced: they count as unset and are reported.
    pub fn text(&self, key: &str, found: &mut Vec<Diagnostic>) -> Option<String> {
        let setting = self.get(key)?;
        match &setting.node.value {
            json::Value::Null => None,
            json::Value::String(text) => match text.trim() {
                "" | "null" | "undefined" => None,
                text => Some(text.to_owned()),
            },
            json::Value::Bool(_)
            | json::Value::Number(_)
            | json::Value::Array(_)
            | json::Value::Object(_) => {
                found.push(wrong(key, &setting, "a string"));
                None
            }
        }
    }

    /// Yes or no. `null` counts as unset.
    pub fn flag(&self, key: &str, found: &mut Vec<Diagnostic>) -> Option<bool> {
        let setting = self.get(key)?;
        match &setting.node.value {
            json::Value::Null => None,
            json::Value::Bool(value) => Some(*value),
            json::Value::Number(_)
            | json::Value::String(_)
            | json::Value::Array(_)
            | json::Value::Object(_) => {
                found.push(wrong(key, &setting, "true or false"));
                None
            }
        }
    }

    /// A number. `null` and -1 count as unset.
    pub fn number(&self, key: &str, found: &mut Vec<Diagnostic>) -> Option<f64> {
        let setting = self.get(key)?;
        if matches!(setting.node.value, json::Value::Null) {
            return None;
        }
        match setting.node.as_f64() {
            Some(-1.0) => None,
            Some(value) => Some(value),
            None => {
                found.push(wrong(key, &setting, "a number"));
                None
            }
        }
    }

    /// A whole number of at least zero. `null` and -1 count as unset.
    pub fn whole(&self, key: &str, found: &mut Vec<Diagnostic>) -> Option<u64> {
        let value = self.number(key, found)?;
        if value >= 0.0 && value.fract() == 0.0 && value <= 9_007_199_254_740_991.0 {
            return Some(value as u64);
        }
        if let Some(setting) = self.get(key) {
            found.push(wrong(key, &setting, "a whole number, -1 for unset"));
        }
        None
    }
}

fn wrong(key: &str, setting: &Setting<'_>, expected: &str) -> Diagnostic {
    WRONG_TYPE
        .at(setting.at(), format!("`{key}` takes {expected}, not {}", setting.node.kind()))
        .label("ignored")
}

/// Goes down a dotted key. A part may itself be written with dots (`"review.models": {…}`), as
/// some files do.
fn lookup<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    let object = node.as_object()?;
    if let Some(found) = object.get(key) {
        return Some(found);
    }
    key.match_indices('.').find_map(|(at, _)| lookup(object.get(&key[..at])?, &key[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(user: &str, project: &str) -> (Config, Vec<&'static str>) {
        let (config, found) = Config::read(vec![
            (Layer::Project, SourceFile::new("config.json", project)),
            (Layer::User, SourceFile::new("defaults.json", user)),
        ]);
        (config, found.iter().map(|d| d.rule.code).collect())
    }

    #[test]
    fn the_project_wins_over_the_user() {
        let (config, found) = config(
            r#"{"review": {"models": {"codex": "a", "claude": "c"}}}"#,
            r#"{"review.models": {"codex": "b"}}"#,
        );
        assert!(found.is_empty());
        let mut found = vec![];
        assert_eq!(config.text("review.models.codex", &mut found).as_deref(), Some("b"));
        assert_eq!(config.text("review.models.claude", &mut found).as_deref(), Some("c"));
        assert_eq!(config.text("review.models.constructor", &mut found), None);
        assert!(found.is_empty());
    }

    #[test]
    fn a_project_cannot_choose_variables() {
        let (config, found) =
            config(r#"{"review":{"env":{"a":["U"]}}}"#, r#"{"review":{"env":{"a":["P"]}}}"#);
        assert_eq!(found, ["config/user-only"]);
        let setting = config.get("review.env.a").expect("the user's");
        assert_eq!(setting.layer, Layer::User);
        assert!(config.get("review.environment").is_none());
    }

    #[test]
    fn sentinels_and_types() {
        let (config, _) = config(
            "{}",
            r#"{"a":"  ","b":"null","c":3,"d":-1,"e":1.5,"f":"x","g":" y ","h":null,"i":7}"#,
        );
        let mut found = vec![];
        for key in ["a", "b", "c", "h", "missing"] {
            assert_eq!(config.text(key, &mut found), None, "{key}");
        }
        assert_eq!(config.text("g", &mut found).as_deref(), Some("y"));
        assert_eq!(found.len(), 1, "only the number was of another type");
        for key in ["d", "e", "f", "h"] {
            assert_eq!(config.whole(key, &mut found), None, "{key}");
        }
        assert_eq!(config.whole("i", &mut found), Some(7));
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn broken_files_are_said_and_ignored() {
        let (config, found) = config("{\"a\": \"user\"}", "{ \"a\": ");
        assert_eq!(found, ["json/syntax"]);
        assert_eq!(config.text("a", &mut vec![]).as_deref(), Some("user"));
        let (_, found) = self::config("[]", "\u{feff}{ // c\n}");
        assert_eq!(found, ["json/relaxed-syntax", "config/wrong-type"]);
    }
}
