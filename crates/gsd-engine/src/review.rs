//! A review: select lanes, build the prompt, run them, judge what came back, write one report.

mod about;
mod answer;
mod census;
pub mod clusters;
mod commit;
mod complete;
mod echo;
mod event;
pub mod findings;
mod git;
mod inside_project;
mod judge;
mod judged;
mod one_call;
mod prepare;
mod preview;
pub mod prompt;
mod prompts;
pub mod record;
mod redaction;
pub mod report;
mod results;
mod run;
mod run_dir;
#[cfg(test)]
mod sample;
mod schedule;
mod status;
mod work_tree;
mod write;

pub use about::About;
pub use event::{Event, Finished, Planned, PlannedLane};
pub use prepare::{
    Ask, Asked, NotAsked, PrepareError, Prepared, Project, find_phase, open, prepare,
};
pub use preview::{Preview, preview};
pub use run::{Options, Setting, run};
pub use run_dir::{Choice, Keep, RunDir, RunDirError, open as open_run};
pub use status::{LaneStatus, lane_statuses};
pub use write::{ReportPaths, WriteReportError, report_paths, write};
