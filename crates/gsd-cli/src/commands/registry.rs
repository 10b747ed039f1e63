//! `gsd registry`: all capabilities together, as one document that can be kept and compared.

use super::capability::{compose, problems_json, say_problems};
use super::{Context, Outcome};
use crate::args::{RegistryArgs, RegistryCommand};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::file::OutputFile;
use crate::output::{diagnostics, format::count, json_v1};
use crate::ui::{Tone, Ui};
use camino::Utf8Path;
use gsd_engine::diag::{Diagnostic, Level};
use gsd_engine::id::Point;
use gsd_engine::registry::{self, Composition, Difference, differences, document, render};
use gsd_engine::store::StoreProblem;
use gsd_engine::text::printable;
use gsd_io::fs::{self, Links};
use serde_json::{Value, json};

pub(super) fn run(ui: &Ui, context: &Context, args: &RegistryArgs) -> Outcome {
    match &args.command {
        RegistryCommand::Build(args) => {
            build(ui, context, &seen(context, args.first_party), args.out.as_deref())
        }
        RegistryCommand::Check(args) => {
            check(ui, context, &seen(context, args.first_party), args.against.as_deref())
        }
        RegistryCommand::Show(args) => {
            let seen = seen(context, args.first_party);
            if ui.json {
                ui.success(document(&seen.composition.registry));
            } else {
                show(ui, &seen);
            }
            Ok(seen.status())
        }
    }
}

/// What there is, and what may be there and cannot be seen.
struct Seen {
    composition: Composition,
    problems: Vec<StoreProblem>,
}

impl Seen {
    /// What is not seen hides nothing else, but nobody should think that this is all.
    fn status(&self) -> ExitStatus {
        if self.problems.is_empty() { ExitStatus::Done } else { ExitStatus::Corrupt }
    }

    fn problems(&self) -> Vec<&StoreProblem> {
        self.problems.iter().collect()
    }
}

fn seen(context: &Context, first_party: bool) -> Seen {
    if first_party {
        let composition = registry::compose(registry::first_party(), vec![]);
        return Seen { composition, problems: vec![] };
    }
    let (composition, discovery) = compose(context);
    Seen { composition, problems: discovery.problems }
}

fn build(ui: &Ui, context: &Context, seen: &Seen, out: Option<&Utf8Path>) -> Outcome {
    say_skips(ui, seen);
    let composition = &seen.composition;
    let text = render(&composition.registry);
    let Some(out) = out else {
        if ui.json {
            ui.success(document(&composition.registry));
        } else {
            ui.data(&text);
        }
        return Ok(seen.status());
    };
    let path = context.env.absolute(out);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)
            .map_err(|e| CommandError::from_error(ExitStatus::Diagnostics, "not-written", &e))?;
    }
    let is_registry = |head: &[u8]| head.starts_with(text.get(..28).unwrap_or_default().as_bytes());
    OutputFile::out(&path, is_registry)?
        .write(text.as_bytes())
        .map_err(|e| CommandError::from_error(ExitStatus::Diagnostics, "not-written", &e))?;
    if ui.json {
        ui.success(json!({ "file": out.as_str(), "bytes": text.len() }));
    } else {
        ui.say(format_args!("{out}: {}", capabilities(composition.registry.len())));
    }
    Ok(seen.status())
}

pub(super) fn capabilities(number: usize) -> String {
    if number == 1 { "1 capability".to_owned() } else { format!("{number} capabilities") }
}

/// More differences than this are counted, not listed.
const MAX_SHOWN: usize = 60;

fn check(ui: &Ui, context: &Context, seen: &Seen, against: Option<&Utf8Path>) -> Outcome {
    let composition = &seen.composition;
    let (_, own) = registry::read_first_party();
    let mut found: Vec<Diagnostic> = own;
    found.extend(composition.skips.iter().flat_map(|skip| skip.diagnostics.iter().cloned()));
    let drift = match against {
        Some(file) => drift(context, composition, file)?,
        None => vec![],
    };
    let broken = !composition.skips.is_empty() || found.iter().any(|d| d.level == Level::Error);
    let status = match seen.status() {
        ExitStatus::Done if broken || !drift.is_empty() => ExitStatus::Diagnostics,
        status => status,
    };
    if ui.json {
        let skips: Value = composition
            .skips
            .iter()
            .map(|skip| {
                json!({
                    "id": skip.id, "scope": skip.scope.word(), "reason": skip.reason.word(),
                    "message": skip.message, "remedy": skip.remedy,
                })
            })
            .collect();
        let drift: Vec<String> = drift.iter().map(ToString::to_string).collect();
        let waiting: Vec<&str> =
            composition.unconsented.iter().map(|overlay| overlay.id.as_str()).collect();
        let gates: Value = composition
            .blocked_gates
            .iter()
            .map(|gate| {
                json!({
                    "point": gate.point.word(), "capId": gate.capability,
                    "scope": gate.scope.word(), "reason": gate.reason.word(),
                    "message": gate.message, "remedy": gate.remedy,
                    "onLoadFailure": gate.on_load_failure.map(|policy| policy.word()),
                })
            })
            .collect();
        let notices = json_v1::diagnostics(&composition.notices);
        let details = json!({
            "capabilities": composition.registry.len(),
            "skips": skips,
            "problems": problems_json(&seen.problems()),
            "unconsented": waiting,
            "blockedGates": gates,
            "notices": notices,
            "drift": drift,
            "diagnostics": json_v1::diagnostics(&found),
        });
        ui.document(&json!({ "ok": status == ExitStatus::Done, "details": details }));
        return Ok(status);
    }
    if !found.is_empty() {
        ui.data(&diagnostics::human(ui, &found));
    }
    say_skips(ui, seen);
    for difference in drift.iter().take(MAX_SHOWN) {
        ui.line(printable(&difference.to_string(), 300));
    }
    if let Some(more) = drift.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
        ui.line(format_args!("… {more} more"));
    }
    match (status, against) {
        (ExitStatus::Done, Some(file)) => ui.say(format_args!("{file} is up to date")),
        (ExitStatus::Done, None) => {
            ui.say(format_args!("{} fit together", capabilities(composition.registry.len())));
        }
        (_, Some(file)) if !drift.is_empty() => {
            ui.say(format_args!("next: gsd registry build --out {file}"));
        }
        _ => {}
    }
    Ok(status)
}

/// What is no longer true of a registry that was written.
fn drift(
    context: &Context,
    composition: &Composition,
    file: &Utf8Path,
) -> Result<Vec<Difference>, CommandError> {
    const MAX: u64 = 64 * 1024 * 1024;
    let text = fs::read_text(&context.env.absolute(file), MAX, Links::Follow).map_err(|error| {
        CommandError::from_error(ExitStatus::Unknown, "registry-unreadable", &error)
            .hint(format!("gsd registry build --out {file}"))
    })?;
    let now = render(&composition.registry);
    // Git may have changed the line ends.
    if text.replace('\r', "") == now {
        return Ok(vec![]);
    }
    let before: Value = serde_json::from_str(&text).map_err(|error| {
        let message = format!("`{file}` is not a registry: {error}");
        CommandError::new(ExitStatus::Diagnostics, "registry-unreadable", message)
            .hint(format!("gsd registry build --out {file}"))
    })?;
    let mut found = differences(&before, &document(&composition.registry));
    if found.is_empty() {
        // The same values in other words: another order, other blanks.
        let whole = |text: &str| Some(text.to_owned());
        found.push(Difference {
            pointer: String::new(),
            before: whole("written differently"),
            after: whole("the same values"),
        });
    }
    Ok(found)
}

fn say_skips(ui: &Ui, seen: &Seen) {
    let Seen { composition, .. } = seen;
    say_problems(ui, &seen.problems());
    for skip in &composition.skips {
        ui.warn(format_args!(
            "{} ({}) is left out, {}: {}; {}",
            printable(&skip.id, 60),
            skip.scope,
            skip.reason.word(),
            skip.message,
            printable(&skip.remedy, 400)
        ));
    }
    for overlay in &composition.unconsented {
        ui.warn(format_args!(
            "{} ({}) waits for consent; {}",
            printable(&overlay.id, 60),
            overlay.scope,
            overlay.remedy()
        ));
    }
}

fn show(ui: &Ui, seen: &Seen) {
    say_skips(ui, seen);
    let registry = &seen.composition.registry;
    let parts = [
        capabilities(registry.len()),
        count(registry.runtimes().count(), "runtime"),
        count(registry.lanes().iter().count(), "lane"),
        count(registry.by_skill().len(), "skill"),
        count(registry.by_agent().len(), "agent"),
        count(registry.config_keys().len(), "setting"),
    ];
    ui.line(parts.join(" · "));
    for point in Point::ALL {
        let hooks = registry.at_point(*point);
        let ids = |owners: Vec<&registry::Capability>| {
            owners.iter().map(|owner| owner.id().to_string()).collect::<Vec<_>>().join(" ")
        };
        let lines = [
            ("steps", ids(hooks.steps.iter().map(|(owner, _)| *owner).collect())),
            ("contributions", ids(hooks.contributions.iter().map(|(owner, _)| *owner).collect())),
            ("gates", ids(hooks.gates.iter().map(|(owner, _)| *owner).collect())),
        ];
        if lines.iter().all(|(_, ids)| ids.is_empty()) {
            continue;
        }
        ui.line("");
        ui.line(ui.paint(Tone::Strong, point.word()));
        for (kind, ids) in lines.iter().filter(|(_, ids)| !ids.is_empty()) {
            let kind = format!("{kind:<14}");
            ui.line(format_args!("  {}{ids}", ui.paint(Tone::Dim, &kind)));
        }
    }
}
