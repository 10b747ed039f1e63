//! What a work tree holds at one moment, so that two moments can be compared.
//!
//! Every file is looked at, and read only where something about it is new: what the system notes
//! about a file changes with each write and cannot be set back.

use super::{Repository, Tree};
use crate::review::git::{Answer, Git};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Found, Kind, Links, Scratch, Stamp};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A file that is larger is known by its stamp alone.
const MAX_FILE: u64 = 32 << 20;
/// So much is read for one digest; the rest is known by stamps.
const MAX_READ: u64 = 512 << 20;
/// Git's own files that are looked at.
const MAX_GIT_FILES: usize = 20_000;

type Hash = [u8; 32];

/// A work tree at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Digest {
    /// By the path relative to the root; git's own files below `.git`.
    pub(super) entries: BTreeMap<Utf8PathBuf, Entry>,
    /// What the index says is to be committed.
    pub(super) index: Index,
    /// Whether everything was looked at.
    pub(super) is_whole: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) stamp: Stamp,
    pub(super) content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Directory,
    File(Hash),
    Link(Utf8PathBuf),
    /// Not read: too large, no regular file, or not to be opened.
    Unread,
}

/// The index of git. Its file changes when somebody merely looks, so where its bytes differ, git is
/// asked what they mean.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Index {
    stamp: Option<Stamp>,
    /// None where there is no index, or none that can be kept.
    bytes: Option<Arc<[u8]>>,
}

/// No larger index is kept; one of so many bytes names about as many files as are looked at.
const MAX_INDEX: u64 = 32 << 20;

impl Index {
    /// What is known of one of them only is taken for a change.
    pub(super) fn means_the_same(&self, later: &Self, git: &Git<'_>) -> bool {
        if self.stamp == later.stamp || self.bytes == later.bytes {
            return true;
        }
        let (Some(before), Some(after)) = (&self.bytes, &later.bytes) else { return false };
        meaning(git, before).is_some_and(|before| meaning(git, after) == Some(before))
    }
}

/// The files that an index names, with their contents and flags.
fn meaning(git: &Git<'_>, index: &[u8]) -> Option<Vec<u8>> {
    let folder = Scratch::new(git.env.temp_folder()).ok()?;
    let path = folder.path().join("index");
    fs::write_private(&path, index).ok()?;
    match git.ask_index(&path, &["ls-files", "-z", "--stage", "-v"]) {
        Answer::Text(bytes) => Some(bytes),
        Answer::TooMuch | Answer::None => None,
    }
}

impl Digest {
    /// Takes a digest. What has not changed since `before` is not read again.
    pub(super) fn take(tree: &Tree<'_>, before: Option<&Self>) -> Self {
        let mut reader = Reader { before, read: 0 };
        let files = tree.files();
        let mut is_whole = files.is_whole;
        let mut entries = BTreeMap::new();
        for found in files.found {
            let real = tree.root().join(&found.path);
            let entry = reader.entry(&found.path, &real, &found);
            entries.insert(found.path, entry);
        }
        let mut index = Index::default();
        if let Some(repository) = &tree.repository {
            is_whole &= repository.add(&mut entries, &mut reader);
            let (found, is_known) = index_of(repository, before);
            is_whole &= is_known;
            index = found;
        }
        Self { entries, index, is_whole }
    }
}

struct Reader<'a> {
    before: Option<&'a Digest>,
    read: u64,
}

impl Reader<'_> {
    fn entry(&mut self, path: &Utf8Path, real: &Utf8Path, found: &Found) -> Entry {
        let stamp = found.stamp;
        let known = self.before.and_then(|before| before.entries.get(path));
        if let Some(known) = known.filter(|known| known.stamp == stamp) {
            return known.clone();
        }
        let content = match stamp.kind {
            Kind::Directory => Content::Directory,
            Kind::Link => fs::link_target(real).map_or(Content::Unread, Content::Link),
            Kind::File { bytes }
                if found.is_named && bytes <= MAX_FILE && self.read + bytes <= MAX_READ =>
            {
                self.read += bytes;
                match fs::read_bounded(real, MAX_FILE, Links::Refuse) {
                    Ok(content) => Content::File(Sha256::digest(content).into()),
                    Err(_) => Content::Unread,
                }
            }
            Kind::File { .. } | Kind::Special => Content::Unread,
        };
        Entry { stamp, content }
    }
}

impl Repository {
    /// Adds what decides what git does: settings, hooks, branches. Objects are not looked at: a
    /// new one changes nothing until a branch or the index names it.
    fn add(&self, entries: &mut BTreeMap<Utf8PathBuf, Entry>, reader: &mut Reader<'_>) -> bool {
        const LEFT_OUT: [&str; 9] = [
            "FETCH_HEAD",
            "gc.log",
            "index",
            "index.lock",
            "lfs",
            "logs",
            "modules",
            "objects",
            "worktrees",
        ];
        let mut is_whole = true;
        let folders = [&self.common, &self.dir];
        for folder in if self.common == self.dir { &folders[..1] } else { &folders[..] } {
            let skip = |path: &Utf8Path| LEFT_OUT.contains(&path.as_str());
            let Ok(walked) = fs::walk(folder, MAX_GIT_FILES, &skip) else { continue };
            is_whole &= walked.is_whole;
            for found in walked.found {
                let path = Utf8Path::new(".git").join(&found.path);
                let entry = reader.entry(&path, &folder.join(&found.path), &found);
                entries.insert(path, entry);
            }
        }
        is_whole
    }
}

/// The index at this moment, and whether all of it is known.
fn index_of(repository: &Repository, before: Option<&Digest>) -> (Index, bool) {
    let path = repository.dir.join("index");
    let Some(stamp) = fs::stamp(&path) else { return (Index::default(), true) };
    if let Some(before) = before.filter(|before| before.index.stamp == Some(stamp)) {
        return (before.index.clone(), true);
    }
    let bytes = fs::read_bounded(&path, MAX_INDEX, Links::Refuse).ok();
    let is_known = bytes.is_some();
    (Index { stamp: Some(stamp), bytes: bytes.map(Arc::from) }, is_known)
}
