//! What changed between two digests.

use super::Tree;
use super::digest::{Content, Digest, Entry};
use crate::review::record::{TreeChange, TreeChangeKind};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeSet;

/// One change of the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::review) struct Change {
    pub(in crate::review) path: Utf8PathBuf,
    pub(in crate::review) kind: TreeChangeKind,
    /// No file got another content or name: Landlock does not prevent such changes.
    pub(in crate::review) is_mode_only: bool,
}

impl From<&Change> for TreeChange {
    fn from(change: &Change) -> Self {
        Self { path: change.path.to_string(), change: change.kind }
    }
}

/// The changes from one moment to a later one, by path. New files that git ignores are none; they
/// come back as the second value, so that nobody looks into them again.
pub(super) fn compare(
    tree: &Tree<'_>,
    before: &Digest,
    after: &Digest,
) -> (Vec<Change>, BTreeSet<Utf8PathBuf>) {
    let mut changes = vec![];
    for (path, old) in &before.entries {
        match after.entries.get(path) {
            // Beyond the bound nobody knows what became of it.
            None if !after.is_whole => {}
            None => changes.push((path, TreeChangeKind::Removed, false)),
            Some(new) => {
                changes.extend(difference(old, new).map(|(kind, mode)| (path, kind, mode)))
            }
        }
    }
    let mut added: Vec<&Utf8PathBuf> = vec![];
    if before.is_whole {
        added.extend(after.entries.keys().filter(|path| !before.entries.contains_key(*path)));
    }
    let ignored = ignored(tree, &added);
    let is_ignored = |path: &Utf8Path| path.ancestors().any(|above| ignored.contains(above));
    for path in added.into_iter().filter(|path| !is_ignored(path)) {
        // A folder is told by what it holds; only an empty one speaks for itself.
        let holds = |other: &Utf8PathBuf| other != path && other.starts_with(path);
        let next = after.entries.range(path.clone()..).nth(1);
        let empty = next.is_none_or(|(next, _)| !holds(next));
        if after.entries[path].content != Content::Directory || empty {
            changes.push((path, TreeChangeKind::Added, false));
        }
    }
    let mut changes: Vec<Change> = changes
        .into_iter()
        .map(|(path, kind, is_mode_only)| Change { path: path.clone(), kind, is_mode_only })
        .collect();
    if !before.index.means_the_same(&after.index, &tree.git) {
        let path = ".git/index".into();
        changes.push(Change { path, kind: TreeChangeKind::Modified, is_mode_only: false });
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    (changes, ignored)
}

fn difference(old: &Entry, new: &Entry) -> Option<(TreeChangeKind, bool)> {
    let same_kind =
        std::mem::discriminant(&old.stamp.kind) == std::mem::discriminant(&new.stamp.kind);
    let same = match (&old.content, &new.content) {
        (Content::Unread, _) | (_, Content::Unread) => old.stamp == new.stamp,
        (old, new) => old == new,
    };
    if !same_kind || !same {
        return Some((TreeChangeKind::Modified, false));
    }
    (old.stamp.mode != new.stamp.mode).then_some((TreeChangeKind::Mode, true))
}

/// Those of the new paths that git ignores. It is asked about the topmost ones only: there may be
/// a hundred thousand files in a new folder of packages.
fn ignored(tree: &Tree<'_>, added: &[&Utf8PathBuf]) -> BTreeSet<Utf8PathBuf> {
    let all: BTreeSet<&Utf8Path> = added.iter().map(|path| path.as_path()).collect();
    let mut asked: Vec<&Utf8Path> = all
        .iter()
        .copied()
        .filter(|path| !path.starts_with(".git") && !path.starts_with(".planning"))
        .collect();
    let mut ignored = BTreeSet::new();
    // Level by level, so that nothing below an ignored folder is asked about.
    while !asked.is_empty() {
        let below = |path: &Utf8Path, set: &[&Utf8Path]| {
            path.ancestors().skip(1).any(|above| set.binary_search(&above).is_ok())
        };
        let (deeper, top): (Vec<&Utf8Path>, Vec<&Utf8Path>) =
            asked.iter().copied().partition(|path| below(path, &asked));
        ignored.extend(tree.ignores(&top));
        asked = deeper
            .into_iter()
            .filter(|path| !path.ancestors().any(|above| ignored.contains(above)))
            .collect();
    }
    ignored
}
