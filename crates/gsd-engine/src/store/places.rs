//! Where overlays live, and whether the folder that is called the user's own is that.

use super::overlay_folder::overlays_folder;
use super::{ConsentStore, StoreError, ledger};
use crate::config::user_home;
use crate::registry::Scope;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::env::Env;
use gsd_io::fs;

/// The two places that overlays live in.
#[derive(Debug, Clone)]
pub struct Places {
    home: Utf8PathBuf,
    pub project: Utf8PathBuf,
    /// Why nothing names a home; then the project stands in for it, and is trusted with nothing.
    unnamed: Option<NoHome>,
}

/// Why there is no folder of the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoHome {
    #[error("neither `GSD_HOME` nor `HOME` names an absolute path")]
    Unset,
    #[error("`GSD_HOME` is a relative path, which is another folder wherever you are")]
    Relative,
}

impl Places {
    pub fn new(home: Result<Utf8PathBuf, NoHome>, project: Utf8PathBuf) -> Self {
        let unnamed = home.as_ref().err().cloned();
        Self { home: home.unwrap_or_else(|_| project.clone()), project, unnamed }
    }

    /// The places that an environment names.
    pub fn of(env: &Env, project: &Utf8Path) -> Self {
        let unnamed = if env.var("GSD_HOME").is_some() { NoHome::Relative } else { NoHome::Unset };
        Self::new(user_home(env).ok_or(unnamed), project.to_owned())
    }

    /// The folder that a scope is rooted at.
    pub fn root(&self, scope: Scope) -> &Utf8Path {
        match scope {
            Scope::Global => &self.home,
            Scope::Project => &self.project,
        }
    }

    pub(super) fn home(&self) -> &Utf8Path {
        &self.home
    }

    /// The consents of the user, as they count for this project.
    pub fn consents(&self) -> ConsentStore {
        ConsentStore::new(&self.home, &self.project)
    }

    /// Whether what lies in the user's folder is the user's own.
    pub(super) fn home_is_trusted(&self) -> bool {
        self.no_home().is_none()
    }

    /// Why nothing in the user's folder is the user's own, if so. A repository must not become
    /// trusted by being somebody's home, or by holding it, so the folder counts only where it
    /// surely lies outside of the project.
    pub(super) fn no_home(&self) -> Option<StoreError> {
        if let Some(why) = &self.unnamed {
            return Some(StoreError::NoHome(why.clone()));
        }
        let marks = [".planning", ".git"];
        if !marks.iter().any(|mark| fs::kind(&self.project.join(mark)).is_some()) {
            return None;
        }
        let project = fs::canonical(&self.project).unwrap_or_else(|| self.project.clone());
        let lies_inside = |path: &Utf8Path| match fs::canonical(path) {
            Some(real) => real.starts_with(&project),
            // A link that leads nowhere now may lead anywhere tomorrow.
            None => fs::kind(path).is_some() || path.starts_with(&project),
        };
        let home = &self.home;
        let parts = [home.clone(), home.join(".gsd"), overlays_folder(home)];
        let inside = parts.into_iter().find(|path| lies_inside(path))?;
        Some(StoreError::HomeIsProject { path: inside })
    }

    /// The same where it is to be said: where a wrong setting names the home, or where something
    /// lies in it that is not heard. Without a home there is nothing to say, and what lies in a
    /// project that is the home is listed with the project.
    pub(super) fn unheard(&self) -> Option<StoreError> {
        let holds = |path: &Utf8Path| fs::kind(path).is_some();
        let is_project = || fs::canonical(&self.home) == fs::canonical(&self.project);
        let (overlays, ledger) = (overlays_folder(&self.home), self.home.join(ledger::FILE));
        self.no_home().filter(|_| match self.unnamed {
            Some(NoHome::Relative) => true,
            Some(NoHome::Unset) => false,
            None => !is_project() && (holds(&overlays) || holds(&ledger)),
        })
    }
}
