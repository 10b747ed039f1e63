//! Validates what a user points at: a manifest, a bundle, or a folder of bundles, each alone and all
//! together with what gsd brings.

use super::find::{Finder, Found};
use super::{check_set, first_party::first_party_without};
use crate::diag::{Diagnostic, Level, SourceFile, sort};
use crate::id::CapabilityId;
use crate::manifest::{Bundle, Context, Manifest, Origin, parse};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// How much is asked of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    Usual,
    /// Every warning is an error.
    Strict,
}

/// What came of looking at paths.
#[derive(Debug)]
pub struct Validation {
    pub manifests: Vec<Found>,
    pub diagnostics: Vec<Diagnostic>,
}

/// There is nothing to validate at a path.
#[derive(Debug, thiserror::Error)]
#[error("there is no capability at `{path}`")]
pub struct NothingThere {
    pub path: String,
}

/// Reads and checks everything at `paths`. `shown` turns a path into the name that messages use.
pub fn validate(
    paths: &[Utf8PathBuf],
    strictness: Strictness,
    shown: &dyn Fn(&Utf8Path) -> String,
) -> Result<Validation, NothingThere> {
    let mut finder = Finder { shown, manifests: vec![], passed_over: vec![] };
    for path in paths {
        let before = finder.manifests.len();
        finder.look_at(path);
        if finder.manifests.len() == before {
            return Err(NothingThere { path: shown(path) });
        }
    }
    let Finder { mut manifests, passed_over, .. } = finder;
    // One given twice (`. ./capability.json`) is one. A single path gives none twice.
    if paths.len() > 1 {
        let mut seen = HashSet::new();
        manifests.retain(|found| {
            seen.insert(fs::canonical(&found.path).unwrap_or_else(|| found.path.clone()))
        });
    }
    let diagnostics = check(&manifests, passed_over, strictness);
    Ok(Validation { manifests, diagnostics })
}

/// Checks a manifest that stands in no folder yet but would in one that is called as its id, as
/// strictly as can be.
pub fn validate_text(file: &Arc<SourceFile>, id: &CapabilityId) -> Vec<Diagnostic> {
    let context = Context { origin: Origin::ThirdParty, folder: Some(id.as_str()) };
    let bundle = Bundle { parsed: parse(file, context), fragments: BTreeMap::new() };
    check(
        &[Found { path: file.name().into(), folder: Some(id.to_string()), bundle }],
        vec![],
        Strictness::Strict,
    )
}

/// All that there is to say of what was found, beside what is said already.
fn check(found: &[Found], said: Vec<Diagnostic>, strictness: Strictness) -> Vec<Diagnostic> {
    let mut diagnostics = said;
    let alone = found.iter().flat_map(|found| found.bundle.parsed.diagnostics.iter().cloned());
    diagnostics.extend(alone);
    let given: Vec<&Manifest> =
        found.iter().filter_map(|found| found.bundle.parsed.manifest.as_ref()).collect();
    // What is given stands in for what gsd brings of the same id.
    let ids: HashSet<&str> = given.iter().map(|manifest| manifest.id.as_str()).collect();
    let own = first_party_without(&ids);
    let set: Vec<&Manifest> =
        given.iter().copied().chain(own.iter().map(|c| &c.manifest)).collect();
    let files: BTreeMap<&str, ()> = given.iter().map(|m| (m.file.name(), ())).collect();
    let ours = |diagnostic: &Diagnostic| {
        files.contains_key(diagnostic.at.file.name())
            || diagnostic.related.iter().any(|related| files.contains_key(related.at.file.name()))
    };
    diagnostics.extend(check_set(&set).into_iter().filter(ours));
    if strictness == Strictness::Strict {
        for diagnostic in diagnostics.iter_mut().filter(|d| d.level == Level::Warning) {
            diagnostic.level = Level::Error;
        }
    }
    sort(&mut diagnostics);
    diagnostics
}
