//! Citations against the work tree: a finding counts as much as its evidence.
//!
//! A reviewer says that something stands at a place; this module looks. What it reads is bounded in
//! bytes and of regular files only, and nothing outside the root is ever opened, whatever a
//! citation or a link says. It asks no model and believes no claim: each verdict is what a person
//! with a plain search would find.
//!
//! It knows nothing of findings, lanes or plans. Paths that the plans will create come in as a
//! value.

mod absence;
mod check;
mod claim;
mod meaning;
mod place;
mod tree;

pub use check::{Checked, Citation, Snippet, Verdict, check};
pub use claim::identifiers;
pub use place::{Place, places};
pub use tree::{Earlier, Localized, WorkTree};
