//! What is not in force, and why.

use super::Scope;
use crate::diag::Diagnostic;
use crate::gate::OnLoadFailure;
use crate::id::CapabilityId;
use crate::id::Point;
use crate::lane::Descriptor;
use crate::manifest::Manifest;
use crate::text::printable;
use camino::Utf8Path;

/// Why an overlay is not in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Its manifest or a file that it names is wrong.
    Invalid,
    /// It asks for a host that this gsd is not.
    Incompatible,
    /// Something that it claims belongs to a capability that stays.
    Collision,
    /// Another capability of its id stands in for it.
    Shadowed,
    /// What it requires is not in force.
    Unmet,
    /// It is right alone but does not fit the others.
    Conflict,
    /// An install or update of it was begun and not finished.
    Pending,
    /// Its files are not those that were consented to.
    Tampered,
    /// The user switched it off.
    Disabled,
}

impl Reason {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Incompatible => "incompatible",
            Self::Collision => "collision",
            Self::Shadowed => "shadowed",
            Self::Unmet => "unmet",
            Self::Conflict => "conflict",
            Self::Pending => "pending",
            Self::Tampered => "tampered",
            Self::Disabled => "disabled",
        }
    }
}

/// An overlay that is not in force.
#[derive(Debug, Clone)]
pub struct Skip {
    /// The name of its folder.
    pub id: String,
    pub scope: Scope,
    pub reason: Reason,
    /// One line for people: what is wrong.
    pub message: String,
    /// The next command to type.
    pub remedy: String,
    /// The faults with their places.
    pub diagnostics: Vec<Diagnostic>,
    /// What its manifest says, if it could be read.
    pub manifest: Option<Facts>,
    pub declared: Declared,
}

/// The lane of a capability that is not in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Declared {
    /// Its manifest cannot be read.
    Unknown,
    NoLane,
    Lane(Box<Descriptor>),
}

impl Declared {
    fn of(manifest: &Manifest) -> Self {
        manifest.lane().map_or(Self::NoLane, |lane| Self::Lane(Box::new(lane.descriptor.clone())))
    }
}

/// What a list says of a capability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub role: &'static str,
    pub version: String,
    pub tier: &'static str,
    pub title: String,
}

impl Facts {
    fn of(manifest: &Manifest) -> Self {
        Self {
            role: manifest.role.word(),
            version: manifest.version.to_string(),
            tier: manifest.tier.value.word(),
            title: manifest.title.clone(),
        }
    }
}

impl Skip {
    /// `by_hand` is where an overlay lies that nobody installed.
    pub(super) fn new(
        id: &str,
        scope: Scope,
        by_hand: Option<&Utf8Path>,
        reason: Reason,
        message: impl Into<String>,
    ) -> Self {
        // Folder names are not checked by anybody before they end up in a command to type.
        let command = |verb: &str| match CapabilityId::parse(id) {
            Ok(id) => format!("gsd capability {verb} {id} --scope {scope}"),
            Err(_) => format!("remove its folder from the {scope} capabilities"),
        };
        // What nobody installed is not gsd's to remove.
        let removal = || match by_hand {
            Some(path) if CapabilityId::parse(id).is_ok() => format!("delete `{path}`"),
            Some(path) => {
                let folder = path.parent().unwrap_or(path);
                format!("rename or delete the folder `{}` in `{folder}`", printable(id, 60))
            }
            None => command("remove"),
        };
        let remedy = match reason {
            Reason::Invalid
            | Reason::Incompatible
            | Reason::Collision
            | Reason::Unmet
            | Reason::Conflict
            | Reason::Shadowed => removal(),
            Reason::Pending => "gsd capability reconcile".to_owned(),
            Reason::Tampered => command("trust show"),
            Reason::Disabled => command("enable"),
        };
        Self {
            id: id.to_owned(),
            scope,
            reason,
            message: printable(&message.into(), 300),
            remedy,
            diagnostics: vec![],
            manifest: None,
            declared: Declared::Unknown,
        }
    }

    pub(super) fn of(mut self, manifest: &Manifest) -> Self {
        self.manifest = Some(Facts::of(manifest));
        self.declaring(Some(manifest))
    }

    /// Knows the lane of a manifest of which nothing else is shown.
    pub(super) fn declaring(mut self, manifest: Option<&Manifest>) -> Self {
        self.declared = manifest.map_or(Declared::Unknown, Declared::of);
        self
    }

    pub(super) fn with(mut self, diagnostics: Vec<Diagnostic>) -> Self {
        self.diagnostics = diagnostics;
        self
    }
}

/// A gate of an overlay that is not in force: the loop goes on without it, loudly, unless it asked
/// to be a wall and the user agreed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedGate {
    pub capability: String,
    pub scope: Scope,
    pub point: Point,
    pub reason: Reason,
    pub message: String,
    pub remedy: String,
    pub on_load_failure: Option<OnLoadFailure>,
}

/// An overlay of a project that nobody on this machine consented to. Nothing of it is read or
/// shown but the name of its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unconsented {
    pub id: String,
    pub scope: Scope,
}

impl Unconsented {
    /// The command that shows what there is to consent to, and asks.
    pub fn remedy(&self) -> String {
        match crate::id::CapabilityId::parse(&self.id) {
            Ok(id) => format!("gsd capability trust grant {id} --scope {}", self.scope),
            Err(_) => "rename its folder to a valid id".to_owned(),
        }
    }
}
