//! What was installed, changed or would be, for people and for programs.

use super::super::Context;
use crate::Program;
use crate::ui::{Tone, Ui};
use gsd_engine::store::ScopeRoot;
use gsd_engine::store::plan::Change;
use gsd_engine::store::transaction::{Installed, SharedReport};
use gsd_engine::text::printable;
use serde_json::{Value, json};

/// A word of a command to type, quoted where a shell would take it apart.
pub(super) fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@#+".contains(c);
    let text = printable(text, 300);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Says what would be done.
pub(super) fn preview(ui: &Ui, context: &Context, change: &Change, preview: &Value) {
    if ui.json || context.program == Program::GsdTools {
        ui.success(json!({
            "status": "would-change", "requiresConsent": change.question.is_open(),
            "question": change.question.to_json(), "preview": preview,
        }));
        return;
    }
    let verb = match &change.from {
        Some(from) => format!("would replace {} by", printable(from, 40)),
        None => "would install".to_owned(),
    };
    ui.line(format_args!("{verb} {} {}", change.id(), change.question.version()));
    if let Some(line) = change.question.staged().source().signature_line() {
        ui.line(line);
    }
    for line in change.question.also() {
        ui.line(format_args!("{} {}", ui.paint(Tone::Warn, "!"), printable(line, 400)));
    }
    for line in change.question.disclosure().lines() {
        ui.line(line);
    }
    for (title, list) in
        [("what changes", &preview["changes"]), ("in the registry", &preview["registry"])]
    {
        let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
        if list.is_empty() {
            continue;
        }
        ui.line(ui.paint(Tone::Strong, title));
        for one in list.iter().take(60) {
            // What was not there at all is `null` as a whole, and its pointer is empty.
            let text = |value: &Value| match value.as_str() {
                Some("null") | None => "nothing".to_owned(),
                Some(text) => text.to_owned(),
            };
            let pointer = one["pointer"].as_str().filter(|pointer| !pointer.is_empty());
            let line = format!(
                "  {}: {} -> {}",
                pointer.unwrap_or("its effects"),
                text(&one["before"]),
                text(&one["after"])
            );
            ui.line(printable(&line, 300));
        }
    }
    for file in preview["sharedFiles"].as_array().into_iter().flatten() {
        let added = file["added"].as_array().map(Vec::as_slice).unwrap_or_default();
        let added: Vec<&str> = added.iter().filter_map(Value::as_str).collect();
        let name = file["file"].as_str().unwrap_or_default();
        if !added.is_empty() {
            ui.line(printable(&format!("{name}: {}", added.join(", ")), 300));
        }
        for left_out in file["skipped"].as_array().into_iter().flatten() {
            let text = |field: &str| left_out[field].as_str().unwrap_or_default();
            let line = format!("{name}: not {}: {}", text("name"), text("reason"));
            ui.line(printable(&line, 300));
        }
    }
    ui.say("nothing was written");
}

/// Says what was installed.
pub(super) fn installed(
    ui: &Ui,
    context: &Context,
    root: &ScopeRoot,
    done: &Installed,
    lines: &[String],
) {
    warn(ui, done);
    let scope = root.scope;
    if ui.json || context.program == Program::GsdTools {
        let mut out = json!({
            "status": "installed", "id": done.id, "version": done.version, "scope": scope.word(),
            "disclosure": lines,
        });
        add(&mut out, ui, context, done);
        ui.success(out);
        return;
    }
    ui.line(format_args!("installed {} {} ({scope})", done.id, done.version));
    say_shared(ui, done);
    ui.say(format_args!("`{} capability show {}` tells about it", ui.program_here(), done.id));
}

/// Says that what was to be installed is there, exactly so.
pub(super) fn installed_already(
    ui: &Ui,
    context: &Context,
    root: &ScopeRoot,
    id: &str,
    version: &str,
    lines: &[String],
) {
    let scope = root.scope;
    if !ui.json && context.program != Program::GsdTools {
        let (id, version) = (printable(id, 100), printable(version, 40));
        ui.line(format_args!("{id} {version} is installed already ({scope})"));
        return;
    }
    let mut out = json!({
        "status": "installed", "id": id, "version": version, "scope": scope.word(),
        "disclosure": lines,
    });
    if ui.json || context.program != Program::GsdTools {
        out["fromVersion"] = json!(version);
        out["sharedEdits"] = json!([]);
        out["warnings"] = json!([]);
    }
    ui.success(out);
}

/// What only this program knows. Existing callers get exactly what they know.
fn add(out: &mut Value, ui: &Ui, context: &Context, done: &Installed) {
    if context.program == Program::GsdTools && !ui.json {
        return;
    }
    out["fromVersion"] = json!(done.from);
    out["sharedEdits"] = shared(done);
    out["warnings"] = json!(done.warnings);
}

pub(super) fn shared(done: &Installed) -> Value {
    let skipped = |report: &SharedReport| -> Vec<Value> {
        let list = report.skipped.iter();
        list.map(|(name, reason)| json!({ "name": name, "reason": reason })).collect()
    };
    done.shared
        .iter()
        .map(|one| json!({ "file": one.file, "added": one.added, "skipped": skipped(one) }))
        .collect()
}

pub(super) fn say_shared(ui: &Ui, done: &Installed) {
    for one in &done.shared {
        let added: Vec<String> = one.added.iter().map(|name| printable(name, 80)).collect();
        if !added.is_empty() {
            ui.say(format_args!("{}: {}", printable(&one.file, 200), added.join(", ")));
        }
    }
}

/// What was left out, and what is done and left something to say.
pub(super) fn warn(ui: &Ui, done: &Installed) {
    for one in &done.shared {
        for (name, reason) in &one.skipped {
            let (file, name) = (printable(&one.file, 200), printable(name, 80));
            ui.warn(format_args!("{file}: {name} was left out: {}", printable(reason, 200)));
        }
    }
    for warning in &done.warnings {
        ui.warn(printable(warning, 400));
    }
}
