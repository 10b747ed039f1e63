//! The lanes of a composition: those in force, and those that are there and may not be used.

use super::Composition;
use super::skip::{Declared, Reason, Skip, Unconsented};
use crate::id::CapabilityId;
use crate::lane::withheld::News;
use crate::lane::{self, Roster, Withheld};

impl Composition {
    /// All lanes, with those that are withheld.
    pub fn lanes(&self) -> Roster {
        let skips = self.skips.iter().filter_map(of_skip);
        let unconsented = self.unconsented.iter().filter_map(of_unconsented);
        self.registry.lanes().and_withheld(skips.chain(unconsented))
    }
}

fn of_skip(skip: &Skip) -> Option<Withheld> {
    let descriptor = match &skip.declared {
        Declared::NoLane => return None,
        Declared::Unknown => None,
        Declared::Lane(descriptor) => Some((**descriptor).clone()),
    };
    let (reason, why) = match skip.reason {
        Reason::Tampered => (
            lane::Reason::NotConsented,
            "it is installed, but its files differ from those that were consented to".to_owned(),
        ),
        Reason::Disabled => (lane::Reason::Policy, "it is installed and switched off".to_owned()),
        Reason::Pending => (
            lane::Reason::Policy,
            "an install or update of it was begun and not finished".to_owned(),
        ),
        Reason::Invalid
        | Reason::Incompatible
        | Reason::Collision
        | Reason::Shadowed
        | Reason::Unmet
        | Reason::Conflict => {
            (lane::Reason::Policy, format!("it is installed and not in force: {}", skip.message))
        }
    };
    let news = match (skip.reason, &descriptor) {
        (Reason::Disabled, _) | (_, None) => News::Silent,
        (_, Some(_)) => News::Told,
    };
    Some(Withheld {
        capability: CapabilityId::parse(&skip.id).ok()?,
        descriptor,
        reason,
        why,
        remedy: format!("`{}`", skip.remedy),
        news,
    })
}

/// Nothing of it is read, so its folder is all that it can be called by.
fn of_unconsented(overlay: &Unconsented) -> Option<Withheld> {
    Some(Withheld {
        capability: CapabilityId::parse(&overlay.id).ok()?,
        descriptor: None,
        reason: lane::Reason::NotConsented,
        why: format!(
            "the capability of that name in this {} is not read before you consent to it",
            overlay.scope
        ),
        remedy: format!("`{}`", overlay.remedy()),
        news: News::Silent,
    })
}
