//! The files of hosts that a change edits: which of them may be, how they are now, and how they will
//! be. Nothing is written here.

use super::heir::{self, Heir};
use super::ledger::{SharedEdit, SharedState};
pub(super) use super::shared_edit::Surfaces;
use super::shared_edit::{self, Keeping, Skipped, Stripped, Touched, Undo, Without};
use super::{Entry, Ledger, ScopeRoot, StoreError, ledger};
use crate::id::{CapabilityId, RelPath};
use crate::manifest::pack::integrity;
use crate::text::printable;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Kind, Links, ReadError};

/// No more of them are named in one change.
const MAX_FILES: usize = 256;
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// A file of a host below a root that may be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SharedFile {
    /// As it was named, below the root.
    pub(super) name: String,
    /// Where it really lies, or will lie.
    pub(super) path: Utf8PathBuf,
    /// Folders that are not there yet, below the root, the outermost first.
    pub(super) missing: Vec<String>,
}

/// How a file changes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SharedChange {
    pub(super) file: SharedFile,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    /// What the ledger keeps of it; `None` where nothing of the capability stays in it.
    pub(super) edit: Option<SharedEdit>,
    /// What is in it then, in words.
    pub(super) added: Vec<String>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) removed: usize,
    /// Pieces that go although their user changed them.
    pub(super) lost: Vec<String>,
    /// Pieces that stay because gsd's mark was taken from them.
    pub(super) unmarked: Vec<String>,
    /// What the ledger keeps from then on of others that have entries in it.
    pub(super) heirs: Vec<Heir>,
}

impl SharedChange {
    pub(super) fn is_one(&self) -> bool {
        self.before != self.after
    }

    /// What its user may want to know of what is not as it was written.
    pub(super) fn remarks(&self) -> Vec<String> {
        let file = printable(&self.file.name, 200);
        let lost = self.lost.iter().map(|piece| {
            let piece = printable(piece, 80);
            format!("`{file}`: {piece} went as you had changed it")
        });
        let unmarked = self.unmarked.iter().map(|piece| {
            let piece = printable(piece, 80);
            format!(
                "`{file}`: {piece} stays, since somebody took gsd's mark from it; take it out yourself"
            )
        });
        // Where it stays recorded, what was left out says so.
        lost.chain(unmarked.filter(|_| self.edit.is_none())).collect()
    }

    pub(super) fn state(&self) -> SharedState {
        SharedState {
            file: self.file.name.clone(),
            created: self.before.is_none(),
            before: self.before.as_deref().map(digest),
            after: self.after.as_deref().map(digest),
        }
    }
}

/// What a text is compared by in an intent.
pub(super) fn digest(text: &str) -> String {
    integrity(text.as_bytes())
}

/// What of a capability goes into which files.
#[derive(Debug)]
pub(super) enum Wanted<'a> {
    /// Its entries, in these files and in no others.
    In {
        surfaces: &'a Surfaces,
        files: &'a [String],
    },
    Nowhere,
}

/// Decides how the files change that hold entries of a capability, or are to.
pub(super) fn plan(
    root: &ScopeRoot,
    ledger: &Ledger,
    id: &CapabilityId,
    wanted: &Wanted<'_>,
) -> Result<Vec<SharedChange>, StoreError> {
    let recorded = ledger.get(id).map(Entry::shared_edits).unwrap_or_default();
    let files = match wanted {
        Wanted::In { files, surfaces } if !surfaces.is_empty() => *files,
        Wanted::In { .. } | Wanted::Nowhere => &[],
    };
    check_number(files.len())?;
    let mut names: Vec<&str> = recorded.iter().map(|edit| edit.file.as_str()).collect();
    names.extend(files.iter().map(String::as_str));
    names.sort_unstable();
    names.dedup();
    let mut changes: Vec<SharedChange> = vec![];
    for name in names {
        let edit = recorded.iter().find(|edit| edit.file == name);
        let is_wanted = files.iter().any(|file| file == name);
        let file = match SharedFile::resolve(root, name) {
            Ok(file) => file,
            // What a ledger names and may not be edited was never edited by us.
            Err(_) if !is_wanted => continue,
            Err(why) => return Err(refused(name, &why)),
        };
        if changes.iter().any(|other| other.file.path == file.path) {
            continue;
        }
        let surfaces = match wanted {
            Wanted::In { surfaces, .. } if is_wanted => Some(*surfaces),
            Wanted::In { .. } | Wanted::Nowhere => None,
        };
        let others = heir::others(root, ledger, id, &file.path);
        match change(file, id, edit, surfaces, &others) {
            Ok(change) => changes.push(change),
            // Hosts may still take entries from it, so nobody may be told that they are gone.
            Err(why) if !is_wanted => return Err(stuck(name, id, &why)),
            Err(why) => return Err(refused(name, &why)),
        }
    }
    Ok(changes)
}

/// No more files than this are taken, found out before anything else is looked at.
pub fn check_number(files: usize) -> Result<(), StoreError> {
    if files > MAX_FILES {
        let reason =
            format!("too many shared files: {files} exceeds the {MAX_FILES} that are taken");
        return Err(StoreError::refused(reason));
    }
    Ok(())
}

fn refused(name: &str, why: &str) -> StoreError {
    let reason = format!("the shared file `{}` {why}", printable(name, 200));
    let hint = "name a `.json` or `.jsonc` file of a host below the root of the scope, such as \
                `.claude/settings.json`";
    StoreError::refused_hint(reason, hint)
}

fn stuck(name: &str, id: &CapabilityId, why: &str) -> StoreError {
    let name = printable(name, 200);
    let reason = format!("the shared file `{name}` {why}, and may hold entries of `{id}`");
    let hint = format!("mend `{name}` or move it away, then run the same command again");
    StoreError::refused_hint(reason, hint)
}

fn change(
    file: SharedFile,
    id: &CapabilityId,
    edit: Option<&SharedEdit>,
    surfaces: Option<&Surfaces>,
    others: &[Heir],
) -> Result<SharedChange, String> {
    let unreadable = |error: shared_edit::SharedEditError| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        format!("cannot be edited{}", cause.unwrap_or_default())
    };
    let before = file.read()?;
    let undo = edit.and_then(|edit| edit.undo.as_ref()).and_then(Undo::from_json);
    let Touched { edited, unmarked } = match (&before, &undo) {
        (Some(text), Some(undo)) => shared_edit::touched(text, id.as_str(), undo),
        _ => Touched::default(),
    };
    let stays = |piece: &String| surfaces.is_some_and(|new| new.pieces().contains(piece));
    let (kept, lost): (Vec<String>, Vec<String>) = edited.into_iter().partition(stays);
    let keeping = undo.as_ref().map(|undo| Keeping { pieces: &kept, undo });
    let mut heirs = vec![];
    let (base, removed) = match (&before, keeping) {
        (Some(text), Some(keeping)) if !kept.is_empty() => {
            let stripped = shared_edit::strip_but(text, id, keeping).map_err(unreadable)?;
            (stripped.text, stripped.removed)
        }
        (Some(text), _) => {
            let ways_back = heir::ways_back(others);
            let without = shared_edit::without(text, id, undo.as_ref(), &ways_back);
            let Without { stripped, others: left } = without.map_err(unreadable)?;
            heirs = heir::changed(others, &left);
            let Stripped { text, removed } = stripped;
            (text, removed)
        }
        (None, _) => (None, 0),
    };
    let bare = SharedChange {
        file,
        before,
        after: base,
        edit: None,
        added: vec![],
        skipped: vec![],
        removed,
        lost,
        unmarked,
        heirs,
    };
    let Some(surfaces) = surfaces else { return Ok(bare) };
    let applied = shared_edit::apply_keeping(bare.after.as_deref(), surfaces, keeping);
    let applied = applied.map_err(unreadable)?;
    let bare = SharedChange { skipped: applied.skipped, ..bare };
    if applied.added.is_empty() && kept.is_empty() {
        return Ok(bare);
    }
    let mut folders = edit.map(|edit| edit.folders.clone()).unwrap_or_default();
    folders.extend(bare.file.missing.iter().cloned());
    let undo = Some(applied.undo.to_json());
    let edit = SharedEdit { file: bare.file.name.clone(), folders, undo };
    let after = Some(applied.text);
    Ok(SharedChange { after, edit: Some(edit), added: applied.added, ..bare })
}

impl SharedFile {
    /// Finds the file that a name means. It must lie below the root, links resolved, and must not be
    /// anything of gsd's, of git's or of the plans.
    pub(super) fn resolve(root: &ScopeRoot, name: &str) -> Result<Self, String> {
        let rel =
            RelPath::parse(name).map_err(|_| "is unsafe: it leads out of the root".to_owned())?;
        reserved(rel.as_str())?;
        let real = |path: &Utf8Path| fs::canonical(path).ok_or("cannot be resolved".to_owned());
        let base = fs::canonical(root.path()).unwrap_or_else(|| root.path().to_owned());
        let given = base.join(rel.as_str());
        let folder = given.parent().unwrap_or(&base);
        let there = folder.ancestors().find(|folder| fs::kind(folder).is_some());
        let there = there.unwrap_or(&base);
        let lies_in = real(there).unwrap_or_else(|_| base.clone());
        let below = folder.strip_prefix(there).map_err(|_| "cannot be resolved".to_owned())?;
        let mut path = lies_in.join(below).join(given.file_name().unwrap_or_default());
        match fs::kind(&path) {
            Some(Kind::Link) => path = real(&path)?,
            Some(Kind::File { .. }) | None => {}
            Some(Kind::Directory | Kind::Special) => return Err("is no plain file".to_owned()),
        }
        let inside = path.strip_prefix(&base);
        let inside = inside.map_err(|_| "is unsafe: a link leads out of the root".to_owned())?;
        reserved(inside.as_str())?;
        let missing = folder
            .ancestors()
            .take_while(|folder| *folder != there)
            .filter_map(|folder| Some(folder.strip_prefix(&base).ok()?.to_string()))
            .collect::<Vec<_>>();
        let missing = missing.into_iter().rev().collect();
        Ok(Self { name: name.to_owned(), path, missing })
    }

    /// Its text; `None` if it is not there.
    pub(super) fn read(&self) -> Result<Option<String>, String> {
        match fs::read_text(&self.path, MAX_BYTES, Links::Refuse) {
            Ok(text) => Ok(Some(text)),
            Err(ReadError::NotFound { .. }) => Ok(None),
            Err(ReadError::TooLarge { max, .. }) => Err(format!("exceeds {max} bytes")),
            Err(ReadError::NotUtf8 { .. }) => Err("is not UTF-8".to_owned()),
            Err(ReadError::NotAFile { what, .. }) => Err(format!("is {what}")),
            Err(ReadError::Io { .. }) => Err("cannot be read".to_owned()),
        }
    }

    /// The name of what it was, set aside beside it for one change.
    pub(super) fn backup_name(&self, token: &str) -> String {
        format!("{}{token}", self.backup_prefix())
    }

    fn backup_prefix(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        let end = (0..=name.len().min(160)).rev().find(|end| name.is_char_boundary(*end));
        format!(".{}.gsd-before-", &name[..end.unwrap_or(0)])
    }

    /// Everything that is set aside beside it.
    pub(super) fn set_aside(&self) -> Vec<Utf8PathBuf> {
        let (Some(folder), prefix) = (self.path.parent(), self.backup_prefix()) else {
            return vec![];
        };
        let entries = fs::list(folder, 100_000).unwrap_or_default().into_iter();
        entries
            .filter(|entry| entry.name.starts_with(&prefix))
            .filter(|entry| matches!(entry.kind, Kind::File { .. }))
            .map(|entry| folder.join(entry.name))
            .collect()
    }
}

/// Refuses what is no settings file of a host.
fn reserved(name: &str) -> Result<(), String> {
    let lower = name.to_lowercase();
    let first = lower.split('/').next().unwrap_or_default();
    if [".gsd", ".git", ".planning"].contains(&first) || lower == ledger::FILE {
        return Err("is unsafe: it belongs to gsd, to git or to the plans".to_owned());
    }
    match Utf8Path::new(&lower).extension() {
        Some("json" | "jsonc") => Ok(()),
        Some(_) | None => Err("is no `.json` or `.jsonc` file".to_owned()),
    }
}
