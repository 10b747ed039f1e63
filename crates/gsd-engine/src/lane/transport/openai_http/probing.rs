//! Before the prompt: is anybody there, and which model is asked?

use super::session::{Session, Step, ended};
use super::{DEFAULT_MODEL, MODELS_PATH};
use crate::lane::descriptor::ModelDiscovery;
use crate::lane::handler::openai_compatible::Streaming;
use crate::lane::handler::openai_compatible::models::Models;
use crate::lane::handler::openai_compatible::verdict::{self, Again, seconds};
use crate::lane::settings::Source;
use crate::lane::transport::Progress;
use crate::lane::{During, LaneReport, Reason, State};
use gsd_io::http::{End, Exchange, Phase, Response, Unreachable};

/// The model that is asked, the list that it comes from, and what a reader should know about it.
pub(super) struct Choice {
    pub(super) model: String,
    /// Who named the model.
    pub(super) source: String,
    pub(super) models: Models,
    pub(super) warning: Option<String>,
}

impl Session<'_> {
    /// Whether anybody is there. A list of models in the answer is kept.
    pub(super) fn probe(&self) -> Step<Models> {
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

    /// Which model to ask. `probed` is the list that the probe brought, if it brought one.
    pub(super) fn choose(&self, probed: Models) -> Step<Choice> {
        let manifest = || Source::Manifest.to_string();
        let plain = |model: &str, source, models| Choice {
            model: model.to_owned(),
            source,
            models,
            warning: None,
        };
        if let Some(model) = self.call.model {
            let source = self.call.names.model_source.clone().unwrap_or_else(manifest);
            return Ok(plain(model, source, probed));
        }
        let fallback = self.call.fallback_model.unwrap_or(DEFAULT_MODEL);
        let models = match self.call.discovery {
            ModelDiscovery::None => return Ok(plain(fallback, manifest(), probed)),
            ModelDiscovery::FirstFromModelsEndpoint if !probed.listed.is_empty() => probed,
            ModelDiscovery::FirstFromModelsEndpoint => self.discover()?,
        };
        let listed = || "the server's list of models".to_owned();
        let (model, source, warning) = match (&models.chosen, models.listed.len()) {
            (Some(chosen), 1) => (chosen.clone(), listed(), None),
            (Some(chosen), _) => {
                let why = format!("`{chosen}` was chosen of {}", models.some());
                (chosen.clone(), listed(), Some(why))
            }
            (None, 0) => {
                let why = format!("the server lists no model; `{fallback}` was asked for");
                (fallback.to_owned(), manifest(), Some(why))
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
        Ok(Choice { model, source, models, warning })
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
}
