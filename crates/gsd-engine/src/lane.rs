//! Reviewing lanes: one external reviewer each, described by data.
//!
//! A lane is planned (pure) and then called (dull). What came of it is a value,
//! never an `Err`: a lane that fails is news, not an error of ours.
//!
//! The way of a lane: [`descriptor`] (what its manifest says) → [`roster`] (all lanes there are) →
//! [`selection`] (which of them a run asks) → [`settings`] (what the user says about each) →
//! [`mod@plan`] (what will be called) → [`probe`] (is it there?) → [`transport`] (the call) →
//! [`LaneReport`] (what came of it). [`egress`] decides which servers a prompt may be sent to at all.

pub mod budget;
mod call;
pub mod confinement;
pub mod descriptor;
pub mod egress;
pub mod handler;
pub mod meaning;
pub mod plan;
pub mod probe;
mod report;
mod retry;
pub mod roster;
pub mod selection;
pub mod settings;
mod state;
pub mod transport;
mod vendor;
pub mod withheld;
pub mod words;

pub use call::{CallContext, Ready, call, probe as probe_lane};
pub use confinement::{Confinement, Offer, Way};
pub use descriptor::Descriptor;
pub use plan::{CallPlan, LanePlan, PlanError, RunPaths, plan};
pub use report::{Delivery, LaneReport, OutputSizes};
pub use roster::{Lane, LazyRoster, Origin, Roster};
pub use settings::{LaneSettings, Overrides};
pub use state::{During, Proof, Reason, State};
pub use transport::Progress;
pub(crate) use vendor::{declines, reads_like_an_error};
pub use withheld::Withheld;

use crate::diag::Rule;

/// Every rule of this module.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    descriptor::RULES.iter().chain(settings::RULES).copied()
}
