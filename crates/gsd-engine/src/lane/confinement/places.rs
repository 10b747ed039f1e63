//! Where a confined program may write: its own places, and nothing that holds the project.

use crate::lane::plan::LanePlan;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::env::Env;
use gsd_io::fs;
use gsd_io::sandbox::DEVICES;

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
}

/// Folders for everybody's temporary files: many programs do not ask for the user's choice.
const TEMP: [&str; 2] = ["/tmp", "/var/tmp"];

/// The places of a lane's program, for a project that must not change.
pub fn places(plan: &LanePlan, project: &Utf8Path, env: &Env) -> Places {
    let project = real(project);
    let folder = &plan.artefacts.folder;
    let holds = |path: &Utf8Path| project.starts_with(real(path));
    let touches = |path: &Utf8Path| holds(path) || real(path).starts_with(&project);
    let mut found = Places { writable: vec![], folders: vec![], temp: None, withheld: vec![] };
    // A run folder inside the project is the user's choice.
    if !holds(folder) {
        found.writable.push(folder.clone());
    }
    let usual =
        Utf8PathBuf::from(env.var("TMPDIR").filter(|path| path.starts_with('/')).unwrap_or("/tmp"));
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
    found
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
