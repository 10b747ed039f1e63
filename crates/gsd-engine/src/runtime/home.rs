//! Where a host keeps its configuration.

use crate::diag::{Level, Rule};
use crate::id::RelPath;
use crate::json::{At, Fields, Node, Pointer, Read, Schema, Sink, quoted, record, vocabulary};

/// The fields of a home do not fit its kind.
pub(super) static HOME_FORM: Rule = Rule {
    code: "runtime/home-form",
    level: Level::Error,
    summary: "the fields of a configuration home do not fit its kind",
    docs: include_str!("home_form.md"),
};

vocabulary! {
    /// How the home of a host is found.
    pub enum HomeKind "kind of home" {
        /// A folder of the user's home: `~/.claude`.
        DotHome = "dot-home",
        /// A folder below another one: `~/.codeium/windsurf`.
        DotHomeNested = "dot-home-nested",
        /// A folder below the user's configuration folder.
        Xdg = "xdg",
        /// A folder that several hosts share.
        GenericAgentsRoot = "generic-agents-root",
        /// There is none.
        None = "none",
    }
}

record! {
    /// Where a host keeps its configuration.
    pub struct ConfigHome, Draft, checked by check_form {
        /// How it is found.
        required "kind" kind: At<HomeKind>,
        /// The folder, below what its kind says.
        optional "name" name: HomePath = r#"".acme""#,
        /// The folder above it, for `dot-home-nested`.
        optional "parent" parent: HomePath = r#"".acme-tools""#,
        /// Variables that name another place, the strongest first.
        required_list "env" env: At<Variable> = r#"["ACME_CONFIG_DIR"]"#,
        /// Folders to try.
        optional_list "probe" probe: HomePath,
        /// What a tried folder has to hold to be taken.
        optional "probeExists" probe_exists: HomePath = r#""gsd-core/VERSION""#,
        /// Another home for skills.
        optional "skillsHome" skills_home: Box<ConfigHome>,
    }
}

fn check_form(draft: &Draft, fields: &Fields<'_>, sink: &mut Sink) {
    let Some(kind) = &draft.kind else { return };
    let lacks = |key: &str| fields.peek(key).is_none();
    let missing = |key: &str, sink: &mut Sink| {
        let message = format!("a home of kind `{kind}` needs a `{key}`", kind = kind.value);
        let diagnostic = HOME_FORM.at(fields.here(sink), message);
        let diagnostic = diagnostic.label(format!("lacks `{key}`"));
        sink.push(diagnostic.help(format!("write for example `\"{key}\": \".acme\"`")));
    };
    match kind.value {
        HomeKind::None => {}
        HomeKind::DotHome | HomeKind::Xdg | HomeKind::GenericAgentsRoot => {
            if lacks("name") {
                missing("name", sink);
            }
        }
        HomeKind::DotHomeNested => {
            for key in ["name", "parent"].into_iter().filter(|key| lacks(key)) {
                missing(key, sink);
            }
        }
    }
}

/// A path below the user's home, as manifests spell it: `.claude`, `~/.agents`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomePath(String);

impl HomePath {
    /// As it is spelled.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Without a leading `~/`.
    pub fn below_home(&self) -> &str {
        self.0.strip_prefix("~/").unwrap_or(&self.0)
    }
}

impl Read for HomePath {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let text = String::read(node, pointer, sink)?;
        let path = text.strip_prefix("~/").unwrap_or(&text);
        if !path.trim().is_empty() && RelPath::parse(path).is_ok() {
            return Some(Self(text));
        }
        let message = format!("{} does not stay below the home", quoted(&text));
        let diagnostic = HOME_FORM.at(sink.at(&node.span, pointer), message);
        sink.push(diagnostic.label("expected a path without `..` and without a leading `/`"));
        None
    }
}

impl Schema for HomePath {
    fn schema() -> serde_json::Value {
        let mut schema = RelPath::schema();
        schema["allOf"] = serde_json::json!([{ "pattern": "\\S" }]);
        schema
    }
}

impl Read for Box<ConfigHome> {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        ConfigHome::read(node, pointer, sink).map(Box::new)
    }
}

impl Schema for Box<ConfigHome> {
    fn schema() -> serde_json::Value {
        serde_json::json!({ "$ref": "#/$defs/configHome" })
    }
}

/// The name of an environment variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable(String);

impl Variable {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Read for Variable {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let expected = "letters, digits and `_`, not starting with a digit";
        crate::json::read_text(node, pointer, sink, "a variable's name", expected, |text| {
            let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if plain && starts { Ok(Self(text.to_owned())) } else { Err(()) }
        })
    }
}

impl Schema for Variable {
    fn schema() -> serde_json::Value {
        crate::json::pattern_schema("^[A-Za-z_][A-Za-z0-9_]*$")
    }
}
