//! Sets or removes one setting in one file.
//!
//! A file that cannot be read is never written. Only the member changes, see
//! [`crate::json::set_member`]. Two writers take turns, and a reader sees the old text or the new
//! one, never a part.

use super::layers::{Look, look};
use super::{Layer, Places, WRONG_TYPE, files::MAX_FILE};
use crate::diag::{Diagnostic, SourceFile};
use crate::json::{self, Dialect, EditError, Node};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_io::fs::{self, Links, ReadError, WriteError};
use gsd_io::lock::{self, LockError, Owner};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;

/// A settings file that can be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub layer: Layer,
    pub path: Utf8PathBuf,
    /// For people.
    pub name: String,
    /// The folder that the file must stand in, links followed.
    inside: Option<Utf8PathBuf>,
}

impl Place {
    /// The file of a layer; `None` if the layer has none here.
    pub fn of(places: &Places, root: &Utf8Path, layer: Layer) -> Option<Self> {
        // The user may keep a file elsewhere and link to it; a repository must not point outside.
        let inside = (layer != Layer::User).then(|| root.to_owned());
        let path = places.file(layer)?.to_owned();
        Some(Self { layer, path, name: places.name(layer), inside })
    }
}

/// One change.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    pub key: &'a str,
    /// `None` removes the setting.
    pub value: Option<&'a Value>,
}

/// What a change did.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// The value that stood in this file before.
    pub previous: Option<Value>,
    /// Whether the file has another text now.
    pub written: bool,
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error(
        "there is no state folder for a lock: neither XDG_STATE_HOME nor HOME is an absolute path"
    )]
    NoStateHome,
    #[error("another process changes these settings")]
    Busy(#[source] LockError),
    #[error("the settings cannot be locked")]
    Lock(#[source] LockError),
    #[error("`{name}` is broken and was left as it is")]
    Broken { name: String, fault: Box<Diagnostic> },
    #[error("`{name}` cannot be read and was left as it is")]
    Unreadable { name: String, source: ReadError },
    #[error("`{name}` is a link to `{target}`, outside of the project")]
    Outside { name: String, target: Utf8PathBuf },
    #[error("`{key}` cannot be set: `{path}` is {kind} in `{name}`")]
    InTheWay { key: String, path: String, kind: &'static str, name: String },
    #[error("the change was refused")]
    Refused(Vec<Diagnostic>),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// How long a writer waits for another one; each holds the lock for a moment.
const PATIENCE: Duration = Duration::from_secs(10);

/// Makes a change. `refuse` sees the new text before it is written; what it returns stops it.
pub fn change(
    env: &Env,
    place: &Place,
    change: Change<'_>,
    refuse: &dyn Fn(&Arc<SourceFile>) -> Vec<Diagnostic>,
) -> Result<Changed, ChangeError> {
    let target = target(place)?;
    let _lock = take_turns(env, &target)?;
    let old = match fs::read_text(&target, MAX_FILE, Links::Follow) {
        Ok(text) => Some(text),
        Err(ReadError::NotFound { .. }) => None,
        Err(source) => return Err(ChangeError::Unreadable { name: place.name.clone(), source }),
    };
    let file = SourceFile::new(&place.name, old.as_deref().unwrap_or("{}\n"));
    let root = match json::parse(&file, Dialect::Relaxed) {
        (Some(root), _) if root.as_object().is_some() => Some(root),
        (Some(root), _) => {
            let message = format!("expected an object, found {}", root.kind());
            return Err(broken(place, vec![WRONG_TYPE.at(file.at(root.span.clone()), message)]));
        }
        // An empty file holds nothing that could be lost.
        (None, _) if file.text().trim().is_empty() => None,
        (None, found) => return Err(broken(place, found)),
    };
    let previous = root.as_ref().and_then(|root| match look(root, change.key) {
        Look::Here(node) => Some(json::to_value(node)),
        Look::Covered | Look::Absent => None,
    });
    let path = root.as_ref().map_or_else(|| names(change.key), |root| path_of(root, change.key));
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let text = file.text();
    let edited = match change.value {
        Some(value) if previous.as_ref() == Some(value) => Ok(None),
        Some(value) => json::set_member(text, &path, value).map(Some),
        None if previous.is_none() => Ok(None),
        None => json::remove_member(text, &path),
    };
    let new = edited.map_err(|error| match error {
        EditError::Broken(fault) => broken(place, vec![*fault]),
        EditError::NotAnObject { path, kind } | EditError::NotAList { path, kind } => {
            ChangeError::InTheWay {
                key: change.key.to_owned(),
                path,
                kind,
                name: place.name.clone(),
            }
        }
    })?;
    let Some(new) = new else { return Ok(Changed { previous, written: false }) };
    let faults = refuse(&SourceFile::new(&place.name, new.as_str()));
    if !faults.is_empty() {
        return Err(ChangeError::Refused(faults));
    }
    if let (None, Some(folder)) = (&old, target.parent()) {
        match place.layer {
            Layer::User => fs::create_private_dir_all(folder)?,
            Layer::Project | Layer::Workstream | Layer::Environment | Layer::Flag => {
                fs::create_dir_all(folder)?;
            }
        }
    }
    fs::write_atomic(&target, new.as_bytes())?;
    Ok(Changed { previous, written: true })
}

fn broken(place: &Place, found: Vec<Diagnostic>) -> ChangeError {
    let fault = found.into_iter().next().expect("no tree means a diagnostic");
    ChangeError::Broken { name: place.name.clone(), fault: Box::new(fault) }
}

/// The file itself, links followed: it is replaced, and a link must stay one.
fn target(place: &Place) -> Result<Utf8PathBuf, ChangeError> {
    let target = match (fs::canonical(&place.path), fs::kind(&place.path)) {
        (Some(target), _) => target,
        (None, Some(_)) => {
            let source = ReadError::NotAFile { path: place.path.clone(), what: "a dead link" };
            return Err(ChangeError::Unreadable { name: place.name.clone(), source });
        }
        (None, None) => {
            // The folders that are there decide where it will stand.
            let there = place.path.ancestors().skip(1).find_map(|above| {
                let rest = place.path.strip_prefix(above).ok()?;
                Some(fs::canonical(above)?.join(rest))
            });
            there.unwrap_or_else(|| place.path.clone())
        }
    };
    let inside = place.inside.as_ref().map(|root| fs::canonical(root).unwrap_or(root.clone()));
    match inside {
        Some(root) if !target.starts_with(&root) => {
            Err(ChangeError::Outside { name: place.name.clone(), target })
        }
        Some(_) | None => Ok(target),
    }
}

/// The lock stands outside the project, so that nobody commits it.
fn take_turns(env: &Env, target: &Utf8Path) -> Result<lock::Lock, ChangeError> {
    let folder = env.state_home().ok_or(ChangeError::NoStateHome)?.join("gsd/locks");
    fs::create_private_dir_all(&folder)?;
    let digest: String =
        Sha256::digest(target.as_str()).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let path = folder.join(format!("config-{digest}.lock"));
    let owner = Owner::this_process("gsd config");
    let deadline = gsd_io::clock::now() + PATIENCE;
    lock::lock_until(&path, &owner, deadline, &Cancel::new()).map_err(|error| match error {
        LockError::Held { .. } => ChangeError::Busy(error),
        LockError::Cancelled { .. } | LockError::NotAFile { .. } | LockError::Io { .. } => {
            ChangeError::Lock(error)
        }
    })
}

fn names(key: &str) -> Vec<String> {
    key.split('.').map(str::to_owned).collect()
}

/// The names of members that lead to a key in this file: as they are written where they are, else
/// one for each part.
fn path_of(root: &Node, key: &str) -> Vec<String> {
    let Some(object) = root.as_object() else { return names(key) };
    if object.get(key).is_some() {
        return vec![key.to_owned()];
    }
    let ways = key
        .match_indices('.')
        .filter_map(|(at, _)| Some((&key[..at], object.get(&key[..at])?, &key[at + 1..])));
    let ways: Vec<_> = ways.collect();
    let present = ways.iter().find(|(_, inner, rest)| matches!(look(inner, rest), Look::Here(_)));
    let deepest = ways.iter().rev().find(|(_, inner, _)| inner.as_object().is_some());
    match present.or(deepest).or(ways.first()) {
        Some((name, inner, rest)) => {
            let mut path = vec![(*name).to_owned()];
            path.extend(path_of(inner, rest));
            path
        }
        None => names(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str, key: &str) -> Vec<String> {
        let (root, _) = json::parse(&SourceFile::new("t", text), Dialect::Relaxed);
        path_of(&root.expect("valid"), key)
    }

    #[test]
    fn a_key_is_found_however_its_file_spells_it() {
        assert_eq!(path("{}", "a.b.c"), ["a", "b", "c"]);
        assert_eq!(path(r#"{"a.b": {}}"#, "a.b.c"), ["a.b", "c"]);
        assert_eq!(path(r#"{"a": {}, "a.b": {"c": 1}}"#, "a.b.c"), ["a.b", "c"]);
        assert_eq!(path(r#"{"a": {"b.c": 1}}"#, "a.b.c"), ["a", "b.c"]);
        assert_eq!(path(r#"{"a.b.c": 1}"#, "a.b.c"), ["a.b.c"]);
        assert_eq!(path(r#"{"a": 1}"#, "a.b"), ["a", "b"]);
    }
}
