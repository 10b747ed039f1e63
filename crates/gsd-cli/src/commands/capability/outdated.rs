//! `gsd capability outdated`: what has a newer version where it came from.

use super::super::{Context, Outcome};
use super::place::{confirming, scope};
use super::places;
use crate::args::CapabilityOutdatedArgs;
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::table::{pad, widths};
use crate::ui::{Tone, Ui};
use gsd_engine::registry::Scope;
use gsd_engine::source::{FetchContext, Limits, Patience, Policy, Standing, Transport};
use gsd_engine::store::host_version;
use gsd_engine::store::outdated::{Asking, Comparison, outdated};
use gsd_engine::text::printable;
use gsd_io::cancel::Cancel;
use gsd_io::{clock, signal};
use serde_json::{Value, json};

pub(super) fn run(ui: &Ui, context: &Context, args: &CapabilityOutdatedArgs) -> Outcome {
    let places = places(&context.env, &context.root);
    let policy = Policy::read(&context.env, &context.root);
    let cancel = Cancel::new();
    let _watching = signal::watch(&cancel)
        .map_err(|error| CommandError::from_error(ExitStatus::Diagnostics, "signals", &error))?;
    let host = host_version();
    let fetch = FetchContext {
        env: &context.env,
        policy: &policy,
        host: &host,
        integrity: None,
        signed_by: None,
        transport: Transport::Authenticated,
        limits: Limits::MOST,
        patience: Patience::of(policy.timeout()),
        deadline: clock::after(clock::now(), args.deadline),
        cancel: &cancel,
    };
    let asking = if args.offline { Asking::Offline } else { Asking::Everybody };
    let (mut rows, mut problems) = (vec![], vec![]);
    for scope in [Scope::Global, Scope::Project] {
        if args.scope.map(self::scope).is_some_and(|only| only != scope) {
            continue;
        }
        match outdated(&places, scope, &fetch, asking) {
            Ok(found) => rows.extend(found),
            // The other scope is still told.
            Err(error) => problems.push(format!("{scope} scope: {error}")),
        }
    }
    let status = if problems.is_empty() { ExitStatus::Done } else { ExitStatus::Corrupt };
    if ui.json {
        let list: Value = rows.iter().map(as_json).collect();
        match context.program {
            crate::Program::GsdTools => ui.document(&list),
            crate::Program::Gsd => ui.document(&json!({
                "ok": problems.is_empty(), "details": list, "problems": problems,
            })),
        }
        return Ok(status);
    }
    table(ui, &rows);
    for row in rows.iter().filter(|row| row.standing == Standing::Unconfirmed) {
        let why = row.why.as_deref().unwrap_or_default();
        ui.warn(format_args!("`{}`: {why}; {}", row.id, confirming(&row.source)));
    }
    for problem in problems {
        ui.warn(printable(&problem, 300));
    }
    Ok(status)
}

fn as_json(row: &Comparison) -> Value {
    let mut out = json!({
        "id": row.id, "sourceKind": row.source_kind, "current": row.current,
        "latest": row.latest, "status": row.standing.word(), "scope": row.scope.word(),
    });
    if let Some(key) = &row.signer {
        out["signingKey"] = json!(key);
    }
    if row.standing == Standing::Unconfirmed {
        out["reason"] = json!(row.why);
        out["remedy"] = json!(confirming(&row.source));
    }
    out
}

fn table(ui: &Ui, rows: &[Comparison]) {
    let mut cells = vec![["ID", "Source", "Current", "Latest", "Status"].map(str::to_owned)];
    cells.extend(rows.iter().map(|row| {
        [
            row.id.to_string(),
            row.source_kind.to_owned(),
            printable(&row.current, 40),
            row.latest.as_deref().map_or("-".to_owned(), |latest| printable(latest, 40)),
            row.standing.word().to_owned(),
        ]
    }));
    if rows.is_empty() {
        ui.line("nothing is installed");
        return;
    }
    let widths = widths(&cells);
    for (index, row) in cells.iter().enumerate() {
        let padded: Vec<String> = row.iter().zip(widths).map(|(cell, w)| pad(cell, w)).collect();
        let tone = if index == 0 { Tone::Dim } else { Tone::Plain };
        ui.line(ui.paint(tone, padded.join("  ").trim_end()));
        if index == 0 {
            let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
            ui.line(rule.join("  "));
        }
    }
}
