//! A review: select lanes, build the prompt, run them, judge what came back, write one report.

pub mod prompt;
pub mod record;
