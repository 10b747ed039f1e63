//! The registry: all capabilities that are in force, and the views of them that the rest of gsd
//! uses.
//!
//! [`compose`] is a pure function of first-party capabilities and overlays. It does not depend on
//! the order in which overlays are found, one bad overlay never takes another one down, and the
//! work grows with the number of capabilities, not with its square. What cannot be used is skipped
//! with one reason and a remedy; nothing is dropped in silence.

mod artifact;
mod capability;
mod claim;
mod compose;
mod cross;
mod difference;
mod document;
mod find;
mod first_party;
mod fix;
mod list;
mod matrix;
mod skip;
mod validate;
mod views;
mod withheld;

pub use capability::{Capability, Provenance, Scope};
pub use compose::{Composition, Overlay, Standing, compose};
pub use cross::check_set;
pub use difference::{Difference, differences};
pub use document::{document, render};
pub use find::Found;
pub use first_party::{first_party, read_first_party};
pub use fix::{Fixed, fixed};
pub use list::{Row, Status, rows};
pub use matrix::{matrix_json, matrix_markdown};
pub use skip::{BlockedGate, Declared, Facts, Reason, Skip, Unconsented};
pub use validate::{NothingThere, Strictness, Validation, validate, validate_text};
pub use views::{HooksAtPoint, Registry};

use crate::diag::Rule;

/// More faults of one kind tell nothing new, and a hostile manifest must stay cheap.
const MAX_ALIKE: usize = 100;

/// Every rule of this module.
pub static RULES: &[&Rule] = &[
    &artifact::ARTIFACT_LATE,
    &artifact::ARTIFACT_MISSING,
    &artifact::ARTIFACT_OWN,
    &cross::CENTRAL_CONFIG_KEY,
    &cross::CONFIG_OVERLAP,
    &claim::DUPLICATE_AGENT,
    &claim::DUPLICATE_CONFIG_KEY,
    &claim::DUPLICATE_FAMILY,
    &claim::DUPLICATE_FLAG,
    &claim::DUPLICATE_HEADING,
    &claim::DUPLICATE_ID,
    &claim::DUPLICATE_PRODUCER,
    &claim::DUPLICATE_SKILL,
    &claim::DUPLICATE_SLUG,
    &artifact::ORDER_CYCLE,
    &cross::REQUIREMENT_CYCLE,
    &cross::REQUIREMENT_TIER,
    &cross::UNKNOWN_CONFIG_VALUE,
    &cross::UNKNOWN_REQUIREMENT,
    &cross::UNKNOWN_RUNTIME,
];
