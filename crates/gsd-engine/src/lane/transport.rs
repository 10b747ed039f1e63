//! The ways to reach a reviewer: one file for each.

pub mod openai_http;
pub(super) mod spawn;

use std::time::Duration;

/// What a call tells while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It finds out whether the reviewer is there.
    Probing,
    /// The prompt is on its way.
    Started,
    /// It was turned away for want of time, and is asked once more after this wait.
    Pausing { wait: Duration },
    /// What the reviewer has said so far, and for how long it has been silent.
    Output { bytes: u64, silent_for: Duration },
}
