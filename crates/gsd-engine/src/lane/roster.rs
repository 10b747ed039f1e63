//! All lanes that there are: gsd's own and those of installed capabilities, in one order.
//!
//! Every consumer (selection, instances, settings, probes, plans, calls, help) takes the lanes
//! from here, so that no two of them can disagree about which lanes exist.

use super::descriptor::rules::UNKNOWN_WORD;
use super::descriptor::{self, Descriptor};
use super::withheld::Withheld;
use crate::diag::SourceFile;
use crate::id::{CapabilityId, LaneFlag, LaneSlug};
use crate::json::{self, Dialect, Pointer, Sink};
use std::cell::LazyCell;
use std::collections::BTreeSet;

/// Who declares a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A manifest that is part of gsd.
    FirstParty,
    /// An installed capability.
    Overlay,
    /// A capability that lies there although nobody approved it: its lane is known and never called.
    Unapproved,
}

/// A lane and the capability that declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    pub capability: CapabilityId,
    pub origin: Origin,
    pub descriptor: Descriptor,
}

impl Lane {
    pub fn slug(&self) -> &LaneSlug {
        &self.descriptor.slug
    }
}

/// What two lanes must not share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shared {
    Slug(LaneSlug),
    Flag(LaneFlag),
    /// Compared without case and spacing.
    Heading(String),
}

/// A lane that was left out because an earlier one has the same slug, flag or heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    pub shared: Shared,
    pub kept: CapabilityId,
    pub dropped: CapabilityId,
}

/// All lanes, in the order of reports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Roster {
    lanes: Vec<Lane>,
    withheld: Vec<Withheld>,
}

impl Roster {
    /// Puts lanes together: those of gsd in their own order, then the others as they come. Of two
    /// that clash the first one stays.
    pub fn of(lanes: impl IntoIterator<Item = Lane>) -> (Self, Vec<Clash>) {
        let (mut own, overlays): (Vec<Lane>, Vec<Lane>) =
            lanes.into_iter().partition(|lane| lane.origin == Origin::FirstParty);
        let order = order();
        let rank = |lane: &Lane| order.iter().position(|id| id == lane.capability.as_str());
        own.sort_by_key(|lane| (rank(lane).unwrap_or(usize::MAX), lane.capability.clone()));
        let (mut roster, mut clashes) = (Self::default(), vec![]);
        for lane in own.into_iter().chain(overlays) {
            match roster.clash(&lane) {
                Some(clash) => clashes.push(clash),
                None => roster.lanes.push(lane),
            }
        }
        (roster, clashes)
    }

    /// With what is installed and may not be used. Nobody meets those in [`Self::iter`].
    #[must_use]
    pub fn and_withheld(mut self, withheld: impl IntoIterator<Item = Withheld>) -> Self {
        self.withheld.extend(withheld);
        self
    }

    /// What is installed and may not be used, where nothing in force has its name: another one of
    /// the same id changes nothing about the lane that there is.
    pub fn withheld(&self) -> impl Iterator<Item = &Withheld> {
        let of_force = |one: &Withheld| {
            let same = |lane: &Lane| lane.capability == one.capability;
            self.by_slug(one.name()).is_some() || self.lanes.iter().any(same)
        };
        self.withheld.iter().filter(move |one| !of_force(one))
    }

    /// The one that somebody means who says a name that no lane in force has.
    pub fn withheld_as(&self, name: &str) -> Option<&Withheld> {
        self.withheld().find(|one| one.is_named(name))
    }

    fn clash(&self, lane: &Lane) -> Option<Clash> {
        let new = &lane.descriptor;
        self.lanes.iter().find_map(|old| {
            let old_lane = &old.descriptor;
            let flags: BTreeSet<_> = old_lane.flags.iter().collect();
            let shared = if old_lane.slug == new.slug {
                Shared::Slug(new.slug.clone())
            } else if let Some(flag) = new.flags.iter().find(|flag| flags.contains(flag)) {
                Shared::Flag(flag.clone())
            } else if old_lane.heading.folded() == new.heading.folded() {
                Shared::Heading(new.heading.folded())
            } else {
                return None;
            };
            let (kept, dropped) = (old.capability.clone(), lane.capability.clone());
            Some(Clash { shared, kept, dropped })
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = &Lane> {
        self.lanes.iter()
    }

    pub fn descriptors(&self) -> Vec<&Descriptor> {
        self.lanes.iter().map(|lane| &lane.descriptor).collect()
    }

    pub fn by_slug(&self, slug: &str) -> Option<&Lane> {
        self.lanes.iter().find(|lane| lane.descriptor.slug.as_str() == slug)
    }

    pub fn by_flag(&self, flag: &str) -> Option<&Lane> {
        self.lanes.iter().find(|lane| lane.descriptor.flags.iter().any(|f| f.as_str() == flag))
    }

    pub fn by_heading(&self, heading: &str) -> Option<&Lane> {
        let folded = heading.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        self.lanes.iter().find(|lane| lane.descriptor.heading.folded() == folded)
    }

    /// The place of a lane in the order of reports.
    pub fn position(&self, slug: &LaneSlug) -> Option<usize> {
        self.lanes.iter().position(|lane| lane.descriptor.slug == *slug)
    }
}

/// A roster that is read when somebody first asks for it.
pub type LazyRoster = LazyCell<Roster, Box<dyn FnOnce() -> Roster>>;

/// gsd's own lanes, read from the manifests that are part of the program.
pub fn first_party() -> Vec<Lane> {
    with_lanes().filter_map(|(id, text)| read_own(id, text)).collect()
}

/// One of gsd's own lanes. Nothing that is installed can take its place, so who wants no other one
/// need not read any roster.
pub fn own(slug: &str) -> Option<Lane> {
    // Reading them all costs more than the rest of a call.
    let named = format!("\"slug\": \"{slug}\"");
    with_lanes()
        .filter(|(_, text)| text.contains(&named))
        .filter_map(|(id, text)| read_own(id, text))
        .find(|lane| lane.slug().as_str() == slug)
}

/// The manifests that bring a lane. Every command pays for these, so the others are not read.
fn with_lanes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let ids = order();
    crate::embedded::manifests().filter(move |(id, _)| ids.iter().any(|listed| listed == id))
}

fn read_own(id: &str, text: &str) -> Option<Lane> {
    let file = SourceFile::new(format!("{id}/capability.json"), text);
    let root = json::parse(&file, Dialect::Strict).0?;
    let body = root.as_object()?.get("reviewer")?;
    // Reports of an embedded manifest go nowhere, so any rule does; a test reads them all.
    let mut sink = Sink::new(file, &UNKNOWN_WORD, &UNKNOWN_WORD, &UNKNOWN_WORD);
    let descriptor = descriptor::read(body, &Pointer::root().key("reviewer"), &mut sink)?;
    let capability = CapabilityId::parse(id).ok()?;
    Some(Lane { capability, origin: Origin::FirstParty, descriptor })
}

/// The order of gsd's own lanes: ids of their capabilities.
fn order() -> Vec<String> {
    crate::embedded::text("lanes.json")
        .and_then(|text| serde_json::from_str(text).ok())
        .expect("lanes.json is embedded and a list of ids; a test reads it")
}

#[cfg(test)]
pub(crate) mod tests;
