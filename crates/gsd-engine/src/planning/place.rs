//! A project's `.planning/`: which phases there are, which one is meant, which one is current.

use super::directory::{PhaseDir, PhaseSpec, matches};
use super::files;
use super::number::{PhaseNumber, natural};
use super::phase::{self, MAX_ENTRIES, Phase};
use super::roadmap::{self, Roadmap};
use super::state;
use crate::id::RelPath;
use crate::text::{nearest, printable};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Entry, Kind};

/// Why the planning directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlanningError {
    #[error("`{root}` has no `.planning` directory")]
    Missing { root: Utf8PathBuf },
    #[error("`{path}` is not a directory")]
    NotADirectory { path: Utf8PathBuf },
    #[error("`{path}` leaves the project through a link")]
    OutsideRoot { path: Utf8PathBuf },
    #[error("there is no workstream `{name}`")]
    UnknownWorkstream { name: String, known: Vec<String> },
    #[error("`{path}` cannot be listed")]
    Unreadable { path: Utf8PathBuf, source: fs::ReadError },
}

/// Why no phase can be told.
#[derive(Debug, thiserror::Error)]
pub enum PhaseError {
    #[error("`{text}` names no phase: give a number, a name or a path")]
    Malformed { text: String },
    #[error("there is no phase `{text}`")]
    Unknown {
        text: String,
        /// Names of all phase directories, in order.
        known: Vec<String>,
        nearest: Option<String>,
        /// Archived directories that the text would mean.
        archived: Vec<RelPath>,
        /// The roadmap knows the phase; it has no directory yet.
        planned: Option<String>,
    },
    #[error("`{text}` means more than one phase")]
    Ambiguous { text: String, matches: Vec<RelPath> },
    #[error("`{path}` is a link that leaves the project or leads nowhere")]
    LinkOut { path: RelPath },
    #[error("`{path}` is no directory of a phase")]
    NotAPhase { path: String },
    #[error("`{path}` is outside the project")]
    OutsideRoot { path: String },
    #[error("neither STATE.md nor ROADMAP.md names a current phase")]
    NoCurrent { known: Vec<String> },
    #[error(transparent)]
    Planning(#[from] PlanningError),
}

/// The planning directory of a project.
#[derive(Debug, Clone)]
pub struct Planning {
    /// Canonical.
    root: Utf8PathBuf,
    /// `.planning`, or that of a workstream below it.
    base: RelPath,
}

impl Planning {
    /// Opens the planning directory of the project whose root is `root`.
    pub fn open(root: &Utf8Path) -> Result<Self, PlanningError> {
        let missing = || PlanningError::Missing { root: root.to_owned() };
        let canonical = fs::canonical(root).ok_or_else(missing)?;
        let base = RelPath::parse(".planning").expect("the name is a relative path");
        let planning = Self { root: canonical, base };
        match fs::kind(&planning.root.join(planning.base.as_str())) {
            None => Err(missing()),
            Some(_) => {
                planning.directory(&planning.base)?;
                Ok(planning)
            }
        }
    }

    /// The nearest directory at or above `from` that holds `.planning/`.
    pub fn nearest_root(from: &Utf8Path) -> Option<&Utf8Path> {
        from.ancestors().find(|folder| {
            matches!(fs::kind(&folder.join(".planning")), Some(Kind::Directory | Kind::Link))
        })
    }

    /// The same project, seen from one of its workstreams.
    pub fn workstream(&self, name: &str) -> Result<Self, PlanningError> {
        let known = self.workstreams()?;
        let path = RelPath::parse(&format!(".planning/workstreams/{name}"));
        match path {
            Ok(base) if known.iter().any(|known| known == name) => {
                Ok(Self { root: self.root.clone(), base })
            }
            Ok(_) | Err(_) => {
                Err(PlanningError::UnknownWorkstream { name: printable(name, 80), known })
            }
        }
    }

    /// The names of all workstreams.
    pub fn workstreams(&self) -> Result<Vec<String>, PlanningError> {
        let folders = self.folders(".planning/workstreams")?;
        Ok(folders.into_iter().map(|path| path.file_name().to_owned()).collect())
    }

    /// The root of the project, with every link resolved.
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// `.planning`, or the directory of the workstream.
    pub fn base(&self) -> &RelPath {
        &self.base
    }

    /// The phases that are not archived, by number.
    pub fn phases(&self) -> Result<Vec<PhaseDir>, PlanningError> {
        let mut phases: Vec<PhaseDir> = self
            .folders(&format!("{}/phases", self.base))?
            .into_iter()
            .map(PhaseDir::new)
            .collect();
        phases.sort_by(PhaseDir::order);
        Ok(phases)
    }

    /// The phases of finished milestones.
    pub fn archived(&self) -> Result<Vec<PhaseDir>, PlanningError> {
        let mut archived = vec![];
        for milestone in self.folders(&format!("{}/milestones", self.base))? {
            if milestone.file_name().ends_with("-phases") {
                let mut phases: Vec<PhaseDir> =
                    self.folders(milestone.as_str())?.into_iter().map(PhaseDir::new).collect();
                phases.sort_by(PhaseDir::order);
                archived.extend(phases);
            }
        }
        Ok(archived)
    }

    /// The one phase that a text means. Archived phases are found by path or as `v1.0/3` only.
    pub fn find(&self, spec: &PhaseSpec) -> Result<PhaseDir, PhaseError> {
        if let PhaseSpec::Path { text, from } = spec {
            return self.find_path(text, from);
        }
        let phases = self.phases()?;
        let found = matches(spec, &phases);
        match found.as_slice() {
            [one] => Ok((*one).clone()),
            [] => Err(match self.linked_out(spec)? {
                Some(path) => PhaseError::LinkOut { path },
                None => self.unknown(spec, &phases)?,
            }),
            several => Err(PhaseError::Ambiguous {
                text: printable(spec.text(), 80),
                matches: several.iter().map(|dir| dir.path.clone()).collect(),
            }),
        }
    }

    /// The link among the phases that the text means and that is no directory of the project.
    fn linked_out(&self, spec: &PhaseSpec) -> Result<Option<RelPath>, PlanningError> {
        let Ok(phases) = RelPath::parse(&format!("{}/phases", self.base)) else { return Ok(None) };
        if fs::kind(&self.root.join(phases.as_str())).is_none() {
            return Ok(None);
        }
        let links: Vec<PhaseDir> = self
            .entries(&phases)?
            .into_iter()
            .filter(|entry| entry.kind == Kind::Link)
            .filter_map(|entry| RelPath::parse(&format!("{phases}/{}", entry.name)).ok())
            .map(PhaseDir::new)
            .collect();
        Ok(matches(spec, &links).first().map(|link| link.path.clone()))
    }

    fn unknown(&self, spec: &PhaseSpec, phases: &[PhaseDir]) -> Result<PhaseError, PlanningError> {
        let known: Vec<String> = phases.iter().map(|dir| dir.name.clone()).collect();
        let text = spec.text();
        let names = phases.iter().flat_map(|dir| {
            let number = dir.number.as_ref().map(PhaseNumber::spelling);
            [Some(dir.name.as_str()), Some(dir.slug.as_str()), number]
        });
        let near = nearest(&text.to_lowercase(), names.flatten().filter(|name| !name.is_empty()));
        let near = near.and_then(|near| {
            phases.iter().find(|dir| {
                let number = dir.number.as_ref().map(PhaseNumber::spelling);
                dir.name == near || dir.slug == near || number == Some(near)
            })
        });
        let archived = self.archived()?;
        let archived = matches(spec, &archived).iter().map(|dir| dir.path.clone()).collect();
        let planned = match spec {
            PhaseSpec::Number(number) => self
                .roadmap()
                .and_then(|roadmap| roadmap.phase(number).map(|phase| printable(&phase.name, 80))),
            PhaseSpec::Name(_) | PhaseSpec::Path { .. } => None,
        };
        Ok(PhaseError::Unknown {
            text: printable(text, 80),
            nearest: near.map(|dir| dir.name.clone()),
            known,
            archived,
            planned,
        })
    }

    fn find_path(&self, text: &str, from: &Utf8Path) -> Result<PhaseDir, PhaseError> {
        let shown = || printable(text, 200);
        // A path typed in a shell starts where the user stands; one from a document, at the root.
        let there = [from.join(text), self.root.join(text)]
            .iter()
            .find_map(|candidate| fs::canonical(candidate));
        let Some(real) = there else { return self.find_archived(text) };
        let Ok(relative) = real.strip_prefix(&self.root) else {
            return Err(PhaseError::OutsideRoot { path: shown() });
        };
        let folder = match fs::kind(&real) {
            Some(Kind::Directory) => Some(relative),
            // A file of the phase points at the phase.
            Some(Kind::File { .. }) => relative.parent(),
            Some(Kind::Link | Kind::Special) | None => None,
        };
        let path = folder.and_then(|folder| RelPath::parse(folder.as_str()).ok());
        let containers = ["", "/phases", "/milestones", "/workstreams"];
        match path {
            Some(path)
                if !containers
                    .iter()
                    .any(|part| path.as_str() == format!("{}{part}", self.base)) =>
            {
                Ok(PhaseDir::new(path))
            }
            Some(_) | None => Err(PhaseError::NotAPhase { path: shown() }),
        }
    }

    /// `v1.0/3`, `v1.0-phases/03-auth`.
    fn find_archived(&self, text: &str) -> Result<PhaseDir, PhaseError> {
        let shown = || printable(text, 200);
        let parts = text.split_once('/').and_then(|(milestone, rest)| {
            let milestone = milestone.strip_suffix("-phases").unwrap_or(milestone);
            Some((milestone, PhaseSpec::parse(rest, Utf8Path::new(""))))
                .filter(|(name, _)| !name.is_empty())
        });
        let Some((milestone, Some(spec))) = parts else {
            return Err(PhaseError::NotAPhase { path: shown() });
        };
        let mut of_milestone = self.archived()?;
        of_milestone.retain(|dir| {
            dir.milestone.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(milestone))
        });
        match matches(&spec, &of_milestone).as_slice() {
            [one] => Ok((*one).clone()),
            [] => Err(PhaseError::NotAPhase { path: shown() }),
            several => Err(PhaseError::Ambiguous {
                text: shown(),
                matches: several.iter().map(|dir| dir.path.clone()).collect(),
            }),
        }
    }

    /// The phase that STATE.md names as current, else the first one that ROADMAP.md has not done.
    pub fn current(&self) -> Result<PhaseDir, PhaseError> {
        let state = self.document("STATE.md").map(state::read);
        let named = state.and_then(|state| state.current_phase).map(|number| number.value);
        let number = named.or_else(|| {
            self.roadmap().and_then(|roadmap| roadmap.current().map(|phase| phase.number.clone()))
        });
        match number {
            Some(number) => self.find(&PhaseSpec::Number(number)),
            None => {
                let known = self.phases()?.into_iter().map(|dir| dir.name).collect();
                Err(PhaseError::NoCurrent { known })
            }
        }
    }

    /// Reads all that belongs to a phase.
    pub fn load(&self, directory: &PhaseDir) -> Result<Phase, PlanningError> {
        phase::load(self, directory)
    }

    fn roadmap(&self) -> Option<Roadmap> {
        self.document("ROADMAP.md").map(roadmap::read)
    }

    /// A document that only helps to find a phase: one that cannot be read is as good as none,
    /// since loading the phase will report it.
    fn document(&self, name: &str) -> Option<super::plan::Document> {
        let path = RelPath::parse(&format!("{}/{name}", self.base)).ok()?;
        files::document(&self.root, &path).ok().flatten()
    }

    /// Where a directory below the root really is.
    fn directory(&self, path: &RelPath) -> Result<Utf8PathBuf, PlanningError> {
        let whole = self.root.join(path.as_str());
        let Ok(real) = files::inside(&self.root, Utf8Path::new(path.as_str())) else {
            return Err(PlanningError::OutsideRoot { path: whole });
        };
        match fs::kind(&real) {
            Some(Kind::Directory) => Ok(real),
            Some(Kind::File { .. } | Kind::Link | Kind::Special) | None => {
                Err(PlanningError::NotADirectory { path: whole })
            }
        }
    }

    /// The entries of a directory below the root.
    pub(super) fn entries(&self, path: &RelPath) -> Result<Vec<Entry>, PlanningError> {
        let real = self.directory(path)?;
        fs::list(&real, MAX_ENTRIES)
            .map_err(|source| PlanningError::Unreadable { path: real, source })
    }

    /// The names in a directory that are not UTF-8, as far as they can be shown.
    pub(super) fn unnameable(&self, path: &RelPath) -> Vec<String> {
        let Ok(real) = self.directory(path) else { return vec![] };
        fs::list_not_utf8(&real, MAX_ENTRIES).into_iter().map(|entry| entry.name).collect()
    }

    /// The directories in a directory, in natural order; none if it does not exist. Links count
    /// where they stay below the root; hidden names and names that cannot be shown never do.
    fn folders(&self, path: &str) -> Result<Vec<RelPath>, PlanningError> {
        let Ok(path) = RelPath::parse(path) else { return Ok(vec![]) };
        if fs::kind(&self.root.join(path.as_str())).is_none() {
            return Ok(vec![]);
        }
        let mut found = vec![];
        for entry in self.entries(&path)? {
            let child = RelPath::parse(&format!("{path}/{}", entry.name));
            let Ok(child) = child else { continue };
            let counts = match entry.kind {
                Kind::Directory => true,
                Kind::Link => self.directory(&child).is_ok(),
                Kind::File { .. } | Kind::Special => false,
            };
            if counts && !entry.name.starts_with('.') {
                found.push(child);
            }
        }
        found.sort_by(|a, b| natural(a.file_name(), b.file_name()));
        Ok(found)
    }
}
