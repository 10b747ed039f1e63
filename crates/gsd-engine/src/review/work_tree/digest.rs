//! What a work tree holds at one moment, so that two moments can be compared.
//!
//! Every file is looked at, and read only where something about it is new: what the system notes
//! about a file changes with each write and cannot be set back.

use super::{Repository, Tree};
use crate::review::git::Answer;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Found, Kind, Links, Stamp};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

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

/// The index of git. Its file changes when somebody merely looks, so its meaning is compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Index {
    stamp: Option<Stamp>,
    meaning: Option<Hash>,
}

impl Index {
    pub(super) fn means_the_same(&self, other: &Self) -> bool {
        self.meaning == other.meaning
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
            index = index_of(tree, repository, before);
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

fn index_of(tree: &Tree<'_>, repository: &Repository, before: Option<&Digest>) -> Index {
    let stamp = fs::stamp(&repository.dir.join("index"));
    if let Some(before) = before.filter(|before| before.index.stamp == stamp) {
        return before.index.clone();
    }
    let meaning = match tree.git.ask(&["ls-files", "-z", "--stage", "-v"]) {
        Answer::Text(bytes) => Some(Sha256::digest(bytes).into()),
        Answer::TooMuch | Answer::None => None,
    };
    Index { stamp, meaning }
}
