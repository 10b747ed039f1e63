//! One plan: what a file is, what it says, and in which of the known shapes.

use super::frontmatter::Frontmatter;
use super::spanned::{Prose, Spanned};
use super::task::Task;
use crate::diag::SourceFile;
use crate::id::RelPath;
use std::fmt;
use std::sync::Arc;

/// The file name of a plan without `-PLAN.md`, else without `.md`: `03-01`, `PLAN`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PlanId(pub(super) String);

impl PlanId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PlanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A readable file: where it is, what it holds, and the digest of its bytes as they were read.
#[derive(Debug, Clone)]
pub struct Document {
    pub path: RelPath,
    pub file: Arc<SourceFile>,
    pub bytes: u64,
    pub lines: u64,
    /// SHA-256 of the bytes on disk, lower-case hexadecimal.
    pub sha256: String,
}

/// In which of the known shapes the tasks of a plan are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `<task>` blocks.
    Blocks,
    /// Headings or lists under a heading such as `## Tasks`.
    Headings,
    Mixed,
    /// None of them: the plan is reviewed all the same and never counts as clean.
    Unrecognised,
}

/// A plan as it was read. Everything but its document is optional.
#[derive(Debug, Clone)]
pub struct Plan {
    pub id: PlanId,
    pub document: Document,
    pub frontmatter: Frontmatter,
    pub shape: Shape,
    pub objective: Option<Prose>,
    /// `@` references into the repository, without the `@`.
    pub context_refs: Vec<Spanned<String>>,
    /// `@` references of `<execution_context>`: they point into an installation, never into the
    /// repository.
    pub execution_refs: Vec<Spanned<String>>,
    pub interfaces: Option<Prose>,
    pub tasks: Vec<Task>,
    pub verification: Option<Prose>,
    pub success_criteria: Option<Prose>,
    pub threat_model: Option<Prose>,
    pub output: Option<Prose>,
}

impl Plan {
    pub fn file(&self) -> &Arc<SourceFile> {
        &self.document.file
    }

    /// Whether `status: superseded` leaves the plan out of counting.
    pub fn is_superseded(&self) -> bool {
        self.frontmatter
            .status
            .as_ref()
            .is_some_and(|status| status.value.eq_ignore_ascii_case("superseded"))
    }
}
