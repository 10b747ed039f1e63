//! Capabilities that are right alone, together: what goes, what does not, and what is left out.

mod compose;
mod linear;
mod set;

use camino::Utf8Path;
use gsd_engine::diag::{Diagnostic, SourceFile};
use gsd_engine::manifest::{Bundle, Context, Manifest, Origin, parse};
use gsd_engine::registry::{Overlay, Scope, Standing};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A feature without anything, to which `extra` adds.
pub(crate) fn feature(id: &str, extra: Value) -> Value {
    let mut manifest = json!({
        "id": id, "role": "feature", "version": "1.0.0", "title": id, "description": id,
        "tier": "full", "requires": [],
        "runtimeCompat": { "supported": ["*"], "unsupported": [] },
        "skills": [], "agents": [], "config": {}, "steps": [], "contributions": [], "gates": [],
    });
    merge(&mut manifest, extra);
    manifest
}

/// A lane that runs a program of its own name.
pub(crate) fn lane(id: &str, extra: Value) -> Value {
    let mut manifest = json!({
        "id": id, "role": "reviewer", "version": "1.0.0", "title": id, "description": id,
        "tier": "full", "requires": [],
        "reviewer": {
            "slug": id, "flags": [format!("--{id}")], "transport": "spawn",
            "probe": { "kind": "command-exists", "binary": id },
            "invoke": {
                "binary": id, "args": [], "promptChannel": "stdin", "outputChannel": "stdout",
                "modelArg": null, "effortChannel": "none",
            },
            "timeoutFloorMs": 1000, "emptyOutput": "stub-with-stderr", "reviewsSection": id,
            "evidenceClass": "source-grounded", "requiresBinaries": [], "promptBudgetKey": null,
            "handler": null,
        },
    });
    merge(&mut manifest["reviewer"], extra);
    manifest
}

fn merge(into: &mut Value, extra: Value) {
    if let (Value::Object(into), Value::Object(extra)) = (into, extra) {
        into.extend(extra);
    }
}

/// A step that runs one of the capability's own skills.
pub(crate) fn step(point: &str, skill: &str, produces: &[&str], consumes: &[&str]) -> Value {
    json!({
        "point": point, "ref": { "skill": skill }, "produces": produces, "consumes": consumes,
        "onError": "skip",
    })
}

/// A feature with one skill of its own name and one step for each `(point, produces, consumes)`.
pub(crate) fn stepper(id: &str, steps: &[(&str, &[&str], &[&str])]) -> Value {
    let steps: Vec<Value> = steps.iter().map(|(p, made, used)| step(p, id, made, used)).collect();
    feature(id, json!({ "skills": [id], "steps": steps }))
}

pub(crate) fn manifest(value: &Value) -> Manifest {
    let id = value["id"].as_str().expect("an id");
    let text = serde_json::to_string_pretty(value).expect("serialises");
    let file = SourceFile::new(format!("{id}/capability.json"), text);
    let parsed = parse(&file, Context { origin: Origin::ThirdParty, folder: Some(id) });
    parsed.manifest.unwrap_or_else(|| panic!("{id}: {:?}", messages(&parsed.diagnostics)))
}

pub(crate) fn messages(found: &[Diagnostic]) -> Vec<String> {
    found.iter().map(|d| format!("{}: {}", d.rule.code, d.message)).collect()
}

/// An overlay with this manifest.
pub(crate) fn overlay(scope: Scope, value: &Value) -> Overlay {
    let folder = value["id"].as_str().expect("an id").to_owned();
    overlay_text(scope, &folder, &serde_json::to_string_pretty(value).expect("serialises"))
}

pub(crate) fn overlay_text(scope: Scope, folder: &str, text: &str) -> Overlay {
    let file = SourceFile::new(format!("{folder}/capability.json"), text);
    let parsed = parse(&file, Context { origin: Origin::ThirdParty, folder: Some(folder) });
    Overlay {
        scope,
        folder: folder.to_owned(),
        by_hand: None,
        standing: Standing::Approved,
        bundle: Some(Bundle { parsed, fragments: BTreeMap::new() }),
    }
}

/// The first-party folder of this repository.
pub(crate) fn capabilities() -> &'static Utf8Path {
    Utf8Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../capabilities"))
}
