//! The prompt of each lane of a run: what it is given, redacted where it leaves the machine, with
//! its digest.

use super::census::phase_of;
use super::prepare::Project;
use super::prompt::{self, Access, Document, Input, PlanDocument};
use super::record;
use super::redaction::{Receipt, Redaction};
use super::trim;
use crate::lane::budget::{TooLarge, Weight};
use crate::lane::{LanePlan, LaneReport, Reason, State};
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
    /// What a budget cut from it.
    pub(super) trimmed: Option<record::Trimmed>,
    /// The budget that it needs at least, where it does not fit the one it has.
    pub(super) needs: Option<u64>,
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
            tokens: Weight::of(&text).tokens(),
            sha256: digest(&text),
            marks: None,
            redactions: Receipt::new(),
            trimmed: None,
            needs: None,
            text,
        }
    }

    /// A text of somebody else for a lane: secrets are taken out of it if it leaves the machine. It
    /// cannot be cut, since nobody knows its parts.
    pub(super) fn given(plan: &LanePlan, text: String, redaction: &Redaction) -> Self {
        let (text, redactions) = cleaned(plan, text, redaction);
        let mut prompt = Self { redactions, ..Self::whole(&plan.identity, text) };
        if let Some(budget) = plan.budget.filter(|budget| prompt.tokens > budget.get()) {
            prompt.needs = Some(prompt.tokens);
            prompt.trimmed = Some(trim::refused(budget));
        }
        prompt
    }

    /// The report of a lane whose budget is too small for it.
    pub(super) fn refusal(&self) -> Option<LaneReport> {
        let needs = self.needs?;
        let budget = self.trimmed.as_ref().map_or(0, |trimmed| trimmed.budget);
        let message = format!(
            "the prompt is too large: it needs a budget of {needs} tokens at least, and has {budget}"
        );
        let report = LaneReport::not_called(State::Skipped, Reason::OverBudget, message);
        Some(report.remedy("raise its budget setting, or set it to 0 for none"))
    }
}

/// A text without secrets, if it leaves the machine.
fn cleaned(plan: &LanePlan, text: String, redaction: &Redaction) -> (String, Receipt) {
    if plan.is_local() { (text, Receipt::new()) } else { redaction.of_prompt(text) }
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
    let documents = Documents::of(project);
    lanes
        .into_iter()
        .map(|plan| {
            if !plan.is_given_prompt() {
                return LanePrompt::none(&plan.identity);
            }
            let mut prompt = build(&documents, &phase, marks, plan, redaction);
            if plan.needs_echo() {
                prompt.marks = Some(census.iter().map(|plan| marks.of_plan(&plan.path)).collect());
            }
            prompt
        })
        .collect()
}

/// Builds the prompt of one lane. What is taken out of it is taken out before it is cut, so that
/// no secret is cut in two.
fn build(
    documents: &Documents,
    named: &record::Phase,
    marks: &Marks,
    plan: &LanePlan,
    redaction: &Redaction,
) -> LanePrompt {
    let input = documents.input(named, marks, plan);
    let (text, redactions) = cleaned(plan, prompt::build(&input), redaction);
    let whole = LanePrompt { redactions, ..LanePrompt::whole(&plan.identity, text) };
    let Some(budget) = plan.budget.filter(|budget| whole.tokens > trim::effective(*budget)) else {
        return whole;
    };
    let documents = documents.map(|text| cleaned(plan, text.to_owned(), redaction).0);
    match trim::fit(&documents.input(named, marks, plan), budget) {
        Ok(fitted) => {
            let (text, _) = cleaned(plan, fitted.text, redaction);
            let trimmed = fitted.trimmed;
            let redactions = whole.redactions;
            LanePrompt { redactions, trimmed, ..LanePrompt::whole(&plan.identity, text) }
        }
        Err(TooLarge { least }) => {
            LanePrompt { needs: Some(least), trimmed: Some(trim::refused(budget)), ..whole }
        }
    }
}

/// The documents of a phase: path and text.
struct Documents {
    project: Option<(String, String)>,
    roadmap: Option<(String, String)>,
    requirements: Option<(String, String)>,
    contexts: Vec<(String, String)>,
    research: Vec<(String, String)>,
    plans: Vec<(String, String)>,
}

impl Documents {
    fn of(project: &Project) -> Self {
        let phase = &project.phase;
        let whole = |document: &crate::planning::Document| {
            (document.path.as_str().to_owned(), document.file.text().to_owned())
        };
        let roadmap = phase.roadmap.as_ref().and_then(|roadmap| {
            let entry = phase.on_roadmap()?;
            let span = entry.section.clone().unwrap_or_else(|| entry.span.clone());
            let text = roadmap.document.file.text().get(span)?;
            Some((roadmap.document.path.as_str().to_owned(), text.to_owned()))
        });
        Self {
            project: phase.project.as_ref().map(whole),
            roadmap,
            requirements: phase.requirements.as_ref().map(|found| whole(&found.document)),
            contexts: phase.contexts.iter().map(|found| whole(&found.document)).collect(),
            research: phase.research.iter().map(|found| whole(&found.document)).collect(),
            plans: phase.counted().map(|plan| whole(&plan.document)).collect(),
        }
    }

    /// The same documents with other texts.
    fn map(&self, change: impl Fn(&str) -> String) -> Self {
        let one = |(path, text): &(String, String)| (path.clone(), change(text));
        let all = |list: &[(String, String)]| list.iter().map(one).collect();
        Self {
            project: self.project.as_ref().map(one),
            roadmap: self.roadmap.as_ref().map(one),
            requirements: self.requirements.as_ref().map(one),
            contexts: all(&self.contexts),
            research: all(&self.research),
            plans: all(&self.plans),
        }
    }

    fn input<'a>(&'a self, named: &'a record::Phase, marks: &Marks, plan: &LanePlan) -> Input<'a> {
        let echo = plan.needs_echo();
        let mut input = Input {
            number: named.number.as_deref(),
            name: &named.name,
            access: if plan.reads_repository() { Access::Repository } else { Access::PromptOnly },
            token: marks.token.clone(),
            project: self.project.as_ref().map(document),
            roadmap: self.roadmap.as_ref().map(document),
            requirements: self.requirements.as_ref().map(document),
            context: self.contexts.iter().map(document).collect(),
            research: self.research.iter().map(document).collect(),
            plans: self
                .plans
                .iter()
                .map(|plan| PlanDocument {
                    document: document(plan),
                    nonce: echo.then(|| marks.of_plan(&plan.0)),
                })
                .collect(),
            cut: None,
        };
        // Somebody who has seen the token in an earlier prompt may have put it into a document.
        while !prompt::token_is_free(&input) {
            input.token = gsd_io::random::hex(16);
        }
        input
    }
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
