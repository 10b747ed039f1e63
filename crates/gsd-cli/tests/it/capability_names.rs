//! Names of capabilities, of their folders and of their files: taken, hidden, not text, hostile.

use crate::world::{Ran, gsd};
use camino::Utf8Path;
use gsd_testkit::project::World;
use serde_json::json;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// A path below a folder that has no UTF-8 form.
fn below(folder: &Utf8Path, name: &[u8]) -> std::path::PathBuf {
    folder.as_std_path().join(OsStr::from_bytes(name))
}

fn acme(world: &World) {
    let made = gsd(world, &["capability", "new", "acme", "--role", "feature"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
}

#[test]
fn new_gives_no_id_that_nobody_could_install() {
    let world = World::new();
    for id in ["claude", "research", "ollama", "config", "gsd-x", "gernini"] {
        let ran = gsd(&world, &["capability", "new", id, "--role", "reviewer", "--json"]);
        assert_eq!((ran.code, &ran.json()["code"]), (2, &json!("id-reserved")), "{id}");
        assert!(!world.root().join(id).exists(), "{id}");
    }
}

#[test]
fn what_new_writes_is_valid_whatever_the_id() {
    let world = World::new();
    let ids = ["verbose", "jobs", "force", "plan", "text", "agy", "workflow", "git", "context"];
    for id in ids {
        for role in ["feature", "runtime", "reviewer"] {
            let made = gsd(&world, &["capability", "new", id, "--role", role, "--json"]);
            let folder = world.root().join(id);
            if made.code != 0 {
                assert_eq!((made.code, folder.exists()), (2, false), "{id} {role}");
                assert_eq!(made.json()["code"], "id-taken", "{id} {role}: {}", made.stdout);
                continue;
            }
            let checked = gsd(&world, &["capability", "validate", id, "--strict"]);
            assert_eq!(checked.code, 0, "{id} {role}: {}", checked.stdout);
            std::fs::remove_dir_all(folder).unwrap();
        }
    }
    // A flag that is free is found, so these are no reason to refuse.
    let made = gsd(&world, &["capability", "new", "jobs", "--role", "reviewer"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert!(world.read("jobs/capability.json").contains("\"--jobs-review\""));
}

#[test]
fn validate_says_that_nobody_can_install_an_id_of_gsd() {
    let world = World::new();
    acme(&world);
    let text = world.read("acme/capability.json").replace("acme", "claude");
    world.write("claude/capability.json", &text);
    let named = gsd(&world, &["capability", "validate", "claude"]);
    assert!(named.stderr.contains("`claude` is a first-party capability"), "{}", named.stderr);
    let json = gsd(&world, &["capability", "validate", ".", "--json"]).json();
    assert_eq!(json["details"]["refusedIds"][0]["code"], "first-party-id");
    assert_eq!(json["details"]["refusedIds"].as_array().unwrap().len(), 1, "not acme: {json}");
}

#[test]
fn a_folder_that_was_not_looked_at_is_told() {
    let world = World::new();
    acme(&world);
    std::os::unix::fs::symlink("acme", world.root().join("linked")).unwrap();
    std::os::unix::fs::symlink(".", world.root().join("elsewhere")).unwrap();
    std::fs::create_dir(below(&world.root(), b"bad\xff")).unwrap();
    std::fs::create_dir(world.root().join("docs")).unwrap();
    let usual = gsd(&world, &["capability", "validate", ".", "--json"]);
    assert_eq!(usual.code, 0, "{}", usual.stdout);
    let details = usual.json()["details"].clone();
    let files: Vec<_> = details["diagnostics"].as_array().unwrap().iter().collect();
    let names: Vec<_> = files.iter().map(|it| it["at"]["file"].as_str().unwrap()).collect();
    assert_eq!(names, ["bad\u{fffd}", "linked"], "{details}");
    assert_eq!(details["manifests"], json!(["acme/capability.json"]));
    assert_eq!(gsd(&world, &["capability", "validate", ".", "--strict"]).code, 1);
}

#[test]
fn pack_takes_no_name_that_an_install_refuses() {
    let world = World::new();
    acme(&world);
    let pack = || gsd(&world, &["capability", "pack", "acme", "--integrity"]);
    assert_eq!(pack().code, 0);
    let folder = world.root().join("acme");
    for name in [&b"a\xff.md"[..], b"capability.JSON", b"con", b"a.", b"a ", b"a\x1b[2J"] {
        std::fs::write(below(&folder, name), "").unwrap();
        let ran = pack();
        assert_eq!(ran.code, 4, "{name:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
        std::fs::remove_file(below(&folder, name)).unwrap();
    }
    std::os::unix::fs::symlink("README.md", below(&folder, b"l\x1b[31m")).unwrap();
    let linked = pack();
    assert_eq!(linked.code, 4);
    assert!(linked.stderr.contains("\\u{1b}[31m` is a link"), "{}", linked.stderr);
}

#[test]
fn what_looks_like_a_secret_is_packed_with_a_warning() {
    let world = World::new();
    acme(&world);
    world.write("acme/.env", "TOKEN=x\n");
    let human = gsd(&world, &["capability", "pack", "acme", "--integrity"]);
    assert!(human.code == 0 && human.stderr.contains("`.env` looks like a secret"));
    let json = gsd(&world, &["capability", "pack", "acme", "--integrity", "--json"]).json();
    assert_eq!(json["details"]["likelySecrets"], json!([".env"]));
}

#[test]
fn pack_and_validate_are_pointed_at_the_same_things() {
    let world = World::new();
    acme(&world);
    let both = |path: &str| -> Vec<Ran> {
        let run = |verb: &[&str]| gsd(&world, &[verb, &[path, "--json"]].concat());
        vec![run(&["capability", "validate"]), run(&["capability", "pack", "--integrity"])]
    };
    for ran in both("nope") {
        assert_eq!((ran.code, &ran.json()["code"]), (6, &json!("capability-unknown")));
    }
    for path in ["acme", "acme/capability.json"] {
        for ran in both(path) {
            assert_eq!(ran.code, 0, "{path}: {}", ran.stdout);
        }
    }
}
