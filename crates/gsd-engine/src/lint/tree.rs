//! The work tree as plan-lint may see it: bounded, cached, and never outside the root.
//!
//! A link that leaves the root is not followed; what stands behind it is unclear, and about what
//! is unclear no check says anything. Nothing is ever written.

use crate::diag::SourceFile;
use crate::id::RelPath;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Kind, Links};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// A source file that is larger is not read; no check says anything about its content.
const MAX_FILE: u64 = 4 << 20;
/// All files together.
const MAX_TOTAL: u64 = 64 << 20;
const MAX_ENTRIES: usize = 4000;
/// Looking for a near name costs; whoever has more faults than this has other sorrows.
const MAX_SUGGESTIONS: u32 = 200;

/// What stands at a path of the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    File,
    Directory,
    Absent,
    /// A link that leaves the root, a device, or something the system does not show.
    Unclear,
}

/// The files of a project, read when a check asks for them.
#[derive(Debug)]
pub struct WorkTree {
    root: Utf8PathBuf,
    real_root: Option<Utf8PathBuf>,
    standings: RefCell<HashMap<String, Standing>>,
    texts: RefCell<HashMap<String, Option<Arc<SourceFile>>>>,
    listings: RefCell<HashMap<String, Rc<[String]>>>,
    left: Cell<u64>,
    suggestions: Cell<u32>,
    packages: OnceCell<Vec<String>>,
    ignored: OnceCell<Vec<String>>,
}

impl WorkTree {
    /// The work tree whose root is the folder that holds `.planning`.
    pub fn new(root: &Utf8Path) -> Self {
        Self {
            root: root.to_owned(),
            real_root: fs::canonical(root),
            standings: RefCell::default(),
            texts: RefCell::default(),
            listings: RefCell::default(),
            left: Cell::new(MAX_TOTAL),
            suggestions: Cell::new(MAX_SUGGESTIONS),
            packages: OnceCell::new(),
            ignored: OnceCell::new(),
        }
    }

    /// What stands at a path. Each part is looked at by itself, so no link can lead outside.
    pub(super) fn standing(&self, path: &str) -> Standing {
        let path = path.trim_end_matches('/');
        if path.is_empty() {
            return Standing::Directory;
        }
        if let Some(known) = self.standings.borrow().get(path) {
            return *known;
        }
        let parent = match path.rsplit_once('/') {
            Some((parent, _)) => self.standing(parent),
            None => Standing::Directory,
        };
        let standing = match parent {
            Standing::Directory => self.look(path),
            // Nothing can stand below a file.
            Standing::File | Standing::Absent => Standing::Absent,
            Standing::Unclear => Standing::Unclear,
        };
        self.standings.borrow_mut().insert(path.to_owned(), standing);
        standing
    }

    fn look(&self, path: &str) -> Standing {
        if RelPath::parse(path).is_err() {
            return Standing::Unclear;
        }
        let full = self.root.join(path);
        match fs::kind(&full) {
            None => Standing::Absent,
            Some(Kind::File { .. }) => Standing::File,
            Some(Kind::Directory) => Standing::Directory,
            Some(Kind::Special) => Standing::Unclear,
            Some(Kind::Link) => {
                let inside = fs::canonical(&full)
                    .filter(|real| self.real_root.as_ref().is_some_and(|r| real.starts_with(r)));
                match inside.as_deref().and_then(fs::kind) {
                    Some(Kind::File { .. }) => Standing::File,
                    Some(Kind::Directory) => Standing::Directory,
                    Some(Kind::Link | Kind::Special) | None => Standing::Unclear,
                }
            }
        }
    }

    pub(super) fn is_file(&self, path: &str) -> bool {
        self.standing(path) == Standing::File
    }

    pub(super) fn is_directory(&self, path: &str) -> bool {
        self.standing(path) == Standing::Directory
    }

    /// Whether nothing at all stands at a path, and that is certain.
    pub(super) fn is_absent(&self, path: &str) -> bool {
        self.standing(path) == Standing::Absent
    }

    /// The text of a file; `None` for what is no file, not UTF-8, or over the bounds.
    pub(super) fn text(&self, path: &str) -> Option<Arc<SourceFile>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        let read = self.read(path);
        self.texts.borrow_mut().insert(path.to_owned(), read.clone());
        read
    }

    fn read(&self, path: &str) -> Option<Arc<SourceFile>> {
        if !self.is_file(path) {
            return None;
        }
        // The link was resolved when its standing was; only its target is opened.
        let real = fs::canonical(&self.root.join(path))?;
        if !self.real_root.as_ref().is_some_and(|root| real.starts_with(root)) {
            return None;
        }
        let text = fs::read_text(&real, MAX_FILE.min(self.left.get()), Links::Refuse).ok()?;
        self.left.set(self.left.get().saturating_sub(text.len() as u64));
        Some(SourceFile::new(path, text))
    }

    /// The names in a directory, sorted; directories end in `/`.
    pub(super) fn names(&self, path: &str) -> Rc<[String]> {
        if let Some(known) = self.listings.borrow().get(path) {
            return Rc::clone(known);
        }
        let names: Rc<[String]> = if self.is_directory(path) {
            fs::list(&self.root.join(path), MAX_ENTRIES)
                .unwrap_or_default()
                .into_iter()
                .map(|entry| match entry.kind {
                    Kind::Directory => format!("{}/", entry.name),
                    Kind::File { .. } | Kind::Link | Kind::Special => entry.name,
                })
                .collect()
        } else {
            Rc::default()
        };
        self.listings.borrow_mut().insert(path.to_owned(), Rc::clone(&names));
        names
    }

    /// Folders below the root that are projects of their own: paths of a plan may be meant
    /// relative to one of them.
    pub(super) fn packages(&self) -> &[String] {
        self.packages.get_or_init(|| {
            let mut found = vec![];
            for top in self.folders("") {
                if self.is_package(&top) {
                    found.push(top);
                } else {
                    found.extend(self.folders(&top).filter(|below| self.is_package(below)));
                }
            }
            found
        })
    }

    fn folders(&self, path: &str) -> impl Iterator<Item = String> {
        let names = self.names(path);
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        (0..names.len()).filter_map(move |index| {
            let name = names[index].strip_suffix('/')?;
            let skipped = name.starts_with('.') || GENERATED.contains(&name);
            (!skipped).then(|| format!("{prefix}{name}"))
        })
    }

    fn is_package(&self, path: &str) -> bool {
        MANIFESTS.iter().any(|manifest| self.is_file(&format!("{path}/{manifest}")))
    }

    /// Whether a path exists when it is read relative to a package of the project.
    pub(super) fn exists_in_a_package(&self, path: &str) -> bool {
        self.packages()
            .iter()
            .any(|package| !matches!(self.standing(&format!("{package}/{path}")), Standing::Absent))
    }

    /// Whether a tool makes the file, so that no plan has to: build output, installed packages,
    /// caches, local settings, and what the project's own `.gitignore` names plainly.
    pub(super) fn is_generated(&self, path: &str) -> bool {
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            let folder = parts.peek().is_some();
            if (folder && GENERATED.contains(&part)) || part == ".env" || part.starts_with(".env.")
            {
                return true;
            }
            if !folder
                && (LOCKS.contains(&part) || part.contains(".generated.") || part.contains(".gen."))
            {
                return true;
            }
        }
        self.ignored().iter().any(|entry| {
            path.strip_prefix(entry.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// The plain entries of the root's `.gitignore`; patterns are left out.
    fn ignored(&self) -> &[String] {
        self.ignored.get_or_init(|| {
            let Some(file) = self.text(".gitignore") else { return vec![] };
            file.text()
                .lines()
                .map(|line| line.trim().trim_start_matches('/').trim_end_matches('/'))
                .filter(|line| !line.is_empty() && !line.contains(['*', '?', '[', '!', '#']))
                .map(str::to_owned)
                .collect()
        })
    }

    /// The path that was perhaps meant: a near name in the same directory, or among `planned`.
    pub(super) fn suggestion<'a>(
        &self,
        path: &str,
        planned: impl Iterator<Item = &'a str>,
    ) -> Option<String> {
        self.suggestions.set(self.suggestions.get().checked_sub(1)?);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let names = self.names(folder);
        let planned = planned.filter_map(|other| {
            let (own, name) = other.rsplit_once('/').unwrap_or(("", other));
            (own == folder && other != path).then_some(name)
        });
        let near = crate::text::nearest(name, names.iter().map(String::as_str).chain(planned))?;
        Some(if folder.is_empty() { near.to_owned() } else { format!("{folder}/{near}") })
    }
}

#[rustfmt::skip]
const MANIFESTS: [&str; 6] = [
    "package.json", "Cargo.toml", "pyproject.toml", "go.mod", "composer.json", "setup.py",
];

#[rustfmt::skip]
const GENERATED: [&str; 19] = [
    "node_modules", "dist", "build", "out", "target", "coverage", "vendor", "venv", ".venv",
    "__pycache__", ".next", ".nuxt", ".svelte-kit", ".turbo", ".cache", ".git", "generated",
    "__generated__", "tmp",
];

#[rustfmt::skip]
const LOCKS: [&str; 12] = [
    "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "Cargo.lock",
    "poetry.lock", "uv.lock", "go.sum", "composer.lock", "Gemfile.lock", "next-env.d.ts",
];
