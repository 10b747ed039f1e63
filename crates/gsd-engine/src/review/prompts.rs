//! The prompt of each lane of a run: what it is given, redacted where it leaves the machine, with
//! its digest.

use super::census::phase_of;
use super::prepare::Project;
use super::prompt::{self, Access, Document, Input, PlanDocument, estimate_tokens};
use super::record;
use super::redaction::{Receipt, Redaction};
use crate::lane::LanePlan;
use camino::Utf8Path;
use gsd_io::fs::{self, Links};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// What one lane is given.
#[derive(Debug, Clone)]
pub(super) struct LanePrompt {
    pub(super) identity: String,
    /// Empty for a lane that is given none.
    pub(super) text: String,
    pub(super) tokens: u64,
    pub(super) sha256: String,
    /// The read marks in the order of the census, for lanes that must repeat them.
    pub(super) marks: Option<Vec<String>>,
    pub(super) redactions: Receipt,
}

/// What a run draws by chance. Kept in its folder, so that a resumed run builds the same prompts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Marks {
    token: String,
    /// By the path of the plan.
    marks: BTreeMap<String, String>,
}

impl Marks {
    /// New ones, kept nowhere.
    pub(super) fn new(plans: &[record::Plan]) -> Self {
        let draw = |plan: &record::Plan| (plan.path.clone(), gsd_io::random::hex(12));
        Self { token: gsd_io::random::hex(16), marks: plans.iter().map(draw).collect() }
    }

    /// Those of the folder when a run is resumed, else new ones, which are written there.
    pub(super) fn of_run(run_dir: &Utf8Path, plans: &[record::Plan], resume: bool) -> Self {
        const MAX: u64 = 1 << 20;
        let path = run_dir.join("run.json");
        let before: Option<Self> = resume
            .then(|| fs::read_text(&path, MAX, Links::Refuse).ok())
            .flatten()
            .and_then(|text| serde_json::from_str(&text).ok());
        let mut this = before.unwrap_or_else(|| Self::new(&[]));
        for plan in plans {
            this.marks.entry(plan.path.clone()).or_insert_with(|| gsd_io::random::hex(12));
        }
        let bytes = serde_json::to_vec_pretty(&this).expect("marks are plain data");
        // Without the file a resumed run asks again; nothing else depends on it.
        let _ = fs::write_atomic(&path, &bytes);
        this
    }

    fn of_plan(&self, path: &str) -> String {
        self.marks.get(path).cloned().unwrap_or_default()
    }
}

impl LanePrompt {
    /// What a lane is given that takes no prompt.
    pub(super) fn none(identity: &str) -> Self {
        Self::whole(identity, String::new())
    }

    /// A text that goes out as it is.
    pub(super) fn whole(identity: &str, text: String) -> Self {
        Self {
            identity: identity.to_owned(),
            tokens: estimate_tokens(&text),
            sha256: digest(&text),
            marks: None,
            redactions: Receipt::new(),
            text,
        }
    }

    /// A text for a lane: secrets are taken out of it if it leaves the machine.
    pub(super) fn redacted(plan: &LanePlan, text: String, redaction: &Redaction) -> Self {
        if plan.is_local() {
            return Self::whole(&plan.identity, text);
        }
        let (clean, redactions) = redaction.of_prompt(text);
        Self { redactions, ..Self::whole(&plan.identity, clean) }
    }
}

/// Builds the prompt of every lane, in the order of their plans.
pub(super) fn prompts<'a>(
    project: &Project,
    census: &[record::Plan],
    lanes: impl IntoIterator<Item = &'a LanePlan>,
    marks: &Marks,
    redaction: &Redaction,
) -> Vec<LanePrompt> {
    let phase = phase_of(&project.phase);
    lanes
        .into_iter()
        .map(|plan| {
            if !plan.is_given_prompt() {
                return LanePrompt::none(&plan.identity);
            }
            let access =
                if plan.reads_repository() { Access::Repository } else { Access::PromptOnly };
            let text = build(project, &phase, marks, access, plan.needs_echo());
            let mut prompt = LanePrompt::redacted(plan, text, redaction);
            if plan.needs_echo() {
                prompt.marks = Some(census.iter().map(|plan| marks.of_plan(&plan.path)).collect());
            }
            prompt
        })
        .collect()
}

/// Builds the text of a prompt.
fn build(
    project: &Project,
    named: &record::Phase,
    marks: &Marks,
    access: Access,
    echo: bool,
) -> String {
    let phase = &project.phase;
    let whole = |document: &'_ crate::planning::Document| -> (String, String) {
        (document.path.as_str().to_owned(), document.file.text().to_owned())
    };
    let roadmap = phase.roadmap.as_ref().and_then(|roadmap| {
        let entry = phase.on_roadmap()?;
        let span = entry.section.clone().unwrap_or_else(|| entry.span.clone());
        let text = roadmap.document.file.text().get(span)?;
        Some((roadmap.document.path.as_str().to_owned(), text.to_owned()))
    });
    let project_document = phase.project.as_ref().map(whole);
    let requirements = phase.requirements.as_ref().map(|found| whole(&found.document));
    let contexts: Vec<_> = phase.contexts.iter().map(|found| whole(&found.document)).collect();
    let research: Vec<_> = phase.research.iter().map(|found| whole(&found.document)).collect();
    let plans: Vec<_> = phase.counted().map(|plan| whole(&plan.document)).collect();
    let mut input = Input {
        number: named.number.as_deref(),
        name: &named.name,
        access,
        token: marks.token.clone(),
        project: project_document.as_ref().map(document),
        roadmap: roadmap.as_ref().map(document),
        requirements: requirements.as_ref().map(document),
        context: contexts.iter().map(document).collect(),
        research: research.iter().map(document).collect(),
        plans: plans
            .iter()
            .map(|plan| PlanDocument {
                document: document(plan),
                nonce: echo.then(|| marks.of_plan(&plan.0)),
            })
            .collect(),
    };
    // Somebody who has seen the token in an earlier prompt may have put it into a document.
    while !prompt::token_is_free(&input) {
        input.token = gsd_io::random::hex(16);
    }
    prompt::build(&input)
}

fn document(pair: &(String, String)) -> Document<'_> {
    Document { path: &pair.0, text: &pair.1 }
}

/// SHA-256 as hexadecimal digits.
pub(super) fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What was taken out of the prompts of a run.
pub(super) fn redactions(prompts: &[LanePrompt]) -> Vec<record::Redaction> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for prompt in prompts {
        for (kind, count) in &prompt.redactions {
            // Lanes get the same documents: the largest receipt is that of the documents.
            let entry = counts.entry(kind).or_default();
            *entry = (*entry).max(*count);
        }
    }
    counts
        .into_iter()
        .map(|(kind, count)| record::Redaction { kind: kind.to_owned(), count })
        .collect()
}
