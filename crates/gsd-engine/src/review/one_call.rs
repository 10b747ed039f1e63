//! One call of a run: what stops it before it starts, the call itself, its judgement.
//!
//! Every verb that calls a lane does it here, so that none of them knows another way.

use super::about::millis;
use super::judged::Judged;
use super::planner::copy_root;
use super::prompts::LanePrompt;
use super::record;
use super::redaction::Redaction;
use super::work_tree::{Snapshot, SnapshotError, Watch};
use crate::lane::descriptor::Transport;
use crate::lane::{
    self, CallContext, During, LanePlan, LaneReport, Progress, Ready, Reason, State,
};
use camino::Utf8Path;
use gsd_io::cancel::Cancel;
use gsd_io::clock;
use gsd_io::env::Env;
use gsd_io::fs::ReadWatch;
use std::time::{Duration, Instant};

/// One call and what is needed for it.
pub(super) struct Call<'a, 'w> {
    pub(super) env: &'a Env,
    pub(super) root: &'a Utf8Path,
    /// The directory of the phase, relative to the root.
    pub(super) phase: &'a str,
    pub(super) run_dir: &'a Utf8Path,
    pub(super) cancel: &'a Cancel,
    pub(super) plan: &'a LanePlan,
    /// What the probe found.
    pub(super) ready: &'a Ready,
    pub(super) prompt: &'a LanePrompt,
    pub(super) redaction: &'a Redaction,
    /// The census.
    pub(super) plans: &'a [record::Plan],
    /// When the run began, and how long it may take.
    pub(super) started: Instant,
    pub(super) deadline: Option<Duration>,
    /// Sees what the program changes in the project.
    pub(super) watch: &'a Watch<'w>,
}

impl Call<'_, '_> {
    /// Makes the call and judges what it brings.
    pub(super) fn run(&self, progress: &dyn Fn(Progress)) -> Judged {
        let plan = self.plan;
        let start = clock::now() - self.started;
        let (mut report, observed) = match self.refusal(start) {
            Some(report) => (report, vec![]),
            None if plan.confinement.copies() => self.call_in_copy(start, progress),
            None => (self.call(self.root, self.limit(start), progress), vec![]),
        };
        self.redaction.of_report(&mut report);
        let mut judged = Judged::of(plan, &report, self.prompt, self.plans, observed);
        judged.lane.timing.start_ms = millis(start);
        judged
    }

    /// Calls the lane in a folder, and has the work tree looked at afterwards if it is a program.
    fn call(&self, root: &Utf8Path, limit: Duration, progress: &dyn Fn(Progress)) -> LaneReport {
        let plan = self.plan;
        let context = CallContext {
            env: self.env,
            root,
            project: self.root,
            phase_dir: &root.join(self.phase),
            cancel: self.cancel,
            limit,
        };
        let call = || lane::call(plan, self.ready, &self.prompt.text, &context, progress);
        match plan.transport() {
            // gsd itself changes nothing.
            Transport::Spawn if plan.is_local() => call(),
            Transport::Spawn => self.watch.during(&plan.identity, plan.confinement, call),
            // A server does nothing on this machine.
            Transport::OpenaiHttp => call(),
        }
    }

    /// Calls the lane in a copy of its own, which is gone afterwards. Also returns which plans it
    /// was seen to read there, in the order of the census.
    fn call_in_copy(
        &self,
        start: Duration,
        progress: &dyn Fn(Progress),
    ) -> (LaneReport, Vec<bool>) {
        let at = copy_root(self.root, self.run_dir, &self.plan.identity);
        let copy = match Snapshot::make(self.env, self.root, self.run_dir, &at, self.cancel) {
            Ok(copy) => copy,
            Err(SnapshotError::Cancelled) => {
                let message = "interrupted while the project was copied";
                let report = LaneReport::not_called(State::Cancelled, Reason::Interrupted, message);
                return (report, vec![]);
            }
            Err(error) => {
                let message = format!("the project cannot be copied for it: {error}");
                let report = LaneReport::not_called(State::Blocked, Reason::Policy, message);
                return (report.during(During::Setup), vec![]);
            }
        };
        let plans: Vec<_> = self.plans.iter().map(|plan| copy.root().join(&plan.path)).collect();
        // Where nobody can watch, the answer has to show that the plans were read.
        let reads = ReadWatch::on(&plans).ok();
        let spent = clock::now() - self.started - start;
        let mut report = self.call(copy.root(), self.limit(start).saturating_sub(spent), progress);
        let observed = reads.map(ReadWatch::finish).unwrap_or_default();
        for text in [&mut report.text, &mut report.stderr] {
            *text = copy.relocate(text, self.root);
        }
        report.message = report.message.map(|text| copy.relocate(&text, self.root));
        (report, observed)
    }

    /// What stops a call before it starts.
    fn refusal(&self, start: Duration) -> Option<LaneReport> {
        if self.cancel.is_cancelled() {
            let message = "interrupted before it started";
            return Some(LaneReport::not_called(State::Cancelled, Reason::Interrupted, message));
        }
        if self.deadline.is_some_and(|deadline| start >= deadline) {
            let message = "the deadline of the run passed before it started";
            let report = LaneReport::not_called(State::TimedOut, Reason::TimeLimit, message);
            return Some(
                report.remedy("raise `--deadline` or `review.deadline`, or ask fewer lanes"),
            );
        }
        self.prompt.refusal()
    }

    fn limit(&self, start: Duration) -> Duration {
        let own = self.plan.time_limit.value;
        match self.deadline {
            Some(deadline) => own.min(deadline.saturating_sub(start)),
            None => own,
        }
    }
}
