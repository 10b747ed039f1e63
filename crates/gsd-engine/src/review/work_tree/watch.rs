//! Who changed the work tree?
//!
//! A digest before the first lane and one whenever a lane ends. A change between two of them is
//! put on every lane that ran in that time and could have made it: a lane whose confinement
//! forbids such a change is no suspect. Nothing is ever reverted.

use super::Tree;
use super::compare::{Change, compare};
use super::digest::Digest;
use crate::lane::confinement::Confinement;
use crate::review::record::{Mutation, TreeChange};
use camino::Utf8Path;
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_io::sandbox::landlock;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Changes that the record of a lane lists; the rest is counted.
const LISTED: usize = 50;

/// Watches the work tree while lanes run.
#[derive(Debug)]
pub(in crate::review) struct Watch<'a> {
    state: Mutex<State<'a>>,
}

#[derive(Debug)]
struct State<'a> {
    tree: Tree<'a>,
    last: Digest,
    /// The programs that run now, by identity.
    running: BTreeMap<String, Suspect>,
    marks: BTreeMap<String, Mutation>,
    nobodys: Vec<Change>,
}

/// What a lane that runs could do to the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Suspect {
    /// Everything.
    Free,
    /// It could change modes, but neither contents nor names.
    ModesOnly,
}

impl Suspect {
    fn of(confinement: Confinement) -> Self {
        // An older kernel lets a confined program cut files to any length.
        let tight = landlock().is_some_and(|found| found.stops_truncation());
        if confinement.restricts() && tight { Self::ModesOnly } else { Self::Free }
    }

    fn could_make(self, change: &Change) -> bool {
        match self {
            Self::Free => true,
            Self::ModesOnly => change.is_mode_only,
        }
    }
}

/// What the watch saw of the whole run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::review) struct Seen {
    /// By the identity of the lane.
    pub(in crate::review) marks: BTreeMap<String, Mutation>,
    /// What the report says about the run.
    pub(in crate::review) notes: Vec<String>,
}

impl<'a> Watch<'a> {
    /// Takes the first digest. `root` is canonical.
    pub(in crate::review) fn begin(
        env: &'a Env,
        root: &'a Utf8Path,
        run_dir: &Utf8Path,
        cancel: &'a Cancel,
    ) -> Self {
        let tree = Tree::open(env, root, run_dir, cancel);
        let last = Digest::take(&tree, None);
        let (running, marks) = (BTreeMap::new(), BTreeMap::new());
        Self { state: Mutex::new(State { tree, last, running, marks, nobodys: vec![] }) }
    }

    /// Runs a lane's program; when this returns, nothing of it may run any more.
    pub(in crate::review) fn during<T>(
        &self,
        identity: &str,
        confinement: Confinement,
        run: impl FnOnce() -> T,
    ) -> T {
        self.lock().running.insert(identity.to_owned(), Suspect::of(confinement));
        let result = run();
        let mut state = self.lock();
        state.look();
        state.running.remove(identity);
        result
    }

    /// What was seen, after the last lane has ended.
    pub(in crate::review) fn finish(self) -> Seen {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut notes = vec![];
        if !state.nobodys.is_empty() {
            notes.push(format!(
                "The project changed while it was reviewed, and no reviewer could have done it: {}.",
                listed(state.nobodys.iter().map(|change| change.path.as_str()))
            ));
        }
        if !state.last.is_whole {
            notes.push(
                "The project is too large, or not readable enough, to be watched whole for changes."
                    .to_owned(),
            );
        }
        let marked: Vec<String> =
            state.marks.keys().map(|identity| format!("`{identity}`")).collect();
        if !marked.is_empty() {
            notes.push(format!(
                "The project changed while these reviewers ran: {}. Nothing was undone; look at \
                 the changes before you commit.",
                marked.join(", ")
            ));
        }
        Seen { marks: state.marks, notes }
    }

    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State<'_> {
    fn look(&mut self) {
        let now = Digest::take(&self.tree, Some(&self.last));
        let (changes, ignored) = compare(&self.tree, &self.last, &now);
        self.tree.ignored.extend(ignored);
        self.last = now;
        for change in changes {
            let suspects: Vec<String> = self
                .running
                .iter()
                .filter(|(_, suspect)| suspect.could_make(&change))
                .map(|(identity, _)| identity.clone())
                .collect();
            if suspects.is_empty() {
                self.nobodys.push(change);
                continue;
            }
            for identity in &suspects {
                let mark = self.marks.entry(identity.clone()).or_default();
                mark.total += 1;
                if mark.changes.len() < LISTED {
                    mark.changes.push(TreeChange::from(&change));
                }
                for suspect in &suspects {
                    if !mark.one_of.contains(suspect) {
                        mark.one_of.push(suspect.clone());
                    }
                }
            }
        }
    }
}

fn listed<'a>(paths: impl ExactSizeIterator<Item = &'a str>) -> String {
    const NAMED: usize = 5;
    let more = paths.len().saturating_sub(NAMED);
    let mut names: Vec<String> = paths.take(NAMED).map(|path| format!("`{path}`")).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

impl Mutation {
    /// One sentence for the lane's warnings.
    pub(in crate::review) fn sentence(&self, identity: &str) -> String {
        let paths: Vec<&str> = self.changes.iter().map(|change| change.path.as_str()).collect();
        let more = self.total.saturating_sub(self.changes.len() as u64);
        let mut sentence =
            format!("the project changed while it ran: {}", listed(paths.into_iter()));
        if more > 0 {
            sentence.push_str(&format!(", and {more} more beyond these"));
        }
        if self.one_of.iter().any(|other| other != identity) {
            let names: Vec<String> = self.one_of.iter().map(|other| format!("`{other}`")).collect();
            sentence.push_str(&format!("; one of: {}", names.join(", ")));
        }
        sentence
    }
}
