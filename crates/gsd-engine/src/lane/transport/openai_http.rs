//! Calls a server that speaks the chat completions protocol.
//!
//! The order matters: first it is decided whether plans may go there at all, then whether anybody
//! is there (which sends nothing of the project), then which model is asked, and only then is the
//! prompt sent. No redirect is followed at any step, and the address that is asked is always the
//! configured one with a path behind it.
//!
//! What an answer means is decided by the handler; this file sends, waits and tries again.

mod asking;
mod probing;
mod session;

use super::Progress;
use crate::lane::descriptor::ModelDiscovery;
use crate::lane::egress::Access;
use crate::lane::handler::openai_compatible::Streaming;
use crate::lane::handler::openai_compatible::models::Models;
use crate::lane::plan::HttpPlan;
use crate::lane::probe::{MAX_PROBE, Probe};
use crate::lane::settings::PhaseLimits;
use crate::lane::{LanePlan, LaneReport};
use gsd_io::cancel::Cancel;
use gsd_io::clock;
use gsd_io::http::Destination;
use session::Session;
use std::cell::RefCell;
use std::time::Duration;

/// A server, and what a plan says about it.
#[derive(Debug, Clone)]
pub struct HttpCall<'a> {
    pub destination: &'a Destination,
    pub path: &'a str,
    /// What the probe asks for.
    pub probe_path: &'a str,
    pub discovery: ModelDiscovery,
    /// The model that the user named.
    pub model: Option<&'a str>,
    pub fallback_model: Option<&'a str>,
    pub num_ctx: Option<u64>,
    pub streaming: Streaming,
    pub names: Names,
    pub access: Access,
}

/// What the user calls the parts of a call: for remedies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The key that names the model.
    pub model_key: Option<String>,
    /// Where the model that the user named comes from.
    pub model_source: Option<String>,
    /// The key that raises the limit.
    pub limit_key: Option<String>,
    /// Where the limit comes from.
    pub limit_source: Option<String>,
    /// The slug of the lane, by which the limits of parts of a call are set.
    pub lane: String,
    /// Limits of parts of a call that somebody set.
    pub phases: PhaseLimits,
}

impl<'a> HttpCall<'a> {
    /// The call of a planned lane. `http` is the plan's own.
    pub fn of(plan: &'a LanePlan, http: &'a HttpPlan, access: Access) -> Self {
        let probe_path = match &plan.probe {
            Probe::HttpReachable { path, .. } => path.as_str(),
            // Reported when the manifest is read; a server can still be asked for its models.
            Probe::CommandExists { .. } | Probe::CommandCapability { .. } => MODELS_PATH,
        };
        Self {
            destination: &http.destination,
            path: http.path.as_str(),
            probe_path,
            discovery: http.discovery,
            model: plan.model.as_ref().map(|model| model.value.as_str()),
            fallback_model: http.fallback_model.as_deref(),
            num_ctx: http.num_ctx,
            streaming: http.streaming,
            names: Names {
                model_key: plan.model_key.as_ref().map(ToString::to_string),
                model_source: plan.model.as_ref().map(|model| model.source.to_string()),
                limit_key: plan.timeout_key.as_ref().map(ToString::to_string),
                limit_source: Some(plan.time_limit.source.to_string()),
                lane: plan.slug.to_string(),
                phases: plan.phases.clone(),
            },
            access,
        }
    }
}

/// The limits of a call. There is no default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLimits {
    /// Until a connection stands.
    pub connect: Duration,
    /// From the sent request to the first byte of its answer.
    pub first_byte: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
    /// The whole call, the wait for a server that is loading included.
    pub total: Duration,
    pub probe: Duration,
    pub discovery: Duration,
    /// Between two looks at a server that is loading.
    pub pause: Duration,
    /// Before the one further request to a server that has no time, where it does not say when.
    pub retry_pause: Duration,
    /// Bytes of an answer, as it comes and unpacked; a stream may have some times as many.
    pub max_body: u64,
    /// Unpacked bytes for each byte that came.
    pub max_ratio: u64,
}

impl CallLimits {
    /// The limits of a planned lane.
    pub fn of(plan: &LanePlan) -> Self {
        let probe = match &plan.probe {
            Probe::HttpReachable { limit, .. } | Probe::CommandCapability { limit, .. } => *limit,
            Probe::CommandExists { .. } => MAX_PROBE,
        };
        let total = plan.time_limit.value;
        Self {
            connect: Duration::from_secs(5),
            first_byte: plan.phases.first_byte.as_ref().map_or(total, |limit| limit.value),
            idle: plan.phases.idle.as_ref().map_or(IDLE, |limit| limit.value),
            total,
            probe: probe.min(MAX_PROBE),
            discovery: Duration::from_secs(2),
            pause: Duration::from_secs(1),
            retry_pause: plan.retry_pause,
            max_body: 8 << 20,
            max_ratio: 100,
        }
    }
}

/// A server that has begun to answer is rarely silent for so long and then goes on.
const IDLE: Duration = Duration::from_secs(60);
/// The model that is asked for where nobody names one.
const DEFAULT_MODEL: &str = "local-model";
const MODELS_PATH: &str = "/v1/models";
const MAX_PROBE_BODY: u64 = 1 << 20;
/// Each word of a stream comes in an event of its own, some 150 bytes around it.
const STREAM_FACTOR: u64 = 4;
const PROBE_CONNECT: Duration = Duration::from_secs(1);

/// Sends the prompt and waits for the review. `probed` is what an earlier probe brought; without it
/// the server is probed first.
pub fn call(
    call: &HttpCall<'_>,
    probed: Option<&Models>,
    prompt: &str,
    limits: &CallLimits,
    cancel: &Cancel,
    on_progress: &mut dyn FnMut(Progress),
) -> LaneReport {
    let on_progress = RefCell::new(on_progress);
    let session = Session { call, limits, cancel, on_progress, start: clock::now() };
    let report = session.run(prompt, probed).unwrap_or_else(|ended| *ended);
    session.complete(report)
}

/// Asks whether the server is there, without sending anything of the project. The error is the
/// report of a lane that cannot run.
pub fn probe(
    call: &HttpCall<'_>,
    limits: &CallLimits,
    cancel: &Cancel,
) -> Result<Models, Box<LaneReport>> {
    let mut silent = |_: Progress| {};
    let on_progress = RefCell::new(&mut silent as &mut dyn FnMut(Progress));
    let session = Session { call, limits, cancel, on_progress, start: clock::now() };
    let models = session.permit().and_then(|()| session.probe());
    models.map_err(|report| Box::new(session.complete(*report)))
}

#[cfg(test)]
mod tests;
