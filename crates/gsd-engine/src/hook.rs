//! Hooks: what a capability does at the points of the loop, and what it does when a host says that
//! something happened.
//!
//! A step runs by itself, a contribution goes into the prompt of an agent. Both are declarations:
//! this module reads them and says where they are wrong; it runs nothing.

mod artifact;
mod contract;
mod contribution;
mod fragment;
mod lifecycle;
pub mod order;
mod step;

pub use artifact::Artifact;
pub use contract::{HostContract, HostStep, host_contract};
pub use contribution::{ConfigValues, Contribution};
pub use fragment::{Fragment, FragmentPath};
pub use lifecycle::{KNOWN_EVENTS, LifecycleHook, ScriptPath};
pub use step::{Step, Target};

use crate::diag::Rule;

/// Every rule of this module.
pub static RULES: &[&Rule] = &[
    &artifact::ARTIFACT_NAME,
    &contribution::UNKNOWN_ROLE,
    &fragment::FRAGMENT_EMPTY,
    &lifecycle::MATCHER,
    &lifecycle::SCRIPT,
    &lifecycle::UNKNOWN_EVENT,
    &step::REF_FORM,
    &step::REF_PREFIX,
];
