//! Whether what changed since an older list may change: an entry keeps its owner, unless the old
//! owner handed it over in a place that only the old owner can write to.

use super::{Entry, Fault};
use crate::text::printable;
use serde_json::Value;
use std::collections::BTreeMap;

/// That a lane goes from one repository to another, said by its old owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandOff {
    /// `owner/name`.
    pub from: String,
    pub to: String,
    /// Where the old owner says so: an address in the old repository.
    pub statement: String,
}

impl HandOff {
    /// Reads a hand-off; the error says what was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let field = |name: &str| -> Result<String, String> {
            let text = value.get(name).and_then(Value::as_str);
            text.map(str::to_owned).ok_or_else(|| format!("expected a text `{name}`"))
        };
        let hand_off =
            Self { from: field("from")?, to: field("to")?, statement: field("statement")? };
        let home = format!("https://github.com/{}/", hand_off.from);
        if hand_off.statement.to_ascii_lowercase().starts_with(&home.to_ascii_lowercase()) {
            Ok(hand_off)
        } else {
            Err(format!("expected a statement in the old repository, below `{home}`"))
        }
    }
}

/// Compares a list with an older one. `hand_offs` are by id.
pub fn check_since(
    old: &[Entry],
    new: &[Entry],
    hand_offs: &BTreeMap<String, HandOff>,
) -> Vec<Fault> {
    let old: BTreeMap<&str, &Entry> = old.iter().map(|entry| (entry.id.as_str(), entry)).collect();
    let mut faults = vec![];
    for entry in new {
        let Some(before) = old.get(entry.id.as_str()) else { continue };
        let moved = !before.repo.eq_ignore_ascii_case(&entry.repo);
        let handed = hand_offs.get(&entry.id).is_some_and(|hand_off| {
            hand_off.from.eq_ignore_ascii_case(&before.repo)
                && hand_off.to.eq_ignore_ascii_case(&entry.repo)
        });
        if moved && !handed {
            let (from, to) = (printable(&before.repo, 100), printable(&entry.repo, 100));
            let reason = format!(
                "it moved from `{from}` to `{to}` without a hand-off of the old owner; expected `hand-offs/{}.json`",
                entry.id
            );
            faults.push(Fault::of(entry, "repo", reason));
        }
        if before.slug != entry.slug {
            let reason = "settings and records of its users name the old one".to_owned();
            faults.push(Fault::of(entry, "interactions.slug", reason));
        }
    }
    faults
}
