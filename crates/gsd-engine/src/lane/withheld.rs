//! Lanes that are installed and may not be used: somebody who asks for one is told so, and not that
//! there is none.

use super::descriptor::Descriptor;
use super::report::LaneReport;
use super::selection::Absence;
use super::state::{Reason, State};
use crate::id::CapabilityId;

/// A capability that is there and not in force, and the lane that it would bring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withheld {
    pub capability: CapabilityId,
    /// What its manifest declares; `None` where that must not be read before somebody agrees to it,
    /// or cannot be. Whether it brings a lane at all is not known then.
    pub descriptor: Option<Descriptor>,
    pub reason: Reason,
    /// Why it is not used, in one sentence.
    pub why: String,
    pub remedy: String,
    pub news: News,
}

/// Whether a run in which nobody named it tells of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    Told,
    /// The user wanted it so, or nothing says that it is a lane.
    Silent,
}

impl Withheld {
    /// The name under which people know it: its slug, else its capability.
    pub fn name(&self) -> &str {
        match &self.descriptor {
            Some(descriptor) => descriptor.slug.as_str(),
            None => self.capability.as_str(),
        }
    }

    pub fn heading(&self) -> &str {
        match &self.descriptor {
            Some(descriptor) => descriptor.heading.as_str(),
            None => self.capability.as_str(),
        }
    }

    /// The flags that ask for it. Of one that is not read only the obvious one is known.
    pub fn flags(&self) -> Vec<String> {
        match &self.descriptor {
            Some(descriptor) => descriptor.flags.iter().map(ToString::to_string).collect(),
            None => vec![format!("--{}", self.capability)],
        }
    }

    /// Whether somebody who says that name means it.
    pub(super) fn is_named(&self, name: &str) -> bool {
        let id = self.capability.as_str();
        name == self.name() || name == id || name == id.replace('-', "_")
    }

    pub fn absence(&self) -> Absence {
        Absence { why: self.why.clone(), remedy: Some(self.remedy.clone()) }
    }

    pub fn report(&self) -> LaneReport {
        LaneReport::not_called(State::Blocked, self.reason, self.why.clone())
            .remedy(self.remedy.clone())
    }
}
