//! A disclosure for people: one thing a line, every foreign text made harmless and cut with its
//! length, so that no name can rewrite the question it is part of.

use super::destination::is_this_machine;
use super::{Destination, Disclosure, LaneSurface, Server};
use crate::text::printable;
use serde_json::Value;
use std::collections::BTreeMap;

/// No foreign text is shown longer.
const MAX_SHOWN: usize = 200;
/// Values of variables may be long and say little.
const MAX_VALUE: usize = 60;
/// As much of a digest as people compare.
const DIGEST: usize = 12;

pub(super) fn lines(disclosure: &Disclosure) -> Vec<String> {
    if !disclosure.requires_consent() {
        let (hooks, prompts) = (disclosure.loops.len(), disclosure.prompts.len());
        return vec![format!(
            "declarative: nothing in it runs by itself ({hooks} places in the loop, {prompts} texts for prompts, {} settings)",
            disclosure.settings.len()
        )];
    }
    let mut out = vec!["it brings what runs on this machine or receives your plans:".to_owned()];
    hooks(disclosure, &mut out);
    modules(disclosure, &mut out);
    if !disclosure.servers.is_empty() {
        heading(
            "servers of tools",
            disclosure.servers.len(),
            "the host starts or contacts them",
            &mut out,
        );
        disclosure.servers.iter().for_each(|one| server(one, &mut out));
    }
    if !disclosure.gate_commands.is_empty() {
        let count = disclosure.gate_commands.len();
        heading("commands of gates", count, "run in the project by a shell", &mut out);
        for gate in &disclosure.gate_commands {
            out.push(item(&format!(
                "{} -> {}",
                or(&gate.point, "point"),
                shown(&gate.command, MAX_SHOWN)
            )));
        }
    }
    if let Some(surface) = &disclosure.lane {
        heading("reviewer lane", 1, "it is given plans on every review", &mut out);
        lane(surface, &mut out);
    }
    around(disclosure, &mut out);
    if !disclosure.missing.is_empty() {
        heading(
            "named but not in the bundle",
            disclosure.missing.len(),
            "nothing can run them",
            &mut out,
        );
        out.extend(disclosure.missing.iter().map(|path| item(&shown(path, MAX_SHOWN))));
    }
    out
}

fn heading(what: &str, count: usize, how: &str, out: &mut Vec<String>) {
    out.push(format!("  {what} ({count}): {how}"));
}

fn item(text: &str) -> String {
    format!("    - {text}")
}

fn detail(text: &str) -> String {
    format!("        {text}")
}

/// A foreign text on one line, cut with its length.
fn shown(text: &str, max: usize) -> String {
    let count = text.chars().count();
    let line = printable(text, max);
    if count > max { format!("{line} ({count} characters)") } else { line }
}

/// A foreign text, or what should stand there.
fn or(text: &str, what: &str) -> String {
    if text.is_empty() { format!("(no {what})") } else { shown(text, MAX_SHOWN) }
}

/// A word of a command line. Where it could be taken for several, or for none, it is quoted.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() || text.contains([' ', '"', '\'', '\t', '\n']) => {
            format!("\"{}\"", shown(text, MAX_SHOWN).replace('"', "\\\""))
        }
        Value::String(text) => shown(text, MAX_SHOWN),
        other => format!("<{}>", shown(&other.to_string(), MAX_SHOWN)),
    }
}

fn command_line(program: &str, args: &[Value]) -> String {
    let words = args.iter().map(word);
    let program = if program.is_empty() { or("", "program") } else { word(&program.into()) };
    [program].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

fn digest_of(disclosure: &Disclosure, path: &str) -> String {
    match disclosure.files.get(path) {
        Some(file) => format!(" [sha256 {}…]", &file.sha256[..DIGEST]),
        None => " [not in the bundle]".to_owned(),
    }
}

fn hooks(disclosure: &Disclosure, out: &mut Vec<String>) {
    if disclosure.hooks.is_empty() {
        return;
    }
    heading("hooks", disclosure.hooks.len(), "the host runs them as commands", out);
    for hook in &disclosure.hooks {
        let matcher = match &hook.matcher {
            None => "everything".to_owned(),
            Some(Value::String(matcher)) => shown(matcher, MAX_SHOWN),
            Some(other) => format!("<{}>", shown(&other.to_string(), MAX_SHOWN)),
        };
        let (event, script) = (or(&hook.event, "event"), shown(&hook.script, MAX_SHOWN));
        out.push(item(&format!(
            "{event} -> {script} [for: {matcher}]{}",
            digest_of(disclosure, &hook.script)
        )));
    }
}

fn modules(disclosure: &Disclosure, out: &mut Vec<String>) {
    if disclosure.modules.is_empty() {
        return;
    }
    heading("command modules", disclosure.modules.len(), "run by words of the command line", out);
    for module in &disclosure.modules {
        let (family, file) = (or(&module.family, "family"), shown(&module.module, MAX_SHOWN));
        let router = match module.router.as_str() {
            "" => String::new(),
            router => format!(" [router: {}]", shown(router, MAX_SHOWN)),
        };
        let digest = digest_of(disclosure, &module.module);
        out.push(item(&format!("{family} -> {file}{router}{digest}")));
    }
}

fn server(server: &Server, out: &mut Vec<String>) {
    let name = or(&server.name, "name");
    if server.is_remote() {
        let transport = if server.transport.is_empty() { "http" } else { &server.transport };
        let here = if is_this_machine(&server.url) { " [local]" } else { "" };
        let (transport, url) = (shown(transport, MAX_SHOWN), or(&server.url, "address"));
        out.push(item(&format!("{name} -> [{transport}] {url}{here}")));
    } else {
        let command = command_line(&server.command, &server.args);
        out.push(item(&format!("{name} -> {command}")));
    }
    if !server.headers.is_empty() {
        let keys =
            server.headers.iter().map(|(key, _)| format!("{}=<hidden>", shown(key, MAX_SHOWN)));
        out.push(detail(&format!("headers: {}", keys.collect::<Vec<_>>().join(", "))));
    }
    variables("env", &server.env, out);
    if !server.cwd.is_empty() {
        out.push(detail(&format!("cwd: {}", shown(&server.cwd, MAX_SHOWN))));
    }
}

fn variables(name: &str, pairs: &[(String, String)], out: &mut Vec<String>) {
    for (key, value) in pairs {
        out.push(detail(&format!("{name}: {}={}", shown(key, MAX_SHOWN), shown(value, MAX_VALUE))));
    }
}

fn lane(lane: &LaneSurface, out: &mut Vec<String>) {
    let slug = or(&lane.slug, "slug");
    match &lane.destination {
        Some(destination) => {
            let to = match destination {
                Destination::Resolved { address, local } => {
                    format!("{}{}", shown(address, MAX_SHOWN), if *local { " [local]" } else { "" })
                }
                Destination::Unresolved { why } => {
                    format!("(unresolved: {})", shown(why, MAX_SHOWN))
                }
            };
            let transport = or(&lane.transport, "transport");
            let key = or(&lane.host_key, "setting");
            out.push(item(&format!("{slug} -> [{transport}] {key} => {to}")));
        }
        None => out.push(item(&format!("{slug} -> {}", command_line(&lane.binary, &lane.args)))),
    }
    for run in lane.runs.iter().filter(|run| run.phase != "review") {
        let command = command_line(&run.program, &run.args);
        out.push(detail(&format!("{}: {command}", run.phase)));
    }
    for (placeholder, meaning) in lane.placeholders() {
        out.push(detail(&format!("{}: {meaning}", shown(&placeholder, MAX_SHOWN))));
    }
    let list = |name: &str, items: &[String], out: &mut Vec<String>| {
        if !items.is_empty() {
            let items = items.iter().map(|item| shown(item, MAX_SHOWN));
            out.push(detail(&format!("{name}: {}", items.collect::<Vec<_>>().join(", "))));
        }
    };
    list("looks for", &lane.looks_for, out);
    if !lane.handler.is_empty() {
        out.push(detail(&format!("handler: {}", shown(&lane.handler, MAX_SHOWN))));
    }
    out.push(detail(&format!("sends: {}", lane.payload.join(", "))));
    list("sees variables", &lane.env, out);
    variables("sets", &lane.set_env, out);
    for (name, text) in &lane.files {
        out.push(detail(&format!("writes: {} ({} bytes)", shown(name, MAX_SHOWN), text.len())));
    }
    list("may write to", &lane.state, out);
    out.push(detail(&format!("confined: {}", shown(&lane.posture, MAX_SHOWN))));
}

/// What takes part in the loop without running by itself.
fn around(disclosure: &Disclosure, out: &mut Vec<String>) {
    if !disclosure.loops.is_empty() {
        heading("places in the loop", disclosure.loops.len(), "they shape what agents do", out);
        for entry in &disclosure.loops {
            let what = match &entry.what {
                Value::String(text) => shown(text, MAX_SHOWN),
                other => shown(&other.to_string(), MAX_SHOWN),
            };
            let blocking = if entry.blocking { " [can stop the loop]" } else { "" };
            let point = or(&entry.point, "point");
            out.push(item(&format!("{} at {point}: {what}{blocking}", entry.kind)));
        }
    }
    if !disclosure.prompts.is_empty() {
        let mut kinds: BTreeMap<&str, (usize, u64, Vec<String>)> = BTreeMap::new();
        for text in &disclosure.prompts {
            let kind = kinds.entry(text.kind).or_default();
            kind.0 += 1;
            kind.1 += text.bytes.unwrap_or_default();
            kind.2.push(shown(&text.name, MAX_SHOWN));
        }
        heading("texts for prompts", disclosure.prompts.len(), "agents read them", out);
        for (kind, (count, bytes, mut names)) in kinds {
            names.dedup();
            out.push(item(&format!("{count} {kind}, {bytes} bytes: {}", names.join(", "))));
        }
    }
    if !disclosure.settings.is_empty() {
        heading("settings", disclosure.settings.len(), "it declares them", out);
        for setting in &disclosure.settings {
            let (key, kind) = (shown(&setting.key, MAX_SHOWN), or(&setting.kind, "type"));
            let default = shown(&setting.default.to_string(), MAX_VALUE);
            out.push(item(&format!("{key} ({kind}) = {default}")));
        }
    }
}
