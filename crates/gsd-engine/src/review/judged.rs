//! One lane after its call: its part of the record.

use super::about::About;
use super::answer::Answer;
use super::event::Finished;
use super::findings;
use super::judge::{Channel, Facts, judge};
use super::prompts::LanePrompt;
use super::record;
use crate::lane::{Delivery, LanePlan, LaneReport, Reason, State};
use std::collections::BTreeMap;
use std::time::Duration;

/// A lane's part of the record, and its concerns for the table.
pub(super) struct Judged {
    pub(super) lane: record::Lane,
    pub(super) concerns: [usize; 3],
}

impl Judged {
    /// Judges what a call brought. `observed` says of each plan whether the lane was seen to read it.
    pub(super) fn of(
        plan: &LanePlan,
        report: &LaneReport,
        prompt: &LanePrompt,
        plans: &[record::Plan],
        observed: Vec<bool>,
    ) -> Self {
        let mut lane = About::of_plan(plan).lane(report, plans);
        let given = plan.is_given_prompt() && report.delivery != Delivery::NotSent;
        lane.prompt_sha256 = given.then(|| prompt.sha256.clone());
        lane.trimmed.clone_from(&prompt.trimmed);
        if let Some(trimmed) = prompt.trimmed.as_ref().filter(|trimmed| !trimmed.hard_failed) {
            lane.warnings.insert(0, trimmed.sentence());
        }
        lane.sizes.prompt = if given { prompt.text.len() as u64 } else { 0 };
        if report.state.counts() {
            let channel = if !plan.is_given_plans() {
                Channel::NotGiven
            } else if plan.needs_echo() {
                Channel::Reference { marks: prompt.marks.clone().unwrap_or_default() }
            } else if plan.is_given_prompt() {
                Channel::Ours { delivered: report.delivery.is_whole() }
            } else {
                Channel::Itself
            };
            let facts = Facts {
                channel,
                truncated: report.state == State::Incomplete,
                observed,
                tokens: report.prompt_tokens.map(|counted| (prompt.tokens, counted)),
            };
            let marks = prompt.marks.as_deref().unwrap_or_default();
            let answer = Answer::read(&report.text, &prompt.text, marks, plans);
            let judgement = judge(&report.text, &answer, plans, &facts);
            lane.text = answer.text;
            lane.state = judgement.state;
            lane.reason = judgement.reason.or(report.reason);
            lane.proof = judgement.proof;
            lane.coverage = judgement.coverage;
            lane.message = judgement.message.or(lane.message);
            lane.remedy = judgement.remedy.or(lane.remedy);
            lane.warnings.extend(judgement.warnings);
        }
        let concerns = concerns(&lane, plans);
        Self { lane, concerns }
    }

    /// A lane that was not called at all.
    pub(super) fn absent(about: &About, report: &LaneReport, plans: &[record::Plan]) -> Self {
        Self { lane: about.lane(report, plans), concerns: [0; 3] }
    }

    /// A lane whose handling panicked: its result is lost, the run is not.
    pub(super) fn bug(plan: &LanePlan, plans: &[record::Plan]) -> Self {
        let message = "gsd has a bug in the handling of this lane";
        let report = LaneReport::not_called(State::Failed, Reason::Other, message)
            .remedy("please report it, with the lane's name");
        Self::absent(&About::of_plan(plan), &report, plans)
    }

    /// Puts on the lane what the watch over the work tree saw.
    pub(super) fn see(&mut self, mut marks: BTreeMap<String, record::Mutation>) {
        if let Some(mark) = marks.remove(&self.lane.identity) {
            self.lane.warnings.push(mark.sentence(&self.lane.identity));
            self.lane.mutated_worktree = Some(mark);
        }
    }

    pub(super) fn finished(&self) -> Finished {
        let lane = &self.lane;
        let covered = lane.coverage.covered.len();
        Finished {
            state: lane.state,
            reason: lane.reason,
            message: lane.message.clone(),
            remedy: lane.remedy.clone(),
            elapsed: Duration::from_millis(lane.timing.elapsed_ms),
            covered: lane.state.counts().then(|| (covered, covered + lane.coverage.missing.len())),
            concerns: self.concerns,
        }
    }
}

pub(super) fn concerns(lane: &record::Lane, plans: &[record::Plan]) -> [usize; 3] {
    let mut counts = [0; 3];
    if lane.state.counts() {
        let extracted = findings::extract(&lane.identity, &lane.text, plans);
        for finding in extracted.findings {
            if finding.kind == record::Kind::Concern {
                counts[match finding.severity {
                    record::Severity::High => 0,
                    record::Severity::Medium => 1,
                    record::Severity::Low => 2,
                }] += 1;
            }
        }
    }
    counts
}
