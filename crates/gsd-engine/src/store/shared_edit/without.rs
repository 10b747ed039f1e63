//! Takes one capability out of a file in which others of gsd's have entries as well.
//!
//! What was put in last comes out first: those above are lifted, the one goes, and those above are
//! put back, so that each of them has an exact way back again. Where somebody edited the file in
//! between, only the marks tell whose is what. Then what one made for itself and leaves behind
//! because others need it is theirs from then on, and goes with the last of them.

use super::{
    Applied, HOOKS, MARKER, SERVERS, SharedEditError, Stripped, Surfaces, Undo, apply, strip,
    strip_marked,
};
use crate::id::CapabilityId;
use serde_json::{Value, json};

/// Another capability that has entries in the file, and the way back of it.
#[derive(Debug, Clone)]
pub struct Other {
    pub id: CapabilityId,
    pub undo: Undo,
}

/// A file without the entries of one capability.
#[derive(Debug)]
pub struct Without {
    pub stripped: Stripped,
    /// The ways back of the others, in their order, as they are from then on.
    pub others: Vec<Other>,
}

/// Takes the entries of a capability out of a text. What a ledger says of ways back counts only
/// where it leads to what the marks say, too: the ledger of a project is not the user's own.
pub fn without(
    text: &str,
    id: &CapabilityId,
    undo: Option<&Undo>,
    others: &[Other],
) -> Result<Without, SharedEditError> {
    let by_marks = strip(text, id, None)?;
    if by_marks.removed > 0
        && let Some(exact) = lifted(text, undo, others)
        && exact.stripped.removed == by_marks.removed
        && meaning(exact.stripped.text.as_deref()) == meaning(by_marks.text.as_deref())
    {
        return Ok(exact);
    }
    let mut stripped = by_marks;
    for better in [strip(text, id, undo)?, strip_marked(text, id.as_str(), undo, &[])?] {
        if meaning(better.text.as_deref()) == meaning(stripped.text.as_deref()) {
            stripped = better;
            break;
        }
    }
    let others = match undo {
        Some(undo) => handed_on(text, id, undo, others)?,
        None => others.to_vec(),
    };
    Ok(Without { stripped, others })
}

/// The exact way: everything above is lifted, then put back. `None` where somebody else edited the
/// file since the one was put in.
fn lifted(text: &str, undo: Option<&Undo>, others: &[Other]) -> Option<Without> {
    let undo = undo?;
    let mut text = text.to_owned();
    let mut above: Vec<(usize, Surfaces)> = vec![];
    while !undo.is_of(&text) {
        let is_top = |(at, other): &(usize, &Other)| {
            other.undo.is_of(&text) && above.iter().all(|(lifted, _)| lifted != at)
        };
        let (at, other) = others.iter().enumerate().find(is_top)?;
        let entries = Surfaces::standing(&super::value_of(&text).ok()?, &other.id)?;
        text = other.undo.revert(&text)?.text?;
        above.push((at, entries));
    }
    let mut stripped = undo.revert(&text)?;
    let mut others = others.to_vec();
    for (at, entries) in above.iter().rev() {
        let Applied { text, undo, .. } = apply(stripped.text.as_deref(), entries).ok()?;
        stripped.text = Some(text);
        others[*at].undo = undo;
    }
    Some(Without { stripped, others })
}

/// What one made for its entries is from now on as if each of the others had made it.
fn handed_on(
    text: &str,
    id: &CapabilityId,
    undo: &Undo,
    others: &[Other],
) -> Result<Vec<Other>, SharedEditError> {
    let made = undo.made_among(&paths_of(&super::value_of(text)?, id));
    let with = |other: &Other| Other {
        id: other.id.clone(),
        undo: other.undo.clone().also_made(undo.made_the_file(), &made),
    };
    Ok(others.iter().map(with).collect())
}

/// The objects and lists that the entries of a capability stand in.
fn paths_of(found: &Value, id: &CapabilityId) -> Vec<Vec<String>> {
    let marked = |entry: &Value| entry.get(MARKER).and_then(Value::as_str) == Some(id.as_str());
    let mut paths = vec![];
    let events = found.get(HOOKS).and_then(Value::as_object);
    for (event, groups) in events.into_iter().flatten() {
        if groups.as_array().is_some_and(|groups| groups.iter().any(marked)) {
            paths.push(vec![HOOKS.to_owned()]);
            paths.push(vec![HOOKS.to_owned(), event.clone()]);
        }
    }
    let servers = found.get(SERVERS).and_then(Value::as_object);
    if servers.is_some_and(|servers| servers.values().any(marked)) {
        paths.push(vec![SERVERS.to_owned()]);
    }
    paths
}

/// What a file says, its empty lists and objects aside.
fn meaning(text: Option<&str>) -> Option<Value> {
    let text = text.unwrap_or_default();
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Some(json!({}));
    }
    let mut value = crate::json::read_value(text).ok()?;
    for name in [HOOKS, SERVERS] {
        let Some(below) = value.get_mut(name).and_then(Value::as_object_mut) else { continue };
        below.retain(|_, value| *value != json!([]) && *value != json!({}));
        if below.is_empty() {
            value.as_object_mut()?.shift_remove(name);
        }
    }
    Some(value)
}
