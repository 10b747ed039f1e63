//! gsd's own capabilities. They are part of the program, so a fault in one of them is a bug of ours;
//! a test reads all of them strictly.

use super::{Capability, Provenance};
use crate::diag::{Diagnostic, SourceFile};
use crate::embedded;
use crate::id::CapabilityId;
use crate::manifest::{Context, Manifest, Origin, parse};
use std::collections::{BTreeMap, HashSet};

/// gsd's own capabilities.
pub fn first_party() -> Vec<Capability> {
    read_first_party().0
}

/// gsd's own capabilities and all that there is to say about them.
pub fn read_first_party() -> (Vec<Capability>, Vec<Diagnostic>) {
    read_where(|_| true)
}

/// gsd's own capabilities but for those of some ids, which are not even read.
pub(super) fn first_party_without(ids: &HashSet<&str>) -> Vec<Capability> {
    read_where(|id| !ids.contains(id)).0
}

/// Each lies in a folder that has its id as a name.
fn read_where(wanted: impl Fn(&str) -> bool) -> (Vec<Capability>, Vec<Diagnostic>) {
    let (mut capabilities, mut found) = (vec![], vec![]);
    for (folder, text) in embedded::manifests().filter(|(folder, _)| wanted(folder)) {
        let file = SourceFile::new(format!("{folder}/capability.json"), text);
        let context = Context { origin: Origin::FirstParty, folder: Some(folder) };
        let parsed = parse(&file, context);
        found.extend(parsed.diagnostics);
        if let Some(manifest) = parsed.manifest {
            let fragments = fragments(&manifest.id.value, &manifest);
            let provenance = Provenance::FirstParty;
            capabilities.push(Capability { manifest, fragments, provenance });
        }
    }
    (capabilities, found)
}

fn fragments(id: &CapabilityId, manifest: &Manifest) -> BTreeMap<String, String> {
    let Some(feature) = manifest.feature() else { return BTreeMap::new() };
    let steps = feature.steps.iter().filter_map(|step| step.fragment.as_ref());
    let contributions = feature.contributions.iter().map(|c| &c.fragment);
    let paths = steps.chain(contributions).filter_map(|fragment| fragment.path.as_ref());
    let read =
        |path: &str| Some((path.to_owned(), embedded::text(&format!("{id}/{path}"))?.to_owned()));
    paths.filter_map(|path| read(path.as_str())).collect()
}
