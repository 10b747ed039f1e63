//! The steps before a review: each bounded, each in the same world as the review itself.

use super::child::{DRAIN, GRACE};
use super::not_started;
use crate::lane::call::CallContext;
use crate::lane::plan::{Captured, PlannedStep, SpawnPlan, fill};
use crate::lane::report::LaneReport;
use crate::lane::{During, Reason, State, vendor};
use crate::text::clean;
use camino::Utf8Path;
use gsd_io::clock;
use gsd_io::process::{self, Cap, Command, End, Exit, Limits, Stdin};
use gsd_io::sandbox::Sandbox;
use std::time::Instant;

/// Runs the declared steps in order, with the program, the environment and the confinement of the review. What they
/// print may be needed by later arguments.
pub(super) fn run(
    call: &SpawnPlan,
    program: &Utf8Path,
    variables: &[(String, String)],
    sandbox: &Sandbox,
    context: &CallContext<'_>,
    deadline: Instant,
) -> Result<Captured, Box<LaneReport>> {
    let mut captured = Captured::new();
    for step in &call.setup {
        let args = fill(&step.args, "", &captured);
        let name = args.first().cloned().unwrap_or_default();
        let command = Command {
            program: program.to_owned(),
            args,
            env: variables.to_vec(),
            cwd: context.root.to_owned(),
            stdin: Stdin::Empty,
            sandbox: sandbox.clone(),
        };
        let left = deadline.saturating_duration_since(clock::now());
        let limits = Limits {
            deadline: left.min(step.limit),
            first_byte: None,
            idle: None,
            grace: GRACE,
            drain: DRAIN,
            stdout: Cap::log(),
            stderr: Cap::log(),
        };
        let exit = process::run(&command, &limits, context.cancel, &mut |_| ())
            .map_err(|error| Box::new(not_started(&error).during(During::Setup)))?;
        if let Some(report) = failure(&name, step, &exit) {
            return Err(Box::new(report.during(During::Setup)));
        }
        let Some(capture) = &step.capture else { continue };
        let Some(value) = capture.find(&text(&exit.stdout)) else {
            let message =
                format!("`{name}` did not print the `{}` that the review needs", capture.name);
            let report = LaneReport::not_called(State::Failed, Reason::OutputMissing, message);
            return Err(Box::new(report.during(During::Setup)));
        };
        captured.insert(capture.name.clone(), value);
    }
    Ok(captured)
}

fn text(stream: &process::Captured) -> String {
    clean(&stream.evidence()).text
}

/// Why the review is not begun after a step.
fn failure(name: &str, step: &PlannedStep, exit: &Exit) -> Option<LaneReport> {
    let report = LaneReport::not_called;
    Some(match exit.end {
        End::Exited(0) => return None,
        End::Exited(code) => {
            let said = vendor::last_words(&text(&exit.stderr), "")
                .or(vendor::last_words(&text(&exit.stdout), ""));
            let message = format!("`{name}` ended with exit status {code}{}", said.words());
            report(State::Failed, said.reason.unwrap_or(Reason::ExitStatus), message)
        }
        End::Signalled(number) => {
            report(State::Failed, Reason::Signal, format!("a signal ended `{name}` ({number})"))
        }
        End::TimedOut { .. } => {
            let seconds = exit.elapsed.min(step.limit).as_secs();
            let message = format!("`{name}`, which comes before the review, took over {seconds} s");
            report(State::TimedOut, Reason::TimeLimit, message)
        }
        End::OutputTooLarge => {
            report(State::Failed, Reason::TooLarge, format!("`{name}` printed too much"))
        }
        End::Cancelled => report(State::Cancelled, Reason::Interrupted, "interrupted".to_owned()),
    })
}
