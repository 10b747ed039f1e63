//! One task of a plan.

use super::spanned::{List, Prose, Spanned};
use crate::diag::Span;

/// Who or what carries a task out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskKind {
    Auto,
    Tracer,
    Tdd,
    Checkpoint(Checkpoint),
    /// A type that is not known, as written.
    Other(String),
    /// No type is given; hosts treat such a task as `auto`.
    Unstated,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checkpoint {
    HumanVerify,
    Decision,
    HumanAction,
    /// A checkpoint of another kind, as written.
    Other(String),
}

/// How a task is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskForm {
    Block,
    Heading,
    ListItem,
}

/// A task as it was read. What it lacks is `None`; the place for "it lacks X" is `head`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub form: TaskForm,
    /// The whole task.
    pub span: Span,
    /// The opening tag, the heading or the first line of the item.
    pub head: Span,
    /// The span is that of the type word, or `head` where none is given.
    pub kind: Spanned<TaskKind>,
    /// `tdd="true"` or type `tdd`.
    pub tdd: bool,
    pub name: Option<Spanned<String>>,
    pub files: Option<List>,
    pub read_first: Option<List>,
    pub precondition: Option<Prose>,
    pub reversibility: Option<Reversibility>,
    pub behavior: Option<Prose>,
    pub action: Option<Prose>,
    pub verify: Option<Verify>,
    pub acceptance_criteria: Option<List>,
    pub done: Option<Prose>,
    pub what_built: Option<Prose>,
    pub how_to_verify: Option<Prose>,
    pub decision: Option<Prose>,
    pub options: Option<Prose>,
    pub resume_signal: Option<Prose>,
    /// Every other named part, in order.
    pub other: Vec<Spanned<Part>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub name: String,
    pub prose: Prose,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reversibility {
    /// `reversible`, `costly`, `one-way`, as written.
    pub rating: Option<Spanned<String>>,
    pub prose: Prose,
}

/// How a task is shown to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verify {
    pub prose: Prose,
    /// What looks like a command: the content of `<automated>`, code fences, code spans, lines
    /// that begin with a program's name.
    pub commands: Vec<Command>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    pub text: String,
    pub span: Span,
    /// Whether the plan says that a machine runs it.
    pub automated: bool,
}
