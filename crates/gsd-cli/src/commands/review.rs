//! `gsd review`: the main job, and what looks at its results.

mod converge;
mod merge;
pub(super) mod plan;
mod prepare;
mod render;
mod run;
mod show;
mod trust;
mod trust_host;

use super::{Context, Outcome};
use crate::args::{ReviewArgs, ReviewCommand, SelectionArgs};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::ui::Ui;
use gsd_engine::id::RelPath;
use gsd_engine::lane::selection::{Missing, Remark, RemarkKind};
use gsd_engine::planning::{PhaseError, PlanningError};
use gsd_engine::review::{Ask, PrepareError, RunDirError};
use serde_json::json;
use std::time::Duration;

pub(super) fn run(ui: &Ui, context: &Context, args: ReviewArgs) -> Outcome {
    match args.command {
        None => run::run(ui, context, &args.run),
        Some(ReviewCommand::Plan(args)) => {
            super::lane::plan::run(ui, context, &args, super::lane::plan::About::Review)
        }
        Some(ReviewCommand::Invoke(args)) => super::lane::invoke::run(ui, context, &args),
        Some(ReviewCommand::Prepare(args)) => prepare::run(ui, context, &args),
        Some(ReviewCommand::Merge(args)) => merge::run(ui, context, &args),
        Some(ReviewCommand::Converge(args)) => converge::run(ui, context, &args),
        Some(ReviewCommand::Show(args)) => show::run(ui, context, &args),
        Some(ReviewCommand::Render(args)) => render::run(ui, context, &args),
        Some(ReviewCommand::TrustHost(args)) => trust_host::run(ui, context, &args),
        Some(ReviewCommand::Trust(args)) => trust::run(ui, context, &args),
    }
}

/// What the options ask for.
fn ask<'a>(
    context: &Context,
    selection: &SelectionArgs,
    missing: Missing,
    lane_timeouts: &'a [(String, Duration)],
) -> Ask<'a> {
    let trimmed = |names: &[String]| -> Vec<String> {
        names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    };
    let mut named = context.flagged.clone();
    named.extend(trimmed(&selection.lanes));
    Ask { named, all: selection.all, exclude: trimmed(&selection.exclude), missing, lane_timeouts }
}

/// Why a phase could not be opened, as people and scripts see it.
pub(super) fn phase_error(error: &PrepareError) -> CommandError {
    let from = |status, code| CommandError::from_error(status, code, error);
    let paths =
        |paths: &[RelPath]| -> Vec<String> { paths.iter().map(ToString::to_string).collect() };
    match error {
        PrepareError::Planning(error) | PrepareError::Phase(PhaseError::Planning(error)) => {
            planning_error(error)
        }
        PrepareError::Phase(PhaseError::Ambiguous { matches, .. }) => {
            from(ExitStatus::Usage, "phase-ambiguous")
                .hint(format!("name one by its path: {}", paths(matches).join(", ")))
                .detail("matches", paths(matches))
        }
        PrepareError::Phase(PhaseError::NoCurrent { known }) => {
            from(ExitStatus::Usage, "phase-not-told")
                .hint(if known.is_empty() {
                    "there is no phase yet; make `.planning/phases/01-NAME/01-01-PLAN.md`"
                        .to_owned()
                } else {
                    format!("say which with `--phase`: {}", known.join(", "))
                })
                .detail("known", known.clone())
        }
        PrepareError::Phase(PhaseError::Unknown { known, nearest, archived, planned, .. }) => {
            let hint = match (archived.as_slice(), planned, nearest) {
                ([one, ..], _, _) => {
                    format!("it is archived; name it by its path: `--phase {one}`")
                }
                ([], Some(planned), _) => {
                    format!("the roadmap plans it as `{planned}`; its directory is not there yet")
                }
                ([], None, Some(near)) => format!("did you mean `--phase {near}`?"),
                ([], None, None) if known.is_empty() => {
                    "there is no phase directory yet".to_owned()
                }
                ([], None, None) => format!("known are {}", known.join(", ")),
            };
            from(ExitStatus::Unknown, "phase-unknown").hint(hint).detail("known", known.clone())
        }
        PrepareError::Phase(PhaseError::Malformed { .. }) => {
            from(ExitStatus::Usage, "phase-malformed")
        }
        PrepareError::Phase(PhaseError::LinkOut { .. }) => {
            from(ExitStatus::Unknown, "phase-outside")
                .hint("put the directory itself in its place, or name its project with `-C DIR`")
        }
        PrepareError::Phase(PhaseError::NotAPhase { .. } | PhaseError::OutsideRoot { .. }) => {
            from(ExitStatus::Unknown, "phase-unknown")
                .hint("give a directory below `.planning/phases`")
        }
        PrepareError::Approvals(error) => trust::hosts_error(error),
        PrepareError::NoPlans { unreadable, .. } => {
            from(ExitStatus::Unknown, "no-plans").hint(if unreadable.is_empty() {
                "plans are files such as `03-01-PLAN.md` in the phase directory"
            } else {
                "plans are regular files in UTF-8 inside the project"
            })
        }
    }
}

fn planning_error(error: &PlanningError) -> CommandError {
    let from = |status, code| CommandError::from_error(status, code, error);
    match error {
        PlanningError::Missing { .. } => from(ExitStatus::Unknown, "no-planning")
            .hint("go to a project that has a `.planning` folder, or name it with `-C DIR`"),
        PlanningError::UnknownWorkstream { known, .. } => {
            from(ExitStatus::Unknown, "workstream-unknown")
                .hint(format!("known are {}", known.join(", ")))
        }
        PlanningError::NotADirectory { .. }
        | PlanningError::OutsideRoot { .. }
        | PlanningError::Unreadable { .. } => from(ExitStatus::Unknown, "planning-unreadable")
            .hint("`.planning` must be a readable folder inside the project"),
    }
}

/// Shows what was remarked about a selection.
fn remarks(ui: &Ui, remarks: &[Remark], warn: bool) {
    for remark in remarks {
        let help = remark.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        let text = format!("{}{help}", remark.message);
        if warn {
            ui.warn(text);
        } else if ui.verbose {
            ui.say(text);
        }
    }
}

/// Stops before any prompt leaves where a lane that was asked for by name cannot run.
fn refuse(errors: &[Remark]) -> CommandError {
    let unknown = errors.iter().any(|remark| remark.kind == RemarkKind::Unknown);
    let setting = errors.iter().any(|remark| remark.kind == RemarkKind::Setting);
    let placed = |remark: &Remark| match &remark.at {
        Some(at) => {
            let position = at.position();
            let file = at.file.name();
            format!("{file}:{}:{}: {}", position.line, position.column, remark.message)
        }
        None => remark.message.clone(),
    };
    let first = errors.first().map_or("there is no lane to ask".to_owned(), placed);
    let (status, code) = if unknown || setting {
        (ExitStatus::Usage, "selection")
    } else {
        (ExitStatus::LaneCouldNotRun, "lane-could-not-run")
    };
    let mut error = CommandError::new(status, code, first);
    for remark in errors.iter().skip(1) {
        error.causes.push(placed(remark));
    }
    if let Some(help) = errors.iter().find_map(|remark| remark.help.clone()) {
        error = error.hint(help);
    } else if status == ExitStatus::LaneCouldNotRun {
        error = error.hint(
            "`gsd lane list` shows which lanes are here; `--only-available` goes on without the others",
        );
    }
    let list: Vec<_> = errors
        .iter()
        .map(|remark| json!({ "subject": remark.subject, "kind": remark.kind.word(), "message": remark.message }))
        .collect();
    error.detail("errors", list)
}

/// Why there is no folder for a run.
pub(super) fn run_dir_error(error: &RunDirError) -> CommandError {
    let from = |status, code| CommandError::from_error(status, code, error);
    match error {
        RunDirError::Busy(_) => {
            from(ExitStatus::Busy, "busy").hint("wait until it is done, or stop it with Ctrl-C")
        }
        RunDirError::NothingToResume => {
            from(ExitStatus::Unknown, "nothing-to-resume").hint("leave `--resume` out")
        }
        RunDirError::NotThere { .. } => {
            from(ExitStatus::Usage, "run-folder").hint("make it first, with mode 0700")
        }
        RunDirError::Unsafe { .. } => {
            from(ExitStatus::Refused, "run-folder").hint("name a folder of your own")
        }
        RunDirError::NoStateHome | RunDirError::Write(_) | RunDirError::Lock(_) => {
            from(ExitStatus::Diagnostics, "run-folder")
                .hint("set XDG_STATE_HOME to a folder that you may write to")
        }
    }
}
