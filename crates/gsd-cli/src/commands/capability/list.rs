//! `gsd capability list`: every capability that there is, in force or not, and why.

use super::{Context, Outcome, compose, problems_json, say_problems};
use crate::Program;
use crate::args::{CapabilityListArgs, ScopeWord};
use crate::exit::ExitStatus;
use crate::output::table::{fit, hang, pad, widths};
use crate::ui::{Tone, Ui};
use gsd_engine::registry::{Row, Scope, Status};
use gsd_engine::store::{Discovery, Entry, StoreProblem, rows};
use gsd_engine::text::printable;
use serde_json::{Map, Value, json};
use std::fmt::Display;

pub(super) fn run(ui: &Ui, context: &Context, args: &CapabilityListArgs) -> Outcome {
    let (composition, discovery) = compose(context);
    let scope = args.scope.map(|word| match word {
        ScopeWord::Global => "global",
        ScopeWord::Project => "project",
    });
    let wanted = |row: &Row| row.scope == "first-party" || scope.is_none_or(|s| s == row.scope);
    let rows: Vec<Row> = rows(&composition, &discovery).into_iter().filter(wanted).collect();
    let problems: Vec<&StoreProblem> = discovery
        .problems
        .iter()
        .filter(|problem| scope.is_none_or(|scope| scope == problem.scope.word()))
        .collect();
    // A ledger that cannot be read hides nothing, but nobody should think that all is well.
    let status = if problems.is_empty() { ExitStatus::Done } else { ExitStatus::Corrupt };
    let plain = context.program == Program::GsdTools || args.raw;
    if ui.json || plain {
        let list: Value = rows.iter().map(|row| as_json(row, &discovery)).collect();
        if plain {
            ui.document(&list);
        } else {
            ui.document(&json!({
                "ok": problems.is_empty(), "details": list, "problems": problems_json(&problems),
            }));
        }
    } else {
        ui.data(&table(ui, &rows));
    }
    if !ui.json {
        say_problems(ui, &problems);
    }
    Ok(status)
}

/// One row in the shape that existing callers read. What is not known is left out or null.
pub(super) fn as_json(row: &Row, discovery: &Discovery) -> Value {
    let entry = match row.scope {
        "global" => recorded(discovery, Scope::Global, &row.id),
        "project" => recorded(discovery, Scope::Project, &row.id),
        _ => None,
    };
    let is_ours = row.scope == "first-party";
    let source = if is_ours { Some("first-party") } else { entry.map(Entry::source) };
    let version = entry.map(Entry::version);
    let mut out = Map::new();
    out.insert("id".into(), json!(row.id));
    if row.reason_code == Some("unconsented") {
        // Of what nobody consented to, no text is shown.
        out.insert("scope".into(), json!(row.scope));
        out.insert("status".into(), json!(row.status.word()));
    } else {
        for (key, value) in [
            ("role", json!(row.role)),
            ("version", json!(row.version.as_deref().or(version))),
            ("tier", json!(row.tier)),
            ("source", json!(source)),
            ("scope", json!(row.scope)),
            ("status", json!(row.status.word())),
        ] {
            out.insert(key.into(), value);
        }
    }
    if !is_ours {
        out.insert("reason".into(), json!(row.reason));
    }
    if let Some(remedy) = &row.remedy {
        out.insert("remedy".into(), json!(remedy));
    }
    if let Some(code) = row.reason_code {
        out.insert("reasonCode".into(), json!(code));
    }
    if row.reason_code != Some("unconsented") {
        if let Some(key) = entry.and_then(Entry::signer_id) {
            out.insert("signingKey".into(), json!(key));
        }
        out.insert("surfaced".into(), json!(row.status == Status::Active));
        out.insert("title".into(), json!(row.title));
    }
    Value::Object(out)
}

pub(super) fn recorded<'a>(discovery: &'a Discovery, scope: Scope, id: &str) -> Option<&'a Entry> {
    discovery.recorded.get(&(scope, id.to_owned()))
}

const fn tone(status: Status) -> Tone {
    match status {
        Status::Active => Tone::Good,
        Status::Inactive | Status::Shadowed | Status::Unmanaged | Status::Pending => Tone::Warn,
        Status::Incompatible | Status::Invalid | Status::Tampered | Status::Missing => Tone::Bad,
    }
}

/// One text, written at once: there may be thousands of rows.
fn table(ui: &Ui, rows: &[Row]) -> String {
    let mut out = String::new();
    let mut line = |text: &dyn Display| out.push_str(&format!("{text}\n"));
    let mut cells = vec![["id", "role", "tier", "scope", "state"].map(str::to_owned)];
    for row in rows {
        let word = |word: Option<&str>| word.unwrap_or("·").to_owned();
        cells.push([
            printable(&row.id, 40),
            word(row.role),
            word(row.tier),
            row.scope.to_owned(),
            row.status.word().to_owned(),
        ]);
    }
    let widths = widths(&cells);
    let width = ui.width_out();
    for (index, cell) in cells.iter().enumerate() {
        let head: Vec<String> = cell[..4].iter().zip(widths).map(|(c, w)| pad(c, w)).collect();
        let head = head.join("  ");
        let Some(row) = index.checked_sub(1).map(|index| &rows[index]) else {
            line(&ui.paint(Tone::Dim, &format!("{head}  {}", cell[4])));
            continue;
        };
        let state = ui.paint(tone(row.status), &cell[4]).to_string();
        let title = row.title.as_deref().map(|title| printable(title, 60)).unwrap_or_default();
        let room = width.saturating_sub(widths.iter().sum::<usize>() + 12);
        let title = fit(&title, room);
        let gap = " ".repeat(widths[4] - cell[4].len() + 2);
        line(&format!("{head}  {state}{gap}{}", ui.paint(Tone::Dim, &title)).trim_end());
        if let Some(reason) = &row.reason {
            let remedy = row.remedy.as_ref().map(|r| format!(": {r}")).unwrap_or_default();
            let indent = widths[0] + 2;
            let text =
                hang(&format!("{}{remedy}", printable(reason, 300)), indent, ui.prose_width());
            line(&ui.paint(Tone::Dim, &format!("{:indent$}{text}", "")));
        }
    }
    out
}
