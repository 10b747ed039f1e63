//! `gsd review plan`: what would be sent where. Sends nothing.

use super::{ask, phase_error, remarks};
use crate::args::PlanArgs;
use crate::commands::{Context, Outcome};
use crate::exit::ExitStatus;
use crate::output::format::{bytes, duration, tokens};
use crate::output::{diagnostics, table};
use crate::ui::{Tone, Ui};
use camino::Utf8Path;
use gsd_engine::lane::selection::Missing;
use gsd_engine::review::{self, Ask, Preview};
use gsd_engine::text::printable;
use gsd_io::cancel::Cancel;
use serde_json::{Value, json};

pub(in crate::commands) fn run(ui: &Ui, context: &Context, args: &PlanArgs) -> Outcome {
    let ask = ask(context, &args.selection, Missing::Error, &args.lane_timeout);
    show(ui, context, args.phase.phase.as_deref(), &ask)
}

/// The name that stands for the folder of a run that is not made.
const RUN_DIR: &str = "<run>";

pub(super) fn show(ui: &Ui, context: &Context, phase: Option<&str>, ask: &Ask<'_>) -> Outcome {
    let project = review::open(&context.env, &context.root, phase, &context.settings)
        .map_err(|error| phase_error(&error))?;
    let run_dir = Utf8Path::new(RUN_DIR);
    let prepared =
        review::prepare(&context.env, &project, context.roster(), ask, run_dir, &Cancel::new())
            .map_err(|error| phase_error(&error))?;
    let previews = review::preview(&context.env, &project, &prepared);
    // What a review would refuse is refused here with the same exit code, after all was shown.
    let errors = &prepared.selection.errors;
    let refusal = if errors.is_empty() { Ok(()) } else { Err(super::refuse(errors)) };
    if ui.json {
        let lanes: Vec<Value> = previews.iter().map(as_json).collect();
        let plan = json!({
            "phase": prepared.phase,
            "plans": prepared.plans,
            "selection": prepared.selection.source.word(),
            "lanes": lanes,
        });
        if let (Err(mut error), Some(fields)) = (refusal, plan.as_object()) {
            error.details.extend(fields.clone());
            return Err(error);
        }
        ui.success(plan);
        return Ok(ExitStatus::Done);
    }
    diagnostics::warn(ui, &prepared.diagnostics);
    remarks(ui, &prepared.selection.warnings, true);
    remarks(ui, &prepared.selection.infos, false);
    for preview in &previews {
        human(ui, preview);
    }
    refusal?;
    let names_it = |preview: &Preview| preview.argv.iter().any(|word| word.contains(RUN_DIR));
    if previews.iter().any(names_it) {
        ui.say(format_args!(
            "nothing was sent; `{RUN_DIR}` is the private folder that a run makes"
        ));
    } else {
        ui.say("nothing was sent");
    }
    Ok(ExitStatus::Done)
}

fn as_json(preview: &Preview) -> Value {
    json!({
        "identity": preview.identity,
        "state": preview.state.map(|state| state.word()),
        "reason": preview.reason.map(|reason| reason.word()),
        "message": preview.message,
        "remedy": preview.remedy,
        "argv": preview.argv,
        "channel": preview.channel,
        "prompt_bytes": preview.prompt_bytes,
        "prompt_tokens": preview.prompt_tokens,
        "budget": preview.budget,
        "trimmed": preview.trimmed,
        "redaction": preview.redaction,
        "redactions": preview.redactions,
        "destination": preview.destination,
        "env": preview.env,
        "confinement": preview.confinement,
        "writable": preview.writable,
        "timeout_ms": u64::try_from(preview.limit.as_millis()).unwrap_or(u64::MAX),
        "timeout_source": preview.limit_source,
        "model": preview.model,
    })
}

/// One lane for people.
pub(in crate::commands) fn human(ui: &Ui, preview: &Preview) {
    ui.line(ui.paint(Tone::Strong, &printable(&preview.identity, 80)));
    let row = |name: &str, text: &str| {
        let width = ui.width_out().max(60) - 16;
        for (index, line) in table::wrap(text, width).into_iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            ui.line(format_args!("  {} {line}", ui.paint(Tone::Dim, &format!("{name:<12}"))));
        }
    };
    if let Some(state) = preview.state {
        let message = preview.message.as_deref().unwrap_or_default();
        row("not asked", &format!("{state}: {}", printable(message, 300)));
        if !preview.destination.is_empty() {
            row("destination", &printable(&preview.destination, 300));
        }
        if let Some(remedy) = &preview.remedy {
            row("remedy", &printable(remedy, 300));
        }
        ui.line("");
        return;
    }
    row("destination", &printable(&preview.destination, 300));
    if !preview.argv.is_empty() {
        let words: Vec<String> =
            preview.argv.iter().map(|word| shell_word(&printable(word, 500))).collect();
        row("argv", &words.join(" "));
    }
    row("channel", preview.channel);
    if preview.prompt_bytes > 0 {
        let size = format!(
            "{} ≈ {} tokens{}",
            bytes(preview.prompt_bytes),
            tokens(preview.prompt_tokens),
            preview.budget.map_or(String::new(), |budget| format!(", budget {}", tokens(budget))),
        );
        row("prompt", &size);
    }
    if let Some(trimmed) = &preview.trimmed {
        row("cut", &printable(&trimmed.sentence(), 600));
    }
    if !preview.redactions.is_empty() {
        let list: Vec<String> =
            preview.redactions.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        row("redacted", &list.join(", "));
    } else if preview.redaction == "off" {
        row("redacted", "nothing: `review.redact` is off");
    }
    if !preview.env.is_empty() {
        row("env", &preview.env.join(" "));
    }
    if let Some(model) = &preview.model {
        row("model", &printable(model, 120));
    }
    row("confinement", preview.confinement.word());
    if !preview.writable.is_empty() {
        let own: Vec<String> =
            preview.writable.iter().map(|path| shell_word(&printable(path, 300))).collect();
        row("may write", &own.join(" "));
    }
    row("limit", &format!("{} ({})", duration(preview.limit), preview.limit_source));
    ui.line("");
}

/// A word as a POSIX shell would need it, so that the line can be copied.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
