//! Reads `.planning/` as it is found in the field.
//!
//! People and models write these files by hand, in any mixture of shapes. The reader takes what is
//! there, keeps its place, and says once what it could not read. It judges nothing: that is
//! plan-lint's work.
//!
//! It must never follow a link out of the root, read a file that is not regular, read without a
//! bound, write, or panic, whatever the bytes are. Time is linear in the size of the files.
//!
//! [`Planning`] is the way in: [`Planning::open`], then [`Planning::find`] or
//! [`Planning::current`], then [`Planning::load`]. Invariants: every span lies inside the text of
//! its file; a file with CRLF line ends or a byte order mark reads as one without.

mod blocks;
mod context;
mod directory;
#[cfg(test)]
mod document_tests;
mod fields;
mod files;
mod frontmatter;
mod markdown;
mod name;
mod number;
mod paths;
mod phase;
mod place;
mod plan;
mod requirements;
mod research;
mod roadmap;
mod salvage;
#[cfg(test)]
mod shape_tests;
mod spanned;
mod state;
mod task;
mod task_headings;
mod task_parts;
#[cfg(test)]
mod tests;
mod verify;
mod yaml;

pub use blocks::{is_structural as is_plan_tag, plan_tags};
pub use context::{Context, Decision};
pub use directory::{PhaseDir, PhaseSpec};
pub use frontmatter::{
    Artifact, Estimate, FRONTMATTER_KEYS, Frontmatter, KeyLink, MustHaves, Reading,
};
pub use number::PhaseNumber;
pub use phase::{LeftOut, Phase, Why};
pub use place::{PhaseError, Planning, PlanningError};
pub use plan::{Document, Plan, PlanId, Shape};
pub use requirements::{Horizon, Requirement, RequirementId, Requirements, Trace};
pub use research::{OpenQuestion, OpenQuestions, Research};
pub use roadmap::{PlanCount, Roadmap, RoadmapPhase, RoadmapPlan};
pub use spanned::{List, Prose, Spanned};
pub use state::State;
pub use task::{Checkpoint, Command, Part, Reversibility, Task, TaskForm, TaskKind, Verify};

use crate::diag::{Level, Rule};

/// A block of a plan is opened and never closed.
pub static BLOCK_UNCLOSED: Rule = Rule {
    code: "planning/block-unclosed",
    level: Level::Warning,
    summary: "a block of a plan is never closed",
    docs: include_str!("planning/block_unclosed.md"),
};

/// A planning file holds characters that nobody sees.
pub static CONTROL_CHARACTERS: Rule = Rule {
    code: "planning/control-characters",
    level: Level::Warning,
    summary: "a planning file holds invisible characters",
    docs: include_str!("planning/control_characters.md"),
};

/// A key stands twice in one map of the frontmatter.
pub static FRONTMATTER_DUPLICATE_KEY: Rule = Rule {
    code: "planning/frontmatter-duplicate-key",
    level: Level::Warning,
    summary: "a key appears twice in the frontmatter",
    docs: include_str!("planning/frontmatter_duplicate_key.md"),
};

/// The frontmatter of a plan is not YAML.
pub static FRONTMATTER_SYNTAX: Rule = Rule {
    code: "planning/frontmatter-syntax",
    level: Level::Error,
    summary: "the frontmatter of a plan cannot be read as YAML",
    docs: include_str!("planning/frontmatter_syntax.md"),
};

/// A value of the frontmatter has a wrong type.
pub static FRONTMATTER_TYPE: Rule = Rule {
    code: "planning/frontmatter-type",
    level: Level::Warning,
    summary: "a value of the frontmatter has a wrong type",
    docs: include_str!("planning/frontmatter_type.md"),
};

/// A file's name resembles that of a plan and is not one.
pub static LEFT_OUT: Rule = Rule {
    code: "planning/left-out",
    level: Level::Note,
    summary: "a file with a name like a plan's is not read as a plan",
    docs: include_str!("planning/left_out.md"),
};

/// A plan has more tasks than are read.
pub static TOO_MANY_TASKS: Rule = Rule {
    code: "planning/too-many-tasks",
    level: Level::Warning,
    summary: "a plan has more tasks than are read",
    docs: include_str!("planning/too_many_tasks.md"),
};

/// A plan has its tasks in none of the known shapes.
pub static UNRECOGNISED_PLAN: Rule = Rule {
    code: "planning/unrecognised-plan",
    level: Level::Warning,
    summary: "a plan has no tasks in any known shape",
    docs: include_str!("planning/unrecognised_plan.md"),
};

/// A planning file cannot be read.
pub static UNREADABLE: Rule = Rule {
    code: "planning/unreadable",
    level: Level::Error,
    summary: "a planning file cannot be read",
    docs: include_str!("planning/unreadable.md"),
};

/// Every rule of this module.
pub static RULES: &[&Rule] = &[
    &BLOCK_UNCLOSED,
    &CONTROL_CHARACTERS,
    &FRONTMATTER_DUPLICATE_KEY,
    &FRONTMATTER_SYNTAX,
    &FRONTMATTER_TYPE,
    &LEFT_OUT,
    &TOO_MANY_TASKS,
    &UNREADABLE,
    &UNRECOGNISED_PLAN,
];
