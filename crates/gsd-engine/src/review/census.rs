//! The census: every plan as it is before anything runs. Proof and coverage count against it.

use super::record;
use crate::planning::{LeftOut, Phase};
use crate::text::printable;

/// The plans that are reviewed: all but superseded ones.
pub(super) fn census(phase: &Phase) -> Vec<record::Plan> {
    phase
        .counted()
        .map(|plan| record::Plan {
            id: plan.id.as_str().to_owned(),
            path: plan.document.path.as_str().to_owned(),
            bytes: plan.document.bytes,
            lines: plan.document.lines,
            sha256: plan.document.sha256.clone(),
        })
        .collect()
}

/// The plans that are there and cannot be read, each with the reason. Nobody reviews them.
pub(super) fn unreadable_plans(phase: &Phase) -> Vec<String> {
    let shown = |left: &LeftOut| format!("`{}`: {}", printable(&left.name, 120), left.why);
    phase.unreadable_plans().map(shown).collect()
}

/// What else is not part of the review, for its readers.
pub(super) fn left_out(phase: &Phase) -> Vec<String> {
    let mut notes = vec![];
    let unreadable = unreadable_plans(phase);
    if !unreadable.is_empty() {
        notes.push(format!("Not reviewed, since it cannot be read: {}.", unreadable.join("; ")));
    }
    let others: Vec<String> = phase
        .left_out
        .iter()
        .filter(|left| !phase.unreadable_plans().any(|plan| plan == *left))
        .map(|left| format!("`{}`", printable(&left.name, 120)))
        .collect();
    if !others.is_empty() {
        notes.push(format!("Not part of the review: {}.", others.join(", ")));
    }
    notes
}

/// The phase as the record names it.
pub(super) fn phase_of(phase: &Phase) -> record::Phase {
    let directory = &phase.directory;
    let name = phase
        .on_roadmap()
        .map(|entry| entry.name.clone())
        .filter(|name| !name.trim().is_empty())
        .unwrap_or_else(|| directory.slug.clone());
    record::Phase {
        number: directory.number.as_ref().map(|number| number.spelling().to_owned()),
        name,
        directory: directory.path.as_str().to_owned(),
    }
}
