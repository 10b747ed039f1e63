//! What a repository could bring along to make gsd delete, write or wire something.

use super::{bundle, ends, executable, feature, tree};
use crate::world::gsd;
use gsd_testkit::project::World;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;

fn world() -> World {
    let world = World::new();
    world.write(".planning/config.json", "{}");
    world
}

fn entry(id: &str, extra: &Value) -> Value {
    let mut entry = json!({
        "id": id, "version": "1.0.0", "source": "/src", "integrity": "", "files": ["src", "../x"],
        "sharedEdits": [],
    });
    for (key, value) in extra.as_object().into_iter().flatten() {
        entry[key] = value.clone();
    }
    entry
}

fn ledger(world: &World, entries: &Value) {
    let ledger = json!({ "version": "2", "updatedAt": "x", "entries": entries });
    world.write(".gsd-capabilities.json", &ledger.to_string());
}

const CHANGES: [&[&str]; 4] = [
    &["capability", "reconcile", "--scope", "project"],
    &["capability", "remove", "src", "--purge-data", "--scope", "project"],
    &["capability", "disable", "src", "--scope", "project"],
    &["capability", "update", "--all", "--scope", "project"],
];

#[test]
fn no_link_leads_a_change_elsewhere() {
    for link in [".gsd", ".gsd/capabilities", ".gsd/capabilities/.staging", ".gsd/capability-data"]
    {
        for inside in [true, false] {
            let world = world();
            let target = if inside { world.root().join("mine") } else { world.tmp().join("mine") };
            for name in ["src", "src/deep", "old-1-2", "capabilities/src", "capability-data/src"] {
                std::fs::create_dir_all(target.join(name)).unwrap();
                std::fs::write(target.join(name).join("file"), "x").unwrap();
            }
            let aged = std::process::Command::new("find")
                .args([target.as_str(), "-exec", "touch", "-d", "2020-01-01", "{}", ";"])
                .status();
            assert!(aged.unwrap().success());
            ledger(&world, &json!({ "src": entry("src", &json!({})) }));
            let at = world.root().join(link);
            std::fs::create_dir_all(at.parent().unwrap()).unwrap();
            symlink(&target, &at).unwrap();
            let before = tree(&target);
            for change in CHANGES {
                gsd(&world, change);
                assert_eq!(tree(&target), before, "{link} {change:?}");
            }
            let from = bundle(&world.tmp().join("exe"), &feature("exe", "1.0.0", &json!({})));
            gsd(&world, &["capability", "install", from.as_str(), "--scope", "project"]);
            assert_eq!(tree(&target), before, "{link}");
        }
    }
}

#[test]
fn what_a_record_names_beside_its_bundle_is_told_and_stays() {
    let world = world();
    world.write("src/main.js", "mine");
    ledger(&world, &json!({ "src": entry("src", &json!({})) }));
    let removed = gsd(&world, &["capability", "remove", "src", "--scope", "project", "--json"]);
    ends(&removed, 0);
    assert_eq!(removed.json()["details"]["leftovers"][0], "src");
    assert_eq!(world.read("src/main.js"), "mine");
}

#[test]
fn neither_an_intent_nor_a_way_back_brings_anything_in() {
    let evil = "{\"hooks\":{\"Stop\":[{\"_gsdCapability\":\"src\",\"hooks\":[\
                {\"type\":\"command\",\"command\":\"evil\"}]}]}}";
    let mine = "{\n  \"a\": 1\n}\n";
    let undo = json!({
        "after": sha256(mine), "made": false, "entries": 1, "commands": [], "there": [],
        "steps": [[0, evil, mine]],
    });
    let edits = json!([{ "file": ".claude/local.json", "marker": "src", "undo": undo }]);
    let intents = [
        json!({ "kind": "switch", "backupName": null, "sharedFiles": [], "token": "1-2-00", "states": [
            { "file": ".claude/local.json", "created": false, "after": sha512(mine) },
        ] }),
        json!({ "kind": "upgrade", "backupName": "src.upgrading-1-2-00",
            "sharedFiles": [".claude/local.json"] }),
        json!({ "kind": "install", "backupName": null, "sharedFiles": [".claude/local.json"],
            "token": "1-2-00", "states": [
                { "file": ".planning/config.json", "created": true, "after": sha512("{}") },
            ], "madeFolders": ["kept"] }),
        json!({ "kind": "remove", "backupName": null, "sharedFiles": [] }),
    ];
    for intent in intents {
        let world = world();
        let folders = [".gsd/capabilities/src.upgrading-1-2-00", ".gsd/capabilities/src"];
        for folder in folders {
            let manifest = feature("src", "1.0.0", &executable());
            bundle(&world.root().join(folder), &manifest);
        }
        world.write(".claude/local.json", mine);
        world.write(".claude/.local.json.gsd-before-1-2-00", evil);
        let extra = json!({ "_pending": intent, "sharedEdits": edits });
        ledger(&world, &json!({ "src": entry("src", &extra) }));
        gsd(&world, &["capability", "reconcile", "--scope", "project"]);
        gsd(&world, &["capability", "remove", "src", "--scope", "project"]);
        assert_eq!(world.read(".claude/local.json"), mine, "{intent}");
        assert_eq!(world.read(".planning/config.json"), "{}", "{intent}");
    }
}

fn sha256(text: &str) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sha512(text: &str) -> String {
    gsd_engine::manifest::pack::integrity(text.as_bytes())
}

#[test]
fn a_change_that_somebody_else_began_is_neither_ended_nor_taken_back() {
    let mine = "{\n  \"a\": 1\n}\n";
    let state = json!([{ "file": ".claude/local.json", "created": false, "after": null }]);
    let intents = [
        json!({ "kind": "remove", "backupName": null, "sharedFiles": [], "purgeData": true }),
        json!({ "kind": "install", "backupName": null, "sharedFiles": [], "token": "t1" }),
        json!({ "kind": "switch", "backupName": null, "sharedFiles": [], "token": "t1",
            "states": state }),
    ];
    for intent in intents {
        let world = world();
        let folder = world.root().join(".gsd/capabilities/src");
        bundle(&folder, &feature("src", "1.0.0", &executable()));
        world.write(".gsd/capability-data/src/kept.txt", "kept");
        world.write(".claude/.local.json.gsd-before-t1", mine);
        ledger(&world, &json!({ "src": entry("src", &json!({ "_pending": intent })) }));
        let (home, before) = (tree(&world.home()), tree(&world.root()));
        let done = gsd(&world, &["capability", "reconcile", "--scope", "project", "--json"]);
        ends(&done, 9);
        let warning = done.json()["details"][0]["warnings"][0].to_string();
        assert!(warning.contains("not begun by you"), "{warning}");
        let mut after = tree(&world.root());
        let record = world.read(".gsd-capabilities.json");
        assert!(record.contains("src") && !record.contains("_pending"), "{intent}: {record}");
        after.insert(".gsd-capabilities.json".into(), before[".gsd-capabilities.json"].clone());
        assert_eq!(after, before, "{intent}");
        assert_eq!(tree(&world.home()), home, "{intent}");
        // The user still says what goes.
        ends(&gsd(&world, &["capability", "remove", "src", "--scope", "project"]), 0);
        assert!(!folder.exists());
        assert_eq!(world.read(".gsd/capability-data/src/kept.txt"), "kept");
    }
}

#[test]
fn a_file_that_only_a_ledger_names_gets_nothing_unasked() {
    let world = world();
    bundle(&world.root().join(".gsd/capabilities/src"), &feature("src", "1.0.0", &executable()));
    let edits = json!([{ "file": ".claude/local.json", "marker": "src" }]);
    let extra = json!({ "disabled": true, "sharedEdits": edits });
    let clean = json!({ "src": entry("src", &json!({ "disabled": true })) });
    let planted = json!({ "src": entry("src", &extra) });
    let file = world.root().join(".claude/local.json");
    let grant = ["capability", "trust", "grant", "src", "--scope", "project"];
    let enable = ["capability", "enable", "src", "--scope", "project"];
    // What is planted after the user's word is not covered by it.
    ledger(&world, &clean);
    ends(&gsd(&world, &[&grant[..], &["--yes"]].concat()), 0);
    ledger(&world, &planted);
    let refused = gsd(&world, &enable);
    ends(&refused, 4);
    assert!(refused.stderr.contains(".claude/local.json"), "{}", refused.stderr);
    assert!(!file.exists());
    // The question names it, and only a yes to that lets it be written.
    let asked = gsd(&world, &[&grant[..], &["--json"]].concat());
    ends(&asked, 3);
    let also = asked.json()["details"]["question"]["also"].to_string();
    assert!(also.contains(".claude/local.json"), "{also}");
    ends(&gsd(&world, &grant), 3);
    ends(&gsd(&world, &enable), 4);
    ends(&gsd(&world, &[&grant[..], &["--yes"]].concat()), 0);
    ends(&gsd(&world, &enable), 0);
    assert!(std::fs::read_to_string(&file).unwrap().contains("hooks/after.js"));
}

#[test]
fn what_a_repository_brings_under_names_of_gsds_is_not_swept() {
    let world = world();
    let bundles = world.root().join(".gsd/capabilities");
    let names = ["exe.upgrading-1-2-ab", "exe.discard-1-2-ab", ".staging/exe-1-2-0123abcd"];
    for name in names {
        bundle(&bundles.join(name), &feature("exe", "1.0.0", &json!({})));
    }
    bundle(&bundles.join("exe"), &feature("exe", "1.0.0", &json!({})));
    let mut forged = entry("exe", &json!({}));
    forged["_pending"] =
        json!({ "kind": "upgrade", "backupName": names[0], "sharedFiles": [], "token": "1-2-ab" });
    let path = world.root().join(".gsd-capabilities.json");
    let ledger = json!({ "version": "2", "updatedAt": "x", "entries": { "exe": forged } });
    std::fs::write(path, ledger.to_string()).unwrap();
    let from = bundle(&world.tmp().join("mine"), &feature("mine", "1.0.0", &json!({})));
    let install = ["capability", "install", from.as_str(), "--scope", "project"];
    ends(&gsd(&world, &install), 0);
    ends(&gsd(&world, &["capability", "remove", "mine", "--scope", "project"]), 0);
    for name in names {
        assert!(bundles.join(name).join("capability.json").exists(), "{name}");
    }
    // Once the intent is out of the ledger there is nothing to end any more.
    let doctor = gsd(&world, &["capability", "doctor"]);
    assert!(!doctor.stdout.contains("did not come to its end"), "{}", doctor.stdout);
}
