//! Whether a user's own word stands behind the source that a ledger names.
//!
//! The ledger of a project comes with the project, and whoever wrote it may name any host. Nobody is
//! asked because of it: only what the user agreed to here, in their own home, names a source that an
//! update or a comparison may ask.

use super::ledger::Entry;
use super::{ConsentStore, ScopeRoot};
use crate::id::CapabilityId;
use crate::source::{Base, SourceSpec, Target};
use camino::Utf8Path;

/// Whether the source of an entry may be asked: the ledger is the user's own, it is a folder of
/// this machine, or the user agreed to the capability when it came from just there.
pub fn source_is_confirmed(root: &ScopeRoot, id: &CapabilityId, entry: &Entry) -> bool {
    root.consents().is_none_or(|consents| is_confirmed(consents, id, entry))
}

pub(super) fn is_confirmed(consents: &ConsentStore, id: &CapabilityId, entry: &Entry) -> bool {
    // A recorded source is whole: nothing that it is seen from makes a difference.
    let base = Base { cwd: Utf8Path::new("/"), home: None };
    let is_here = SourceSpec::parse(entry.source(), &base)
        .is_ok_and(|spec| matches!(spec.target(), Target::Folder(_)));
    let agreed = || {
        let consent = consents.of(id).ok().flatten();
        consent.is_some_and(|consent| consent.source() == Some(entry.source()))
    };
    is_here || agreed()
}
