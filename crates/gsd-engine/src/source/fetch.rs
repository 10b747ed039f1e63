//! What a fetch is given, and what can come of it.

use super::integrity::Integrity;
use super::policy::{Policy, Refusal};
use super::signature::SigningKey;
use crate::text::printable;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::archive::ArchiveError;
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_io::fs::{self, Links, WriteError};
use gsd_io::http::Pace;
use gsd_io::tree::{self, TreeError};
use semver::Version;
use std::time::{Duration, Instant};

/// The most that is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the bundle, and of the archive that it comes in.
    pub bytes: u64,
    /// Files and folders.
    pub entries: usize,
}

impl Limits {
    /// What a bundle may weigh at most, wherever it comes from.
    pub const MOST: Self = Self { bytes: 64 << 20, entries: 20_000 };

    pub(super) const fn tree(self) -> tree::Limits {
        tree::Limits { bytes: self.bytes, entries: self.entries }
    }
}

/// How long a host may take for what. All of a source is done by the deadline in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Until the connection stands.
    pub connect: Duration,
    /// Until the first byte of an answer.
    pub first_byte: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
    /// The least that an answer has to bring.
    pub pace: Pace,
}

impl Patience {
    /// For a source that may take [`Patience::TOTAL`].
    const USUAL: Self = Self {
        connect: Duration::from_secs(10),
        first_byte: Duration::from_secs(30),
        idle: Duration::from_secs(30),
        pace: Pace { bytes: 30 << 10, within: Duration::from_secs(30) },
    };
    pub const TOTAL: Duration = Duration::from_secs(120);

    /// The patience of a user who gives each source so long: who gives more time waits longer for
    /// everything.
    pub fn of(total: Duration) -> Self {
        let factor = (total.as_secs_f64() / Self::TOTAL.as_secs_f64()).max(1.0);
        let Self { connect, first_byte, idle, pace } = Self::USUAL;
        Self {
            connect: connect.mul_f64(factor),
            first_byte: first_byte.mul_f64(factor),
            idle: idle.mul_f64(factor),
            pace: Pace { within: pace.within.mul_f64(factor), ..pace },
        }
    }
}

/// Whether a connection that nobody vouches for may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// HTTPS and SSH.
    Authenticated,
    /// Also `http://` and `git://`, as `--allow-insecure-transport` says.
    Any,
}

/// All that a fetch may use and must keep to.
#[derive(Debug, Clone, Copy)]
pub struct FetchContext<'a> {
    pub env: &'a Env,
    pub policy: &'a Policy,
    /// The version that `engines.gsd` is about.
    pub host: &'a Version,
    /// What `--integrity` asks for.
    pub integrity: Option<&'a Integrity>,
    /// The key that has to have signed it, whatever the settings say: it was recorded.
    pub signed_by: Option<&'a SigningKey>,
    pub transport: Transport,
    pub limits: Limits,
    pub patience: Patience,
    pub deadline: Instant,
    pub cancel: &'a Cancel,
}

/// A bundle that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// A folder inside the scratch folder, `capability.json` at its top.
    pub bundle: Utf8PathBuf,
    pub resolved: Resolved,
}

/// What a source turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The spec as a ledger keeps it; what was asked for, not what was found.
    pub recorded: String,
    /// The tag, the branch or the version that was taken.
    pub reference: Option<String>,
    /// The commit that was taken.
    pub commit: Option<String>,
    /// The digest of the archive as it came.
    pub integrity: Option<Integrity>,
    pub verified: Verified,
    /// The key by which the archive is signed, where one was asked for.
    pub signed_by: Option<SigningKey>,
    /// Where the archive came from in the end, without its query.
    pub final_url: Option<String>,
}

/// What vouches for the bytes. A check that failed is an error and none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verified {
    /// Nobody said what they should be.
    NotAsked,
    /// They are those of `--integrity`.
    Integrity,
    /// They are those that the registry promised.
    Registry,
    /// They are of the commit that was asked for.
    Commit,
}

impl Verified {
    pub const fn word(self) -> &'static str {
        match self {
            Self::NotAsked => "not-asked",
            Self::Integrity => "integrity",
            Self::Registry => "registry",
            Self::Commit => "commit",
        }
    }
}

/// Why a fetch gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// What was asked for cannot be had from such a source.
    #[error("{what}")]
    Unusable { what: String, hint: String },
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The bytes are not those that were promised.
    #[error("integrity mismatch: expected {expected} but got {actual}")]
    Mismatch { expected: String, actual: String },
    /// The bytes are, and hold something else than was promised.
    #[error("the {registry} promised {promised}, and the archive holds {held}")]
    OtherBundle { registry: String, promised: String, held: String },
    /// A key has to have signed it, and nothing says that it did.
    #[error("{what}")]
    Unsigned { what: String, hint: String },
    /// The signature is not that of the key for these bytes.
    #[error("the signature `{place}` does not hold: {why}")]
    Signature { place: String, why: String },
    /// It does not give what was asked for.
    #[error("`{place}` could not be reached: it answered {status}{}", wanting(*status))]
    Answered { place: String, status: u16 },
    #[error("`{place}` could not be reached: {why}")]
    Unreachable { place: String, why: String },
    /// It answered, and not fast enough.
    #[error("`{place}` is too slow: {why}")]
    TooSlow { place: String, why: String },
    /// The reference does not lead where it was said to.
    #[error("`{place}` has no {what}")]
    NoSuch { place: String, what: String },
    /// Two things have the name that was asked for.
    #[error("{what}")]
    Ambiguous { what: String, hint: String },
    #[error("`{place}` has no `capability.json`")]
    NoManifest { place: String },
    #[error("`{place}` has several `capability.json`: {}", paths.join(", "))]
    ManyManifests { place: String, paths: Vec<String> },
    #[error("`{place}` exceeds {max} bytes")]
    TooLarge { place: String, max: u64 },
    #[error("the archive is refused: {0}")]
    Archive(ArchiveError),
    #[error("the bundle is refused: {0}")]
    Tree(TreeError),
    #[error("the scratch folder cannot be used")]
    Scratch(#[source] WriteError),
    #[error("it was interrupted")]
    Cancelled,
}

/// What kind of an end it is, for exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Refused,
    Mismatch,
    /// A signature is asked for and not there.
    Unsigned,
    /// A signature is there and does not hold.
    Signature,
    Unreachable,
    Interrupted,
    Internal,
}

impl FetchError {
    pub(super) fn unusable(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Unusable { what: what.into(), hint: hint.into() }
    }

    pub(super) fn unreachable(place: &str, why: impl AsRef<str>) -> Self {
        Self::Unreachable { place: printable(place, 200), why: printable(why.as_ref(), 400) }
    }

    pub(super) fn slow(place: &str, why: impl Into<String>) -> Self {
        Self::TooSlow { place: printable(place, 200), why: why.into() }
    }

    pub const fn class(&self) -> Class {
        match self {
            Self::Unusable { .. }
            | Self::Refused(_)
            | Self::Ambiguous { .. }
            | Self::NoManifest { .. }
            | Self::ManyManifests { .. }
            | Self::TooLarge { .. }
            | Self::Archive(_)
            | Self::Tree(_) => Class::Refused,
            Self::Mismatch { .. } | Self::OtherBundle { .. } => Class::Mismatch,
            Self::Unsigned { .. } => Class::Unsigned,
            Self::Signature { .. } => Class::Signature,
            // For whoever asked, it is as if nobody had answered.
            Self::NoSuch { .. } => Class::Unreachable,
            Self::Answered { .. } | Self::Unreachable { .. } | Self::TooSlow { .. } => {
                Class::Unreachable
            }
            Self::Cancelled => Class::Interrupted,
            Self::Scratch(_) => Class::Internal,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unusable { hint, .. }
            | Self::Ambiguous { hint, .. }
            | Self::Unsigned { hint, .. } => Some(hint.clone()),
            Self::Refused(refusal) => Some(refusal.hint()),
            Self::Mismatch { .. } => {
                Some("ask the publisher which of the two is right; nothing was installed".into())
            }
            Self::OtherBundle { .. } => {
                Some("tell whoever publishes the index; nothing was installed".into())
            }
            Self::Signature { .. } => Some(
                "ask its publisher for the archive and its signature; nothing was installed".into(),
            ),
            // A folder or a file of this machine was not reached: no network is to blame.
            Self::Unreachable { place, .. } if place.starts_with('/') => {
                Some("check the spelling; a relative path is seen from this folder".into())
            }
            Self::Answered { .. } | Self::Unreachable { .. } => {
                Some("check the spelling and the network, then try again".into())
            }
            Self::TooSlow { .. } => Some(
                "try again; more seconds for each source are `capabilities.timeout` in \
                 `~/.gsd/defaults.json`"
                    .into(),
            ),
            Self::NoSuch { .. } => Some("ask its publisher which there are".into()),
            Self::NoManifest { .. } | Self::ManyManifests { .. } => {
                Some("a source holds one bundle, at its top or at most three folders down".into())
            }
            Self::TooLarge { .. }
            | Self::Archive(_)
            | Self::Tree(_)
            | Self::Scratch(_)
            | Self::Cancelled => None,
        }
    }
}

impl From<TreeError> for FetchError {
    fn from(error: TreeError) -> Self {
        match error {
            TreeError::Cancelled => Self::Cancelled,
            TreeError::Write(error) => Self::Scratch(error),
            error => Self::Tree(error),
        }
    }
}

impl From<ArchiveError> for FetchError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Tree(error) => error.into(),
            error => Self::Archive(error),
        }
    }
}

/// What a status says that people may not know by heart.
const fn wanting(status: u16) -> &'static str {
    match status {
        401 | 403 => " and wants to know who asks",
        _ => "",
    }
}

/// A manifest is never larger.
const MAX_MANIFEST: u64 = 8 << 20;

/// The manifest of a folder, as far as it is JSON.
pub(super) fn manifest_of(folder: &Utf8Path) -> Option<serde_json::Value> {
    let path = folder.join("capability.json");
    let bytes = fs::read_bounded(&path, MAX_MANIFEST, Links::Refuse).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// The version in the manifest of a folder.
pub(super) fn manifest_version(folder: &Utf8Path) -> Option<Version> {
    let manifest = manifest_of(folder)?;
    Version::parse(manifest.get("version")?.as_str()?).ok()
}
