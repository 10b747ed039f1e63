//! Probes a lane and calls it: the two places where a lane meets the world.
//!
//! A probe never sends anything of the project. A call sends exactly the prompt that it is given,
//! to what the probe has found; nothing is looked up twice.

use super::egress::Access;
use super::handler::openai_compatible::models::Models;
use super::plan::{BLIND_MARK, CallPlan, LanePlan};
use super::report::LaneReport;
use super::retry;
use super::state::{Reason, State};
use super::transport::openai_http::{self, CallLimits, HttpCall};
use super::transport::{Progress, spawn};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::clock;
use gsd_io::env::Env;
use std::time::Duration;

/// The world of a call.
#[derive(Debug, Clone, Copy)]
pub struct CallContext<'a> {
    pub env: &'a Env,
    /// The folder that holds `.planning`, or the lane's copy of it: the child's working directory.
    pub root: &'a Utf8Path,
    /// The project itself, which must not change.
    pub project: &'a Utf8Path,
    pub phase_dir: &'a Utf8Path,
    pub cancel: &'a Cancel,
    /// The limit of this call: the lane's own, or what is left of the run's.
    pub limit: Duration,
}

/// What a probe has found, and what a call therefore uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ready {
    /// The absolute path of the program; it is started as found.
    Program(Utf8PathBuf),
    /// The origin of the server, and the list of models in its answer, so that nobody asks for it
    /// again.
    Server { origin: String, models: Models },
}

impl Ready {
    /// Where a prompt would go.
    pub fn destination(&self) -> &str {
        match self {
            Self::Program(path) => path.as_str(),
            Self::Server { origin, .. } => origin,
        }
    }
}

/// Is the lane there? Otherwise the report that stands for it.
pub fn probe(
    plan: &LanePlan,
    env: &Env,
    root: &Utf8Path,
    cancel: &Cancel,
) -> Result<Ready, Box<LaneReport>> {
    match &plan.call {
        CallPlan::Spawn(call) => spawn::probe(plan, call, env, root, cancel),
        CallPlan::OpenaiHttp(call) => {
            let server = HttpCall::of(plan, call, Access::now(plan, call, env, root)?);
            let models = openai_http::probe(&server, &CallLimits::of(plan), cancel)?;
            Ok(Ready::Server { origin: call.destination.origin().to_string(), models })
        }
    }
}

/// Calls the lane. Every end is a report.
pub fn call(
    plan: &LanePlan,
    ready: &Ready,
    prompt: &str,
    context: &CallContext<'_>,
    progress: &dyn Fn(Progress),
) -> LaneReport {
    let mut report = match (&plan.call, ready) {
        (CallPlan::Spawn(call), Ready::Program(program)) => {
            let once = |context: &CallContext<'_>| {
                spawn::call(plan, call, program, prompt, context, progress)
            };
            twice_if_limited(plan, context, progress, &once)
        }
        (CallPlan::OpenaiHttp(call), Ready::Server { models, .. }) => {
            let limits = CallLimits { total: context.limit, ..CallLimits::of(plan) };
            // Asked anew: an approval may have been taken back since the probe.
            match Access::now(plan, call, context.env, context.project) {
                Ok(access) => {
                    let server = HttpCall::of(plan, call, access);
                    let tell = &mut |now| progress(now);
                    openai_http::call(&server, Some(models), prompt, &limits, context.cancel, tell)
                }
                Err(report) => *report,
            }
        }
        (CallPlan::Spawn(_), Ready::Server { .. })
        | (CallPlan::OpenaiHttp(_), Ready::Program(_)) => {
            unreachable!("a probe answers for the transport of its own plan")
        }
    };
    see_blindness(&mut report);
    report
}

/// Calls a program, and once more if it was turned away for want of time and enough of its own is
/// left. A server is asked again by its transport, which sees the answer's header.
fn twice_if_limited(
    plan: &LanePlan,
    context: &CallContext<'_>,
    progress: &dyn Fn(Progress),
    once: &dyn Fn(&CallContext<'_>) -> LaneReport,
) -> LaneReport {
    let start = clock::now();
    let first = once(context);
    if first.state != State::Failed || first.reason != Some(Reason::RateLimited) {
        return first;
    }
    let said = retry::wanted(&first.stderr).or_else(|| retry::wanted(&first.text));
    let pause = retry::pause(said, plan.retry_pause);
    let left = |from: Duration| context.limit.saturating_sub(from);
    if pause >= left(start.elapsed()) {
        return first;
    }
    progress(Progress::Pausing { wait: pause });
    if context.cancel.wait(pause) {
        return LaneReport {
            state: State::Cancelled,
            reason: Some(Reason::Interrupted),
            message: Some("interrupted while it waited to ask again".to_owned()),
            remedy: None,
            ..first
        };
    }
    let second = once(&CallContext { limit: left(start.elapsed()), ..*context });
    let waited = pause.as_secs_f64();
    let again = format!("it was rate limited and asked once more after {waited:.1} s");
    // What it said the first time tells more than that the time was too short for a second one.
    let unheard = second.state == State::TimedOut && second.text.trim().is_empty();
    let (mut report, again) = if unheard {
        (first, format!("{again}, with too little time left"))
    } else {
        (second, again)
    };
    report.elapsed = start.elapsed();
    report.warnings.push(again);
    report
}

/// A review by somebody who could not open the repository says so in its first line, as the
/// prompt asks. Quoting the mark further down says nothing.
fn see_blindness(report: &mut LaneReport) {
    let first = report.text.lines().map(str::trim).find(|line| !line.is_empty());
    report.blind |= first == Some(BLIND_MARK);
    if report.blind && report.state.counts() {
        report.text = format!("> [reviewed-without-repo-access]\n\n{}", report.text);
        report.warnings.push("it reviewed without access to the repository".to_owned());
    }
}
