//! Whether a capability that lies in a staging folder may be installed: decided over everything
//! that would be in force with it, before anything is written.
//!
//! All that is wrong is said at once, each with what to do about it. Consent is asked only where
//! nothing is wrong.

mod effects;
mod host;
mod identity;
mod lane_effects;
mod neighbours;
mod preview;
mod provenance;

pub use preview::{Preview, SharedFilePlan};
pub use provenance::{Origin, Verdict};

use self::identity::OwnNames;
use super::disclosure::{BundleFiles, BundleFilesError, Destination, Disclosure, MAX_LINE};
use crate::diag::{Diagnostic, Level};
use crate::id::CapabilityId;
use crate::manifest::{self, Bundle, Context, Manifest, read_bundle};
use crate::registry::{Capability, Overlay, Scope};
use crate::text::printable;
use camino::Utf8Path;
use serde_json::Value;

/// A capability that may be installed.
#[derive(Debug)]
pub struct Candidate {
    pub bundle: Bundle,
    pub files: BundleFiles,
    pub disclosure: Disclosure,
    pub scope: Scope,
    /// Where its files came from.
    pub origin: Origin,
    raw: Value,
}

/// What a capability would come to live with.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub first_party: Vec<Capability>,
    /// Everything that is installed, in both scopes. An older version of the candidate may be
    /// among it.
    pub overlays: Vec<Overlay>,
}

/// One reason why a capability is not installed.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// A word for scripts.
    pub code: &'static str,
    pub class: Class,
    pub message: String,
    /// What to do about it.
    pub remedy: String,
    /// The fault in the manifest, with its place, where it is one.
    pub diagnostic: Option<Box<Diagnostic>>,
}

/// What kind of refusal it is; commands end with a code of their own for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Policy, trust, compatibility or validation.
    Refused,
    /// It is not what it says it is.
    Integrity,
}

impl Refusal {
    fn new(code: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (message, remedy) = (message.into(), remedy.into());
        Self { code, class: Class::Refused, message, remedy, diagnostic: None }
    }

    fn of(code: &'static str, diagnostic: Diagnostic, remedy: &str) -> Self {
        let place = diagnostic.at.position();
        let message = format!("{} (line {})", diagnostic.message, place.line);
        let remedy = diagnostic.help.clone().unwrap_or_else(|| remedy.to_owned());
        Self { diagnostic: Some(Box::new(diagnostic)), ..Self::new(code, message, remedy) }
    }
}

/// More faults of one manifest tell nothing new.
const MAX_FAULTS: usize = 50;
/// No foreign text in a message is longer.
const MAX_SHOWN: usize = 120;

impl Candidate {
    /// Reads a staged bundle. `configured` gives the text that a setting has now.
    pub fn read(
        folder: &Utf8Path,
        scope: Scope,
        origin: Origin,
        configured: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, BundleFilesError> {
        let files = BundleFiles::read(folder)?;
        let context = Context { origin: manifest::Origin::ThirdParty, folder: None };
        let bundle = read_bundle(folder, "capability.json", context);
        Ok(Self::of(bundle, files, scope, origin, configured))
    }

    /// The same from parts that are known already.
    pub fn of(
        bundle: Bundle,
        files: BundleFiles,
        scope: Scope,
        origin: Origin,
        configured: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        // What is no JSON declares nothing; that it is none is a fault of its own.
        let raw: Value = serde_json::from_str(bundle.parsed.file.text()).unwrap_or_default();
        let disclosure = Disclosure::of(&raw, &files, configured);
        Self { bundle, files, disclosure, scope, origin, raw }
    }

    /// The manifest, unless something is wrong with it.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.bundle.manifest()
    }

    /// The id as it is declared, whatever it is.
    fn declared_id(&self) -> &str {
        self.raw.get("id").and_then(Value::as_str).unwrap_or_default()
    }
}

/// Why nobody could install capabilities of these ids, one refusal for each id that is gsd's own or
/// looks like it.
pub fn refused_ids<'a>(ids: impl IntoIterator<Item = &'a str>) -> Vec<Refusal> {
    let own = OwnNames::new();
    ids.into_iter().filter_map(|id| identity::check(id, &own).into_iter().next()).collect()
}

/// Everything that speaks against an install. `expected` is the id that an update is about.
pub fn check_candidate(
    candidate: &Candidate,
    surroundings: &Surroundings,
    expected: Option<&CapabilityId>,
) -> Vec<Refusal> {
    // What is no object has no id to speak of.
    let mut refusals = if candidate.raw.is_object() {
        identity::check(candidate.declared_id(), &OwnNames::new())
    } else {
        vec![]
    };
    if let Some(expected) = expected
        && candidate.declared_id() != expected.as_str()
    {
        let found = printable(candidate.declared_id(), MAX_SHOWN);
        refusals.push(Refusal::new(
            "different-id",
            format!(
                "the source holds a different capability id: `{found}` instead of `{expected}`"
            ),
            format!("`gsd capability remove {expected}`, then install the other one by its source"),
        ));
    }
    refusals.extend(structural(candidate, &refusals));
    refusals.extend(host::check(&candidate.raw));
    refusals.extend(missing(&candidate.disclosure));
    refusals.extend(unresolved(&candidate.disclosure));
    refusals.extend(unreadable(&candidate.disclosure));
    refusals.extend(provenance::check(&candidate.raw, &candidate.origin));
    if let Some(manifest) = candidate.manifest() {
        neighbours::check(candidate, manifest, surroundings, &mut refusals);
    }
    refusals
}

/// Faults of the manifest by itself.
fn structural(candidate: &Candidate, known: &[Refusal]) -> Vec<Refusal> {
    // What was said of the id in better words is not said twice.
    let said = |found: &Diagnostic| {
        !known.is_empty() && ["manifest/id", "manifest/reserved-id"].contains(&found.rule.code)
    };
    let diagnostics = &candidate.bundle.parsed.diagnostics;
    let faults = diagnostics.iter().filter(|found| found.level == Level::Error && !said(found));
    faults
        .take(MAX_FAULTS)
        .map(|fault| {
            Refusal::of("invalid", fault.clone(), "`gsd capability validate PATH` explains it")
        })
        .collect()
}

/// Scripts and modules that the bundle does not hold. Programs on PATH are not looked for.
fn missing(disclosure: &Disclosure) -> Vec<Refusal> {
    let refusal = |path: &String| {
        let path = printable(path, MAX_SHOWN);
        let message = format!("the manifest names `{path}`, which the bundle does not hold");
        Refusal::new("missing-artefact", message, "ask its author for a whole bundle")
    };
    disclosure.missing.iter().take(MAX_FAULTS).map(refusal).collect()
}

/// A lane whose prompts would go nobody knows where.
fn unresolved(disclosure: &Disclosure) -> Option<Refusal> {
    let lane = disclosure.lane.as_ref()?;
    let Some(Destination::Unresolved { why }) = &lane.destination else { return None };
    let (slug, key) = (printable(&lane.slug, MAX_SHOWN), printable(&lane.host_key, MAX_SHOWN));
    let message = format!(
        "nobody can say where the lane `{slug}` sends plans: {}",
        printable(why, MAX_SHOWN)
    );
    let remedy = format!("`gsd config set {key} URL`, then install it again");
    Some(Refusal::new("unresolved-destination", message, remedy))
}

/// Command lines of a length that nobody reads to the end.
fn unreadable(disclosure: &Disclosure) -> Vec<Refusal> {
    let refusal = |(start, length): (String, usize)| {
        let message = format!(
            "`{}` is {length} characters long: expected at most {MAX_LINE} of what runs",
            printable(start.trim_start(), MAX_SHOWN)
        );
        Refusal::new("too-long", message, "ask its author to put it into a script of the bundle")
    };
    disclosure.unreadable().into_iter().take(MAX_FAULTS).map(refusal).collect()
}

#[cfg(test)]
mod tests;
