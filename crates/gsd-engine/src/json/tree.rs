//! A JSON text as a tree in which every value and every key knows its span.

use super::fault::{fault, syntax};
use super::forgiven::without_forgiven;
use crate::diag::{Diagnostic, SourceFile, Span};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ast, parse_to_ast};
use std::sync::Arc;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub span: Span,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    /// The digits as they are written.
    Number(String),
    String(String),
    Array(Vec<Node>),
    Object(Object),
}

/// The members of an object in the order of the text. Duplicates are kept; see `Fields`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Object {
    pub members: Vec<Member>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub name: String,
    pub name_span: Span,
    pub value: Node,
}

impl Object {
    /// The last member of that name, as JSON readers in the field do.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.members.iter().rev().find(|member| member.name == name).map(|member| &member.value)
    }
}

impl Node {
    pub fn as_object(&self) -> Option<&Object> {
        match &self.value {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&[Node]> {
        match &self.value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The number as a double, as every JSON reader understands it.
    pub fn as_f64(&self) -> Option<f64> {
        match &self.value {
            Value::Number(digits) => digits.parse().ok().filter(|value: &f64| value.is_finite()),
            _ => None,
        }
    }

    /// What kind of value it is, with its article, for messages.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }
}

/// Which text counts as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// RFC 8259 and nothing else: manifests, ledgers, records.
    Strict,
    /// Comments, trailing commas and a byte order mark are forgiven with one warning: files that
    /// people keep by hand.
    Relaxed,
}

/// Reads a text. No tree means at least one error among the diagnostics.
pub fn parse(file: &Arc<SourceFile>, dialect: Dialect) -> (Option<Node>, Vec<Diagnostic>) {
    let text = file.text();
    let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) else {
        return match tree(text, 0, &strict()) {
            Ok(node) => (node, vec![]),
            Err((span, message)) => (None, vec![syntax(file, span, &message)]),
        };
    };
    let strict_error = fault(file, &error);
    if dialect == Dialect::Strict || too_deep(text) {
        return (None, vec![strict_error]);
    }
    let (body, skipped) = match text.strip_prefix('\u{feff}') {
        Some(rest) => (rest, text.len() - rest.len()),
        None => (text, 0),
    };
    match tree(body, skipped, &relaxed()) {
        Ok(Some(node)) => {
            let warning = super::RELAXED
                .at(strict_error.at.clone(), "the file is not strict JSON; its values are used")
                .label("not JSON from here")
                .help("remove comments, trailing commas and byte order marks to silence this");
            (Some(node), vec![warning])
        }
        // What is forgiven is not the fault: the place of the first thing that is not comes next.
        Ok(None) | Err(_) => {
            let rest = serde_json::from_str::<serde::de::IgnoredAny>(&without_forgiven(text));
            (None, vec![rest.err().map_or(strict_error, |error| fault(file, &error))])
        }
    }
}

fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn relaxed() -> ParseOptions {
    ParseOptions { allow_comments: true, allow_trailing_commas: true, ..strict() }
}

fn tree(
    text: &str,
    skipped: usize,
    options: &ParseOptions,
) -> Result<Option<Node>, (Span, String)> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: false };
    let parsed = parse_to_ast(text, &collect, options).map_err(|error| {
        let range = error.range();
        (range.start + skipped..range.end + skipped, error.kind().to_string())
    })?;
    Ok(parsed.value.map(|value| own(value, skipped)))
}

/// The parser is recursive, so depth is bounded before it runs; serde_json's own bound is 128.
fn too_deep(text: &str) -> bool {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0usize, 0usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    // A quote inside a comment may hide brackets, so all of them together are bounded as well
    // where the text is not strict.
    deepest > 128 || text.bytes().filter(|b| matches!(b, b'[' | b'{')).count() > 100_000
}

fn own(value: ast::Value<'_>, skipped: usize) -> Node {
    let span = value.start() + skipped..value.end() + skipped;
    let value = match value {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(literal) => Value::Bool(literal.value),
        ast::Value::NumberLit(literal) => Value::Number(literal.value.to_owned()),
        ast::Value::StringLit(literal) => Value::String(literal.value.into_owned()),
        ast::Value::Array(array) => {
            Value::Array(array.elements.into_iter().map(|item| own(item, skipped)).collect())
        }
        ast::Value::Object(object) => Value::Object(Object {
            members: object
                .properties
                .into_iter()
                .map(|property| Member {
                    name_span: property.name.start() + skipped..property.name.end() + skipped,
                    name: match property.name {
                        ast::ObjectPropName::String(literal) => literal.value.into_owned(),
                        ast::ObjectPropName::Word(word) => word.value.to_owned(),
                    },
                    value: own(property.value, skipped),
                })
                .collect(),
        }),
    };
    Node { span, value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn codes(text: &str, dialect: Dialect) -> (bool, Vec<&'static str>) {
        let (node, found) = parse(&SourceFile::new("t.json", text), dialect);
        (node.is_some(), found.iter().map(|d| d.rule.code).collect())
    }

    #[test]
    fn strict_refuses_what_relaxed_forgives() {
        let text = "\u{feff}{ // why\n \"a\": [1, 2,], }";
        assert_eq!(codes(text, Dialect::Strict), (false, vec!["json/syntax"]));
        assert_eq!(codes(text, Dialect::Relaxed), (true, vec!["json/relaxed-syntax"]));
        assert_eq!(codes("{\"a\": }", Dialect::Relaxed), (false, vec!["json/syntax"]));
        assert_eq!(codes("", Dialect::Relaxed), (false, vec!["json/syntax"]));
    }

    #[test]
    fn spans_slice_to_their_text_behind_a_mark() {
        let file = SourceFile::new("t", "\u{feff}{\"key\": [true]}");
        let (node, _) = parse(&file, Dialect::Relaxed);
        let node = node.expect("parses");
        let member = &node.as_object().expect("object").members[0];
        assert_eq!(&file.text()[member.name_span.clone()], "\"key\"");
        assert_eq!(&file.text()[member.value.span.clone()], "[true]");
    }

    #[test]
    fn depth_is_bounded() {
        for open in ["[", "{\"a\":"] {
            assert!(!codes(&open.repeat(200_000), Dialect::Relaxed).0);
            assert!(!codes(&format!("//\"\n{}", open.repeat(200_000)), Dialect::Relaxed).0);
        }
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(text in "[\\[\\]{}:,\"a0-9.eE+ tfn\\\\u\n-]{0,40}") {
            let ours = codes(&text, Dialect::Strict).0;
            let theirs = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            prop_assert_eq!(ours, theirs);
        }

        #[test]
        fn any_text_in_diagnostics_out(text in any::<String>()) {
            for dialect in [Dialect::Strict, Dialect::Relaxed] {
                let (node, found) = parse(&SourceFile::new("t", text.clone()), dialect);
                prop_assert!(node.is_some() || !found.is_empty());
            }
        }
    }
}
