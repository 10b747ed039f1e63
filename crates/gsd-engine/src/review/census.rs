//! The census: every plan as it is before anything runs. Proof and coverage count against it.

use super::record;
use crate::planning::Phase;

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
