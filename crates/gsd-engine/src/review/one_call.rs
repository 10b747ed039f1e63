//! One call of a run: what stops it before it starts, the call itself, its judgement.
//!
//! Every verb that calls a lane does it here, so that none of them knows another way.

use super::about::millis;
use super::judged::Judged;
use super::prepare::Asked;
use super::prompts::LanePrompt;
use super::record;
use super::redaction::Redaction;
use crate::lane::{self, CallContext, LaneReport, Progress, Reason, State};
use camino::Utf8Path;
use gsd_io::cancel::Cancel;
use gsd_io::clock;
use gsd_io::env::Env;
use std::time::{Duration, Instant};

/// One call and what is needed for it.
pub(super) struct Call<'a> {
    pub(super) env: &'a Env,
    pub(super) root: &'a Utf8Path,
    pub(super) phase_dir: &'a Utf8Path,
    pub(super) run_dir: &'a Utf8Path,
    pub(super) cancel: &'a Cancel,
    pub(super) asked: &'a Asked,
    pub(super) prompt: &'a LanePrompt,
    pub(super) redaction: &'a Redaction,
    /// The census.
    pub(super) plans: &'a [record::Plan],
    /// When the run began, and how long it may take.
    pub(super) started: Instant,
    pub(super) deadline: Option<Duration>,
}

impl Call<'_> {
    /// Makes the call and judges what it brings.
    pub(super) fn run(&self, progress: &dyn Fn(Progress)) -> Judged {
        let plan = &self.asked.plan;
        let start = clock::now() - self.started;
        let mut report = match self.refusal(start) {
            Some(report) => report,
            None => {
                let context = CallContext {
                    env: self.env,
                    root: self.root,
                    phase_dir: self.phase_dir,
                    run_dir: self.run_dir,
                    cancel: self.cancel,
                    limit: self.limit(start),
                };
                lane::call(plan, &self.asked.ready, &self.prompt.text, &context, progress)
            }
        };
        self.redaction.of_report(&mut report);
        let mut judged = Judged::of(plan, &report, self.prompt, self.plans);
        judged.lane.timing.start_ms = millis(start);
        judged
    }

    /// What stops a call before it starts.
    fn refusal(&self, start: Duration) -> Option<LaneReport> {
        let plan = &self.asked.plan;
        if self.cancel.is_cancelled() {
            let message = "interrupted before it started";
            return Some(LaneReport::not_called(State::Cancelled, Reason::Interrupted, message));
        }
        if self.deadline.is_some_and(|deadline| start >= deadline) {
            let message = "the deadline of the run passed before it started";
            let report = LaneReport::not_called(State::TimedOut, Reason::TimeLimit, message);
            return Some(report.remedy("raise `--deadline`, or ask fewer lanes"));
        }
        let budget = plan.budget?.get();
        (self.prompt.tokens > budget).then(|| {
            let message = format!(
                "the prompt needs about {} tokens, its budget is {budget}",
                self.prompt.tokens
            );
            LaneReport::not_called(State::Skipped, Reason::OverBudget, message)
                .remedy("raise its budget setting, or set it to 0 for none")
        })
    }

    fn limit(&self, start: Duration) -> Duration {
        let own = self.asked.plan.time_limit.value;
        match self.deadline {
            Some(deadline) => own.min(deadline.saturating_sub(start)),
            None => own,
        }
    }
}
