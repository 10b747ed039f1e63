//! Reviewing lanes: one external reviewer each, described by data.
//!
//! A lane is planned (pure) and then called (dull). What came of it is a value,
//! never an `Err`: a lane that fails is news, not an error of ours.

pub mod descriptor;
pub mod handler;
pub mod probe;
mod state;
pub mod words;

pub use descriptor::{Descriptor, RULES};
pub use state::{During, Proof, Reason, State};
