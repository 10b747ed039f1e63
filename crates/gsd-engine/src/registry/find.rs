//! Finds the manifests that a user points at. What may be one and is not looked at is said: whoever
//! lets a folder be checked takes silence for all of it.

use crate::diag::{Diagnostic, SourceFile};
use crate::manifest::{
    Bundle, Context, MAX_MANIFEST, Origin, parse, passed_over, read_bundle, unreadable_bundle,
};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Entry, Kind, Links};
use std::collections::BTreeMap;

/// No folder of capabilities has more entries.
const MAX_BUNDLES: usize = 20_000;

/// More of these tell nothing new.
const MAX_PASSED_OVER: usize = 100;

/// A manifest that was found, and the file that it stands in.
#[derive(Debug)]
pub struct Found {
    pub path: Utf8PathBuf,
    /// The real name of the bundle's folder, if there is a bundle around it.
    pub folder: Option<String>,
    pub bundle: Bundle,
}

/// Looks at one path after the other.
pub(super) struct Finder<'a> {
    /// Turns a path into the name that messages use.
    pub(super) shown: &'a dyn Fn(&Utf8Path) -> String,
    pub(super) manifests: Vec<Found>,
    /// What may be a capability and was not looked at.
    pub(super) passed_over: Vec<Diagnostic>,
}

impl Finder<'_> {
    /// A manifest, a bundle, or a folder of bundles.
    pub(super) fn look_at(&mut self, path: &Utf8Path) {
        match fs::kind(path) {
            Some(Kind::File { .. }) => self.manifests.push(file(path, self.shown)),
            // A link is followed once, because the user named it.
            Some(Kind::Directory | Kind::Link) => {
                if fs::kind(&path.join("capability.json")).is_some() {
                    self.manifests.push(given(path, self.shown));
                } else {
                    self.look_into(path);
                }
            }
            Some(Kind::Special) | None => {}
        }
    }

    fn look_into(&mut self, path: &Utf8Path) {
        let entries = fs::list(path, MAX_BUNDLES + 1).unwrap_or_default();
        if entries.len() > MAX_BUNDLES {
            let what = format!("of its entries only {MAX_BUNDLES} are looked at");
            self.pass_over(path, &what, "check it in parts");
        }
        for Entry { name, kind } in entries {
            let folder = path.join(&name);
            let manifest = folder.join("capability.json");
            match kind {
                Kind::Directory if fs::kind(&manifest).is_some() => {
                    self.manifests.push(bundle(&folder, Some(&name), self.shown));
                }
                Kind::Directory if !fs::may_enter(&folder) => {
                    self.pass_over(&folder, "you may not enter it", "see that you may read it");
                }
                Kind::Link if fs::kind_behind_links(&manifest).is_some() => {
                    let help = "name it to have it checked, or put the folder in its place";
                    self.pass_over(&folder, "it is a link, which nothing installs", help);
                }
                Kind::Directory | Kind::Link | Kind::File { .. } | Kind::Special => {}
            }
        }
        for Entry { name, kind } in fs::list_not_utf8(path, MAX_BUNDLES) {
            if matches!(kind, Kind::Directory | Kind::Link) {
                let help = "give the folder the id of its capability as its name";
                self.pass_over(&path.join(name), "its name is not UTF-8", help);
            }
        }
    }

    fn pass_over(&mut self, path: &Utf8Path, why: &str, help: &str) {
        if self.passed_over.len() < MAX_PASSED_OVER {
            let file = SourceFile::new((self.shown)(path), "");
            self.passed_over.push(passed_over(&file, why, help));
        }
    }
}

/// The bundle in a folder that the user named: `.` and `..` and links have real names, too.
fn given(folder: &Utf8Path, shown: &dyn Fn(&Utf8Path) -> String) -> Found {
    let real = fs::canonical(folder).unwrap_or_else(|| folder.to_owned());
    bundle(folder, real.file_name(), shown)
}

fn bundle(folder: &Utf8Path, name: Option<&str>, shown: &dyn Fn(&Utf8Path) -> String) -> Found {
    let path = folder.join("capability.json");
    let context = Context { origin: Origin::ThirdParty, folder: name };
    let bundle = read_bundle(folder, &shown(&path), context);
    Found { path, folder: name.map(str::to_owned), bundle }
}

/// A manifest by itself. Only one that is called `capability.json` has a bundle around it.
fn file(path: &Utf8Path, shown: &dyn Fn(&Utf8Path) -> String) -> Found {
    if path.file_name() == Some("capability.json") {
        let parent = path.parent().filter(|parent| !parent.as_str().is_empty());
        return given(parent.unwrap_or(Utf8Path::new(".")), shown);
    }
    let context = Context { origin: Origin::ThirdParty, folder: None };
    let name = shown(path);
    let bundle = match fs::read_text(path, MAX_MANIFEST, Links::Follow) {
        Ok(text) => {
            let parsed = parse(&SourceFile::new(name, text), context);
            Bundle { parsed, fragments: BTreeMap::new() }
        }
        Err(error) => unreadable_bundle(&name, &error),
    };
    Found { path: path.to_owned(), folder: None, bundle }
}
