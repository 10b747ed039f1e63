//! Changes of one scope come one after the other, and a lock that nobody holds stops nobody.

use super::{bundle, ends, executable, feature, tree};
use crate::world::{command, gsd, ran};
use camino::Utf8PathBuf;
use gsd_testkit::project::World;
use serde_json::{Value, json};

/// Installs all of these bundles at the same time, and returns the ledger and the shared settings.
fn install_at_once(world: &World, from: impl Iterator<Item = Utf8PathBuf>) -> (Value, String) {
    let children: Vec<_> = from
        .map(|from| {
            let args = ["capability", "install", from.as_str(), "--yes", "--shared-file", "s.json"];
            let mut child = command(world, &args);
            child.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            child.spawn().unwrap()
        })
        .collect();
    for child in children {
        ends(&ran(child.wait_with_output().unwrap()), 0);
    }
    let read = |name| std::fs::read_to_string(world.home().join(name)).unwrap();
    (serde_json::from_str(&read(".gsd-capabilities.json")).unwrap(), read("s.json"))
}

#[test]
fn a_37_six_installs_at_once_all_succeed() {
    let world = World::new();
    for round in 0..3 {
        let ids: Vec<String> = (0..6).map(|n| format!("c{round}-{n}")).collect();
        let bundle_of =
            |id| bundle(&world.tmp().join(id), &feature(id, "1.0.0", &executable_of(id)));
        let (ledger, settings) = install_at_once(&world, ids.iter().map(|id| bundle_of(id)));
        for id in &ids {
            assert!(
                ledger["entries"][id]["_pending"].is_null() && ledger["entries"][id].is_object()
            );
            assert!(settings.contains(&format!("\"{id}\"")), "{id}: {settings}");
        }
    }
    assert!(!tree(&world.home()).keys().any(|name| name.contains(".lock")));
}

#[test]
fn six_installs_of_the_same_at_once_all_succeed() {
    let world = World::new();
    let folder = world.tmp().join("exe");
    for round in 0..8 {
        // Now it is new, now another version takes the place of the one that is there.
        let from = bundle(&folder, &feature("exe", &format!("1.0.{round}"), &executable()));
        if round % 3 == 2 {
            ends(&gsd(&world, &["capability", "remove", "exe"]), 0);
        }
        let (ledger, settings) = install_at_once(&world, std::iter::repeat_n(from, 6));
        let entry = &ledger["entries"]["exe"];
        assert_eq!(entry["version"], format!("1.0.{round}"));
        assert!(entry["_pending"].is_null());
        assert_eq!(settings.matches("_gsdCapability").count(), 2, "{settings}");
    }
    ends(&gsd(&world, &["capability", "remove", "exe"]), 0);
    assert_eq!(tree(&world.home()).len(), 0);
}

/// With names that no other has.
fn executable_of(id: &str) -> Value {
    let mut extra = executable();
    extra["commands"][0]["family"] = json!(format!("{id}-cmd"));
    extra["mcpServers"] = json!({ id: { "command": "node", "args": [] } });
    extra
}

#[test]
fn two_projects_lose_no_consent() {
    let world = World::new();
    let projects: Vec<_> = ["p", "q"].map(|name| world.tmp().join(name)).into();
    for project in &projects {
        std::fs::create_dir_all(project.join(".planning")).unwrap();
        bundle(&project.join(".gsd/capabilities/exe"), &feature("exe", "1.0.0", &executable()));
    }
    for _ in 0..5 {
        let children: Vec<_> = projects
            .iter()
            .map(|project| {
                let args = ["-C", project.as_str(), "capability", "trust", "grant", "exe", "--yes"];
                command(&world, &args).spawn().unwrap()
            })
            .collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        let list = gsd(&world, &["capability", "trust", "list", "--json"]).json();
        assert_eq!(list["details"].as_array().unwrap().len(), 2);
        for project in &projects {
            let args = ["-C", project.as_str(), "capability", "trust", "revoke", "exe"];
            ends(&gsd(&world, &args), 0);
        }
    }
}

#[test]
fn a_35_whatever_lies_in_the_place_of_the_lock_stops_nobody() {
    let world = World::new();
    let from = bundle(&world.tmp().join("exe"), &feature("exe", "1.0.0", &json!({})));
    let lock = world.home().join(".gsd/capabilities/.lock");
    let body = json!({
        "token": "x", "pid": 1, "hostname": "elsewhere", "startTime": "1",
        "ts": 4_102_444_800_000_u64,
    });
    let bodies = [String::new(), body.to_string(), "garbage".to_owned(), "x".repeat(100 * 1024)];
    for body in bodies {
        std::fs::create_dir_all(lock.parent().unwrap()).unwrap();
        std::fs::write(&lock, body).unwrap();
        ends(&gsd(&world, &["capability", "install", from.as_str()]), 0);
        ends(&gsd(&world, &["capability", "remove", "exe"]), 0);
    }
    std::fs::create_dir_all(lock.parent().unwrap()).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&lock).status().unwrap().success());
    ends(&gsd(&world, &["capability", "install", from.as_str()]), 0);
}

#[test]
fn who_waits_too_long_is_told_who_is_at_it() {
    let world = World::new();
    let from = bundle(&world.tmp().join("exe"), &feature("exe", "1.0.0", &json!({})));
    let folder = world.home().join(".gsd/capabilities");
    std::fs::create_dir_all(&folder).unwrap();
    let held =
        gsd_io::lock::try_lock(&folder.join(".lock"), &gsd_io::lock::Owner::this_process("a test"))
            .unwrap();
    let args = ["capability", "install", from.as_str(), "--lock-timeout", "1s"];
    let busy = gsd(&world, &args);
    ends(&busy, 8);
    assert!(
        busy.stderr.contains("in progress") && busy.stderr.contains("a test"),
        "{}",
        busy.stderr
    );
    drop(held);
    ends(&gsd(&world, &args), 0);
}
