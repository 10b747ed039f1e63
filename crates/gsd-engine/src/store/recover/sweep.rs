//! Removes what belongs to nobody: bundles that were set aside for changes that are done, copies
//! that never got to their place, files that were being written when their writer was killed.
//! In a project only what carries the token of a change that this user began: any other of such a
//! name may be anybody's.

use super::{Recovered, settle};
use crate::id::CapabilityId;
use crate::store::begun::{self, Made};
use crate::store::ledger::{FILE, Ledger};
use crate::store::root::aside;
use crate::store::shared::SharedFile;
use crate::store::{ScopeRoot, StoreError, heir};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::clock;
use gsd_io::fs::{self, Entry, Kind};
use std::time::Duration;

/// No folder is looked through further.
const MOST: usize = 20_000;
/// Another program may still be copying into a younger one.
const STAGING_AGE: Duration = Duration::from_secs(600);
/// Another program may still be writing a younger one.
const LEDGER_AGE: Duration = Duration::from_secs(300);

/// Whether there may be something to sweep. Looks only.
pub(super) fn anything(root: &ScopeRoot) -> bool {
    let is_aside =
        |name: &str| aside(name, ".upgrading-").is_some() || aside(name, ".discard-").is_some();
    let found = fs::list(&root.bundles(), MOST).unwrap_or_default();
    let is_staging = |entry: &Entry| entry.name == ".staging" && entry.kind == Kind::Directory;
    if !found.iter().any(|entry| is_staging(entry) || is_aside(&entry.name)) {
        return !fs::left_overs(&root.path().join(FILE)).is_empty();
    }
    let made = Made::in_scope(root);
    let staged = || fs::list(&root.staging(), MOST).unwrap_or_default();
    let is_ours = |entry: &Entry| match is_staging(entry) {
        // An empty one is nobody's, too.
        true => staged().iter().all(|entry| made.holds(&entry.name)),
        false => is_aside(&entry.name) && made.holds(&entry.name),
    };
    found.iter().any(is_ours) || !fs::left_overs(&root.path().join(FILE)).is_empty()
}

/// Removes everything that nobody refers to any more.
pub(super) fn sweep(
    root: &ScopeRoot,
    ledger: &mut Ledger,
    report: &mut Recovered,
) -> Result<(), StoreError> {
    let made = Made::in_scope(root);
    bundles(root, ledger, &made, report)?;
    staging(root, &made, report)?;
    ledgers(root, report)?;
    shared_files(root, ledger, report)?;
    consents(root, ledger)
}

fn gone(path: &Utf8Path, report: &mut Recovered) -> Result<(), StoreError> {
    fs::remove_dir_all(path).map_err(StoreError::Write)?;
    report.removed.push(path.file_name().unwrap_or_default().to_owned());
    Ok(())
}

fn bundles(
    root: &ScopeRoot,
    ledger: &Ledger,
    made: &Made,
    report: &mut Recovered,
) -> Result<(), StoreError> {
    let referred: Vec<&str> =
        ledger.iter().filter_map(|(_, entry)| entry.pending()?.backup_name.as_deref()).collect();
    for entry in fs::list(&root.bundles(), MOST).unwrap_or_default() {
        let is_referred = referred.contains(&entry.name.as_str());
        if entry.kind != Kind::Directory || is_referred || !made.holds(&entry.name) {
            continue;
        }
        let path = root.bundles().join(&entry.name);
        if let Some(id) = aside(&entry.name, ".upgrading-") {
            report.rolled_forward.push(id.to_owned());
            gone(&path, report)?;
        } else if aside(&entry.name, ".discard-").is_some() {
            gone(&path, report)?;
        }
    }
    Ok(())
}

fn staging(root: &ScopeRoot, made: &Made, report: &mut Recovered) -> Result<(), StoreError> {
    let folder = root.staging();
    // Behind a link there may be anything.
    if fs::kind(&folder) != Some(Kind::Directory) {
        return Ok(());
    }
    for entry in fs::list(&folder, MOST).unwrap_or_default() {
        let path = folder.join(&entry.name);
        // Ours are made under the lock that is held now; those of other programs are not.
        let is_orphan = match staged_by(&entry.name) {
            Some(By::Gsd) => true,
            Some(By::Another) => age(&path) > STAGING_AGE,
            None => false,
        };
        if is_orphan && made.holds(&entry.name) && entry.kind == Kind::Directory {
            gone(&path, report)?;
        }
    }
    fs::remove_empty_folder(&folder).map_err(StoreError::Write)?;
    Ok(())
}

/// Who staged a copy.
enum By {
    Gsd,
    Another,
}

/// Tells it by the name: id, process and time, and for ours chance at its end. A folder of another
/// name is nobody's copy.
fn staged_by(name: &str) -> Option<By> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let whole = |name: &str| {
        let mut parts = name.rsplitn(3, '-');
        let numbers = parts.next().is_some_and(digits) && parts.next().is_some_and(digits);
        numbers && parts.next().is_some_and(|id| CapabilityId::parse(id).is_ok())
    };
    let ours = name.rsplit_once('-').is_some_and(|(rest, chance)| {
        chance.len() == 8 && chance.bytes().all(|byte| byte.is_ascii_hexdigit()) && whole(rest)
    });
    match ours {
        true => Some(By::Gsd),
        false => whole(name).then_some(By::Another),
    }
}

fn age(path: &Utf8Path) -> Duration {
    let now = clock::since_epoch();
    fs::modified(path).map(|then| now.saturating_sub(then)).unwrap_or_default()
}

fn ledgers(root: &ScopeRoot, report: &mut Recovered) -> Result<(), StoreError> {
    let mut halves = fs::left_overs(&root.path().join(FILE));
    let theirs = format!("{FILE}.tmp.");
    let is_old = |path: &Utf8PathBuf| age(path) > LEDGER_AGE;
    let others = fs::list(root.path(), MOST)
        .unwrap_or_default()
        .into_iter()
        .filter(|entry| entry.name.starts_with(&theirs) && matches!(entry.kind, Kind::File { .. }));
    halves.extend(others.map(|entry| root.path().join(entry.name)).filter(is_old));
    remove_files(&halves, report)
}

fn remove_files(files: &[Utf8PathBuf], report: &mut Recovered) -> Result<(), StoreError> {
    for file in files {
        fs::remove_file_durably(file).map_err(StoreError::Write)?;
        report.removed.push(file.file_name().unwrap_or_default().to_owned());
    }
    Ok(())
}

/// What is set aside beside files of hosts for changes that are done.
fn shared_files(
    root: &ScopeRoot,
    ledger: &mut Ledger,
    report: &mut Recovered,
) -> Result<(), StoreError> {
    let entries: Vec<_> = ledger.iter().map(|(id, entry)| (id.clone(), entry.clone())).collect();
    let unfinished = entries.iter().any(|(_, entry)| entry.pending().is_some());
    let mut changed = false;
    for (id, entry) in entries {
        let edits = entry.shared_edits();
        let (set_aside, emptied) = (entry.set_aside(), entry.emptied());
        let names = edits.iter().map(|edit| &edit.file).chain(&set_aside);
        for name in names {
            let Ok(file) = SharedFile::resolve(root, name) else { continue };
            let mut halves = fs::left_overs(&file.path);
            // While a change waits to be taken back, what is set aside may be its own.
            if !unfinished {
                halves.extend(file.set_aside());
            }
            remove_files(&halves, report)?;
        }
        let is_tidy = set_aside.is_empty() && emptied.is_empty();
        if !unfinished && !is_tidy {
            heir::remove_folders(root, &emptied).map_err(StoreError::Write)?;
            ledger.set(&id, entry.with_set_aside(&[], vec![]));
            changed = true;
        }
    }
    if changed {
        ledger.save()?;
    }
    Ok(())
}

/// Consents that were recorded for changes whose end is not known to the store.
fn consents(root: &ScopeRoot, ledger: &Ledger) -> Result<(), StoreError> {
    let Some(store) = root.consents() else { return Ok(()) };
    let Ok(all) = store.all() else { return Ok(()) };
    let unsettled =
        all.iter().filter(|consent| consent.is_unsettled() && consent.project == store.project());
    for consent in unsettled {
        settle(root, &consent.id)?;
    }
    begun::forget_done(root, ledger)?;
    Ok(store.tidy()?)
}
