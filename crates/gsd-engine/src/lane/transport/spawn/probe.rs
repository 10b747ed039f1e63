//! Is the program there, and is it the right one?

use super::not_started;
use crate::lane::call::Ready;
use crate::lane::confinement::places;
use crate::lane::plan::{LanePlan, Program, SpawnPlan};
use crate::lane::probe::{MAX_PROBE, Probe};
use crate::lane::report::LaneReport;
use crate::lane::{During, Reason, State};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_io::process::{self, Cap, Command, End, Exit, Limits, LookupError, StartError, Stdin};
use gsd_io::sandbox::Sandbox;
use std::time::Duration;

/// What is kept of a help text.
const MAX_HELP: usize = 256 * 1024;

/// Finds the program, and asks it for its help text where its name alone does not say which
/// program it is.
pub(crate) fn probe(
    plan: &LanePlan,
    call: &SpawnPlan,
    env: &Env,
    root: &Utf8Path,
    cancel: &Cancel,
) -> Result<Ready, Box<LaneReport>> {
    for binary in &plan.requires_binaries {
        find(binary.as_str(), env).map_err(|mut report| {
            report.lacks = Some(binary.to_string());
            report
        })?;
    }
    let program = match &call.program {
        Program::Own => env.own_executable().to_owned(),
        Program::Named(binary) => find(binary.as_str(), env)?,
    };
    match &plan.probe {
        Probe::CommandExists { binary } => {
            if call.program != Program::Own {
                find(binary.as_str(), env)?;
            }
        }
        Probe::CommandCapability { binary, needle, limit } => {
            let asked = find(binary.as_str(), env)?;
            let sandbox = if plan.confinement.restricts() {
                Sandbox::WriteOnly { places: places(plan, root, env).writable }
            } else {
                Sandbox::None
            };
            capability(&asked, needle, *limit, &sandbox, env, root, cancel)?;
        }
        // A server that a program needs is the program's own affair.
        Probe::HttpReachable { .. } => {}
    }
    Ok(Ready::Program(program))
}

fn unavailable(reason: Reason, message: impl Into<String>) -> LaneReport {
    LaneReport::not_called(State::Unavailable, reason, message).during(During::Probe)
}

fn find(name: &str, env: &Env) -> Result<Utf8PathBuf, Box<LaneReport>> {
    process::which(name, env).map_err(|error| {
        let report = match &error {
            LookupError::NotFound { .. } => {
                unavailable(Reason::NotFound, format!("`{name}` is not on PATH"))
                    .remedy("install it, or leave this lane out")
            }
            LookupError::NotExecutable { path } => {
                unavailable(Reason::NotExecutable, error.to_string())
                    .remedy(format!("chmod +x {path}"))
            }
            LookupError::IsADirectory { .. }
            | LookupError::NotAFile { .. }
            | LookupError::DanglingLink { .. }
            | LookupError::Relative { .. } => {
                unavailable(Reason::NotFound, error.to_string()).remedy("mend your PATH")
            }
        };
        Box::new(report)
    })
}

/// The program's help text must speak of what the lane needs.
fn capability(
    program: &Utf8Path,
    needle: &str,
    limit: Duration,
    sandbox: &Sandbox,
    env: &Env,
    root: &Utf8Path,
    cancel: &Cancel,
) -> Result<(), Box<LaneReport>> {
    let limit = limit.min(MAX_PROBE);
    let exit = match help(program, limit, sandbox, env, root, cancel) {
        Ok(exit) => exit,
        Err(error) => return Err(Box::new(not_started(&error).during(During::Probe))),
    };
    match exit.end {
        End::TimedOut { .. } => {
            let message = format!("`{program} --help` gave no answer within {} s", limit.as_secs());
            let report = unavailable(Reason::TimeLimit, message)
                .remedy("try again when the machine is less busy");
            return Err(Box::new(report));
        }
        End::Cancelled => {
            let message = "interrupted while it was probed";
            let report = LaneReport::not_called(State::Cancelled, Reason::Interrupted, message);
            return Err(Box::new(report.during(During::Probe)));
        }
        End::Exited(_) | End::Signalled(_) | End::OutputTooLarge => {}
    }
    if help_text(&exit).contains(needle) {
        return Ok(());
    }
    let message = format!("`{program}` is another program: its help does not mention `{needle}`");
    let report = unavailable(Reason::WrongProgram, message)
        .remedy("put the right program first on your PATH");
    Err(Box::new(report))
}

/// Asks a program for its help text.
pub(super) fn help(
    program: &Utf8Path,
    limit: Duration,
    sandbox: &Sandbox,
    env: &Env,
    root: &Utf8Path,
    cancel: &Cancel,
) -> Result<Exit, StartError> {
    let command = Command {
        program: program.to_owned(),
        args: vec!["--help".to_owned()],
        env: env.child_base(),
        cwd: root.to_owned(),
        stdin: Stdin::Empty,
        sandbox: sandbox.clone(),
    };
    let limits = Limits {
        deadline: limit,
        first_byte: None,
        idle: None,
        grace: Duration::from_millis(200),
        drain: Duration::from_millis(200),
        stdout: Cap::Elide { head: MAX_HELP, tail: 0 },
        stderr: Cap::Elide { head: MAX_HELP, tail: 0 },
    };
    process::run(&command, &limits, cancel, &mut |_| ())
}

/// Both streams: programs do not agree on where help goes.
pub(super) fn help_text(exit: &Exit) -> String {
    let text = |stream: &process::Captured| String::from_utf8_lossy(stream.head()).into_owned();
    format!("{}\n{}", text(&exit.stdout), text(&exit.stderr))
}
