//! `gsd capability trust`: the user's word on what lies there.

use super::{bundle, ends, executable, feature, reviewer, row, status, tree};
use crate::world::{command, gsd, gsd_tools, ran};
use gsd_testkit::project::World;
use serde_json::json;

fn world() -> World {
    let world = World::new();
    world.small_phase();
    world
}

#[test]
fn a_bundle_of_the_project_runs_only_with_the_users_word() {
    let world = world();
    let folder = world.root().join(".gsd/capabilities/acme");
    bundle(&folder, &feature("acme", "1.0.0", &executable()));
    assert_eq!(status(&world, "acme"), "inactive");
    let before = tree(&world.home());

    let asked = gsd(&world, &["capability", "trust", "grant", "acme", "--json"]);
    ends(&asked, 3);
    let asked = asked.json();
    assert_eq!(asked["code"], "consent-required");
    let lines = asked["details"]["lines"].to_string();
    for shown in ["PostToolUse", "hooks/after.js", "exe-cmd", "exe.cjs", "srv", "KEY", "Write"] {
        assert!(lines.contains(shown), "{shown}: {lines}");
    }
    assert!(asked["details"]["disclosure"].is_object());
    assert_eq!(tree(&world.home()), before, "nothing was written");

    ends(&gsd(&world, &["capability", "trust", "grant", "acme", "--yes"]), 0);
    assert_eq!(status(&world, "acme"), "active");
    let list = gsd_tools(&world, &["capability", "trust", "list"]).json();
    let keys: Vec<&String> = list[0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys[..7],
        [
            "id",
            "scope",
            "projectRoot",
            "integrity",
            "disclosureSignature",
            "contentHash",
            "consentedAt"
        ]
    );
    assert_eq!(list[0]["projectRoot"], world.root().as_str());
    assert!(!tree(&world.root()).keys().any(|name| name.contains("consent")));

    // Any other byte is not what was agreed to.
    std::fs::write(folder.join("hooks/after.js"), "// other\n").unwrap();
    assert_eq!(status(&world, "acme"), "inactive");
    let shown = gsd(&world, &["capability", "trust", "show", "acme", "--json"]).json();
    assert_eq!(shown["details"]["state"], "changed");
    ends(&gsd(&world, &["capability", "trust", "grant", "acme"]), 3);

    ends(&gsd(&world, &["capability", "trust", "revoke", "acme"]), 0);
    assert_eq!(tree(&world.home()), before, "no trace is left");
    ends(&gsd(&world, &["capability", "trust", "revoke", "acme"]), 6);
    ends(&gsd(&world, &["capability", "trust", "revoke", "__proto__"]), 6);
    ends(&gsd(&world, &["capability", "trust", "grant", "absent", "--yes"]), 6);
}

#[test]
fn a_bundle_of_the_user_is_approved_in_the_ledger() {
    let world = world();
    world.program("rev", crate::world::GOOD);
    bundle(&world.home().join(".gsd/capabilities/rev"), &reviewer("rev", "rev"));
    assert_eq!(status(&world, "rev"), "unmanaged");
    let remedy = row(&world, "rev")["remedy"].as_str().unwrap().to_owned();
    let words: Vec<&str> = remedy.split(' ').skip(1).collect();
    ends(&gsd(&world, &words), 3);
    ends(&gsd(&world, &[words, vec!["--yes"]].concat()), 0);
    assert_eq!(status(&world, "rev"), "active");
    assert!(!world.home().join(".gsd/consent.json").exists());
    ends(&gsd(&world, &["review", "--rev"]), 0);
    ends(&gsd(&world, &["capability", "trust", "revoke", "rev"]), 0);
    assert_eq!(status(&world, "rev"), "unmanaged");
}

#[test]
fn the_consents_of_a_project_are_no_consents() {
    let world = world();
    let folder = world.root().join(".gsd/capabilities/acme");
    bundle(&folder, &feature("acme", "1.0.0", &executable()));
    let link = world.tmp().join("link");
    std::os::unix::fs::symlink(world.root(), &link).unwrap();
    for home in [world.root(), link] {
        let mut granted = command(&world, &["capability", "trust", "grant", "acme", "--yes"]);
        let granted = ran(granted.env("GSD_HOME", &home).output().unwrap());
        ends(&granted, 4);
        let mut list = command(&world, &["capability", "list", "--json"]);
        let list = ran(list.env("GSD_HOME", &home).output().unwrap()).json();
        let rows = list["details"].as_array().unwrap().clone();
        let row = rows.iter().find(|row| row["id"] == "acme").unwrap();
        assert_eq!(row["status"], "inactive");
    }
}

#[test]
fn a_store_that_cannot_be_read_is_not_overwritten() {
    let world = world();
    bundle(&world.root().join(".gsd/capabilities/acme"), &feature("acme", "1.0.0", &json!({})));
    let store = world.home().join(".gsd/consent.json");
    std::fs::create_dir_all(store.parent().unwrap()).unwrap();
    std::fs::write(&store, "{bad").unwrap();
    ends(&gsd(&world, &["capability", "trust", "grant", "acme", "--yes"]), 7);
    ends(&gsd(&world, &["capability", "trust", "list"]), 7);
    ends(&gsd(&world, &["capability", "list"]), 7);
    assert_eq!(std::fs::read_to_string(&store).unwrap(), "{bad");
}
