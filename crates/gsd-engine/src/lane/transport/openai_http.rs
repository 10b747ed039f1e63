//! Calls a server that speaks the chat completions protocol.
//!
//! The order matters: first it is decided whether plans may go there at all, then whether anybody
//! is there (which sends nothing of the project), then which model is asked, and only then is the
//! prompt sent. No redirect is followed at any step, and the address that is asked is always the
//! configured one with a path behind it.
//!
//! What an answer means is decided by the handler; this file sends, waits and tries again.

use super::Progress;
use crate::lane::descriptor::ModelDiscovery;
use crate::lane::handler::openai_compatible::models::Models;
use crate::lane::handler::openai_compatible::verdict::{self, Again, Asked, seconds};
use crate::lane::handler::openai_compatible::{Streaming, request};
use crate::lane::plan::HttpPlan;
use crate::lane::probe::{MAX_PROBE, Probe};
use crate::lane::{During, LanePlan, LaneReport, Reason, State};
use gsd_io::cancel::Cancel;
use gsd_io::clock;
use gsd_io::http::{
    self, Authorization, Cap, Destination, End, Exchange, HttpLimits, Partial, Phase, Reach,
    Request, Response, Roots, SafeUrl, TooLarge, Unreachable, Via, send,
};
use gsd_io::secret::Secret;
use std::cell::RefCell;
use std::time::{Duration, Instant};

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
    pub names: Names,
    pub access: Access,
}

/// What the user calls the parts of a call: for remedies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The key that names the model.
    pub model_key: Option<String>,
    /// The key that raises the limit.
    pub limit_key: Option<String>,
    /// Where the limit comes from.
    pub limit_source: Option<String>,
}

/// How a server may be reached: decided by the caller, who knows the user's approvals and
/// variables.
#[derive(Debug, Clone)]
pub struct Access {
    pub permission: Permission,
    /// A key for the server, from the variable that the user named.
    pub secret: Option<Secret<String>>,
    pub via: Via,
    pub roots: Roots,
    pub streaming: Streaming,
}

impl Access {
    /// This machine only, and nothing that a plan does not say.
    pub fn this_machine(streaming: Streaming) -> Self {
        Self {
            permission: Permission::ThisMachine,
            secret: None,
            via: Via::Direct,
            roots: Roots::BuiltIn,
            streaming,
        }
    }
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
            names: Names {
                model_key: plan.model_key.as_ref().map(ToString::to_string),
                limit_key: plan.timeout_key.as_ref().map(ToString::to_string),
                limit_source: Some(plan.time_limit.source.to_string()),
            },
            access,
        }
    }
}

/// Whether plans may leave this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// They may not: only a server on this machine is called.
    ThisMachine,
    /// The user approved this very destination.
    Approved,
    /// They may not, for a reason and with a remedy of the caller.
    Denied { reason: Reason, message: String, remedy: String },
}

/// The limits of a call. There is no default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLimits {
    /// Until a connection stands.
    pub connect: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
    /// The whole call, the wait for a server that is loading included.
    pub total: Duration,
    pub probe: Duration,
    pub discovery: Duration,
    /// Between two attempts.
    pub pause: Duration,
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
        Self {
            connect: Duration::from_secs(5),
            idle: Duration::from_secs(60),
            total: plan.time_limit.value,
            probe: probe.min(MAX_PROBE),
            discovery: Duration::from_secs(2),
            pause: Duration::from_secs(1),
            max_body: 8 << 20,
            max_ratio: 100,
        }
    }
}

/// The model that is asked for where nobody names one.
const DEFAULT_MODEL: &str = "local-model";
const MODELS_PATH: &str = "/v1/models";
const MAX_PROBE_BODY: u64 = 1 << 20;
/// Each word of a stream comes in an event of its own, some 150 bytes around it.
const STREAM_FACTOR: u64 = 4;
const PROBE_CONNECT: Duration = Duration::from_secs(1);

/// Sends the prompt and waits for the review.
pub fn call(
    call: &HttpCall<'_>,
    prompt: &str,
    limits: &CallLimits,
    cancel: &Cancel,
    on_progress: &mut dyn FnMut(Progress),
) -> LaneReport {
    let on_progress = RefCell::new(on_progress);
    let session = Session { call, limits, cancel, on_progress, start: clock::now() };
    let report = session.run(prompt).unwrap_or_else(|ended| *ended);
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

/// Either the next step is possible, or this is the end. Boxed, since a report is large.
type Step<T> = Result<T, Box<LaneReport>>;

fn ended(state: State, reason: Reason, message: impl Into<String>) -> LaneReport {
    LaneReport::not_called(state, reason, message)
}

struct Session<'a> {
    call: &'a HttpCall<'a>,
    limits: &'a CallLimits,
    cancel: &'a Cancel,
    on_progress: RefCell<&'a mut dyn FnMut(Progress)>,
    start: Instant,
}

impl Session<'_> {
    fn run(&self, prompt: &str) -> Step<LaneReport> {
        if prompt.trim().is_empty() {
            let report = ended(State::Failed, Reason::Other, "the prompt is empty");
            return Err(Box::new(report.during(During::Start)));
        }
        self.permit()?;
        let probed = self.probe()?;
        let choice = self.choose(probed)?;
        let mut report = self.ask(prompt, &choice)?;
        report.warnings.extend(choice.warning);
        Ok(report)
    }

    /// Adds what every end has in common.
    fn complete(&self, mut report: LaneReport) -> LaneReport {
        let origin = || self.call.destination.origin().to_string();
        report.destination.get_or_insert_with(origin);
        report.elapsed = self.start.elapsed();
        let whole = matches!(report.during, Some(During::Total | During::FirstByte));
        if report.state == State::TimedOut && whole {
            let Names { limit_key, limit_source, .. } = &self.call.names;
            if let (Some(message), Some(source)) = (&mut report.message, limit_source) {
                message.push_str(&format!(" (limit from {source})"));
            }
            let flag = "`--lane-timeout`";
            report.remedy.get_or_insert(match limit_key {
                Some(key) => format!("allow it more with `{key}` (seconds) or {flag}"),
                None => format!("allow it more with {flag}"),
            });
        }
        report
    }

    /// Whether anything may be sent there at all.
    fn permit(&self) -> Step<()> {
        let (reason, message, remedy) = match &self.call.access.permission {
            Permission::ThisMachine if !self.call.destination.is_loopback() => (
                Reason::Policy,
                format!(
                    "{} is not this machine, and nobody approved sending plans there",
                    self.call.destination.origin()
                ),
                "approve it with `gsd review trust-host`, or use a server on this machine".into(),
            ),
            Permission::Denied { reason, message, remedy } => {
                (*reason, message.clone(), remedy.clone())
            }
            Permission::ThisMachine | Permission::Approved => return Ok(()),
        };
        let report = ended(State::Blocked, reason, message).during(During::Probe).remedy(remedy);
        Err(Box::new(report))
    }

    fn url(&self, path: &str) -> Step<SafeUrl> {
        self.call.destination.join(path).map_err(|error| {
            let message = format!("`{path}` cannot follow the address of the server: {error}");
            Box::new(ended(State::Blocked, Reason::Policy, message).during(During::Probe))
        })
    }

    fn reach(&self) -> Reach {
        match self.call.access.permission {
            Permission::ThisMachine | Permission::Denied { .. } => Reach::ThisMachine,
            // A name of this machine stays this machine, also where the host was approved.
            Permission::Approved if self.call.destination.is_loopback() => Reach::ThisMachine,
            Permission::Approved => Reach::Anywhere,
        }
    }

    /// Adds what goes with every request.
    fn outfit(&self, request: Request) -> Request {
        let authorization = match &self.call.access.secret {
            Some(secret) => Authorization::Bearer(secret.clone()),
            None => Authorization::None,
        };
        let (via, roots) = (self.call.access.via.clone(), self.call.access.roots.clone());
        Request { authorization, via, roots, ..request }
    }

    fn get(&self, url: &SafeUrl, limit: Duration) -> Exchange {
        let limit = limit.min(self.left());
        let limits = HttpLimits {
            connect: PROBE_CONNECT,
            first_byte: limit,
            idle: limit,
            total: limit,
            max_body: MAX_PROBE_BODY,
            max_compressed: MAX_PROBE_BODY,
            max_ratio: self.limits.max_ratio,
        };
        let request = self.outfit(Request::get(url.clone(), self.reach()));
        // Nobody waits long enough for a probe to want news of it.
        send(request, &limits, self.cancel, &mut |_| {})
    }

    fn tell(&self, progress: Progress) {
        (self.on_progress.borrow_mut())(progress);
    }

    fn left(&self) -> Duration {
        self.limits.total.saturating_sub(self.start.elapsed())
    }

    /// Waits before another attempt; false if there is no time for one, or a cancel came.
    fn pause(&self, pause: Duration) -> bool {
        pause < self.left() && !self.cancel.wait(pause)
    }

    /// Whether anybody is there. A list of models in the answer is kept.
    fn probe(&self) -> Step<Models> {
        let url = self.url(self.call.probe_path)?;
        let mut waited = false;
        self.tell(Progress::Probing);
        loop {
            let exchange = self.get(&url, self.limits.probe);
            if let End::Response(Response { status: 200..=299, body, .. }) = &exchange.end {
                return Ok(Models::read(body));
            }
            let loading = verdict::again(&exchange.end, Streaming::Never) == Again::WhileLoading
                || (waited && self.is_over(&exchange.end));
            if loading && self.pause(self.limits.pause) {
                waited = true;
                continue;
            }
            return Err(Box::new(if loading {
                self.still_loading()
            } else {
                self.not_there(&exchange).during(During::Probe)
            }));
        }
    }

    /// Whether an attempt ended because earlier ones had left it no time.
    fn is_over(&self, end: &End) -> bool {
        matches!(end, End::TimedOut { .. }) && self.left().is_zero()
    }

    /// The end of a wait for a model that does not come.
    fn still_loading(&self) -> LaneReport {
        if self.cancel.is_cancelled() {
            return ended(State::Cancelled, Reason::Interrupted, "interrupted");
        }
        let total = seconds(self.limits.total);
        let message = format!("the server was still loading its model after {total}");
        ended(State::TimedOut, Reason::TimeLimit, message).during(During::Total)
    }

    /// Why the lane cannot run, from the end of a probe that was no success.
    fn not_there(&self, exchange: &Exchange) -> LaneReport {
        let origin = self.call.destination.origin();
        let none = Models::default();
        let asked = self.asked("", 0, &none);
        let unreachable = |message: String| {
            ended(State::Unavailable, Reason::Unreachable, message)
                .remedy("start the server, or correct its address")
        };
        let mut report = match &exchange.end {
            End::Unreachable(Unreachable::Refused) => unreachable(format!("nothing at {origin}")),
            End::Unreachable(why) => unreachable(format!("{origin}: {why}")),
            End::TimedOut { phase: Phase::Connect, limit, .. } => {
                unreachable(format!("no connection to {origin} within {}", seconds(*limit)))
            }
            End::TimedOut { limit, .. } => {
                let message =
                    format!("{origin} did not answer the probe within {}", seconds(*limit));
                ended(State::TimedOut, Reason::TimeLimit, message)
                    .remedy("look whether the server is stuck")
            }
            End::Response(Response { status: status @ (401 | 403), .. }) => {
                let message = format!("{origin} asks for a key ({status})");
                ended(State::Unavailable, Reason::Auth, message)
                    .remedy("name the variable that holds it with `review.api_key_env.<slug>`")
            }
            End::Response(response) => {
                unreachable(format!("{origin} answered the probe with {}", response.status))
            }
            End::Broken { fault, .. } => unreachable(format!("{origin}: {fault}")),
            End::TooLarge(_) => unreachable(format!("{origin} answered the probe with too much")),
            End::Redirect(_) | End::Cancelled { .. } => verdict::report(exchange, &asked),
        };
        if let End::Response(response) = &exchange.end {
            report.http_status = Some(response.status);
            report.stderr = verdict::excerpt(&response.body, &asked);
        }
        report.model_requested = None;
        report
    }

    fn asked<'m>(&'m self, model: &'m str, prompt: u64, models: &'m Models) -> Asked<'m> {
        Asked {
            origin: self.call.destination.origin().to_string(),
            path: self.call.path,
            model,
            model_key: self.call.names.model_key.as_deref(),
            prompt,
            secret: self.call.access.secret.as_ref().map(|secret| secret.expose().as_str()),
            models,
        }
    }

    /// Which model to ask. `probed` is the list that the probe brought, if it brought one.
    fn choose(&self, probed: Models) -> Step<Choice> {
        let plain = |model: &str, models| Choice { model: model.to_owned(), models, warning: None };
        if let Some(model) = self.call.model {
            return Ok(plain(model, probed));
        }
        let fallback = self.call.fallback_model.unwrap_or(DEFAULT_MODEL);
        let models = match self.call.discovery {
            ModelDiscovery::None => return Ok(plain(fallback, probed)),
            ModelDiscovery::FirstFromModelsEndpoint if !probed.listed.is_empty() => probed,
            ModelDiscovery::FirstFromModelsEndpoint => self.discover()?,
        };
        let (model, warning) = match (&models.chosen, models.listed.len()) {
            (Some(chosen), 1) => (chosen.clone(), None),
            (Some(chosen), _) => {
                let why = format!("`{chosen}` was chosen of {}", models.some());
                (chosen.clone(), Some(why))
            }
            (None, 0) => {
                let why = format!("the server lists no model; `{fallback}` was asked for");
                (fallback.to_owned(), Some(why))
            }
            (None, _) => {
                let key = self.call.names.model_key.as_deref().unwrap_or("the lane's model key");
                let message = format!("none of its models can chat: {}", models.some());
                let report = ended(State::Unavailable, Reason::Model, message)
                    .during(During::Probe)
                    .remedy(format!("load a chat model, or name one with `{key}`"));
                return Err(Box::new(report));
            }
        };
        Ok(Choice { model, models, warning })
    }

    /// Asks for the list of models, unless that is what the probe asked for already.
    fn discover(&self) -> Step<Models> {
        let url = self.url(MODELS_PATH)?;
        if url == self.url(self.call.probe_path)? {
            return Ok(Models::default());
        }
        let exchange = self.get(&url, self.limits.discovery);
        match &exchange.end {
            End::Response(Response { status: 200..=299, body, .. }) => Ok(Models::read(body)),
            // Only what forbids the rest of the call ends it; a server need not have such a list.
            End::Redirect(_) | End::Cancelled { .. } => {
                Err(Box::new(self.not_there(&exchange).during(During::Probe)))
            }
            End::Response(_)
            | End::TimedOut { .. }
            | End::TooLarge(_)
            | End::Unreachable(_)
            | End::Broken { .. } => Ok(Models::default()),
        }
    }

    /// Sends the prompt, and again where the server only had no time for it.
    fn ask(&self, prompt: &str, choice: &Choice) -> Step<LaneReport> {
        let url = self.url(self.call.path)?;
        let asked = self.asked(&choice.model, prompt.len() as u64, &choice.models);
        let mut streaming = self.call.access.streaming;
        let (mut loading, mut busy) = (false, false);
        let mut live = |sign: http::Progress| {
            let http::Progress { received: bytes, silent_for, .. } = sign;
            self.tell(Progress::Output { bytes, silent_for });
        };
        self.tell(Progress::Started);
        loop {
            let body = request(&choice.model, prompt, streaming, self.call.num_ctx);
            let post = Request::post_json(url.clone(), self.reach(), body);
            let exchange =
                send(self.outfit(post), &self.http_limits(streaming), self.cancel, &mut live);
            let exchange = self.bounded(exchange);
            let again = verdict::again(&exchange.end, streaming);
            let retry = match again {
                Again::No => false,
                Again::WhileLoading => {
                    loading = true;
                    self.pause(self.limits.pause)
                }
                Again::Unstreamed => {
                    streaming = Streaming::Never;
                    true
                }
                Again::Busy(wanted) => {
                    let first = !std::mem::replace(&mut busy, true);
                    first && self.pause(wanted.unwrap_or(self.limits.pause * 2))
                }
            };
            if retry {
                continue;
            }
            // A cancel that came in a pause ends the call; one that came after the answer does not.
            let cancelled = again != Again::No && self.cancel.is_cancelled();
            let over = again == Again::WhileLoading || (loading && self.is_over(&exchange.end));
            if cancelled || over {
                return Ok(self.still_loading());
            }
            let mut report = verdict::report(&exchange, &asked);
            if report.during == Some(During::Total) {
                // The last attempt's limit was only what earlier ones had left.
                let total = seconds(self.limits.total);
                report.message = Some(format!("no whole answer within {total}"));
            }
            return Ok(report);
        }
    }

    /// A stream is many times as long as its text; what is none has the smaller cap as before.
    fn bounded(&self, exchange: Exchange) -> Exchange {
        let limit = self.limits.max_body;
        match exchange.end {
            End::Response(response)
                if response.body.len() as u64 > limit
                    && !response.content_type.starts_with("text/event-stream") =>
            {
                let Response { status, content_type, mut body, .. } = response;
                body.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
                let partial = Partial::Body { status, content_type, bytes: body };
                let end = End::TooLarge(TooLarge { cap: Cap::Decoded, limit, partial });
                Exchange { end, ..exchange }
            }
            end => Exchange { end, ..exchange },
        }
    }

    fn http_limits(&self, streaming: Streaming) -> HttpLimits {
        let total = self.left();
        let max_body = match streaming {
            Streaming::Asked => self.limits.max_body.saturating_mul(STREAM_FACTOR),
            Streaming::Never => self.limits.max_body,
        };
        HttpLimits {
            connect: self.limits.connect,
            first_byte: total,
            idle: self.limits.idle,
            total,
            max_body,
            max_compressed: max_body,
            max_ratio: self.limits.max_ratio,
        }
    }
}

/// The model that is asked, the list that it comes from, and what a reader should know about it.
struct Choice {
    model: String,
    models: Models,
    warning: Option<String>,
}

#[cfg(test)]
mod tests;
