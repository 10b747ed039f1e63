//! The work tree of the project, to be watched and copied: which files are its own.

mod compare;
mod digest;
mod snapshot;
#[cfg(test)]
mod tests;
mod watch;

pub(super) use snapshot::{Snapshot, SnapshotError, can_copy};
pub(super) use watch::Watch;

use super::git::{Answer, Git};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_io::fs::{self, Found, Kind, Links, Walked};
use gsd_io::process::Stdin;
use std::collections::BTreeSet;

/// No more files are looked at.
const MAX_FILES: usize = 100_000;

/// A project and what of it belongs to its work tree.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    git: Git<'a>,
    repository: Option<Repository>,
    /// What git ignores, relative to the root.
    ignored: BTreeSet<Utf8PathBuf>,
    /// The run's own files, if they lie inside, relative to the root.
    own: Vec<Utf8PathBuf>,
}

/// Where git keeps its files.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Repository {
    /// The top of the work tree.
    top: Utf8PathBuf,
    /// Of this work tree.
    dir: Utf8PathBuf,
    /// Of all work trees.
    common: Utf8PathBuf,
}

impl<'a> Tree<'a> {
    /// `root` is canonical.
    pub(super) fn open(
        env: &'a Env,
        root: &'a Utf8Path,
        run_dir: &Utf8Path,
        cancel: &'a Cancel,
    ) -> Self {
        let git = Git { env, root, cancel };
        let run_dir = fs::canonical(run_dir).unwrap_or_else(|| run_dir.to_owned());
        let own = [root.join(".planning/.run"), run_dir];
        let own = own.iter().filter_map(|path| path.strip_prefix(root).ok());
        let repository = Repository::find(&git);
        let ignored = repository.as_ref().map(|_| ignored(&git)).unwrap_or_default();
        Self { git, repository, ignored, own: own.map(Utf8Path::to_owned).collect() }
    }

    fn root(&self) -> &'a Utf8Path {
        self.git.root
    }

    /// Everything that belongs to the work tree, git's own files apart.
    fn files(&self) -> Walked {
        let skip = |path: &Utf8Path| {
            path == ".git" || self.ignored.contains(path) || self.own.iter().any(|own| own == path)
        };
        let nothing = Walked { found: vec![], is_whole: false };
        fs::walk(self.root(), MAX_FILES, &skip).unwrap_or(nothing)
    }

    /// Those of these paths that git ignores.
    fn ignores(&self, paths: &[&Utf8Path]) -> BTreeSet<Utf8PathBuf> {
        if self.repository.is_none() || paths.is_empty() {
            return BTreeSet::new();
        }
        let input: Vec<u8> =
            paths.iter().flat_map(|path| path.as_str().bytes().chain([0])).collect();
        let args = ["check-ignore", "--stdin", "-z"];
        match self.git.ask_about(&args, Stdin::Bytes(input.into())) {
            Answer::Text(bytes) => relative(&bytes),
            // Nothing of them is ignored, or nobody can say: they count as changes then.
            Answer::TooMuch | Answer::None => BTreeSet::new(),
        }
    }
}

/// No settings of a repository are larger.
const MAX_SETTINGS: u64 = 1 << 20;

/// What settings must say for a work tree that lies elsewhere, or to read further settings.
const MOVES: [&str; 2] = ["worktree", "include"];

impl Repository {
    fn find(git: &Git<'_>) -> Option<Self> {
        Self::plain(git.root).or_else(|| Self::ask(git))
    }

    /// The repository of most projects, for which git need not be started: a folder `.git` at the
    /// root, whose settings move nothing elsewhere.
    fn plain(root: &Utf8Path) -> Option<Self> {
        let dir = root.join(".git");
        let settings = fs::read_text(&dir.join("config"), MAX_SETTINGS, Links::Refuse)
            .ok()?
            .to_ascii_lowercase();
        let is_file = |name: &str| matches!(fs::kind(&dir.join(name)), Some(Kind::File { .. }));
        let is_folder = |path: &Utf8Path| fs::kind(path) == Some(Kind::Directory);
        let plain = is_folder(&dir) && is_folder(&dir.join("objects")) && is_file("HEAD");
        let moved = is_file("commondir") || MOVES.iter().any(|word| settings.contains(word));
        (plain && !moved).then(|| Self { top: root.to_owned(), dir: dir.clone(), common: dir })
    }

    fn ask(git: &Git<'_>) -> Option<Self> {
        let args = [
            "rev-parse",
            "--path-format=absolute",
            "--show-toplevel",
            "--git-dir",
            "--git-common-dir",
        ];
        let text = git.text(&args)?;
        let mut lines = text.lines().map(Utf8PathBuf::from);
        Some(Self { top: lines.next()?, dir: lines.next()?, common: lines.next()? })
    }
}

/// What git leaves out, folders as wholes. The planning folder belongs to the project all the
/// same: whether it is committed is a matter of taste.
fn ignored(git: &Git<'_>) -> BTreeSet<Utf8PathBuf> {
    let args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
    match git.ask(&args) {
        Answer::Text(bytes) => {
            relative(&bytes).into_iter().filter(|path| !path.starts_with(".planning")).collect()
        }
        Answer::TooMuch | Answer::None => BTreeSet::new(),
    }
}

/// Paths that end with NUL. Those that are not UTF-8 stay unknown.
fn relative(bytes: &[u8]) -> BTreeSet<Utf8PathBuf> {
    bytes
        .split(|byte| *byte == 0)
        .filter_map(|path| std::str::from_utf8(path).ok())
        .map(|path| Utf8PathBuf::from(path.trim_end_matches('/')))
        .filter(|path| !path.as_str().is_empty())
        .collect()
}

fn bytes_of(found: &Found) -> u64 {
    match found.stamp.kind {
        Kind::File { bytes } => bytes,
        Kind::Directory | Kind::Link | Kind::Special => 0,
    }
}
