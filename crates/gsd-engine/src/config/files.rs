//! Where settings stand, and reading all of them.

use super::{Config, Layer, UNREADABLE};
use crate::diag::{Diagnostic, SourceFile};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::env::Env;
use gsd_io::fs::{self, Links};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Settings for one command, as JSON: `GSD_CONFIG='{"review.effort": "high"}'`.
pub const SETTINGS_VARIABLE: &str = "GSD_CONFIG";
/// Replaces `review.default_reviewers` for one command: a list with commas.
pub const DEFAULTS_VARIABLE: &str = "GSD_DEFAULT_REVIEWERS";
/// The name of the workstream whose settings lie over those of the project.
pub const WORKSTREAM_VARIABLE: &str = "GSD_WORKSTREAM";

/// A settings file is never larger; what is, is no settings file.
pub(super) const MAX_FILE: u64 = 4 * 1024 * 1024;

/// Settings of the command line, by their dotted keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Flags(pub Vec<(String, Value)>);

/// The settings files of a user and a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// `None` without a home, and where the home lies in the project.
    pub user: Option<Utf8PathBuf>,
    /// The user's file, where it comes with the project: it is no word of the user.
    pub planted_user: Option<Utf8PathBuf>,
    pub project: Utf8PathBuf,
    /// `None` if no workstream is chosen.
    pub workstream: Option<Utf8PathBuf>,
    /// A name of a workstream that cannot be one.
    pub refused_workstream: Option<String>,
}

impl Places {
    pub fn of(env: &Env, root: &Utf8Path) -> Self {
        let planning = root.join(".planning");
        let (workstream, refused_workstream) = match env.var(WORKSTREAM_VARIABLE) {
            Some(name) if is_workstream(name) => {
                (Some(planning.join("workstreams").join(name).join("config.json")), None)
            }
            Some(name) => (None, Some(name.to_owned())),
            None => (None, None),
        };
        let user = user_home(env).map(|home| home.join(".gsd/defaults.json"));
        let (planted_user, user) = match user {
            Some(file) if comes_with(root, &file) => (Some(file), None),
            user => (None, user),
        };
        Self {
            user,
            planted_user,
            project: planning.join("config.json"),
            workstream,
            refused_workstream,
        }
    }

    /// The file of a layer that is one.
    pub fn file(&self, layer: Layer) -> Option<&Utf8Path> {
        match layer {
            Layer::User => self.user.as_deref(),
            Layer::Project => Some(&self.project),
            Layer::Workstream => self.workstream.as_deref(),
            Layer::Environment | Layer::Flag => None,
        }
    }

    /// The name of a layer's file for people.
    pub fn name(&self, layer: Layer) -> String {
        match layer {
            Layer::User => "~/.gsd/defaults.json".to_owned(),
            Layer::Project => ".planning/config.json".to_owned(),
            Layer::Workstream => {
                let folder = self.workstream.as_deref().and_then(Utf8Path::parent);
                let name = folder.and_then(Utf8Path::file_name).unwrap_or("<name>");
                format!(".planning/workstreams/{name}/config.json")
            }
            Layer::Environment => format!("${SETTINGS_VARIABLE}"),
            Layer::Flag => "--config".to_owned(),
        }
    }
}

/// `$GSD_HOME`, else the home of the user: the folder that holds `.gsd`. A relative path names none:
/// it would be a folder of whatever project somebody is in.
pub fn user_home(env: &Env) -> Option<Utf8PathBuf> {
    match env.var("GSD_HOME") {
        Some(home) => Some(Utf8PathBuf::from(home)).filter(|home| home.is_absolute()),
        None => env.home().map(Utf8Path::to_owned),
    }
}

/// Whether a file lies in a project, also where nothing is there yet. A folder that is no project
/// brings nothing along.
fn comes_with(project: &Utf8Path, file: &Utf8Path) -> bool {
    let marks = [".planning", ".git"];
    if !marks.iter().any(|mark| fs::kind(&project.join(mark)).is_some()) {
        return false;
    }
    let real = file.ancestors().find_map(fs::canonical).unwrap_or_default();
    let project = fs::canonical(project).unwrap_or_else(|| project.to_owned());
    real.starts_with(&project) || file.starts_with(&project)
}

/// A name that is one folder and nothing else.
fn is_workstream(name: &str) -> bool {
    name.len() <= 100
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
        && !name.bytes().all(|b| b == b'.')
}

/// Reads every layer. What cannot be read is left out and said.
pub fn read(env: &Env, root: &Utf8Path, flags: &Flags) -> (Config, Vec<Diagnostic>) {
    let places = Places::of(env, root);
    let mut texts = vec![];
    let mut found = vec![];
    for layer in [Layer::User, Layer::Project, Layer::Workstream] {
        let Some(path) = places.file(layer) else { continue };
        let name = places.name(layer);
        match fs::read_bounded(path, MAX_FILE, Links::Follow) {
            Ok(bytes) => {
                texts.push((layer, SourceFile::new(name, String::from_utf8_lossy(&bytes))));
            }
            Err(fs::ReadError::NotFound { .. }) => {}
            Err(error) => {
                let place = SourceFile::new(name, "").at_start();
                found.push(
                    UNREADABLE
                        .at(place, error.to_string())
                        .help("its settings are ignored until this is mended"),
                );
            }
        }
    }
    if let Some(file) = places.planted_user.as_deref().filter(|file| fs::kind(file).is_some()) {
        let place = SourceFile::new(file.to_string(), "").at_start();
        let help = "set `GSD_HOME` or `HOME` to a folder outside of every project";
        let what = "it lies in the project, so it is no word of the user and is ignored";
        found.push(UNREADABLE.at(place, what).help(help));
    }
    if let Some(name) = &places.refused_workstream {
        let place = SourceFile::new(format!("${WORKSTREAM_VARIABLE}"), name.as_str()).at_start();
        let help = "a name has letters, digits, `-`, `_` and `.`";
        found.push(UNREADABLE.at(place, "it does not name a workstream").help(help));
    }
    texts.extend(of_environment(env));
    texts.extend(
        flags.0.iter().map(|(key, value)| (Layer::Flag, one_setting("--config", key, value))),
    );
    let (config, mut more) = Config::read(texts);
    found.append(&mut more);
    (config, found)
}

/// What the variables of the environment say, as texts of their layer.
pub fn of_environment(env: &Env) -> Vec<(Layer, Arc<SourceFile>)> {
    let settings = env
        .var(SETTINGS_VARIABLE)
        .map(|text| SourceFile::new(format!("${SETTINGS_VARIABLE}"), text));
    let reviewers = env.var(DEFAULTS_VARIABLE).map(|list| {
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        one_setting(&format!("${DEFAULTS_VARIABLE}"), "review.default_reviewers", &names)
    });
    settings.into_iter().chain(reviewers).map(|file| (Layer::Environment, file)).collect()
}

/// A text with one setting in it.
fn one_setting(name: &str, key: &str, value: &Value) -> Arc<SourceFile> {
    let object: Map<String, Value> = [(key.to_owned(), value.clone())].into_iter().collect();
    SourceFile::new(name, Value::Object(object).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workstream_is_one_folder() {
        for good in ["a", "v1.2_x-y"] {
            assert!(is_workstream(good), "{good}");
        }
        for bad in ["..", ".", "a/b", "../x", "ä", "a b"] {
            assert!(!is_workstream(bad), "{bad}");
        }
    }
}
