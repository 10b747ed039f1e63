//! The world of a trial: a small project, a home without secrets of yours, and one folder of
//! programs. Nothing of the real project or home is read or written.

use crate::config::{Config, Layer};
use crate::diag::SourceFile;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::env::Env;
use gsd_io::fs::{self, WriteError};

/// A variable that no lane may see.
pub(super) const FOREIGN_SECRET: (&str, &str) =
    ("TRIAL_OTHER_PROVIDER_API_KEY", "canary-of-another-provider");

/// A file of the project that no lane may change.
pub(super) const KEPT: &str = "src/notes.txt";

/// One world. Its folder is gone when it is dropped.
#[derive(Debug)]
pub(super) struct World {
    folder: Utf8PathBuf,
    pub(super) env: Env,
}

impl World {
    /// Makes a world in a new folder below `parent`.
    pub(super) fn new(parent: &Utf8Path, real: &Env) -> Result<Self, WriteError> {
        let folder = parent.join(format!("gsd-trial-{}", gsd_io::random::hex(12)));
        let at = |name: &str| folder.join(name);
        for name in ["bin", "home", "tmp", "project", "runs"] {
            fs::create_private_dir_all(&at(name))?;
        }
        let vars = [
            ("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", at("bin"))),
            ("HOME", at("home").into_string()),
            ("TMPDIR", at("tmp").into_string()),
            ("XDG_STATE_HOME", at("home/.local/state").into_string()),
            ("LC_ALL", "C.UTF-8".to_owned()),
            (FOREIGN_SECRET.0, FOREIGN_SECRET.1.to_owned()),
        ];
        let vars = vars.map(|(name, value)| (name.to_owned(), value));
        let env = Env::from_parts(vars, at("project"), real.own_executable().to_owned());
        let this = Self { folder, env };
        this.lay_out(1)?;
        Ok(this)
    }

    pub(super) fn root(&self) -> Utf8PathBuf {
        self.folder.join("project")
    }

    /// A folder for one run.
    pub(super) fn run_dir(&self, name: &str) -> Utf8PathBuf {
        self.folder.join("runs").join(name)
    }

    /// Puts a program into the only folder of programs, or takes the last one away.
    pub(super) fn program(&self, name: &str, script: Option<&str>) -> Result<(), WriteError> {
        let path = self.folder.join("bin").join(name);
        match script {
            None => fs::remove_file(&path),
            Some(script) => {
                fs::write_private(&path, script.as_bytes())?;
                fs::make_executable(&path)
            }
        }
    }

    /// The same, without the permission to run it.
    pub(super) fn not_executable(&self, name: &str) -> Result<(), WriteError> {
        fs::write_private(&self.folder.join("bin").join(name), b"#!/bin/sh\n")
    }

    /// The small project. `weight` makes its second plan as many times longer.
    pub(super) fn lay_out(&self, weight: usize) -> Result<(), WriteError> {
        let root = self.root();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write_atomic(&path, text.as_bytes())
        };
        write(".planning/PROJECT.md", "# Notes\n\nA service that keeps notes.\n")?;
        write(
            ".planning/ROADMAP.md",
            "# Roadmap\n\n### Phase 1: Notes\n**Goal**: Notes are kept\n",
        )?;
        write(".planning/STATE.md", "---\ncurrent_phase: 1\n---\n")?;
        write(KEPT, "one\n")?;
        for (number, filler) in [(1, 1), (2, weight)] {
            let filler = "The store is opened before the first note is read.\n".repeat(filler);
            let text = format!(
                "---\nphase: \"01\"\nplan: \"{number:02}\"\ntype: execute\nwave: {number}\n\
                 depends_on: []\nfiles_modified: [src/part{number}.txt]\nautonomous: true\n---\n\n\
                 <objective>\nPart {number}.\n{filler}</objective>\n\n<tasks>\n<task type=\"auto\">\n\
                 <name>Write part {number}</name>\n<files>src/part{number}.txt</files>\n\
                 <action>Write it.</action>\n<verify><automated>test -f src/part{number}.txt\
                 </automated></verify>\n<done>It is there</done>\n</task>\n</tasks>\n"
            );
            write(&format!(".planning/phases/01-notes/01-{number:02}-PLAN.md"), &text)?;
        }
        Ok(())
    }

    /// Settings that point a server's key at an address.
    pub(super) fn config(&self, settings: &[(String, String)]) -> Config {
        let mut root = serde_json::Map::new();
        for (key, value) in settings {
            let mut level = &mut root;
            let parts: Vec<&str> = key.split('.').collect();
            let (last, above) = parts.split_last().expect("a key has a part");
            for part in above {
                let next = level.entry(*part).or_insert_with(|| serde_json::json!({}));
                level = next.as_object_mut().expect("only objects were put there");
            }
            level.insert((*last).to_owned(), serde_json::json!(value));
        }
        let text = serde_json::Value::Object(root).to_string();
        Config::read(vec![(Layer::User, SourceFile::new("trial", text))]).0
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A folder for temporary files is emptied by others, too.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
