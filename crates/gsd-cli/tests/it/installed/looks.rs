//! What the looking commands say of what is installed, and that they write nothing.

use super::{bundle, ends, executable, feature, row, status, tree};
use crate::world::{gsd, gsd_tools};
use gsd_testkit::project::World;
use serde_json::{Value, json};

fn world() -> World {
    let world = World::new();
    world.write(".planning/config.json", "{}");
    world
}

#[test]
fn missing_files_are_told_and_an_update_brings_them_back() {
    let world = world();
    let from = bundle(&world.tmp().join("decl"), &feature("decl", "1.0.0", &json!({})));
    ends(&gsd(&world, &["capability", "install", from.as_str()]), 0);
    std::fs::remove_dir_all(world.home().join(".gsd/capabilities/decl")).unwrap();
    let missing = row(&world, "decl");
    assert_eq!(
        (&missing["status"], &missing["reasonCode"], &missing["version"]),
        (&json!("missing"), &json!("missing"), &json!("1.0.0"))
    );
    let remedy = missing["remedy"].as_str().unwrap().to_owned();
    let words: Vec<&str> = remedy.split(' ').skip(1).collect();
    let doctor = gsd(&world, &["capability", "doctor", "--json"]).json();
    assert_eq!(doctor["details"][0]["remedy"], remedy);
    ends(&gsd(&world, &words), 0);
    assert_eq!(status(&world, "decl"), "active");
    let doctor = gsd(&world, &["capability", "doctor", "--json"]).json();
    assert_eq!(
        (&doctor["details"][0]["ok"], doctor["details"].as_array().unwrap().len()),
        (&json!(true), 1)
    );
}

#[test]
fn an_unfinished_change_is_told_and_not_touched_by_looking() {
    let world = world();
    let from = bundle(&world.tmp().join("exe"), &feature("exe", "1.0.0", &executable()));
    let install = ["capability", "install", from.as_str(), "--yes"];
    // Cut off where the intent is written and the change is not done.
    let ledger = world.home().join(".gsd-capabilities.json");
    let pending = || std::fs::read_to_string(&ledger).is_ok_and(|text| text.contains("_pending"));
    for step in 5.. {
        let mut cut = crate::world::command(&world, &install);
        let cut = cut.env("GSD_FAULT", format!("kill:{step}")).status().unwrap();
        assert!(!cut.success(), "it was never pending");
        if pending() {
            break;
        }
    }
    let before = tree(&world.home());
    for args in [
        &["capability", "list"][..],
        &["capability", "doctor"],
        &["capability", "outdated"],
        &["capability", "trust", "list"],
        &["capability", "reconcile", "--dry-run"],
        &["doctor"],
        &["registry", "show"],
    ] {
        gsd(&world, args);
        let mut after = tree(&world.home());
        after.retain(|name, _| !name.starts_with(".local"));
        assert_eq!(after, before, "{args:?}");
    }
    let told = gsd(&world, &["capability", "doctor"]);
    assert!(told.stdout.contains("gsd capability reconcile"), "{}", told.stdout);
    ends(&gsd(&world, &["capability", "reconcile"]), 0);
    let mut after = tree(&world.home());
    after.retain(|name, _| !name.starts_with(".local"));
    assert!(after.is_empty(), "{after:?}");
}

#[test]
fn a_dry_run_shows_everything_and_writes_nothing() {
    let world = world();
    let from = bundle(&world.tmp().join("exe"), &feature("exe", "1.0.0", &executable()));
    let args = ["capability", "install", from.as_str(), "--dry-run", "--shared-file", "s.json"];
    let before = (tree(&world.home()), tree(&world.root()), tree(&world.tmp()));
    let shown = gsd(&world, &[&args[..], &["--json"]].concat());
    ends(&shown, 0);
    let shown = shown.json()["details"].clone();
    assert_eq!(
        (&shown["status"], &shown["requiresConsent"]),
        (&json!("would-change"), &json!(true))
    );
    let plan = &shown["preview"]["sharedFiles"][0];
    assert_eq!((&plan["file"], &plan["added"][0]), (&json!("s.json"), &json!("hook PostToolUse")));
    let human = gsd(&world, &args);
    ends(&human, 0);
    for part in ["would install exe 1.0.0", "hooks/after.js", "s.json"] {
        assert!(human.stdout.contains(part), "{part}: {}", human.stdout);
    }
    assert_eq!((tree(&world.home()), tree(&world.root()), tree(&world.tmp())), before);
    ends(&gsd(&world, &["capability", "install", from.as_str(), "--yes"]), 0);
    let before = tree(&world.home());
    for verb in [
        &["update", "exe"][..],
        &["remove", "exe"],
        &["disable", "exe"],
        &["trust", "revoke", "exe"],
    ] {
        ends(&gsd(&world, &[&["capability"], verb, &["--dry-run"]].concat()), 0);
        assert_eq!(tree(&world.home()), before, "{verb:?}");
    }
}

#[test]
fn show_and_outdated_tell_where_it_came_from() {
    let world = world();
    let from = bundle(&world.tmp().join("exe"), &feature("exe", "1.9.0", &executable()));
    let args = ["capability", "install", from.as_str(), "--yes", "--shared-file", "s.json"];
    ends(&gsd(&world, &args), 0);
    let shown = gsd(&world, &["capability", "show", "exe", "--json"]).json();
    let recorded = &shown["details"]["states"][0]["recorded"];
    assert_eq!(
        (&recorded["source"], &recorded["sharedFiles"]),
        (&json!(from.as_str()), &json!(["s.json"]))
    );
    assert!(recorded["approvedAt"].is_string() && recorded["contentHash"].is_string());
    let human = gsd(&world, &["capability", "show", "exe"]);
    assert!(human.stdout.contains(from.as_str()) && human.stdout.contains("s.json"));
    bundle(&from, &feature("exe", "1.10.0", &executable()));
    let list: Value = gsd_tools(&world, &["capability", "outdated", "--json"]).json();
    assert_eq!(
        list,
        json!([{
            "id": "exe", "sourceKind": "local", "current": "1.9.0", "latest": "1.10.0",
            "status": "outdated", "scope": "global",
        }])
    );
    let table = gsd(&world, &["capability", "outdated"]).stdout;
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("ID") && lines[1].starts_with("---"), "{table}");
    assert!(lines[2].contains("1.9.0") && lines[2].ends_with("outdated"), "{table}");
    // A folder that somebody works on changes without a new version; what git keeps is no part.
    ends(&gsd(&world, &["capability", "update", "exe", "--yes"]), 0);
    let standing =
        || gsd_tools(&world, &["capability", "outdated", "--json"]).json()[0]["status"].clone();
    std::fs::create_dir(from.join(".git")).unwrap();
    assert_eq!(standing(), "current");
    std::fs::write(from.join("hooks/after.js"), "// other\n").unwrap();
    assert_eq!(standing(), "outdated");
}

#[test]
fn a_record_that_cannot_be_read_is_told_by_doctor_with_its_exit_code() {
    let world = world();
    ends(&gsd(&world, &["capability", "doctor"]), 0);
    let ledger = world.home().join(".gsd-capabilities.json");
    std::fs::write(&ledger, "{").unwrap();
    for words in [&["capability", "doctor"][..], &["doctor"]] {
        let told = gsd(&world, words);
        ends(&told, 7);
        assert!(told.stdout.contains(&format!("mv {ledger}")), "{}", told.stdout);
        let json = gsd(&world, &[words, &["--json"]].concat()).json();
        assert_eq!(json["ok"], false);
    }
    std::fs::remove_file(&ledger).unwrap();
    // A lock that nobody can hold stops every change, so it is told as well.
    let lock = world.home().join(".gsd/capabilities/.lock");
    std::fs::create_dir_all(lock.join("mine")).unwrap();
    let told = gsd(&world, &["capability", "doctor"]);
    ends(&told, 0);
    assert!(told.stdout.contains("is a folder"), "{}", told.stdout);
}

#[test]
fn adopt_records_what_lies_there() {
    let world = world();
    let folder = world.home().join(".gsd/capabilities/exe");
    bundle(&folder, &feature("exe", "1.0.0", &executable()));
    let refused = gsd(&world, &["capability", "remove", "exe"]);
    ends(&refused, 6);
    assert!(refused.stderr.contains("capability adopt exe"), "{}", refused.stderr);
    ends(&gsd(&world, &["capability", "adopt", "exe"]), 3);
    ends(&gsd(&world, &["capability", "adopt", "exe", "--yes"]), 0);
    assert_eq!(status(&world, "exe"), "active");
    ends(&gsd(&world, &["capability", "adopt", "exe", "--yes"]), 4);
    ends(&gsd(&world, &["capability", "update", "exe"]), 4);
    ends(&gsd(&world, &["capability", "remove", "exe"]), 0);
    assert!(tree(&world.home()).is_empty());
}

#[test]
fn purging_takes_its_own_settings_and_no_others() {
    let world = world();
    let setting = json!({ "config": {
        "decl.level": { "type": "string", "default": "", "description": "d" },
    } });
    let from = bundle(&world.tmp().join("decl"), &feature("decl", "1.0.0", &setting));
    let install = ["capability", "install", from.as_str()];
    ends(&gsd(&world, &install), 0);
    world.write(
        ".planning/config.json",
        "{\n  // mine\n  \"decl\": { \"level\": \"x\" },\n  \"other\": 1\n}\n",
    );
    let kept = gsd(&world, &["capability", "remove", "decl", "--json"]).json();
    assert_eq!(kept["details"]["settings"], json!(["decl.level"]));
    ends(&gsd(&world, &install), 0);
    ends(&gsd(&world, &["capability", "remove", "decl", "--purge-config"]), 0);
    let text = world.read(".planning/config.json");
    assert!(
        !text.contains("level") && text.contains("// mine") && text.contains("\"other\": 1"),
        "{text}"
    );
}
