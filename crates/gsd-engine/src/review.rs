//! A review: select lanes, build the prompt, run them, judge what came back, write one report.

mod census;
mod judge;
pub mod prompt;
pub mod record;
mod schedule;
