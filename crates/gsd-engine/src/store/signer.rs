//! By whose key a capability was signed when it was installed: whatever takes its place has to be
//! signed by the same, whether the settings still ask for it or not.
//!
//! The ledger of a project comes with the project. What it says can ask for a signature, but it
//! cannot take back what stands in the user's own consents.

use super::consent_store::Consent;
use super::wish::OtherSigner;
use super::{Entry, ScopeRoot, Staged, StoreError};
use crate::id::CapabilityId;
use crate::source::SigningKey;
use crate::text::printable;

/// The key that was recorded, if there was one.
pub fn signer_of(
    root: &ScopeRoot,
    id: &CapabilityId,
    entry: &Entry,
) -> Result<Option<SigningKey>, StoreError> {
    let Some(line) = recorded(root, id, entry)? else { return Ok(None) };
    SigningKey::parse(&line).map(Some).map_err(|error| {
        let reason = format!("the key that is recorded for `{id}` cannot be read: {error}");
        StoreError::refused_hint(reason, REPLACING)
    })
}

const REPLACING: &str = "`gsd capability install SOURCE --replace` asks whether it may be another";

/// What the user's own store has of it, where there is one for the scope.
fn consent(root: &ScopeRoot, id: &CapabilityId) -> Result<Option<Consent>, StoreError> {
    Ok(root.consents().map(|store| store.of(id)).transpose()?.flatten())
}

fn recorded(
    root: &ScopeRoot,
    id: &CapabilityId,
    entry: &Entry,
) -> Result<Option<String>, StoreError> {
    let consent = consent(root, id)?;
    let word = consent.as_ref().and_then(|consent| consent.signer());
    Ok(word.or(entry.signer()).map(str::to_owned))
}

/// Whether it is recorded, in each place for it, by whom a bundle is signed, if it is.
pub(super) fn is_known(
    root: &ScopeRoot,
    id: &CapabilityId,
    entry: &Entry,
    staged: &Staged,
) -> Result<bool, StoreError> {
    let Some(new) = staged.source().signed_by.as_ref().map(ToString::to_string) else {
        return Ok(true);
    };
    let is_it = |known: Option<&str>| known == Some(new.as_str());
    let consent = consent(root, id)?;
    Ok(is_it(entry.signer()) && consent.is_none_or(|consent| is_it(consent.signer())))
}

/// What has to be said where what was signed would come by another key or by none.
pub(super) fn other_signer(
    root: &ScopeRoot,
    id: &CapabilityId,
    entry: &Entry,
    staged: &Staged,
    rule: OtherSigner,
) -> Result<Option<String>, StoreError> {
    let Some(old) = recorded(root, id, entry)? else { return Ok(None) };
    let new = staged.source().signed_by.as_ref();
    if new.is_some_and(|new| new.to_string() == old) {
        return Ok(None);
    }
    let old = SigningKey::parse(&old).map_or(printable(&old, 80), |key| key.id().to_owned());
    let new = match new {
        Some(new) => format!("signed by the key {}", new.id()),
        None => "not signed".to_owned(),
    };
    match rule {
        OtherSigner::Refuse => Err(StoreError::refused_hint(
            format!("`{id}` was signed by the key {old}, and what would take its place is {new}"),
            REPLACING,
        )),
        OtherSigner::Replace => Ok(Some(format!("is {new}; so far it was by the key {old}"))),
    }
}
