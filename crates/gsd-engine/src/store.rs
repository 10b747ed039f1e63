//! Installed capabilities on disk: where they lie, what was recorded of them, and whether they may
//! be used.
//!
//! Reading never writes, and nothing of a project's overlay is read before somebody on this machine
//! consented to exactly these files.

pub mod check;
mod consent;
#[expect(dead_code, reason = "the transactions that come next use it")]
mod consent_store;
mod content_hash;
pub mod disclosure;
mod discover;
mod error;
mod held;
#[expect(dead_code, reason = "the transactions that come next use it")]
mod ledger;
#[expect(dead_code, reason = "the transactions that come next use it")]
mod root;
pub mod shared_edit;
#[expect(dead_code, reason = "the transactions that come next use it")]
mod staged;
pub mod trust;

pub use consent::{Consented, Question};
pub use consent_store::{Consent, ConsentError, ConsentStore};
pub use content_hash::{HashError, content_hash};
pub use discover::{Discovery, Missing, Places, StoreProblem, discover};
pub use error::StoreError;
pub use ledger::{Approval, Entry, Ledger, LedgerError, SharedEdit};
pub use root::ScopeRoot;
pub use staged::{SourceRecord, Staged};
