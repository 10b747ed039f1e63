//! Gets a bundle from where a user says it is, into a private folder that goes away again. Nothing
//! is written below the root of any scope.

use super::check::Origin;
use super::ledger::SIGNER;
use super::{ScopeRoot, SourceRecord, Staged, StoreError};
use crate::manifest::HOST_CONTRACT;
use crate::source::{FetchContext, Resolved, SourceSpec};
use gsd_io::fs::Scratch;
use semver::Version;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A bundle that was fetched, together with the folder that it lies in.
#[derive(Debug)]
pub struct Acquired {
    pub staged: Arc<Staged>,
    _scratch: Scratch,
}

/// What a ledger is to call the source of a bundle.
#[derive(Debug, Clone, Copy)]
pub enum Recording<'a> {
    /// What the user typed; it is fetched as well.
    Typed(&'a str),
    /// What was locked: the bundle is fetched by something more exact, and updates go by this.
    Locked(&'a SourceSpec),
}

/// Fetches what a spec means.
pub fn acquire(
    root: &ScopeRoot,
    spec: &SourceSpec,
    recording: Recording<'_>,
    context: &FetchContext<'_>,
    configured: &dyn Fn(&str) -> Option<String>,
) -> Result<Acquired, StoreError> {
    // Asked before anything else, so that what is not allowed is never contacted.
    spec.check(context.policy).map_err(|refusal| StoreError::Fetch(refusal.into()))?;
    let scratch = Scratch::new(context.env.temp_folder()).map_err(StoreError::Write)?;
    let fetched = spec.fetch(context, scratch.path()).map_err(StoreError::Fetch)?;
    let resolved = fetched.resolved;
    let origin = match &resolved.commit {
        Some(commit) if spec.kind() == "git" => {
            Origin::Git { repository: spec.identity(), commit: commit.clone() }
        }
        Some(_) | None => Origin::Unproven,
    };
    let (requested, recorded, identity) = match recording {
        Recording::Typed(text) => {
            (text.trim().to_owned(), resolved.recorded.clone(), spec.identity())
        }
        Recording::Locked(source) => (source.recorded(), source.recorded(), source.identity()),
    };
    let source = SourceRecord {
        requested,
        recorded,
        claimed: None,
        kind: spec.kind(),
        identity,
        integrity: resolved.integrity.as_ref().map(ToString::to_string).unwrap_or_default(),
        signed_by: resolved.signed_by.clone(),
        resolved: as_json(spec, &resolved),
        pinned: pinned(context, &resolved),
    };
    let staged = Staged::take(&fetched.bundle, root, source, origin, configured)?;
    Ok(Acquired { staged: Arc::new(staged), _scratch: scratch })
}

/// The version that ranges of hosts are about.
pub fn host_version() -> Version {
    HOST_CONTRACT.parse().expect("our own version is one")
}

/// What every later fetch has to give.
fn pinned(context: &FetchContext<'_>, resolved: &Resolved) -> Option<Value> {
    let integrity = context.integrity.map(ToString::to_string);
    let key = resolved.signed_by.as_ref().map(ToString::to_string);
    let pins = [("integrity", integrity), (SIGNER, key)].into_iter();
    let pins: Map<String, Value> =
        pins.filter_map(|(name, pin)| Some((name.to_owned(), pin?.into()))).collect();
    (!pins.is_empty()).then_some(Value::Object(pins))
}

/// What a ledger keeps of it.
fn as_json(spec: &SourceSpec, resolved: &Resolved) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("kind".to_owned(), spec.kind().into());
    for (field, value) in [
        ("reference", &resolved.reference),
        ("commit", &resolved.commit),
        ("finalUrl", &resolved.final_url),
    ] {
        if let Some(value) = value {
            out.insert(field.to_owned(), value.as_str().into());
        }
    }
    out.insert("exact".to_owned(), spec.exactly(resolved).into());
    out.insert("verified".to_owned(), resolved.verified.word().into());
    out
}
