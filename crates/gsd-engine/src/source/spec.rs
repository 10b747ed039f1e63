//! What a user writes to say where a capability comes from.

use super::fetch::{FetchContext, FetchError, Fetched, Resolved};
use super::peek::Peek;
use super::policy::Refusal;
use super::{KINDS, Kind, Policy, Source, Target};
use crate::text::printable;
use camino::{Utf8Path, Utf8PathBuf};
use std::fmt;
use std::sync::Arc;

/// What a text that names files is seen from.
#[derive(Debug, Clone, Copy)]
pub struct Base<'a> {
    /// Absolute: `--project`, else the current folder.
    pub cwd: &'a Utf8Path,
    pub home: Option<&'a Utf8Path>,
}

/// A source, read and understood.
#[derive(Clone)]
pub struct SourceSpec {
    kind: &'static Kind,
    source: Arc<dyn Source>,
}

/// Why a text is no source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    #[error("the source is empty; expected one of {}", words())]
    Empty,
    #[error("`{shown}` is no source of capabilities; expected one of {}", words())]
    Unknown { shown: String },
    /// It is of a kind, and something in it is wrong.
    #[error("{what}")]
    Bad { what: String, hint: String },
}

impl SpecError {
    pub(super) fn bad(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Bad { what: what.into(), hint: hint.into() }
    }

    /// What to write instead.
    pub fn hint(&self) -> String {
        match self {
            Self::Empty | Self::Unknown { .. } => {
                let forms = KINDS.iter().flat_map(|kind| kind.forms);
                let lines = forms.map(|(form, meaning)| format!("  {form}  {meaning}"));
                format!("a source is written as\n{}", lines.collect::<Vec<_>>().join("\n"))
            }
            Self::Bad { hint, .. } => hint.clone(),
        }
    }
}

fn words() -> String {
    let words: Vec<_> = KINDS.iter().map(|kind| kind.word).collect();
    words.join(", ")
}

/// No source needs more text.
const MAX_BYTES: usize = 4096;

impl SourceSpec {
    /// Reads a source. Blanks around it do not count.
    pub fn parse(text: &str, base: &Base<'_>) -> Result<Self, SpecError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(SpecError::Empty);
        }
        if text.len() > MAX_BYTES || text.chars().any(crate::text::is_deceptive) {
            return Err(SpecError::Unknown { shown: masked(text) });
        }
        for kind in KINDS {
            if let Some(read) = (kind.read)(text, base) {
                return Ok(Self { kind, source: read? });
            }
        }
        Err(SpecError::Unknown { shown: masked(text) })
    }

    /// The word of its kind.
    pub fn kind(&self) -> &'static str {
        self.kind.word
    }

    /// What a ledger keeps: absolute, without credentials, and understood again by
    /// [`SourceSpec::parse`] wherever that is called.
    pub fn recorded(&self) -> String {
        self.source.recorded()
    }

    /// What stays the same when only another version is asked for. Two specs with one identity are
    /// one source.
    pub fn identity(&self) -> String {
        self.source.identity()
    }

    /// A source that gives again what this one turned out to be, as far as there is one: a commit,
    /// a version. For a folder or an archive it is the same spec.
    pub fn exactly(&self, resolved: &Resolved) -> String {
        self.source.exactly(resolved)
    }

    /// What would be asked first.
    pub fn target(&self) -> Target<'_> {
        self.source.target()
    }

    /// Whether the user's and the project's lists of known sources allow it. Fetching asks again.
    pub fn check(&self, policy: &Policy) -> Result<(), Refusal> {
        policy.check(&self.source.target())
    }

    /// Makes the bundle. `scratch` is an empty folder of the caller, who also removes it; nothing
    /// is written anywhere else.
    pub fn fetch(
        &self,
        context: &FetchContext<'_>,
        scratch: &Utf8Path,
    ) -> Result<Fetched, FetchError> {
        self.check(context.policy)?;
        self.source.fetch(context, scratch)
    }

    /// Asks what a fetch would give, by metadata alone.
    pub fn peek(&self, context: &FetchContext<'_>) -> Peek {
        match self.check(context.policy) {
            Ok(()) => self.source.peek(context),
            Err(refusal) => Peek::Unknown { why: refusal.to_string() },
        }
    }
}

/// Shown as it is recorded.
impl fmt::Display for SourceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.recorded(), MAX_BYTES))
    }
}

impl fmt::Debug for SourceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceSpec({}, {self})", self.kind.word)
    }
}

/// A text that may hold a password, for a message: what could be one is left out.
pub(super) fn masked(text: &str) -> String {
    let (text, query) = match text.split_once('?') {
        Some((text, _)) => (text, "?***"),
        None => (text, ""),
    };
    let shown = match text.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find(['/', '#']).unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            match authority.rsplit_once('@') {
                Some((_, host)) => format!("{scheme}://***@{host}{path}"),
                None => text.to_owned(),
            }
        }
        // `user:password@host` looks like that, and nothing that may be shown does.
        None => match text.rsplit_once('@') {
            Some((user, host)) if user.contains(':') => format!("***@{host}"),
            _ => text.to_owned(),
        },
    };
    printable(&format!("{shown}{query}"), 200)
}

/// The absolute form of a path as it was written. The way to it is resolved, its own name is not:
/// whether that is a link is for the fetch to find out.
pub(super) fn absolute(text: &str, base: &Base<'_>) -> Result<Utf8PathBuf, SpecError> {
    let path = match text.strip_prefix('~') {
        Some(below) => {
            let home = base.home.ok_or_else(|| {
                SpecError::bad("`~` means nothing without a home", "write the whole path")
            })?;
            home.join(below.trim_start_matches('/'))
        }
        None => base.cwd.join(text),
    };
    let real = |path: &Utf8Path| gsd_io::fs::canonical(path);
    let resolved = match (path.file_name(), path.parent()) {
        (Some(name), Some(parent)) => real(parent).map(|parent| parent.join(name)),
        _ => real(&path),
    };
    Ok(resolved.unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_a_password_is_not_repeated() {
        for (text, shown) in [
            ("https://u:p@h.example/x", "https://***@h.example/x"),
            ("https://h/x?token=abc#y", "https://h/x?***"),
            ("?token=abc", "?***"),
            ("https://u:p@[::1", "https://***@[::1"),
            ("name", "name"),
            ("https://a@b@c/", "https://***@c/"),
            ("u:p@h", "***@h"),
            ("git@h:o/r", "git@h:o/r"),
        ] {
            assert_eq!(masked(text), shown);
        }
    }
}
