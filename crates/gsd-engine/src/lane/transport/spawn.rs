//! A reviewer that is a program: is it there, what it is given, what its end means.
//!
//! The child sees an environment of its own, the root as working directory, and nothing of ours
//! but the prompt. Its exit status decides: text of a program that failed is kept as partial and
//! never counts.

mod ending;
mod probe;

pub(crate) use probe::probe;

use super::Progress;
use crate::lane::call::CallContext;
use crate::lane::descriptor::{Handler, PromptChannel};
use crate::lane::plan::{LanePlan, PlannedOutput, Program, SpawnPlan};
use crate::lane::report::{Delivery, LaneReport, OutputSizes};
use crate::lane::vendor;
use crate::lane::{During, Reason, State};
use crate::text::clean;
use camino::Utf8Path;
use gsd_io::fs;
use gsd_io::process::{self, Cap, Command, End, Exit, Limits, LookupError, StartError, Stdin};
use std::time::Duration;

/// A review has at most this many bytes.
const MAX_REVIEW: usize = 4 * 1024 * 1024;
/// A stream of events holds more than the review that it carries.
const MAX_EVENTS: usize = 16 * 1024 * 1024;
const GRACE: Duration = Duration::from_secs(5);
const DRAIN: Duration = Duration::from_secs(2);
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
        StartError::ArgumentTooLong { .. } | StartError::Malformed { .. } => {
            (State::Failed, Reason::TooLarge)
        }
        StartError::Cwd { .. }
        | StartError::NoInterpreter { .. }
        | StartError::WrongFormat { .. }
        | StartError::Io { .. } => (State::Failed, Reason::Transport),
    };
    LaneReport::not_called(state, reason, text).during(During::Start)
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
    if let Err(error) = lay_out(plan, call, prompt) {
        return LaneReport::not_called(State::Failed, Reason::Transport, error.to_string())
            .during(During::Start);
    }
    let stdin = match call.prompt {
        PromptChannel::Stdin => Stdin::Bytes(prompt.as_bytes().into()),
        PromptChannel::Argv
        | PromptChannel::ArgvFileRef
        | PromptChannel::ArgvInline
        | PromptChannel::None => Stdin::Empty,
    };
    let command = Command {
        program: program.to_owned(),
        args: call.argv(prompt),
        env: environment(call, context),
        cwd: context.root.to_owned(),
        stdin,
    };
    let limits = Limits {
        deadline: context.limit,
        first_byte: None,
        idle: None,
        grace: GRACE,
        drain: DRAIN,
        stdout: match (&call.output, plan.handler) {
            (PlannedOutput::File(_), _) => Cap::log(),
            (PlannedOutput::Stdout, Some(Handler::Opencode)) => Cap::Stop { max: MAX_EVENTS },
            (
                PlannedOutput::Stdout,
                Some(Handler::Antigravity | Handler::OpenaiCompatible) | None,
            ) => Cap::Stop { max: MAX_REVIEW },
        },
        stderr: Cap::log(),
    };
    let mut tell = |now: process::Progress| {
        progress(Progress::Output { bytes: now.stdout + now.stderr, silent_for: now.silent_for });
    };
    let mut report = match process::run(&command, &limits, context.cancel, &mut tell) {
        Ok(exit) => {
            keep(plan, &exit);
            judge(plan, call, prompt, &exit, context)
        }
        Err(error) => not_started(&error),
    };
    report.destination = Some(program.to_string());
    report.model_requested = plan.model.as_ref().map(|model| model.value.clone());
    report
}

/// Writes the files that the program will open, and clears the place of the one it will write.
fn lay_out(plan: &LanePlan, call: &SpawnPlan, prompt: &str) -> Result<(), fs::WriteError> {
    let referred = plan.is_given_prompt() && !call.passes_text(prompt);
    if referred {
        fs::write_private(&call.prompt_path, prompt.as_bytes())?;
    }
    for (path, text) in &call.files {
        fs::write_private(path, text.as_bytes())?;
    }
    // What an earlier call left must never be taken for this one's.
    if let PlannedOutput::File(path) = &call.output {
        fs::remove_file(path)?;
    }
    Ok(())
}

fn environment(call: &SpawnPlan, context: &CallContext<'_>) -> Vec<(String, String)> {
    let mut variables = context.env.child_base();
    for name in &call.env {
        if let Some(value) = context.env.var(name.as_str()) {
            variables.push((name.as_str().to_owned(), value.to_owned()));
        }
    }
    for (name, value) in &call.set_env {
        variables.push((name.as_str().to_owned(), value.clone()));
    }
    let told = [
        ("GSD_REVIEW_ROOT", context.root),
        ("GSD_REVIEW_PHASE_DIR", context.phase_dir),
        ("GSD_REVIEW_RUN_DIR", context.run_dir),
    ];
    variables.extend(told.map(|(name, path)| (name.to_owned(), path.to_string())));
    variables
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
    context: &CallContext<'_>,
) -> LaneReport {
    let answer = ending::Answer::of(plan, call, exit);
    let stderr = clean(&exit.stderr.evidence()).text;
    let program = match &call.program {
        Program::Own => "gsd",
        Program::Named(binary) => binary.as_str(),
    };
    let ended = ending::of(plan, call, exit, &answer, &stderr, context);
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
        model_served: None,
        prompt_tokens: None,
        destination: None,
        first_byte: exit.first_byte_after,
        elapsed: exit.elapsed,
        warnings,
    }
}
