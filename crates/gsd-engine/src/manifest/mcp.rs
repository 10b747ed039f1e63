//! Servers of tools (MCP) that a capability brings.
//!
//! The whole declared object is handed to the host, so fields that gsd does not know are its
//! affair; what gsd shows and asks consent for is typed here.

use super::refuse_reserved;
use crate::diag::{Level, Rule};
use crate::json::{Fields, Node, Pointer, Read, Sink, Value, quoted};
use crate::text::is_deceptive;
use serde_json::json;

/// A server is not described so that it could be shown, run or reached.
pub(super) static MCP_SERVER: Rule = Rule {
    code: "manifest/mcp-server",
    level: Level::Error,
    summary: "a server of tools is not described so that it can be run or reached",
    docs: include_str!("mcp_server.md"),
};

/// A server of tools: a program, or an address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct McpServer {
    pub name: String,
    /// `type`, else `transport`.
    pub transport: Option<String>,
    pub command: Option<String>,
    /// Words after the program; numbers and booleans as they are written.
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    pub cwd: Option<String>,
    pub url: Option<String>,
    pub headers: Vec<(String, String)>,
}

/// Reads `mcpServers`: an object by name, or a list of objects with a `name`.
pub(super) fn read(fields: &mut Fields<'_>, sink: &mut Sink) -> Vec<McpServer> {
    let Some(node) = fields.node("mcpServers") else { return vec![] };
    let pointer = fields.pointer.key("mcpServers");
    match &node.value {
        Value::Object(object) => {
            if Fields::of(node, &pointer, sink).is_none() {
                return vec![];
            }
            let mut servers = vec![];
            for member in &object.members {
                let below = pointer.key(&member.name);
                let at = sink.at(&member.name_span, &below);
                if refuse_reserved(&member.name, at.clone(), "a server", sink) {
                    continue;
                }
                if !is_line(&member.name) {
                    let message = format!("{} is not a name", quoted(&member.name));
                    sink.push(MCP_SERVER.at(at, message).label("expected a line of text"));
                }
                servers.extend(read_server(member.name.clone(), &member.value, &below, sink));
            }
            servers
        }
        Value::Array(items) => {
            let named = |(index, item): (usize, &Node)| {
                let below = pointer.index(index);
                let mut fields = Fields::of(item, &below, sink)?;
                let name: String = fields.required("name", sink)?;
                let at = fields.name_at("name", sink);
                if refuse_reserved(&name, at, "a server", sink) {
                    return None;
                }
                match fields.node("config") {
                    Some(config) => read_server(name, config, &below.key("config"), sink),
                    None => read_server(name, item, &below, sink),
                }
            };
            items.iter().enumerate().filter_map(named).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            sink.wrong(node, &pointer, "an object of servers");
            vec![]
        }
    }
}

fn read_server(name: String, node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<McpServer> {
    let mut fields = Fields::of(node, pointer, sink)?;
    let transport = fields.optional("type", sink);
    let transport = transport.or_else(|| fields.optional("transport", sink));
    let server = McpServer {
        name,
        transport,
        command: line(&mut fields, "command", sink),
        args: words(&mut fields, sink),
        env: pairs(&mut fields, "env", sink),
        cwd: line(&mut fields, "cwd", sink),
        url: line(&mut fields, "url", sink),
        headers: pairs(&mut fields, "headers", sink),
    };
    if let Some(remote @ ("http" | "sse")) = server.transport.as_deref()
        && fields.peek("command").is_some()
    {
        let message = format!(
            "the server {} says that it is reached by `{remote}` and has a `command`",
            quoted(&server.name)
        );
        let at = fields.name_at("command", sink);
        let diagnostic = MCP_SERVER.at(at, message).label("would be started");
        sink.push(diagnostic.help("write a `url` instead, or leave the transport out"));
    }
    let here = fields.here(sink);
    match (fields.peek("command"), fields.peek("url")) {
        (None, None) => {
            let message =
                format!("the server {} has neither `command` nor `url`", quoted(&server.name));
            let diagnostic = MCP_SERVER.at(here, message).label("cannot be run or reached");
            sink.push(diagnostic.help(
                "write `\"command\": \"a-program\"` or `\"url\": \"https://example.org/mcp\"`",
            ));
        }
        (Some(_), Some(_)) => {
            let message =
                format!("the server {} has both `command` and `url`", quoted(&server.name));
            let at = fields.name_at("url", sink);
            let first = fields.name_at("command", sink);
            let diagnostic = MCP_SERVER.at(at, message).label("one too many");
            sink.push(diagnostic.also(first, "first named here").help("make it two servers"));
        }
        (Some(_), None) | (None, Some(_)) => {}
    }
    Some(server)
}

fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(is_deceptive)
}

fn line(fields: &mut Fields<'_>, key: &'static str, sink: &mut Sink) -> Option<String> {
    let node = fields.node(key)?;
    let pointer = fields.pointer.key(key);
    let text = String::read(node, &pointer, sink)?;
    if !is_line(&text) {
        let message = format!("{} is not a line of text", quoted(&text));
        let diagnostic = MCP_SERVER.at(sink.at(&node.span, &pointer), message);
        sink.push(diagnostic.label("not printable").help("write one line of printable text"));
    }
    Some(text)
}

fn scalar(node: &Node) -> Option<String> {
    match &node.value {
        Value::String(text) => Some(text.clone()),
        Value::Number(digits) => Some(digits.clone()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn words(fields: &mut Fields<'_>, sink: &mut Sink) -> Vec<String> {
    let Some(node) = fields.node("args") else { return vec![] };
    let pointer = fields.pointer.key("args");
    let Some(items) = node.as_array() else {
        sink.wrong(node, &pointer, "an array");
        return vec![];
    };
    let mut read = vec![];
    for (index, item) in items.iter().enumerate() {
        match scalar(item) {
            Some(word) => read.push(word),
            None => sink.wrong(item, &pointer.index(index), "a string"),
        }
    }
    read
}

fn pairs(fields: &mut Fields<'_>, key: &'static str, sink: &mut Sink) -> Vec<(String, String)> {
    let Some(node) = fields.node(key) else { return vec![] };
    let pointer = fields.pointer.key(key);
    let Some(object) = node.as_object() else {
        sink.wrong(node, &pointer, "an object");
        return vec![];
    };
    let mut read = vec![];
    for member in &object.members {
        let below = pointer.key(&member.name);
        let at = sink.at(&member.name_span, &below);
        if refuse_reserved(&member.name, at, "a variable or a header", sink) {
            continue;
        }
        match scalar(&member.value) {
            Some(text) => read.push((member.name.clone(), text)),
            None => sink.wrong(&member.value, &below, "a string"),
        }
    }
    read
}

/// The schema of `mcpServers`.
pub(super) fn servers_schema() -> serde_json::Value {
    let line =
        json!({ "type": "string", "pattern": "^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f]+$" });
    let scalar = json!({ "type": ["string", "number", "boolean"] });
    let reserved = json!({ "not": { "enum": crate::id::RESERVED } });
    let pairs = json!({
        "type": "object",
        "propertyNames": reserved,
        "additionalProperties": scalar,
    });
    let server = json!({
        "type": "object",
        "properties": {
            "type": { "type": "string" },
            "transport": { "type": "string" },
            "command": line,
            "args": { "type": "array", "items": scalar },
            "env": pairs,
            "cwd": line,
            "url": line,
            "headers": pairs,
        },
        "oneOf": [{ "required": ["command"] }, { "required": ["url"] }],
    });
    let listed = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "config": server },
        "required": ["name"],
        "if": { "required": ["config"] },
        "else": server,
    });
    json!({
        "description": "Servers of tools (MCP) that the capability brings, by name.",
        "anyOf": [
            {
                "type": "object",
                "propertyNames": { "allOf": [line, reserved] },
                "additionalProperties": server,
            },
            { "type": "array", "items": listed },
        ],
    })
}
