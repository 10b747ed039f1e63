//! Where a confined program may write: its own places, and nothing that holds the project. And what
//! it may not read: the folders of other reviewers, whose words it would only repeat.

use crate::lane::plan::LanePlan;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::env::Env;
use gsd_io::fs;
use gsd_io::sandbox::{DEVICES, Sandbox, all_but};

/// Where a program may write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Absolute; what is missing when the program starts is left out.
    pub writable: Vec<Utf8PathBuf>,
    /// Folders of the program that are made if they are missing.
    pub folders: Vec<Utf8PathBuf>,
    /// The folder for temporary files where the usual one holds the project.
    pub temp: Option<Utf8PathBuf>,
    /// Places of its own that it does not get, because they hold the project or lie in it.
    pub withheld: Vec<Utf8PathBuf>,
    /// The folder of runs, of which it reads its own places only; `None` where it cannot be kept
    /// from reading the others.
    pub unread: Option<Utf8PathBuf>,
}

impl Places {
    /// How the program is kept to its places, where all of them are there.
    pub fn sandbox(&self, prompt: &Utf8Path) -> Sandbox {
        let places = self.writable.clone();
        match self.unread.as_deref().and_then(all_but) {
            None => Sandbox::WriteOnly { places },
            Some(mut readable) => {
                readable.push(prompt.to_owned());
                Sandbox::Apart { places, readable }
            }
        }
    }
}

/// Whether a program is kept from reading what other reviewers of the run get and write.
pub fn is_apart(plan: &LanePlan, project: &Utf8Path, env: &Env) -> bool {
    plan.confinement.restricts()
        && places(plan, project, env).unread.as_deref().and_then(all_but).is_some()
}

/// Folders for everybody's temporary files: many programs do not ask for the user's choice.
const TEMP: [&str; 2] = ["/tmp", "/var/tmp"];

/// The places of a lane's program, for a project that must not change.
pub fn places(plan: &LanePlan, project: &Utf8Path, env: &Env) -> Places {
    let project = real(project);
    let folder = &plan.artefacts.folder;
    let holds = |path: &Utf8Path| project.starts_with(real(path));
    let touches = |path: &Utf8Path| {
        let path = real(path);
        project.starts_with(&path) || path.starts_with(&project)
    };
    let mut found =
        Places { writable: vec![], folders: vec![], temp: None, withheld: vec![], unread: None };
    // A run folder inside the project is the user's choice.
    if !holds(folder) {
        found.writable.push(folder.clone());
    }
    if plan.confinement.copies() {
        found.writable.push(plan.root.clone());
    }
    let usual = env.temp_folder().to_owned();
    if touches(&usual) {
        found.temp = Some(folder.join("tmp"));
    }
    let shared = TEMP.iter().chain(&DEVICES).map(|path| Utf8PathBuf::from(*path));
    for path in std::iter::once(usual).chain(shared) {
        if !touches(&path) && !found.writable.contains(&path) {
            found.writable.push(path);
        }
    }
    for place in &plan.state {
        let Some(path) = place.resolve(env.home(), |name| env.var(name)) else { continue };
        let holds_home = env.home().is_some_and(|home| real(home).starts_with(real(&path)));
        if touches(&path) || holds_home {
            found.withheld.push(path);
            continue;
        }
        if place.is_folder {
            found.folders.push(path.clone());
        }
        found.writable.push(path);
    }
    found.unread = unread(&found, plan, env);
    found
}

/// What is hidden must not lie where the program makes files: those that are new in a folder around
/// it could not be read either. The same goes for a file of its own that others may replace.
fn unread(found: &Places, plan: &LanePlan, env: &Env) -> Option<Utf8PathBuf> {
    let run = plan.artefacts.folder.parent()?;
    let all = env.state_home()?.join("gsd/runs");
    let hidden = real(if run.starts_with(&all) { &all } else { run });
    let around = |path: &Utf8PathBuf| hidden.starts_with(real(path));
    let replaced = plan.state.iter().filter(|place| !place.is_folder).any(|place| {
        let path = place.resolve(env.home(), |name| env.var(name));
        path.is_some_and(|path| path.parent().is_some_and(|parent| around(&parent.to_owned())))
    });
    (!replaced && !found.writable.iter().any(around)).then_some(hidden)
}

/// With links resolved as far as the path exists.
fn real(path: &Utf8Path) -> Utf8PathBuf {
    let mut missing = vec![];
    let mut there = path;
    loop {
        if let Some(found) = fs::canonical(there) {
            return missing.iter().rev().fold(found, |path, part| path.join(part));
        }
        match (there.parent(), there.file_name()) {
            (Some(parent), Some(name)) => {
                missing.push(name);
                there = parent;
            }
            (None, _) | (_, None) => return path.to_owned(),
        }
    }
}
