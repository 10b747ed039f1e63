//! `gsd capability reconcile`: ends what was begun and not ended.

use super::super::{Context, Outcome};
use super::place::{failed, scope};
use super::places;
use crate::args::CapabilityReconcileArgs;
use crate::exit::ExitStatus;
use crate::ui::Ui;
use gsd_engine::registry::Scope;
use gsd_engine::store::{ScopeRoot, StoreError, recover};
use gsd_engine::text::printable;
use serde_json::json;

pub(super) fn run(ui: &Ui, context: &Context, args: &CapabilityReconcileArgs) -> Outcome {
    let places = places(&context.env, &context.root);
    let only = args.change.scope.scope.map(scope);
    let (mut rows, mut unfinished) = (vec![], false);
    for scope in [Scope::Global, Scope::Project] {
        if only.is_some_and(|only| only != scope) {
            continue;
        }
        let root = match ScopeRoot::of(&places, scope) {
            Ok(root) => root,
            // Not asked for by name, so it is no fault that it cannot be used.
            Err(StoreError::HomeIsProject { .. } | StoreError::NoHome(_)) if only.is_none() => {
                continue;
            }
            Err(error) => return Err(failed(&error)),
        };
        let needed = recover::is_needed(&root).map_err(|error| failed(&error))?;
        if args.change.dry_run {
            rows.push(json!({ "scope": scope.word(), "needed": needed }));
            if !ui.json {
                let what = if needed { "something to end" } else { "nothing to do" };
                ui.line(format_args!("{scope}: {what}"));
            }
            continue;
        }
        let found =
            recover::reconcile(&root, args.change.lock_timeout).map_err(|error| failed(&error))?;
        unfinished |= !found.warnings.is_empty();
        for warning in &found.warnings {
            ui.warn(printable(warning, 400));
        }
        if !ui.json {
            if found.is_empty() {
                ui.line(format_args!("{scope}: nothing to do"));
            }
            for (what, ids) in
                [("taken back", &found.rolled_back), ("ended", &found.rolled_forward)]
            {
                for id in ids {
                    ui.line(format_args!("{scope}: {what}: {}", printable(id, 80)));
                }
            }
            for name in &found.removed {
                ui.line(format_args!("{scope}: removed {}", printable(name, 120)));
            }
        }
        rows.push(json!({
            "scope": scope.word(), "rolledBack": found.rolled_back,
            "rolledForward": found.rolled_forward, "orphansRemoved": found.removed,
            "warnings": found.warnings,
        }));
    }
    if ui.json {
        ui.document(&json!({ "ok": !unfinished, "details": rows }));
    }
    Ok(if unfinished { ExitStatus::SomeFailed } else { ExitStatus::Done })
}
