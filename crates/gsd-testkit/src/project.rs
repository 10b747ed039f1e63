//! Projects made by hand: a private home, a `.planning` folder, programs on a PATH of their own.

use camino::{Utf8Path, Utf8PathBuf};
use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// A project, a home and a folder of programs, all gone when this is dropped.
#[derive(Debug)]
pub struct World {
    folder: tempfile::TempDir,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    pub fn new() -> Self {
        Self::of(tempfile::Builder::new().prefix("gsd-world-").tempdir().expect("a folder"))
    }

    /// In a folder of the caller's.
    pub fn within(folder: &Utf8Path) -> Self {
        Self::of(tempfile::tempdir_in(folder).expect("a folder"))
    }

    fn of(folder: tempfile::TempDir) -> Self {
        let this = Self { folder };
        for path in [this.root(), this.home(), this.bin(), this.tmp()] {
            std::fs::create_dir_all(path).expect("a folder");
        }
        this
    }

    fn folder(&self) -> Utf8PathBuf {
        Utf8PathBuf::from_path_buf(self.folder.path().canonicalize().expect("it exists"))
            .expect("UTF-8")
    }

    /// The project.
    pub fn root(&self) -> Utf8PathBuf {
        self.folder().join("project")
    }

    pub fn home(&self) -> Utf8PathBuf {
        self.folder().join("home")
    }

    /// The only folder of programs that come before those of the system.
    pub fn bin(&self) -> Utf8PathBuf {
        self.folder().join("bin")
    }

    pub fn tmp(&self) -> Utf8PathBuf {
        self.folder().join("tmp")
    }

    /// Writes a file of the project; folders are made.
    pub fn write(&self, path: &str, text: &str) -> Utf8PathBuf {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).expect("a readable file")
    }

    /// Puts a shell script on the PATH.
    pub fn program(&self, name: &str, script: &str) -> Utf8PathBuf {
        let path = self.bin().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a file");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
        path
    }

    /// A command in this world: nothing of the real home or environment is seen.
    pub fn command(&self, program: &Utf8Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", self.bin()))
            .env("HOME", self.home())
            .env("TMPDIR", self.tmp())
            .env("LC_ALL", "C.UTF-8")
            .current_dir(self.root());
        command
    }

    /// A phase with two small plans that have no fault, and what they refer to.
    pub fn small_phase(&self) -> &Self {
        self.write(".planning/PROJECT.md", "# Notes\n\nA small service that keeps notes.\n");
        self.write(
            ".planning/ROADMAP.md",
            "# Roadmap\n\n### Phase 3: Notes\n**Goal**: Notes are kept\n**Requirements**: N-01, N-02\n",
        );
        self.write(
            ".planning/REQUIREMENTS.md",
            "# Requirements\n\n- [ ] **N-01**: a note can be added\n- [ ] **N-02**: notes are listed\n",
        );
        self.write(".planning/STATE.md", "---\ncurrent_phase: 3\n---\n");
        self.write("src/store.js", "export function open() {}\n");
        self.write("package.json", "{\"scripts\":{\"test\":\"node --test\"}}\n");
        self.plan(1, "N-01", "src/add.js", "");
        self.plan(2, "N-02", "src/list.js", "\"03-01\"");
        self
    }

    fn plan(&self, number: u32, requirement: &str, file: &str, after: &str) {
        let text = format!(
            "---\nphase: \"03\"\nplan: \"{number:02}\"\ntype: execute\nwave: {number}\n\
             depends_on: [{after}]\nfiles_modified: [{file}]\nautonomous: true\n\
             requirements: [{requirement}]\n---\n\n<objective>\nFulfil {requirement}.\n</objective>\n\n\
             <tasks>\n<task type=\"auto\">\n<name>Write {file}</name>\n<files>{file}</files>\n\
             <read_first>src/store.js</read_first>\n\
             <action>Create {file}; it opens the store and fulfils {requirement}.</action>\n\
             <verify><automated>npm test</automated></verify>\n\
             <acceptance_criteria>\n- `npm test` exits with 0\n</acceptance_criteria>\n\
             <done>{file} exists and its test passes</done>\n</task>\n</tasks>\n"
        );
        self.write(&format!(".planning/phases/03-notes/03-{number:02}-PLAN.md"), &text);
    }

    /// A phase of the size that is seen in the field: 21 plans and about 640 KB.
    pub fn large_phase(&self) -> &Self {
        self.small_phase();
        let filler: String = (0..220).fold(String::new(), |mut text, n| {
            let _ = writeln!(
                text,
                "Step {n}: read `src/store.js` and call open() before the loop over the notes; keep \
                 the order that `src/list.js` expects and write what was learnt to the log."
            );
            text
        });
        for number in 3..=21 {
            let file = format!("src/part{number}.js");
            let text = format!(
                "---\nphase: \"03\"\nplan: \"{number:02}\"\ntype: execute\nwave: {number}\n\
                 depends_on: [\"03-{:02}\"]\nfiles_modified: [{file}]\nautonomous: true\n\
                 requirements: [N-02]\n---\n\n<objective>\nPart {number}.\n</objective>\n\n<tasks>\n\
                 <task type=\"auto\">\n<name>Write {file}</name>\n<files>{file}</files>\n\
                 <action>Create {file} for N-02.\n{filler}</action>\n\
                 <verify><automated>npm test</automated></verify>\n\
                 <acceptance_criteria>\n- `npm test` exits with 0\n</acceptance_criteria>\n\
                 <done>{file} exists</done>\n</task>\n</tasks>\n",
                number - 1,
            );
            self.write(&format!(".planning/phases/03-notes/03-{number:02}-PLAN.md"), &text);
        }
        self
    }
}
