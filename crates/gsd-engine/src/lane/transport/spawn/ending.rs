//! What the end of a program means.

use super::{MAX_EVENTS, MAX_REVIEW};
use crate::lane::call::CallContext;
use crate::lane::descriptor::Handler;
use crate::lane::handler::opencode;
use crate::lane::plan::{LanePlan, PlannedOutput, SpawnPlan};
use crate::lane::vendor;
use crate::lane::{During, Reason, State};
use crate::text::{clean, printable};
use camino::Utf8Path;
use gsd_io::fs::{self, Kind, Links, ReadError};
use gsd_io::process::{End, Exit, Phase};

/// The text that a call brought, before its end is judged.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) bytes: u64,
    pub(super) replacements: usize,
    /// Why the place of the answer holds none that may be used.
    pub(super) unusable: Option<(State, Reason, String)>,
    /// The stream of events ended before its last one.
    pub(super) truncated: bool,
    pub(super) warnings: Vec<String>,
}

impl Answer {
    pub(super) fn of(plan: &LanePlan, call: &SpawnPlan, exit: &Exit) -> Self {
        let (bytes, total, unusable) = match &call.output {
            PlannedOutput::Stdout => {
                (exit.stdout.evidence().into_owned(), exit.stdout.total(), None)
            }
            PlannedOutput::File(path) => match read_output(path) {
                Ok(bytes) => {
                    let total = bytes.len() as u64;
                    (bytes, total, None)
                }
                Err(why) => (vec![], 0, Some(why)),
            },
        };
        if plan.handler == Some(Handler::Opencode) {
            let stream = opencode::read(&bytes);
            let cleaned = clean(stream.text.as_bytes());
            return Self {
                text: cleaned.text,
                bytes: total,
                replacements: cleaned.replacements,
                unusable: stream.failure.map(|(reason, message)| (State::Failed, reason, message)),
                truncated: stream.truncated,
                warnings: stream.warnings,
            };
        }
        let cleaned = clean(&bytes);
        Self {
            text: cleaned.text,
            bytes: total,
            replacements: cleaned.replacements,
            unusable,
            truncated: false,
            warnings: vec![],
        }
    }
}

/// Reads the file that the program was to write: a regular one, never through a link.
fn read_output(path: &Utf8Path) -> Result<Vec<u8>, (State, Reason, String)> {
    match fs::kind(path) {
        None => {
            let message = "it wrote no answer file".to_owned();
            return Err((State::Empty, Reason::OutputMissing, message));
        }
        Some(Kind::File { .. }) => {}
        Some(Kind::Link | Kind::Directory | Kind::Special) => {
            let message = format!("the answer file `{path}` is not a regular file");
            return Err((State::Failed, Reason::OutputUnsafe, message));
        }
    }
    match fs::read_bounded(path, MAX_REVIEW as u64, Links::Refuse) {
        Ok(bytes) if clean(&bytes).text.trim().is_empty() => {
            Err((State::Empty, Reason::OutputMissing, "its answer file is empty".to_owned()))
        }
        Ok(bytes) => Ok(bytes),
        Err(error @ ReadError::TooLarge { .. }) => {
            Err((State::Failed, Reason::TooLarge, error.to_string()))
        }
        Err(error) => Err((State::Failed, Reason::OutputUnsafe, error.to_string())),
    }
}

/// How a call ended, for the report.
pub(super) struct Ended {
    pub(super) state: State,
    pub(super) reason: Option<Reason>,
    pub(super) during: Option<During>,
    pub(super) message: Option<String>,
    pub(super) remedy: Option<String>,
}

impl Ended {
    fn new(state: State, reason: Reason, during: During, message: impl Into<String>) -> Self {
        Self {
            state,
            reason: Some(reason),
            during: Some(during),
            message: Some(message.into()),
            remedy: None,
        }
    }

    fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

pub(super) fn of(
    plan: &LanePlan,
    call: &SpawnPlan,
    exit: &Exit,
    answer: &Answer,
    stderr: &str,
    context: &CallContext<'_>,
) -> Ended {
    let code = match exit.end {
        End::Exited(code) => code,
        End::Cancelled => {
            return Ended::new(State::Cancelled, Reason::Interrupted, During::Total, "interrupted");
        }
        End::TimedOut { phase, .. } => return timed_out(plan, phase, context),
        End::OutputTooLarge => {
            let limit =
                if plan.handler == Some(Handler::Opencode) { MAX_EVENTS } else { MAX_REVIEW };
            let message = format!("it printed more than {} MB and was ended", limit / 1024 / 1024);
            return Ended::new(State::Failed, Reason::TooLarge, During::Total, message);
        }
        End::Signalled(number) => {
            let message = format!("a signal ended it ({number}){}", said(stderr));
            return Ended::new(State::Failed, Reason::Signal, During::Total, message);
        }
    };
    if code != 0 && !call.accept_exit.contains(&code) {
        let short = if answer.text.len() <= 2000 { answer.text.as_str() } else { "" };
        let reason =
            vendor::cause(stderr).or_else(|| vendor::cause(short)).unwrap_or(Reason::ExitStatus);
        let words = if stderr.trim().is_empty() { said(short) } else { said(stderr) };
        return Ended::new(
            State::Failed,
            reason,
            During::Total,
            format!("it ended with exit status {code}{words}"),
        );
    }
    if let Some((state, reason, message)) = &answer.unusable {
        let message = format!("{message}{}", said(stderr));
        return Ended::new(*state, *reason, During::Total, message);
    }
    let text = answer.text.trim();
    if text.is_empty() || vendor::is_only_status(text) {
        if let Some(reason) = vendor::cause(stderr) {
            let message = format!("it ended with exit status {code} and no review{}", said(stderr));
            return Ended::new(State::Failed, reason, During::Total, message);
        }
        let cause =
            if stderr.trim().is_empty() { " and gave no cause".to_owned() } else { said(stderr) };
        let message = format!("it ended with exit status {code} and no text{cause}");
        return Ended::new(State::Empty, Reason::Blank, During::Total, message)
            .remedy("run it by hand in this folder to see what it needs");
    }
    if let Some(reason) = vendor::instead_of_review(text) {
        let message = format!("it printed an error instead of a review{}", said(text));
        return Ended::new(State::Failed, reason, During::Total, message);
    }
    if answer.truncated {
        let message = "its stream of events ended before its last one";
        return Ended::new(State::Incomplete, Reason::Truncated, During::Total, message);
    }
    Ended { state: State::Reviewed, reason: None, during: None, message: None, remedy: None }
}

fn timed_out(plan: &LanePlan, phase: Phase, context: &CallContext<'_>) -> Ended {
    let (during, waited) = match phase {
        Phase::FirstByte => (During::FirstByte, "for its first output"),
        Phase::Idle => (During::Idle, "for more output"),
        Phase::Total => (During::Total, "for its end"),
    };
    let seconds = context.limit.as_secs_f64();
    let own = plan.time_limit.value <= context.limit;
    let source = if own { plan.time_limit.source.to_string() } else { "`--deadline`".to_owned() };
    let message = format!("timed out after {seconds:.0} s {waited} (limit from {source})");
    let slug = plan.identity.as_str();
    let remedy = match &plan.timeout_key {
        Some(key) => format!("raise it with `--lane-timeout {slug}=…` or `{key}` (seconds)"),
        None => format!("raise it with `--lane-timeout {slug}=…`"),
    };
    Ended::new(State::TimedOut, Reason::TimeLimit, during, message).remedy(remedy)
}

/// The last words of a text, for a message: `: …`, or nothing.
fn said(text: &str) -> String {
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    last.map_or(String::new(), |line| format!(": {}", printable(line, 200)))
}

/// The end of a text, from the start of a line.
pub(super) fn tail(text: &str, max: usize) -> String {
    let text = text.trim_end();
    if text.len() <= max {
        return text.to_owned();
    }
    let mut start = text.len() - max;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let start = text[start..].find('\n').map_or(start, |line| start + line + 1);
    format!("…\n{}", &text[start..])
}
