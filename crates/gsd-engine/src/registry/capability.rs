//! A capability in the registry: a manifest, the texts that it names, and where it came from.

use crate::id::CapabilityId;
use crate::manifest::Manifest;
use std::collections::BTreeMap;

/// Which installs of a user an overlay belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// All projects of the user.
    Global,
    /// One project.
    Project,
}

impl Scope {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Project => "project",
        }
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

/// Where a capability came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provenance {
    /// It is part of gsd.
    FirstParty,
    /// It was installed, and what it runs was consented to.
    Installed(Scope),
    /// It lies in the folder of the user but nobody installed it: it is in force, but nothing of it
    /// may run, send or be sent anything until it is approved.
    Unmanaged(Scope),
}

impl Provenance {
    /// Whether programs, servers, commands and lanes of it may be used.
    pub const fn may_run(self) -> bool {
        match self {
            Self::FirstParty | Self::Installed(_) => true,
            Self::Unmanaged(_) => false,
        }
    }

    pub const fn scope_word(self) -> &'static str {
        match self {
            Self::FirstParty => "first-party",
            Self::Installed(scope) | Self::Unmanaged(scope) => scope.word(),
        }
    }
}

/// A capability in force.
#[derive(Debug, Clone)]
pub struct Capability {
    pub manifest: Manifest,
    /// The texts of fragments, by the path that the manifest gives.
    pub fragments: BTreeMap<String, String>,
    pub provenance: Provenance,
}

impl Capability {
    pub fn id(&self) -> &CapabilityId {
        &self.manifest.id.value
    }
}
