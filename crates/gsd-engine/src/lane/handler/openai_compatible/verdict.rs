//! What an exchange with a server means for the lane: pure, an exchange in, a report or the wish
//! to try again out.

use super::Streaming;
use super::body::{Answer, Completion, Finish, Foreign, ProviderError, parse};
use super::models::{Models, same};
use crate::lane::{Delivery, During, LaneReport, OutputSizes, Reason, State};
use crate::text::secrets::redact;
use crate::text::{clean, printable};
use gsd_io::http::{Cap, End, Exchange, Partial, Phase, Redirect, Response, TooLarge};
use std::time::Duration;

/// How much of a body that is no review is kept.
const EXCERPT: usize = 16 * 1024;

/// What was asked, as far as the answer is judged by it.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// Scheme, host and port.
    pub origin: String,
    pub path: &'a str,
    pub model: &'a str,
    /// The key that chooses the model, for a remedy.
    pub model_key: Option<&'a str>,
    /// Bytes of the prompt.
    pub prompt: u64,
    /// The key that was sent; servers repeat it in their errors.
    pub secret: Option<&'a str>,
    /// The models that the server listed.
    pub models: &'a Models,
}

/// Whether the same request may do better in a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    No,
    /// The server still reads its model: until the time is over.
    WhileLoading,
    /// It has no time for us: once, after this pause if it named one.
    Busy(Option<Duration>),
    /// It may not know streams: once, without.
    Unstreamed,
}

/// Whether to try again after this end.
pub fn again(end: &End, streaming: Streaming) -> Again {
    let End::Response(response) = end else { return Again::No };
    let error = match parse(&response.body) {
        Answer::Error(error) => error,
        Answer::Completion(_) | Answer::Foreign(_) => ProviderError::default(),
    };
    match response.status {
        503 if is_loading(&response.body) => Again::WhileLoading,
        429 | 503 | 529 if reason_of(response.status, &error) != Reason::Quota => {
            Again::Busy(response.retry_after)
        }
        400 | 422
            if streaming == Streaming::Asked
                && !is_about_size(&error)
                && !is_about_model(&error) =>
        {
            Again::Unstreamed
        }
        _ => Again::No,
    }
}

/// Whether a server says, in whatever shape, that it still reads its model.
fn is_loading(body: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&body[..body.len().min(4096)]).to_ascii_lowercase();
    start.contains("loading model") || start.contains("model is loading")
}

/// The report of the exchange in which the prompt was sent.
pub fn report(exchange: &Exchange, asked: &Asked<'_>) -> LaneReport {
    let mut report = match &exchange.end {
        End::Response(response) => responded(response, asked),
        End::Redirect(redirect) => redirected(redirect, asked),
        End::TimedOut { phase, limit, partial } => timed_out(*phase, *limit, partial, asked),
        End::TooLarge(large) => too_large(large, asked),
        End::Unreachable(why) => failed(Reason::Unreachable, format!("{}: {why}", asked.origin)),
        End::Broken { fault, partial } => {
            let broken = failed(Reason::Transport, format!("the answer is unusable: {fault}"));
            with_partial(broken, partial, asked)
        }
        End::Cancelled { partial } => {
            let ended =
                LaneReport::not_called(State::Cancelled, Reason::Interrupted, "interrupted");
            with_partial(ended, partial, asked)
        }
    };
    // A whole answer means a whole request: it is sent first.
    let taken = match &exchange.end {
        End::Response(_) | End::Redirect(_) | End::TooLarge(_) => asked.prompt,
        End::TimedOut { partial, .. }
        | End::Broken { partial, .. }
        | End::Cancelled { partial } => match partial {
            Partial::Body { .. } => asked.prompt,
            Partial::Nothing | Partial::Head(_) => exchange.sent.min(asked.prompt),
        },
        End::Unreachable(_) => 0,
    };
    report.delivery = match taken {
        0 => Delivery::NotSent,
        taken => Delivery::Sent { taken, of: asked.prompt },
    };
    report.sizes = OutputSizes { output: exchange.received, stderr: 0 };
    report.model_requested = Some(asked.model.to_owned());
    report.destination = Some(asked.origin.clone());
    report.first_byte = exchange.first_byte_after;
    report
}

fn failed(reason: Reason, message: String) -> LaneReport {
    LaneReport::not_called(State::Failed, reason, message)
}

fn responded(response: &Response, asked: &Asked<'_>) -> LaneReport {
    let good = (200..300).contains(&response.status);
    let answer = parse(&response.body);
    let mut report = match answer {
        Answer::Completion(answer) if good => completed(answer, asked),
        Answer::Error(error) => refused(response.status, &error, asked),
        Answer::Foreign(foreign) if good => foreign_body(foreign, response),
        Answer::Completion(_) | Answer::Foreign(_) => {
            refused(response.status, &ProviderError::default(), asked)
        }
    };
    report.http_status = Some(response.status);
    if !report.state.counts() {
        report.stderr = excerpt(&response.body, asked);
    }
    report
}

fn completed(answer: Completion, asked: &Asked<'_>) -> LaneReport {
    let (state, reason, message) = if answer.text.trim().is_empty() {
        (State::Empty, Some(Reason::Blank), Some(why_blank(&answer)))
    } else if answer.finish.is_early() {
        let message = format!("the model stopped early (finish reason: {})", answer.finish.word());
        (State::Incomplete, Some(Reason::Truncated), Some(message))
    } else {
        (State::Reviewed, None, None)
    };
    let mut report = failed(Reason::Other, String::new());
    (report.state, report.reason, report.message) = (state, reason, message);
    if answer.finish == Finish::Length {
        let window = "give the model a larger context window and more output tokens in its server \
                      (for Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx in a Modelfile)";
        report.remedy = Some(window.to_owned());
    }
    if let Some(served) = &answer.model
        && !same(served, asked.model)
    {
        let (wanted, served) = (printable(asked.model, 200), printable(served, 200));
        report.warnings.push(format!("`{wanted}` was asked for, `{served}` answered"));
    }
    report.text = answer.text;
    report.model_served = answer.model;
    report.prompt_tokens = answer.prompt_tokens;
    report
}

/// Why a completion has no text, as far as its other parts show it.
fn why_blank(answer: &Completion) -> String {
    let mut facts = vec![];
    if !answer.chosen {
        facts.push("it has no choice".to_owned());
    } else {
        facts.push(format!("finish reason: {}", answer.finish.word()));
    }
    if answer.thought > 0 {
        facts.push(format!("{} bytes of thinking and nothing after it", answer.thought));
    }
    if answer.tool_calls {
        facts.push("it calls tools that were not offered".to_owned());
    }
    if let Some(refusal) = &answer.refusal {
        facts.push(format!("the model refused: {refusal}"));
    }
    if let Some(tokens) = answer.prompt_tokens {
        facts.push(format!("{tokens} tokens of the prompt were read"));
    }
    format!("the answer has no text ({})", facts.join("; "))
}

/// A success that holds something else.
fn foreign_body(foreign: Foreign, response: &Response) -> LaneReport {
    let kind = printable(response.content_type.split(';').next().unwrap_or_default().trim(), 60);
    let kind = if kind.is_empty() { "no content type".to_owned() } else { format!("`{kind}`") };
    let status = response.status;
    match foreign {
        Foreign::Blank => {
            let message = format!("the server answered {status} with an empty body");
            LaneReport::not_called(State::Empty, Reason::Blank, message)
        }
        Foreign::Html => {
            let message = format!("the server answered {status} with a web page ({kind})");
            failed(Reason::Transport, message)
                .remedy("a proxy's or gateway's page: check the address and the way to it")
        }
        Foreign::NotJson => {
            let message =
                format!("the server answered {status} with a body that is not JSON ({kind})");
            failed(Reason::Transport, message)
        }
        Foreign::OtherShape => {
            let message = format!("the server answered {status} with JSON that is no completion");
            failed(Reason::Transport, message)
                .remedy("check that the address is one of a chat completions server")
        }
    }
}

/// An answer that says it is none.
fn refused(status: u16, error: &ProviderError, asked: &Asked<'_>) -> LaneReport {
    let reason = reason_of(status, error);
    let inside = if (200..300).contains(&status) { " with an error" } else { "" };
    let mut message = format!("the server answered {status}{inside}");
    if !error.message.is_empty() {
        message.push_str(": ");
        message.push_str(&scrub(&error.message, asked));
    }
    if let Some((prompt, window)) = error.context {
        message.push_str(&format!(" (the prompt has {prompt} tokens, the context {window})"));
    }
    let mut report = failed(reason, message);
    report.text.clone_from(&error.partial);
    let key = asked.model_key.unwrap_or("the lane's model key");
    report.remedy = match reason {
        Reason::Auth => Some("check the key that the server asks for".to_owned()),
        Reason::Quota => Some("the account is used up; wait, or pay".to_owned()),
        Reason::RateLimited => Some("wait a moment and run the lane again".to_owned()),
        Reason::Model if asked.models.listed.is_empty() => Some(format!(
            "load the model in the server (Ollama: `ollama pull {}`), or set `{key}`",
            printable(asked.model, 100)
        )),
        Reason::Model => Some(format!(
            "set `{key}` to one of {}, or load the model in the server (Ollama: `ollama pull {}`)",
            asked.models.some(),
            printable(asked.model, 100)
        )),
        _ if is_about_size(error) => Some(
            "give the model a larger context window in its server, or the lane a prompt budget"
                .to_owned(),
        ),
        _ if status == 404 => {
            Some(format!("the server has no `{}`: check the address", asked.path))
        }
        _ => None,
    };
    report
}

/// The word for an error, from its status and its own words.
fn reason_of(status: u16, error: &ProviderError) -> Reason {
    let words = words(error);
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    if says(&["insufficient_quota", "quota", "credit balance", "billing", "insufficient balance"]) {
        Reason::Quota
    } else if is_about_size(error) {
        Reason::VendorError
    } else if matches!(status, 401 | 403) || says(&["api key", "api_key", "unauthorized"]) {
        Reason::Auth
    } else if status == 402 {
        Reason::Quota
    } else if status == 429 || says(&["rate limit", "rate_limit", "too many requests"]) {
        Reason::RateLimited
    } else if is_about_model(error) {
        Reason::Model
    } else {
        Reason::VendorError
    }
}

fn words(error: &ProviderError) -> String {
    format!("{} {}", error.message, error.kind).to_ascii_lowercase()
}

fn is_about_model(error: &ProviderError) -> bool {
    let words = words(error);
    let missing = ["not found", "not_found", "does not exist", "not loaded", "unknown model"];
    words.contains("no models loaded")
        || words.contains("model_not_found")
        || (words.contains("model") && missing.iter().any(|part| words.contains(part)))
}

fn is_about_size(error: &ProviderError) -> bool {
    let words = words(error);
    let too_much = ["exceed", "too long", "too large", "maximum", "length", "window"];
    error.context.is_some()
        || words.contains("context_length")
        || (words.contains("context") && too_much.iter().any(|part| words.contains(part)))
}

fn redirected(redirect: &Redirect, asked: &Asked<'_>) -> LaneReport {
    let target = match &redirect.target {
        Some(url) => format!("to {}", url.origin()),
        None => "without saying where to".to_owned(),
    };
    let message =
        format!("{} redirects {target} ({}); it was not followed", asked.origin, redirect.status);
    let mut report = LaneReport::not_called(State::Blocked, Reason::Redirect, message);
    report.http_status = Some(redirect.status);
    report.remedy("if that is the right server, configure its address itself")
}

fn timed_out(phase: Phase, limit: Duration, partial: &Partial, asked: &Asked<'_>) -> LaneReport {
    let (during, what) = match phase {
        Phase::Connect => (During::Start, "no connection"),
        Phase::FirstByte => (During::FirstByte, "no byte of an answer"),
        Phase::Idle | Phase::Pace => (During::Idle, "no further byte of the answer"),
        Phase::Total => (During::Total, "no whole answer"),
    };
    let message = format!("{what} within {}", seconds(limit));
    let report = LaneReport::not_called(State::TimedOut, Reason::TimeLimit, message).during(during);
    with_partial(report, partial, asked)
}

fn too_large(large: &TooLarge, asked: &Asked<'_>) -> LaneReport {
    let message = match large.cap {
        Cap::Head => format!("the head of the answer has more than {} bytes", large.limit),
        Cap::Compressed => format!("the answer has more than {} bytes", large.limit),
        Cap::Decoded => format!("the answer unpacks to more than {} bytes", large.limit),
        Cap::Ratio => format!("the answer unpacks to more than {} times its size", large.limit),
    };
    with_partial(failed(Reason::TooLarge, message), &large.partial, asked)
}

/// Adds what came before the end: its text where there is one, else its bytes as evidence.
fn with_partial(mut report: LaneReport, partial: &Partial, asked: &Asked<'_>) -> LaneReport {
    if let Partial::Body { status, bytes, .. } = partial {
        report.http_status = Some(*status);
        if let Answer::Completion(answer) = parse(bytes) {
            report.text = answer.text;
            report.model_served = answer.model;
        }
    }
    report.stderr = excerpt(partial.bytes(), asked);
    report
}

/// The start of a body for the record: bounded, harmless, without secrets.
pub fn excerpt(body: &[u8], asked: &Asked<'_>) -> String {
    let cleaned = clean(&body[..body.len().min(EXCERPT)]);
    scrub(cleaned.text.trim(), asked)
}

fn scrub(text: &str, asked: &Asked<'_>) -> String {
    redact(text, asked.secret.as_slice()).0
}

/// A duration for people: `250 ms`, `2 s`, `1.5 s`.
pub fn seconds(time: Duration) -> String {
    let millis = time.as_millis();
    match (millis / 1000, millis % 1000) {
        (0, _) => format!("{millis} ms"),
        (whole, 0) => format!("{whole} s"),
        (whole, rest) => format!("{whole}.{} s", rest / 100),
    }
}
