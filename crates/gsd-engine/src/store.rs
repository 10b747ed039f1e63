//! Installed capabilities on disk: where they lie, what was recorded of them, and whether they may
//! be used.
//!
//! Reading never writes, and nothing of a project's overlay is read before somebody on this machine
//! consented to exactly these files.

mod content_hash;
pub mod disclosure;
mod discover;
mod record;
pub mod shared_edit;

pub use content_hash::{HashError, content_hash};
pub use discover::{Discovery, Places, StoreProblem, discover};
