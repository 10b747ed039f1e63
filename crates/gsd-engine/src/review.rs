//! A review: select lanes, build the prompt, run them, judge what came back, write one report.

mod census;
pub mod clusters;
mod event;
pub mod findings;
mod judge;
pub mod prompt;
pub mod record;
#[cfg(test)]
mod sample;
mod schedule;

pub use event::{Event, Finished, Planned, PlannedLane};
