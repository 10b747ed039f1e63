//! What a lane that is a server must withstand: one row for each server.

use super::fake::REVIEW;
use super::{Act, Case, Kind, Seen};
use crate::lane::descriptor::HttpInvoke;
use crate::lane::{Reason, State};
use gsd_io::http::stand_in::{Reply, StandIn};
use serde_json::json;

/// What the server does when it is asked for a review; it lists its models in any case, if it is
/// there at all.
#[derive(Debug, Clone)]
pub(super) enum Behaviour {
    /// Answers with this status and body.
    Body(u16, &'static str, String),
    /// Sends the caller to another server.
    Redirect,
    /// Begins to answer and falls silent.
    Stall,
    /// Nobody is there.
    Gone,
}

/// A server, and one that nobody may ask.
pub(super) struct Pair {
    asked: StandIn,
    other: StandIn,
    gone: bool,
}

impl Pair {
    pub(super) fn start(behaviour: &Behaviour) -> std::io::Result<Self> {
        let other = StandIn::start(|_| Reply::new(200, "application/json", b"{}"))?;
        let behaviour = behaviour.clone();
        let gone = matches!(behaviour, Behaviour::Gone);
        let elsewhere = other.url();
        let asked = StandIn::start(move |line| {
            if line.starts_with("GET ") {
                let models = json!({ "data": [{ "id": "trial-model" }] }).to_string();
                return Reply::new(200, "application/json", models.as_bytes());
            }
            match &behaviour {
                Behaviour::Body(status, kind, body) => Reply::new(*status, kind, body.as_bytes()),
                Behaviour::Redirect => Reply::redirect(&elsewhere),
                Behaviour::Stall | Behaviour::Gone => Reply::stall(b"{\"model\":\"trial-model\","),
            }
        })?;
        Ok(Self { asked, other, gone })
    }

    pub(super) fn url(&self) -> String {
        // Nothing listens at the first port.
        if self.gone { "http://127.0.0.1:1".to_owned() } else { self.asked.url() }
    }

    /// How often the server was asked that nobody may ask.
    pub(super) fn strays(&self) -> usize {
        self.other.requests()
    }
}

/// Every case, the friendly one first.
pub(super) fn cases(invoke: &HttpInvoke) -> Vec<Case> {
    let _ = invoke;
    let answer = |content: serde_json::Value, reason: &str, model: &str| {
        json!({
            "model": model,
            "choices": [{
                "message": { "role": "assistant", "content": content },
                "finish_reason": reason,
            }],
        })
        .to_string()
    };
    let body =
        |status, body: String| Act::Server(Behaviour::Body(status, "application/json", body));
    let good = answer(json!(REVIEW), "stop", "trial-model");
    let hostile = |name, does, act, state, reason| Case {
        kind: Kind::Hostile,
        ..Case::new(name, does, act, state, Some(reason))
    };
    let parts = json!([{ "type": "text", "text": REVIEW }]);
    vec![
        Case::new("answers", "answers", body(200, good.clone()), State::Reviewed, None),
        Case::new(
            "parts",
            "answers in parts",
            body(200, answer(parts, "stop", "trial-model")),
            State::Reviewed,
            None,
        ),
        hostile(
            "gone",
            "is not there",
            Act::Server(Behaviour::Gone),
            State::Unavailable,
            Reason::Unreachable,
        ),
        Case {
            also: |seen: &Seen<'_>| {
                (seen.strays > 0).then(|| "the prompt went to another server".to_owned())
            },
            ..hostile(
                "redirect",
                "sends the prompt to another server",
                Act::Server(Behaviour::Redirect),
                State::Blocked,
                Reason::Redirect,
            )
        },
        hostile(
            "error-in-200",
            "says 200 and an error",
            body(200, json!({ "error": { "message": "the upstream failed" } }).to_string()),
            State::Failed,
            Reason::VendorError,
        ),
        Case {
            kind: Kind::Hostile,
            others: &[(State::Failed, Reason::VendorError), (State::Failed, Reason::Transport)],
            ..Case::new(
                "error-with-review",
                "says 500 and a review",
                body(500, good),
                State::Failed,
                Some(Reason::VendorError),
            )
        },
        hostile(
            "empty",
            "answers with nothing",
            body(200, answer(json!(""), "stop", "trial-model")),
            State::Empty,
            Reason::Blank,
        ),
        hostile(
            "cut",
            "stops at its limit of length",
            body(200, answer(json!(REVIEW), "length", "trial-model")),
            State::Incomplete,
            Reason::Truncated,
        ),
        Case {
            kind: Kind::Hostile,
            also: |seen: &Seen<'_>| {
                let told = seen.lane.warnings.iter().any(|warning| warning.contains("model"));
                (!told).then(|| "nobody was told that another model answered".to_owned())
            },
            ..Case::new(
                "other-model",
                "lets another model answer",
                body(200, answer(json!(REVIEW), "stop", "quite-another")),
                State::Reviewed,
                None,
            )
        },
        Case {
            others: &[(State::Failed, Reason::Auth), (State::Failed, Reason::VendorError)],
            ..hostile(
                "page",
                "answers with a page",
                Act::Server(Behaviour::Body(
                    200,
                    "text/html",
                    "<!doctype html><title>Sign in</title>".to_owned(),
                )),
                State::Failed,
                Reason::Transport,
            )
        },
        hostile(
            "stall",
            "begins to answer and falls silent",
            Act::Server(Behaviour::Stall),
            State::TimedOut,
            Reason::TimeLimit,
        ),
        hostile(
            "flood",
            "answers with 40 MB",
            body(200, answer(json!("x".repeat(40_000_000)), "stop", "trial-model")),
            State::Failed,
            Reason::TooLarge,
        ),
    ]
}
