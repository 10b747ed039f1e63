//! `gsd registry`: one document, the same bytes each time, and what changed since it was written.

use crate::world::gsd;
use gsd_testkit::project::World;
use serde_json::json;

#[test]
fn a_registry_is_the_same_each_time_and_fits_itself() {
    let world = World::new();
    let one = gsd(&world, &["registry", "build", "--first-party", "--out", "one.json"]);
    assert_eq!((one.code, one.stdout.as_str()), (0, ""), "{}", one.stderr);
    let printed = gsd(&world, &["registry", "build", "--first-party"]);
    assert_eq!(printed.stdout, world.read("one.json"));
    let checked =
        gsd(&world, &["registry", "check", "--first-party", "--against", "one.json", "--json"]);
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    assert_eq!(checked.json()["details"]["drift"], json!([]));
    let shown = gsd(&world, &["registry", "show", "--first-party"]);
    assert!(shown.stdout.contains("19 runtimes"), "{}", shown.stdout);
    // Git may have changed the line ends.
    world.write("crlf.json", &world.read("one.json").replace('\n', "\r\n"));
    let crlf = gsd(&world, &["registry", "check", "--first-party", "--against", "crlf.json"]);
    assert_eq!(crlf.code, 0, "{}", crlf.stdout);
}

#[test]
fn drift_is_shown_value_by_value() {
    let world = World::new();
    gsd(&world, &["registry", "build", "--first-party", "--out", "old.json"]);
    let old = world.read("old.json");
    let edited = old.replacen("\"security\"", "\"sekurity\"", 1);
    assert_ne!(old, edited);
    world.write("old.json", &edited);
    let ran = gsd(&world, &["registry", "check", "--first-party", "--against", "old.json"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.lines().count() <= 4, "only what differs: {}", ran.stdout);
    assert!(ran.stdout.contains("sekurity") && ran.stdout.contains("security"), "{}", ran.stdout);
    assert!(ran.stderr.contains("gsd registry build --out old.json"), "{}", ran.stderr);
    assert_eq!(world.read("old.json"), edited, "a check writes nothing");
}

#[test]
fn what_is_no_registry_is_said() {
    let world = World::new();
    world.write("no.json", "{ not JSON");
    let check = |file: &str| gsd(&world, &["registry", "check", "--against", file, "--json"]);
    let broken = check("no.json");
    assert_eq!((broken.code, &broken.json()["code"]), (1, &json!("registry-unreadable")));
    let missing = check("nowhere.json");
    assert_eq!((missing.code, &missing.json()["code"]), (6, &json!("registry-unreadable")));
}

#[test]
fn an_overlay_that_does_not_fit_fails_the_check() {
    let world = World::new();
    world.write(".planning/PROJECT.md", "# P\n");
    let folder = world.home().join(".gsd/capabilities/broken");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("capability.json"), "{").unwrap();
    let ran = gsd(&world, &["registry", "check", "--json"]);
    assert_eq!(ran.code, 1);
    let document = ran.json();
    assert_eq!(document["details"]["skips"][0]["reason"], "invalid");
    assert_eq!(gsd(&world, &["registry", "check", "--first-party"]).code, 0);
}
