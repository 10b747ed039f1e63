//! Says what is wrong in settings: values of other types, and keys that nobody knows.

use super::{Config, Declarations, Kind, Layer, UNKNOWN_KEY, WRONG_TYPE};
use crate::diag::{Diagnostic, SourceFile};
use crate::json::{Member, Node, to_value};
use crate::text::printable;
use std::sync::Arc;

/// Looks at every value of every layer. What cannot be read at all was said when it was read.
pub fn check(config: &Config, declared: &Declarations) -> Vec<Diagnostic> {
    let mut found = vec![];
    for (layer, file, root) in config.texts() {
        let mut walk = Walk { layer, file, declared, found: &mut found };
        walk.members(root, "");
    }
    found
}

struct Walk<'a> {
    layer: Layer,
    file: &'a Arc<SourceFile>,
    declared: &'a Declarations,
    found: &'a mut Vec<Diagnostic>,
}

impl Walk<'_> {
    fn members(&mut self, node: &Node, above: &str) {
        for member in node.as_object().map(|object| object.members.as_slice()).unwrap_or_default() {
            let key = match above {
                "" => member.name.clone(),
                above => format!("{above}.{}", member.name),
            };
            self.member(member, &key);
        }
    }

    fn member(&mut self, member: &Member, key: &str) {
        if Config::is_ignored(key, self.layer) {
            return;
        }
        let node = &member.value;
        let Some(declaration) = self.declared.find(key) else {
            // A name with others below it is only the way to them.
            match node.as_object() {
                Some(object) if !object.members.is_empty() => self.members(node, key),
                Some(_) => {}
                None => self.unknown(member, key),
            }
            return;
        };
        if declaration.kind == Kind::Object {
            self.members(node, key);
        }
        let value = to_value(node);
        if !declaration.kind.accepts(&value) {
            // Some settings are keys of services: what stands there is not repeated.
            let expected = declaration.kind.expected();
            let message = format!("`{}` takes {expected}, not {}", printable(key, 120), said(node));
            let diagnostic = WRONG_TYPE.at(self.file.at(node.span.clone()), message);
            self.found.push(diagnostic.label("counts as unset"));
        }
    }

    fn unknown(&mut self, member: &Member, key: &str) {
        let at = self.file.at(member.name_span.clone());
        let diagnostic = UNKNOWN_KEY.at(at, format!("nobody knows `{}`", printable(key, 120)));
        let diagnostic = diagnostic.label("does nothing");
        self.found.push(match self.declared.nearest(key) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        });
    }
}

/// A value in a message: words and numbers as they are, anything larger by its kind.
fn said(node: &Node) -> String {
    use crate::json::Value;
    match &node.value {
        Value::Bool(value) => format!("`{value}`"),
        Value::Number(digits) => format!("`{}`", printable(digits, 40)),
        Value::String(text) => format!("`\"{}\"`", printable(text, 40)),
        Value::Null | Value::Array(_) | Value::Object(_) => node.kind().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said_of(project: &str) -> Vec<String> {
        let file = SourceFile::new("config.json", project);
        let (config, _) = Config::read(vec![(Layer::Project, file)]);
        let found = check(&config, &Declarations::with([]));
        found.iter().map(|d| format!("{} {}: {}", d.at.line(), d.rule.code, d.message)).collect()
    }

    #[test]
    fn types_and_unknown_keys() {
        let found = said_of(
            "{\"commit_docs\": \"yes\",\n\"features\": {\"zz\": {\"deep\": 1}},\n\
             \"review\": {\"effort\": \"hihg\", \"colour\": 1,\n\"max_prompt_tokens\": -5},\n\
             \"review.concurrency\": null, \"comit_docs\": true, \"later\": {}}",
        );
        assert_eq!(
            found,
            [
                "1 config/wrong-type: `commit_docs` takes true or false, not `\"yes\"`",
                "3 config/wrong-type: `review.effort` takes `inherit`, `minimal`, `low`, `medium`, \
                 `high`, `xhigh` or `max`, not `\"hihg\"`",
                "3 config/unknown-key: nobody knows `review.colour`",
                "4 config/wrong-type: `review.max_prompt_tokens` takes a whole number of at least \
                 0, -1 for unset, not `-5`",
                "5 config/unknown-key: nobody knows `comit_docs`",
            ]
        );
    }

    #[test]
    fn instances_are_looked_into() {
        let found = said_of(
            r#"{"review": {"reviewer_instances": {"a": {"cli": 7, "colour": 1}, "b": "codex"}}}"#,
        );
        assert_eq!(
            found,
            [
                "1 config/wrong-type: `review.reviewer_instances.a.cli` takes a text, not `7`",
                "1 config/unknown-key: nobody knows `review.reviewer_instances.a.colour`",
                "1 config/wrong-type: `review.reviewer_instances.b` takes an object, not \
                 `\"codex\"`",
            ]
        );
    }
}
