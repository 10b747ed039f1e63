//! `gsd lane`: what the lanes are and whether they are here.

mod apart;
pub(super) mod invoke;
pub(super) mod plan;
mod test;

use super::{Context, Outcome};
use crate::Program;
use crate::args::{LaneArgs, LaneCommand, LaneSelectedArgs};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::table::{hang, pad, widths};
use crate::output::{diagnostics, progress};
use crate::ui::{Tone, Ui};
use gsd_engine::config;
use gsd_engine::lane::{Lane, Reason, Roster, State};
use gsd_engine::review::{self, LaneStatus};
use gsd_engine::text::{nearest, printable};
use gsd_io::cancel::Cancel;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

pub(super) fn run(ui: &Ui, context: &Context, args: &LaneArgs) -> Outcome {
    match &args.command {
        LaneCommand::List => list(ui, context, &[]),
        LaneCommand::Probe(args) => list(ui, context, &args.slugs),
        LaneCommand::Sections(args) => {
            let lanes = selected(context.roster(), args);
            let rows: Vec<_> = lanes
                .iter()
                .map(|lane| (lane.slug().as_str(), lane.descriptor.heading.as_str()))
                .collect();
            if ui.json && context.program == Program::Gsd {
                ui.success(json!(
                    rows.iter()
                        .map(|(slug, heading)| json!({ "slug": slug, "section": heading }))
                        .collect::<Vec<_>>()
                ));
            } else {
                let text: String =
                    rows.iter().map(|(slug, heading)| format!("{slug}\t{heading}\n")).collect();
                ui.data(&text);
            }
            Ok(ExitStatus::Done)
        }
        LaneCommand::Flags(args) => {
            let lanes = selected(context.roster(), args);
            let flags: Vec<&str> = lanes
                .iter()
                .flat_map(|lane| &lane.descriptor.flags)
                .map(gsd_engine::id::LaneFlag::as_str)
                .collect();
            if ui.json && context.program == Program::Gsd {
                ui.success(json!(flags));
            } else {
                ui.data(&flags.iter().map(|flag| format!("{flag}\n")).collect::<String>());
            }
            Ok(ExitStatus::Done)
        }
        LaneCommand::Show(args) => show(ui, context, &args.slug),
        LaneCommand::Plan(args) => plan::run(ui, context, args, plan::About::Lanes),
        LaneCommand::Invoke(args) => invoke::run(ui, context, args),
        LaneCommand::Test(args) => test::run(ui, context, args),
    }
}

/// The lanes that were asked for, in that order; unknown slugs are left out, as existing callers
/// expect.
fn selected<'a>(roster: &'a Roster, args: &LaneSelectedArgs) -> Vec<&'a Lane> {
    let wanted: Vec<&str> =
        args.selected.iter().map(|slug| slug.trim()).filter(|slug| !slug.is_empty()).collect();
    if wanted.is_empty() {
        return roster.iter().collect();
    }
    wanted.iter().filter_map(|slug| roster.by_slug(slug)).collect()
}

/// Whether there is a lane of that slug; else what to type instead.
pub(super) fn known(context: &Context, slug: &str) -> Result<(), CommandError> {
    if context.roster().by_slug(slug).is_some() {
        return Ok(());
    }
    if let Some(withheld) = context.roster().withheld_as(slug) {
        let message = format!("`{}` is blocked: {}", printable(slug, 80), withheld.why);
        return Err(CommandError::new(ExitStatus::LaneCouldNotRun, "lane-blocked", message)
            .hint(withheld.remedy.clone()));
    }
    let slugs: Vec<&str> = context.roster().iter().map(|lane| lane.slug().as_str()).collect();
    let hint = match nearest(slug, slugs.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", slugs.join(", ")),
    };
    let message = format!("there is no lane `{}`", printable(slug, 80));
    Err(CommandError::new(ExitStatus::Unknown, "lane-unknown", message).hint(hint))
}

fn list(ui: &Ui, context: &Context, slugs: &[String]) -> Outcome {
    for slug in slugs {
        known(context, slug)?;
    }
    let (config, found) = config::read(&context.env, &context.root, &context.settings);
    let statuses = review::lane_statuses(
        &context.env,
        &context.root,
        &config,
        context.roster(),
        slugs,
        &Cancel::new(),
    );
    if ui.json {
        ui.success(json!(statuses.iter().map(as_json).collect::<Vec<Value>>()));
        return Ok(ExitStatus::Done);
    }
    diagnostics::warn(ui, &found);
    let missing = !slugs.is_empty() && statuses.iter().any(|status| status.state.is_some());
    table(ui, &statuses);
    Ok(if missing { ExitStatus::LaneCouldNotRun } else { ExitStatus::Done })
}

/// The lanes that are here, then those that are not; a remedy only where it is not the same for all.
fn table(ui: &Ui, statuses: &[LaneStatus]) {
    let (mut sorted, absent): (Vec<&LaneStatus>, Vec<&LaneStatus>) =
        statuses.iter().partition(|status| status.state.is_none());
    sorted.extend(absent);
    let mut rows =
        vec![["slug", "heading", "transport", "destination", "state"].map(str::to_owned)];
    for status in &sorted {
        rows.push([
            status.slug.clone(),
            printable(&status.heading, 24),
            status.transport.to_owned(),
            printable(&status.destination, 36),
            here(status),
        ]);
    }
    let (width, widths) = (ui.width_out(), widths(&rows));
    let (columns, prose) = (columns(&widths, width), ui.prose_width());
    for (index, row) in rows.iter().enumerate() {
        let head: Vec<String> =
            columns.iter().map(|&column| pad(&row[column], widths[column])).collect();
        let head = head.join("  ");
        let Some(status) = index.checked_sub(1).map(|index| sorted[index]) else {
            ui.line(ui.paint(Tone::Dim, &format!("{head}  {}", row[4])));
            continue;
        };
        let tone = status.state.map_or(Tone::Good, progress::tone);
        let state = hang(&row[4], head.width() + 2, prose);
        ui.line(format_args!("{head}  {}", ui.paint(tone, &state)));
        if let (Some(remedy), false) = (&status.remedy, status.is_absent()) {
            let indent = widths[0] + 2;
            let remedy = hang(&printable(remedy, 300), indent, prose);
            ui.line(ui.paint(Tone::Dim, &format!("{:indent$}{remedy}", "")));
        }
    }
    if sorted.iter().any(|status| status.is_absent()) {
        let text = "\nunavailable: install the program or start the server, or leave the lane out";
        ui.line(ui.paint(Tone::Dim, text));
    }
}

/// The columns before the state. It is what matters, so where there is too little room for it those
/// go that say the least.
fn columns(widths: &[usize; 5], width: usize) -> Vec<usize> {
    let mut columns = vec![0, 1, 2, 3];
    for least in [1, 2] {
        let head: usize = columns.iter().map(|&column| widths[column] + 2).sum();
        if head + widths[4].min(ROOM_FOR_STATE) > width {
            columns.retain(|&column| column != least);
        }
    }
    columns
}

/// A state of more columns than these is a sentence, and may be broken.
const ROOM_FOR_STATE: usize = 32;

/// Whether a lane is here, and why not.
fn here(status: &LaneStatus) -> String {
    let Some(state) = status.state else { return "here".to_owned() };
    match (status.reason, &status.message) {
        // The column before it names the program or the server.
        (Some(Reason::NotFound), _) => format!("{state}: not on PATH"),
        (Some(Reason::Unreachable), _) => format!("{state}: no answer"),
        (_, Some(message)) => format!("{state}: {}", printable(message, 300)),
        (_, None) => state.to_string(),
    }
}

fn as_json(status: &LaneStatus) -> Value {
    json!({
        "slug": status.slug,
        "heading": status.heading,
        "flags": status.flags,
        "capability": status.capability,
        "transport": status.transport,
        "destination": status.destination,
        "available": status.state.is_none(),
        "state": status.state.map(State::word),
        "reason": status.reason.map(|reason| reason.word()),
        "message": status.message,
        "remedy": status.remedy,
    })
}

fn show(ui: &Ui, context: &Context, slug: &str) -> Outcome {
    let (composition, _) = super::capability::compose(context);
    let roster = composition.registry.lanes();
    let Some(lane) = roster.by_slug(slug) else {
        known(context, slug)?;
        return Ok(ExitStatus::Unknown);
    };
    let capability = composition.registry.get(lane.capability.as_str());
    let manifest = capability
        .and_then(|owner| serde_json::from_str::<Value>(owner.manifest.file.text()).ok())
        .unwrap_or_default();
    let body = json!({
        "capability": lane.capability.as_str(),
        "scope": capability.map(|owner| owner.provenance.scope_word()),
        "mayRun": capability.map(|owner| owner.provenance.may_run()),
        "title": manifest["title"],
        "description": manifest["description"],
        "reviewer": manifest["reviewer"],
        "config": manifest["config"],
    });
    if ui.json {
        ui.success(body);
    } else {
        ui.document(&body);
    }
    Ok(ExitStatus::Done)
}
