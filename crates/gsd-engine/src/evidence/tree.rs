//! The work tree as a reviewer may cite it: below one root, regular files, bounded reads.
//!
//! A path is judged by its words before the disk is asked: absolute paths elsewhere, `..`, drives
//! and URLs are outside and never touched. Then links are resolved, and what ends up outside the
//! root is not opened either.

use crate::id::RelPath;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Links};
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::{Arc, Mutex, OnceLock};

/// Of a longer file only this much is looked at; a million lines of code fit.
const MAX_FILE_BYTES: u64 = 48 << 20;
/// What the cache holds at most before it starts over.
const MAX_CACHED_BYTES: u64 = 128 << 20;
/// What one review reads at most: citations are text from outside, and must not keep a disk busy.
const MAX_READ_BYTES: u64 = 1 << 30;

/// In a tree of more entries a shortened path is not looked for.
const MAX_ENTRIES: usize = 30_000;
const MAX_DEPTH: usize = 24;
/// Folders whose files nobody reviews.
const NOT_SOURCE: [&str; 7] =
    ["node_modules", "target", "dist", "build", "vendor", "venv", "__pycache__"];

/// The files below a root, each read at most once while the cache holds it.
#[derive(Debug)]
pub struct WorkTree {
    root: Utf8PathBuf,
    /// The root with every link resolved.
    real: Utf8PathBuf,
    /// Folders that a bare path may be meant from, besides the root.
    bases: Vec<RelPath>,
    /// Paths that have changed since the moment that counts.
    earlier: BTreeMap<RelPath, Earlier>,
    cache: Mutex<Cache>,
    /// Paths of the tree, listed once, when a citation first needs them.
    listing: OnceLock<Vec<RelPath>>,
}

#[derive(Debug, Default)]
struct Cache {
    files: BTreeMap<RelPath, Found>,
    held: u64,
    read: u64,
}

/// What a path led to at an earlier moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Earlier {
    Missing,
    Text(String),
    /// Something else than now, which nobody kept.
    Unknown,
}

/// What a cited path leads to.
#[derive(Debug, Clone)]
pub(super) enum Found {
    /// Not below the root, by its words or by a link.
    Outside,
    Missing,
    /// It exists and has no lines to cite: a folder, a FIFO, a binary, or the run has read enough.
    Unreadable,
    /// It is not what it was at the moment that counts, and nobody kept that.
    Changed,
    Text(Arc<Source>),
}

/// A text file, by lines.
#[derive(Debug)]
pub(super) struct Source {
    text: String,
    /// Byte offset of each line.
    starts: Vec<usize>,
    folded: OnceLock<Folded>,
}

/// The text with each run of white space folded to one space, and where its lines went.
#[derive(Debug)]
struct Folded {
    text: String,
    /// Offset in the folded text and line number, for each line that is not blank.
    lines: Vec<(usize, u64)>,
}

/// Text with paths below the root made relative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Localized {
    pub text: String,
    /// Absolute paths that lead elsewhere and stay as they are.
    pub foreign: usize,
}

/// Whether gsd writes there: reports and what runs leave in the project.
fn is_report(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.starts_with(".planning/")
        && (path.starts_with(".planning/.run/")
            || name.ends_with("-REVIEWS.md")
            || name.ends_with("-REVIEWS.json"))
}

impl WorkTree {
    /// The tree below `root`. A root that does not exist has no files.
    pub fn open(root: &Utf8Path) -> Self {
        let real = fs::canonical(root).unwrap_or_else(|| root.to_owned());
        Self {
            root: root.to_owned(),
            real,
            bases: vec![],
            earlier: BTreeMap::new(),
            cache: Mutex::default(),
            listing: OnceLock::new(),
        }
    }

    /// Also takes paths relative to `folder`, as reviewers name a plan by its file name alone.
    pub fn with_base(mut self, folder: RelPath) -> Self {
        self.bases.push(folder);
        self
    }

    /// Takes these paths as they were, whatever stands there now.
    pub fn with_earlier(mut self, earlier: BTreeMap<RelPath, Earlier>) -> Self {
        self.earlier = earlier;
        self
    }

    /// The paths that a citation may mean, the likeliest first; none if it is outside by its words.
    pub(super) fn candidates(&self, cited: &str) -> Option<Vec<RelPath>> {
        let cited = cited.trim();
        let cited = cited.strip_prefix("file://").unwrap_or(cited);
        let below = |root: &Utf8Path| {
            Utf8Path::new(cited).strip_prefix(root).ok().map(|path| path.as_str().to_owned())
        };
        let path = if cited.starts_with('/') {
            below(&self.root).or_else(|| below(&self.real))?
        } else if cited.contains("://") || cited.starts_with('~') || has_drive(cited) {
            return None;
        } else {
            cited.replace('\\', "/")
        };
        if path.split('/').any(|part| part == "..") || path.starts_with('/') {
            return None;
        }
        let mut paths: Vec<RelPath> = RelPath::parse(&path).into_iter().collect();
        for base in &self.bases {
            paths.extend(RelPath::parse(&format!("{base}/{path}")));
        }
        // The two sides of a diff.
        for side in ["a/", "b/"] {
            paths.extend(path.strip_prefix(side).and_then(|rest| RelPath::parse(rest).ok()));
        }
        Some(paths)
    }

    /// Whether something stands at the path, whatever it is and wherever it leads.
    pub(super) fn is_there(&self, path: &RelPath) -> bool {
        fs::kind(&self.root.join(path.as_str())).is_some()
    }

    /// The first candidate that exists, else the one file whose path ends with what was cited, else
    /// the first candidate.
    pub(super) fn find(&self, cited: &str) -> (Option<RelPath>, Found) {
        let Some(candidates) = self.candidates(cited) else { return (None, Found::Outside) };
        for path in &candidates {
            match self.load(path) {
                Found::Missing => {}
                found @ (Found::Outside | Found::Unreadable | Found::Changed | Found::Text(_)) => {
                    return (Some(path.clone()), found);
                }
            }
        }
        let first = candidates.into_iter().next();
        if let Some(path) = first.as_ref().and_then(|cited| self.only_file_below(cited)) {
            let found = self.load(&path);
            return (Some(path), found);
        }
        (first, Found::Missing)
    }

    /// The file that a shortened path such as `posts.ts` means, if there is only one.
    fn only_file_below(&self, cited: &RelPath) -> Option<RelPath> {
        let ending = format!("/{cited}");
        let listing = self.listing.get_or_init(|| self.list());
        let mut found = listing.iter().filter(|path| path.as_str().ends_with(&ending));
        let one = found.next()?;
        found.next().is_none().then(|| one.clone())
    }

    /// The files of the tree, without what is hidden, installed or built. Links are not followed.
    fn list(&self) -> Vec<RelPath> {
        let mut files = vec![];
        let mut folders = vec![(String::new(), 0)];
        let mut seen = 0;
        while let Some((folder, depth)) = folders.pop() {
            let entries = fs::list(&self.real.join(&folder), MAX_ENTRIES).unwrap_or_default();
            seen += entries.len();
            // A list that is cut could make an ambiguous name look like the only one.
            if seen > MAX_ENTRIES {
                return vec![];
            }
            for entry in entries {
                let path = if folder.is_empty() {
                    entry.name.clone()
                } else {
                    format!("{folder}/{}", entry.name)
                };
                match entry.kind {
                    fs::Kind::File { .. } => files.extend(RelPath::parse(&path)),
                    fs::Kind::Directory => {
                        let left_out = entry.name.starts_with('.')
                            || NOT_SOURCE.contains(&entry.name.as_str());
                        if !left_out && depth < MAX_DEPTH {
                            folders.push((path, depth + 1));
                        }
                    }
                    fs::Kind::Link | fs::Kind::Special => {}
                }
            }
        }
        files
    }

    fn load(&self, path: &RelPath) -> Found {
        // A panic while the lock is held can only come from a bug; the cache is whole even then.
        let mut cache = self.cache.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(found) = cache.files.get(path) {
            return found.clone();
        }
        let found = self.read(path, &mut cache);
        if cache.held > MAX_CACHED_BYTES || cache.files.len() > 20_000 {
            cache.files.clear();
            cache.held = 0;
        }
        cache.files.insert(path.clone(), found.clone());
        found
    }

    fn read(&self, path: &RelPath, cache: &mut Cache) -> Found {
        // What git keeps for itself is no part of the project.
        if path.as_str() == ".git" || path.as_str().starts_with(".git/") {
            return Found::Outside;
        }
        // What gsd writes repeats reviewers: they would be their own witnesses.
        if is_report(path.as_str()) {
            return Found::Outside;
        }
        match self.earlier.get(path) {
            Some(Earlier::Missing) => return Found::Missing,
            Some(Earlier::Unknown) => return Found::Changed,
            Some(Earlier::Text(text)) => return Found::Text(Arc::new(Source::new(text.clone()))),
            None => {}
        }
        let Some(real) = fs::canonical(&self.root.join(path.as_str())) else {
            return Found::Missing;
        };
        if !real.starts_with(&self.real) {
            return Found::Outside;
        }
        if cache.read >= MAX_READ_BYTES {
            return Found::Unreadable;
        }
        // The name is resolved, so a link here would be a swap behind our back.
        let file = match fs::open_regular(&real, Links::Refuse) {
            Ok(file) => file,
            Err(fs::ReadError::NotFound { .. }) => return Found::Missing,
            Err(_) => return Found::Unreadable,
        };
        let mut bytes = vec![];
        if file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).is_err() {
            return Found::Unreadable;
        }
        cache.read += bytes.len() as u64;
        if bytes.iter().take(8192).any(|byte| *byte == 0) {
            return Found::Unreadable;
        }
        cache.held += bytes.len() as u64;
        // A file in an old encoding still has lines.
        Found::Text(Arc::new(Source::new(String::from_utf8_lossy(&bytes).into_owned())))
    }

    /// Makes absolute paths below the root relative, and counts those that lead elsewhere.
    pub fn localize(&self, text: &str) -> Localized {
        let mut text = text.to_owned();
        for root in [&self.root, &self.real] {
            // A root this short would match anything.
            if root.as_str().len() > 1 {
                text = strip_root(&text, root.as_str().trim_end_matches('/'));
            }
        }
        let foreign = foreign_paths(&text);
        Localized { text, foreign }
    }
}

fn has_drive(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':'
}

fn strip_root(text: &str, root: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(root) {
        let (before, found) = rest.split_at(at);
        let after = &found[root.len()..];
        out.push_str(before);
        let begins = !out.ends_with(|c: char| c.is_alphanumeric() || "._-~/".contains(c))
            || out.ends_with("file://");
        rest = after;
        if begins && let Some(below) = after.strip_prefix('/') {
            if out.ends_with("file://") {
                out.truncate(out.len() - "file://".len());
            }
            // `/root/` alone is the root itself.
            if !below.starts_with(|c: char| c.is_alphanumeric() || "._-@[(".contains(c)) {
                out.push('.');
            }
            rest = below;
        } else if begins && !after.starts_with(|c: char| c.is_alphanumeric() || "._-".contains(c)) {
            out.push('.');
        } else {
            out.push_str(root);
        }
    }
    out.push_str(rest);
    out
}

/// Counts absolute paths. An API route such as `/api/posts` looks the same, so only the folders
/// that machines really have at their top are taken for one.
fn foreign_paths(text: &str) -> usize {
    const TOPS: &[&str] = &[
        "/home/",
        "/Users/",
        "/root/",
        "/tmp/",
        "/var/",
        "/etc/",
        "/opt/",
        "/usr/",
        "/mnt/",
        "/srv/",
        "/private/",
        "/Library/",
        "/Volumes/",
    ];
    let unix: usize = TOPS
        .iter()
        .flat_map(|top| text.match_indices(top))
        .filter(|(at, _)| {
            !text[..*at].ends_with(|c: char| c.is_alphanumeric() || "._-~/:".contains(c))
        })
        .count();
    let windows = text
        .match_indices(":\\")
        .filter(|(at, _)| {
            let mut before = text[..*at].chars().rev();
            before.next().is_some_and(|c| c.is_ascii_alphabetic())
                && !before.next().is_some_and(char::is_alphanumeric)
        })
        .count();
    unix + windows
}

impl Source {
    pub(super) fn new(text: String) -> Self {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        // What ends with a line break has no further line after it.
        if starts.last() == Some(&text.len()) {
            starts.pop();
        }
        Self { text, starts, folded: OnceLock::new() }
    }

    pub(super) fn line_count(&self) -> u64 {
        self.starts.len() as u64
    }

    /// A line by its number, which counts from one.
    pub(super) fn line(&self, number: u64) -> Option<&str> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).copied().unwrap_or(self.text.len());
        Some(self.text[start..end].trim_end_matches(['\n', '\r']))
    }

    /// Lines `first..=last`, those that exist.
    pub(super) fn lines(&self, first: u64, last: u64) -> impl Iterator<Item = (u64, &str)> {
        (first.max(1)..=last.min(self.line_count()))
            .filter_map(|number| Some((number, self.line(number)?)))
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where a quote stands, white space folded: first and last line of each occurrence, at most
    /// `max` of them.
    pub(super) fn find(&self, quote: &str, max: usize) -> Vec<(u64, u64)> {
        let quote = fold(quote);
        if quote.is_empty() {
            return vec![];
        }
        let folded = self.folded.get_or_init(|| self.fold_lines());
        let line_at = |offset: usize| {
            let index = folded.lines.partition_point(|(start, _)| *start <= offset);
            folded.lines[index.saturating_sub(1)].1
        };
        let found = folded.text.match_indices(&quote);
        found.take(max).map(|(at, _)| (line_at(at), line_at(at + quote.len() - 1))).collect()
    }

    fn fold_lines(&self) -> Folded {
        let mut text = String::with_capacity(self.text.len());
        let mut lines = vec![];
        for (number, line) in (1..).zip(self.text.lines()) {
            let mut words = line.split_whitespace().peekable();
            if words.peek().is_none() {
                continue;
            }
            if !text.is_empty() {
                text.push(' ');
            }
            lines.push((text.len(), number));
            for (index, word) in words.enumerate() {
                if index > 0 {
                    text.push(' ');
                }
                text.push_str(word);
            }
        }
        Folded { text, lines }
    }
}

/// White space folded to single spaces.
pub(super) fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_by_their_words() {
        let tree = WorkTree::open(Utf8Path::new("/nowhere/repo"))
            .with_base(RelPath::parse(".planning/phases/03-x").unwrap());
        let first = |cited| {
            tree.candidates(cited).map(|paths| {
                paths.iter().map(RelPath::as_str).map(str::to_owned).collect::<Vec<_>>()
            })
        };
        assert_eq!(first("src/a.rs").unwrap()[..2], ["src/a.rs", ".planning/phases/03-x/src/a.rs"]);
        assert_eq!(first("/nowhere/repo/src/a.rs").unwrap()[0], "src/a.rs");
        assert_eq!(first("file:///nowhere/repo/src/a.rs").unwrap()[0], "src/a.rs");
        assert_eq!(first(".\\src\\a.rs").unwrap()[0], "src/a.rs");
        assert_eq!(first("b/src/a.rs").unwrap()[2], "src/a.rs");
        for outside in [
            "/etc/passwd",
            "/nowhere/repository/a",
            "../x",
            "src/../../x",
            "/nowhere/repo/../x",
            "~/x",
            "C:\\x",
            "c:/x",
            "https://x.org/a",
            "git@x.org://a",
        ] {
            assert_eq!(first(outside), None, "{outside}");
        }
    }

    #[test]
    fn lines_and_quotes() {
        let source = Source::new("one\n\n  two   three\r\nfour\nfour\n".into());
        assert_eq!(source.line_count(), 5);
        assert_eq!(source.line(3), Some("  two   three"));
        assert_eq!(source.line(6), None);
        assert_eq!(source.line(0), None);
        assert_eq!(source.find("two three\nfour", 9), [(3, 4)]);
        assert_eq!(source.find("four", 9), [(4, 4), (5, 5)]);
        assert_eq!(source.find("one two", 9), [(1, 3)]);
        assert!(source.find(" ", 9).is_empty());
        assert_eq!(Source::new(String::new()).line_count(), 0);
        assert_eq!(Source::new("no end".into()).line_count(), 1);
    }

    #[test]
    fn paths_of_this_machine_become_relative() {
        let tree = WorkTree::open(Utf8Path::new("/home/me/repo"));
        let localized = tree.localize(
            "[a.rs](/home/me/repo/src/a.rs:4) file:///home/me/repo/b.rs /home/me/repo /home/me/repository/c \
             /home/you/x `/api/posts` https://x.org/home/a C:\\Users\\me",
        );
        assert_eq!(
            localized.text,
            "[a.rs](src/a.rs:4) b.rs . /home/me/repository/c /home/you/x `/api/posts` \
             https://x.org/home/a C:\\Users\\me"
        );
        assert_eq!(localized.foreign, 3);
    }
}
