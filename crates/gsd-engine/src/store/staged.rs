//! A bundle that lies ready: its bytes are known by their hash, and everything said about it later
//! is about these bytes.

use super::disclosure::{BundleFiles, BundleFilesError, Disclosure};
use super::{HashError, StoreError, content_hash};
use crate::diag::Level;
use crate::id::CapabilityId;
use crate::manifest::{Bundle, Context, Manifest, Origin, read_bundle};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};

/// Where a bundle came from, as its ledger entry keeps it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceRecord {
    /// The spec as the user wrote it.
    pub requested: String,
    /// The spec in its lasting form; empty for a bundle that was found where it lies.
    pub recorded: String,
    /// The digest of the archive, if it came in one.
    pub integrity: String,
    /// What the spec turned out to be.
    pub resolved: Map<String, Value>,
    /// What every later fetch has to give, if the user pinned it.
    pub pinned: Option<Value>,
}

/// A bundle whose files are plain, whose manifest is sound, and whose hash is known.
#[derive(Debug)]
pub struct Staged {
    folder: Utf8PathBuf,
    bundle: Bundle,
    document: Value,
    files: BundleFiles,
    content_hash: String,
    source: SourceRecord,
}

impl Staged {
    /// Looks at the bundle in a folder.
    pub fn take(folder: &Utf8Path, source: SourceRecord) -> Result<Self, StoreError> {
        let hash = content_hash(folder).map_err(StoreError::Bundle)?;
        let context = Context { origin: Origin::ThirdParty, folder: None };
        let bundle = read_bundle(folder, "capability.json", context);
        let files = BundleFiles::read(folder).map_err(not_read)?;
        // What was read is what was hashed, also where somebody else may write to the folder.
        if content_hash(folder).map_err(StoreError::Bundle)? != hash {
            return Err(StoreError::ContentChanged);
        }
        if bundle.manifest().is_none() {
            return Err(invalid(&bundle));
        }
        let document =
            serde_json::from_str(bundle.parsed.file.text()).expect("a sound manifest is JSON");
        let folder = folder.to_owned();
        Ok(Self { folder, bundle, document, files, content_hash: hash, source })
    }

    pub fn manifest(&self) -> &Manifest {
        self.bundle.manifest().expect("it was looked at when it was taken")
    }

    /// The manifest as it is written, with what this version does not know.
    pub fn document(&self) -> &Value {
        &self.document
    }

    pub fn id(&self) -> &CapabilityId {
        &self.manifest().id.value
    }

    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    pub fn files(&self) -> &BundleFiles {
        &self.files
    }

    pub fn content_hash(&self) -> &str {
        &self.content_hash
    }

    pub fn source(&self) -> &SourceRecord {
        &self.source
    }

    pub(super) fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    /// What somebody has to agree to. `configured` gives the text that a setting has now.
    pub fn disclosure(&self, configured: &dyn Fn(&str) -> Option<String>) -> Disclosure {
        Disclosure::of(&self.document, &self.files, configured)
    }
}

fn not_read(error: BundleFilesError) -> StoreError {
    StoreError::refused(error.to_string())
}

/// A manifest that is not sound, with its faults.
fn invalid(bundle: &Bundle) -> StoreError {
    let found = &bundle.parsed.diagnostics;
    let errors = found.iter().filter(|found| found.level == Level::Error);
    let reasons: Vec<String> = errors.map(|found| found.message.clone()).take(20).collect();
    let hint = "`gsd capability validate PATH` shows each fault with its place".to_owned();
    StoreError::Refused { reasons, diagnostics: found.clone(), hint: Some(hint) }
}

impl From<HashError> for StoreError {
    fn from(error: HashError) -> Self {
        Self::Bundle(error)
    }
}
