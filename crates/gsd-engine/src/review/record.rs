//! The record of a review: `NN-REVIEWS.json`, from which every other format is rendered.
//!
//! Versioned by `schema`. These structs are the wire format and nothing else; the published JSON
//! Schema says the same and a test holds them against each other. Fields that a reader does not
//! know make it refuse the record, so a newer record is never half understood.

use crate::lane::{During, Proof, Reason, State};
use serde::{Deserialize, Serialize};

/// The version of the record's format.
pub const SCHEMA: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub schema: u32,
    pub tool: Tool,
    pub run: Run,
    pub phase: Phase,
    /// The commit that the evidence was checked against; `null` outside a git work tree.
    pub commit: Option<Commit>,
    /// The census: every plan as it was before any lane started.
    pub plans: Vec<Plan>,
    pub lanes: Vec<Lane>,
    pub findings: Vec<Finding>,
    /// Ranked: the most important first.
    pub clusters: Vec<Cluster>,
    pub redactions: Vec<Redaction>,
    /// Text of an existing report that gsd did not write, and foreign frontmatter, kept word for word.
    pub kept: Kept,
    /// Earlier runs, newest first, each without its own history.
    pub history: Vec<Record>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    pub name: String,
    pub version: String,
    /// The version that `engines.gsd` ranges are checked against.
    pub contract: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub id: String,
    /// RFC 3339, UTC.
    pub started_at: String,
    pub finished_at: String,
    pub elapsed_ms: u64,
    /// Where the selection came from: `explicit_flags`, `all_flag`, `config_default`,
    /// `no_config_all_detected`.
    pub selection: String,
    /// The lane that is the host running gsd; `null` if none.
    pub itself: Option<String>,
    pub interrupted: bool,
    /// Things a reader of the report must know that belong to no single lane.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// As the directory spells it: `03`, `64.4`; `null` for a directory without a number.
    pub number: Option<String>,
    pub name: String,
    /// Relative to the root, `/` between parts.
    pub directory: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    pub id: String,
    /// Whether files differed from the commit when the review started.
    pub dirty: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The file name without `-PLAN.md`: `03-01`.
    pub id: String,
    pub path: String,
    pub bytes: u64,
    pub lines: u64,
    pub sha256: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lane {
    pub slug: String,
    /// The slug, or the name of the instance.
    pub identity: String,
    pub heading: String,
    /// The capability that declares the lane.
    pub capability: String,
    pub vendor: Option<String>,
    pub transport: String,
    /// `source-grounded` or `diff-only`.
    pub evidence_class: String,
    pub state: State,
    pub reason: Option<Reason>,
    pub during: Option<During>,
    /// One sentence for people; `null` for a plain review.
    pub message: Option<String>,
    /// What to do about it.
    pub remedy: Option<String>,
    pub proof: Proof,
    pub coverage: Coverage,
    /// `block`, `prose` or `none`.
    pub findings_source: String,
    pub timing: Timing,
    pub sizes: Sizes,
    /// Digest of the prompt as it was sent.
    pub prompt_sha256: Option<String>,
    pub exit_status: Option<i32>,
    pub signal: Option<i32>,
    pub http_status: Option<u16>,
    pub model_requested: Option<String>,
    pub model_served: Option<String>,
    /// Where the prompt went: a program's path or an origin.
    pub destination: Option<String>,
    /// The confinement really obtained: `none` where there is none.
    pub confinement: String,
    pub warnings: Vec<String>,
    /// The review, cleaned of terminal codes; for a lane that does not count, its partial text.
    pub text: String,
    /// The end of its standard error, cleaned and bounded.
    pub stderr: String,
}

/// Which plans the review speaks of, by id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    pub covered: Vec<String>,
    pub missing: Vec<String>,
}

/// Milliseconds. `start` counts from the start of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    pub start_ms: u64,
    pub elapsed_ms: u64,
    pub first_byte_ms: Option<u64>,
    pub limit_ms: u64,
}

/// Bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    pub prompt: u64,
    pub output: u64,
    pub stderr: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Concern,
    Strength,
    Suggestion,
    Question,
}

/// Ordered: `High` is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    Low,
    Medium,
    High,
}

/// What the check of a citation gave. Ordered by weight: `Verified` is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Outside,
    Contradicted,
    Ungrounded,
    Planned,
    Moved,
    Verified,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Stable across runs: a hash of lane-independent content.
    pub id: String,
    /// The identity of the lane that says it.
    pub lane: String,
    pub kind: Kind,
    pub severity: Severity,
    /// The id of the plan it speaks of.
    pub plan: Option<String>,
    /// The code of the check, where a check found it.
    pub code: Option<String>,
    pub title: String,
    pub claim: String,
    pub suggestion: Option<String>,
    pub evidence: Vec<Evidence>,
    /// The id of the cluster it belongs to.
    pub cluster: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    pub path: String,
    pub line: Option<u64>,
    pub end_line: Option<u64>,
    pub quote: Option<String>,
    pub symbol: Option<String>,
    pub verdict: Verdict,
    /// The line where the quote really stands, for `moved`.
    pub resolved_line: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    pub id: String,
    pub kind: Kind,
    pub severity: Severity,
    pub title: String,
    /// The best verdict among its evidence; `null` where no finding cites anything.
    pub verdict: Option<Verdict>,
    /// Ids of its findings, the one that speaks for the cluster first.
    pub findings: Vec<String>,
    /// Identities of the lanes that say it, in roster order.
    pub lanes: Vec<String>,
    /// Effective number of independent voices, two decimals.
    pub support: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Redaction {
    pub kind: String,
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// Lines of foreign frontmatter, as they stood.
    pub frontmatter: String,
    /// Markdown that gsd did not write.
    pub body: String,
}
