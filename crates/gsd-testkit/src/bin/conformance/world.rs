//! The worlds of the golden runs: a home, a project, and the bundles that lie in them.

use crate::program::Place;
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;
use std::io;

/// A manifest may have so many bytes; one world has a larger one.
const LARGEST: u64 = 8 * 1024 * 1024;

/// A home and a project, gone when dropped.
#[derive(Debug)]
pub(crate) struct World {
    _folder: tempfile::TempDir,
    pub(crate) place: Place,
}

const MANY_VALID: [&str; 10] = [
    "hello-decl",
    "tiny",
    "no-engines",
    "wild-gate",
    "activation",
    "step-agent",
    "step-command",
    "acme-lane",
    "requires-first-party",
    "consumes-first-party",
];

impl World {
    /// Lays the world of a row. `alone` are the names of all bundles that have a world to
    /// themselves; together they make the mixed ones.
    pub(crate) fn of(data: &Utf8Path, id: &str, alone: &[String]) -> Result<Self, String> {
        Self::lay(data, id, alone).map_err(|error| format!("the world of {id}: {error}"))
    }

    fn lay(data: &Utf8Path, id: &str, alone: &[String]) -> io::Result<Self> {
        let (group, case) = id.split_once('/').unwrap_or((id, ""));
        let folder = tempfile::tempdir()?;
        let root = Utf8Path::from_path(folder.path())
            .ok_or_else(|| io::Error::other("the folder is not UTF-8"))?
            .canonicalize_utf8()?;
        let place = Place::plain(&root.join("home"), &root.join("project"));
        fs::create_dir_all(&place.home)?;
        fs::create_dir_all(&place.cwd)?;
        let mut world = Self { _folder: folder, place };
        if group != "queries-bare" && case != "bare-folder" {
            let seed = match group {
                "config-set" if case == "fresh-no-config-file" => "clean",
                "queries-config" | "config-get-config" | "config-set" => "config",
                _ => "clean",
            };
            copy(&data.join("fixtures/seeds").join(seed), &world.place.cwd)?;
            // A folder is enough to say that this is the root of a repository.
            fs::create_dir_all(world.place.cwd.join(".git"))?;
        }
        let bundles = Bundles { caps: data.join("fixtures/caps") };
        let (home, project) = (world.place.home.clone(), world.place.cwd.clone());
        match group {
            "overlay-valid" => bundles.put(&home, &["hello-decl"])?,
            "overlay-many-valid" => bundles.put(&home, &MANY_VALID)?,
            "overlay-exec-dropped" => bundles.put(&home, &["hello-exec"])?,
            "overlay-one" => {
                bundles.put(&home, &[case.split('/').next().unwrap_or_default()])?;
            }
            "overlay-mixed" | "overlay-mixed-without-poison" => {
                for name in alone {
                    if group == "overlay-mixed" || name != "config-slice-nodefault" {
                        bundles.put(&home, &[name])?;
                    }
                }
                bundles.put(&home, &["hello-decl", "acme-lane"])?;
            }
            "overlay-pair-collision" => {
                bundles.put(&home, &["hello-decl", "aaa-clash", "zzz-clash"])?;
            }
            "overlay-order" => bundles.put(&home, &["zz-first", "aa-second", "mm-third"])?,
            "overlay-special" => bundles.special(&home, case)?,
            "overlay-project-no-consent" | "overlay-project-forged-ledger" => {
                let names = ["hello-decl", "hello-exec", "acme-lane"];
                bundles.put(&project, &names)?;
                if group.ends_with("ledger") {
                    fs::write(project.join(".gsd-capabilities.json"), forged(&names))?;
                }
            }
            "overlay-gsdhome-is-project" => {
                world.place.gsd_home = Some(match case {
                    "gsdhome-elsewhere" => {
                        let elsewhere = root.join("elsewhere");
                        bundles.put(&elsewhere, &["hello-decl"])?;
                        elsewhere
                    }
                    "overlay-meta-symlink" => {
                        bundles.put(&project, &["hello-decl"])?;
                        let link = root.join("link");
                        std::os::unix::fs::symlink(&project, &link)?;
                        link
                    }
                    _ => {
                        bundles.put(&project, &["hello-decl"])?;
                        project
                    }
                });
            }
            _ if case == "broken-config-file" => {
                let planning = project.join(".planning");
                fs::create_dir_all(&planning)?;
                let path = planning.join("config.json");
                // What was copied may be read-only.
                let _ = fs::remove_file(&path);
                fs::write(path, "{ broken")?;
            }
            _ => {}
        }
        Ok(world)
    }
}

/// A ledger that came with the repository and says that all is well.
fn forged(names: &[&str]) -> String {
    let entries: serde_json::Map<String, serde_json::Value> = names
        .iter()
        .map(|name| {
            let entry = serde_json::json!({
                "id": name, "version": "1.0.0", "source": "./x", "integrity": "",
                "resolvedRef": "./x", "files": [], "sharedEdits": [],
            });
            ((*name).to_owned(), entry)
        })
        .collect();
    serde_json::json!({ "version": "2", "updatedAt": "now", "entries": entries }).to_string()
}

struct Bundles {
    caps: Utf8PathBuf,
}

impl Bundles {
    fn folder(root: &Utf8Path, id: &str) -> Utf8PathBuf {
        root.join(".gsd/capabilities").join(id)
    }

    /// Drops bundles below a root, without an install and without a record.
    fn put(&self, root: &Utf8Path, names: &[&str]) -> io::Result<()> {
        for name in names {
            let id = match *name {
                "bad-id-upper" => "Bad-Id",
                "bad-id-proto" => "__proto__",
                "bad-id-constructor" => "constructor",
                other => other,
            };
            let to = Self::folder(root, id);
            match *name {
                "symlink-root" => {
                    fs::create_dir_all(root.join(".gsd/capabilities"))?;
                    std::os::unix::fs::symlink(self.caps.join("tiny"), to)?;
                }
                "symlink-bundle" => {
                    copy(&self.caps.join("tiny"), &to)?;
                    let path = to.join("capability.json");
                    let text = fs::read_to_string(&path)?.replace("\"tiny\"", "\"symlink-bundle\"");
                    fs::remove_file(&path)?;
                    fs::write(path, text)?;
                    std::os::unix::fs::symlink("/etc/hostname", to.join("link"))?;
                }
                _ => copy(&self.caps.join(name), &to)?,
            }
        }
        Ok(())
    }

    /// A bundle whose manifest or fragment is no file that one can read.
    fn special(&self, root: &Utf8Path, case: &str) -> io::Result<()> {
        let zed = Self::folder(root, "zed");
        let manifest = zed.join("capability.json");
        if case != "fragfifo" {
            fs::create_dir_all(&zed)?;
        }
        match case {
            "fifo" => fifo(&manifest),
            "dir" => fs::create_dir_all(manifest),
            "symlink" => {
                std::os::unix::fs::symlink(self.caps.join("tiny/capability.json"), manifest)
            }
            "big" => {
                let mut text = fs::read_to_string(self.caps.join("tiny/capability.json"))?;
                text.push_str(&" ".repeat(LARGEST as usize + 1));
                fs::write(manifest, text.replace("\"tiny\"", "\"zed\""))
            }
            "fragfifo" => {
                self.put(root, &["bad-frag-missing"])?;
                fifo(&Self::folder(root, "bad-frag-missing").join("none.md"))
            }
            other => Err(io::Error::other(format!("`{other}` is not known"))),
        }
    }
}

pub(crate) fn fifo(path: &Utf8Path) -> io::Result<()> {
    let status = std::process::Command::new("mkfifo").arg(path).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other("mkfifo failed")) }
}

/// Copies a folder; links are copied as links.
pub(crate) fn copy(from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in from.read_dir_utf8()? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(entry.path(), &target)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path())?, target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
