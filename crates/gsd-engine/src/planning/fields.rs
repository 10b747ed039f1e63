//! From the tree of a plan's frontmatter to its fields. Each value of a wrong type is one
//! diagnostic; the others are kept.

use super::frontmatter::{
    Artifact, Estimate, Frontmatter, KeyLink, MustHaves, Reading, locate, tree,
};
use super::paths::looks_like_path;
use super::spanned::{List, Spanned};
use super::yaml::{Entry, Node, Value};
use super::{FRONTMATTER_DUPLICATE_KEY, FRONTMATTER_SYNTAX, FRONTMATTER_TYPE};
use crate::diag::{Diagnostic, SourceFile, Span};
use crate::text::printable;
use std::collections::HashSet;
use std::sync::Arc;

/// Reads the frontmatter of a plan.
pub(super) fn read(file: &Arc<SourceFile>, diagnostics: &mut Vec<Diagnostic>) -> Frontmatter {
    let text = file.text();
    let Some(fenced) = locate(text) else {
        return Frontmatter::empty(Reading::Absent, 0..0);
    };
    let (node, reading, fault) = tree(text, &fenced);
    if let Some(fault) = fault {
        // The message may quote the text, which may hold anything.
        let message = format!("the frontmatter is broken: {}", printable(&fault.message, 200));
        let line = file.line_span(file.line_of(fault.at)).unwrap_or(fault.at..fault.at);
        let at = fault.at.clamp(line.start, line.end);
        let help = if text[line.clone()].starts_with('\t') {
            "indent with spaces: YAML allows no tabs there"
        } else if !fenced.closed {
            "end the frontmatter with a line `---`"
        } else {
            "quote values that hold `: `, `#`, or begin with a special character"
        };
        diagnostics.push(FRONTMATTER_SYNTAX.at(file.at(at..line.end), message).help(help));
    }
    let mut fields = Fields { file, diagnostics };
    fields.frontmatter(node, reading, fenced.outer)
}

struct Fields<'a> {
    file: &'a Arc<SourceFile>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Fields<'_> {
    fn frontmatter(&mut self, node: Node, reading: Reading, span: Span) -> Frontmatter {
        let mut read = Frontmatter::empty(reading, span);
        for Entry { key, node } in self.entries(node) {
            match key.value.as_str() {
                "phase" => read.phase = self.text("phase", &node),
                "plan" => read.plan = self.text("plan", &node),
                "type" => read.kind = self.text("type", &node),
                "wave" => read.wave = self.number("wave", &node),
                "depends_on" => read.depends_on = self.list("depends_on", &node),
                "files_modified" => read.files_modified = self.list("files_modified", &node),
                "autonomous" => read.autonomous = self.boolean("autonomous", &node),
                "requirements" => read.requirements = self.list("requirements", &node),
                "status" => read.status = self.text("status", &node),
                "gap_closure" => read.gap_closure = self.boolean("gap_closure", &node),
                "estimate" => read.estimate = self.estimate(node),
                "must_haves" => read.must_haves = self.must_haves(node),
                "user_setup" => read.user_setup = (!is_empty(&node)).then(|| node.span.clone()),
                _ => read.unknown.push(key),
            }
        }
        read
    }

    /// The entries of a map, each key once: the first one counts.
    fn entries(&mut self, node: Node) -> Vec<Entry> {
        let Value::Map(entries) = node.value else { return vec![] };
        let mut seen = HashSet::new();
        let mut kept = vec![];
        for entry in entries {
            if seen.insert(entry.key.value.clone()) {
                kept.push(entry);
            } else {
                let name = printable(&entry.key.value, 60);
                let message =
                    format!("the key `{name}` is here a second time; the first one counts");
                let at = self.file.at(entry.key.span);
                self.diagnostics.push(FRONTMATTER_DUPLICATE_KEY.at(at, message));
            }
        }
        kept
    }

    fn wrong(&mut self, name: &str, expected: &str, node: &Node) {
        let message = format!("`{name}` must be {expected}, not {}", what(node));
        self.diagnostics.push(FRONTMATTER_TYPE.at(self.file.at(node.span.clone()), message));
    }

    fn text(&mut self, name: &str, node: &Node) -> Option<Spanned<String>> {
        match &node.value {
            Value::Null => None,
            Value::Text(text) => Some(Spanned::new(text.clone(), node.span.clone())),
            Value::List(_) | Value::Map(_) => {
                self.wrong(name, "a text", node);
                None
            }
        }
    }

    fn number<N: std::str::FromStr>(&mut self, name: &str, node: &Node) -> Option<Spanned<N>> {
        let number = match &node.value {
            Value::Null => return None,
            Value::Text(text) => text.trim().parse().ok(),
            Value::List(_) | Value::Map(_) => None,
        };
        if number.is_none() {
            self.wrong(name, "a whole number", node);
        }
        number.map(|number| Spanned::new(number, node.span.clone()))
    }

    fn boolean(&mut self, name: &str, node: &Node) -> Option<Spanned<bool>> {
        let boolean = match &node.value {
            Value::Null => return None,
            Value::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Some(true),
                "false" | "no" | "off" => Some(false),
                _ => None,
            },
            Value::List(_) | Value::Map(_) => None,
        };
        if boolean.is_none() {
            self.wrong(name, "`true` or `false`", node);
        }
        boolean.map(|boolean| Spanned::new(boolean, node.span.clone()))
    }

    fn list(&mut self, name: &str, node: &Node) -> Option<List> {
        match &node.value {
            Value::Null => None,
            Value::List(nodes) => {
                let values = nodes.iter().filter_map(|node| self.entry(name, node)).collect();
                Some(Spanned::new(values, node.span.clone()))
            }
            Value::Text(text) => {
                self.wrong(name, "a list", node);
                let none = matches!(text.to_ascii_lowercase().as_str(), "none" | "n/a" | "-");
                let values = if none { vec![] } else { self.parts(text, &node.span) };
                Some(Spanned::new(values, node.span.clone()))
            }
            Value::Map(_) => {
                self.wrong(name, "a list", node);
                None
            }
        }
    }

    /// The parts of a text between commas.
    fn parts(&self, text: &str, span: &Span) -> Vec<Spanned<String>> {
        let source = &self.file.text()[span.clone()];
        let mut at = 0;
        text.split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| {
                let place = match source[at..].find(part) {
                    Some(offset) => span.start + at + offset..span.start + at + offset + part.len(),
                    None => span.clone(),
                };
                at = at.max(place.end.saturating_sub(span.start).min(source.len()));
                Spanned::new(part.to_owned(), place)
            })
            .collect()
    }

    /// One entry of a list of texts. An unquoted `a: b` is a map to YAML and a text to people.
    fn entry(&mut self, name: &str, node: &Node) -> Option<Spanned<String>> {
        match &node.value {
            Value::Null => None,
            Value::Text(text) => Some(Spanned::new(text.clone(), node.span.clone())),
            Value::Map(entries) => {
                let path = entries.iter().find(|entry| entry.key.value == "path");
                if let Some(Entry { node: Node { value: Value::Text(path), span }, .. }) = path {
                    return Some(Spanned::new(path.clone(), span.clone()));
                }
                self.wrong(&format!("an entry of {name}"), "a text; quote it", node);
                let source = self.file.text()[node.span.clone()].to_owned();
                Some(Spanned::new(fold(&source), node.span.clone()))
            }
            Value::List(_) => {
                self.wrong(&format!("an entry of {name}"), "a text", node);
                None
            }
        }
    }

    fn texts(&mut self, name: &str, node: &Node) -> Vec<Spanned<String>> {
        self.list(name, node).map(|list| list.value).unwrap_or_default()
    }

    fn estimate(&mut self, node: Node) -> Option<Spanned<Estimate>> {
        let span = node.span.clone();
        match &node.value {
            Value::Null => return None,
            Value::Map(_) => {}
            Value::Text(_) | Value::List(_) => {
                self.wrong("estimate", "a map with tokens, tasks, confidence", &node);
                return None;
            }
        }
        let mut estimate = Estimate::default();
        for Entry { key, node } in self.entries(node) {
            match key.value.as_str() {
                "tokens" => estimate.tokens = self.number("estimate.tokens", &node),
                "tasks" => estimate.tasks = self.number("estimate.tasks", &node),
                "confidence" => estimate.confidence = self.text("estimate.confidence", &node),
                _ => {}
            }
        }
        Some(Spanned::new(estimate, span))
    }

    fn must_haves(&mut self, node: Node) -> Option<Spanned<MustHaves>> {
        let span = node.span.clone();
        match &node.value {
            Value::Null => return None,
            Value::Map(_) => {}
            Value::Text(_) | Value::List(_) => {
                self.wrong("must_haves", "a map with truths, artifacts, key_links", &node);
                return None;
            }
        }
        let mut read = MustHaves::default();
        for Entry { key, node } in self.entries(node) {
            match key.value.as_str() {
                "truths" => read.truths = self.texts("must_haves.truths", &node),
                "artifacts" => {
                    read.artifacts = self.each("must_haves.artifacts", node, Self::artifact);
                }
                "key_links" => {
                    read.key_links = self.each("must_haves.key_links", node, Self::key_link);
                }
                _ => {}
            }
        }
        Some(Spanned::new(read, span))
    }

    fn each<T>(
        &mut self,
        name: &str,
        node: Node,
        read: fn(&mut Self, Node) -> T,
    ) -> Vec<Spanned<T>> {
        match node.value {
            Value::Null => vec![],
            Value::List(nodes) => {
                let filled = nodes.into_iter().filter(|node| !is_empty(node));
                filled
                    .map(|node| {
                        let span = node.span.clone();
                        Spanned::new(read(self, node), span)
                    })
                    .collect()
            }
            Value::Text(_) | Value::Map(_) => {
                self.wrong(name, "a list", &node);
                vec![]
            }
        }
    }

    fn artifact(&mut self, node: Node) -> Artifact {
        let mut read = Artifact::default();
        if let Value::Text(text) = &node.value {
            // `src/a.rs: what it gives` and `src/a.rs - what it gives` occur beside a plain path.
            let word = text.split(char::is_whitespace).next().unwrap_or_default();
            let path = word.trim_end_matches([':', ',']);
            let path = if looks_like_path(path) { path } else { text.as_str() };
            let span = self.within(&node.span, path);
            read.path = Some(Spanned::new(path.to_owned(), span));
            return read;
        }
        for Entry { key, node } in self.entries(node) {
            match key.value.as_str() {
                "path" | "file" => read.path = self.text("path", &node),
                "provides" => read.provides = self.text("provides", &node),
                "min_lines" => read.min_lines = self.number("min_lines", &node),
                "exports" => read.exports = self.texts("exports", &node),
                "contains" => read.contains = self.text("contains", &node),
                _ => {}
            }
        }
        read
    }

    fn key_link(&mut self, node: Node) -> KeyLink {
        let mut read = KeyLink::default();
        if let Value::Text(text) = &node.value {
            read.text = Some(Spanned::new(text.clone(), node.span));
            return read;
        }
        for Entry { key, node } in self.entries(node) {
            match key.value.as_str() {
                "from" => read.from = self.text("from", &node),
                "to" => read.to = self.text("to", &node),
                "via" => read.via = self.text("via", &node),
                "pattern" => read.pattern = self.text("pattern", &node),
                _ => {}
            }
        }
        read
    }

    /// The place of `part` in a value, or the whole value where its spelling differs.
    fn within(&self, span: &Span, part: &str) -> Span {
        match self.file.text()[span.clone()].find(part) {
            Some(offset) => span.start + offset..span.start + offset + part.len(),
            None => span.clone(),
        }
    }
}

fn is_empty(node: &Node) -> bool {
    match &node.value {
        Value::Null => true,
        Value::Text(text) => text.trim().is_empty(),
        Value::List(nodes) => nodes.is_empty(),
        Value::Map(entries) => entries.is_empty(),
    }
}

fn what(node: &Node) -> String {
    match &node.value {
        Value::Null => "nothing".to_owned(),
        Value::Text(text) => format!("`{}`", printable(text, 40)),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a map".to_owned(),
    }
}

/// White space folded to single spaces.
pub(super) fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
