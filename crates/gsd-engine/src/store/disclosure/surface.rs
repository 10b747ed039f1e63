//! What runs: hooks of the host, command modules, servers of tools, and commands of gates.

use super::raw::{list, members, pairs, text, without_reserved};
use serde_json::Value;

/// A script that the host runs when something happens.
#[derive(Debug, Clone, PartialEq)]
pub struct Hook {
    /// Empty where none is declared.
    pub event: String,
    pub script: String,
    /// As it is declared, whatever it is.
    pub matcher: Option<Value>,
}

/// A module that answers a word of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandModule {
    pub family: String,
    pub module: String,
    pub router: String,
}

/// A server of tools that the host starts or connects to.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    pub name: String,
    /// `type`, else `transport`.
    pub transport: String,
    pub command: String,
    /// As they are declared, also those that are no texts.
    pub args: Vec<Value>,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub env: Vec<(String, String)>,
    pub cwd: String,
    /// Everything that is declared of it.
    pub config: Value,
}

/// A command line that a gate runs in the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateCommand {
    pub point: String,
    pub command: String,
}

pub(super) fn hooks(manifest: &Value) -> Vec<Hook> {
    let hook = |entry: &Value| {
        let script = text(entry, "script").to_owned();
        let event = text(entry, "event").to_owned();
        (!script.is_empty()).then(|| Hook { event, script, matcher: entry.get("matcher").cloned() })
    };
    list(manifest, "hooks").iter().filter_map(hook).collect()
}

pub(super) fn modules(manifest: &Value) -> Vec<CommandModule> {
    let module = |entry: &Value| {
        let module = text(entry, "module").to_owned();
        let owned = |key| text(entry, key).to_owned();
        (!module.is_empty()).then(|| CommandModule {
            family: owned("family"),
            module,
            router: owned("router"),
        })
    };
    list(manifest, "commands").iter().filter_map(module).collect()
}

/// Servers stand in an object by name, or in a list with their names inside.
pub(super) fn servers(manifest: &Value) -> Vec<Server> {
    let listed = list(manifest, "mcpServers").iter().filter_map(|entry| {
        let name = text(entry, "name");
        (!name.is_empty()).then(|| server(name, entry.get("config").unwrap_or(entry)))
    });
    let by_name = members(manifest, "mcpServers").filter(|(name, _)| !name.is_empty());
    by_name.map(|(name, config)| server(name, config)).chain(listed).collect()
}

fn server(name: &str, config: &Value) -> Server {
    let own = |key| text(config, key).to_owned();
    let transport = match own("type") {
        empty if empty.is_empty() => own("transport"),
        declared => declared,
    };
    Server {
        name: name.to_owned(),
        transport,
        command: own("command"),
        args: list(config, "args").to_vec(),
        url: own("url"),
        headers: pairs(config, "headers"),
        env: pairs(config, "env"),
        cwd: own("cwd"),
        config: without_reserved(config),
    }
}

pub(super) fn gate_commands(manifest: &Value) -> Vec<GateCommand> {
    let command = |gate: &Value| {
        let predicate = gate.get("check")?.get("predicate")?;
        let command = text(predicate, "command").to_owned();
        (!command.is_empty())
            .then(|| GateCommand { point: text(gate, "point").to_owned(), command })
    };
    list(manifest, "gates").iter().filter_map(command).collect()
}

impl Server {
    /// Whether the host connects to an address instead of starting a program. Where there is a
    /// command, the host may start it, whatever transport is said.
    pub fn is_remote(&self) -> bool {
        self.command.is_empty()
            && (matches!(self.transport.as_str(), "http" | "sse") || !self.url.is_empty())
    }
}
