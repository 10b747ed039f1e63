//! Where capabilities come from. A [`SourceSpec`] is what a user wrote; fetching it makes a folder
//! with `capability.json` at its top and nothing but plain files and folders in it.
//!
//! Every kind of source has a file of its own, and the table below is the only list of them. None
//! of them writes anywhere but into the scratch folder that its caller gives it, runs anything that
//! it fetched, or asks a host before the [`Policy`] was asked.

mod compat;
mod cool_down;
mod fetch;
mod git;
mod integrity;
mod local;
mod lock;
mod npm;
mod peek;
mod policy;
mod range;
mod registry;
mod signature;
mod spec;
mod tarball;
mod unpack;
mod web;

pub use fetch::{
    Class, FetchContext, FetchError, Fetched, Limits, Patience, Resolved, Transport, Verified,
};
pub use integrity::{Integrity, IntegrityError};
pub use lock::{Drift, LOCK_FILE, LockError, LockFile, Locked};
pub use peek::{Installed, Peek, Standing};
pub use policy::{Policy, Refusal};
pub use registry::{BuildError, build_index};
pub use signature::{KeyError, SigningKey};
pub use spec::{Base, SourceSpec, SpecError};

use camino::Utf8Path;
use std::fmt::Debug;
use std::sync::Arc;

/// One kind of source.
pub struct Kind {
    /// The word for it in tables and ledgers.
    pub word: &'static str,
    /// How it is written, each form with what it means.
    pub forms: &'static [(&'static str, &'static str)],
    /// Reads a text that is of this kind.
    read: fn(&str, &Base<'_>) -> Reading,
}

impl Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Kind").field(&self.word).finish()
    }
}

/// Every kind. The first one that knows a text has it.
pub static KINDS: &[Kind] = &[local::KIND, npm::KIND, tarball::KIND, git::KIND, registry::KIND];

/// `None` if a text is of another kind.
type Reading = Option<Result<Arc<dyn Source>, SpecError>>;

/// What a kind of source can do.
trait Source: Debug + Send + Sync {
    /// The spec in its lasting form: absolute, and without credentials.
    fn recorded(&self) -> String;

    /// What stays the same when only another version is wanted.
    fn identity(&self) -> String;

    /// What gives again what this turned out to be, and nothing else.
    fn exactly(&self, resolved: &Resolved) -> String;

    /// What it would ask, for the policy.
    fn target(&self) -> Target<'_>;

    /// Makes the bundle below `scratch`, an empty folder.
    fn fetch(&self, context: &FetchContext<'_>, scratch: &Utf8Path) -> Result<Fetched, FetchError>;

    /// Asks for the newest that fetching would give, without fetching it.
    fn peek(&self, context: &FetchContext<'_>) -> Peek;
}

/// What a source asks first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// A folder of this machine.
    Folder(&'a Utf8Path),
    /// A host, and what is asked of it.
    Host { name: &'a str, path: &'a str },
    /// The user's npm registry, whatever its host.
    Npm { scope: Option<&'a str> },
    /// A registry to which the user gave this name.
    Registry(&'a str),
}
