//! Requirements: which a phase has, which a plan lists, which exist.

use super::prose;
use super::view::{PlanView, View};
use crate::diag::Location;
use crate::planning::Spanned;
use std::collections::HashSet;

/// The ids that a plan lists, each with its entry. A remark after an id is not a part of it, and
/// an entry such as `none` is no id.
pub(super) fn listed<'a>(plan: &PlanView<'a>) -> Vec<(&'a str, &'a Spanned<String>)> {
    let list = plan.plan.frontmatter.requirements.as_ref();
    list.into_iter()
        .flat_map(|list| &list.value)
        .filter_map(|entry| Some((id(&entry.value)?, entry)))
        .collect()
}

fn id(entry: &str) -> Option<&str> {
    let id = entry.trim().trim_matches(['"', '\'', '`', '*']);
    let id = id.split([' ', '(', ':', ',']).next().unwrap_or_default();
    let nothing = ["", "none", "n/a", "tbd", "-", "null", "[]"];
    (!nothing.contains(&id.to_ascii_lowercase().as_str())).then_some(id)
}

/// The requirements of the phase: those of the roadmap, else those that the traceability table
/// gives it.
pub(super) fn of_phase<'a>(view: &View<'a>) -> Vec<(&'a str, Location)> {
    let phase = view.phase;
    if let (Some(roadmap), Some(on_roadmap)) = (&phase.roadmap, phase.on_roadmap())
        && !on_roadmap.requirements.is_empty()
    {
        return on_roadmap
            .requirements
            .iter()
            .map(|id| (id.value.as_str(), roadmap.document.file.at(id.span.clone())))
            .collect();
    }
    let (Some(requirements), Some(number)) = (&phase.requirements, &phase.directory.number) else {
        return vec![];
    };
    requirements
        .traceability
        .iter()
        .filter(|row| row.phase.as_ref() == Some(number))
        .map(|row| (row.id.value.as_str(), requirements.document.file.at(row.id.span.clone())))
        .collect()
}

/// Every id that requirements or roadmap define.
pub(super) fn known<'a>(view: &View<'a>) -> HashSet<&'a str> {
    let requirements = view.phase.requirements.iter().flat_map(|all| &all.requirements);
    let roadmap = view.phase.roadmap.iter().flat_map(|roadmap| &roadmap.phases);
    requirements
        .map(|requirement| requirement.id.value.as_str())
        .chain(roadmap.flat_map(|phase| &phase.requirements).map(|id| id.value.as_str()))
        .collect()
}

/// Whether a document beside the plans names the id, in whatever shape.
pub(super) fn is_spoken_of(view: &View<'_>, id: &str) -> bool {
    let phase = view.phase;
    let documents = phase
        .requirements
        .iter()
        .map(|requirements| &requirements.document)
        .chain(phase.roadmap.iter().map(|roadmap| &roadmap.document))
        .chain(phase.project.iter())
        .chain(phase.contexts.iter().map(|context| &context.document))
        .chain(phase.research.iter().map(|research| &research.document));
    documents.into_iter().any(|document| prose::names(document.file.text(), id))
}

/// Whether the requirement is ticked off already.
pub(super) fn is_done(view: &View<'_>, id: &str) -> bool {
    let requirements = view.phase.requirements.iter().flat_map(|all| &all.requirements);
    requirements
        .into_iter()
        .any(|requirement| requirement.id.value.as_str() == id && requirement.checked == Some(true))
}

/// Where the requirement is defined.
pub(super) fn definition(view: &View<'_>, id: &str) -> Option<Location> {
    let requirements = view.phase.requirements.as_ref()?;
    let requirement = requirements.requirements.iter().find(|one| one.id.value.as_str() == id)?;
    Some(requirements.document.file.at(requirement.text.span.clone()))
}
