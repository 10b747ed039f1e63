//! A review: select lanes, build the prompt, run them, judge what came back, write one report.

mod about;
mod answer;
mod breaks_off;
mod census;
pub mod clusters;
mod commit;
mod complete;
pub mod contract;
mod converge;
mod echo;
mod event;
pub mod findings;
mod git;
mod inside_project;
mod invoke;
mod judge;
mod judged;
mod merge;
mod one_call;
mod planner;
mod prepare;
mod prepare_apart;
mod prepared_run;
mod preview;
pub mod prompt;
pub mod prompt_budget;
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
mod trim;
mod unread;
mod work_tree;
mod write;

pub use about::About;
pub use converge::{Bounds, Convergence, Decision, Open, PlanNow, converge};
pub use event::{Event, Finished, Planned, PlannedLane};
pub use inside_project::sweep_project;
pub use invoke::{Invocation, InvokeError, InvokeSetting, Invoked, invoke};
pub use merge::{MergeError, merge, phase_path, prepared_in};
pub use prepare::{
    Ask, Asked, NotAsked, PrepareError, Prepared, Project, find_phase, open, prepare,
};
pub use prepare_apart::{PrepareApartError, prepare_apart};
pub use prepared_run::{PreparedAsk, PreparedRun, PreparedRunError};
pub use preview::{Preview, preview, preview_lane};
pub use run::{Options, Setting, run};
pub use run_dir::{Choice, Keep, RunDir, RunDirError, open as open_run};
pub use status::{LaneStatus, lane_statuses};
pub use unread::unread_findings;
pub use write::{ReportPaths, WriteReportError, report_paths, write};
