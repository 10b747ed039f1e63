//! Validates what a user points at: a manifest, a bundle, or a folder of bundles, each alone and all
//! together with what gsd brings.

use super::{check_set, first_party::first_party_without};
use crate::diag::{Diagnostic, Level, SourceFile, sort};
use crate::manifest::{Bundle, Context, MAX_MANIFEST, Manifest, Origin, parse, read_bundle};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Kind, Links};
use std::collections::{BTreeMap, HashSet};

/// How much is asked of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    Usual,
    /// Every warning is an error.
    Strict,
}

/// A manifest that was found, and the file that it stands in.
#[derive(Debug)]
pub struct Found {
    pub path: Utf8PathBuf,
    pub bundle: Bundle,
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

/// No folder of capabilities has more entries.
const MAX_BUNDLES: usize = 20_000;

/// Reads and checks everything at `paths`. `shown` turns a path into the name that messages use.
pub fn validate(
    paths: &[Utf8PathBuf],
    strictness: Strictness,
    shown: &dyn Fn(&Utf8Path) -> String,
) -> Result<Validation, NothingThere> {
    let mut manifests = vec![];
    for path in paths {
        let before = manifests.len();
        find(path, shown, &mut manifests);
        if manifests.len() == before {
            return Err(NothingThere { path: shown(path) });
        }
    }
    // One given twice (`. ./capability.json`) is one. A single path gives none twice.
    if paths.len() > 1 {
        let mut seen = HashSet::new();
        manifests.retain(|found| {
            seen.insert(fs::canonical(&found.path).unwrap_or_else(|| found.path.clone()))
        });
    }
    let diagnostics = check(&manifests, strictness);
    Ok(Validation { manifests, diagnostics })
}

fn check(found: &[Found], strictness: Strictness) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> =
        found.iter().flat_map(|found| found.bundle.parsed.diagnostics.iter().cloned()).collect();
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

fn find(path: &Utf8Path, shown: &dyn Fn(&Utf8Path) -> String, found: &mut Vec<Found>) {
    match fs::kind(path) {
        Some(Kind::File { .. }) => found.push(file(path, shown)),
        // A link is followed once, because the user named it.
        Some(Kind::Directory | Kind::Link) => {
            if fs::kind(&path.join("capability.json")).is_some() {
                found.push(given(path, shown));
                return;
            }
            let entries = fs::list(path, MAX_BUNDLES).unwrap_or_default();
            for entry in entries.into_iter().filter(|entry| entry.kind == Kind::Directory) {
                let folder = path.join(&entry.name);
                if fs::kind(&folder.join("capability.json")).is_some() {
                    found.push(bundle(&folder, Some(&entry.name), shown));
                }
            }
        }
        Some(Kind::Special) | None => {}
    }
}

/// The bundle in a folder that the user named: `.` and `..` and links have real names, too.
fn given(folder: &Utf8Path, shown: &dyn Fn(&Utf8Path) -> String) -> Found {
    let real = fs::canonical(folder).unwrap_or_else(|| folder.to_owned());
    bundle(folder, real.file_name(), shown)
}

fn bundle(folder: &Utf8Path, name: Option<&str>, shown: &dyn Fn(&Utf8Path) -> String) -> Found {
    let path = folder.join("capability.json");
    let context = Context { origin: Origin::ThirdParty, folder: name };
    let bundle = read_bundle(folder, &shown(&path), context);
    Found { path, bundle }
}

/// A manifest by itself. Only one that is called `capability.json` has a bundle around it.
fn file(path: &Utf8Path, shown: &dyn Fn(&Utf8Path) -> String) -> Found {
    if path.file_name() == Some("capability.json") {
        let parent = path.parent().filter(|parent| !parent.as_str().is_empty());
        return given(parent.unwrap_or(Utf8Path::new(".")), shown);
    }
    let context = Context { origin: Origin::ThirdParty, folder: None };
    let name = shown(path);
    let bundle = match fs::read_text(path, MAX_MANIFEST, Links::Follow) {
        Ok(text) => {
            let parsed = parse(&SourceFile::new(name, text), context);
            Bundle { parsed, fragments: BTreeMap::new() }
        }
        Err(error) => crate::manifest::unreadable_bundle(&name, &error),
    };
    Found { path: path.to_owned(), bundle }
}
