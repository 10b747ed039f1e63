//! Which changes of a project were begun here.
//!
//! The ledger of a project comes with the project, so an intent in it may be anybody's. The digest
//! of each one that this user begins is kept in the user's home until the change is done; an intent
//! without it is acted on by nobody.

use super::ledger::Intent;
use super::{ConsentError, Ledger, ScopeRoot, StoreError};
use crate::id::CapabilityId;
use crate::manifest::pack::integrity;

fn digest(intent: &Intent) -> String {
    integrity(intent.to_json().to_string().as_bytes())
}

/// The names of what a scope's changes made for themselves: of those that this user began and that
/// are not known to be done.
pub(super) enum Made {
    /// All that look so: the folder is the user's own.
    All,
    /// Those with one of these tokens.
    With(Vec<String>),
}

impl Made {
    pub(super) fn in_scope(root: &ScopeRoot) -> Self {
        match root.consents() {
            None => Self::All,
            // What cannot be read proves nothing.
            Some(store) => Self::With(store.begun_tokens().unwrap_or_default()),
        }
    }

    pub(super) fn holds(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::With(tokens) => tokens.iter().any(|token| {
                name.strip_suffix(token.as_str()).is_some_and(|rest| rest.ends_with('-'))
            }),
        }
    }
}

/// Notes that a change is going to be begun, before it is.
pub(super) fn note(root: &ScopeRoot, id: &CapabilityId, intent: &Intent) -> Result<(), StoreError> {
    let Some(store) = root.consents() else { return Ok(()) };
    match store.note_begun(id, &digest(intent), intent.token.as_deref()) {
        Err(error @ (ConsentError::Lock(_) | ConsentError::Write(_))) => Err(error.into()),
        // A store that nobody can use keeps nobody from taking something away. A change that is
        // cut off then is not ended by others.
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Whether this user began a change. What stands in the user's own ledger is.
pub(super) fn is_ours(
    root: &ScopeRoot,
    id: &CapabilityId,
    intent: &Intent,
) -> Result<bool, StoreError> {
    match root.consents() {
        None => Ok(true),
        Some(store) => Ok(store.has_begun(id, &digest(intent))?),
    }
}

/// Forgets the changes that are done.
pub(super) fn forget_done(root: &ScopeRoot, ledger: &Ledger) -> Result<(), StoreError> {
    let Some(store) = root.consents() else { return Ok(()) };
    let waits = |id: &CapabilityId| ledger.get(id).is_some_and(|entry| entry.pending().is_some());
    Ok(store.forget_begun(&waits)?)
}
