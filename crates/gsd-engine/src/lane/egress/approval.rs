//! Approvals as values: which capability may send plans to which address, and where that holds.

use crate::id::CapabilityId;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::http::{Destination, JoinError, Origin, SafeUrl};
use std::fmt;

/// Where a prompt is sent: scheme, host and port, and the whole path. Two are equal exactly if a
/// request would go to the same place, however the settings spell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    origin: Origin,
    path: String,
}

impl Endpoint {
    /// The place that a base address and the path of a lane make together.
    pub fn of(destination: &Destination, path: &str) -> Result<Self, JoinError> {
        destination.join(path).map(|url| Self::of_url(&url))
    }

    pub(in crate::lane) fn of_url(url: &SafeUrl) -> Self {
        Self { origin: url.origin(), path: url.path().to_owned() }
    }

    /// Reads a stored one. It must be spelled as it is written here, so that nothing is approved
    /// which a reader of the file would not recognise.
    pub(super) fn parse(origin: &str, path: &str) -> Option<Self> {
        let endpoint = Self::of(&Destination::parse(origin).ok()?, path).ok()?;
        (endpoint.origin.as_str() == origin && endpoint.path == path).then_some(endpoint)
    }

    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// From its first `/` on.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

/// Where an approval holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holds {
    Everywhere,
    /// In the project with this real path.
    InProject(Utf8PathBuf),
}

impl Holds {
    /// Where it holds, in words.
    pub fn phrase(&self) -> String {
        match self {
            Self::Everywhere => "every project".to_owned(),
            Self::InProject(root) => format!("the project {root}"),
        }
    }
}

/// One approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    pub capability: CapabilityId,
    pub endpoint: Endpoint,
    pub holds: Holds,
    /// RFC 3339, UTC.
    pub approved_at: String,
}

/// Everything that a user approved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Approvals(Vec<Approval>);

impl Approvals {
    pub fn new(approvals: Vec<Approval>) -> Self {
        Self(approvals)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Approval> {
        self.0.iter()
    }

    /// The one approval that counts for a capability in a project. What was approved for this
    /// project stands above what was approved for all: of two addresses that a user trusts, a
    /// repository must not choose.
    pub fn of(&self, capability: &CapabilityId, project: &Utf8Path) -> Option<&Approval> {
        let own = self.0.iter().filter(|approval| approval.capability == *capability);
        let here = |approval: &&Approval| match &approval.holds {
            Holds::InProject(root) => root == project,
            Holds::Everywhere => false,
        };
        own.clone().find(here).or_else(|| {
            let mut own = own;
            own.find(|approval| approval.holds == Holds::Everywhere)
        })
    }
}
