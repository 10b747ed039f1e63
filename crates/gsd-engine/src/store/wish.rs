//! What a user asked for when something is to be installed or updated.

use crate::id::CapabilityId;
use std::time::Duration;

/// What to do with a folder that lies in the place and that nobody installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmanaged {
    Refuse,
    /// It is kept beside its place, once the user said yes to that.
    Replace,
}

/// Whether another source than the recorded one may take a capability over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherSource {
    Refuse,
    Replace,
}

/// Whether what was signed may come by another key, or by none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherSigner {
    Refuse,
    Replace,
}

/// Whether an older version may take the place of a newer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Downgrade {
    Refuse,
    Allow,
}

/// What becomes of the files that hold entries of the capability already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedFiles {
    Keep,
    Leave,
}

/// Whether changes of others that are under way are waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// At most so long each; what somebody left unfinished is ended.
    Wait(Duration),
    /// Nothing is written, the lock included, so it is decided on what is seen.
    Overlook,
}

/// What a user asked for.
#[derive(Debug)]
pub struct Wish {
    /// The capability that an update is about; `None` for an install.
    pub update: Option<CapabilityId>,
    /// Files of hosts below the root that are to get its entries.
    pub shared_files: Vec<String>,
    pub recorded_files: RecordedFiles,
    pub unmanaged: Unmanaged,
    pub other_source: OtherSource,
    pub other_signer: OtherSigner,
    pub downgrade: Downgrade,
    pub others: Others,
}

impl Wish {
    /// A wish that takes nothing away from anybody: whatever would is refused. More is allowed field
    /// by field.
    pub fn careful(
        update: Option<CapabilityId>,
        shared_files: Vec<String>,
        others: Others,
    ) -> Self {
        Self {
            update,
            shared_files,
            recorded_files: RecordedFiles::Keep,
            unmanaged: Unmanaged::Refuse,
            other_source: OtherSource::Refuse,
            other_signer: OtherSigner::Refuse,
            downgrade: Downgrade::Refuse,
            others,
        }
    }
}
