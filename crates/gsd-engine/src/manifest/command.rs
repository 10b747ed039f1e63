//! Command families: words of the command line that a capability brings.
//!
//! A module is never loaded into gsd; it is run as a program of its own after it was consented to.

use crate::diag::{Level, Rule};
use crate::id::RESERVED;
use crate::json::{Node, Pointer, Read, Schema, Sink, pattern_schema, quoted, record};

/// A family could be taken for something else.
pub(super) static COMMAND_FAMILY: Rule = Rule {
    code: "manifest/command-family",
    level: Level::Error,
    summary: "a command family is no word of its own",
    docs: include_str!("command_family.md"),
};

/// A module is not the bare name of a file.
pub(super) static COMMAND_MODULE: Rule = Rule {
    code: "manifest/command-module",
    level: Level::Error,
    summary: "the module of a command is not the bare name of a .cjs file",
    docs: include_str!("command_module.md"),
};

/// Words that gsd itself knows, in order: built-in words come first, so a family of that name could
/// never be reached, or would stand in for what people trust.
pub const RESERVED_WORDS: &[&str] = &[
    "capability",
    "check",
    "completions",
    "config",
    "config-ensure-section",
    "config-get",
    "config-new-project",
    "config-path",
    "config-set",
    "config-set-model-profile",
    "doctor",
    "explain",
    "help",
    "init",
    "lane",
    "lanes-catalog",
    "loop",
    "man",
    "migrate-config",
    "plan-lint",
    "prompt-budget",
    "query",
    "registry",
    "registry-index",
    "review",
    "review-lane",
    "runtime",
    "state",
    "version",
];

record! {
    /// A word of the command line and the module that answers it.
    pub struct Command, CommandDraft {
        /// The first word of the command.
        required "family" family: crate::json::At<Family> = r#""acme""#,
        /// The module: the bare name of a `.cjs` file.
        required "module" module: Module = r#""acme-commands.cjs""#,
        /// The function of the module that takes the words.
        required "router" router: Router = r#""routeAcme""#,
        /// The second words that it knows. For people only.
        optional_list "subcommands" subcommands: super::Text,
    }
}

/// The first word of a command.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Family(String);

impl Family {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Read for Family {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let text = String::read(node, pointer, sink)?;
        let word = text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && text.len() <= 64
            && !RESERVED.contains(&text.as_str());
        let at = sink.at(&node.span, pointer);
        if !word {
            let message = format!("{} is not a command family", quoted(&text));
            let expected = "expected lower-case letters, digits and hyphens";
            sink.push(COMMAND_FAMILY.at(at, message).label(expected));
            return None;
        }
        if RESERVED_WORDS.contains(&text.as_str()) {
            let message = format!("`{text}` is a command of gsd itself");
            let diagnostic = COMMAND_FAMILY.at(at, message).label("taken");
            sink.push(diagnostic.help("choose a word of your own"));
            return None;
        }
        Some(Self(text))
    }
}

impl Schema for Family {
    fn schema() -> serde_json::Value {
        let mut schema = pattern_schema("^(?!(constructor|prototype)$)[a-z][a-z0-9-]{0,63}$");
        schema["not"] = serde_json::json!({ "enum": RESERVED_WORDS });
        schema
    }
}

/// The bare name of a CommonJS file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module(String);

impl Module {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Read for Module {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let text = String::read(node, pointer, sink)?;
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
        let stem = text.strip_suffix(".cjs").filter(|stem| !stem.is_empty());
        if stem.is_some() && text.bytes().all(plain) && !text.starts_with('-') {
            return Some(Self(text));
        }
        let message = format!("{} is not the bare name of a .cjs file", quoted(&text));
        let diagnostic = COMMAND_MODULE.at(sink.at(&node.span, pointer), message);
        sink.push(diagnostic.label("expected a name such as `acme.cjs`"));
        None
    }
}

impl Schema for Module {
    fn schema() -> serde_json::Value {
        pattern_schema("^(?!-)[A-Za-z0-9._-]+\\.cjs$")
    }
}

/// The name of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Router(String);

impl Router {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Read for Router {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let expected = "a name of letters, digits, `_` and `$`";
        crate::json::read_text(node, pointer, sink, "the name of a function", expected, |text| {
            let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || "_$".contains(c));
            let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_$".contains(&b));
            let own = !RESERVED.contains(&text);
            if starts && plain && own { Ok(Self(text.to_owned())) } else { Err(()) }
        })
    }
}

impl Schema for Router {
    fn schema() -> serde_json::Value {
        pattern_schema("^(?!(__proto__|constructor|prototype)$)[A-Za-z_$][A-Za-z0-9_$]*$")
    }
}
