//! What a review tells while it runs. The CLI chooses the words.

use super::record;
use crate::lane::{Reason, State};
use serde_json::{Value, json};
use std::time::Duration;

/// Events come in one order, on one thread. `lane` is an index into [`Planned::lanes`].
#[derive(Debug, Clone)]
pub enum Event {
    Planned(Planned),
    Started {
        lane: usize,
    },
    /// A sign of life: what the lane has written, and for how long it has been silent.
    Output {
        lane: usize,
        bytes: u64,
        silent_for: Duration,
    },
    /// It is rate limited, and is asked once more after this wait.
    Pausing {
        lane: usize,
        wait: Duration,
    },
    Finished {
        lane: usize,
        result: Finished,
    },
}

impl Event {
    /// The event as one object of the log of a run.
    pub fn to_json(&self, at: &str) -> Value {
        let ms = |duration: &Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        match self {
            Self::Planned(planned) => json!({
                "at": at,
                "event": "planned",
                "phase": planned.phase,
                "plans": planned.plans,
                "prompt_bytes": planned.prompt_bytes,
                "lanes": planned.lanes.iter().map(|lane| &lane.identity).collect::<Vec<_>>(),
            }),
            Self::Started { lane } => json!({ "at": at, "event": "started", "lane": lane }),
            Self::Output { lane, bytes, silent_for } => json!({
                "at": at,
                "event": "output",
                "lane": lane,
                "bytes": bytes,
                "silent_ms": ms(silent_for),
            }),
            Self::Pausing { lane, wait } => json!({
                "at": at,
                "event": "pausing",
                "lane": lane,
                "wait_ms": ms(wait),
            }),
            Self::Finished { lane, result } => json!({
                "at": at,
                "event": "finished",
                "lane": lane,
                "state": result.state,
                "reason": result.reason,
                "message": result.message,
                "elapsed_ms": ms(&result.elapsed),
            }),
        }
    }
}

/// What is going to happen.
#[derive(Debug, Clone)]
pub struct Planned {
    pub phase: record::Phase,
    pub plans: usize,
    /// Plans that are there and cannot be read, each with the reason; not among `plans`.
    pub unreadable_plans: Vec<String>,
    pub prompt_bytes: u64,
    pub prompt_tokens: u64,
    pub lanes: Vec<PlannedLane>,
}

/// A lane before it runs.
#[derive(Debug, Clone)]
pub struct PlannedLane {
    pub identity: String,
    pub limit: Duration,
    /// Whether it will be called; otherwise its `Finished` follows at once.
    pub asked: bool,
}

/// A lane after it ran, as far as a table shows it.
#[derive(Debug, Clone)]
pub struct Finished {
    pub state: State,
    pub reason: Option<Reason>,
    pub message: Option<String>,
    pub remedy: Option<String>,
    pub elapsed: Duration,
    /// Plans covered, of how many; `None` where no answer was judged.
    pub covered: Option<(usize, usize)>,
    /// Concerns: high, medium, low.
    pub concerns: [usize; 3],
}
