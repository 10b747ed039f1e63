//! One row for every capability that there is, in force or not, with its state and the reason.

use super::{Capability, Composition, Provenance, Reason, Skip};
use crate::manifest::Manifest;

/// How a capability stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Active,
    /// It waits for consent, or was switched off.
    Inactive,
    Incompatible,
    Invalid,
    /// Something it claims belongs to another.
    Shadowed,
    Pending,
    Tampered,
    /// In force, but nobody installed it: nothing of it may run until it is approved.
    Unmanaged,
    /// It is recorded, and its files are gone.
    Missing,
}

impl Status {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Inactive => "inactive",
            Self::Incompatible => "incompatible",
            Self::Invalid => "invalid",
            Self::Shadowed => "shadowed",
            Self::Pending => "pending",
            Self::Tampered => "tampered",
            Self::Unmanaged => "unmanaged",
            Self::Missing => "missing",
        }
    }
}

/// What a list says of a capability. Of one that waits for consent it says nothing that its
/// manifest says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub id: String,
    pub scope: &'static str,
    pub status: Status,
    pub role: Option<&'static str>,
    pub version: Option<String>,
    pub tier: Option<&'static str>,
    pub title: Option<String>,
    /// Why it is not simply active.
    pub reason: Option<String>,
    /// The reason as one word, for scripts.
    pub reason_code: Option<&'static str>,
    /// The next command to type.
    pub remedy: Option<String>,
}

/// Every row: gsd's own first, then those of the user, then those of the project, each by id.
pub fn rows(composition: &Composition) -> Vec<Row> {
    let mut rows: Vec<Row> = composition.registry.capabilities().map(in_force).collect();
    rows.extend(composition.skips.iter().map(skipped));
    rows.extend(composition.unconsented.iter().map(|overlay| Row {
        status: Status::Inactive,
        reason: Some("nobody on this machine has consented to it".to_owned()),
        reason_code: Some("unconsented"),
        remedy: Some(overlay.remedy()),
        ..Row::bare(&overlay.id, overlay.scope.word())
    }));
    // The words happen to be in this order.
    rows.sort_by(|a, b| (a.scope, &a.id, a.status).cmp(&(b.scope, &b.id, b.status)));
    rows
}

impl Row {
    fn bare(id: &str, scope: &'static str) -> Self {
        Self {
            id: id.to_owned(),
            scope,
            status: Status::Active,
            role: None,
            version: None,
            tier: None,
            title: None,
            reason: None,
            reason_code: None,
            remedy: None,
        }
    }

    fn describe(mut self, manifest: &Manifest) -> Self {
        self.role = Some(manifest.role.word());
        self.version = Some(manifest.version.to_string());
        self.tier = Some(manifest.tier.value.word());
        self.title = Some(manifest.title.clone());
        self
    }
}

fn in_force(capability: &Capability) -> Row {
    let row = Row::bare(capability.id().as_str(), capability.provenance.scope_word());
    let row = row.describe(&capability.manifest);
    match capability.provenance {
        Provenance::FirstParty | Provenance::Installed(_) => row,
        Provenance::Unmanaged(scope) => Row {
            status: Status::Unmanaged,
            reason: Some("nobody installed it; what it would run is blocked".to_owned()),
            reason_code: Some("unmanaged"),
            remedy: Some(format!("gsd capability trust grant {} --scope {scope}", capability.id())),
            ..row
        },
    }
}

fn skipped(skip: &Skip) -> Row {
    let status = match skip.reason {
        Reason::Invalid | Reason::Unmet | Reason::Conflict => Status::Invalid,
        Reason::Incompatible => Status::Incompatible,
        Reason::Collision | Reason::Shadowed => Status::Shadowed,
        Reason::Pending => Status::Pending,
        Reason::Tampered => Status::Tampered,
        Reason::Disabled => Status::Inactive,
    };
    let row = Row {
        status,
        reason: Some(skip.message.clone()),
        reason_code: Some(skip.reason.word()),
        remedy: Some(skip.remedy.clone()),
        ..Row::bare(&skip.id, skip.scope.word())
    };
    match &skip.manifest {
        Some(facts) => Row {
            role: Some(facts.role),
            version: Some(facts.version.clone()),
            tier: Some(facts.tier),
            title: Some(facts.title.clone()),
            ..row
        },
        None => row,
    }
}
