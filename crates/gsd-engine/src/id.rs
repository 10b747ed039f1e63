//! Identifiers. Parse at the door: inside, a value cannot be wrong.
//!
//! Each type has one way in, `parse`, which says what it expected.

mod point;

pub use point::{OnError, Point};

use std::fmt;

/// Why a text is not an identifier of the kind that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{expected}")]
pub struct IdError {
    /// What would have been right, as a phrase.
    pub expected: &'static str,
}

/// Names that mean something to JavaScript objects; no identifier may be one of them, so that
/// manifests stay safe to read for every host.
pub const RESERVED: [&str; 3] = ["__proto__", "constructor", "prototype"];

macro_rules! identifier {
    ($(#[$docs:meta])* $name:ident, $expected:literal, $accepts:expr) => {
        $(#[$docs])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// What a text must look like.
            pub const EXPECTED: &'static str = $expected;

            pub fn parse(text: &str) -> Result<Self, IdError> {
                let accepts: fn(&str) -> bool = $accepts;
                if text.len() <= MAX_BYTES && !RESERVED.contains(&text) && accepts(text) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(IdError { expected: $expected })
                }
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

/// No identifier is longer: they become file names and columns of tables.
const MAX_BYTES: usize = 128;

identifier!(
    /// The id of a capability, equal to the name of its folder: `lm-studio`.
    CapabilityId,
    "a lower-case kebab id: a letter, then letters, digits and hyphens",
    |text| text.starts_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(is_kebab)
);

identifier!(
    /// The stem of a skill or an agent, as file names spell it: `ui-phase`.
    Stem,
    "a stem: lower-case letters, digits, `-` and `_`, starting with a letter or digit",
    |text| starts_alphanumeric(text) && text.bytes().all(|b| is_kebab(b) || b == b'_')
);

identifier!(
    /// The slug of a lane, as config keys and file names spell it: `lm_studio`.
    LaneSlug,
    "a lane slug: lower-case letters, digits, `_` and `-`, starting with a letter or digit",
    |text| starts_alphanumeric(text) && text.bytes().all(|b| is_kebab(b) || b == b'_')
);

identifier!(
    /// A command-line flag that selects a lane: `--lm-studio`.
    LaneFlag,
    "a flag: `--`, then lower-case letters, digits and hyphens, starting with a letter or digit",
    |text| text
        .strip_prefix("--")
        .is_some_and(|name| starts_alphanumeric(name) && name.bytes().all(is_kebab))
);

identifier!(
    /// The name of a reviewer instance: `codex-deep`.
    InstanceName,
    "an instance name: lower-case letters, digits and hyphens, starting with a letter or digit",
    |text| starts_alphanumeric(text) && text.bytes().all(is_kebab)
);

identifier!(
    /// A dotted configuration key: `review.models.codex`.
    ConfigKey,
    "a dotted key of letters, digits, `_` and `-`, without empty parts",
    |text| text.split('.').all(|part| {
        !part.is_empty()
            && !RESERVED.contains(&part)
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    })
);

fn is_kebab(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'
}

fn starts_alphanumeric(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
}

/// A path below a root: relative, `/` between its parts, no `.` or `..`, no drive, no control
/// characters. It cannot leave the root by its own words; links are the file system's matter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct RelPath(String);

impl RelPath {
    pub const EXPECTED: &'static str = "a path below the root, with `/` and without `..`";

    /// Takes a path as people write it: a leading `./` is dropped, doubled slashes are joined.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let error = || IdError { expected: Self::EXPECTED };
        let odd = text.starts_with('/')
            || text.contains('\\')
            || text.chars().count() > 4096
            || text.chars().any(char::is_control);
        if odd {
            return Err(error());
        }
        let parts: Vec<&str> =
            text.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        if parts.is_empty() || parts.contains(&"..") {
            return Err(error());
        }
        let path = parts.join("/");
        // Looked at last: in `./c:` a drive comes to light only now.
        if path.as_bytes().get(1) == Some(&b':') {
            return Err(error());
        }
        Ok(Self(path))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last part.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grammars() {
        let id = |text| CapabilityId::parse(text).is_ok();
        assert!(id("lm-studio") && id("a1"));
        assert!(
            !id("") && !id("Lm") && !id("1a") && !id("a_b") && !id("a/b") && !id("constructor")
        );
        let slug = |text| LaneSlug::parse(text).is_ok();
        assert!(slug("lm_studio") && slug("4o-mini"));
        assert!(!slug("_x") && !slug("A") && !slug("__proto__") && !slug("a b"));
        let flag = |text| LaneFlag::parse(text).is_ok();
        assert!(flag("--agy") && flag("--4o"));
        assert!(!flag("-a") && !flag("--") && !flag("--A") && !flag("--a_b") && !flag("--a b"));
        let key = |text| ConfigKey::parse(text).is_ok();
        assert!(key("review.models.lm_studio"));
        assert!(!key("") && !key("a..b") && !key("a.") && !key("a.__proto__") && !key("a b"));
        assert!(!id(&"a".repeat(129)));
    }

    #[test]
    fn relative_paths_stay_below() {
        let path = |text| RelPath::parse(text).map(|p| p.as_str().to_owned()).ok();
        assert_eq!(path("./src//a.rs").as_deref(), Some("src/a.rs"));
        for bad in [
            "",
            ".",
            "/etc/passwd",
            "a/../b",
            "..",
            "C:/x",
            "a\\b",
            "a\nb",
            "c:x",
            "./c:",
            ".//./c:/x",
        ] {
            assert_eq!(path(bad), None, "{bad}");
        }
    }
}
