//! What all checks have in common, worked out once: the plans that count, their order, who makes
//! which file, and texts without code.

use super::citations::{self, Citation};
use super::files::Files;
use super::mentions::Mentions;
use super::needs::{self, Need};
use super::order::Order;
use super::prose;
use super::tree::WorkTree;
use crate::diag::{Location, Span};
use crate::planning::{Phase, PhaseNumber, Plan, Task, TaskKind};
use std::cell::OnceCell;

pub(super) struct View<'a> {
    pub(super) phase: &'a Phase,
    pub(super) tree: &'a WorkTree,
    /// In natural order; superseded plans are left out.
    pub(super) plans: Vec<PlanView<'a>>,
    pub(super) order: Order<'a>,
    pub(super) files: Files,
    pub(super) mentions: Mentions,
    needs: OnceCell<Vec<Need>>,
    citations: OnceCell<Vec<Citation>>,
}

/// A plan, and its text as checks search it.
pub(super) struct PlanView<'a> {
    pub(super) index: usize,
    pub(super) plan: &'a Plan,
    /// Lower case, code blanked; byte for byte as long as the file.
    pub(super) plain: String,
}

impl<'a> View<'a> {
    pub(super) fn of(phase: &'a Phase, tree: &'a WorkTree) -> Self {
        let counted: Vec<&Plan> = phase.counted().collect();
        let order = Order::of(phase, &counted, &|id| is_elsewhere(phase, tree, id));
        let plans: Vec<PlanView<'a>> = counted
            .into_iter()
            .enumerate()
            .map(|(index, plan)| PlanView { index, plan, plain: prose::plain(plan.file().text()) })
            .collect();
        let files = Files::of(&plans, tree);
        Self {
            phase,
            tree,
            plans,
            order,
            files,
            mentions: Mentions::default(),
            needs: OnceCell::new(),
            citations: OnceCell::new(),
        }
    }

    /// Files that are needed and not there in time.
    pub(super) fn needs(&self) -> &[Need] {
        self.needs.get_or_init(|| needs::unmet(self))
    }

    /// Every citation of lines.
    pub(super) fn citations(&self) -> &[Citation] {
        self.citations.get_or_init(|| citations::all(self))
    }

    /// The path that was perhaps meant.
    pub(super) fn suggestion(&self, path: &str) -> Option<String> {
        self.tree.suggestion(path, self.files.planned())
    }

    /// Plans by the name that people use: `03-01`, `03-02`.
    pub(super) fn names(&self, plans: &[usize]) -> String {
        let names: Vec<&str> =
            plans.iter().map(|plan| self.plans[*plan].plan.id.as_str()).collect();
        names.join(", ")
    }
}

impl<'a> PlanView<'a> {
    pub(super) fn text(&self, span: &Span) -> &'a str {
        self.plan.file().text().get(span.clone()).unwrap_or_default()
    }

    pub(super) fn plain(&self, span: &Span) -> &str {
        self.plain.get(span.clone()).unwrap_or_default()
    }

    pub(super) fn at(&self, span: &Span) -> Location {
        self.plan.file().at(span.clone())
    }

    /// The first line of what stands at a span: enough for a place, and it renders well.
    pub(super) fn at_line_of(&self, span: &Span) -> Location {
        let text = self.text(span);
        let length = text.find(['\n', '\r']).unwrap_or(text.len());
        self.at(&(span.start..span.start + text[..length].trim_end().len()))
    }

    /// All that follows the frontmatter.
    pub(super) fn body(&self) -> Span {
        let end = self.plan.file().text().len();
        self.plan.frontmatter.span.end.min(end)..end
    }

    /// The places of all tasks.
    pub(super) fn tasks(&self) -> impl Iterator<Item = (usize, &'a Task)> {
        self.plan.tasks.iter().enumerate()
    }

    /// A file of the plan as people name it: `03-01`.
    pub(super) fn id(&self) -> &'a str {
        self.plan.id.as_str()
    }
}

/// Whether an agent carries the task out: it has to say what to do and how to check it.
pub(super) fn is_work(task: &Task) -> bool {
    match &task.kind.value {
        TaskKind::Auto | TaskKind::Tracer | TaskKind::Tdd | TaskKind::Unstated => true,
        TaskKind::Checkpoint(_) | TaskKind::Other(_) => false,
    }
}

pub(super) fn is_checkpoint(task: &Task) -> bool {
    match &task.kind.value {
        TaskKind::Checkpoint(_) => true,
        TaskKind::Auto
        | TaskKind::Tracer
        | TaskKind::Tdd
        | TaskKind::Unstated
        | TaskKind::Other(_) => false,
    }
}

/// The name of a task in a message: `task 2`.
pub(super) fn task_name(index: usize) -> String {
    format!("task {}", index + 1)
}

/// Whether an entry of `depends_on` leads to another phase: to a plan that stands in its
/// directory, or to a phase as a whole. A phase that is on the roadmap and has no directory may
/// have been archived, so nothing is claimed about its plans.
fn is_elsewhere(phase: &Phase, tree: &WorkTree, id: &str) -> bool {
    let (number, rest) = match id.split_once('-') {
        Some((first, rest)) if first.eq_ignore_ascii_case("phase") => {
            return PhaseNumber::leading(rest).is_some();
        }
        Some((first, rest)) => (first, rest),
        None => (id, ""),
    };
    let Some(number) = PhaseNumber::parse(number) else { return false };
    if phase.directory.number.as_ref() == Some(&number) || (rest.is_empty()) {
        return false;
    }
    let mut has_directory = false;
    for name in tree.names(".planning/phases").iter() {
        let Some(folder) = name.strip_suffix('/') else { continue };
        if PhaseNumber::leading(folder).is_none_or(|(own, _)| own != number) {
            continue;
        }
        has_directory = true;
        let files = tree.names(&format!(".planning/phases/{folder}"));
        let wanted = super::order::without_zeros(id);
        let listed = files.iter().any(|file| {
            let file = super::order::without_zeros(file);
            file.strip_prefix(wanted.as_str())
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
        });
        // `02-auth` names the phase itself.
        if listed || super::order::without_zeros(folder).starts_with(&wanted) {
            return true;
        }
    }
    let on_roadmap = phase
        .roadmap
        .as_ref()
        .is_some_and(|roadmap| roadmap.phases.iter().any(|other| other.number == number));
    on_roadmap && !has_directory
}
