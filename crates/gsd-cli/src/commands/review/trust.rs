//! `gsd review trust list|revoke`: the servers that the user approved.

use crate::args::{ReviewTrustArgs, ReviewTrustCommand};
use crate::commands::{Context, Outcome};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::table::{pad, widths};
use crate::ui::{Tone, Ui};
use gsd_engine::id::CapabilityId;
use gsd_engine::lane::egress::{Approval, Holds, Hosts, HostsError};
use gsd_engine::text::printable;
use gsd_io::cancel::Cancel;
use serde_json::{Value, json};

pub(super) fn run(ui: &Ui, context: &Context, args: &ReviewTrustArgs) -> Outcome {
    let hosts = Hosts::of_user(&context.env).map_err(|error| hosts_error(&error))?;
    match &args.command {
        ReviewTrustCommand::List => list(ui, &hosts),
        ReviewTrustCommand::Revoke(args) => revoke(ui, context, &hosts, &args.slug),
    }
}

fn list(ui: &Ui, hosts: &Hosts) -> Outcome {
    let approvals = hosts.read().map_err(|error| hosts_error(&error))?;
    if ui.json {
        let list: Vec<Value> = approvals.iter().map(as_json).collect();
        ui.success(json!({ "file": hosts.path().as_str(), "approvals": list }));
        return Ok(ExitStatus::Done);
    }
    let mut rows = vec![["capability", "address", "holds in", "since"].map(str::to_owned)];
    for approval in approvals.iter() {
        rows.push([
            approval.capability.to_string(),
            approval.endpoint.to_string(),
            printable(&approval.holds.phrase(), 200),
            printable(&approval.approved_at, 40),
        ]);
    }
    if rows.len() == 1 {
        ui.say("no server is approved; one on this machine needs no approval");
        return Ok(ExitStatus::Done);
    }
    let widths = widths(&rows);
    for (index, row) in rows.iter().enumerate() {
        let cells: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| pad(cell, width)).collect();
        let line = cells.join("  ");
        let tone = if index == 0 { Tone::Dim } else { Tone::Plain };
        ui.line(ui.paint(tone, line.trim_end()));
    }
    Ok(ExitStatus::Done)
}

fn revoke(ui: &Ui, context: &Context, hosts: &Hosts, name: &str) -> Outcome {
    let lane = context.roster().by_slug(name);
    let capability = match lane {
        Some(lane) => lane.capability.clone(),
        // A capability that is gone may still have an approval.
        None => CapabilityId::parse(name).map_err(|_| unknown(name))?,
    };
    let gone = hosts.revoke(&capability, &Cancel::new()).map_err(|error| hosts_error(&error))?;
    if gone.is_empty() && lane.is_none() {
        return Err(unknown(name));
    }
    if ui.json {
        ui.success(json!({ "revoked": gone.iter().map(as_json).collect::<Vec<_>>() }));
        return Ok(ExitStatus::Done);
    }
    for approval in &gone {
        let holds = printable(&approval.holds.phrase(), 200);
        ui.line(format_args!("revoked {} for {holds}", approval.endpoint));
    }
    if gone.is_empty() {
        ui.say(format_args!("nothing was approved for `{capability}`"));
    }
    Ok(ExitStatus::Done)
}

fn unknown(name: &str) -> CommandError {
    let message = format!("nothing is approved for `{}`", printable(name, 80));
    CommandError::new(ExitStatus::Unknown, "approval-unknown", message)
        .hint("`gsd review trust list` shows what is")
}

pub(super) fn as_json(approval: &Approval) -> Value {
    json!({
        "capability": approval.capability.as_str(),
        "origin": approval.endpoint.origin().as_str(),
        "path": approval.endpoint.path(),
        "project": match &approval.holds {
            Holds::Everywhere => None,
            Holds::InProject(root) => Some(root.as_str()),
        },
        "approvedAt": approval.approved_at,
    })
}

/// Why approvals could not be read or kept, as people and scripts see it.
pub(super) fn hosts_error(error: &HostsError) -> CommandError {
    let (status, code) = match error {
        HostsError::NoHome => (ExitStatus::Diagnostics, "home-missing"),
        HostsError::InsideProject { .. } => (ExitStatus::Refused, "approvals-inside-project"),
        HostsError::NotPrivate { .. } => (ExitStatus::Corrupt, "approvals-not-private"),
        HostsError::Unreadable(_) | HostsError::Corrupt { .. } => {
            (ExitStatus::Corrupt, "approvals-unreadable")
        }
        HostsError::Lock(_) => (ExitStatus::Busy, "approvals-busy"),
        HostsError::Write(_) => (ExitStatus::Diagnostics, "approvals-not-written"),
    };
    CommandError::from_error(status, code, error).hint(error.remedy())
}
