//! What a fetch would give, and how what is installed stands to it.

use super::integrity::Integrity;
use semver::Version;

/// What a fetch would give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Peek {
    Ok {
        version: Option<Version>,
        commit: Option<String>,
        integrity: Option<Integrity>,
    },
    /// The spec names one version, tag or commit.
    Pinned {
        version: Option<Version>,
        /// Where a tag leads now: tags can be moved.
        commit: Option<String>,
    },
    /// It has no list of versions: only fetching tells.
    Manual,
    Unknown {
        why: String,
    },
}

/// What was recorded of the installed one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Installed<'a> {
    pub version: Option<&'a Version>,
    pub commit: Option<&'a str>,
    pub integrity: Option<&'a Integrity>,
}

/// How the installed one stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Current,
    Outdated,
    /// The same version or tag now means something else.
    Moved,
    Pinned,
    Manual,
    /// Nobody was asked, since no word of the user stands behind the source.
    Unconfirmed,
    Unknown,
}

impl Standing {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Outdated => "outdated",
            Self::Moved => "moved",
            Self::Pinned => "pinned",
            Self::Manual => "manual",
            Self::Unconfirmed => "unconfirmed",
            Self::Unknown => "unknown",
        }
    }
}

impl Peek {
    /// The version that a fetch would give, as far as it is known.
    pub fn version(&self) -> Option<&Version> {
        match self {
            Self::Ok { version, .. } | Self::Pinned { version, .. } => version.as_ref(),
            Self::Manual | Self::Unknown { .. } => None,
        }
    }

    /// How what is installed stands to it. Versions are compared with their pre-releases.
    pub fn standing(&self, installed: &Installed<'_>) -> Standing {
        match self {
            Self::Manual => Standing::Manual,
            Self::Unknown { .. } => Standing::Unknown,
            Self::Pinned { commit, .. } => match (installed.commit, commit) {
                (Some(then), Some(now)) if then != now => Standing::Moved,
                _ => Standing::Pinned,
            },
            Self::Ok { version, commit, integrity } => {
                let newer = version.as_ref().zip(installed.version).map(|(new, old)| new > old);
                let same_commit = installed.commit.zip(commit.as_deref()).map(|(a, b)| a == b);
                let same_bytes = installed
                    .integrity
                    .zip(integrity.as_ref())
                    .map(|(a, b)| a.sha512() == b.sha512());
                match (newer, same_commit.or(same_bytes)) {
                    (Some(true), _) => Standing::Outdated,
                    (_, Some(true)) | (Some(false), None) => Standing::Current,
                    // A lower version, or one that nobody told: it is another one all the same.
                    (Some(false), Some(false)) if version.as_ref() == installed.version => {
                        Standing::Moved
                    }
                    (Some(false), Some(false)) => Standing::Current,
                    (None, Some(false)) => Standing::Outdated,
                    (None, None) => Standing::Unknown,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case() {
        let version = |text: &str| Some(Version::parse(text).expect("a version"));
        let ok = |new: Option<Version>, commit: Option<&str>| Peek::Ok {
            version: new,
            commit: commit.map(str::to_owned),
            integrity: None,
        };
        let old = Version::new(1, 0, 0);
        let installed = Installed { version: Some(&old), commit: Some("a"), integrity: None };
        let bare = Installed { version: Some(&old), ..Installed::default() };
        for (peek, installed, standing) in [
            (ok(version("1.0.1"), Some("b")), &installed, Standing::Outdated),
            (ok(version("1.0.0"), Some("a")), &installed, Standing::Current),
            (ok(version("1.0.0"), Some("b")), &installed, Standing::Moved),
            (ok(version("1.0.0-rc.1"), None), &installed, Standing::Current),
            (ok(None, Some("b")), &installed, Standing::Outdated),
            (ok(None, Some("a")), &installed, Standing::Current),
            (ok(None, Some("a")), &bare, Standing::Unknown),
            (ok(version("1.0.0"), Some("a")), &bare, Standing::Current),
            (ok(version("0.9.0"), Some("b")), &installed, Standing::Current),
            (ok(version("2.0.0"), None), &Installed::default(), Standing::Unknown),
            (Peek::Pinned { version: None, commit: None }, &installed, Standing::Pinned),
            (
                Peek::Pinned { version: None, commit: Some("a".into()) },
                &installed,
                Standing::Pinned,
            ),
            (Peek::Pinned { version: None, commit: Some("b".into()) }, &installed, Standing::Moved),
            (Peek::Manual, &installed, Standing::Manual),
            (Peek::Unknown { why: String::new() }, &installed, Standing::Unknown),
        ] {
            assert_eq!(peek.standing(installed), standing, "{peek:?}");
        }
    }
}
