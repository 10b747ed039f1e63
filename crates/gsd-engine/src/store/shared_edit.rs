//! Hooks and servers of a capability in the settings of a host, a file that its user owns.
//!
//! What is put in carries a mark with the id of the capability. Everything else keeps its bytes:
//! comments, order, line ends, trailing commas, the byte order mark. What the user or another
//! capability has is never replaced. Taking it out again gives the file as it was, byte for byte,
//! unless somebody edited it since; then exactly what carries the mark goes. A file that cannot be
//! read is refused and stays as it is.

mod surfaces;
mod undo;
mod unit;
mod without;

pub use surfaces::{HookEntry, ServerEntry, Surfaces};
pub use undo::Undo;
pub use unit::{Touched, touched};
pub use without::{Other, Without, without};

use crate::id::CapabilityId;
use crate::json::{self, EditError};
use serde_json::Value;

/// The member that says whose an entry is.
pub const MARKER: &str = "_gsdCapability";

const HOOKS: &str = "hooks";
const SERVERS: &str = "mcpServers";

/// Why a file was not edited.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SharedEditError {
    #[error("the shared file cannot be edited")]
    Edit(#[from] EditError),
}

/// A file with the entries of a capability in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    pub text: String,
    /// What is in it now, in words: `hook Stop`, `server acme`.
    pub added: Vec<String>,
    pub skipped: Vec<Skipped>,
    pub undo: Undo,
}

/// Something that was not put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub name: String,
    pub reason: String,
}

/// A file without the entries of a capability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stripped {
    /// `None` for a file that was made for the entries and holds nothing else.
    pub text: Option<String>,
    /// How many entries went.
    pub removed: usize,
}

/// Pieces that stay as their user changed them, and the record of what was written for them.
#[derive(Debug, Clone, Copy)]
pub struct Keeping<'a> {
    pub pieces: &'a [String],
    pub undo: &'a Undo,
}

/// Puts the entries of a capability into the text of a file; `None` is a file that is not there.
/// Entries of the same capability that stand in it already are replaced.
pub fn apply(text: Option<&str>, surfaces: &Surfaces) -> Result<Applied, SharedEditError> {
    apply_keeping(text, surfaces, None)
}

/// The same, where some pieces are not to be replaced.
pub fn apply_keeping(
    text: Option<&str>,
    surfaces: &Surfaces,
    keeping: Option<Keeping<'_>>,
) -> Result<Applied, SharedEditError> {
    let before = text.unwrap_or_default();
    let kept = keeping.map(|keeping| keeping.pieces).unwrap_or_default();
    let base = match strip_marked(before, &surfaces.id, None, kept)? {
        Stripped { text: Some(text), .. } => text,
        Stripped { text: None, .. } => String::new(),
    };
    let found = value_of(&base)?;
    let mut undo = Undo::begin(text.is_none(), &found, surfaces);
    let mut applied = base;
    let (mut added, mut skipped) = (vec![], surfaces.skipped.clone());
    let stays = |name: &String| {
        kept.contains(name).then(|| Skipped {
            name: name.clone(),
            reason: "it stays as you changed it".to_owned(),
        })
    };
    for hook in &surfaces.hooks {
        let name = unit::hook(&hook.event);
        if let Some(stays) = stays(&name) {
            skipped.push(stays);
            continue;
        }
        if unit::runs_unmarked(&found, &hook.event, &hook.command) {
            let reason = "the file has that hook, without gsd's mark".to_owned();
            skipped.push(Skipped { name, reason });
            continue;
        }
        let new = json::append_item(&applied, &[HOOKS, &hook.event], &hook.entry(&surfaces.id))?;
        undo.step(&applied, &new);
        added.push(name);
        applied = new;
    }
    for server in &surfaces.servers {
        let name = unit::server(&server.name);
        if let Some(stays) = stays(&name) {
            skipped.push(stays);
            continue;
        }
        if let Some(present) = found.get(SERVERS).and_then(|servers| servers.get(&server.name)) {
            let reason = match present.get(MARKER).and_then(Value::as_str) {
                Some(other) => format!("`{other}` has a server of that name"),
                None => "the file has a server of that name that is not gsd's".to_owned(),
            };
            skipped.push(Skipped { name, reason });
            continue;
        }
        let entry = server.entry(&surfaces.id);
        let new = json::set_member(&applied, &[SERVERS, &server.name], &entry)?;
        undo.step(&applied, &new);
        added.push(name);
        applied = new;
    }
    // Two capabilities or two servers of one name are told apart above; a file in which nothing
    // was added is not written at all.
    let written = unit::written(&value_of(&applied)?, &surfaces.id, undo.commands());
    undo.finish(&applied, added.len(), written);
    if let Some(Keeping { pieces, undo: before }) = keeping
        && !pieces.is_empty()
    {
        undo.keeping(pieces, before);
    }
    Ok(Applied { text: applied, added, skipped, undo })
}

/// Takes the entries of a capability out of a text. `undo` is what [`apply`] gave, where it was
/// kept.
pub fn strip(
    text: &str,
    id: &CapabilityId,
    undo: Option<&Undo>,
) -> Result<Stripped, SharedEditError> {
    if let Some(stripped) = undo.and_then(|undo| undo.revert(text)) {
        return Ok(stripped);
    }
    strip_marked(text, id.as_str(), undo, &[])
}

/// Takes the entries of a capability out of a text, but for some pieces.
pub fn strip_but(
    text: &str,
    id: &CapabilityId,
    keeping: Keeping<'_>,
) -> Result<Stripped, SharedEditError> {
    strip_marked(text, id.as_str(), Some(keeping.undo), keeping.pieces)
}

fn value_of(text: &str) -> Result<Value, SharedEditError> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    Ok(json::read_value(text)?)
}

/// Takes out whatever carries the mark, but for some pieces, and the lists and objects that were
/// made for it.
fn strip_marked(
    text: &str,
    id: &str,
    undo: Option<&Undo>,
    kept: &[String],
) -> Result<Stripped, SharedEditError> {
    let found = value_of(text)?;
    let may_go = |path: &[&str]| !undo.is_some_and(|undo| undo.was_there(path));
    let (mut text, mut removed) = (text.to_owned(), 0);
    let events = found.get(HOOKS).and_then(Value::as_object);
    for (event, groups) in events.into_iter().flatten() {
        if kept.contains(&unit::hook(event)) {
            continue;
        }
        let path = [HOOKS, event.as_str()];
        let groups = groups.as_array().map(Vec::as_slice).unwrap_or_default();
        let before = removed;
        for (index, group) in groups.iter().enumerate().rev() {
            if group.get(MARKER).and_then(Value::as_str) != Some(id) {
                continue;
            }
            removed += 1;
            text = match undo.map(|undo| undo.own_among(group)) {
                // The user put hooks of their own into the group: they stay, and so does it.
                Some(own) if !own.is_whole => without_own(&text, &path, index, &own.at)?,
                Some(_) | None => json::remove_item(&text, &path, index)?.unwrap_or(text),
            };
        }
        if removed > before && may_go(&path) && json::is_bare(&text, &path)? {
            text = json::remove_member_and(&text, &path, &may_go)?.unwrap_or(text);
        }
    }
    let servers = found.get(SERVERS).and_then(Value::as_object);
    for (name, server) in servers.into_iter().flatten() {
        let is_own = server.get(MARKER).and_then(Value::as_str) == Some(id);
        if is_own && !kept.contains(&unit::server(name)) {
            removed += 1;
            let path = [SERVERS, name.as_str()];
            text = json::remove_member_and(&text, &path, &may_go)?.unwrap_or(text);
        }
    }
    let made = undo.is_some_and(Undo::made_the_file);
    let bare = text.trim().is_empty() || json::is_bare(&text, &[])?;
    Ok(Stripped { text: (!(made && bare)).then_some(text), removed })
}

/// Takes hooks of ours and the mark out of a group that holds others as well.
fn without_own(
    text: &str,
    path: &[&str; 2],
    index: usize,
    own: &[usize],
) -> Result<String, EditError> {
    let place = index.to_string();
    let hooks = [path[0], path[1], place.as_str(), HOOKS];
    let mut text = text.to_owned();
    for at in own.iter().rev() {
        text = json::remove_item(&text, &hooks, *at)?.unwrap_or(text);
    }
    let mark = [path[0], path[1], place.as_str(), MARKER];
    Ok(json::remove_member(&text, &mark)?.unwrap_or(text))
}

#[cfg(test)]
mod tests;
