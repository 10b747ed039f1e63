//! What the end of a program means.

use super::{MAX_EVENTS, MAX_REVIEW};
use crate::lane::call::CallContext;
use crate::lane::descriptor::Handler;
use crate::lane::handler::opencode;
use crate::lane::plan::{LanePlan, PlannedOutput, SpawnPlan};
use crate::lane::settings::Sourced;
use crate::lane::vendor;
use crate::lane::{During, Reason, State};
use crate::text::clean;
use camino::Utf8Path;
use gsd_io::fs::{self, Kind, Links, ReadError};
use gsd_io::process::{End, Exit, Phase};
use std::time::Duration;

/// The text that a call brought, before its end is judged.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) bytes: u64,
    pub(super) replacements: usize,
    /// Why the place of the answer holds none that may be used.
    pub(super) unusable: Option<(State, Reason, String)>,
    /// The stream of events ended before its last one.
    pub(super) truncated: bool,
    /// The text was not printed; the program's own records hold it.
    pub(super) recalled: bool,
    /// Why there is no text, where the program's own records say so.
    pub(super) diagnosis: Option<String>,
    pub(super) warnings: Vec<String>,
}

impl Answer {
    /// `started` is the time of the call's start, since the epoch.
    pub(super) fn of(plan: &LanePlan, call: &SpawnPlan, exit: &Exit, started: Duration) -> Self {
        let (bytes, total, unusable) = match &call.output {
            PlannedOutput::Stdout => {
                (exit.stdout.evidence().into_owned(), exit.stdout.total(), None)
            }
            PlannedOutput::File(path) => match read_output(path, started) {
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
                recalled: false,
                diagnosis: None,
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
            recalled: false,
            diagnosis: None,
            warnings: vec![],
        }
    }
}

/// Clocks of file systems are coarse.
const CLOCK_SLACK: Duration = Duration::from_secs(2);

/// Reads the file that the program was to write: a regular one, never through a link.
fn read_output(path: &Utf8Path, started: Duration) -> Result<Vec<u8>, (State, Reason, String)> {
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
    // A file of an earlier day can be moved into place; it is no answer to this prompt.
    if fs::modified(path).is_none_or(|modified| modified + CLOCK_SLACK < started) {
        let message = format!("the answer file `{path}` is older than the call");
        return Err((State::Failed, Reason::OutputUnsafe, message));
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

/// What a program wrote about its work, and the prompt that it may have repeated there.
pub(super) struct Log<'a> {
    pub(super) text: &'a str,
    pub(super) prompt: &'a str,
}

pub(super) fn of(
    plan: &LanePlan,
    call: &SpawnPlan,
    exit: &Exit,
    answer: &Answer,
    log: &Log<'_>,
    context: &CallContext<'_>,
) -> Ended {
    let said = vendor::last_words(log.text, log.prompt);
    let words = said.words();
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
            let message = format!("a signal ended it ({number}){words}");
            return Ended::new(State::Failed, Reason::Signal, During::Total, message);
        }
    };
    if code != 0 && !call.accept_exit.contains(&code) && !answer.recalled {
        let short = if answer.text.len() <= 2000 { answer.text.as_str() } else { "" };
        // Some programs complain on stdout.
        let said = said.or(vendor::last_words(short, log.prompt));
        // Others in their stream of events, which says it best.
        let (reason, words) = match &answer.unusable {
            Some((State::Failed, reason, message)) if plan.handler == Some(Handler::Opencode) => {
                (*reason, format!("; {message}"))
            }
            Some(_) | None => (said.reason.unwrap_or(Reason::ExitStatus), said.words()),
        };
        let message = format!("it ended with exit status {code}{words}");
        return Ended::new(State::Failed, reason, During::Total, message);
    }
    if let Some((state, reason, message)) = &answer.unusable {
        let message = format!("{message}{words}");
        return Ended::new(*state, *reason, During::Total, message);
    }
    let text = answer.text.trim();
    if text.is_empty() || vendor::is_only_status(text) {
        if let Some(diagnosis) = &answer.diagnosis {
            let reason = vendor::cause(diagnosis).or(said.reason).unwrap_or(Reason::Blank);
            return Ended::new(State::Empty, reason, During::Total, format!("{diagnosis}{words}"));
        }
        if let Some(reason) = said.reason {
            let message = format!("it ended with exit status {code} and no review{words}");
            return Ended::new(State::Failed, reason, During::Total, message);
        }
        let cause = if words.is_empty() { " and gave no cause".to_owned() } else { words };
        let message = format!("it ended with exit status {code} and no text{cause}");
        return Ended::new(State::Empty, Reason::Blank, During::Total, message)
            .remedy("run it by hand in this folder to see what it needs");
    }
    if let Some(reason) = vendor::instead_of_review(text) {
        let line = vendor::last_words(text, "").line.unwrap_or_default();
        let message = format!("it printed an error instead of a review: {line}");
        return Ended::new(State::Failed, reason, During::Total, message);
    }
    if answer.truncated {
        let message = "its stream of events ended before its last one";
        return Ended::new(State::Incomplete, Reason::Truncated, During::Total, message);
    }
    Ended { state: State::Reviewed, reason: None, during: None, message: None, remedy: None }
}

fn timed_out(plan: &LanePlan, phase: Phase, context: &CallContext<'_>) -> Ended {
    let whole = (context.limit, plan.time_limit.source.clone());
    let of = |own: &Option<Sourced<Duration>>| match own {
        Some(limit) => (limit.value, limit.source.clone()),
        None => whole.clone(),
    };
    let (during, (limit, source)) = match phase {
        Phase::FirstByte => (During::FirstByte, of(&plan.phases.first_byte)),
        Phase::Idle => (During::Idle, of(&plan.phases.idle)),
        Phase::Total => (During::Total, whole.clone()),
    };
    let own = during != During::Total || plan.time_limit.value <= context.limit;
    let source = if own { source.to_string() } else { "`--deadline`".to_owned() };
    let seconds = format!("{:.0} s", limit.as_secs_f64());
    let what = match phase {
        Phase::FirstByte => format!("wrote nothing within its first {seconds}"),
        Phase::Idle => format!("wrote nothing more for {seconds}"),
        Phase::Total => format!("did not end within its {seconds}"),
    };
    let message = format!("{what} (limit from {source})");
    let slug = plan.identity.as_str();
    let remedy = match (during, &plan.timeout_key) {
        (During::FirstByte, _) => {
            format!("raise `review.first_byte_timeouts.{}` (seconds)", plan.slug)
        }
        (During::Idle, _) => format!("raise `review.idle_timeouts.{}` (seconds)", plan.slug),
        (_, Some(key)) => format!("raise it with `--lane-timeout {slug}=…` or `{key}` (seconds)"),
        (_, None) => format!("raise it with `--lane-timeout {slug}=…`"),
    };
    Ended::new(State::TimedOut, Reason::TimeLimit, during, message).remedy(remedy)
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
