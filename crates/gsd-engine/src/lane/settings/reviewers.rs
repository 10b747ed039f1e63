//! Which reviewers a user wants when nobody names one, and which instances of lanes there are.

use super::instance::{self, BAD_INSTANCE, INSTANCES, Instance};
use crate::config::{Config, Setting};
use crate::diag::{Diagnostic, Level, Location, Rule};
use crate::json::Value;
use crate::lane::descriptor::Descriptor;
use crate::lane::roster::Roster;
use crate::lane::selection::Remark;
use crate::text::printable;
use std::collections::BTreeMap;

/// `review.default_reviewers` cannot be used.
pub(super) static BAD_REVIEWERS: Rule = Rule {
    code: "lane/bad-reviewers",
    level: Level::Error,
    summary: "`review.default_reviewers` is no list of reviewers",
    docs: include_str!("bad_reviewers.md"),
};

/// One member of `review.default_reviewers`, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultReviewer {
    pub name: String,
    pub at: Option<Location>,
}

/// The reviewers of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reviewers {
    /// `None` if the key is absent.
    pub defaults: Option<Vec<DefaultReviewer>>,
    pub instances: BTreeMap<String, Instance>,
    /// What is wrong with them; reported even where the command line decides.
    pub found: Vec<Diagnostic>,
}

pub(super) const DEFAULTS: &str = "review.default_reviewers";
/// More instances than this are a mistake.
const MAX_INSTANCES: usize = 64;

impl Reviewers {
    /// Reads both keys. `lanes` are all lanes that there are.
    pub fn read(config: &Config, lanes: &[&Descriptor]) -> Self {
        let mut reviewers = Self::default();
        reviewers.read_instances(config, lanes);
        if let Some(setting) = config.get(DEFAULTS) {
            reviewers.read_defaults(&setting);
        }
        reviewers
    }

    /// Whether something in `found` is about one instance.
    pub fn is_about_instance(found: &Diagnostic) -> bool {
        found.rule.code == BAD_INSTANCE.code
    }

    fn read_defaults(&mut self, setting: &Setting<'_>) {
        let items = match &setting.node.value {
            Value::Null => return,
            Value::Array(items) => items,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                let message =
                    format!("`{DEFAULTS}` takes a list of names, not {}", setting.node.kind());
                let diagnostic = BAD_REVIEWERS.at(setting.at(), message);
                let one = setting.node.as_str().map_or("codex", str::trim);
                let names: Vec<String> = one
                    .split([',', ' '])
                    .filter(|name| !name.is_empty())
                    .map(|name| format!("\"{}\"", printable(name, 40)))
                    .collect();
                let help = format!("write `[{}]`", names.join(", "));
                self.found.push(diagnostic.help(help));
                self.defaults = Some(vec![]);
                return;
            }
        };
        if items.is_empty() {
            let message = format!("`{DEFAULTS}` is empty; leave it out to ask every reviewer");
            self.found.push(BAD_REVIEWERS.at(setting.at(), message));
        }
        let mut names: Vec<DefaultReviewer> = vec![];
        for item in items {
            let at = setting.place(item.span.clone());
            let Some(text) = item.as_str() else {
                let message = format!("expected a name, found {}", item.kind());
                self.found.push(BAD_REVIEWERS.at(at, message));
                continue;
            };
            let word = !text.is_empty()
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
            if !word {
                let message = format!("`{}` is no name of a reviewer", printable(text, 80));
                self.found.push(BAD_REVIEWERS.at(at, message));
                continue;
            }
            let name = text.to_lowercase();
            if names.iter().all(|known| known.name != name) {
                names.push(DefaultReviewer { name, at: Some(at) });
            }
        }
        self.defaults = Some(names);
    }

    /// What is wrong with the names of reviewers, where all that may be named is known.
    pub fn check_names(&self, roster: &Roster) -> Vec<Diagnostic> {
        let known = |name: &str| {
            self.instances.contains_key(name)
                || roster.iter().any(|lane| lane.slug().as_str() == name)
        };
        let entries = self.defaults.iter().flatten().filter(|entry| !known(&entry.name));
        let diagnostic = |entry: &DefaultReviewer| {
            let remark = Remark::unknown(&entry.name, self, roster, None);
            let diagnostic = BAD_REVIEWERS.at(entry.at.clone()?, remark.message);
            Some(match remark.help {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            })
        };
        entries.filter_map(diagnostic).collect()
    }

    fn read_instances(&mut self, config: &Config, lanes: &[&Descriptor]) {
        let Some(setting) = config.get(INSTANCES) else { return };
        match &setting.node.value {
            Value::Null => return,
            Value::Object(_) => {}
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                let kind = setting.node.kind();
                let message = format!("`{INSTANCES}` takes an object of instances, not {kind}");
                self.found.push(BAD_INSTANCE.at(setting.at(), message));
                return;
            }
        }
        for (count, (name, at)) in config.names_below(INSTANCES).into_iter().enumerate() {
            if count == MAX_INSTANCES {
                let message = format!("only the first {MAX_INSTANCES} instances are read");
                self.found.push(BAD_INSTANCE.at(setting.at(), message));
                return;
            }
            match instance::read(config, name, lanes) {
                Ok(instance) => {
                    self.instances.insert(name.to_owned(), instance);
                }
                Err(wrong) => self.found.push(wrong.at(at, name)),
            }
        }
    }
}
