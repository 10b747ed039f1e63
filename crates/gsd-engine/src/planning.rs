//! Reads `.planning/` as it is found in the field.
//!
//! People and models write these files by hand, in any mixture of shapes. The reader takes what is
//! there, keeps its place, and says once what it could not read. It judges nothing: that is
//! plan-lint's work.
//!
//! It must never follow a link out of the root, read a file that is not regular, read without a
//! bound, write, or panic, whatever the bytes are. Time is linear in the size of the files.

mod documents;
mod frontmatter;
mod number;
mod phase;
mod plan;
mod spanned;
mod task;

pub use documents::{
    Context, Decision, Horizon, OpenQuestion, OpenQuestions, Project, Requirement, RequirementId,
    Requirements, Research, Roadmap, RoadmapPhase, RoadmapPlan, State, Trace,
};
pub use frontmatter::{Artifact, Estimate, Frontmatter, KeyLink, MustHaves, Reading};
pub use number::PhaseNumber;
pub use phase::{LeftOut, Phase, PhaseDir, Why};
pub use plan::{Document, Plan, PlanId, Shape};
pub use spanned::{List, Prose, Spanned};
pub use task::{Checkpoint, Command, Part, Reversibility, Task, TaskForm, TaskKind, Verify};
