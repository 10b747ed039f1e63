//! A review: select lanes, build the prompt, run them, judge what came back, write one report.

mod census;
mod event;
mod judge;
pub mod prompt;
pub mod record;
mod schedule;

pub use event::{Event, Finished, Planned, PlannedLane};
