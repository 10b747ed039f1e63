//! Phase directories: their names, and how people point at one of them.

use super::number::{PhaseNumber, natural};
use crate::id::RelPath;
use camino::{Utf8Path, Utf8PathBuf};
use std::cmp::Ordering;

/// A directory of plans, not yet read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseDir {
    /// Relative to the root: `.planning/phases/03-auth`.
    pub path: RelPath,
    /// The last part of the path.
    pub name: String,
    /// `None` for a directory without a number.
    pub number: Option<PhaseNumber>,
    /// The name without number and stray hyphens, in lower case: `auth`.
    pub slug: String,
    /// The milestone it is archived under: `v1.0`.
    pub milestone: Option<String>,
}

impl PhaseDir {
    pub(super) fn new(path: RelPath) -> Self {
        let name = path.file_name().to_owned();
        let (number, slug) = split_name(&name);
        let milestone = milestone_of(&path);
        Self { path, name, number, slug, milestone }
    }

    /// The file name of a document of this phase: `03-REVIEWS.md`, or `REVIEWS.md` where the
    /// directory has no number.
    pub fn file_name(&self, document: &str) -> String {
        match &self.number {
            Some(number) => format!("{}-{document}", number.spelling()),
            None => document.to_owned(),
        }
    }

    /// By number; directories without one come last.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let rank = |dir: &Self| dir.number.is_none();
        rank(self)
            .cmp(&rank(other))
            .then_with(|| self.number.cmp(&other.number))
            .then_with(|| natural(&self.name, &other.name))
    }
}

/// `.planning/milestones/v1.0-phases/03-auth` is archived under `v1.0`.
fn milestone_of(path: &RelPath) -> Option<String> {
    let parts: Vec<&str> = path.as_str().split('/').collect();
    match parts.as_slice() {
        [.., "milestones", folder, _] => {
            Some(folder.strip_suffix("-phases").unwrap_or(folder).to_owned())
        }
        _ => None,
    }
}

/// `03-auth`, `PHASE-03-AUTH-`, `CK-01-base`, `3.1_x`: the number and the slug.
fn split_name(name: &str) -> (Option<PhaseNumber>, String) {
    let slug = |text: &str| text.trim_matches(SEPARATORS).to_lowercase();
    let numbered = |text: &str| {
        let (number, rest) = PhaseNumber::leading(text)?;
        (rest.is_empty() || rest.starts_with(SEPARATORS)).then(|| (Some(number), slug(rest)))
    };
    let after_word = || {
        let (word, rest) = name.split_once(SEPARATORS)?;
        let code = word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.len() <= 10
            && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
        (code || word.eq_ignore_ascii_case("phase")).then(|| numbered(rest)).flatten()
    };
    numbered(name).or_else(after_word).unwrap_or_else(|| (None, slug(name)))
}

const SEPARATORS: [char; 3] = ['-', '_', ' '];

/// What a user wrote to point at a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PhaseSpec {
    /// `3`, `03`, `64.4`, `phase 3`.
    Number(PhaseNumber),
    /// `03-auth`, `auth`.
    Name(String),
    /// Something with a `/`: a path, absolute, below the working directory or below the root; or
    /// `v1.0/3`, a phase of an archived milestone.
    Path { text: String, from: Utf8PathBuf },
}

impl PhaseSpec {
    /// Takes the text as typed; `from` is the directory that a relative path starts at.
    pub fn parse(text: &str, from: &Utf8Path) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.len() > 4096 || text.chars().any(char::is_control) {
            return None;
        }
        if text.contains('/') || matches!(text, "." | "..") {
            return Some(Self::Path { text: text.to_owned(), from: from.to_owned() });
        }
        let word = text.get(..5).filter(|word| word.eq_ignore_ascii_case("phase"));
        let number = word.map_or(text, |word| text[word.len()..].trim_start_matches(SEPARATORS));
        match PhaseNumber::parse(number.trim_end_matches(SEPARATORS)) {
            Some(number) => Some(Self::Number(number)),
            None => Some(Self::Name(text.to_owned())),
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Self::Number(number) => number.spelling(),
            Self::Name(text) | Self::Path { text, .. } => text,
        }
    }
}

/// The directories that a number or a name means.
pub(super) fn matches<'d>(spec: &PhaseSpec, directories: &'d [PhaseDir]) -> Vec<&'d PhaseDir> {
    match spec {
        PhaseSpec::Number(number) => {
            directories.iter().filter(|dir| dir.number.as_ref() == Some(number)).collect()
        }
        PhaseSpec::Name(text) => {
            let exact: Vec<_> = directories.iter().filter(|dir| dir.name == *text).collect();
            if !exact.is_empty() {
                return exact;
            }
            let whole = text.trim_matches(SEPARATORS).to_lowercase();
            let (number, slug) = split_name(text);
            directories
                .iter()
                .filter(|dir| {
                    let by_slug = dir.slug == whole && !whole.is_empty();
                    let by_both = number.is_some() && dir.number == number && dir.slug == slug;
                    by_slug || by_both
                })
                .collect()
        }
        PhaseSpec::Path { .. } => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_directories() {
        for (name, number, slug) in [
            ("03-auth", Some("3"), "auth"),
            ("3", Some("3"), ""),
            ("64.4-foo-bar-", Some("64.4"), "foo-bar"),
            ("03-AUTH--", Some("3"), "auth"),
            ("PHASE-03-AUTH", Some("3"), "auth"),
            ("phase_7", Some("7"), ""),
            ("CK-01-base", Some("1"), "base"),
            ("12A-split", Some("12A"), "split"),
            ("auth", None, "auth"),
            ("2fa-login", None, "2fa-login"),
            ("02-$(id)", Some("2"), "$(id)"),
        ] {
            let dir = PhaseDir::new(RelPath::parse(&format!(".planning/phases/{name}")).unwrap());
            assert_eq!(dir.number.map(|n| n.to_string()).as_deref(), number, "{name}");
            assert_eq!(dir.slug, slug, "{name}");
        }
        let dir = PhaseDir::new(RelPath::parse(".planning/milestones/v1.0-phases/09.1-x").unwrap());
        assert_eq!(dir.milestone.as_deref(), Some("v1.0"));
        assert_eq!(dir.file_name("REVIEWS.md"), "09.1-REVIEWS.md");
    }
}
