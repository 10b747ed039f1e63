//! Ranges of versions as npm reads them: a pre-release is in a range only if the range names one of
//! the same version. What is asked for from a source is asked for in this way everywhere.

use semver::Version;
use std::fmt;

/// A range, and how it was written.
#[derive(Debug, Clone)]
pub(super) struct VersionRange {
    range: js_semver::Range,
    text: String,
}

impl VersionRange {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let known = |c: char| c.is_ascii_alphanumeric() || " .-+<>=~^*|".contains(c);
        let text = text.trim();
        if text.is_empty() || !text.chars().all(known) {
            return None;
        }
        let range = js_semver::Range::parse(text).ok()?;
        Some(Self { range, text: text.to_owned() })
    }

    pub(super) fn contains(&self, version: &Version) -> bool {
        js_semver::Version::parse(&version.to_string())
            .is_ok_and(|version| self.range.satisfies(&version))
    }
}

impl PartialEq for VersionRange {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_npm_reads_them() {
        let holds = |range: &str, version: &str| {
            let version = Version::parse(version).expect("a version");
            VersionRange::parse(range).map(|range| range.contains(&version))
        };
        for (range, inside, outside) in [
            ("^1.2.3", "1.9.0", "2.0.0"),
            ("^0.2.3", "0.2.9", "0.3.0"),
            ("^0", "0.9.0", "1.0.0"),
            ("~1.2", "1.2.9", "1.3.0"),
            (">=1.2 <2 || 5.x", "5.1.0", "3.0.0"),
            ("1.2 - 2.3", "2.3.9", "2.4.0"),
            (">1.2", "1.3.0", "1.2.9"),
            ("<=1.2", "1.2.9", "1.3.0"),
            ("*", "7.0.0", "7.0.0-rc.1"),
            (">=1.0.0-rc.1", "1.0.0-rc.2", "1.0.1-rc.1"),
            ("^1.0.0", "1.0.1+build", "2.0.0-rc.1"),
        ] {
            assert_eq!(holds(range, inside), Some(true), "{range} has {inside}");
            assert_eq!(holds(range, outside), Some(false), "{range} has not {outside}");
        }
        for bad in ["", " ", "latest", "1.2.3.4", "1;id", "^", "a||b"] {
            assert_eq!(holds(bad, "1.0.0"), None, "{bad}");
        }
    }
}
