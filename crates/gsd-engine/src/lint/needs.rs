//! What tasks need to find: files they read or edit, and whether those are there in time.

use super::files::{Supply, Touch};
use super::path;
use super::view::View;
use crate::diag::Span;
use std::collections::HashSet;

/// Why a file has to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Why {
    /// `<read_first>`, `@…` in `<context>`, or an action that says to read it.
    Read,
    /// An action that says to edit it.
    Edit,
}

/// A file that is needed and not there in time.
#[derive(Debug, Clone)]
pub(super) struct Need {
    pub(super) plan: usize,
    /// `None` for the context of the whole plan.
    pub(super) task: Option<usize>,
    pub(super) path: String,
    pub(super) span: Span,
    pub(super) why: Why,
    pub(super) fault: Fault,
}

#[derive(Debug, Clone)]
pub(super) enum Fault {
    Nobody,
    Later(Touch),
    Beside(Touch),
}

/// Every unmet need of a phase: one for each plan and file.
pub(super) fn unmet(view: &View<'_>) -> Vec<Need> {
    let mut unmet = vec![];
    let mut seen: HashSet<(usize, String)> = HashSet::new();
    let mut check = |plan: usize, task: Option<usize>, path: String, span: Span, why: Why| {
        if is_kept_by_the_host(view, &path)
            || is_stand_in(view, &path)
            || seen.contains(&(plan, path.clone()))
        {
            return;
        }
        let fault = match view.files.supply(view, &path, plan, task) {
            Supply::There | Supply::Made | Supply::Unclear => return,
            Supply::Nobody => Fault::Nobody,
            Supply::Later(touch) => Fault::Later(touch.clone()),
            Supply::Beside(touch) => Fault::Beside(touch.clone()),
        };
        seen.insert((plan, path.clone()));
        unmet.push(Need { plan, task, path, span, why, fault });
    };
    // Edits first: where a file is listed as well as edited, the edit says more.
    let edits = view.files.edits().filter(|said| {
        view.is_below_a_folder(&said.path)
            || view
                .files
                .touches(&said.path)
                .iter()
                .any(|touch| touch.plan == said.plan && touch.task == Some(said.task))
    });
    for said in edits {
        check(said.plan, Some(said.task), said.path.clone(), said.span.clone(), Why::Edit);
    }
    for plan in &view.plans {
        for (index, task) in plan.tasks() {
            for entry in task.read_first.iter().flat_map(|list| &list.value) {
                // A name without its folder may stand anywhere.
                if let Some(path) = path::file(&entry.value).filter(|path| path.contains('/')) {
                    check(plan.index, Some(index), path, entry.span.clone(), Why::Read);
                }
            }
        }
        for entry in &plan.plan.context_refs {
            if let Some(path) = path::file(&entry.value) {
                check(plan.index, None, path, entry.span.clone(), Why::Read);
            }
        }
    }
    for said in view.files.reads().filter(|said| view.is_below_a_folder(&said.path)) {
        check(said.plan, Some(said.task), said.path.clone(), said.span.clone(), Why::Read);
    }
    unmet
}

/// Planning files that the host writes while it works, that templates name in every plan, or that
/// belong to another phase and may have been archived.
fn is_kept_by_the_host(view: &View<'_>, path: &str) -> bool {
    if path.starts_with(".claude/") {
        return true;
    }
    if !path.starts_with(".planning/") {
        return false;
    }
    let own = path.strip_prefix(view.phase.directory.path.as_str());
    let Some(name) = own.and_then(|rest| rest.strip_prefix('/')) else { return true };
    let written = ["SUMMARY", "VERIFICATION", "REVIEW", "UAT", "STATE", "VALIDATION"];
    written.iter().any(|word| name.contains(word))
}

/// `WT/src/a.ts`, `ROOT/src/a.ts`: a first part in capitals that is no folder stands for one.
fn is_stand_in(view: &View<'_>, path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    path.contains('/')
        && first.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
        && view.tree.is_absent(first)
}

impl View<'_> {
    /// Whether the first part of a path is a folder of the project: prose that names a file below
    /// it means this project and not another one.
    pub(super) fn is_below_a_folder(&self, path: &str) -> bool {
        path.split_once('/').is_some_and(|(first, _)| self.tree.is_directory(first))
    }
}
