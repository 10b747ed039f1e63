//! `gsd capability show`: what one capability is, owns and does, and how it stands.

use super::{Context, Outcome, compose, list};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::diagnostics;
use crate::ui::{Tone, Ui};
use gsd_engine::registry::{Capability, Row, Scope};
use gsd_engine::store::{Discovery, Entry, rows};
use gsd_engine::text::{nearest, printable};
use serde_json::{Value, json};

pub(super) fn run(ui: &Ui, context: &Context, args: &crate::args::CapabilityShowArgs) -> Outcome {
    let (composition, discovery) = compose(context);
    let all = rows(&composition, &discovery);
    let of_id: Vec<&Row> = all.iter().filter(|row| row.id == args.id).collect();
    if of_id.is_empty() {
        let message = format!("there is no capability `{}`", printable(&args.id, 80));
        let hint = match nearest(&args.id, all.iter().map(|row| row.id.as_str())) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`gsd capability list` shows all of them".to_owned(),
        };
        let error = CommandError::new(ExitStatus::Unknown, "capability-unknown", message);
        return Err(error.hint(hint));
    }
    let capability = composition.registry.get(&args.id);
    let skips: Vec<_> = composition.skips.iter().filter(|skip| skip.id == args.id).collect();
    if ui.json {
        let states: Value = of_id
            .iter()
            .map(|row| {
                let mut state = list::as_json(row, &discovery);
                if let Some(entry) = record(row, &discovery) {
                    state["recorded"] = recorded(entry);
                }
                state
            })
            .collect();
        let manifest = capability.and_then(|capability| {
            serde_json::from_str::<Value>(capability.manifest.file.text()).ok()
        });
        let found: Vec<_> = skips.iter().flat_map(|skip| &skip.diagnostics).cloned().collect();
        ui.success(json!({
            "states": states,
            "manifest": manifest,
            "diagnostics": crate::output::json_v1::diagnostics(&found),
        }));
        return Ok(ExitStatus::Done);
    }
    for row in &of_id {
        let reason = row.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        ui.line(format_args!(
            "{} {} · {}{}",
            ui.paint(Tone::Strong, &printable(&row.id, 60)),
            ui.paint(Tone::Dim, row.scope),
            row.status.word(),
            printable(&reason, 300)
        ));
        if let Some(remedy) = &row.remedy {
            ui.line(format_args!("  {}", ui.paint(Tone::Accent, &printable(remedy, 200))));
        }
        if let Some(entry) = record(row, &discovery) {
            origin(ui, entry);
        }
    }
    if let Some(capability) = capability {
        describe(ui, capability);
    }
    for skip in skips.iter().filter(|skip| !skip.diagnostics.is_empty()) {
        ui.line("");
        ui.data(&diagnostics::human(ui, &skip.diagnostics));
    }
    Ok(ExitStatus::Done)
}

/// What is recorded of a row. Of what nobody consented to, nothing is shown.
fn record<'a>(row: &Row, discovery: &'a Discovery) -> Option<&'a Entry> {
    let scope = match row.scope {
        "global" => Scope::Global,
        "project" => Scope::Project,
        _ => return None,
    };
    let shown = row.reason_code != Some("unconsented");
    list::recorded(discovery, scope, &row.id).filter(|_| shown)
}

fn recorded(entry: &Entry) -> Value {
    let files: Vec<String> = entry.shared_edits().into_iter().map(|edit| edit.file).collect();
    let field = |name: &str| entry.field(name).cloned().unwrap_or_default();
    json!({
        "version": entry.version(), "source": entry.source(), "integrity": entry.integrity(),
        "contentHash": entry.content_hash(), "installedAt": field("installedAt"),
        "updatedAt": field("updatedAt"), "resolved": field("resolved"), "pinned": field("pinned"),
        "approvedAt": entry.approval().map(|approval| approval.at), "sharedFiles": files,
        "disabled": entry.is_disabled(),
    })
}

/// Where it came from, since when it is there, and what it is wired into.
fn origin(ui: &Ui, entry: &Entry) {
    let line = |name: &str, text: &str| {
        if !text.is_empty() {
            let name = format!("{name:<14}");
            ui.line(format_args!("  {}{}", ui.paint(Tone::Dim, &name), printable(text, 400)));
        }
    };
    line("source", entry.source());
    line("integrity", entry.integrity());
    let key = entry.signer_id().map(|key| format!("minisign {key}"));
    line("signing key", &key.unwrap_or_default());
    let since = entry.field("installedAt").and_then(Value::as_str);
    line("installed", since.unwrap_or_default());
    line("approved", &entry.approval().map(|approval| approval.at).unwrap_or_default());
    let files: Vec<String> = entry.shared_edits().into_iter().map(|edit| edit.file).collect();
    line("wired into", &files.join(", "));
}

fn describe(ui: &Ui, capability: &Capability) {
    let manifest = &capability.manifest;
    let line = |name: &str, text: &str| {
        if !text.is_empty() {
            let name = format!("{name:<14}");
            ui.line(format_args!("  {}{}", ui.paint(Tone::Dim, &name), printable(text, 400)));
        }
    };
    ui.line("");
    line("title", &manifest.title);
    line("what", &manifest.description);
    line("role", manifest.role.word());
    line("version", &manifest.version.to_string());
    line("tier", manifest.tier.value.word());
    let join = |words: Vec<String>| words.join(", ");
    line("requires", &join(manifest.requires.iter().map(|id| id.value.to_string()).collect()));
    if let Some(range) = &manifest.engines {
        line("hosts", range.as_str());
    }
    if let Some(feature) = manifest.feature() {
        line("skills", &join(feature.skills.iter().map(|s| s.value.to_string()).collect()));
        line("agents", &join(feature.agents.iter().map(|a| a.value.to_string()).collect()));
        for step in &feature.steps {
            let (word, name) = step.target.word_and_name();
            let made: Vec<&str> = step.produces.iter().map(|a| a.as_str()).collect();
            let arrow = if made.is_empty() { "" } else { " → " };
            line("step", &format!("{} {word} {name}{arrow}{}", step.point.value, made.join(", ")));
        }
        for contribution in &feature.contributions {
            let into = &contribution.into.value;
            line("contribution", &format!("{} into {into}", contribution.point.value));
        }
        for gate in &feature.gates {
            let blocking = if gate.blocking.value { "can stop the loop" } else { "advice" };
            line("gate", &format!("{} {} ({blocking})", gate.point.value, gate.check.word()));
        }
    }
    for command in &manifest.commands {
        line("command", command.family.as_str());
    }
    for server in &manifest.mcp_servers {
        let how = server.command.as_deref().or(server.url.as_deref()).unwrap_or_default();
        line("server", &format!("{}: {how}", server.name));
    }
    if let Some(lane) = manifest.lane() {
        let flags: Vec<&str> = lane.descriptor.flags.iter().map(|flag| flag.as_str()).collect();
        line("lane", &format!("{} {}", lane.descriptor.slug, flags.join(" ")));
    }
    for entry in &manifest.config {
        let key = &entry.key.value;
        line("setting", &format!("{key}: {}", entry.description));
    }
}
