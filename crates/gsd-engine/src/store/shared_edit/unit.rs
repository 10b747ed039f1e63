//! What was written for a capability, piece by piece: the hooks of one event, or one server. By it
//! is told what its user changed since.

use super::{HOOKS, MARKER, SERVERS, Undo};
use crate::store::disclosure::stringify;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The pieces of a capability by their names, such as `hook Stop`, each with its digest.
pub(super) type Written = BTreeMap<String, String>;

/// What the user did to the entries of a capability since they were written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// Pieces that are not any more what was written.
    pub edited: Vec<String>,
    /// Pieces that are there, and from which the mark was taken.
    pub unmarked: Vec<String>,
}

/// The name of the piece of an event.
pub(super) fn hook(event: &str) -> String {
    format!("hook {event}")
}

/// The event that a piece is about, if it is no server.
pub(super) fn event(piece: &str) -> Option<&str> {
    piece.strip_prefix("hook ")
}

pub(super) fn server(name: &str) -> String {
    format!("server {name}")
}

fn is_marked(entry: &Value, id: &str) -> bool {
    entry.get(MARKER).and_then(Value::as_str) == Some(id)
}

/// What carries the mark of a capability. Hooks that its user put beside one of its own are left
/// out: they are no change of it.
pub(super) fn written(found: &Value, id: &str, commands: &[String]) -> Written {
    let mut pieces = Written::new();
    let events = found.get(HOOKS).and_then(Value::as_object);
    for (event, groups) in events.into_iter().flatten() {
        let groups = groups.as_array().into_iter().flatten();
        let own: Vec<Value> = groups
            .filter(|group| is_marked(group, id))
            .map(|group| bare(group, commands))
            .collect();
        if !own.is_empty() {
            pieces.insert(hook(event), digest(&json!(own)));
        }
    }
    let servers = found.get(SERVERS).and_then(Value::as_object);
    for (name, entry) in servers.into_iter().flatten().filter(|(_, entry)| is_marked(entry, id)) {
        pieces.insert(server(name), digest(entry));
    }
    pieces
}

/// A group without the hooks of others, if one of ours is in it.
fn bare(group: &Value, commands: &[String]) -> Value {
    let mut group = group.clone();
    let is_own = |hook: &Value| {
        let command = hook.get("command").and_then(Value::as_str);
        command.is_some_and(|command| commands.iter().any(|own| own == command))
    };
    if let Some(hooks) = group.get_mut(HOOKS).and_then(Value::as_array_mut)
        && hooks.iter().any(is_own)
    {
        hooks.retain(is_own);
    }
    group
}

fn digest(value: &Value) -> String {
    let text = stringify(value);
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a file has a hook that runs a command, and nobody's mark on it.
pub(super) fn runs_unmarked(found: &Value, event: &str, command: &str) -> bool {
    let groups = found.get(HOOKS).and_then(|hooks| hooks.get(event)).and_then(Value::as_array);
    let is_it = |hook: &Value| hook.get("command").and_then(Value::as_str) == Some(command);
    groups.into_iter().flatten().filter(|group| group.get(MARKER).is_none()).any(|group| {
        let hooks = group.get(HOOKS).and_then(Value::as_array);
        hooks.into_iter().flatten().any(is_it)
    })
}

/// Compares a file with what was written into it.
pub fn touched(text: &str, id: &str, undo: &Undo) -> Touched {
    let Ok(found) = super::value_of(text) else { return Touched::default() };
    let now = written(&found, id, undo.commands());
    let is_edited = |(name, digest): &(&String, &String)| {
        undo.written().get(*name).is_some_and(|known| known != *digest)
    };
    let edited = now.iter().filter(is_edited).map(|(name, _)| name.clone()).collect();
    let mut unmarked = vec![];
    let events = found.get(HOOKS).and_then(Value::as_object);
    for event in events.into_iter().flatten().map(|(event, _)| event) {
        if undo.commands().iter().any(|command| runs_unmarked(&found, event, command)) {
            unmarked.push(hook(event));
        }
    }
    let servers = found.get(SERVERS).and_then(Value::as_object);
    for (name, entry) in servers.into_iter().flatten() {
        let name = server(name);
        if let Some(known) = undo.written().get(&name)
            && let Some(entry) = entry.as_object().filter(|entry| !entry.contains_key(MARKER))
        {
            let mut marked = entry.clone();
            marked.insert(MARKER.to_owned(), id.into());
            if digest(&marked.into()) == *known {
                unmarked.push(name);
            }
        }
    }
    Touched { edited, unmarked }
}
