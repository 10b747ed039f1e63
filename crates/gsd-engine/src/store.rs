//! Installed capabilities on disk: where they lie, what was recorded of them, and whether they may
//! be used.
//!
//! Reading never writes, and nothing of a project's overlay is read before somebody on this machine
//! consented to exactly these files.

mod acquire;
mod begun;
pub mod check;
mod confirmed;
mod consent;
mod consent_store;
mod content_hash;
pub mod disclosure;
mod discover;
mod error;
pub mod health;
mod heir;
mod held;
mod ledger;
mod listing;
pub mod locked;
pub mod outdated;
mod overlay_folder;
mod places;
pub mod plan;
pub mod recover;
pub mod remove;
mod root;
mod shared;
pub mod shared_edit;
mod signer;
mod staged;
pub mod switch;
pub mod transaction;
pub mod trust;
pub mod wish;

pub use acquire::{Acquired, Recording, acquire, host_version};
pub use confirmed::source_is_confirmed;
pub use consent::{Consented, Question};
pub use consent_store::{Consent, ConsentError, ConsentStore};
pub use content_hash::{HashError, content_hash};
pub use discover::{Discovery, Missing, StoreProblem, discover};
pub use error::StoreError;
pub use ledger::{Approval, Entry, Ledger, LedgerError, SharedEdit};
pub use listing::rows;
pub use places::{NoHome, Places};
pub use root::ScopeRoot;
pub use shared::check_number;
pub use signer::signer_of;
pub use staged::{SourceRecord, Staged};
