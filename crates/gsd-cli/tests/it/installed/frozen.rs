//! `capabilities.lock`: what is installed is written down, and installed again exactly or not at all.

use super::{bundle, ends, executable, feature, row, tree};
use crate::world::gsd;
use gsd_testkit::project::World;
use serde_json::json;

/// A project with two capabilities, of which the first one requires the second one.
fn world() -> World {
    let world = World::new();
    world.small_phase();
    let needy = feature("acme", "1.0.0", &json!({ "requires": ["zeta"] }));
    bundle(&world.root().join("vendor/zeta"), &feature("zeta", "2.1.0", &executable()));
    bundle(&world.root().join("vendor/acme"), &needy);
    for name in ["zeta", "acme"] {
        let from = format!("./vendor/{name}");
        let args = ["capability", "install", from.as_str(), "--scope", "project", "--yes"];
        ends(&gsd(&world, &args), 0);
    }
    world
}

fn remove_both(world: &World) {
    for id in ["acme", "zeta"] {
        ends(&gsd(world, &["capability", "remove", id, "--scope", "project"]), 0);
    }
}

const FROZEN: [&str; 4] = ["capability", "install", "--frozen", "--yes"];

#[test]
fn what_was_locked_is_installed_again() {
    let world = world();
    let check = ["capability", "lock", "--check"];
    ends(&gsd(&world, &check), 1);
    assert!(!world.root().join("capabilities.lock").exists());
    ends(&gsd(&world, &["capability", "lock"]), 0);
    ends(&gsd(&world, &check), 0);
    let lock = std::fs::read_to_string(world.root().join("capabilities.lock")).unwrap();
    // The same in every checkout.
    assert!(lock.contains("\"./vendor/zeta\"") && !lock.contains(world.root().as_str()), "{lock}");
    let before = tree(&world.root().join(".gsd/capabilities"));

    let none = gsd(&world, &[FROZEN.as_slice(), &["--json"]].concat());
    ends(&none, 0);
    assert_eq!(none.json()["details"]["current"], json!(["acme", "zeta"]));
    remove_both(&world);
    // The file approves nothing.
    let asked = gsd(&world, &["capability", "install", "--frozen", "--json"]);
    ends(&asked, 3);
    assert!(asked.json()["details"]["disclosure"].is_object(), "{}", asked.stdout);
    let done = gsd(&world, &[FROZEN.as_slice(), &["--json"]].concat());
    ends(&done, 0);
    let ids: Vec<_> = done.json()["details"]["installed"].as_array().unwrap().clone();
    assert_eq!([&ids[0]["id"], &ids[1]["id"]], ["zeta", "acme"]);
    assert_eq!(tree(&world.root().join(".gsd/capabilities")), before);
    assert_eq!(row(&world, "zeta")["status"], "active");
    ends(&gsd(&world, &check), 0);
}

#[test]
fn what_is_not_as_it_was_locked_is_not_installed() {
    let world = world();
    ends(&gsd(&world, &["capability", "lock"]), 0);
    remove_both(&world);
    let before = tree(&world.root());
    std::fs::write(world.root().join("vendor/zeta/exe.cjs"), "exports.route = 1;\n").unwrap();
    let drift = gsd(&world, &FROZEN);
    ends(&drift, 5);
    assert!(drift.stderr.contains("content of `zeta`"), "{}", drift.stderr);
    bundle(&world.root().join("vendor/zeta"), &feature("zeta", "2.1.0", &executable()));
    assert_eq!(tree(&world.root()), before);

    let other = gsd(&world, &["capability", "install", "./vendor", "--frozen"]);
    ends(&other, 5);
    ends(&gsd(&world, &["capability", "install", "./vendor/zeta", "--frozen", "--yes"]), 0);

    let path = world.root().join("capabilities.lock");
    let text = std::fs::read_to_string(&path).unwrap().replace("\"schema\": 1", "\"schema\": 2");
    std::fs::write(&path, &text).unwrap();
    for args in [FROZEN.as_slice(), &["capability", "lock"]] {
        ends(&gsd(&world, args), 7);
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    std::fs::remove_file(&path).unwrap();
    let none = gsd(&world, &FROZEN);
    ends(&none, 6);
    assert!(none.stderr.contains("gsd capability lock"), "{}", none.stderr);
}
