//! Sources, with real folders and real servers.

mod git;
mod local;
mod npm;
mod registry;
mod signature;
mod spec;
mod tarball;

use camino::{Utf8Path, Utf8PathBuf};
use gsd_engine::source::{
    Base, FetchContext, FetchError, Fetched, Integrity, Limits, Patience, Peek, Policy, SigningKey,
    SourceSpec, SpecError, Transport,
};
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_testkit::tarball::Tar;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A user with a home, a project, and a scratch folder; everything else of the folder has to stay
/// as it is.
struct World {
    _folder: tempfile::TempDir,
    root: Utf8PathBuf,
    vars: BTreeMap<String, String>,
    /// What was recorded.
    signed_by: Option<SigningKey>,
    transport: Transport,
    limits: Limits,
    /// For everything.
    patience: Duration,
    /// For each single wait.
    pace: Patience,
    fetches: std::cell::Cell<usize>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        for name in ["home", "project", "scratch"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        let vars =
            [("HOME", root.join("home").to_string()), ("PATH", std::env::var("PATH").unwrap())];
        Self {
            _folder: folder,
            root,
            vars: vars.map(|(name, value)| (name.to_owned(), value)).into(),
            signed_by: None,
            transport: Transport::Authenticated,
            limits: Limits::MOST,
            patience: Duration::from_secs(120),
            pace: Patience::of(Patience::TOTAL),
            fetches: 0.into(),
        }
    }

    /// As [`World::new`], and the user trusts the servers of these tests on this machine.
    fn with_servers() -> Self {
        let mut world = Self::new();
        let authority = world.write("home/authority.pem", gsd_testkit::tls::AUTHORITY);
        world.vars.insert("SSL_CERT_FILE".into(), authority.into());
        world.private_hosts(&["127.0.0.1", "localhost"]);
        world
    }

    fn private_hosts(&self, hosts: &[&str]) {
        let settings = serde_json::json!({ "capabilities": { "private_hosts": hosts } });
        self.write("home/.gsd/defaults.json", settings.to_string());
    }

    fn allow_only(&self, entries: &[&str]) {
        let list = serde_json::json!({ "capabilities": { "strict_known_registries": entries } });
        self.write("project/.planning/config.json", list.to_string());
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) -> Utf8PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    fn env(&self) -> Env {
        Env::from_parts(self.vars.clone(), self.root.join("project"), "/gsd".into())
    }

    fn spec(&self, text: &str) -> Result<SourceSpec, SpecError> {
        let (cwd, home) = (self.root.join("project"), self.root.join("home"));
        SourceSpec::parse(text, &Base { cwd: &cwd, home: Some(&home) })
    }

    /// Lets `ask` use all that a fetch has.
    fn with_context<T>(
        &self,
        integrity: Option<&Integrity>,
        ask: impl FnOnce(&FetchContext<'_>) -> T,
    ) -> T {
        let env = self.env();
        let policy = Policy::read(&env, &self.root.join("project"));
        let host = semver::Version::new(1, 11, 0);
        ask(&FetchContext {
            env: &env,
            policy: &policy,
            host: &host,
            integrity,
            signed_by: self.signed_by.as_ref(),
            transport: self.transport,
            limits: self.limits,
            patience: self.pace,
            deadline: Instant::now() + self.patience,
            cancel: &Cancel::new(),
        })
    }

    fn fetch_with(&self, text: &str, integrity: Option<&str>) -> Result<Fetched, FetchError> {
        let integrity = integrity.map(|text| Integrity::parse(text).unwrap());
        let spec = self.spec(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        self.fetches.set(self.fetches.get() + 1);
        let scratch = self.root.join(format!("scratch/{}", self.fetches.get()));
        std::fs::create_dir(&scratch).unwrap();
        let before = names(&self.root, "scratch");
        let fetched =
            self.with_context(integrity.as_ref(), |context| spec.fetch(context, &scratch));
        assert_eq!(names(&self.root, "scratch"), before, "{text}: written outside of the scratch");
        if let Ok(fetched) = &fetched {
            assert!(fetched.bundle.starts_with(&scratch) && fetched.bundle != scratch);
            assert_eq!(self.spec(&fetched.resolved.recorded).unwrap().recorded(), spec.recorded());
            let exactly = self.spec(&spec.exactly(&fetched.resolved)).unwrap();
            assert_eq!(exactly.exactly(&fetched.resolved), exactly.recorded());
            assert_eq!(exactly.identity(), spec.identity());
        }
        fetched
    }

    fn fetch(&self, text: &str) -> Result<Fetched, FetchError> {
        self.fetch_with(text, None)
    }

    fn peek(&self, text: &str) -> Peek {
        let spec = self.spec(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        self.with_context(None, |context| spec.peek(context))
    }
}

/// Every path below a folder, sorted; links are not followed.
fn names(root: &Utf8Path, without: &str) -> Vec<String> {
    let (mut found, mut queue) = (vec![], vec![root.to_owned()]);
    while let Some(folder) = queue.pop() {
        for entry in folder.read_dir_utf8().unwrap() {
            let entry = entry.unwrap();
            let path = entry.path().strip_prefix(root).unwrap().to_string();
            if path == without {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                queue.push(entry.path().to_owned());
            }
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A bundle as an archive, below a folder.
fn bundle(below: &str, version: &str) -> Tar {
    Tar::new()
        .file(&format!("{below}capability.json"), manifest("acme", version))
        .file(&format!("{below}hooks/run.sh"), "#!/bin/sh\n")
}

fn manifest(id: &str, version: &str) -> String {
    serde_json::json!({ "id": id, "version": version, "role": "feature" }).to_string()
}

/// A manifest for a host that comes later, which offers older versions to this one.
fn later(version: &str, compatible: &[&str]) -> String {
    let offered: serde_json::Map<_, _> =
        compatible.iter().map(|version| ((*version).to_owned(), ">=1.0.0".into())).collect();
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest("acme", version)).unwrap();
    manifest["engines"] = serde_json::json!({ "gsd": ">=99.0.0" });
    manifest["compatVersions"] = offered.into();
    manifest.to_string()
}
