//! What of a capability goes into the settings of a host.

use super::{HOOKS, MARKER, SERVERS, Skipped, unit};
use crate::id::{CapabilityId, RESERVED};
use crate::store::disclosure::{BundleFiles, Disclosure};
use crate::text::printable;
use camino::Utf8Path;
use serde_json::{Map, Value, json};

/// The entries of one capability.
#[derive(Debug, Clone, PartialEq)]
pub struct Surfaces {
    pub(super) id: String,
    pub hooks: Vec<HookEntry>,
    pub servers: Vec<ServerEntry>,
    /// What cannot go into any file.
    pub skipped: Vec<Skipped>,
}

/// A hook: a command for an event.
#[derive(Debug, Clone, PartialEq)]
pub struct HookEntry {
    pub event: String,
    pub matcher: Option<Value>,
    pub command: String,
}

/// A server of tools.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerEntry {
    pub name: String,
    pub config: Value,
}

impl Surfaces {
    /// The entries of a capability whose bundle lies, or will lie, at `installed`: an absolute path
    /// without links.
    pub fn of(
        id: &CapabilityId,
        disclosure: &Disclosure,
        files: &BundleFiles,
        installed: &Utf8Path,
    ) -> Self {
        let mut surfaces =
            Self { id: id.to_string(), hooks: vec![], servers: vec![], skipped: vec![] };
        for hook in &disclosure.hooks {
            let problem = if hook.event.is_empty() || RESERVED.contains(&hook.event.as_str()) {
                Some("no host has an event of that name")
            } else if !is_plain(&hook.script) {
                Some("the path of its script is not a plain one")
            } else if !files.holds(&hook.script) {
                Some("its script is not in the bundle")
            } else {
                None
            };
            match problem {
                Some(reason) => surfaces.skip("hook", &hook.event, reason),
                None => surfaces.hooks.push(HookEntry {
                    event: hook.event.clone(),
                    matcher: hook.matcher.clone(),
                    command: command(&installed.join(&hook.script)),
                }),
            }
        }
        for server in &disclosure.servers {
            let twice = surfaces.servers.iter().any(|other| other.name == server.name);
            if RESERVED.contains(&server.name.as_str()) {
                surfaces.skip("server", &server.name, "no server can have that name");
            } else if twice {
                surfaces.skip("server", &server.name, "the capability has two of that name");
            } else {
                let (name, config) = (server.name.clone(), server.config.clone());
                surfaces.servers.push(ServerEntry { name, config });
            }
        }
        surfaces
    }

    /// The entries of a capability that stand in a file, so that they can be put back as they are;
    /// `None` if one of them is not as gsd writes it.
    pub(super) fn standing(found: &Value, id: &CapabilityId) -> Option<Self> {
        let id = id.as_str();
        let marked = |entry: &&Value| entry.get(MARKER).and_then(Value::as_str) == Some(id);
        let mut surfaces =
            Self { id: id.to_owned(), hooks: vec![], servers: vec![], skipped: vec![] };
        let events = found.get(HOOKS).and_then(Value::as_object);
        for (event, groups) in events.into_iter().flatten() {
            for group in groups.as_array().into_iter().flatten().filter(marked) {
                let command = group.get(HOOKS)?.get(0)?.get("command")?.as_str()?.to_owned();
                let matcher = group.get("matcher").cloned();
                let hook = HookEntry { event: event.clone(), matcher, command };
                if hook.entry(id) != *group {
                    return None;
                }
                surfaces.hooks.push(hook);
            }
        }
        let servers = found.get(SERVERS).and_then(Value::as_object);
        for (name, entry) in servers.into_iter().flatten().filter(|(_, entry)| marked(entry)) {
            let mut config = entry.as_object()?.clone();
            config.shift_remove(MARKER);
            surfaces.servers.push(ServerEntry { name: name.clone(), config: config.into() });
        }
        Some(surfaces)
    }

    /// The names of its pieces, as a report spells them.
    pub fn pieces(&self) -> Vec<String> {
        let hooks = self.hooks.iter().map(|hook| unit::hook(&hook.event));
        hooks.chain(self.servers.iter().map(|server| unit::server(&server.name))).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.hooks.is_empty() && self.servers.is_empty()
    }

    fn skip(&mut self, what: &str, name: &str, reason: &str) {
        let name = format!("{what} {}", printable(name, 80));
        self.skipped.push(Skipped { name, reason: reason.to_owned() });
    }
}

impl HookEntry {
    pub(super) fn entry(&self, id: &str) -> Value {
        let mut entry = Map::new();
        entry.insert(MARKER.to_owned(), id.into());
        if let Some(matcher) = &self.matcher {
            entry.insert("matcher".to_owned(), matcher.clone());
        }
        entry.insert(HOOKS.to_owned(), json!([{ "type": "command", "command": self.command }]));
        Value::Object(entry)
    }
}

impl ServerEntry {
    pub(super) fn entry(&self, id: &str) -> Value {
        let mut entry = match &self.config {
            Value::Object(members) => members.clone(),
            other => [("value".to_owned(), other.clone())].into_iter().collect(),
        };
        entry.insert(MARKER.to_owned(), id.into());
        Value::Object(entry)
    }
}

/// Only characters that no shell reads as anything else, below the bundle.
fn is_plain(path: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._/-".contains(&b);
    let part = |part: &str| !part.starts_with('-') && part != "..";
    !path.is_empty()
        && !path.starts_with('/')
        && path.bytes().all(plain)
        && path.split('/').all(part)
}

/// A command line that runs a script. A script of JavaScript needs no executable bit.
fn command(script: &Utf8Path) -> String {
    let quoted = format!("'{}'", script.as_str().replace('\'', r"'\''"));
    match script.extension() {
        Some("js" | "cjs" | "mjs") => format!("node {quoted}"),
        Some(_) | None => quoted,
    }
}
