//! A phase directory and all that was read for it.

use super::documents::{Context, Project, Requirements, Research, Roadmap, RoadmapPhase, State};
use super::number::PhaseNumber;
use super::plan::Plan;
use crate::diag::Diagnostic;
use crate::id::RelPath;

/// A directory of plans, not yet read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseDir {
    /// Relative to the root: `.planning/phases/03-auth`.
    pub path: RelPath,
    /// The last part of the path.
    pub name: String,
    /// `None` for a directory without a number.
    pub number: Option<PhaseNumber>,
    /// The name without number and stray hyphens, in lower case: `auth`.
    pub slug: String,
    /// The milestone it is archived under: `v1.0`.
    pub milestone: Option<String>,
}

impl PhaseDir {
    /// The file name of a document of this phase: `03-REVIEWS.md`, or `REVIEWS.md` where the
    /// directory has no number.
    pub fn file_name(&self, document: &str) -> String {
        match &self.number {
            Some(number) => format!("{}-{document}", number.spelling()),
            None => document.to_owned(),
        }
    }
}

/// A file that looks as if it belonged to the review and does not enter it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The name in the phase directory.
    pub name: String,
    pub why: Why,
}

/// Why a file is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// The name resembles that of a plan and is not one; the text says what it was taken for.
    Name(&'static str),
    /// The name cannot be shown or put into a prompt safely.
    UnsafeName,
    /// A directory, a FIFO, a socket or a device.
    NotAFile(&'static str),
    /// A symbolic link that leaves the root or leads nowhere.
    LinkOut,
    TooLarge {
        bytes: u64,
        max: u64,
    },
    NotUtf8 {
        offset: usize,
    },
    /// The system refused.
    Unreadable(String),
}

/// A phase as it was read, with the project's documents beside it.
#[derive(Debug, Clone)]
pub struct Phase {
    pub directory: PhaseDir,
    /// In natural order: `02-2` before `02-10`.
    pub plans: Vec<Plan>,
    pub contexts: Vec<Context>,
    pub research: Vec<Research>,
    pub project: Option<Project>,
    pub roadmap: Option<Roadmap>,
    pub requirements: Option<Requirements>,
    pub state: Option<State>,
    pub left_out: Vec<LeftOut>,
    /// What could not be read in any of these files, each fault once.
    pub diagnostics: Vec<Diagnostic>,
}

impl Phase {
    /// The plans that count: all but superseded ones.
    pub fn counted(&self) -> impl Iterator<Item = &Plan> {
        self.plans.iter().filter(|plan| !plan.is_superseded())
    }

    /// What the roadmap says about this phase.
    pub fn on_roadmap(&self) -> Option<&RoadmapPhase> {
        let number = self.directory.number.as_ref()?;
        self.roadmap.as_ref()?.phases.iter().find(|phase| phase.number == *number)
    }
}
