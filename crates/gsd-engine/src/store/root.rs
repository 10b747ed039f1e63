//! The folder that a scope is rooted at, and the names of what lies in it.

use super::held::{Held, HeldError};
use super::overlay_folder::overlays_folder;
use super::{ConsentStore, Ledger, Places, StoreError};
use crate::id::CapabilityId;
use crate::registry::Scope;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::lock::{LockError, Owner};
use gsd_io::{clock, fs, random};
use std::time::Duration;

const REPLACED: &str = ".replaced-";

/// Where the capabilities of one scope lie.
#[derive(Debug, Clone)]
pub struct ScopeRoot {
    pub scope: Scope,
    root: Utf8PathBuf,
    consents: ConsentStore,
}

impl ScopeRoot {
    /// The root of a scope. Nothing is ever written where a link leads out of it, or where the
    /// user's folder and the project's are the same.
    pub fn of(places: &Places, scope: Scope) -> Result<Self, StoreError> {
        let root = places.root(scope);
        let root = fs::canonical(root).unwrap_or_else(|| root.to_owned());
        if scope == Scope::Global
            && let Some(error) = places.no_home()
        {
            return Err(error);
        }
        let this = Self { scope, root, consents: places.consents() };
        for folder in [this.root.join(".gsd"), this.bundles()] {
            let Some(real) = fs::canonical(&folder) else { continue };
            let stays = match scope {
                // Users keep their settings elsewhere below their home and link to them.
                Scope::Global => real.starts_with(&this.root),
                // A repository has no reason to, and what is removed there may be anything.
                Scope::Project => real == folder,
            };
            if !stays {
                return Err(StoreError::LeadsOut { path: folder });
            }
        }
        Ok(this)
    }

    pub fn path(&self) -> &Utf8Path {
        &self.root
    }

    /// The consents that this scope needs; the approvals of the user's own scope stand in its ledger.
    pub(super) fn consents(&self) -> Option<&ConsentStore> {
        match self.scope {
            Scope::Global => None,
            Scope::Project => Some(&self.consents),
        }
    }

    pub(super) fn ledger(&self) -> Result<Ledger, StoreError> {
        Ok(Ledger::read(&self.root)?)
    }

    /// The folder of all bundles.
    pub(super) fn bundles(&self) -> Utf8PathBuf {
        overlays_folder(&self.root)
    }

    /// The bundle of one capability.
    pub fn bundle(&self, id: &CapabilityId) -> Utf8PathBuf {
        self.bundles().join(id.as_str())
    }

    /// What belongs to a capability, as a ledger names it.
    pub(super) fn recorded_path(id: &CapabilityId) -> String {
        format!(".gsd/capabilities/{id}")
    }

    /// Where bundles are copied to before they are put in their place.
    pub(super) fn staging(&self) -> Utf8PathBuf {
        self.bundles().join(".staging")
    }

    /// What a capability itself wrote.
    pub(super) fn written_by(&self, id: &CapabilityId) -> Utf8PathBuf {
        self.root.join(".gsd").join("capability-data").join(id.as_str())
    }

    /// That a bundle could be put in its place, as far as that can be told without a change.
    pub(super) fn check_place(&self, id: &CapabilityId) -> Result<(), StoreError> {
        let is_other =
            |path: &Utf8Path| fs::kind(path).is_some_and(|kind| kind != fs::Kind::Directory);
        let place = self.bundle(id);
        if is_other(&place) {
            let reason = format!("`{place}` is there, and it is no folder");
            return Err(StoreError::refused_hint(reason, format!("move `{place}` away")));
        }
        if is_other(&self.staging()) {
            return Err(StoreError::LeadsOut { path: self.staging() });
        }
        let lock = self.lock_file();
        match fs::kind(&lock) {
            Some(fs::Kind::Directory) if !fs::list(&lock, 1).is_ok_and(|it| it.is_empty()) => {
                Err(unlockable(&lock))
            }
            _ => Ok(()),
        }
    }

    /// The file that is locked by whoever changes this scope.
    pub(super) fn lock_file(&self) -> Utf8PathBuf {
        self.bundles().join(".lock")
    }

    /// The right to change this scope, waited for at most so long. Whatever was made for it goes
    /// again with it.
    pub(super) fn lock(&self, patience: Duration) -> Result<Held, StoreError> {
        let (gsd, bundles) = (self.root.join(".gsd"), self.bundles());
        let staging = self.staging();
        let path = self.lock_file();
        let gone_with_it = [&*staging, &*bundles, &*gsd];
        Held::take(&path, &gone_with_it, "gsd capability", patience).map_err(|error| match error {
            HeldError::Lock(LockError::NotAFile { path }) => unlockable(&path),
            HeldError::Lock(error) => StoreError::Busy(error),
            HeldError::Folder(error) => StoreError::Write(error),
        })
    }
}

fn unlockable(path: &Utf8Path) -> StoreError {
    StoreError::refused_hint(
        format!("`{path}` is no file, so nobody can hold the lock"),
        format!("look at what is in it, then move `{path}` away"),
    )
}

/// A name of a change that no other change has: process, time and chance.
pub(super) fn token() -> String {
    let now = clock::since_epoch().as_millis();
    format!("{}-{now}-{}", Owner::this_process("").pid, random::hex(8))
}

/// The name under which a bundle is set aside.
pub(super) fn backup_name(id: &CapabilityId, token: &str) -> String {
    format!("{id}.upgrading-{token}")
}

/// The name under which what nobody installed is kept that lay in the place of a bundle. It belongs
/// to the user, so it is swept by nobody.
pub(super) fn replaced_name(id: &CapabilityId, token: &str) -> String {
    format!("{id}{REPLACED}{token}")
}

/// The capability in whose place lay what is kept under a name.
pub(super) fn replaced(name: &str) -> Option<&str> {
    aside(name, REPLACED)
}

/// The name under which a bundle waits for its removal.
pub(super) fn discard_name(id: &CapabilityId, token: &str) -> String {
    format!("{id}.discard-{token}")
}

/// Whether a name is one of a set-aside bundle of this very capability: its process, its time, and
/// in the newer form its chance. Whatever else it says, it is used for nothing.
pub(super) fn is_backup_of(name: &str, id: &CapabilityId) -> bool {
    aside(name, ".upgrading-").or(replaced(name)) == Some(id.as_str())
}

/// Whether a folder beside the bundles is one of gsd's own, or a bundle that is out of its place.
pub(super) fn is_set_aside(name: &str) -> bool {
    name.starts_with('.') || name.contains(".upgrading-") || name.contains(".discard-")
}

/// The capability that a set-aside or discarded bundle belongs to.
pub(super) fn aside<'a>(name: &'a str, kind: &str) -> Option<&'a str> {
    let (id, token) = name.split_once(kind)?;
    CapabilityId::parse(id).ok()?;
    let mut parts = token.split('-');
    let digits = |part: Option<&str>| {
        part.is_some_and(|p| (1..=20).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_digit()))
    };
    let whole = digits(parts.next()) && digits(parts.next());
    let chance = parts
        .next()
        .is_none_or(|p| (1..=16).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_hexdigit()));
    (whole && chance && parts.next().is_none()).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_of_a_backup_of_this_very_capability_is_one() {
        let id = CapabilityId::parse("acme").expect("an id");
        assert!(is_backup_of(&backup_name(&id, &token()), &id));
        assert!(is_backup_of(&replaced_name(&id, &token()), &id));
        for name in ["acme.upgrading-1-2-00ff", "acme.upgrading-12-1700000000000"] {
            assert!(is_backup_of(name, &id), "{name}");
        }
        for name in [
            "other.upgrading-1-2-00",
            "acme.upgrading-1",
            "acme.upgrading-1-2-xyz",
            "acme.upgrading-1-2-00-3",
            "acme.upgrading-../../x",
            "acme.discard-1-2-00",
            "../acme.upgrading-1-2-00",
            "acme",
            "",
        ] {
            assert!(!is_backup_of(name, &id), "{name}");
        }
    }
}
