//! What an install would change, before it changes anything: for `--dry-run`.

use super::{Candidate, Refusal, Surroundings, effects, neighbours, provenance};
use crate::registry::{Difference, Overlay, compose, differences, document};
use serde_json::{Value, json};

/// What an install would change.
#[derive(Debug)]
pub struct Preview {
    /// Name, version, title: what it says of itself.
    pub about: Value,
    /// What would be written, run and contacted.
    pub effects: Value,
    /// What would be another one than now, value by value.
    pub changes: Vec<Difference>,
    /// What would be another one in the registry of everything.
    pub registry: Vec<Difference>,
    pub shared_files: Vec<SharedFilePlan>,
    disclosure: Value,
    disclosure_lines: Vec<String>,
    refusals: Vec<Value>,
}

/// What would be put into a shared file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedFilePlan {
    /// Below the root of the scope.
    pub file: String,
    pub added: Vec<String>,
    /// What is left out, and why.
    pub skipped: Vec<(String, String)>,
}

impl Preview {
    /// Previews an install over what stands there now. `installed` is the version that would be
    /// replaced.
    pub fn of(
        candidate: &Candidate,
        installed: Option<&Candidate>,
        surroundings: &Surroundings,
        refusals: &[Refusal],
        shared_files: Vec<SharedFilePlan>,
    ) -> Self {
        let of = |candidate: &Candidate| {
            candidate.manifest().map(|manifest| effects::effects(candidate, manifest))
        };
        let now = installed.and_then(of).unwrap_or_default();
        let effects = of(candidate).unwrap_or_default();
        let id = candidate.declared_id().to_owned();
        let field = |name: &str| candidate.raw.get(name).cloned();
        let about = json!({
            "id": id,
            "version": field("version"),
            "fromVersion": installed.and_then(|old| old.raw.get("version").cloned()),
            "scope": candidate.scope.word(),
            "title": field("title"),
            "description": field("description"),
            "author": field("author"),
            "license": field("license"),
            "provenance": provenance::verdict(&candidate.raw, &candidate.origin).word(),
            "files": candidate.files.count(),
            "bytes": candidate.files.bytes(),
        });
        let before = views(surroundings.first_party.clone(), surroundings.overlays.clone());
        let after = neighbours::with_candidate(candidate, &id, surroundings);
        let after = without_prose(document(&after.registry));
        Self {
            changes: differences(&now, &effects),
            registry: differences(&before, &after),
            about,
            effects,
            shared_files,
            disclosure: candidate.disclosure.to_json(),
            disclosure_lines: candidate.disclosure.lines(),
            refusals: refusals.iter().map(Refusal::to_json).collect(),
        }
    }

    pub fn to_json(&self) -> Value {
        let shared = self.shared_files.iter().map(|plan| {
            let skipped = plan.skipped.iter();
            let skipped = skipped.map(|(name, reason)| json!({ "name": name, "reason": reason }));
            json!({
                "file": plan.file,
                "added": plan.added,
                "skipped": skipped.collect::<Vec<_>>(),
            })
        });
        json!({
            "about": self.about,
            "effects": self.effects,
            "changes": self.changes.iter().map(difference).collect::<Vec<_>>(),
            "registry": self.registry.iter().map(difference).collect::<Vec<_>>(),
            "sharedFiles": shared.collect::<Vec<_>>(),
            "disclosure": self.disclosure_lines,
            "disclosed": self.disclosure,
            "refusals": self.refusals,
        })
    }
}

impl Refusal {
    pub fn to_json(&self) -> Value {
        json!({ "code": self.code, "message": self.message, "remedy": self.remedy })
    }
}

fn difference(difference: &Difference) -> Value {
    json!({
        "pointer": difference.pointer,
        "before": difference.before,
        "after": difference.after,
    })
}

fn views(first_party: Vec<crate::registry::Capability>, overlays: Vec<Overlay>) -> Value {
    without_prose(document(&compose(first_party, overlays).registry))
}

/// The views of a registry, without the manifests as their authors wrote them and without what only
/// describes.
fn without_prose(mut document: Value) -> Value {
    if let Some(members) = document.as_object_mut() {
        members.remove("capabilities");
    }
    for (view, prose) in [("configSchema", "description"), ("lanes", "heading")] {
        let entries: Vec<&mut Value> = match document.get_mut(view) {
            Some(Value::Object(members)) => members.values_mut().collect(),
            Some(Value::Array(items)) => items.iter_mut().collect(),
            _ => vec![],
        };
        for entry in entries {
            if let Some(members) = entry.as_object_mut() {
                members.remove(prose);
            }
        }
    }
    document
}
