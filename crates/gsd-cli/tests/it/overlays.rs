//! Capabilities that lie in the user's folder or the project's: what is in force, what is not, and
//! what the lists say of it.

use crate::world::gsd;
use camino::Utf8Path;
use gsd_testkit::fake_cli::fifo;
use gsd_testkit::project::World;
use serde_json::{Value, json};

/// A feature with a gate before shipping.
fn gated(id: &str, extra: Value) -> Value {
    let mut manifest = json!({
        "id": id, "role": "feature", "version": "1.0.0", "title": format!("The title of {id}"),
        "description": "d", "tier": "full", "requires": [],
        "runtimeCompat": { "supported": ["*"], "unsupported": [] },
        "skills": [], "agents": [], "config": {}, "steps": [], "contributions": [],
        "gates": [{
            "point": "ship:pre", "check": { "query": "ui.plan-gate" }, "blocking": true,
            "onError": "halt",
        }],
    });
    for (key, value) in extra.as_object().into_iter().flatten() {
        manifest[key] = value.clone();
    }
    manifest
}

fn drop_into(root: &Utf8Path, manifest: &Value) {
    let folder = root.join(".gsd/capabilities").join(manifest["id"].as_str().unwrap());
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("capability.json"), manifest.to_string()).unwrap();
}

/// The row of a capability in `capability list --json`.
fn row(world: &World, id: &str) -> Value {
    let list = gsd(world, &["capability", "list", "--json"]).json();
    let rows = list["details"].as_array().unwrap();
    rows.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("no {id}")).clone()
}

fn check(world: &World) -> Value {
    gsd(world, &["registry", "check", "--json"]).json()["details"].clone()
}

#[test]
fn scenario_29_one_for_a_later_host_is_out_and_its_gate_is_told() {
    let world = World::new();
    drop_into(&world.home(), &gated("future", json!({ "engines": { "gsd": ">=99.0.0" } })));
    let row = row(&world, "future");
    assert_eq!(
        (&row["status"], &row["reasonCode"]),
        (&"incompatible".into(), &"incompatible".into())
    );
    // Nobody installed it, so `remove` would not know it.
    let folder = world.home().join(".gsd/capabilities/future");
    assert_eq!(row["remedy"], json!(format!("delete `{folder}`")));
    let check = check(&world);
    assert_eq!(check["skips"][0]["id"], "future");
    let gates = check["blockedGates"].as_array().unwrap();
    assert_eq!(gates.len(), 1);
    assert_eq!((&gates[0]["point"], &gates[0]["capId"]), (&"ship:pre".into(), &"future".into()));
}

#[test]
fn scenario_30_one_without_consent_is_listed_and_not_described() {
    let world = World::new();
    world.small_phase();
    drop_into(&world.root(), &gated("secret", json!({})));
    // A ledger that came with the repository changes nothing.
    let ledger = json!({ "version": "2", "updatedAt": "now", "entries": { "secret": {
        "id": "secret", "version": "1.0.0", "source": "./x", "integrity": "", "files": [],
        "sharedEdits": [], "approval": {},
    } } });
    world.write(".gsd-capabilities.json", &ledger.to_string());
    let row = row(&world, "secret");
    assert_eq!((&row["status"], &row["scope"]), (&"inactive".into(), &"project".into()));
    assert_eq!(row["remedy"], "gsd capability trust grant secret --scope project");
    assert!(!row.to_string().contains("The title"), "{row}");
    let check = check(&world);
    assert_eq!(check["unconsented"], json!(["secret"]));
    assert_eq!((&check["skips"], &check["blockedGates"]), (&json!([]), &json!([])));
    let built = gsd(&world, &["registry", "build"]);
    assert_eq!(built.code, 0);
    assert!(!built.stdout.contains("secret"), "nothing of it is in the registry");
}

#[test]
fn scenario_31_folder_order_decides_nothing() {
    let world = World::new();
    drop_into(&world.home(), &gated("aa", json!({ "requires": ["bb"] })));
    drop_into(&world.home(), &gated("bb", json!({})));
    for id in ["aa", "bb"] {
        assert_eq!(row(&world, id)["status"], "unmanaged", "{id} is in force");
    }
    assert_eq!(check(&world)["skips"], json!([]));
}

#[test]
fn a_bad_one_takes_nobody_down_and_a_link_is_told() {
    let world = World::new();
    let setting = json!({ "zed.x": { "type": "boolean", "description": "d" } });
    drop_into(&world.home(), &gated("bad", json!({ "config": setting })));
    drop_into(&world.home(), &gated("good", json!({})));
    drop_into(&world.home().join("elsewhere"), &gated("linked", json!({})));
    let folder = world.home().join(".gsd/capabilities/linked");
    let target = world.home().join("elsewhere/.gsd/capabilities/linked");
    std::os::unix::fs::symlink(target, folder).unwrap();
    assert_eq!(row(&world, "good")["status"], "unmanaged");
    assert_eq!(row(&world, "bad")["status"], "invalid");
    let linked = row(&world, "linked");
    assert_eq!(
        (&linked["status"], &linked["reason"]),
        (&"invalid".into(), &"its folder is a link".into())
    );
    let ids: Vec<Value> =
        check(&world)["skips"].as_array().unwrap().iter().map(|skip| skip["id"].clone()).collect();
    assert_eq!(ids, ["bad", "linked"]);
}

#[test]
fn what_keeps_overlays_from_being_seen_is_told_by_every_verb() {
    type Wreck<'a> = &'a dyn Fn(&Utf8Path);
    let breaks: [(&str, Wreck<'_>); 6] = [
        (".gsd/capabilities", &|path| drop(fifo(path.parent().unwrap(), "capabilities"))),
        (".gsd/capabilities", &|path| std::fs::write(path, "").unwrap()),
        (".gsd/capabilities", &|path| std::os::unix::fs::symlink("nowhere", path).unwrap()),
        (".gsd/capabilities", &|path| std::os::unix::fs::symlink("capabilities", path).unwrap()),
        (".gsd", &|path| std::fs::write(path, "").unwrap()),
        (".gsd-capabilities.json", &|path| std::fs::write(path, "{").unwrap()),
    ];
    for scope in ["global", "project"] {
        for (what, wreck) in breaks {
            let world = World::new();
            world.small_phase();
            let root = if scope == "global" { world.home() } else { world.root() };
            let path = root.join(what);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            wreck(&path);
            for (verb, at) in [
                (&["capability", "list"][..], "/problems"),
                (&["registry", "check"][..], "/details/problems"),
            ] {
                let json = gsd(&world, &[verb, &["--json"]].concat());
                assert_eq!(json.code, 7, "{scope} {what}: {}", json.stdout);
                let problems = json.json().pointer(at).unwrap().as_array().unwrap().clone();
                assert_eq!(problems.len(), 1, "{scope} {what}: {problems:?}");
                assert_eq!(problems[0]["scope"], scope);
                assert!(problems[0]["message"].as_str().unwrap().contains(path.as_str()));
                assert_ne!(problems[0]["remedy"], "");
            }
            for verb in [["capability", "list"], ["registry", "check"], ["registry", "build"]] {
                let plain = gsd(&world, &verb);
                assert_eq!(plain.code, 7, "{verb:?}");
                assert_eq!(plain.stderr.matches("warning").count(), 1, "{}", plain.stderr);
                assert!(plain.stderr.contains(path.as_str()), "{}", plain.stderr);
            }
        }
    }
}

#[test]
fn a_folder_whose_name_is_no_text_is_listed() {
    let world = World::new();
    let folder = world.home().join(".gsd/capabilities");
    let name = std::os::unix::ffi::OsStrExt::from_bytes(b"bad\xff");
    std::fs::create_dir_all(folder.as_std_path().join::<&std::ffi::OsStr>(name)).unwrap();
    assert_eq!(row(&world, "bad\u{fffd}")["reason"], "the name of its folder is not UTF-8");
    let skips = check(&world)["skips"].clone();
    assert_eq!((&skips[0]["id"], &skips[1]), (&json!("bad\u{fffd}"), &Value::Null));
    assert!(skips[0]["remedy"].as_str().unwrap().contains(folder.as_str()), "{skips}");
}

#[test]
fn what_is_said_of_an_overlay_names_where_it_lies_and_how_it_goes() {
    let world = World::new();
    world.small_phase();
    drop_into(&world.home(), &gated("bad1", json!({ "tier": "oops" })));
    drop_into(&world.home(), &gated("claude", json!({})));
    let check = check(&world);
    let diagnostics = check["diagnostics"].as_array().unwrap();
    for (id, skip) in ["bad1", "claude"].iter().zip(check["skips"].as_array().unwrap()) {
        let folder = world.home().join(".gsd/capabilities").join(id);
        assert_eq!(
            (&skip["id"], &skip["remedy"]),
            (&json!(id), &json!(format!("delete `{folder}`")))
        );
        let file = folder.join("capability.json");
        assert!(diagnostics.iter().any(|it| it["at"]["file"] == file.as_str()), "{check}");
    }
    assert!(
        check["skips"][1]["message"].as_str().unwrap().contains("gsd's own `claude`"),
        "{check}"
    );
}
