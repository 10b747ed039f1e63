//! One call from its start to its report: what every request has in common.

use super::{CallLimits, HttpCall, MAX_PROBE_BODY, Names, PROBE_CONNECT};
use crate::lane::egress::{Endpoint, Permission};
use crate::lane::handler::openai_compatible::models::Models;
use crate::lane::handler::openai_compatible::verdict::{Asked, seconds};
use crate::lane::transport::Progress;
use crate::lane::{During, LaneReport, Reason, State};
use gsd_io::cancel::Cancel;
use gsd_io::http::{Authorization, End, Exchange, HttpLimits, Reach, Request, SafeUrl, Via, send};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// Either the next step is possible, or this is the end. Boxed, since a report is large.
pub(super) type Step<T> = Result<T, Box<LaneReport>>;

pub(super) fn ended(state: State, reason: Reason, message: impl Into<String>) -> LaneReport {
    LaneReport::not_called(state, reason, message)
}

pub(super) struct Session<'a> {
    pub(super) call: &'a HttpCall<'a>,
    pub(super) limits: &'a CallLimits,
    pub(super) cancel: &'a Cancel,
    pub(super) on_progress: RefCell<&'a mut dyn FnMut(Progress)>,
    pub(super) start: Instant,
}

/// Takes the key out of everything that is kept. Servers repeat it, in errors and in reviews.
fn mask(report: &mut LaneReport, key: &str) {
    let fixed = [&mut report.text, &mut report.stderr].into_iter();
    // A server that names its models after the key it got is asked for one of them.
    let models = [&mut report.model_requested, &mut report.model_served];
    let said = [&mut report.message, &mut report.remedy];
    let optional = models.into_iter().chain(said).flatten();
    for text in fixed.chain(optional).chain(&mut report.warnings) {
        if text.contains(key) {
            *text = text.replace(key, "[redacted api-key]");
        }
    }
}

impl Session<'_> {
    pub(super) fn run(&self, prompt: &str, probed: Option<&Models>) -> Step<LaneReport> {
        if prompt.trim().is_empty() {
            let report = ended(State::Failed, Reason::Other, "the prompt is empty");
            return Err(Box::new(report.during(During::Start)));
        }
        self.permit()?;
        let probed = match probed {
            Some(models) => models.clone(),
            None => self.probe()?,
        };
        let choice = self.choose(probed)?;
        let mut report = self.ask(prompt, &choice)?;
        report.warnings.extend(choice.warning);
        report.model_source = Some(choice.source);
        Ok(report)
    }

    /// Adds what every end has in common.
    pub(super) fn complete(&self, mut report: LaneReport) -> LaneReport {
        let origin = || self.call.destination.origin().to_string();
        report.destination.get_or_insert_with(origin);
        report.elapsed = self.start.elapsed();
        report.warnings.extend(self.call.access.warnings.iter().cloned());
        if report.state == State::TimedOut {
            self.tell_limit(&mut report);
        }
        if let (Via::Proxy(proxy), Some(message)) = (&self.call.access.via, &mut report.message)
            && !self.call.destination.is_loopback()
        {
            message.push_str(&format!(" (through the proxy {proxy})"));
        }
        if let Some(key) = &self.call.access.secret {
            mask(&mut report, key.expose());
        }
        report
    }

    /// Which limit passed, where it comes from, and what allows more.
    fn tell_limit(&self, report: &mut LaneReport) {
        let Names { limit_key, limit_source, lane, phases, .. } = &self.call.names;
        let phase = match report.during {
            Some(During::Total) => None,
            Some(During::FirstByte) => Some(("first_byte", &phases.first_byte)),
            Some(During::Idle) => Some(("idle", &phases.idle)),
            Some(During::Probe | During::Setup | During::Start) | None => return,
        };
        let (source, key, flag) = match phase {
            Some((phase, Some(own))) => {
                (Some(own.source.to_string()), Some(format!("review.{phase}_timeouts.{lane}")), "")
            }
            Some(("idle", None)) => (None, Some(format!("review.idle_timeouts.{lane}")), ""),
            Some((_, None)) | None => {
                (limit_source.clone(), limit_key.clone(), " or `--lane-timeout`")
            }
        };
        if let (Some(message), Some(source)) = (&mut report.message, source) {
            message.push_str(&format!(" (limit from {source})"));
        }
        report.remedy.get_or_insert(match key {
            Some(key) => format!("allow it more with `{key}` (seconds){flag}"),
            None => "allow it more with `--lane-timeout`".to_owned(),
        });
    }

    /// Whether anything may be sent there at all.
    pub(super) fn permit(&self) -> Step<()> {
        let permission = &self.call.access.permission;
        let stray = *permission == Permission::ThisMachine && !self.call.destination.is_loopback();
        let refusal = if stray {
            let origin = self.call.destination.origin();
            let message = format!("{origin} is not this machine, and nobody approved it");
            Some(ended(State::Blocked, Reason::NotConsented, message).during(During::Probe))
        } else {
            permission.refusal()
        };
        refusal.map_or(Ok(()), |report| Err(Box::new(report)))
    }

    pub(super) fn url(&self, path: &str) -> Step<SafeUrl> {
        self.call.destination.join(path).map_err(|error| {
            let message = format!("`{path}` cannot follow the address of the server: {error}");
            Box::new(ended(State::Blocked, Reason::Policy, message).during(During::Probe))
        })
    }

    /// The address for the prompt. Whatever made it, it is the approved one or none.
    pub(super) fn prompt_url(&self) -> Step<SafeUrl> {
        let url = self.url(self.call.path)?;
        match &self.call.access.permission {
            Permission::Approved(endpoint) if *endpoint != Endpoint::of_url(&url) => {
                let message = format!("the prompt would not go to {endpoint}, which is approved");
                Err(Box::new(ended(State::Blocked, Reason::HostChanged, message)))
            }
            Permission::Approved(_) | Permission::ThisMachine | Permission::Denied { .. } => {
                Ok(url)
            }
        }
    }

    pub(super) fn reach(&self) -> Reach {
        match self.call.access.permission {
            Permission::ThisMachine | Permission::Denied { .. } => Reach::ThisMachine,
            // A name of this machine stays this machine, also where the host was approved.
            Permission::Approved(_) if self.call.destination.is_loopback() => Reach::ThisMachine,
            Permission::Approved(_) => Reach::Anywhere,
        }
    }

    /// Adds what goes with every request.
    pub(super) fn outfit(&self, request: Request) -> Request {
        let authorization = match &self.call.access.secret {
            Some(secret) => Authorization::Bearer(secret.clone()),
            None => Authorization::None,
        };
        let (via, roots) = (self.call.access.via.clone(), self.call.access.roots.clone());
        Request { authorization, via, roots, ..request }
    }

    pub(super) fn get(&self, url: &SafeUrl, limit: Duration) -> Exchange {
        let limit = limit.min(self.left());
        let limits = HttpLimits {
            connect: PROBE_CONNECT,
            first_byte: limit,
            idle: limit,
            total: limit,
            pace: None,
            max_body: MAX_PROBE_BODY,
            max_compressed: MAX_PROBE_BODY,
            max_ratio: self.limits.max_ratio,
        };
        let request = self.outfit(Request::get(url.clone(), self.reach()));
        // Nobody waits long enough for a probe to want news of it.
        send(request, &limits, self.cancel, &mut |_| {})
    }

    pub(super) fn tell(&self, progress: Progress) {
        (self.on_progress.borrow_mut())(progress);
    }

    pub(super) fn left(&self) -> Duration {
        self.limits.total.saturating_sub(self.start.elapsed())
    }

    /// Waits before another attempt; false if there is no time for one, or a cancel came.
    pub(super) fn pause(&self, pause: Duration) -> bool {
        pause < self.left() && !self.cancel.wait(pause)
    }

    /// Whether an attempt ended because earlier ones had left it no time.
    pub(super) fn is_over(&self, end: &End) -> bool {
        matches!(end, End::TimedOut { .. }) && self.left().is_zero()
    }

    /// The end of a wait for a model that does not come.
    pub(super) fn still_loading(&self) -> LaneReport {
        if self.cancel.is_cancelled() {
            return ended(State::Cancelled, Reason::Interrupted, "interrupted");
        }
        let total = seconds(self.limits.total);
        let message = format!("the server was still loading its model after {total}");
        ended(State::TimedOut, Reason::TimeLimit, message).during(During::Total)
    }

    pub(super) fn asked<'m>(
        &'m self,
        model: &'m str,
        prompt: u64,
        models: &'m Models,
    ) -> Asked<'m> {
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
}
