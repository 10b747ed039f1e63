//! A bundle that lies ready: its bytes are known by their hash, and everything said about it later
//! is about these bytes.

use super::check::{Candidate, Origin};
use super::disclosure::{BundleFiles, Disclosure};
use super::{ScopeRoot, StoreError, content_hash};
use crate::id::CapabilityId;
use crate::manifest::Manifest;
use crate::source::SigningKey;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};

/// Where a bundle came from, as its ledger entry keeps it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceRecord {
    /// The spec as the user wrote it.
    pub requested: String,
    /// The spec in its lasting form; empty for a bundle that was found where it lies.
    pub recorded: String,
    /// What a ledger says that comes with a project, where no word of the user stands behind it.
    pub claimed: Option<String>,
    /// The word for its kind.
    pub kind: &'static str,
    /// What stays the same when only another version is wanted.
    pub identity: String,
    /// The digest of the archive, if it came in one.
    pub integrity: String,
    /// The key by which the archive is signed, where one was asked for.
    pub signed_by: Option<SigningKey>,
    /// What the spec turned out to be.
    pub resolved: Map<String, Value>,
    /// What every later fetch has to give, if the user pinned it.
    pub pinned: Option<Value>,
}

impl SourceRecord {
    /// Whether the bundle comes from a source, and was not found where it lies.
    pub fn was_fetched(&self) -> bool {
        !self.kind.is_empty()
    }

    /// For people: whether it is signed, and by whom. Of what was only found nobody can tell.
    pub fn signature_line(&self) -> Option<String> {
        self.was_fetched().then(|| match &self.signed_by {
            Some(key) => format!("signature: minisign, key {}", key.id()),
            None => "signature: none".to_owned(),
        })
    }
}

/// A bundle whose files are plain and whose hash is known. Whether it fits is not known yet.
#[derive(Debug)]
pub struct Staged {
    folder: Utf8PathBuf,
    candidate: Candidate,
    content_hash: String,
    source: SourceRecord,
}

impl Staged {
    /// Looks at the bundle in a folder. `configured` gives the text that a setting has now.
    pub fn take(
        folder: &Utf8Path,
        root: &ScopeRoot,
        source: SourceRecord,
        origin: Origin,
        configured: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, StoreError> {
        let hash = content_hash(folder).map_err(StoreError::Bundle)?;
        let candidate = Candidate::read(folder, root.scope, origin, configured)
            .map_err(|error| StoreError::refused(error.to_string()))?;
        // What was read is what was hashed, also where somebody else may write to the folder.
        if content_hash(folder).map_err(StoreError::Bundle)? != hash {
            return Err(StoreError::ContentChanged);
        }
        Ok(Self { folder: folder.to_owned(), candidate, content_hash: hash, source })
    }

    /// The bundle that lies in its place; `None` if none does that can be read.
    pub(super) fn live(
        root: &ScopeRoot,
        id: &CapabilityId,
        configured: &dyn Fn(&str) -> Option<String>,
    ) -> Option<Self> {
        let source = SourceRecord::default();
        Self::take(&root.bundle(id), root, source, Origin::Unproven, configured).ok()
    }

    pub fn candidate(&self) -> &Candidate {
        &self.candidate
    }

    /// The manifest; `None` if something is wrong with it.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.candidate.manifest()
    }

    pub fn files(&self) -> &BundleFiles {
        &self.candidate.files
    }

    pub fn content_hash(&self) -> &str {
        &self.content_hash
    }

    pub fn source(&self) -> &SourceRecord {
        &self.source
    }

    pub fn disclosure(&self) -> &Disclosure {
        &self.candidate.disclosure
    }

    pub(super) fn folder(&self) -> &Utf8Path {
        &self.folder
    }
}
