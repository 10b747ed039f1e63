//! A reviewer that is a program: is it there, what it is given, what its end means.
//!
//! The child sees an environment of its own, the root as working directory, and nothing of ours
//! but the prompt. Its exit status decides: text of a program that failed is kept as partial and
//! never counts.

mod child;
mod ending;
mod image;
mod probe;
mod setup;

pub(crate) use probe::probe;

use super::Progress;
use crate::lane::call::CallContext;
use crate::lane::descriptor::{Handler, PromptChannel};
use crate::lane::handler::antigravity::{self, Watermark};
use crate::lane::plan::{LanePlan, PlannedOutput, Program, SpawnPlan, fill};
use crate::lane::report::{Delivery, LaneReport, OutputSizes};
use crate::lane::{During, Reason, State, vendor};
use crate::text::clean;
use camino::Utf8Path;
use ending::Log;
use gsd_io::lock::{self, Lock, LockError, Owner};
use gsd_io::process::{self, Cap, Command, End, Exit, Limits, LookupError, StartError, Stdin};
use gsd_io::sandbox::Sandbox;
use gsd_io::{clock, fs};
use image::Image;
use std::time::{Duration, Instant};

/// A review has at most this many bytes.
const MAX_REVIEW: usize = 4 * 1024 * 1024;
/// A stream of events holds more than the review that it carries.
const MAX_EVENTS: usize = 16 * 1024 * 1024;
/// How long a program may take to print its help text.
const HELP_LIMIT: Duration = Duration::from_secs(5);
/// What the record keeps of standard error.
const STDERR_TAIL: usize = 4 * 1024;

/// A program that could not be started.
fn not_started(error: &StartError) -> LaneReport {
    let text = match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    let (state, reason) = match error {
        StartError::Program(LookupError::NotExecutable { .. }) => {
            (State::Unavailable, Reason::NotExecutable)
        }
        StartError::Program(_) => (State::Unavailable, Reason::NotFound),
        StartError::Cancelled { .. } => (State::Cancelled, Reason::Interrupted),
        StartError::Sandbox { .. } => (State::Blocked, Reason::Policy),
        StartError::ArgumentTooLong { .. } | StartError::Malformed { .. } => {
            (State::Failed, Reason::TooLarge)
        }
        StartError::Cwd { .. }
        | StartError::NoInterpreter { .. }
        | StartError::WrongFormat { .. }
        | StartError::Io { .. } => (State::Failed, Reason::Transport),
    };
    let report = LaneReport::not_called(state, reason, text).during(During::Start);
    match error {
        StartError::ArgumentTooLong { .. } => {
            report.remedy("shorten the plans, or ask a lane that reads its prompt from stdin")
        }
        StartError::NoInterpreter { .. } | StartError::WrongFormat { .. } => {
            report.remedy("install the program again")
        }
        StartError::Program(_)
        | StartError::Cwd { .. }
        | StartError::Sandbox { .. }
        | StartError::Malformed { .. }
        | StartError::Cancelled { .. }
        | StartError::Io { .. } => report,
    }
}

/// Runs the program and says what its end means.
pub(crate) fn call(
    plan: &LanePlan,
    call: &SpawnPlan,
    program: &Utf8Path,
    prompt: &str,
    context: &CallContext<'_>,
    progress: &dyn Fn(Progress),
) -> LaneReport {
    if plan.is_given_prompt() && prompt.trim().is_empty() {
        // An empty prompt would cost a call and prove nothing.
        return LaneReport::not_called(State::Failed, Reason::Other, "there is no prompt to send")
            .during(During::Start);
    }
    if let Err(error) = child::lay_out(plan, call, prompt) {
        return LaneReport::not_called(State::Failed, Reason::Transport, error.to_string())
            .during(During::Start);
    }
    let confined = match child::confine(plan, call, context) {
        Ok(confined) => confined,
        Err(error) => {
            return LaneReport::not_called(State::Blocked, Reason::Policy, error.to_string())
                .during(During::Start);
        }
    };
    let sandbox = &confined.sandbox;
    let started = (clock::now(), clock::since_epoch());
    let deadline = started.0 + context.limit;
    let variables = child::environment(plan, call, &confined, context);
    let opened = Image::open(program);
    let run = || {
        setup::run(call, program, &variables, sandbox, context, deadline)
            .and_then(|captured| Ok((captured, Recall::begin(plan, context, deadline)?)))
            .and_then(|(captured, recall)| {
                let args = fill(&call.args, prompt, &captured);
                let args = recall.arguments(args, program, sandbox, context);
                let command = Command {
                    program: program.to_owned(),
                    args,
                    env: variables,
                    cwd: context.root.to_owned(),
                    stdin: stdin(call, prompt),
                    sandbox: sandbox.clone(),
                };
                let limits = limits(plan, call, deadline);
                let mut tell = |now: process::Progress| {
                    let bytes = now.stdout + now.stderr;
                    progress(Progress::Output { bytes, silent_for: now.silent_for });
                };
                let exit = process::run(&command, &limits, context.cancel, &mut tell)
                    .map_err(|error| Box::new(not_started(&error)))?;
                keep(plan, &exit);
                let mut answer = ending::Answer::of(plan, call, &exit, started.1);
                recall.complete(&exit, &mut answer);
                Ok(judge(plan, call, prompt, &exit, answer, context))
            })
            .unwrap_or_else(|report| *report)
    };
    // Its digest is made while it runs: that of a large program would be a wait of its own.
    let (mut report, digest) = std::thread::scope(|scope| {
        let digest = scope.spawn(|| opened?.digest());
        (run(), digest.join().ok().flatten())
    });
    report.destination = Some(program.to_string());
    report.program_sha256 = digest;
    report.model_requested = plan.model.as_ref().map(|model| model.value.clone());
    report.model_source = plan.model.as_ref().map(|model| model.source.to_string());
    report
}

fn stdin(call: &SpawnPlan, prompt: &str) -> Stdin {
    match call.prompt {
        PromptChannel::Stdin => Stdin::Bytes(prompt.as_bytes().into()),
        PromptChannel::Argv
        | PromptChannel::ArgvFileRef
        | PromptChannel::ArgvInline
        | PromptChannel::None => Stdin::Empty,
    }
}

fn limits(plan: &LanePlan, call: &SpawnPlan, deadline: Instant) -> Limits {
    Limits {
        deadline: deadline.saturating_duration_since(clock::now()),
        first_byte: plan.phases.first_byte.as_ref().map(|limit| limit.value),
        idle: plan.phases.idle.as_ref().map(|limit| limit.value),
        grace: child::GRACE,
        drain: child::DRAIN,
        stdout: match (&call.output, plan.handler) {
            (PlannedOutput::File(_), _) => Cap::log(),
            (PlannedOutput::Stdout, Some(Handler::Opencode)) => Cap::Stop { max: MAX_EVENTS },
            (
                PlannedOutput::Stdout,
                Some(Handler::Antigravity | Handler::OpenaiCompatible) | None,
            ) => Cap::Stop { max: MAX_REVIEW },
        },
        stderr: Cap::log(),
    }
}

/// What a program's own records can add to its output, for programs that keep some.
struct Recall {
    mark: Option<Watermark>,
    /// Held during the call: two calls would take each other's answers.
    _lock: Option<Lock>,
}

impl Recall {
    fn begin(
        plan: &LanePlan,
        context: &CallContext<'_>,
        deadline: Instant,
    ) -> Result<Self, Box<LaneReport>> {
        let home = match plan.handler {
            Some(Handler::Antigravity) => context.env.home(),
            Some(Handler::Opencode | Handler::OpenaiCompatible) | None => None,
        };
        let Some(home) = home else { return Ok(Self { mark: None, _lock: None }) };
        let lock = Self::lock(plan, context, deadline)?;
        let mark = Watermark::take(home, context.root, clock::since_epoch());
        Ok(Self { mark: Some(mark), _lock: lock })
    }

    /// Without a place for the lock the call is made all the same: it is the rarer harm.
    fn lock(
        plan: &LanePlan,
        context: &CallContext<'_>,
        deadline: Instant,
    ) -> Result<Option<Lock>, Box<LaneReport>> {
        let Some(folder) = context.env.state_home().map(|state| state.join("gsd/locks")) else {
            return Ok(None);
        };
        if fs::create_private_dir_all(&folder).is_err() {
            return Ok(None);
        }
        let path = folder.join(format!("{}.lock", plan.slug));
        let owner = Owner::this_process(&format!("review by {}", plan.identity));
        let ended = |state, reason, message: String| {
            Box::new(LaneReport::not_called(state, reason, message).during(During::Setup))
        };
        match lock::lock_until(&path, &owner, deadline, context.cancel) {
            Ok(lock) => Ok(Some(lock)),
            Err(error @ LockError::Held { .. }) => Err(ended(
                State::TimedOut,
                Reason::TimeLimit,
                format!("it waited for a turn: {error}"),
            )),
            Err(LockError::Cancelled { .. }) => {
                Err(ended(State::Cancelled, Reason::Interrupted, "interrupted".to_owned()))
            }
            Err(LockError::NotAFile { .. } | LockError::Io { .. }) => Ok(None),
        }
    }

    fn arguments(
        &self,
        args: Vec<String>,
        program: &Utf8Path,
        sandbox: &Sandbox,
        context: &CallContext<'_>,
    ) -> Vec<String> {
        if self.mark.is_none() {
            return args;
        }
        match probe::help(program, HELP_LIMIT, sandbox, context.env, context.root, context.cancel) {
            Ok(exit) => antigravity::with_root(args, &probe::help_text(&exit), context.root),
            Err(_) => args,
        }
    }

    /// Looks for an answer where the output holds none. A program that failed has none there,
    /// whatever it printed.
    fn complete(&self, exit: &Exit, answer: &mut ending::Answer) {
        let (Some(mark), End::Exited(code)) = (&self.mark, exit.end) else { return };
        if code == 0 && !answer.text.trim().is_empty() {
            return;
        }
        match mark.answer_since() {
            Some(text) => {
                let cleaned = clean(text.as_bytes());
                answer.bytes = text.len() as u64;
                answer.text = cleaned.text;
                answer.recalled = true;
                answer.warnings.push(format!(
                    "the review was taken from its transcript, since it ended with exit status \
                     {code} and printed none"
                ));
            }
            None if code == 0 => answer.diagnosis = Some(mark.diagnosis()),
            None => {}
        }
    }
}

/// Keeps what came, byte for byte, in the run folder. A run does not depend on it.
fn keep(plan: &LanePlan, exit: &Exit) {
    let _ = fs::write_private(&plan.artefacts.raw, &exit.stdout.evidence());
    let _ = fs::write_private(&plan.artefacts.stderr, &exit.stderr.evidence());
}

fn judge(
    plan: &LanePlan,
    call: &SpawnPlan,
    prompt: &str,
    exit: &Exit,
    answer: ending::Answer,
    context: &CallContext<'_>,
) -> LaneReport {
    let stderr = clean(&exit.stderr.evidence()).text;
    let program = match &call.program {
        Program::Own => "gsd",
        Program::Named(binary) => binary.as_str(),
    };
    let ended = ending::of(plan, call, exit, &answer, &Log { text: &stderr, prompt }, context);
    let (exit_status, signal) = match exit.end {
        End::Exited(code) => (Some(code), None),
        End::Signalled(number) => (None, Some(number)),
        End::TimedOut { .. } | End::OutputTooLarge | End::Cancelled => (None, None),
    };
    let mut warnings = answer.warnings;
    if exit.leaked {
        warnings
            .push("a process that it left behind held its output open and was ended".to_owned());
    }
    if answer.replacements > 0 {
        warnings.push(format!("{} invalid characters were replaced", answer.replacements));
    }
    let noise = vendor::kept_from_reading(&stderr, prompt);
    if let Some(line) = &noise {
        warnings.push(format!("its sandbox kept it from reading files: {line}"));
    }
    let blind = noise.is_some()
        || plan.handler == Some(Handler::Antigravity)
            && antigravity::worked_in_scratch(&answer.text);
    LaneReport {
        state: ended.state,
        reason: ended.reason,
        during: ended.during,
        message: ended.message,
        remedy: ended.remedy.or_else(|| vendor::remedy(ended.reason?, program)),
        text: answer.text,
        delivery: match call.prompt {
            PromptChannel::None => Delivery::NotAsked,
            PromptChannel::Stdin => {
                Delivery::Sent { taken: exit.stdin_delivered.taken, of: exit.stdin_delivered.of }
            }
            PromptChannel::ArgvInline if call.passes_text(prompt) => {
                Delivery::Sent { taken: prompt.len() as u64, of: prompt.len() as u64 }
            }
            PromptChannel::ArgvInline | PromptChannel::Argv | PromptChannel::ArgvFileRef => {
                Delivery::ByReference
            }
        },
        sizes: OutputSizes { output: answer.bytes, stderr: exit.stderr.total() },
        stderr: ending::tail(&stderr, STDERR_TAIL),
        exit_status,
        signal,
        http_status: None,
        model_requested: None,
        model_source: None,
        model_served: None,
        blind,
        prompt_tokens: None,
        destination: None,
        program_sha256: None,
        first_byte: exit.first_byte_after,
        elapsed: exit.elapsed,
        warnings,
        lacks: None,
    }
}
