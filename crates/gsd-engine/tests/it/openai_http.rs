//! Lanes that ask a server: real requests to a real server that behaves, or does not.

use gsd_engine::lane::descriptor::ModelDiscovery;
use gsd_engine::lane::egress::{Access, Endpoint, Permission};
use gsd_engine::lane::handler::openai_compatible::Streaming;
use gsd_engine::lane::settings::PhaseLimits;
use gsd_engine::lane::transport::Progress;
use gsd_engine::lane::transport::openai_http::{CallLimits, HttpCall, Names, call, probe};
use gsd_engine::lane::{Delivery, During, LaneReport, Reason, State};
use gsd_io::cancel::Cancel;
use gsd_io::http::Destination;
use gsd_io::secret::Secret;
use gsd_testkit::model_server::{Answer, ModelServer, REVIEW, Recorded, Step, completion_body};
use std::time::Duration;

mod answers;
mod calls;

const CHAT: &str = "/v1/chat/completions";
const MODELS: &str = "/v1/models";
const PROMPT: &str = "Review the plans 03-01 and 03-02.\n\nÜber `$HOME` and \"quotes\".\n";
const SHORT: Duration = Duration::from_millis(150);

/// Long waits, so that only the limit that a test sets can pass.
fn limits() -> CallLimits {
    let long = Duration::from_secs(60);
    CallLimits {
        connect: long,
        first_byte: long,
        idle: long,
        total: long,
        probe: long,
        discovery: long,
        pause: Duration::from_millis(5),
        retry_pause: Duration::from_millis(5),
        max_body: 8 << 20,
        max_ratio: 100,
    }
}

/// What one lane knows of its server.
struct Lane {
    destination: Destination,
    probe_path: &'static str,
    access: Access,
    streaming: Streaming,
}

impl Lane {
    fn at(base: &str) -> Self {
        Self {
            destination: Destination::parse(base).unwrap(),
            probe_path: MODELS,
            access: Access::this_machine(),
            streaming: Streaming::Never,
        }
    }

    fn call(&self) -> HttpCall<'_> {
        HttpCall {
            destination: &self.destination,
            path: CHAT,
            probe_path: self.probe_path,
            discovery: ModelDiscovery::FirstFromModelsEndpoint,
            model: Some("m1"),
            fallback_model: Some("fallback"),
            num_ctx: None,
            streaming: self.streaming,
            names: Names {
                model_key: Some("review.models.acme".into()),
                model_source: Some("`review.models.acme` (project)".into()),
                limit_key: Some("review.timeouts.acme".into()),
                limit_source: Some("the lane's manifest".into()),
                lane: "acme".into(),
                phases: PhaseLimits::default(),
            },
            access: self.access.clone(),
        }
    }

    fn review(&self, limits: &CallLimits) -> LaneReport {
        call(&self.call(), None, PROMPT, limits, &Cancel::new(), &mut |_| {})
    }
}

fn well() -> Answer {
    Answer::completion("m1", REVIEW, 20)
}

/// A server with a good probe and these answers.
fn server(answers: Vec<Answer>) -> ModelServer {
    ModelServer::scripted([(MODELS, vec![Answer::models(&["m1"])]), (CHAT, answers)])
}

fn review_of(server: &ModelServer, limits: &CallLimits) -> LaneReport {
    Lane::at(&server.url()).review(limits)
}

/// The report of a lane whose server gives this one answer.
fn answered(answer: Answer) -> LaneReport {
    review_of(&server(vec![answer]), &limits())
}

fn facts(report: &LaneReport) -> (State, Option<Reason>) {
    (report.state, report.reason)
}

fn message(report: &LaneReport) -> &str {
    report.message.as_deref().unwrap_or_default()
}

fn posts(server: &ModelServer) -> Vec<Recorded> {
    server.requests().into_iter().filter(|request| request.method == "POST").collect()
}

fn message_body(message: &str, finish: &str) -> Answer {
    let whole = format!(
        r#"{{"model":"m1","choices":[{{"message":{message},"finish_reason":"{finish}"}}]}}"#
    );
    Answer::json(200, &whole)
}
