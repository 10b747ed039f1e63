//! Install, update, switch, remove: what each does to the files, and that the last undoes the first.

use super::{bundle, ends, executable, feature, reviewer, row, status, tree};
use crate::world::{GOOD, gsd, gsd_tools};
use camino::Utf8PathBuf;
use gsd_testkit::project::World;
use serde_json::{Value, json};

fn world() -> World {
    let world = World::new();
    world.small_phase();
    world
}

fn source(world: &World, name: &str, manifest: &Value) -> Utf8PathBuf {
    bundle(&world.tmp().join(name), manifest)
}

fn install(world: &World, args: &[&str]) -> super::Ran {
    gsd(world, &[&["capability", "install"], args].concat())
}

fn ledger(world: &World) -> Value {
    let text = std::fs::read_to_string(world.home().join(".gsd-capabilities.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn settings(world: &World) -> Value {
    let text = std::fs::read_to_string(world.home().join("settings.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_01_a_declarative_one_needs_no_consent() {
    let world = world();
    let from = source(&world, "decl", &feature("decl", "1.0.0", &json!({})));
    let done = gsd_tools(&world, &["capability", "install", from.as_str()]);
    ends(&done, 0);
    let done = done.json();
    assert_eq!(
        (&done["status"], &done["scope"], &done["id"], &done["version"]),
        (&json!("installed"), &json!("global"), &json!("decl"), &json!("1.0.0"))
    );
    assert_eq!(done["disclosure"].as_array().unwrap().len(), 1);
    let entry = &ledger(&world)["entries"]["decl"];
    assert_eq!(
        (&entry["integrity"], &entry["files"], &entry["_pending"]),
        (&json!(""), &json!([".gsd/capabilities/decl"]), &Value::Null)
    );
    let names: Vec<String> = tree(&world.home()).into_keys().collect();
    assert_eq!(
        names,
        [
            ".gsd",
            ".gsd-capabilities.json",
            ".gsd/capabilities",
            ".gsd/capabilities/decl",
            ".gsd/capabilities/decl/capability.json",
            ".gsd/capabilities/decl/exe.cjs",
            ".gsd/capabilities/decl/hooks",
            ".gsd/capabilities/decl/hooks/after.js",
        ]
    );
    assert_eq!(status(&world, "decl"), "active");
    assert_eq!(row(&world, "decl")["source"], from.as_str());
}

#[test]
fn a_02_without_consent_nothing_is_made() {
    let world = world();
    let from = source(&world, "exe", &feature("exe", "1.0.0", &executable()));
    let (home, tmp) = (tree(&world.home()), tree(&world.tmp()));
    let asked = gsd_tools(&world, &["capability", "install", from.as_str()]);
    ends(&asked, 3);
    let asked = asked.json();
    assert_eq!((&asked["status"], &asked["requiresConsent"]), (&json!("aborted"), &json!(true)));
    let lines = asked["disclosure"].to_string();
    for shown in ["PostToolUse", "hooks/after.js", "exe-cmd", "exe.cjs", "route", "srv", "KEY"] {
        assert!(lines.contains(shown), "{shown}: {lines}");
    }
    let asked = install(&world, &[from.as_str(), "--json"]).json();
    assert_eq!((&asked["ok"], &asked["code"]), (&json!(false), &json!("consent-required")));
    assert!(asked["details"]["disclosure"].is_object());
    assert_eq!((tree(&world.home()), tree(&world.tmp())), (home, tmp));
}

#[test]
fn a_03_to_a_08_hooks_and_servers_come_and_go_with_it() {
    let world = world();
    let from = source(&world, "exe", &feature("exe", "1.0.0", &executable()));
    std::fs::write(world.home().join("settings.json"), "{\"theme\":\"x\"}").unwrap();
    ends(&install(&world, &[from.as_str(), "--yes", "--shared-file", "settings.json"]), 0);
    let now = settings(&world);
    assert_eq!(now["theme"], "x");
    let hook = &now["hooks"]["PostToolUse"][0];
    assert_eq!((&hook["_gsdCapability"], &hook["matcher"]), (&json!("exe"), &json!("Write")));
    let script = world.home().join(".gsd/capabilities/exe/hooks/after.js");
    assert_eq!(hook["hooks"][0]["command"], format!("node '{script}'"));
    assert_eq!(now["mcpServers"]["srv"]["_gsdCapability"], "exe");
    let edit = &ledger(&world)["entries"]["exe"]["sharedEdits"][0];
    assert_eq!((&edit["file"], &edit["marker"]), (&json!("settings.json"), &json!("exe")));

    // the same surfaces in a later version ask nobody and stay wired once.
    source(&world, "exe", &feature("exe", "1.1.0", &executable()));
    let updated = gsd(&world, &["capability", "update", "exe", "--json"]);
    ends(&updated, 0);
    assert_eq!(updated.json()["details"]["toVersion"], "1.1.0");
    let now = settings(&world);
    assert_eq!(now["hooks"]["PostToolUse"].as_array().unwrap().len(), 1);
    assert_eq!(now["mcpServers"].as_object().unwrap().len(), 1);
    let again = gsd(&world, &["capability", "update", "exe", "--json"]).json();
    assert_eq!(again["details"]["status"], "current");

    // other bytes, another script, a wider matcher ask again and change nothing.
    let before = tree(&world.home());
    let refused = |why: &str| {
        ends(&gsd(&world, &["capability", "update", "exe"]), 3);
        assert_eq!(tree(&world.home()), before, "{why}");
    };
    std::fs::write(from.join("hooks/after.js"), "// other\n").unwrap();
    refused("other bytes of a script");
    let asked = gsd(&world, &["capability", "update", "exe", "--json"]).json();
    let changes = asked["details"]["question"]["changes"].to_string();
    assert!(changes.contains("after.js"), "{changes}");
    source(&world, "exe", &feature("exe", "1.2.0", &executable()));
    let mut wider = executable();
    wider["hooks"][0].as_object_mut().unwrap().remove("matcher");
    source(&world, "exe", &feature("exe", "1.2.0", &wider));
    refused("a wider matcher");
    std::fs::write(from.join("hooks/stop.sh"), "#!/bin/sh\n").unwrap();
    let mut other = executable();
    other["hooks"][0]["script"] = json!("hooks/stop.sh");
    source(&world, "exe", &feature("exe", "1.2.0", &other));
    refused("another script");
    ends(&gsd(&world, &["capability", "update", "exe", "--yes"]), 0);
    let hooks = settings(&world)["hooks"]["PostToolUse"].clone();
    assert_eq!(hooks.as_array().unwrap().len(), 1);
    assert!(hooks.to_string().contains("stop.sh"), "{hooks}");

    // what the user put there stays.
    let mut edited = settings(&world);
    edited["hooks"]["PostToolUse"].as_array_mut().unwrap().push(json!({ "hooks": [] }));
    edited["mcpServers"]["mine"] = json!({ "command": "x" });
    edited["more"] = json!(1);
    std::fs::write(world.home().join("settings.json"), edited.to_string()).unwrap();
    let removed = gsd_tools(&world, &["capability", "remove", "exe"]);
    ends(&removed, 0);
    let removed = removed.json();
    assert_eq!(
        (&removed["status"], &removed["strippedEdits"], &removed["removedFiles"]),
        (&json!("removed"), &json!(2), &json!([".gsd/capabilities/exe"]))
    );
    assert_eq!(
        settings(&world),
        json!({
            "theme": "x", "hooks": { "PostToolUse": [{ "hooks": [] }] },
            "mcpServers": { "mine": { "command": "x" } }, "more": 1,
        })
    );
    ends(&gsd(&world, &["capability", "remove", "exe"]), 6);
}

#[test]
fn a_05_and_a_06_what_is_the_users_stays() {
    let world = world();
    let from = source(&world, "exe", &feature("exe", "1.0.0", &executable()));
    let path = world.home().join("settings.json");
    let text = "{\n  // mine\n  \"mcpServers\": { \"srv\": { \"command\": \"mine\" }, },\n}\n";
    std::fs::write(&path, text).unwrap();
    let args = [from.as_str(), "--yes", "--shared-file", "settings.json", "--json"];
    let done = install(&world, &args);
    ends(&done, 0);
    assert_eq!(done.json()["details"]["sharedEdits"][0]["skipped"][0]["name"], "server srv");
    let now = std::fs::read_to_string(&path).unwrap();
    assert!(now.contains("// mine") && now.contains("\"command\": \"mine\""), "{now}");
    ends(&gsd(&world, &["capability", "remove", "exe"]), 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "byte for byte");
    std::fs::write(&path, "{ not json").unwrap();
    let before = tree(&world.home());
    ends(&install(&world, &args), 4);
    assert_eq!(tree(&world.home()), before);
}

#[test]
fn a_11_and_a_12_neither_back_nor_aside() {
    let world = world();
    let from = source(&world, "decl", &feature("decl", "2.0.0", &json!({})));
    ends(&install(&world, &[from.as_str()]), 0);
    let before = tree(&world.home());
    source(&world, "decl", &feature("decl", "1.0.0", &json!({})));
    let refused = gsd(&world, &["capability", "update", "decl"]);
    ends(&refused, 4);
    // An install of it is no other thing.
    let installed = install(&world, &[from.as_str(), "--yes"]);
    ends(&installed, 4);
    assert_eq!(installed.stderr, refused.stderr);
    ends(&install(&world, &[from.as_str(), "--allow-downgrade"]), 3);
    assert_eq!(tree(&world.home()), before);
    source(&world, "decl", &feature("other", "3.0.0", &json!({})));
    let other = gsd(&world, &["capability", "update", "decl"]);
    ends(&other, 4);
    assert!(other.stderr.contains("different capability id"), "{}", other.stderr);
    assert_eq!(tree(&world.home()), before);
    source(&world, "decl", &feature("decl", "1.0.0", &json!({})));
    let back = ["capability", "update", "decl", "--allow-downgrade", "--yes"];
    ends(&gsd(&world, &back), 0);
    assert_eq!(row(&world, "decl")["version"], "1.0.0");
    // What is there exactly so is not put there again.
    let before = tree(&world.home());
    let again = install(&world, &[from.as_str(), "--json"]);
    ends(&again, 0);
    assert_eq!(again.json()["details"]["status"], "installed");
    assert_eq!(tree(&world.home()), before);
}

#[test]
fn a_13_one_failure_stops_nobody() {
    let world = world();
    for id in ["aa", "bb"] {
        let from = source(&world, id, &feature(id, "1.0.0", &json!({})));
        ends(&install(&world, &[from.as_str()]), 0);
    }
    std::fs::remove_dir_all(world.tmp().join("aa")).unwrap();
    source(&world, "bb", &feature("bb", "1.1.0", &json!({})));
    let all = gsd_tools(&world, &["capability", "update", "--all"]);
    ends(&all, 9);
    let all = all.json();
    let fields = [
        "id",
        "status",
        "fromVersion",
        "toVersion",
        "requiresConsent",
        "blockReasons",
        "disclosure",
    ];
    for row in all["updated"].as_array().unwrap() {
        assert_eq!(row.as_object().unwrap().keys().collect::<Vec<_>>(), fields);
    }
    assert_eq!(all["updated"][0]["status"], "blocked");
    assert_eq!(
        (&all["updated"][1]["status"], &all["updated"][1]["toVersion"]),
        (&json!("upgraded"), &json!("1.1.0"))
    );
}

#[test]
fn a_14_and_a_15_what_does_not_fit_is_refused_and_leaves_nothing() {
    let world = world();
    let home = tree(&world.home());
    let ids =
        ["gsd-x", "GSD-X", "anthropic-y", "ui", "constructor", "__proto__", "../evil", "a/b", ""];
    for (number, id) in ids.iter().enumerate() {
        let from = source(&world, &format!("s{number}"), &feature(id, "1.0.0", &json!({})));
        ends(&install(&world, &[from.as_str(), "--yes"]), 4);
    }
    let later =
        json!({ "engines": { "gsd": ">=99.0.0" }, "compatVersions": { "0.9.0": ">=1.0.0" } });
    let from = source(&world, "later", &feature("later", "1.0.0", &later));
    let refused = install(&world, &[from.as_str()]);
    ends(&refused, 4);
    for word in [">=99.0.0", "0.9.0", "1.11.0"] {
        assert!(refused.stderr.contains(word), "{word}: {}", refused.stderr);
    }
    assert_eq!(tree(&world.home()), home);
}

#[test]
fn a_40_options_and_unsafe_files() {
    let world = world();
    let from = source(&world, "exe", &feature("exe", "1.0.0", &executable()));
    let spec = from.as_str();
    ends(&install(&world, &[spec, "--scope=project", "--yes"]), 0);
    assert!(world.root().join(".gsd/capabilities/exe").exists());
    ends(&gsd(&world, &["capability", "remove", "exe", "--scope=project"]), 0);
    std::os::unix::fs::symlink(world.tmp(), world.home().join("evil")).unwrap();
    let before = (tree(&world.home()), tree(&world.tmp()), tree(&world.root()));
    ends(&install(&world, &[spec, "--frobnicate"]), 2);
    let many: Vec<String> = (0..257).map(|n| format!("--shared-file=f{n}.json")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    ends(&install(&world, &[&[spec, "--yes"], many.as_slice()].concat()), 4);
    for file in [
        "../x.json",
        "/tmp/x.json",
        "evil/x.json",
        ".gsd-capabilities.json",
        ".gsd/x.json",
        "./.gsd/x.json",
        ".GSD/x.json",
        ".git/config.json",
        ".planning/config.json",
        "x.txt",
        "",
    ] {
        ends(&install(&world, &[spec, "--yes", "--shared-file", file]), 4);
    }
    assert_eq!((tree(&world.home()), tree(&world.tmp()), tree(&world.root())), before);
    ends(&install(&world, &[spec, "--yes"]), 0);
    let written = world.home().join(".gsd/capability-data/exe/notes");
    std::fs::create_dir_all(written.parent().unwrap()).unwrap();
    std::fs::write(&written, "x").unwrap();
    let kept = gsd(&world, &["capability", "remove", "exe", "--json"]).json();
    assert_eq!(kept["details"]["dataPreserved"], true);
    assert_eq!(kept["details"]["leftovers"], json!([".gsd/capability-data/exe"]));
    assert!(written.exists());
    ends(&install(&world, &[spec, "--yes"]), 0);
    let purged = gsd(&world, &["capability", "remove", "exe", "--purge-data", "--json"]).json();
    assert_eq!(purged["details"]["dataPreserved"], false);
    assert_eq!((tree(&world.home()), tree(&world.tmp()), tree(&world.root())), before);
}

#[test]
fn a_lane_runs_once_installed_and_is_gone_once_removed() {
    let world = world();
    world.program("rev", GOOD);
    let before = tree(&world.home());
    let from = source(&world, "rev", &reviewer("rev", "rev"));
    ends(&install(&world, &[from.as_str(), "--yes"]), 0);
    ends(&gsd(&world, &["review", "--rev"]), 0);
    assert!(world.read(".planning/phases/03-notes/03-REVIEWS.md").contains("## rev Review"));
    ends(&gsd(&world, &["capability", "disable", "rev"]), 0);
    ends(&gsd(&world, &["review", "--rev"]), 11);
    ends(&gsd(&world, &["capability", "enable", "rev"]), 0);
    ends(&gsd(&world, &["review", "--rev"]), 0);
    ends(&gsd(&world, &["capability", "remove", "rev"]), 0);
    ends(&gsd(&world, &["review", "--rev"]), 2);
    let mut after = tree(&world.home());
    after.retain(|name, _| !name.starts_with(".local"));
    assert_eq!(after, before, "byte for byte");
}

#[test]
fn disabled_it_is_not_wired_and_enabled_it_is_as_before() {
    let world = world();
    let from = source(&world, "exe", &feature("exe", "1.0.0", &executable()));
    let args =
        [from.as_str(), "--yes", "--shared-file", "settings.json", "--shared-file", ".h/s.json"];
    std::fs::write(world.home().join("settings.json"), "{}\n").unwrap();
    let bare = tree(&world.home());
    ends(&install(&world, &args), 0);
    let wired = tree(&world.home());
    ends(&gsd(&world, &["capability", "disable", "exe"]), 0);
    assert_eq!(status(&world, "exe"), "inactive");
    assert_eq!(settings(&world), json!({}));
    assert!(!world.home().join(".h/s.json").exists());
    ends(&gsd(&world, &["capability", "enable", "exe"]), 0);
    let now = tree(&world.home());
    for file in ["settings.json", ".h/s.json"] {
        assert_eq!(now[file], wired[file], "{file}");
    }
    std::fs::write(world.home().join(".gsd/capabilities/exe/exe.cjs"), "evil").unwrap();
    ends(&gsd(&world, &["capability", "disable", "exe"]), 0);
    ends(&gsd(&world, &["capability", "enable", "exe"]), 5);
    ends(&gsd(&world, &["capability", "remove", "exe"]), 0);
    assert_eq!(tree(&world.home()), bare, "byte for byte");
}

#[test]
fn a_folder_that_nobody_installed_is_not_overwritten() {
    let world = world();
    let from = source(&world, "decl", &feature("decl", "1.0.0", &json!({})));
    let folder = world.home().join(".gsd/capabilities/decl");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("mine"), "x").unwrap();
    let before = tree(&world.home());
    ends(&install(&world, &[from.as_str()]), 4);
    assert_eq!(tree(&world.home()), before);
    // What would be replaced is shown first, and nothing is done without a yes to it.
    let asked = install(&world, &[from.as_str(), "--adopt", "--json"]);
    ends(&asked, 3);
    let also = asked.json()["details"]["question"]["also"][0].as_str().unwrap().to_owned();
    assert!(also.contains("mine") && also.contains(folder.as_str()), "{also}");
    let shown = install(&world, &[from.as_str(), "--adopt", "--dry-run"]);
    assert!(shown.stdout.contains(&also), "{}", shown.stdout);
    assert_eq!(tree(&world.home()), before);
    let adopted = install(&world, &[from.as_str(), "--adopt", "--yes", "--json"]);
    ends(&adopted, 0);
    assert!(!folder.join("mine").exists());
    let kept = || -> Vec<String> {
        tree(&world.home()).into_keys().filter(|name| name.ends_with("/mine")).collect()
    };
    let [mine] = &kept()[..] else { panic!("{:?}", kept()) };
    let aside = mine.strip_suffix("/mine").unwrap();
    let told = adopted.json()["details"]["warnings"][0].as_str().unwrap().to_owned();
    assert!(told.contains(aside), "{told}");
    assert_eq!(std::fs::read(world.home().join(mine)).unwrap(), b"x");
    // Another source does not take it over by itself.
    let other = source(&world, "other", &feature("decl", "1.0.1", &json!({})));
    ends(&install(&world, &[other.as_str()]), 4);
    ends(&install(&world, &[other.as_str(), "--replace"]), 3);
    ends(&install(&world, &[other.as_str(), "--replace", "--yes"]), 0);
    // It is the user's, whatever becomes of the capability.
    let removed = gsd(&world, &["capability", "remove", "decl", "--json"]).json();
    assert_eq!(removed["details"]["leftovers"], json!([aside]));
    ends(&gsd(&world, &["capability", "reconcile"]), 0);
    assert_eq!(kept(), std::slice::from_ref(mine));
}

#[test]
fn a_31_a_project_install_counts_from_anywhere_in_it() {
    let world = world();
    let from = source(&world, "exe", &feature("exe", "1.0.0", &executable()));
    std::fs::create_dir_all(world.root().join("a/b/c")).unwrap();
    let mut command = crate::world::command(
        &world,
        &["capability", "install", from.as_str(), "--scope", "project", "--yes"],
    );
    let done = crate::world::ran(command.current_dir(world.root().join("a/b/c")).output().unwrap());
    ends(&done, 0);
    assert_eq!(status(&world, "exe"), "active");
    let store = std::fs::read_to_string(world.home().join(".gsd/consent.json")).unwrap();
    assert!(store.contains("contentHash") && !store.contains("unsettled"), "{store}");
    assert!(!tree(&world.root()).keys().any(|name| name.contains("consent")));
    // another byte, and it is nobody's word any more; installing it again gives it back.
    std::fs::write(world.root().join(".gsd/capabilities/exe/hooks/after.js"), "//x").unwrap();
    assert_eq!(status(&world, "exe"), "inactive");
    let again = ["capability", "install", from.as_str(), "--scope", "project"];
    ends(&gsd(&world, &again), 0);
    assert_eq!(status(&world, "exe"), "active");
    ends(&gsd(&world, &["capability", "trust", "revoke", "exe"]), 0);
    assert_eq!(status(&world, "exe"), "inactive");
}

#[test]
fn a_32_a_damaged_ledger_stops_everything_and_stays() {
    let world = world();
    let from = source(&world, "decl", &feature("decl", "1.0.0", &json!({})));
    let path = world.home().join(".gsd-capabilities.json");
    let run = |what: &str| {
        let before = world.home().read_dir_utf8().unwrap().count();
        for args in [
            vec!["install", from.as_str()],
            vec!["update", "decl"],
            vec!["update", "--all"],
            vec!["remove", "decl"],
            vec!["list"],
            vec!["outdated"],
            vec!["reconcile"],
            vec!["disable", "decl"],
        ] {
            let ran = gsd(&world, &[vec!["capability"], args.clone()].concat());
            assert_eq!(ran.code, 7, "{what} {args:?}: {}{}", ran.stdout, ran.stderr);
        }
        assert_eq!(world.home().read_dir_utf8().unwrap().count(), before, "{what}");
    };
    let newer = json!({ "version": "3", "updatedAt": "x", "entries": {} }).to_string();
    for text in ["{bad", &newer] {
        std::fs::write(&path, text).unwrap();
        run(text);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        std::fs::remove_file(&path).unwrap();
    }
    std::os::unix::fs::symlink("/nowhere/at/all", &path).unwrap();
    run("a dangling link");
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    run("a folder");
    std::fs::remove_dir(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    run("a FIFO");
}

#[test]
fn what_another_one_requires_is_removed_after_it() {
    let world = world();
    let first = source(&world, "r1", &feature("r1", "1.0.0", &json!({})));
    let second = source(&world, "r2", &feature("r2", "1.0.0", &json!({ "requires": ["r1"] })));
    ends(&install(&world, &[first.as_str()]), 0);
    ends(&install(&world, &[second.as_str()]), 0);
    let before = tree(&world.home());
    let refused = gsd(&world, &["capability", "remove", "r1"]);
    ends(&refused, 4);
    assert!(
        refused.stderr.contains("gsd capability remove r2 --scope global"),
        "{}",
        refused.stderr
    );
    assert_eq!(tree(&world.home()), before);
    ends(&gsd(&world, &["capability", "remove", "r2"]), 0);
    ends(&gsd(&world, &["capability", "remove", "r1"]), 0);
}
