//! Starting a program: everything that can be known beforehand is checked beforehand, so that
//! the error says what to do and not only what the system said.

use super::family::{self, Lane};
use super::feed::Feed;
use super::lookup::{LookupError, check_program};
use super::{Command, TOKEN_VARIABLE};
use crate::sandbox::{self, SandboxError};
use camino::{Utf8Path, Utf8PathBuf};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdout, Stdio};
use std::time::Duration;

/// Why a program did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no such program, or it is not one.
    #[error(transparent)]
    Program(#[from] LookupError),
    #[error("the working directory `{path}` is not a directory")]
    Cwd { path: Utf8PathBuf },
    #[error("{what} has {bytes} bytes; the system takes less than {limit}")]
    ArgumentTooLong { what: TooLong, bytes: u64, limit: u64 },
    #[error("{what} cannot be passed on: it contains a NUL byte or has a malformed name")]
    Malformed { what: TooLong },
    #[error("`{path}` asks for the interpreter `{interpreter}`, which does not exist")]
    NoInterpreter { path: Utf8PathBuf, interpreter: String, source: io::Error },
    #[error("`{path}` is not a program that this system can run")]
    WrongFormat { path: Utf8PathBuf, source: io::Error },
    /// The program was not started, because it would have run without its sandbox.
    #[error("`{path}` was not started")]
    Sandbox { path: Utf8PathBuf, source: SandboxError },
    /// The flag was raised before anything was started.
    #[error("cancelled before `{path}` was started")]
    Cancelled { path: Utf8PathBuf },
    #[error("`{path}` could not be started")]
    Io { path: Utf8PathBuf, source: io::Error },
}

impl StartError {
    /// The system's error number, if the system refused.
    pub fn errno(&self) -> Option<i32> {
        match self {
            Self::NoInterpreter { source, .. }
            | Self::WrongFormat { source, .. }
            | Self::Io { source, .. } => source.raw_os_error(),
            Self::Program(_)
            | Self::Cwd { .. }
            | Self::ArgumentTooLong { .. }
            | Self::Malformed { .. }
            | Self::Sandbox { .. }
            | Self::Cancelled { .. } => None,
        }
    }
}

/// What was too long, or malformed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TooLong {
    /// The argument at this place, counted from 1.
    Argument(usize),
    /// The variable of this name.
    Variable(String),
    /// Arguments and environment together.
    Total,
}

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Argument(place) => write!(f, "argument {place}"),
            Self::Variable(name) => write!(f, "the variable `{name}`"),
            Self::Total => write!(f, "arguments and environment together"),
        }
    }
}

/// A started program with our ends of its streams.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) child: Child,
    pub(super) lane: Lane,
    pub(super) feed: Feed,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

pub(super) fn start(command: &Command) -> Result<Started, StartError> {
    if !command.program.is_absolute() {
        return Err(LookupError::Relative { name: command.program.to_string() }.into());
    }
    check_program(&command.program)?;
    if !command.cwd.is_absolute() || !command.cwd.as_std_path().is_dir() {
        return Err(StartError::Cwd { path: command.cwd.clone() });
    }
    check_lengths(command)?;
    let io = |source| StartError::Io { path: command.program.clone(), source };
    let (feed, stdin) = Feed::new(&command.stdin).map_err(io)?;
    let mut prepared = std::process::Command::new(&command.program);
    prepared
        .args(&command.args)
        .env_clear()
        .envs(command.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&command.cwd)
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    let (mut child, lane) = match sandbox::within(&command.sandbox, || spawn(&mut prepared)) {
        Ok(spawned) => spawned.map_err(|source| explain(&command.program, source))?,
        Err(source) => return Err(StartError::Sandbox { path: command.program.clone(), source }),
    };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let stdout = stdout.expect("stdout was asked for as a pipe");
    let stderr = stderr.expect("stderr was asked for as a pipe");
    Ok(Started { child, lane, feed, stdout, stderr })
}

/// A file that some other process has open for writing cannot be started. The writer is often a
/// child that has just been forked elsewhere in this process and is about to close its copy, so
/// it is worth a few short waits.
fn spawn(prepared: &mut std::process::Command) -> io::Result<(Child, Lane)> {
    const TRIES: u32 = 20;
    let mut tries = 0;
    loop {
        match family::spawn(prepared) {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && tries < TRIES => {
                tries += 1;
                std::thread::sleep(Duration::from_millis(5));
            }
            other => return other,
        }
    }
}

/// The program was there and executable a moment ago: what else do these errors mean?
fn explain(path: &Utf8Path, source: io::Error) -> StartError {
    let path = path.to_owned();
    match source.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
        Some(rustix::io::Errno::TOOBIG) => {
            let (what, limit) = (TooLong::Total, total_limit());
            StartError::ArgumentTooLong { what, bytes: limit, limit }
        }
        Some(rustix::io::Errno::NOEXEC) => StartError::WrongFormat { path, source },
        Some(rustix::io::Errno::NOENT) => match check_program(&path) {
            Err(gone) => StartError::Program(gone),
            Ok(()) => {
                let interpreter = interpreter(&path);
                StartError::NoInterpreter { path, interpreter, source }
            }
        },
        _ => StartError::Io { path, source },
    }
}

/// The program that a `#!` line names; for a binary, the loader of shared libraries.
fn interpreter(path: &Utf8Path) -> String {
    use std::io::Read;
    let mut start = [0; 256];
    let count = crate::fs::open_regular(path, crate::fs::Links::Follow)
        .ok()
        .and_then(|mut file| file.read(&mut start).ok())
        .unwrap_or(0);
    let text = String::from_utf8_lossy(&start[..count]);
    text.strip_prefix("#!")
        .and_then(|rest| rest.lines().next()?.split_whitespace().next())
        .map_or_else(|| "its dynamic loader".to_owned(), str::to_owned)
}

/// Linux takes strings of less than 32 pages each, whatever else there is room for.
const ONE_STRING: Option<u64> = if cfg!(target_os = "linux") { Some(131_072) } else { None };

fn check_lengths(command: &Command) -> Result<(), StartError> {
    let token = family::token_length();
    let mut total = command.program.as_str().len() as u64 + 1;
    let mut strings = 3; // the program's own name and the two terminating null pointers
    let mut check = |what: TooLong, bytes: usize, malformed: bool| {
        if malformed {
            return Err(StartError::Malformed { what });
        }
        let bytes = bytes as u64;
        if let Some(limit) = ONE_STRING.filter(|limit| bytes >= *limit) {
            return Err(StartError::ArgumentTooLong { what, bytes, limit });
        }
        total += bytes + 1;
        strings += 1;
        Ok(())
    };
    check(
        TooLong::Argument(0),
        command.program.as_str().len(),
        command.program.as_str().contains('\0'),
    )?;
    for (place, argument) in command.args.iter().enumerate() {
        check(TooLong::Argument(place + 1), argument.len(), argument.contains('\0'))?;
    }
    for (name, value) in &command.env {
        let malformed = name.is_empty() || name.contains(['=', '\0']) || value.contains('\0');
        check(TooLong::Variable(name.clone()), name.len() + 1 + value.len(), malformed)?;
    }
    check(TooLong::Variable(TOKEN_VARIABLE.to_owned()), token, false)?;
    // Each string also costs a pointer.
    let (bytes, limit) = (total + strings * 8, total_limit());
    if bytes >= limit {
        return Err(StartError::ArgumentTooLong { what: TooLong::Total, bytes, limit });
    }
    Ok(())
}

/// How many bytes of arguments and environment a new program may get.
fn total_limit() -> u64 {
    // A quarter of the stack, at least 128 KiB, at most three quarters of 8 MiB.
    #[cfg(target_os = "linux")]
    return rustix::process::getrlimit(rustix::process::Resource::Stack)
        .current
        .map_or(6 << 20, |stack| (stack / 4).clamp(128 << 10, 6 << 20));
    #[cfg(not(target_os = "linux"))]
    return (1 << 20) - 4096;
}
