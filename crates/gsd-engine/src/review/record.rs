//! The record of a review: `NN-REVIEWS.json`, from which every other format is rendered.
//!
//! Versioned by `schema`. These structs are the wire format and nothing else; the published JSON
//! Schema ([`JSON_SCHEMA`]) says the same and a test holds them against each other. Every field is
//! always written, `null` where there is nothing to say, and a record that lacks one or has one too
//! many is refused, so a newer record is never half understood.

pub use crate::evidence::{Snippet, Verdict};
use crate::lane::confinement::Confinement;
use crate::lane::descriptor::Posture;
use crate::lane::{During, Proof, Reason, State};
use serde::{Deserialize, Deserializer, Serialize};

/// The version of the record's format.
pub const SCHEMA: u32 = 1;

/// The published JSON Schema (2020-12) of the record.
pub const JSON_SCHEMA: &str = include_str!("../../../../docs/reference/review-record.schema.json");

/// A record of more bytes is not read: the texts of twenty lanes at their cap, twice over.
pub const MAX_BYTES: u64 = 256 << 20;

/// Why a text is not a record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("the record has schema {found}; this gsd reads schema {SCHEMA}")]
    Version { found: u64 },
    #[error("it is not JSON: line {line}, column {column}")]
    Syntax { line: usize, column: usize },
    /// Its place is where the reader stopped.
    #[error("it is not a review record: {why} (line {line}, column {column})")]
    Shape { why: String, line: usize, column: usize },
}

impl RecordError {
    fn of(error: &serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        if !error.is_data() {
            return Self::Syntax { line, column };
        }
        // What a field is called in JSON is for the reader; what it is called in Rust is not.
        let whole = error.to_string();
        let said = whole.split(" at line ").next().unwrap_or(&whole);
        let why = match said.split_once(", expected ") {
            Some((found, expected)) if !expected.starts_with("one of") => {
                let expected = expected.split(" with ").next().unwrap_or(expected);
                let expected = match expected.split_once(' ') {
                    Some(("struct" | "tuple" | "enum", _)) => "an object",
                    Some(_) | None => expected,
                };
                format!("{found}, expected {expected}")
            }
            Some(_) | None => said.to_owned(),
        };
        Self::Shape { why: crate::text::printable(&why, 300), line, column }
    }
}

impl Record {
    /// Reads a record and refuses what is not exactly one.
    pub fn parse(text: &str) -> Result<Self, RecordError> {
        // The version first: "unknown field" would be a riddle to the reader of a newer record.
        #[derive(Deserialize)]
        struct Versioned {
            schema: u64,
        }
        if let Ok(Versioned { schema: found }) = serde_json::from_str(text)
            && found != u64::from(SCHEMA)
        {
            return Err(RecordError::Version { found });
        }
        serde_json::from_str(text).map_err(|error| RecordError::of(&error))
    }

    /// Whether a lane is simply not here and nobody asked for it by name, in a flag or a setting:
    /// one line for all of them is enough.
    pub fn is_bystander(&self, lane: &Lane) -> bool {
        let named = ["explicit_flags", "config_default"].contains(&self.run.selection.as_str());
        !named && !lane.state.ran() && lane.reason.is_some_and(Reason::is_absence)
    }

    /// The lane of an identity.
    pub fn lane(&self, identity: &str) -> Option<&Lane> {
        self.lanes.iter().find(|lane| lane.identity == identity)
    }
}

/// Serde takes a missing `Option` for `null`; with this it must be there.
fn nullable<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer)
}

fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let found = u32::deserialize(deserializer)?;
    if found == SCHEMA {
        Ok(found)
    } else {
        Err(serde::de::Error::custom(format!("schema {found} instead of {SCHEMA}")))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    #[serde(deserialize_with = "version")]
    pub schema: u32,
    pub tool: Tool,
    pub run: Run,
    pub phase: Phase,
    /// The commit that the evidence was checked against; `null` outside a git work tree.
    #[serde(deserialize_with = "nullable")]
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
    #[serde(deserialize_with = "nullable")]
    pub itself: Option<String>,
    pub interrupted: bool,
    /// Things a reader of the report must know that belong to no single lane.
    pub notes: Vec<String>,
    /// Plans that were there and could not be read, each with the reason.
    pub unreadable_plans: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// As the directory spells it: `03`, `64.4`; `null` for a directory without a number.
    #[serde(deserialize_with = "nullable")]
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
    #[serde(deserialize_with = "nullable")]
    pub vendor: Option<String>,
    pub transport: String,
    pub evidence_class: EvidenceClass,
    /// Whether the lane could open files of the repository by itself.
    pub repository_access: bool,
    pub state: State,
    #[serde(deserialize_with = "nullable")]
    pub reason: Option<Reason>,
    #[serde(deserialize_with = "nullable")]
    pub during: Option<During>,
    /// One sentence for people; `null` for a plain review.
    #[serde(deserialize_with = "nullable")]
    pub message: Option<String>,
    /// What to do about it.
    #[serde(deserialize_with = "nullable")]
    pub remedy: Option<String>,
    pub proof: Proof,
    pub coverage: Coverage,
    pub findings_source: FindingsSource,
    pub timing: Timing,
    pub sizes: Sizes,
    /// What a budget cut from the prompt; `null` if it went out whole.
    #[serde(deserialize_with = "nullable")]
    pub trimmed: Option<Trimmed>,
    /// Digest of the prompt as it was sent.
    #[serde(deserialize_with = "nullable")]
    pub prompt_sha256: Option<String>,
    #[serde(deserialize_with = "nullable")]
    pub exit_status: Option<i32>,
    #[serde(deserialize_with = "nullable")]
    pub signal: Option<i32>,
    #[serde(deserialize_with = "nullable")]
    pub http_status: Option<u16>,
    #[serde(deserialize_with = "nullable")]
    pub model_requested: Option<String>,
    /// Where the model was named: a setting and its layer, a flag, an instance, the manifest, or the
    /// server's own list.
    #[serde(deserialize_with = "nullable")]
    pub model_source: Option<String>,
    #[serde(deserialize_with = "nullable")]
    pub model_served: Option<String>,
    /// Where the prompt went: a program's path or an origin.
    #[serde(deserialize_with = "nullable")]
    pub destination: Option<String>,
    /// SHA-256 of the program that was started.
    #[serde(deserialize_with = "nullable")]
    pub program_sha256: Option<String>,
    /// How much its manifest trusts it with the project.
    pub posture: Posture,
    /// The confinement really obtained: `none` where there is none.
    pub confinement: Confinement,
    /// The version of the kernel's Landlock, where that confined it.
    #[serde(deserialize_with = "nullable")]
    pub landlock_abi: Option<u8>,
    /// What changed in the project while it ran; `null` if nothing did.
    #[serde(deserialize_with = "nullable")]
    pub mutated_worktree: Option<Mutation>,
    pub warnings: Vec<String>,
    /// The review, cleaned of terminal codes; for a lane that does not count, its partial text.
    pub text: String,
    /// The end of its standard error, cleaned and bounded.
    pub stderr: String,
}

/// Changes of the project that a lane may have made. They stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutation {
    /// At most the first fifty.
    pub changes: Vec<TreeChange>,
    /// How many there are.
    pub total: u64,
    /// The identities of all lanes that may have made them; this one alone where the confinement
    /// of every other one forbids it.
    pub one_of: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeChange {
    /// Relative to the root; git's own files below `.git`.
    pub path: String,
    pub change: TreeChangeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TreeChangeKind {
    Added,
    Removed,
    Modified,
    /// Its permissions alone.
    Mode,
}

/// What a lane bases its findings on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceClass {
    /// The plans, and the code they speak of.
    SourceGrounded,
    /// The working diff alone; such a lane is not given the plans.
    DiffOnly,
}

/// Where a lane's findings were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingsSource {
    /// In its `gsd-findings` block.
    Block,
    /// In its prose.
    Prose,
    None,
}

/// How a prompt was cut to a budget, in tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trimmed {
    pub budget: u64,
    pub effective_budget: u64,
    pub estimated_tokens: u64,
    /// Sections left out: `context`, `research`, `requirements`.
    pub omitted: Vec<String>,
    pub project_md_shrunk: bool,
    pub plan_truncation_pct: f64,
    /// Not even the least of it fits; nothing was sent.
    pub hard_failed: bool,
    pub note_injected: bool,
    /// The documents that lost a part.
    pub documents: Vec<TrimmedDocument>,
}

/// A document that lost a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrimmedDocument {
    pub path: String,
    pub kept_bytes: u64,
    pub total_bytes: u64,
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
    #[serde(deserialize_with = "nullable")]
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

impl Kind {
    /// The word as records and reports spell it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Concern => "concern",
            Self::Strength => "strength",
            Self::Suggestion => "suggestion",
            Self::Question => "question",
        }
    }
}

/// Ordered: `High` is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    Low,
    Medium,
    High,
}

impl Severity {
    /// Every severity, the gravest first.
    pub const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Low];

    /// The word as records and reports spell it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Stable across runs: a hash of lane-independent content. Two lanes that say the same in the
    /// same words share an id.
    pub id: String,
    /// The identity of the lane that says it.
    pub lane: String,
    pub kind: Kind,
    pub severity: Severity,
    /// The id of the plan it speaks of.
    #[serde(deserialize_with = "nullable")]
    pub plan: Option<String>,
    /// The code of the check, where a check found it.
    #[serde(deserialize_with = "nullable")]
    pub code: Option<String>,
    pub title: String,
    pub claim: String,
    #[serde(deserialize_with = "nullable")]
    pub suggestion: Option<String>,
    pub evidence: Vec<Evidence>,
    /// The id of the cluster it belongs to.
    pub cluster: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    pub path: String,
    #[serde(deserialize_with = "nullable")]
    pub line: Option<u64>,
    #[serde(deserialize_with = "nullable")]
    pub end_line: Option<u64>,
    #[serde(deserialize_with = "nullable")]
    pub quote: Option<String>,
    #[serde(deserialize_with = "nullable")]
    pub symbol: Option<String>,
    pub verdict: Verdict,
    /// The line where the quote really stands, if the citation named another one or none.
    #[serde(deserialize_with = "nullable")]
    pub resolved_line: Option<u64>,
    /// The cited lines as they were, so that a page can show them without the repository.
    #[serde(deserialize_with = "nullable")]
    pub snippet: Option<Snippet>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    pub id: String,
    pub kind: Kind,
    pub severity: Severity,
    pub title: String,
    /// The best verdict among its evidence; `null` where no finding cites anything.
    #[serde(deserialize_with = "nullable")]
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

#[cfg(test)]
mod tests;
