//! `gsd lane invoke`, which is `gsd review invoke`: one call of one lane.

use super::apart::{self, Lines};
use crate::Program;
use crate::args::InvokeArgs;
use crate::commands::review::run_dir_error;
use crate::commands::{Context, Outcome};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::diagnostics;
use crate::output::progress;
use crate::ui::Ui;
use gsd_engine::config;
use gsd_engine::lane::State;
use gsd_engine::review::{
    self, Invocation, InvokeError, InvokeSetting, Invoked, PreparedRunError, contract,
};
use gsd_engine::text::printable;
use gsd_io::cancel::Cancel;
use gsd_io::process::guard;
use gsd_io::signal;
use serde_json::json;

pub(in crate::commands) fn run(ui: &Ui, context: &Context, args: &InvokeArgs) -> Outcome {
    let Some(name) = args.apart.slug.as_deref().map(str::trim) else {
        let error = CommandError::new(ExitStatus::Usage, "no-lane", "which lane is not said")
            .hint("name it with `--slug SLUG`");
        return Err(error);
    };
    let listed = args.apart.selected.iter().flatten().map(|slug| slug.trim());
    let listed: Vec<&str> = listed.filter(|slug| !slug.is_empty()).collect();
    if !listed.is_empty() && !listed.contains(&name) {
        return undeclared(ui, context, args, name, "unknown lane");
    }
    let stray = args.lane_timeout.iter().map(|(named, _)| named.as_str());
    if let Some(stray) =
        stray.filter(|named| *named != name).find(|n| context.roster().by_slug(n).is_none())
    {
        let message = format!("`--lane-timeout` names a lane `{}`", printable(stray, 60));
        return Err(CommandError::new(ExitStatus::Usage, "selection", message)
            .hint(format!("the lane that is called is `{name}`")));
    }
    let root = apart::root(context, &args.apart);
    let run_dir = context.env.absolute(apart::run_dir(&args.apart));
    let prompt_file = args.prompt_file.as_ref().map(|path| context.env.absolute(path));
    let (config, found) = config::read(&context.env, &root, &context.settings);
    diagnostics::warn(ui, &found);
    // Only SIGKILL needs it; if it does not start, that is no reason not to call.
    let _guard = guard::start(context.env.own_executable()).ok();
    let cancel = Cancel::new();
    let _watching = signal::watch(&cancel)
        .map_err(|error| CommandError::from_error(ExitStatus::Diagnostics, "signals", &error))?;
    let setting = InvokeSetting {
        env: &context.env,
        root: &root,
        run_dir: &run_dir,
        config: &config,
        roster: context.roster(),
        cancel: &cancel,
    };
    let invocation = Invocation {
        name,
        written_as: args.written_as.as_deref(),
        model: args.model.as_deref(),
        agent: args.agent.as_deref(),
        prompt_file: prompt_file.as_deref(),
        lane_timeouts: &args.lane_timeout,
    };
    match review::invoke(setting, &invocation, &|_| ()) {
        Ok(invoked) => tell(ui, context, args, &invoked),
        Err(InvokeError::UnknownLane { .. }) => {
            undeclared(ui, context, args, name, "no such declared lane")
        }
        Err(error) => {
            let missing =
                matches!(error, InvokeError::NoPrompt { .. } | InvokeError::BlankPrompt { .. });
            if missing && context.program == Program::GsdTools {
                let result = contract::not_tried(name, "prompt_missing", &error.to_string());
                apart::print(ui, &result, Lines::of(args.ndjson));
            }
            Err(refused(&error))
        }
    }
}

fn tell(ui: &Ui, context: &Context, args: &InvokeArgs, invoked: &Invoked) -> Outcome {
    diagnostics::warn(ui, &invoked.diagnostics);
    let lane = &invoked.lane;
    let message = printable(lane.message.as_deref().unwrap_or("a review came"), 500);
    let mut result = contract::result(lane, invoked.lacks.as_deref());
    for warning in &lane.warnings {
        ui.warn(printable(warning, 500));
    }
    if context.program == Program::GsdTools {
        if args.explicit && !invoked.ran() {
            ui.say(format_args!("the reviewer `{}` was asked for: {message}", lane.identity));
        }
        apart::print(ui, &result, Lines::of(args.ndjson));
        return Ok(match lane.state {
            State::Cancelled => ExitStatus::Interrupted,
            _ => ExitStatus::Done,
        });
    }
    let status = status(lane.state);
    if ui.json || args.ndjson {
        if let Some(result) = result.as_object_mut() {
            result.extend(contract::more_of_result(invoked));
        }
        if args.ndjson {
            apart::print(ui, &result, Lines::Each);
        } else if status == ExitStatus::Done {
            ui.success(result);
        } else {
            ui.document(&json!({
                "ok": false,
                "code": format!("lane-{}", lane.state.word()),
                "message": message,
                "details": result,
            }));
        }
        return Ok(status);
    }
    human(ui, context, invoked, &message);
    Ok(status)
}

fn human(ui: &Ui, context: &Context, invoked: &Invoked, message: &str) {
    let lane = &invoked.lane;
    let state = ui.paint(progress::tone(lane.state), lane.state.word()).to_string();
    ui.line(format_args!("{} {state}: {message}", lane.identity));
    if let Some(remedy) = &lane.remedy {
        ui.line(format_args!("  {}", printable(remedy, 500)));
    }
    let path = invoked.review.strip_prefix(context.env.cwd()).unwrap_or(&invoked.review);
    ui.line(format_args!("  {path}"));
}

const fn status(state: State) -> ExitStatus {
    match state {
        State::Reviewed | State::Incomplete => ExitStatus::Done,
        State::Unavailable | State::Blocked | State::Skipped => ExitStatus::LaneCouldNotRun,
        State::Unproven | State::Empty | State::Failed | State::TimedOut => ExitStatus::NoReview,
        State::Cancelled => ExitStatus::Interrupted,
    }
}

/// A lane that nobody declares: news for callers of the contract, an error for people.
fn undeclared(ui: &Ui, context: &Context, args: &InvokeArgs, name: &str, detail: &str) -> Outcome {
    if context.program == Program::GsdTools {
        apart::print(ui, &contract::undeclared(name, detail), Lines::of(args.ndjson));
        return Ok(ExitStatus::Done);
    }
    super::known(context, name)?;
    let message = format!("there is no lane `{}`", printable(name, 80));
    Err(CommandError::new(ExitStatus::Unknown, "lane-unknown", message)
        .hint("`--selected` does not list it"))
}

fn refused(error: &InvokeError) -> CommandError {
    let from = |status, code| CommandError::from_error(status, code, error);
    match error {
        InvokeError::Folder(error) => run_dir_error(error),
        InvokeError::NoPrompt { path, .. } => from(ExitStatus::Usage, "prompt-missing").hint(
            format!("write the prompt to `{path}`, or make the folder with `gsd review prepare`"),
        ),
        InvokeError::BlankPrompt { .. } => from(ExitStatus::Usage, "prompt-missing")
            .hint("an empty prompt would cost a call and prove nothing"),
        InvokeError::Prepared(error) => prepared_error(error),
        InvokeError::UnknownLane { .. } => from(ExitStatus::Unknown, "lane-unknown"),
    }
}

/// Why the folder of a prepared run cannot be used.
pub(in crate::commands) fn prepared_error(error: &PreparedRunError) -> CommandError {
    let from = |status, code| CommandError::from_error(status, code, error);
    match error {
        PreparedRunError::Read { .. } => from(ExitStatus::Unknown, "prepared-run")
            .hint("bring the whole folder that `gsd review prepare` wrote"),
        PreparedRunError::Shape { .. } | PreparedRunError::Name { .. } => {
            from(ExitStatus::Corrupt, "prepared-run")
                .hint("prepare it again, with the same version of gsd everywhere")
        }
        PreparedRunError::Prompt { .. } => from(ExitStatus::Integrity, "prompt-changed")
            .hint("prepare the run again; a changed prompt proves nothing"),
        PreparedRunError::Write(_) => from(ExitStatus::Diagnostics, "run-folder"),
    }
}
