//! The layers of settings and what the strongest of them says.

use super::declared::is_below;
use super::{USER_ONLY, WRONG_TYPE, central};
use crate::diag::{Diagnostic, Level, Location, SourceFile, Span};
use crate::json::{self, Dialect, Node, Value};
use std::sync::Arc;

/// Where a value comes from, weakest first. Below all of them stands the default of the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// `~/.gsd/defaults.json`.
    User,
    /// `.planning/config.json`.
    Project,
    /// `.planning/workstreams/<name>/config.json`.
    Workstream,
    /// A variable of the environment.
    Environment,
    /// `--config` of this command.
    Flag,
}

impl Layer {
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Workstream => "workstream",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

/// Settings in layers.
#[derive(Debug, Default, Clone)]
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
    pub fn place(&self, span: Span) -> Location {
        self.file.at(span)
    }

    /// `file:line`; only the name where the text is no file.
    pub fn origin(&self) -> String {
        match self.layer {
            Layer::User | Layer::Project | Layer::Workstream => {
                format!("{}:{}", self.file.name(), self.at().line())
            }
            Layer::Environment | Layer::Flag => self.file.name().to_owned(),
        }
    }
}

/// What one layer says about a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Look<'a> {
    Here(&'a Node),
    /// Something that is no object stands where the key would be: for weaker layers, too, the key
    /// is not there.
    Covered,
    Absent,
}

impl Config {
    /// Puts layers together; of two texts of one layer the later one wins. A text that is no JSON
    /// object is left out with a diagnostic.
    pub fn read(texts: Vec<(Layer, Arc<SourceFile>)>) -> (Self, Vec<Diagnostic>) {
        let mut found = vec![];
        let mut layers = vec![];
        for (layer, file) in texts {
            let (node, mut problems) = json::parse(&file, Dialect::Relaxed);
            for problem in &mut problems {
                // A broken settings file does not stop a review; it is said and left alone.
                problem.level = Level::Warning;
                if node.is_none() {
                    problem.message += "; the settings of this file are ignored";
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
        for key in central::USER_ONLY {
            for setting in config.all(key).filter(|setting| setting.layer != Layer::User) {
                let where_ = match setting.layer {
                    Layer::User | Layer::Project | Layer::Workstream => "a project's settings",
                    Layer::Environment | Layer::Flag => "the settings of one command",
                };
                found.push(
                    USER_ONLY
                        .at(setting.at(), format!("`{key}` is ignored in {where_}"))
                        .help("put it into `~/.gsd/defaults.json` if you want it"),
                );
            }
        }
        (config, found)
    }

    /// The same settings with another text of one of the files.
    pub fn with(&self, layer: Layer, file: Arc<SourceFile>) -> (Self, Vec<Diagnostic>) {
        let others = self.layers.iter().filter(|(other, ..)| *other != layer);
        let mut texts: Vec<_> = others.map(|(layer, file, _)| (*layer, Arc::clone(file))).collect();
        texts.push((layer, file));
        Self::read(texts)
    }

    /// The texts, weakest first.
    pub fn texts(&self) -> impl Iterator<Item = (Layer, &Arc<SourceFile>, &Node)> {
        self.layers.iter().map(|(layer, file, node)| (*layer, file, node))
    }

    /// Every layer's value of a dotted key, strongest first, also where it does nothing.
    pub fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = Setting<'a>> {
        self.layers.iter().rev().filter_map(move |(layer, file, root)| match look(root, key) {
            Look::Here(node) => Some(Setting { layer: *layer, node, file }),
            Look::Covered | Look::Absent => None,
        })
    }

    /// Whether what a layer says about a key has no effect.
    pub fn is_ignored(key: &str, layer: Layer) -> bool {
        layer != Layer::User
            && central::USER_ONLY.iter().any(|own| key == *own || is_below(key, own))
    }

    /// The value of a dotted key in the strongest layer that has one and may have one.
    pub fn get<'a>(&'a self, key: &'a str) -> Option<Setting<'a>> {
        for (layer, file, root) in self.layers.iter().rev() {
            if Self::is_ignored(key, *layer) {
                continue;
            }
            match look(root, key) {
                Look::Here(node) => return Some(Setting { layer: *layer, node, file }),
                Look::Covered => return None,
                Look::Absent => {}
            }
        }
        None
    }

    /// The names below a dotted key, from every layer that counts, in the order in which they are
    /// met from the weakest on; each with the place of its strongest mention.
    pub fn names_below<'a>(&'a self, key: &'a str) -> Vec<(&'a str, Location)> {
        let mut layers = vec![];
        for setting in self.all(key).filter(|setting| !Self::is_ignored(key, setting.layer)) {
            let Some(object) = setting.node.as_object() else { break };
            layers.push((setting, object));
        }
        let mut names: Vec<(&str, Location)> = vec![];
        for (setting, object) in layers.iter().rev() {
            for member in &object.members {
                let at = setting.place(member.name_span.clone());
                match names.iter_mut().find(|(name, _)| *name == member.name) {
                    Some((_, place)) => *place = at,
                    None => names.push((&member.name, at)),
                }
            }
        }
        names
    }

    /// The value of a dotted key: objects of all layers put together, other values as the
    /// strongest layer has them.
    pub fn value(&self, key: &str) -> Option<serde_json::Value> {
        let strongest = self.get(key)?;
        if strongest.node.as_object().is_none() {
            return Some(json::to_value(strongest.node));
        }
        let mut merged = serde_json::Value::Null;
        let mut layers: Vec<&Node> = vec![];
        for setting in self.all(key).filter(|setting| !Self::is_ignored(key, setting.layer)) {
            if setting.node.as_object().is_none() {
                break;
            }
            layers.push(setting.node);
        }
        for node in layers.into_iter().rev() {
            merge(&mut merged, json::to_value(node));
        }
        Some(merged)
    }

    /// A text. Absent, null, blank, and the words `null` and `undefined` count as unset; other
    /// types are never coerced: they count as unset and are reported.
    pub fn text(&self, key: &str, found: &mut Vec<Diagnostic>) -> Option<String> {
        let setting = self.get(key)?;
        match &setting.node.value {
            Value::Null => None,
            Value::String(text) => match text.trim() {
                "" | "null" | "undefined" => None,
                text => Some(text.to_owned()),
            },
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                found.push(wrong(key, &setting, "a string"));
                None
            }
        }
    }

    /// Yes or no. `null` counts as unset.
    pub fn flag(&self, key: &str, found: &mut Vec<Diagnostic>) -> Option<bool> {
        let setting = self.get(key)?;
        match &setting.node.value {
            Value::Null => None,
            Value::Bool(value) => Some(*value),
            Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                found.push(wrong(key, &setting, "true or false"));
                None
            }
        }
    }

    /// A number. `null` and -1 count as unset.
    pub fn number(&self, key: &str, found: &mut Vec<Diagnostic>) -> Option<f64> {
        let setting = self.get(key)?;
        if matches!(setting.node.value, Value::Null) {
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
pub(super) fn look<'a>(node: &'a Node, key: &str) -> Look<'a> {
    let Some(object) = node.as_object() else { return Look::Covered };
    if let Some(found) = object.get(key) {
        return Look::Here(found);
    }
    let mut covered = Look::Absent;
    for (at, _) in key.match_indices('.') {
        let Some(inner) = object.get(&key[..at]) else { continue };
        match look(inner, &key[at + 1..]) {
            here @ Look::Here(_) => return here,
            Look::Covered => covered = Look::Covered,
            Look::Absent => {}
        }
    }
    covered
}

fn merge(into: &mut serde_json::Value, from: serde_json::Value) {
    match (into, from) {
        (serde_json::Value::Object(into), serde_json::Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(serde_json::Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
    fn objects_are_put_together_and_other_values_cover() {
        let user = r#"{"r": {"i": {"a": {"cli": "x"}, "b": {}}, "m": {"k": "v"}}}"#;
        let (config, _) =
            config(user, r#"{"r": {"i": {"c": {}, "a": {"model": "y"}}, "m": null}}"#);
        assert_eq!(
            config.value("r.i"),
            Some(json!({"a": {"cli": "x", "model": "y"}, "b": {}, "c": {}}))
        );
        let names: Vec<_> = config
            .names_below("r.i")
            .into_iter()
            .map(|(name, at)| (name, at.file.name().to_owned()))
            .collect();
        let in_file = |name, file: &str| (name, file.to_owned());
        assert_eq!(
            names,
            [
                in_file("a", "config.json"),
                in_file("b", "defaults.json"),
                in_file("c", "config.json")
            ]
        );
        assert!(config.get("r.m.k").is_none(), "the project took the whole object away");
        assert_eq!(config.get("r.i.a.cli").map(|s| s.origin()).as_deref(), Some("defaults.json:1"));
        assert_eq!(config.names_below("r.m"), []);
    }

    #[test]
    fn a_project_cannot_choose_variables() {
        let (config, found) =
            config(r#"{"review":{"env":{"a":["U"]}}}"#, r#"{"review":{"env":{"a":["P"]}}}"#);
        assert_eq!(found, ["config/user-only"]);
        let setting = config.get("review.env.a").expect("the user's");
        assert_eq!(setting.layer, Layer::User);
        assert_eq!(config.all("review.env.a").count(), 2, "both are there to be explained");
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
