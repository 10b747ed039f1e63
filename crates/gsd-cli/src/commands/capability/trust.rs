//! `gsd capability trust`: what you agreed to, and taking it back.

use super::super::{Context, Outcome};
use super::ask::{self, Said, agree};
use super::place::{configured, failed, id, root_of, scope, settings};
use super::places;
use crate::Program;
use crate::args::{
    CapabilityAdoptArgs, CapabilityTrustCommand, ChangeArgs, TrustGrantArgs, TrustListArgs,
    TrustRevokeArgs, TrustShowArgs,
};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::table::{pad, widths};
use crate::ui::{Tone, Ui};
use gsd_engine::config::Config;
use gsd_engine::id::CapabilityId;
use gsd_engine::registry::Scope;
use gsd_engine::store::trust::{self, Lying, Record, Trusted};
use gsd_engine::store::{Ledger, ScopeRoot, StoreError};
use gsd_engine::text::printable;
use serde_json::{Value, json};

pub(super) fn run(ui: &Ui, context: &Context, command: &CapabilityTrustCommand) -> Outcome {
    match command {
        CapabilityTrustCommand::List(args) => list(ui, context, args),
        CapabilityTrustCommand::Show(args) => show(ui, context, args),
        CapabilityTrustCommand::Grant(args) => grant(ui, context, args),
        CapabilityTrustCommand::Revoke(args) => revoke(ui, context, args),
    }
}

fn all(context: &Context, only: Option<Scope>) -> Result<Vec<Trusted>, CommandError> {
    let places = places(&context.env, &context.root);
    let mut all = vec![];
    for scope in [Scope::Global, Scope::Project] {
        if only.is_none_or(|only| only == scope) {
            all.extend(trust::trusted(&places, scope).map_err(|error| failed(&error))?);
        }
    }
    Ok(all)
}

fn list(ui: &Ui, context: &Context, args: &TrustListArgs) -> Outcome {
    // Its callers know of records of projects only.
    let plain = context.program == Program::GsdTools;
    let only = args.scope.map(scope).or(plain.then_some(Scope::Project));
    let all = all(context, only)?;
    if ui.json || plain {
        ui.success(all.iter().map(|one| if plain { known(one) } else { as_json(one) }).collect());
        return Ok(ExitStatus::Done);
    }
    let mut rows = vec![["capability", "holds in", "since"].map(str::to_owned)];
    rows.extend(all.iter().map(|one| {
        let place = one.project.as_ref().map_or("every project", |project| project.as_str());
        [one.id.to_string(), printable(place, 200), printable(&one.at, 40)]
    }));
    if rows.len() == 1 {
        ui.say("you have agreed to nothing that was installed");
        return Ok(ExitStatus::Done);
    }
    let widths = widths(&rows);
    for (index, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, w)| pad(cell, w)).collect();
        let line = cells.join("  ");
        let tone = if index == 0 { Tone::Dim } else { Tone::Plain };
        ui.line(ui.paint(tone, line.trim_end()));
    }
    Ok(ExitStatus::Done)
}

/// The fields that existing callers know.
fn known(one: &Trusted) -> Value {
    json!({
        "id": one.id, "scope": one.scope.word(), "projectRoot": one.project.as_ref().map(|project| project.as_str()),
        "integrity": one.integrity, "disclosureSignature": one.signature,
        "contentHash": one.content_hash, "consentedAt": one.at,
    })
}

fn as_json(one: &Trusted) -> Value {
    let mut out = known(one);
    if let Some(host) = &one.reviewer_host {
        out["reviewerHost"] = json!(host);
    }
    if !one.digest.is_empty() {
        out["disclosureDigest"] = json!(one.digest);
    }
    out
}

fn show(ui: &Ui, context: &Context, args: &TrustShowArgs) -> Outcome {
    let id = id(&args.id)?;
    let root = root_of(context, &id, &args.scope)?;
    let one = trust::trusted_one(&root, &id).map_err(|error| failed(&error))?;
    let config = settings(context);
    let question = look(context, &root, &id, &config)?.question;
    let same = one.as_ref().is_some_and(|one| one.content_hash == question.staged().content_hash());
    let state = match (&one, same) {
        (None, _) => "not-approved",
        (Some(_), true) => "approved",
        (Some(_), false) => "changed",
    };
    if ui.json {
        ui.success(json!({
            "state": state, "approved": one.as_ref().map(as_json), "now": question.to_json(),
        }));
        return Ok(ExitStatus::Done);
    }
    let text = match (&one, same) {
        (None, _) => "you have not agreed to it".to_owned(),
        (Some(one), true) => format!("you agreed to it, as it is, on {}", printable(&one.at, 40)),
        (Some(one), false) => {
            format!("its files are not those that you agreed to on {}", printable(&one.at, 40))
        }
    };
    ui.line(format_args!("{} {}: {text}", ui.paint(Tone::Strong, id.as_str()), root.scope));
    for line in question.disclosure().lines() {
        ui.line(line);
    }
    if state != "approved" {
        let scope = root.scope;
        ui.say(format_args!(
            "next: {} capability trust grant {id} --scope {scope}",
            ui.program_here()
        ));
    }
    Ok(ExitStatus::Done)
}

fn grant(ui: &Ui, context: &Context, args: &TrustGrantArgs) -> Outcome {
    let id = id(&args.id)?;
    let root = root_of(context, &id, &args.change.scope)?;
    let asked = Asked { verb: "trust grant", yes: args.yes, change: &args.change };
    give(ui, context, &root, &id, &asked)
}

/// `gsd capability adopt`: the same for a bundle that has no record yet.
pub(super) fn adopt(ui: &Ui, context: &Context, args: &CapabilityAdoptArgs) -> Outcome {
    let id = id(&args.id)?;
    let root = root_of(context, &id, &args.change.scope)?;
    let ledger = Ledger::read(root.path()).map_err(|error| failed(&error.into()))?;
    if ledger.get(&id).is_some() {
        let message = format!("`{id}` is recorded already");
        let hint = format!("`gsd capability trust grant {id}` approves it as it is");
        return Err(CommandError::new(ExitStatus::Refused, "recorded", message).hint(hint));
    }
    let asked = Asked { verb: "adopt", yes: args.yes, change: &args.change };
    give(ui, context, &root, &id, &asked)
}

/// What was typed.
struct Asked<'a> {
    verb: &'static str,
    yes: bool,
    change: &'a ChangeArgs,
}

fn look(
    context: &Context,
    root: &ScopeRoot,
    id: &CapabilityId,
    config: &Config,
) -> Result<Lying, CommandError> {
    let places = places(&context.env, &context.root);
    trust::look(&places, root, id, &configured(config)).map_err(|error| failed(&error))
}

fn give(
    ui: &Ui,
    context: &Context,
    root: &ScopeRoot,
    id: &CapabilityId,
    asked: &Asked<'_>,
) -> Outcome {
    let config = settings(context);
    let Lying { question, refusals } = look(context, root, id, &config)?;
    if !refusals.is_empty() {
        return Err(failed(&StoreError::Unfit { refusals }));
    }
    let plain = ui.json || context.program == Program::GsdTools;
    if asked.change.dry_run {
        if plain {
            ui.success(json!({ "status": "would-grant", "question": question.to_json() }));
        } else {
            ask::show(ui, &question);
        }
        return Ok(ExitStatus::Done);
    }
    let scope = root.scope;
    let again = format!("{} capability {} {id} --scope {scope}", ui.program_here(), asked.verb);
    let consented = agree(ui, question, Said::of(asked.yes), &again)?;
    let record = if asked.verb == "adopt" { Record::Entry } else { Record::Word };
    trust::grant(root, &consented, record, asked.change.lock_timeout)
        .map_err(|error| failed(&error))?;
    if plain {
        ui.success(json!({
            "status": "granted", "id": id, "scope": scope.word(),
            "contentHash": consented.staged().content_hash(),
        }));
    } else {
        ui.line(format_args!("you agreed to `{id}` ({scope})"));
        ui.say(format_args!("`gsd capability trust revoke {id} --scope {scope}` takes it back"));
    }
    Ok(ExitStatus::Done)
}

fn revoke(ui: &Ui, context: &Context, args: &TrustRevokeArgs) -> Outcome {
    let plain = context.program == Program::GsdTools;
    let ids = match &args.id {
        Some(text) => vec![id(text)?],
        None => {
            let scope = args.change.scope.scope.map_or(Scope::Project, scope);
            let here = places(&context.env, &context.root).consents().project().to_owned();
            let mut all = all(context, Some(scope))?;
            all.retain(|one| one.project.as_ref().is_none_or(|project| *project == here));
            all.into_iter().map(|one| one.id).collect()
        }
    };
    let mut rows = vec![];
    for id in &ids {
        let places = places(&context.env, &context.root);
        let scope = match args.change.scope.scope {
            Some(word) => scope(word),
            None if plain || args.all => Scope::Project,
            None => root_of(context, id, &args.change.scope)?.scope,
        };
        let root = ScopeRoot::of(&places, scope).map_err(|error| failed(&error))?;
        let gone = if args.change.dry_run {
            trust::trusted_one(&root, id).map(|one| one.is_some())
        } else {
            trust::revoke(&root, id, args.change.lock_timeout)
        };
        if !gone.map_err(|error| failed(&error))? {
            let message = format!("you have not agreed to `{id}` in {scope} scope");
            return Err(CommandError::new(ExitStatus::Unknown, "approval-unknown", message)
                .hint("`gsd capability trust list` shows what you agreed to")
                .detail("status", "not_found"));
        }
        let project = (scope == Scope::Project).then(|| places.consents().project().to_string());
        rows.push(json!({
            "status": if args.change.dry_run { "would-revoke" } else { "revoked" },
            "id": id, "projectRoot": project, "scope": scope.word(),
        }));
    }
    if ui.json || plain {
        match (&args.id, rows.as_slice()) {
            (Some(_), [row]) => ui.success(row.clone()),
            _ => ui.success(json!(rows)),
        }
        return Ok(ExitStatus::Done);
    }
    for row in &rows {
        let verb = row["status"].as_str().unwrap_or_default().replace('-', " ");
        let (id, scope) = (&row["id"], &row["scope"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        ui.line(format_args!("{verb} your word on `{}` ({})", text(id), text(scope)));
    }
    Ok(ExitStatus::Done)
}
