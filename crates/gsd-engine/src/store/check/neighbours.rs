//! Whether a capability goes together with everything else: gsd's own, what is installed, and
//! itself. A neighbour that is broken by itself never speaks against it.

use super::{Candidate, MAX_FAULTS, Refusal, Surroundings};
use crate::diag::{Diagnostic, Level};
use crate::manifest::Manifest;
use crate::registry::{Composition, Overlay, Reason, Standing, check_set, compose};
use crate::text::printable;
use serde_json::Value;
use std::collections::BTreeSet;

/// Adds to what speaks against the candidate already.
pub(super) fn check(
    candidate: &Candidate,
    manifest: &Manifest,
    surroundings: &Surroundings,
    refusals: &mut Vec<Refusal>,
) {
    let id = manifest.id.as_str();
    refusals.extend(together(manifest, surroundings));
    refusals.extend(same_home(candidate, surroundings));
    let before = compose(surroundings.first_party.clone(), surroundings.overlays.clone());
    let after = with_candidate(candidate, id, surroundings);
    // Whatever was said already is why it would not be in force.
    if refusals.is_empty()
        && let Some(skip) = after.skips.iter().find(|skip| {
            skip.id == id && skip.scope == candidate.scope && skip.reason != Reason::Shadowed
        })
    {
        let code = if skip.reason == Reason::Unmet { "unmet" } else { "conflict" };
        let message = format!("it could not be in force: {}", skip.message);
        refusals.push(Refusal::new(code, message, REMEDY));
    }
    // Whoever loses what it shares with the candidate was named already.
    let named =
        |id: &str| refusals.iter().any(|refusal| refusal.message.contains(&format!("`{id}`")));
    let displaced: Vec<Refusal> = displaced(id, &before, &after)
        .filter(|(lost, _)| !named(lost))
        .map(|(_, refusal)| refusal)
        .collect();
    refusals.extend(displaced);
}

const REMEDY: &str = "remove one of them, or ask its author to rename what they share";

/// The registry as it would be.
pub(super) fn with_candidate(
    candidate: &Candidate,
    id: &str,
    surroundings: &Surroundings,
) -> Composition {
    let replaced = |overlay: &&Overlay| overlay.folder == id && overlay.scope == candidate.scope;
    let others = surroundings.overlays.iter().filter(|overlay| !replaced(overlay)).cloned();
    let own = Overlay {
        scope: candidate.scope,
        folder: id.to_owned(),
        by_hand: None,
        standing: Standing::Approved,
        bundle: Some(candidate.bundle.clone()),
    };
    compose(surroundings.first_party.clone(), others.chain([own]).collect())
}

/// The rules about a set of manifests, as far as the candidate is concerned. All that are there
/// count, also those that are not in force: they come back when the reason goes.
fn together(manifest: &Manifest, surroundings: &Surroundings) -> Vec<Refusal> {
    let id = manifest.id.as_str();
    let own = surroundings.first_party.iter().map(|capability| &capability.manifest);
    let installed =
        surroundings.overlays.iter().filter_map(|overlay| overlay.bundle.as_ref()?.manifest());
    let others = own.chain(installed).filter(|other| other.id.as_str() != id);
    let set: Vec<&Manifest> = others.chain([manifest]).collect();
    let name = manifest.file.name();
    let concerned = |found: &Diagnostic| {
        let places = found.related.iter().map(|related| &related.at);
        found.level == Level::Error
            && places.chain([&found.at]).any(|place| place.file.name() == name)
    };
    check_set(&set)
        .into_iter()
        .filter(concerned)
        .take(MAX_FAULTS)
        .map(|found| {
            let code = match found.rule.code {
                "registry/unknown-requirement" => "unmet",
                "registry/central-config-key" => "collision",
                code if code.starts_with("registry/duplicate-") => "collision",
                _ => "conflict",
            };
            Refusal::of(code, found, REMEDY)
        })
        .collect()
}

/// Capabilities that are in force now and would not be any more.
fn displaced<'a>(
    id: &'a str,
    before: &Composition,
    after: &'a Composition,
) -> impl Iterator<Item = (String, Refusal)> + 'a {
    let in_force = |composition: &Composition| -> BTreeSet<String> {
        composition.registry.capabilities().map(|capability| capability.id().to_string()).collect()
    };
    let lost = &in_force(before) - &in_force(after);
    let lost = lost.into_iter().filter(move |lost| lost != id).take(MAX_FAULTS);
    lost.map(move |lost| {
        let skip = after.skips.iter().find(|skip| skip.id == lost);
        let why = skip.map_or("nothing says why", |skip| skip.message.as_str());
        let message = format!("`{lost}` would not be in force any more: {why}");
        let first = skip.map_or("gsd capability doctor", |skip| skip.remedy.as_str());
        let remedy = format!("before that, {first}; or leave it");
        (lost, Refusal::new("displaces", message, remedy))
    })
}

/// A description of a host that writes into the folder of another one.
fn same_home(candidate: &Candidate, surroundings: &Surroundings) -> Option<Refusal> {
    let home = home_of(&candidate.raw)?;
    let installed =
        surroundings.overlays.iter().filter_map(|overlay| overlay.bundle.as_ref()?.manifest());
    let own = surroundings.first_party.iter().map(|capability| &capability.manifest);
    let other = own.chain(installed).find(|other| {
        let raw = serde_json::from_str(other.file.text()).unwrap_or_default();
        other.id.as_str() != candidate.declared_id() && home_of(&raw).as_ref() == Some(&home)
    })?;
    let message = format!(
        "it would write into `{}`, the folder of the host `{}`",
        printable(&home, 80),
        other.id.value
    );
    Some(Refusal::new("collision", message, REMEDY))
}

/// The folder below the user's home that a host owns alone.
fn home_of(manifest: &Value) -> Option<String> {
    let home = manifest.get("runtime")?.get("configHome")?;
    let field = |name: &str| home.get(name).and_then(Value::as_str).unwrap_or_default();
    let name = field("name").trim_start_matches("~/").trim_matches('/');
    match field("kind") {
        "dot-home" | "dot-home-nested" | "xdg" if !name.is_empty() => {
            let kind = if field("kind") == "xdg" { "xdg:" } else { "" };
            Some(format!("{kind}{}/{name}", field("parent")).trim_start_matches('/').to_owned())
        }
        _ => None,
    }
}
