//! Which commit is meant.

use super::super::SpecError;
use crate::json::quoted;
use crate::source::range::VersionRange;
use crate::source::spec::masked;
use std::fmt;

/// What stands after `#`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reference {
    /// Nothing: the tip of the branch that the repository shows first.
    Head,
    /// A whole commit id.
    Commit(String),
    Tag(String),
    Branch(String),
    /// The highest tag in a range.
    Range(VersionRange),
    /// A tag or a branch, whichever there is.
    Bare(String),
}

impl Reference {
    pub(super) fn parse(text: &str) -> Result<Self, SpecError> {
        if text.is_empty() {
            return Ok(Self::Head);
        }
        let (prefix, rest) = match text.split_once(':') {
            Some((prefix, rest)) => (prefix.to_ascii_lowercase(), rest),
            None => (String::new(), text),
        };
        let hint = "write `#sha:COMMIT`, `#tag:TAG`, `#branch:BRANCH` or `#semver:RANGE`";
        let bad = |what: &str| {
            Err(SpecError::bad(format!("unsafe git ref {}: {what}", quoted(&masked(text))), hint))
        };
        match prefix.as_str() {
            "sha" if is_commit(rest) => Ok(Self::Commit(rest.to_ascii_lowercase())),
            "sha" => bad("a commit has 40 or 64 hexadecimal digits"),
            "semver" => match VersionRange::parse(rest) {
                Some(range) => Ok(Self::Range(range)),
                None => bad("it is no range of versions"),
            },
            "tag" | "branch" | "" if !is_name(rest) => bad("it is no name of a tag or a branch"),
            "tag" => Ok(Self::Tag(rest.to_owned())),
            "branch" => Ok(Self::Branch(rest.to_owned())),
            "" if is_commit(rest) => Ok(Self::Commit(rest.to_ascii_lowercase())),
            "" => Ok(Self::Bare(rest.to_owned())),
            _ => bad("nothing begins like that"),
        }
    }
}

/// As it is written.
impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Head => Ok(()),
            Self::Commit(commit) => write!(f, "sha:{commit}"),
            Self::Tag(name) => write!(f, "tag:{name}"),
            Self::Branch(name) => write!(f, "branch:{name}"),
            Self::Range(range) => write!(f, "semver:{range}"),
            Self::Bare(name) => f.write_str(name),
        }
    }
}

pub(super) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The names that git allows, less the characters that mean something to a shell or to git's own
/// patterns.
fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "._-/+@#%=,".contains(c);
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.ends_with('.')
            && !part.ends_with(".lock")
    };
    text.len() <= 250
        && text.chars().all(plain)
        && !text.starts_with('-')
        && !text.contains("..")
        && text != "@"
        && !text.contains("@{")
        && text.split('/').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form() {
        let sha = "0123456789ABCDEF0123456789abcdef01234567";
        for (text, shown) in [
            ("", ""),
            ("v1.0.0", "v1.0.0"),
            ("feature/x-1", "feature/x-1"),
            ("tag:v1", "tag:v1"),
            ("TAG:v1", "tag:v1"),
            ("branch:main", "branch:main"),
            ("semver:^1.2 || 3.x", "semver:^1.2 || 3.x"),
        ] {
            assert_eq!(Reference::parse(text).expect(text).to_string(), shown);
        }
        let commit = Reference::Commit(sha.to_ascii_lowercase());
        for text in [format!("sha:{sha}"), format!("SHA:{sha}"), sha.to_owned()] {
            assert_eq!(Reference::parse(&text), Ok(commit.clone()));
        }
        assert!(Reference::parse(&format!("sha:{}", "a".repeat(64))).is_ok());
    }

    #[test]
    fn what_is_refused() {
        for bad in [
            "-x",
            "--upload-pack=x",
            "a;b",
            "a b",
            "a\tb",
            "$(id)",
            "`id`",
            "a|b",
            "a&b",
            "a..b",
            "a~1",
            "a^",
            "a:b",
            "refs:x",
            "a*",
            "a?",
            "a[b",
            "a\\b",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "@",
            "a@{1}",
            "sha:",
            "sha:abc",
            "tag:",
            "tag:-x",
            "branch:a b",
            "semver:",
            "semver:latest",
            "semver:1;id",
            "sha:zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
            "a'b",
            "a\"b",
            "!a",
            "a(b)",
        ] {
            assert!(Reference::parse(bad).is_err(), "{bad}");
        }
        assert!(Reference::parse(&"a".repeat(251)).is_err());
    }
}
