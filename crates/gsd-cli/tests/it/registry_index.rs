//! `gsd registry-index build`: from packed capabilities to a registry.

use crate::world::gsd;
use gsd_testkit::project::World;
use serde_json::json;

#[test]
fn packed_capabilities_become_a_registry() {
    let world = World::new();
    for id in ["acme", "beta"] {
        let made = gsd(&world, &["capability", "new", id, "--role", "feature"]);
        assert_eq!(made.code, 0, "{}", made.stderr);
        let archive = format!("{id}.tgz");
        let packed = gsd(&world, &["capability", "pack", id, "--out", &archive]);
        assert_eq!(packed.code, 0, "{}", packed.stderr);
    }
    let built = gsd(&world, &["registry-index", "build", ".", "--json"]);
    let details = &built.json()["details"];
    assert_eq!(built.code, 0, "{}", built.stdout);
    assert_eq!((&details["capabilities"], &details["versions"]), (&json!(2), &json!(2)));
    let index: serde_json::Value = serde_json::from_str(&world.read("index.json")).unwrap();
    assert_eq!(index["schema"], 1);
    for id in ["acme", "beta"] {
        let versions = index["capabilities"][id]["versions"].as_object().unwrap();
        let (_, release) = versions.iter().next().unwrap();
        assert_eq!(release["source"], format!("{id}.tgz"));
        let packed = gsd(&world, &["capability", "pack", id, "--integrity", "--json"]);
        assert_eq!(release["integrity"], packed.json()["details"]["integrity"]);
    }
    let again = gsd(&world, &["registry-index", "build", ".", "--out", "again.json"]);
    assert_eq!(again.code, 0);
    assert!(again.stderr.contains("again.json: 2 versions of 2 capabilities"), "{}", again.stderr);
    assert_eq!(world.read("again.json"), world.read("index.json"));
}

#[test]
fn a_folder_without_archives_has_no_index() {
    let world = World::new();
    let built = gsd(&world, &["registry-index", "build", ".", "--json"]);
    assert_eq!((built.code, &built.json()["code"]), (4, &json!("no-index")));
    assert!(built.stdout.contains("gsd capability pack"), "{}", built.stdout);
}
