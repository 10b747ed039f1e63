//! Whether a bundle is what its entry says.

use super::{Entry, Fault};
use crate::manifest::{Manifest, RuntimeName};

/// What an entry says that the manifest of its bundle does not.
pub fn compare(entry: &Entry, manifest: &Manifest) -> Vec<Fault> {
    let mut faults = vec![];
    let mut same = |field: &str, said: String, found: String| {
        if said != found {
            let reason = format!("the entry says `{said}`, the bundle `{found}`");
            faults.push(Fault::of(entry, field, reason));
        }
    };
    let sorted = |list: &[String]| {
        let mut list = list.to_vec();
        list.sort();
        list.join(", ")
    };
    same("id", entry.id.clone(), manifest.id.value.to_string());
    same("type", "reviewer".to_owned(), manifest.role.word().to_owned());
    let range = manifest.engines.as_ref().map_or("*", |range| range.as_str());
    same("enginesGsd", entry.engines_gsd.clone(), range.to_owned());
    let keys: Vec<String> =
        manifest.config.iter().map(|setting| setting.key.as_str().to_owned()).collect();
    same("interactions.configKeys", sorted(&entry.config_keys), sorted(&keys));
    if let Some(compat) = &manifest.runtime_compat {
        let names = compat.supported.iter().map(|name| match &name.value {
            RuntimeName::Every => "*".to_owned(),
            RuntimeName::One(id) => id.to_string(),
        });
        let names: Vec<String> = names.collect();
        same("interactions.runtimeCompat", sorted(&entry.runtime_compat), sorted(&names));
    }
    if let Some(lane) = manifest.lane() {
        let lane = &lane.descriptor;
        let flags: Vec<String> = lane.flags.iter().map(ToString::to_string).collect();
        let binaries: Vec<String> =
            lane.requires_binaries.iter().map(|name| name.as_str().to_owned()).collect();
        same("interactions.slug", entry.slug.clone(), lane.slug.to_string());
        same("interactions.flags", sorted(&entry.flags), sorted(&flags));
        same("interactions.transport", entry.transport.clone(), lane.transport().word().into());
        same(
            "interactions.evidenceClass",
            entry.evidence_class.clone(),
            lane.evidence.word().into(),
        );
        same(
            "interactions.reviewsSection",
            entry.reviews_section.clone(),
            lane.heading.as_str().into(),
        );
        same("interactions.requiresBinaries", sorted(&entry.requires_binaries), sorted(&binaries));
    }
    faults
}
