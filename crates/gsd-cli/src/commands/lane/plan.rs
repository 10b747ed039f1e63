//! `gsd lane plan`, which is `gsd review plan`: how lanes would be called. Calls none.
//!
//! With a phase it is the plan of a review. Without one it is that of lanes by themselves, in the
//! shape of the public contract.

use super::apart::{self, Lines};
use crate::Program;
use crate::args::PlanArgs;
use crate::commands::review::plan as of_review;
use crate::commands::{Context, Outcome};
use crate::exit::ExitStatus;
use crate::output::diagnostics;
use crate::ui::Ui;
use gsd_engine::config;
use gsd_engine::review::{self, InvokeSetting, contract};
use gsd_io::cancel::Cancel;
use serde_json::Value;

/// What a plan is about where no option tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum About {
    Review,
    Lanes,
}

pub(in crate::commands) fn run(
    ui: &Ui,
    context: &Context,
    args: &PlanArgs,
    about: About,
) -> Outcome {
    if is_about_review(context, args, about) {
        return of_review::run(ui, context, args);
    }
    let root = apart::root(context, &args.apart);
    let typed = apart::run_dir(&args.apart);
    let run_dir = context.env.absolute(typed);
    let (config, mut found) = config::read(&context.env, &root, &context.settings);
    let selected = apart::selected(&args.apart);
    let setting = InvokeSetting {
        env: &context.env,
        root: &root,
        run_dir: &run_dir,
        config: &config,
        roster: context.roster(),
        cancel: &Cancel::new(),
    };
    let planned = contract::plan_lanes(setting, &selected, &args.lane_timeout, &mut found);
    diagnostics::warn(ui, &found);
    let rows: Vec<Value> = planned
        .iter()
        .map(|(slug, plan)| {
            let mut row = contract::plan_row(slug, plan.as_ref(), typed.as_str());
            if args.full
                && let (Some(Ok(plan)), Some(row)) = (plan, row.as_object_mut())
            {
                row.extend(contract::more_of_plan(&context.env, plan));
            }
            row
        })
        .collect();
    let rows = Value::Array(rows);
    match context.program {
        Program::GsdTools => apart::print(ui, &rows, Lines::of(args.ndjson)),
        Program::Gsd if args.ndjson => apart::print(ui, &rows, Lines::Each),
        Program::Gsd if ui.json => ui.success(rows),
        Program::Gsd => {
            for (slug, plan) in &planned {
                match plan {
                    Some(plan) => {
                        of_review::human(ui, &review::preview_lane(&context.env, slug, plan))
                    }
                    None => {
                        if let Err(error) = super::known(context, slug) {
                            ui.warn(error.message);
                        }
                    }
                }
            }
            ui.say("nothing was sent");
        }
    }
    Ok(ExitStatus::Done)
}

/// Options of a review, or of lanes, say which it is; else the spelling of the command does.
fn is_about_review(context: &Context, args: &PlanArgs, about: About) -> bool {
    let apart = &args.apart;
    let of_lanes = apart.selected.is_some()
        || apart.slug.is_some()
        || apart.run_dir.is_some()
        || apart.repo_root.is_some()
        || args.full
        || args.ndjson;
    let selection = &args.selection;
    let of_review = args.phase.phase.is_some()
        || selection.all
        || !selection.lanes.is_empty()
        || !selection.exclude.is_empty()
        || !context.flagged.is_empty();
    context.program == Program::Gsd && (of_review || about == About::Review && !of_lanes)
}
