//! What happened to a program, good or bad: values, never errors.

use super::Captured;
use std::time::Duration;

/// The whole story of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    pub end: End,
    pub stdout: Captured,
    pub stderr: Captured,
    pub stdin_delivered: Delivered,
    /// Another process held stdout or stderr open after the program itself had ended, until the
    /// drain was over.
    pub leaked: bool,
    /// How many processes the program had left running; they were killed.
    pub strays: usize,
    /// From the start until the program and its streams had ended.
    pub elapsed: Duration,
    /// From the start until the first byte on either stream.
    pub first_byte_after: Option<Duration>,
    pub pid: u32,
}

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that did not come from us.
    Signalled(i32),
    /// A limit ran out. `killed`: SIGTERM was not enough.
    TimedOut { phase: Phase, killed: bool },
    /// It wrote more than the cap of its stdout or stderr allows.
    OutputTooLarge,
    /// Somebody raised the flag.
    Cancelled,
}

/// Which limit ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Nothing had been written yet.
    FirstByte,
    /// Nothing was written for too long.
    Idle,
    /// The program as a whole took too long.
    Total,
}

/// How much of its stdin the program took before it ended. What sits in the pipe unread was not
/// taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivered {
    pub taken: u64,
    pub of: u64,
}

impl Delivered {
    /// Whether the program took every byte.
    pub fn all(self) -> bool {
        self.taken == self.of
    }
}

/// A sign of life: at the first byte and at each change of stage, a few times a second while there
/// is output, and once a second while there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub stage: Stage,
    pub pid: u32,
    pub elapsed: Duration,
    /// Bytes so far.
    pub stdout: u64,
    pub stderr: u64,
    /// Since the last byte on either stream, or since the start.
    pub silent_for: Duration,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Running,
    /// It was asked to stop and has its grace.
    Stopping,
    /// The program has ended, its streams have not.
    Draining,
}
