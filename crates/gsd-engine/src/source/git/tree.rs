//! The files of a commit, read out of its objects.

use super::program::Git;
use crate::source::fetch::{FetchContext, FetchError};
use crate::source::unpack::bundle_of;
use crate::text::printable;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::process::Stdin;
use gsd_io::tree::{TreeError, TreeWriter};

/// One entry of a commit.
struct Entry {
    mode: String,
    id: String,
    bytes: u64,
    path: String,
}

/// The list of a commit's files is never longer.
const MAX_LIST: usize = 32 << 20;
/// About how much is read at once.
const PORTION: u64 = 8 << 20;
/// How a file begins that Git LFS keeps elsewhere.
const LFS: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Writes the bundle of a commit below `scratch`.
pub(super) fn write(
    git: &Git<'_>,
    commit: &str,
    context: &FetchContext<'_>,
    scratch: &Utf8Path,
) -> Result<Utf8PathBuf, FetchError> {
    let place = format!("the commit {commit}");
    let entries = list(git, commit)?;
    let paths: Vec<_> = entries.iter().map(|entry| entry.path.clone()).collect();
    let below = bundle_of(&paths, &place)?;
    let within = |path: &str| match below.as_str() {
        "" => Some(path.to_owned()),
        below => Some(path.strip_prefix(below)?.strip_prefix('/')?.to_owned()),
    };
    let entries: Vec<_> = entries
        .into_iter()
        .filter_map(|entry| Some(Entry { path: within(&entry.path)?, ..entry }))
        .collect();
    let mut total = 0u64;
    for entry in &entries {
        plain(entry)?;
        total = total.saturating_add(entry.bytes);
        if total > context.limits.bytes {
            return Err(TreeError::TooLarge { max: context.limits.bytes }.into());
        }
    }
    if entries.len() > context.limits.entries {
        return Err(TreeError::TooMany { max: context.limits.entries }.into());
    }
    let bundle = scratch.join("bundle");
    let mut tree = TreeWriter::new(&bundle, context.limits.tree(), context.cancel)?;
    let mut rest = entries.as_slice();
    while !rest.is_empty() {
        let (mut count, mut bytes) = (0, 0u64);
        while count < rest.len() && (count == 0 || bytes + rest[count].bytes <= PORTION) {
            bytes += rest[count].bytes;
            count += 1;
        }
        let (portion, later) = rest.split_at(count);
        read(git, portion, bytes, &mut tree)?;
        rest = later;
    }
    Ok(bundle)
}

fn odd(what: &str) -> FetchError {
    FetchError::unusable(format!("git gave an answer that is not understood: {what}"), "update git")
}

fn list(git: &Git<'_>, commit: &str) -> Result<Vec<Entry>, FetchError> {
    let args = ["ls-tree", "-r", "-z", "--long", "--full-tree", commit];
    let said = git.local(&args, Stdin::Empty, MAX_LIST)?.map_err(|why| odd(&why))?;
    let mut entries = vec![];
    for line in said.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let Ok(line) = std::str::from_utf8(line) else {
            let path = printable(&String::from_utf8_lossy(line), 200);
            return Err(TreeError::Name { path, why: "it is not UTF-8" }.into());
        };
        let (facts, path) = line.split_once('\t').ok_or_else(|| odd("a line without a name"))?;
        let facts: Vec<_> = facts.split_ascii_whitespace().collect();
        let [mode, _, id, bytes] = facts.as_slice() else {
            return Err(odd("a line of other facts"));
        };
        entries.push(Entry {
            mode: (*mode).to_owned(),
            id: (*id).to_owned(),
            // A submodule has none.
            bytes: bytes.parse().unwrap_or(0),
            path: path.to_owned(),
        });
    }
    Ok(entries)
}

/// Files only, whether they are marked as programs or not.
fn plain(entry: &Entry) -> Result<(), FetchError> {
    let what = match entry.mode.as_str() {
        "100644" | "100755" | "100664" => return Ok(()),
        "120000" => "a symlink",
        "160000" => "a submodule",
        _ => "of an unknown kind",
    };
    Err(TreeError::NotPlain { path: printable(&entry.path, 200), what }.into())
}

/// Reads some files at once and writes them.
fn read(
    git: &Git<'_>,
    entries: &[Entry],
    bytes: u64,
    tree: &mut TreeWriter<'_>,
) -> Result<(), FetchError> {
    let ids: Vec<u8> =
        entries.iter().flat_map(|entry| [entry.id.as_bytes(), b"\n"].concat()).collect();
    let most = usize::try_from(bytes).unwrap_or(usize::MAX).saturating_add(entries.len() * 128);
    let said = git.local(&["cat-file", "--batch"], Stdin::Bytes(ids.into()), most)?;
    let said = said.map_err(|why| odd(&why))?;
    let mut rest = said.as_slice();
    for entry in entries {
        // `ID blob SIZE`, a line end, the content, a line end.
        let end =
            rest.iter().position(|byte| *byte == b'\n').ok_or_else(|| odd("it ends early"))?;
        let head = format!("{} blob {}", entry.id, entry.bytes);
        if rest[..end] != *head.as_bytes() {
            return Err(odd("another object"));
        }
        let from = end + 1;
        let to = from + usize::try_from(entry.bytes).map_err(|_| odd("a file of no size"))?;
        let content = rest.get(from..to).ok_or_else(|| odd("it ends early"))?;
        if content.starts_with(LFS) && content.len() < 1024 {
            let path = printable(&entry.path, 200);
            return Err(
                TreeError::NotPlain { path, what: "kept in Git LFS, which is not asked" }.into()
            );
        }
        tree.file(&entry.path, &mut &*content)?;
        rest = rest.get(to + 1..).ok_or_else(|| odd("it ends early"))?;
    }
    Ok(())
}
