//! What the other implementation's loader made of the overlays, against `gsd registry check` and
//! `gsd registry build`: who is in force, who is not, whose gates do not hold, and the indexes.

use crate::golden::Row;
use crate::lists::in_order;
use crate::program::{Place, Programs};
use crate::tally::Tally;
use crate::world::World;
use camino::Utf8Path;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What gsd brings itself.
#[derive(Debug)]
pub(crate) struct Own {
    ids: BTreeSet<String>,
}

pub(crate) fn own(data: &Utf8Path, programs: &Programs) -> Result<Own, String> {
    let place = Place::plain(data, data);
    let built = programs.gsd(&place, &["registry", "build", "--first-party"])?.json()?;
    Ok(Own { ids: keys(&built["capabilities"]) })
}

pub(crate) fn compare(
    row: &Row,
    world: &World,
    programs: &Programs,
    own: &Own,
    tally: &mut Tally,
) -> Result<(), String> {
    let theirs: Value = serde_json::from_str(&row.stdout).map_err(|error| error.to_string())?;
    let check = programs.gsd(&world.place, &["--json", "registry", "check"])?.json()?;
    let built = programs.gsd(&world.place, &["registry", "build"])?.json()?;
    let mut parts = vec![];
    accepted(&theirs, &built, own, &mut parts);
    skipped(&theirs, &check["details"], &mut parts);
    gates(&theirs, &check["details"], &mut parts);
    notices(&theirs, &check["details"], &mut parts);
    indexes(&theirs, &built, own, &mut parts);
    for part in parts {
        tally.differs(format!("loader {} {part}", row.id));
    }
    Ok(())
}

fn accepted(theirs: &Value, built: &Value, own: &Own, parts: &mut Vec<String>) {
    let ours: Vec<String> = keys(&built["capabilities"]).difference(&own.ids).cloned().collect();
    let theirs: Vec<String> = strings(&theirs["overlayIds"]);
    in_order(&theirs, &ours, &mut |line| parts.push(format!("accept {line}")));
}

/// Skips by id, scope and whether they wait for consent. The wording is each side's own.
fn skipped(theirs: &Value, ours: &Value, parts: &mut Vec<String>) {
    let line = |id: &str, scope: &str, waits: bool| {
        format!("{id} {scope}{}", if waits { " unconsented" } else { "" })
    };
    let mut a: Vec<String> = items(&theirs["overlayMeta"]["warnings"])
        .map(|skip| line(text(&skip["id"]), text(&skip["scope"]), skip["kind"] == "unconsented"))
        .collect();
    let mut b: Vec<String> = items(&ours["skips"])
        .map(|skip| line(text(&skip["id"]), text(&skip["scope"]), false))
        .collect();
    b.extend(strings(&ours["unconsented"]).iter().map(|id| line(id, "project", true)));
    a.sort();
    b.sort();
    in_order(&a, &b, &mut |line| parts.push(format!("skip {line}")));
    for skip in items(&theirs["overlayMeta"]["warnings"]) {
        let own = |other: &&Value| other["id"] == skip["id"] && other["scope"] == skip["scope"];
        let Some(other) = items(&ours["skips"]).find(own) else { continue };
        let (said, reason) = (text(&skip["reason"]), text(&other["reason"]));
        if !kinds(said).contains(&reason) {
            parts.push(format!("skip-kind {} {said:?} -> {reason}", text(&skip["id"])));
        }
    }
}

/// The words of ours that a sentence of theirs may stand for.
fn kinds(said: &str) -> &'static [&'static str] {
    let begins = |words: &[&str]| words.iter().any(|word| said.starts_with(word));
    if begins(&["incompatible with"]) {
        &["incompatible"]
    } else if begins(&["install/upgrade in progress"]) {
        &["pending"]
    } else if begins(&["owns ", "id collides"]) {
        &["collision"]
    } else if begins(&["cross-capability validation"]) {
        // They look at one manifest among the others where we look at it alone, too.
        &["invalid", "collision", "unmet", "conflict"]
    } else {
        &["invalid"]
    }
}

fn gates(theirs: &Value, ours: &Value, parts: &mut Vec<String>) {
    let gate = |gate: &Value| format!("{} {}", text(&gate["point"]), text(&gate["capId"]));
    let mut a: Vec<String> = items(&theirs["overlayMeta"]["blockedGates"]).map(gate).collect();
    let mut b: Vec<String> = items(&ours["blockedGates"]).map(gate).collect();
    a.sort();
    b.sort();
    in_order(&a, &b, &mut |line| parts.push(format!("blocked-gate {line}")));
    let owners: BTreeSet<String> =
        items(&ours["blockedGates"]).map(|gate| text(&gate["capId"]).to_owned()).collect();
    let owners: Vec<String> = owners.into_iter().collect();
    let mut a = strings(&theirs["overlayMeta"]["incompatibleGateCapIds"]);
    a.sort();
    in_order(&a, &owners, &mut |line| parts.push(format!("gate-owner {line}")));
}

/// What is said of overlays in force, by capability.
fn notices(theirs: &Value, ours: &Value, parts: &mut Vec<String>) {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for said in strings(&theirs["overlayMeta"]["diagnostics"]) {
        let id = said.split(':').nth(1).unwrap_or_default().to_owned();
        counts.entry(id).or_default().0 += 1;
    }
    let mut codes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for said in items(&ours["notices"]) {
        let file = text(&said["at"]["file"]);
        let id = file.rsplit('/').nth(1).unwrap_or_default().to_owned();
        codes.entry(id.clone()).or_default().push(text(&said["code"]));
        counts.entry(id).or_default().1 += 1;
    }
    for (id, (theirs, ours)) in counts {
        if theirs != ours {
            let codes = codes.get(&id).map(|codes| codes.join(" ")).unwrap_or_default();
            parts.push(format!("notice {id} {theirs} -> {ours} {codes}"));
        }
    }
}

fn indexes(theirs: &Value, built: &Value, own: &Own, parts: &mut Vec<String>) {
    for index in ["bySkill", "byAgent", "configKeys", "commandFamilies"] {
        let pairs = |value: &Value, overlays_only: bool| -> Vec<String> {
            let empty = serde_json::Map::new();
            let entries = value.as_object().unwrap_or(&empty).iter();
            let owner = |value: &Value| match value {
                Value::Object(fields) => ["capability", "capId", "owner"]
                    .iter()
                    .find_map(|key| fields.get(*key))
                    .map_or_else(|| value.to_string(), |owner| text(owner).to_owned()),
                other => text(other).to_owned(),
            };
            let mut pairs: Vec<String> = entries
                .map(|(key, value)| (key, owner(value)))
                .filter(|(_, owner)| !overlays_only || !own.ids.contains(owner))
                .map(|(key, owner)| format!("{key} of {owner}"))
                .collect();
            pairs.sort();
            pairs
        };
        let (a, b) = (pairs(&theirs[index], false), pairs(&built[index], true));
        in_order(&a, &b, &mut |line| parts.push(format!("index {index} {line}")));
    }
    let empty = serde_json::Map::new();
    for (point, kinds) in theirs["byLoopPoint"].as_object().unwrap_or(&empty) {
        for kind in ["steps", "contributions", "gates"] {
            let a = strings(&kinds[kind]);
            let b: Vec<String> = items(&built["byLoopPoint"][point][kind])
                .map(|hook| text(&hook["capId"]).to_owned())
                .collect();
            if a != b {
                let (a, b) = (a.join(" "), b.join(" "));
                parts.push(format!("index byLoopPoint {point} {kind} [{a}] -> [{b}]"));
            }
        }
    }
    // The other side lists those that bring skills.
    let listed = theirs["profileMembership"].as_object().unwrap_or(&empty);
    for (id, member) in listed {
        let ours = &built["profileMembership"][id];
        if ours != member {
            parts.push(format!("index profileMembership {id} {member} -> {ours}"));
        }
    }
    let (a, b) = (strings(&theirs["clusters"]), keys_or_strings(&built["capabilityClusters"]));
    let b: Vec<String> = b.into_iter().filter(|id| !own.ids.contains(id)).collect();
    in_order(&a, &b, &mut |line| parts.push(format!("index clusters {line}")));
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn strings(value: &Value) -> Vec<String> {
    items(value).map(|item| text(item).to_owned()).collect()
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
}

fn keys_or_strings(value: &Value) -> Vec<String> {
    match value {
        Value::Object(_) => keys(value).into_iter().collect(),
        other => strings(other),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
