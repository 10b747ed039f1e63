//! What is installed, trusted, changed and removed, through the built program and real files.

mod acceptance;
mod crash;
mod edited;
mod foretold;
mod frozen;
mod home;
mod lifecycle;
mod lock;
mod looks;
mod modes;
mod planted;
mod question;
mod signed;
mod sources;
mod trust;
mod undo;
mod wired;

use crate::world::{Ran, gsd};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_testkit::project::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A feature without anything in it, and what is said beside.
fn feature(id: &str, version: &str, extra: &Value) -> Value {
    let mut manifest = json!({
        "id": id, "role": "feature", "version": version, "title": format!("The title of {id}"),
        "description": "d", "tier": "full", "requires": [], "engines": { "gsd": ">=1.0.0" },
        "runtimeCompat": { "supported": ["*"], "unsupported": [] },
        "skills": [], "agents": [], "config": {}, "steps": [], "contributions": [], "gates": [],
    });
    for (key, value) in extra.as_object().into_iter().flatten() {
        manifest[key] = value.clone();
    }
    manifest
}

/// What a bundle that runs something declares: a hook, a command and a server.
fn executable() -> Value {
    json!({
        "hooks": [{ "event": "PostToolUse", "script": "hooks/after.js", "matcher": "Write" }],
        "commands": [{
            "family": "exe-cmd", "module": "exe.cjs", "router": "route", "subcommands": ["ping"],
        }],
        "mcpServers": {
            "srv": { "command": "node", "args": ["s.js"], "env": { "KEY": "1" }, "cwd": "." },
        },
    })
}

/// A reviewer whose program answers on stdout.
fn reviewer(id: &str, binary: &str) -> Value {
    json!({
        "id": id, "role": "reviewer", "version": "1.0.0", "title": id, "description": "d",
        "tier": "full", "requires": [], "engines": { "gsd": ">=1.0.0" }, "config": {},
        "reviewer": {
            "slug": id, "flags": [format!("--{id}")], "transport": "spawn",
            "probe": { "kind": "command-exists", "binary": binary },
            "invoke": {
                "binary": binary, "args": [], "promptChannel": "stdin", "outputChannel": "stdout",
                "modelArg": null, "effortChannel": "none",
            },
            "timeoutFloorMs": 60_000, "emptyOutput": "stub-with-stderr",
            "reviewsSection": format!("{id} Review"), "evidenceClass": "source-grounded",
            "requiresBinaries": [], "promptBudgetKey": null, "modelConfigKey": null, "handler": null,
        },
    })
}

/// Writes a bundle with the files that [`executable`] names.
fn bundle(folder: &Utf8Path, manifest: &Value) -> Utf8PathBuf {
    std::fs::create_dir_all(folder.join("hooks")).unwrap();
    std::fs::write(folder.join("capability.json"), manifest.to_string()).unwrap();
    std::fs::write(folder.join("hooks/after.js"), "// after\n").unwrap();
    std::fs::write(folder.join("exe.cjs"), "exports.route = () => {};\n").unwrap();
    folder.to_owned()
}

/// The row of a capability in `capability list --json`.
fn row(world: &World, id: &str) -> Value {
    let list = gsd(world, &["capability", "list", "--json"]).json();
    let rows = list["details"].as_array().unwrap();
    rows.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("no {id}")).clone()
}

fn status(world: &World, id: &str) -> String {
    row(world, id)["status"].as_str().unwrap().to_owned()
}

/// Everything below a folder: files with their bytes, folders with nothing.
fn tree(root: &Utf8Path) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir_utf8().unwrap() {
            let path = entry.unwrap().into_path();
            let name = path.strip_prefix(root).unwrap().to_string();
            if path.symlink_metadata().unwrap().is_dir() {
                found.insert(name, None);
                folders.push(path);
            } else {
                let bytes = std::fs::read_link(&path)
                    .map(|to| to.into_os_string().into_encoded_bytes())
                    .or_else(|_| std::fs::read(&path));
                found.insert(name, Some(bytes.unwrap()));
            }
        }
    }
    found
}

fn ends(ran: &Ran, code: i32) {
    assert_eq!(ran.code, code, "stdout: {}\nstderr: {}", ran.stdout, ran.stderr);
}
