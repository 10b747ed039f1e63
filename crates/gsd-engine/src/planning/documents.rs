//! The documents beside the plans: what was read from each.

use super::number::PhaseNumber;
use super::plan::Document;
use super::spanned::{Prose, Spanned};
use crate::diag::Span;

/// `PROJECT.md`: free Markdown.
#[derive(Debug, Clone)]
pub struct Project {
    pub document: Document,
}

/// `ROADMAP.md`.
#[derive(Debug, Clone)]
pub struct Roadmap {
    pub document: Document,
    /// One entry a phase, in the order of first mention; list line and section are joined.
    pub phases: Vec<RoadmapPhase>,
}

/// A phase as the roadmap tells it.
#[derive(Debug, Clone)]
pub struct RoadmapPhase {
    pub number: PhaseNumber,
    pub name: String,
    /// The heading of its section, else its list line.
    pub span: Span,
    /// From the heading to the next heading of its level; `None` where it stands in lists only.
    pub section: Option<Span>,
    /// The check box of its list line; `None` where it has none.
    pub checked: Option<bool>,
    /// Inside `<details>`: a finished milestone.
    pub folded: bool,
    /// Marked `(INSERTED)`.
    pub inserted: bool,
    pub goal: Option<Spanned<String>>,
    pub depends_on: Option<Spanned<String>>,
    /// Ranges are expanded; each id has the place of the token that names it.
    pub requirements: Vec<Spanned<RequirementId>>,
    pub success_criteria: Vec<Spanned<String>>,
    pub plans: Vec<RoadmapPlan>,
    /// `**Plans:** 2/4`: done, total.
    pub plan_count: Option<(u64, u64)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoadmapPlan {
    pub checked: bool,
    /// The line without its check box.
    pub text: Spanned<String>,
}

/// `AUTH-01`, as written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequirementId(pub(super) String);

impl RequirementId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `REQUIREMENTS.md`.
#[derive(Debug, Clone)]
pub struct Requirements {
    pub document: Document,
    pub requirements: Vec<Requirement>,
    pub traceability: Vec<Trace>,
}

/// For when a requirement is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Horizon {
    Now,
    /// Under a heading for later versions.
    Later,
    OutOfScope,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    pub id: Spanned<RequirementId>,
    pub checked: Option<bool>,
    pub text: Spanned<String>,
    pub horizon: Horizon,
}

/// A row of a traceability table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    pub id: Spanned<RequirementId>,
    /// The other cells, as written.
    pub cells: Vec<Spanned<String>>,
    /// The phase that the row names, if it can be told.
    pub phase: Option<PhaseNumber>,
}

/// `STATE.md`.
#[derive(Debug, Clone)]
pub struct State {
    pub document: Document,
    pub current_phase: Option<Spanned<PhaseNumber>>,
    pub status: Option<Spanned<String>>,
}

/// `*-CONTEXT.md`: what the user decided.
#[derive(Debug, Clone)]
pub struct Context {
    pub document: Document,
    pub decisions: Vec<Decision>,
    /// Ideas that are not to be built now.
    pub deferred: Vec<Spanned<String>>,
    /// Paths that agents are told to read.
    pub canonical_refs: Vec<Spanned<String>>,
    pub domain: Option<Prose>,
    pub specifics: Option<Prose>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// `D-01`; `None` for a decision without an id.
    pub id: Option<Spanned<String>>,
    pub text: Spanned<String>,
}

/// `*-RESEARCH.md`.
#[derive(Debug, Clone)]
pub struct Research {
    pub document: Document,
    pub open_questions: Option<OpenQuestions>,
    pub pitfalls: Vec<Spanned<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestions {
    pub heading: Span,
    /// The heading says `(RESOLVED)`.
    pub resolved: bool,
    pub questions: Vec<OpenQuestion>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestion {
    pub text: Spanned<String>,
    pub resolved: bool,
}
