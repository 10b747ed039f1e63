//! `gsd capability install`: fetches, checks, shows what there is to agree to, and puts it in its
//! place.

use super::super::{Context, Outcome};
use super::ask::Said;
use super::fetch::Pins;
use super::place::{configured, failed, scope, settings};
use super::put::{Put, Way, wish, words};
use super::{fetch, frozen, places, report};
use crate::Program;
use crate::args::CapabilityInstallArgs;
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::ui::Ui;
use gsd_engine::registry::Scope;
use gsd_engine::store::plan::Planned;
use gsd_engine::store::wish::{OtherSigner, OtherSource, Unmanaged, Wish};
use gsd_engine::store::{Recording, ScopeRoot, check_number, recover};
use serde_json::{Value, json};
use std::time::Duration;

pub(super) fn run(ui: &Ui, context: &Context, args: &CapabilityInstallArgs) -> Outcome {
    if args.frozen {
        return frozen::run(ui, context, args);
    }
    let text = args.spec.as_deref().expect("it is required without `--frozen`");
    let places = places(&context.env, &context.root);
    check_number(args.fetch.shared_file.len()).map_err(|error| failed(&error))?;
    let root = ScopeRoot::of(&places, args.change.scope.scope.map_or(Scope::Global, scope))
        .map_err(|error| failed(&error))?;
    ready(ui, &root, args.change.dry_run, args.change.lock_timeout)?;
    let spec = fetch::spec(context, text)?;
    let given = args.integrity.as_deref().map(fetch::integrity).transpose()?;
    let pins = Pins {
        integrity: match given {
            Some(pin) => Some(pin),
            None => fetch::recorded_pin(context, &root, &spec)?,
        },
        // Whoever lets another one take over is asked about its signature later.
        signer: if args.replace { None } else { fetch::recorded_signer(context, &root, &spec)? },
    };
    let config = settings(context);
    let configured = configured(&config);
    let recording = Recording::Typed(text);
    let got = fetch::get(context, &root, &spec, recording, &pins, &args.fetch, &configured)?;
    let (dry_run, patience) = (args.change.dry_run, args.change.lock_timeout);
    let wish = Wish {
        unmanaged: if args.adopt { Unmanaged::Replace } else { Unmanaged::Refuse },
        other_signer: if args.replace { OtherSigner::Replace } else { OtherSigner::Refuse },
        other_source: if args.replace { OtherSource::Replace } else { OtherSource::Refuse },
        ..wish(None, &args.fetch, dry_run, patience)
    };
    let way = Way {
        ui,
        places: &places,
        root: &root,
        configured: &configured,
        wish: &wish,
        said: Said::of(args.fetch.yes),
        again: &again(ui, args),
        patience,
    };
    let lines = got.staged.disclosure().lines();
    let put = match way.plan(&got.staged)? {
        Planned::Current { version } => Put::Current { version },
        Planned::Change(change) if dry_run => {
            way.preview(context, &change)?;
            return Ok(ExitStatus::Done);
        }
        Planned::Change(change) => way.put(&got.staged, *change).inspect_err(|error| {
            // Existing callers read what there was to agree to from stdout.
            let missing = error.status == ExitStatus::ConsentRequired;
            if context.program == Program::GsdTools && missing {
                ui.document(&aborted(&root, &lines));
            }
        })?,
    };
    match put {
        Put::Done(done) => report::installed(ui, context, &root, &done, &lines),
        Put::Current { version } => {
            let manifest = got.staged.manifest();
            let id = manifest.map(|manifest| manifest.id.value.as_str()).unwrap_or_default();
            report::installed_already(ui, context, &root, id, &version, &lines);
        }
    }
    Ok(ExitStatus::Done)
}

/// The same command, as it is to be typed again.
pub(super) fn again(ui: &Ui, args: &CapabilityInstallArgs) -> String {
    let mut typed = vec![ui.program_here(), "capability install".to_owned()];
    typed.extend(args.spec.as_deref().map(report::word));
    typed.extend(args.change.scope.scope.map(|word| format!("--scope {}", scope(word))));
    typed.extend(args.integrity.iter().map(|text| format!("--integrity {}", report::word(text))));
    for (given, word) in
        [(args.frozen, "--frozen"), (args.adopt, "--adopt"), (args.replace, "--replace")]
    {
        typed.extend(given.then(|| word.to_owned()));
    }
    typed.extend(words(&args.fetch));
    typed.join(" ")
}

/// Ends what an earlier change left unfinished, so that nothing is decided on half a state.
pub(super) fn ready(
    ui: &Ui,
    root: &ScopeRoot,
    dry_run: bool,
    patience: Duration,
) -> Result<(), CommandError> {
    let needed = recover::is_needed(root).map_err(|error| failed(&error))?;
    if needed && !dry_run {
        let found = recover::reconcile(root, patience).map_err(|error| failed(&error))?;
        for warning in found.warnings {
            ui.warn(warning);
        }
    }
    Ok(())
}

/// What existing callers read where consent is missing.
fn aborted(root: &ScopeRoot, lines: &[String]) -> Value {
    json!({
        "status": "aborted", "requiresConsent": true, "scope": root.scope.word(),
        "disclosure": lines,
    })
}
