//! Finds overlays and says how each stands.

use super::Places;
use super::consent_store::Consent;
use super::content_hash;
use super::ledger::{Entry, Ledger};
use super::overlay_folder::{Candidate, candidates, overlays_folder};
use crate::id::CapabilityId;
use crate::manifest::{Bundle, Context, Origin, linked_bundle, misnamed_bundle, read_bundle};
use crate::registry::{Overlay, Scope, Standing};
use camino::Utf8Path;
use gsd_io::fs;
use std::collections::BTreeMap;
use std::error::Error;

/// A record or a folder that cannot be read. Nothing is activated because of it, and nothing overwritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreProblem {
    pub scope: Scope,
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

/// A capability that is recorded and whose folder is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    pub scope: Scope,
    pub id: CapabilityId,
    pub version: String,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Discovery {
    pub overlays: Vec<Overlay>,
    pub problems: Vec<StoreProblem>,
    /// What the ledgers say of each installed capability.
    pub recorded: BTreeMap<(Scope, String), Entry>,
    pub missing: Vec<Missing>,
}

/// Finds every overlay of the user and of the project.
pub fn discover(places: &Places) -> Discovery {
    let mut found = Discovery::default();
    let trusted = places.home_is_trusted();
    if trusted {
        look(places.home(), Scope::Global, &BTreeMap::new(), &mut found);
    } else if let Some(error) = places.unheard() {
        let remedy = error.remedy().unwrap_or_default();
        found.problems.push(problem(Scope::Global, &error, remedy));
    }
    let roots = [places.home(), &places.project].map(|root| fs::canonical(&overlays_folder(root)));
    let one_folder = roots[0].is_some() && roots[0] == roots[1];
    if !trusted || !one_folder {
        let consents = consents(places, &mut found);
        look(&places.project, Scope::Project, &consents, &mut found);
    }
    found
}

/// What the user consented to for this project.
fn consents(places: &Places, found: &mut Discovery) -> BTreeMap<String, Consent> {
    let store = places.consents();
    match store.all() {
        Ok(all) => {
            let here = all.into_iter().filter(|consent| consent.project == store.project());
            here.map(|consent| (consent.id.to_string(), consent)).collect()
        }
        Err(error) => {
            let overlays = fs::list(&overlays_folder(&places.project), 1).unwrap_or_default();
            if error.is_about_the_file() && !overlays.is_empty() {
                let remedy = error.remedy();
                found.problems.push(problem(Scope::Project, &error, remedy));
            }
            BTreeMap::new()
        }
    }
}

fn problem(scope: Scope, error: &dyn Error, remedy: String) -> StoreProblem {
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    StoreProblem { scope, message: format!("{error}{cause}"), remedy }
}

fn look(
    root: &Utf8Path,
    scope: Scope,
    consents: &BTreeMap<String, Consent>,
    found: &mut Discovery,
) {
    let ledger = Ledger::read(root);
    match &ledger {
        Ok(ledger) => {
            let entries = ledger.iter().map(|(id, entry)| ((scope, id.to_string()), entry.clone()));
            found.recorded.extend(entries);
        }
        Err(error) => found.problems.push(problem(scope, error, error.remedy())),
    }
    let folder = overlays_folder(root);
    let (candidates, unseen) = candidates(root);
    found.problems.extend(unseen.map(|error| problem(scope, &error, error.remedy())));
    let mut seen = vec![];
    for candidate in candidates {
        let path = folder.join(&candidate.name);
        let recorded = found.recorded.get(&(scope, candidate.name.clone()));
        // Where the ledger cannot be read, nobody knows.
        let by_hand = (ledger.is_ok() && recorded.is_none()).then(|| path.clone());
        let is_plain = candidate.is_named && !candidate.is_linked;
        let standing = match scope {
            Scope::Global if !is_plain => Standing::Unmanaged,
            Scope::Global => global_standing(recorded, &path),
            Scope::Project => {
                let agreed = consents.get(&candidate.name).filter(|_| is_plain);
                let consented = agreed.is_some_and(|consent| {
                    content_hash(&path).is_ok_and(|hash| consent.covers(&hash))
                });
                project_standing(recorded, consented)
            }
        };
        let bundle = match standing {
            Standing::Unconsented => None,
            Standing::Approved
            | Standing::Unmanaged
            | Standing::Tampered
            | Standing::Pending
            | Standing::Disabled => Some(read(&path, &candidate)),
        };
        seen.push(candidate.name.clone());
        let folder = candidate.name;
        found.overlays.push(Overlay { scope, folder, by_hand, standing, bundle });
    }
    let gone = found.recorded.iter().filter(|((of, id), _)| *of == scope && !seen.contains(id));
    let missing = gone.filter_map(|((_, id), entry)| {
        let id = CapabilityId::parse(id).ok()?;
        Some(Missing { scope, id, version: entry.version().to_owned() })
    });
    found.missing.extend(missing);
}

fn read(path: &Utf8Path, candidate: &Candidate) -> Bundle {
    let name = path.join("capability.json");
    if !candidate.is_named {
        return misnamed_bundle(name.as_str());
    }
    if candidate.is_linked {
        return linked_bundle(name.as_str());
    }
    let context = Context { origin: Origin::ThirdParty, folder: Some(&candidate.name) };
    read_bundle(path, name.as_str(), context)
}

fn global_standing(recorded: Option<&Entry>, path: &Utf8Path) -> Standing {
    let Some(entry) = recorded else { return Standing::Unmanaged };
    if entry.pending().is_some() {
        return Standing::Pending;
    }
    let Some(hash) = entry.content_hash() else {
        // Recorded by a version that kept no hash: nothing says that these are the same files.
        return if entry.is_disabled() { Standing::Disabled } else { Standing::Unmanaged };
    };
    if content_hash(path).as_deref() != Ok(hash) {
        return Standing::Tampered;
    }
    match (entry.is_disabled(), entry.is_approved()) {
        (true, _) => Standing::Disabled,
        (false, true) => Standing::Approved,
        (false, false) => Standing::Unmanaged,
    }
}

/// A project's own ledger comes with the repository, so it can only take away.
fn project_standing(recorded: Option<&Entry>, consented: bool) -> Standing {
    match recorded {
        _ if !consented => Standing::Unconsented,
        Some(entry) if entry.pending().is_some() => Standing::Pending,
        Some(entry) if entry.is_disabled() => Standing::Disabled,
        Some(_) | None => Standing::Approved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camino::Utf8PathBuf;
    use serde_json::json;

    struct World {
        _folder: tempfile::TempDir,
        places: Places,
    }

    impl World {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let root = Utf8Path::from_path(folder.path()).expect("UTF-8");
            let places = Places::new(Ok(root.join("home")), root.join("project"));
            fs::create_dir_all(&places.project.join(".planning")).expect("created");
            fs::create_dir_all(places.home()).expect("created");
            Self { _folder: folder, places }
        }

        fn drop(&self, root: &Utf8Path, id: &str) -> Utf8PathBuf {
            let folder = overlays_folder(root).join(id);
            fs::create_dir_all(&folder).expect("created");
            let manifest = json!({
                "id": id, "role": "feature", "version": "1.0.0", "title": "t", "description": "d",
                "tier": "full", "requires": [], "runtimeCompat": { "supported": ["*"], "unsupported": [] },
                "skills": [], "agents": [], "config": {}, "steps": [], "contributions": [], "gates": [],
            });
            self.write(&folder.join("capability.json"), &manifest);
            folder
        }

        fn write(&self, path: &Utf8Path, value: &serde_json::Value) {
            fs::create_dir_all(path.parent().expect("a folder")).expect("created");
            fs::write_atomic(path, value.to_string().as_bytes()).expect("written");
        }

        fn standings(&self) -> Vec<(Scope, String, Standing)> {
            let found = discover(&self.places).overlays;
            found.into_iter().map(|o| (o.scope, o.folder, o.standing)).collect()
        }
    }

    fn one(scope: Scope, standing: Standing) -> Vec<(Scope, String, Standing)> {
        vec![(scope, "acme".to_owned(), standing)]
    }

    #[test]
    fn a_global_bundle_stands_as_its_ledger_says() {
        let world = World::new();
        let home = world.places.home().to_owned();
        let folder = world.drop(&home, "acme");
        assert_eq!(world.standings(), one(Scope::Global, Standing::Unmanaged));
        let hash = content_hash(&folder).expect("hashes");
        let ledger = home.join(".gsd-capabilities.json");
        let record = |entry: serde_json::Value| {
            let mut whole = json!({
                "id": "acme", "version": "1.0.0", "source": "", "integrity": "", "files": [],
                "sharedEdits": [],
            });
            for (field, value) in entry.as_object().expect("fields") {
                whole[field] = value.clone();
            }
            let entries = json!({ "acme": whole });
            let document = json!({ "version": "2", "updatedAt": "now", "entries": entries });
            world.write(&ledger, &document);
        };
        record(json!({ "contentHash": hash, "approval": {} }));
        assert_eq!(world.standings(), one(Scope::Global, Standing::Approved));
        record(json!({ "contentHash": hash }));
        assert_eq!(world.standings(), one(Scope::Global, Standing::Unmanaged));
        let intent = json!({ "kind": "upgrade", "backupName": null, "sharedFiles": [] });
        record(json!({ "contentHash": hash, "approval": {}, "_pending": intent }));
        assert_eq!(world.standings(), one(Scope::Global, Standing::Pending));
        record(json!({ "contentHash": hash, "approval": {} }));
        world.write(&folder.join("more.json"), &json!({}));
        assert_eq!(world.standings(), one(Scope::Global, Standing::Tampered));
        record(json!({ "id": "other" }));
        assert_eq!(world.standings(), one(Scope::Global, Standing::Unmanaged));
        assert_eq!(discover(&world.places).problems.len(), 1);
    }

    #[test]
    fn a_project_bundle_needs_the_users_own_word() {
        let world = World::new();
        let (home, project) = (world.places.home().to_owned(), world.places.project.clone());
        let folder = world.drop(&project, "acme");
        let forged =
            json!({ "version": "2", "entries": { "acme": { "id": "acme", "approval": {} } } });
        world.write(&project.join(".gsd-capabilities.json"), &forged);
        assert_eq!(world.standings(), one(Scope::Project, Standing::Unconsented));
        assert!(discover(&world.places).overlays[0].bundle.is_none(), "nothing of it is read");
        let real = fs::canonical(&project).expect("real");
        let consent = json!({ "version": "1", "records": { "k": {
            "scope": "project", "projectRoot": real.as_str(), "id": "acme",
            "contentHash": content_hash(&folder).expect("hashes"),
        } } });
        world.write(&home.join(".gsd/consent.json"), &consent);
        assert_eq!(world.standings(), one(Scope::Project, Standing::Approved));
        world.write(&folder.join("more.json"), &json!({}));
        assert_eq!(world.standings(), one(Scope::Project, Standing::Unconsented));
    }

    #[test]
    fn a_home_that_is_the_project_is_trusted_with_nothing() {
        let mut world = World::new();
        let project = world.places.project.clone();
        world.places = Places::new(Ok(project.clone()), project.clone());
        let folder = world.drop(&project, "acme");
        let real = fs::canonical(&project).expect("real");
        let consent = json!({ "version": "1", "records": { "k": {
            "scope": "project", "projectRoot": real.as_str(), "id": "acme",
            "contentHash": content_hash(&folder).expect("hashes"),
        } } });
        world.write(&project.join(".gsd/consent.json"), &consent);
        assert_eq!(world.standings(), one(Scope::Project, Standing::Unconsented));
    }

    #[test]
    fn folders_of_our_own_are_no_candidates() {
        let world = World::new();
        let home = world.places.home().to_owned();
        for name in [".staging", "acme.upgrading-1-2-00", "acme.discard-1-2-00"] {
            fs::create_dir_all(&overlays_folder(&home).join(name)).expect("created");
        }
        assert_eq!(world.standings(), vec![]);
    }

    #[test]
    fn a_link_is_told_of_and_not_followed() {
        let world = World::new();
        let (home, project) = (world.places.home().to_owned(), world.places.project.clone());
        let elsewhere = world.drop(&home.join("elsewhere"), "acme");
        for root in [&home, &project] {
            fs::create_dir_all(&overlays_folder(root)).expect("created");
            let link = overlays_folder(root).join("acme");
            std::os::unix::fs::symlink(&elsewhere, link).expect("linked");
        }
        let found = discover(&world.places).overlays;
        assert_eq!(found.len(), 2);
        let parsed = &found[0].bundle.as_ref().expect("told of").parsed;
        assert!(parsed.manifest.is_none());
        assert_eq!(parsed.diagnostics[0].message, "its folder is a link");
        assert_eq!((found[1].standing, found[1].bundle.is_none()), (Standing::Unconsented, true));
    }
}
