//! Foreign programs: started with a whole environment of their own, watched, bounded and never
//! left behind.
//!
//! Invariants:
//! - Every wait has a deadline, every stream a cap, and the caller says which: [`Limits`] has no
//!   default.
//! - A child leads its own process group. On Linux this process is a child subreaper, each child
//!   carries a token in its environment and a brand in its limits, and all that descends from it,
//!   in whatever session, is killed and reaped before [`run`] returns.
//! - The leader is not reaped before its group was killed, so a signal never reaches a process
//!   that happens to have got the same number.
//! - One loop over `poll` per child and no helper threads: nothing can be left blocked on a pipe
//!   that a stray process holds open.

#[cfg(target_os = "linux")]
mod brand;
mod capture;
mod exit;
#[cfg_attr(not(target_os = "linux"), path = "family_portable.rs")]
mod family;
mod feed;
#[cfg_attr(not(target_os = "linux"), path = "guard_portable.rs")]
pub mod guard;
#[cfg(target_os = "linux")]
mod hunt;
mod lookup;
#[cfg(target_os = "linux")]
mod procfs;
mod start;
mod supervise;
mod watch;

pub use capture::{Cap, Captured, EVIDENCE};
pub use exit::{Delivered, End, Exit, Phase, Progress, Stage};
pub use family::{Swept, TOKEN_VARIABLE, sweep};
pub use lookup::{LookupError, check_program, which};
pub use start::{StartError, TooLong};

use crate::cancel::Cancel;
use crate::sandbox::Sandbox;
use camino::Utf8PathBuf;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A program, exactly as it is started: nothing is looked up, expanded or inherited.
#[derive(Clone)]
pub struct Command {
    /// Absolute. What [`which`] found is what is started.
    pub program: Utf8PathBuf,
    /// The arguments after the program's own name.
    pub args: Vec<String>,
    /// The whole environment of the child; of two values for a name the later one holds.
    pub env: Vec<(String, String)>,
    /// Absolute; must be a directory.
    pub cwd: Utf8PathBuf,
    pub stdin: Stdin,
    /// What it may write to; holds for everything that it starts as well.
    pub sandbox: Sandbox,
}

/// What the child reads.
#[derive(Clone, PartialEq, Eq)]
pub enum Stdin {
    /// End of file at once.
    Empty,
    /// These bytes, then end of file.
    Bytes(Arc<[u8]>),
}

/// How long and how much. There is no default: the caller knows what it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// From the start to the end of the program.
    pub deadline: Duration,
    /// Until the first byte on either stream, if that is limited.
    pub first_byte: Option<Duration>,
    /// Without a byte on either stream, if that is limited; counts from the start.
    pub idle: Option<Duration>,
    /// Between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// After the program ended, for streams that another process still holds open.
    pub drain: Duration,
    pub stdout: Cap,
    pub stderr: Cap,
}

/// Environment values and stdin may hold secrets and are never shown.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("env", &self.env.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("cwd", &self.cwd)
            .field("stdin", &self.stdin)
            .field("sandbox", &self.sandbox)
            .finish()
    }
}

impl fmt::Debug for Stdin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("Empty"),
            Self::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
        }
    }
}

/// Starts the program and waits for its end, whatever end that is. When this returns, nothing
/// that the program started is running any more.
pub fn run(
    command: &Command,
    limits: &Limits,
    cancel: &Cancel,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Exit, StartError> {
    supervise::run(command, limits, cancel, on_progress)
}
