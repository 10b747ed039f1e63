//! The list of known sources in one file.

use super::super::Target;
use super::LIST;
use crate::config::Config;
use crate::json::Value;
use camino::{Utf8Path, Utf8PathBuf};
use percent_encoding::percent_decode_str;

/// What a file says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Known {
    Only(Vec<Entry>),
    /// Nobody can tell what was meant.
    Malformed(String),
}

/// One known source.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    Npm,
    /// `@scope` of npm.
    Scope(String),
    Host {
        name: String,
        /// `*.name`: what is below it, not itself.
        below: bool,
        /// The first parts of the path, such as an owner and a repository.
        path: Vec<String>,
    },
    Folder(Utf8PathBuf),
}

/// The list of a file; `None` if it keeps none.
pub(super) fn known(config: &Config) -> Option<Known> {
    let around = config.all("capabilities").next();
    if around.is_some_and(|setting| setting.node.as_object().is_none()) {
        return Some(Known::Malformed("`capabilities` is no object".into()));
    }
    let node = config.all(LIST).next()?.node;
    match &node.value {
        Value::Null => None,
        Value::Array(items) => {
            let mut entries = vec![];
            for item in items {
                match item.as_str().and_then(Entry::parse) {
                    Some(entry) => entries.push(entry),
                    None => {
                        let shown = item.as_str().unwrap_or(item.kind());
                        let why = format!("{} names no source", crate::json::quoted(shown));
                        return Some(Known::Malformed(why));
                    }
                }
            }
            Some(Known::Only(entries))
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            Some(Known::Malformed(format!("expected a list or null, found {}", node.kind())))
        }
    }
}

impl Entry {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return None;
        }
        if text == "npm" {
            return Some(Self::Npm);
        }
        if let Some(scope) = text.strip_prefix("npm:") {
            return scope
                .strip_prefix('@')
                .filter(|name| !name.is_empty() && !name.contains('/'))
                .map(|_| Self::Scope(scope.to_owned()));
        }
        if let Some(folder) = text.strip_prefix("local:") {
            let folder = Utf8Path::new(folder);
            return folder.is_absolute().then(|| Self::Folder(folder.to_owned()));
        }
        let mut parts = text.trim_end_matches('/').split('/');
        let host = parts.next().unwrap_or_default();
        let (host, below) = host.strip_prefix("*.").map_or((host, false), |host| (host, true));
        let path: Vec<String> = parts.map(spelled_plainly).collect();
        let name = bare(host);
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | ':');
        let sound =
            !name.is_empty() && name.chars().all(plain) && !path.iter().any(String::is_empty);
        sound.then_some(Self::Host { name, below, path })
    }

    pub(super) fn has(&self, target: &Target<'_>) -> bool {
        match (self, target) {
            (Self::Folder(folder), Target::Folder(path)) => path.starts_with(folder),
            (Self::Npm, Target::Npm { .. }) => true,
            (Self::Scope(known), Target::Npm { scope }) => Some(known.as_str()) == *scope,
            (Self::Host { name, below, path }, Target::Host { name: asked, path: whole }) => {
                let asked = bare(asked);
                let inside = asked
                    .strip_suffix(name.as_str())
                    .is_some_and(|front| front.ends_with('.') || (front.is_empty() && !below));
                let mut parts = whole.split('/').filter(|part| !part.is_empty());
                inside
                    && path.iter().all(|known| {
                        parts.next().is_some_and(|part| {
                            let part = spelled_plainly(part);
                            part == *known || part.strip_suffix(".git") == Some(known)
                        })
                    })
            }
            (Self::Folder(_) | Self::Npm | Self::Scope(_) | Self::Host { .. }, _) => false,
        }
    }
}

/// A host as it is compared: lower case, no final dot.
pub(super) fn bare(host: &str) -> String {
    host.trim().trim_end_matches('.').to_lowercase()
}

/// A part of a path as it is compared: lower case, and nothing encoded that means the same without.
fn spelled_plainly(part: &str) -> String {
    let decoded = percent_decode_str(part).decode_utf8().ok();
    // What would be two parts, or encoded itself, is left as it is.
    let decoded = decoded.filter(|text| !text.contains(['/', '\\', '%']));
    decoded.as_deref().unwrap_or(part).to_lowercase()
}
