//! A disclosure for people: one thing a line, every foreign text made harmless, so that no name can
//! rewrite the question it is part of. Long descriptions are cut with their length; what runs is
//! shown to its end, on further lines where it is long.

use super::destination::is_this_machine;
use super::{Destination, Disclosure, LaneSurface, Server};
use crate::text::printable;
use serde_json::Value;
use std::collections::BTreeMap;

/// No foreign text that only describes is shown longer.
const MAX_SHOWN: usize = 200;
/// Values of variables may be long and say little: their beginning and their end are shown.
const MAX_VALUE: usize = 60;
/// A longer line goes on in the next one, behind a mark: no text can reach the start of a line.
const WIDTH: usize = 160;
/// Nobody reads a longer line about what runs; a capability that has one is refused.
pub(in crate::store) const MAX_LINE: usize = 4000;
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
    out.extend(running(disclosure));
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
    out.iter().flat_map(|line| wrapped(line)).collect()
}

/// The lines about what runs that are too long to be read: how each begins, and its length.
pub(super) fn unreadable(disclosure: &Disclosure) -> Vec<(String, usize)> {
    let measured = running(disclosure).into_iter().map(|line| (line.chars().count(), line));
    let long = measured.filter(|(length, _)| *length > MAX_LINE);
    long.map(|(length, line)| (line.chars().take(WIDTH).collect(), length)).collect()
}

/// What runs or is contacted, each thing on one line to its end.
fn running(disclosure: &Disclosure) -> Vec<String> {
    let mut out = vec![];
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
            out.push(item(&format!("{} -> {}", or(&gate.point, "point"), whole(&gate.command))));
        }
    }
    if let Some(surface) = &disclosure.lane {
        heading("reviewer lane", 1, "it is given plans on every review", &mut out);
        lane(surface, &mut out);
    }
    out
}

/// A line in pieces that fit, each but the first one marked as going on.
fn wrapped(line: &str) -> Vec<String> {
    let chars: Vec<char> = line.chars().collect();
    let piece = |(index, chars): (usize, &[char])| {
        let text: String = chars.iter().collect();
        if index == 0 { text } else { format!("        | {text}") }
    };
    chars.chunks(WIDTH).enumerate().map(piece).collect()
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

/// A foreign text on one line, to its end.
fn whole(text: &str) -> String {
    printable(text, usize::MAX)
}

/// A foreign text of which the beginning and the end are shown.
fn both_ends(text: &str) -> String {
    let count = text.chars().count();
    if count <= 2 * MAX_VALUE {
        return whole(text);
    }
    let tail: String = text.chars().skip(count - MAX_VALUE).collect();
    format!("{}{} ({count} characters)", printable(text, MAX_VALUE), whole(&tail))
}

/// A foreign text, or what should stand there.
fn or(text: &str, what: &str) -> String {
    if text.is_empty() { format!("(no {what})") } else { shown(text, MAX_SHOWN) }
}

/// A word of a command line. Where it could be taken for several, or for none, it is quoted.
fn word(value: &Value) -> String {
    match value {
        Value::String(text)
            if text.is_empty()
                || text.contains(|c: char| c.is_whitespace() || c == '"' || c == '\'') =>
        {
            format!("\"{}\"", whole(text).replace('"', "\\\""))
        }
        Value::String(text) => whole(text),
        other => format!("<{}>", whole(&other.to_string())),
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
            Some(Value::String(matcher)) => whole(matcher),
            Some(other) => format!("<{}>", whole(&other.to_string())),
        };
        let (event, script) = (or(&hook.event, "event"), whole(&hook.script));
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
        let (family, file) = (or(&module.family, "family"), whole(&module.module));
        let router = match module.router.as_str() {
            "" => String::new(),
            router => format!(" [router: {}]", shown(router, MAX_SHOWN)),
        };
        let digest = digest_of(disclosure, &module.module);
        out.push(item(&format!("{family} -> {file}{router}{digest}")));
    }
}

/// Everything that is declared of a server is handed to the host, so all of it is shown; of headers
/// only the names.
fn server(server: &Server, out: &mut Vec<String>) {
    let name = or(&server.name, "name");
    let is_remote = server.is_remote();
    if is_remote {
        let transport = if server.transport.is_empty() { "http" } else { &server.transport };
        let here = if is_this_machine(&server.url) { " [local]" } else { "" };
        let url = if server.url.is_empty() { or("", "address") } else { whole(&server.url) };
        out.push(item(&format!("{name} -> [{}] {url}{here}", shown(transport, MAX_SHOWN))));
    } else {
        let command = command_line(&server.command, &server.args);
        out.push(item(&format!("{name} -> {command}")));
    }
    let Value::Object(config) = &server.config else {
        out.push(detail(&format!("value = {}", whole(&server.config.to_string()))));
        return;
    };
    for (field, value) in config {
        match (field.as_str(), value) {
            ("env", Value::Object(pairs)) => {
                for (key, value) in pairs {
                    out.push(detail(&format!("env: {}={}", whole(key), plain(value))));
                }
            }
            ("headers", Value::Object(pairs)) => {
                let keys = pairs.iter().map(|(key, value)| {
                    format!("{}=<hidden>{}", whole(key), holds(&value.to_string()))
                });
                out.push(detail(&format!("headers: {}", keys.collect::<Vec<_>>().join(", "))));
            }
            ("cwd", Value::String(folder)) => {
                out.push(detail(&format!("cwd: {}", whole(folder))));
            }
            ("name", Value::String(own)) if *own == server.name => {}
            // The line above says it.
            ("command", Value::String(_)) => {}
            ("url", Value::String(_)) if is_remote => {}
            ("args", Value::Array(_)) if !is_remote => {}
            ("type" | "transport", Value::String(said))
                if *said == server.transport && (is_remote || said == "stdio") => {}
            (field, value) => {
                let (field, value) = (whole(field), whole(&value.to_string()));
                out.push(detail(&format!("{field} = {value}")));
            }
        }
    }
}

/// A value of a variable. What is no text is passed on as well.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => both_ends(text),
        other => format!("<{}>", both_ends(&other.to_string())),
    }
}

/// The variables that a hidden value would be filled from: `${TOKEN}` sends what `TOKEN` holds.
fn holds(value: &str) -> String {
    let names = value.split("${").skip(1).filter_map(|rest| rest.split(['}', '"']).next());
    let names: Vec<String> =
        names.map(|name| format!("${}", whole(name.split(":-").next().unwrap_or(name)))).collect();
    if names.is_empty() { String::new() } else { format!(" (holds {})", names.join(", ")) }
}

fn variables(name: &str, pairs: &[(String, String)], out: &mut Vec<String>) {
    for (key, value) in pairs {
        out.push(detail(&format!("{name}: {}={}", whole(key), both_ends(value))));
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
