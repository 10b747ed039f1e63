//! Strict JSON with spans, and a reader that gathers diagnostics instead of stopping.
//!
//! `serde_json` decides whether a text is JSON (RFC 8259); `jsonc-parser` says where everything
//! stands. Any bytes in, diagnostics out: never a panic, bounded depth.

mod edit;
mod expected;
mod fault;
mod fields;
mod forgiven;
mod insert;
mod items;
mod layout;
mod members;
mod place;
mod pointer;
mod record;
mod schema;
mod sink;
mod tree;
mod word;

pub use edit::apply_fixes;
pub(crate) use expected::Expected;
pub use fields::{Fields, Read, quoted, read_list};
pub use items::{append_item, is_bare, read_value, remove_item};
pub use members::{EditError, remove_member, remove_member_and, set_member, to_value};
pub use place::At;
pub use pointer::Pointer;
pub(crate) use record::{record, vocabulary};
pub use schema::{Field, Schema, described, object, prose};
pub use sink::{Purpose, Sink};
pub use tree::{Dialect, Member, Node, Object, Value, parse};
pub use word::{one_of, pattern_schema, read_text, read_word, words_schema};

use crate::diag::{Level, Rule};

/// The text is not JSON.
pub static SYNTAX: Rule = Rule {
    code: "json/syntax",
    level: Level::Error,
    summary: "the text is not JSON",
    docs: include_str!("json/syntax.md"),
};

/// A key appears twice in one object.
pub static DUPLICATE_KEY: Rule = Rule {
    code: "json/duplicate-key",
    level: Level::Error,
    summary: "a key appears twice in one object",
    docs: include_str!("json/duplicate_key.md"),
};

/// A text that is JSON only after comments, trailing commas or a byte order mark are forgiven.
pub static RELAXED: Rule = Rule {
    code: "json/relaxed-syntax",
    level: Level::Warning,
    summary: "the file is read as JSON with comments",
    docs: include_str!("json/relaxed_syntax.md"),
};

/// Every rule of this module.
pub static RULES: &[&Rule] = &[&DUPLICATE_KEY, &RELAXED, &SYNTAX];
