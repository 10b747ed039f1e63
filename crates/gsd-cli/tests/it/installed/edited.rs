//! What users change in entries that gsd put into files of hosts.

use super::{bundle, ends, executable, feature};
use crate::world::gsd;
use camino::Utf8PathBuf;
use gsd_testkit::project::World;
use serde_json::{Value, json};

struct Wired {
    world: World,
    from: Utf8PathBuf,
    file: Utf8PathBuf,
}

impl Wired {
    fn new() -> Self {
        let world = World::new();
        let from = bundle(&world.tmp().join("exe"), &feature("exe", "1.0.0", &executable()));
        let file = world.home().join("s.json");
        let args = ["capability", "install", from.as_str(), "--yes", "--shared-file", "s.json"];
        ends(&gsd(&world, &args), 0);
        Self { world, from, file }
    }

    fn settings(&self) -> Value {
        serde_json::from_str(&std::fs::read_to_string(&self.file).unwrap()).unwrap()
    }

    fn edit(&self, edit: impl FnOnce(&mut Value)) -> Value {
        let mut settings = self.settings();
        edit(&mut settings);
        std::fs::write(&self.file, serde_json::to_string_pretty(&settings).unwrap()).unwrap();
        settings
    }

    fn publish(&self, version: &str, args: &str) {
        let mut other = executable();
        other["mcpServers"]["srv"]["args"] = json!([args]);
        other["mcpServers"]["more"] = json!({ "command": "node", "args": ["m.js"] });
        bundle(&self.from, &feature("exe", version, &other));
    }

    fn done(&self, words: &[&str]) -> Value {
        let ran = gsd(&self.world, &[&["capability"], words, &["--json"]].concat());
        ends(&ran, 0);
        ran.json()["details"].clone()
    }
}

#[test]
fn an_update_keeps_what_the_user_changed_and_says_so() {
    let wired = Wired::new();
    let mine = wired.edit(|settings| {
        settings["mcpServers"]["srv"]["env"]["KEY"] = json!("mine");
        settings["hooks"]["PostToolUse"][0]["matcher"] = json!("Edit");
    });
    for version in ["2.0.0", "3.0.0"] {
        wired.publish(version, version);
        let updated = wired.done(&["update", "exe", "--yes"]);
        let skipped = updated["sharedEdits"][0]["skipped"].as_array().unwrap();
        let names: Vec<&str> = skipped.iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["hook PostToolUse", "server srv"], "{updated}");
        let now = wired.settings();
        assert_eq!(now["mcpServers"]["srv"], mine["mcpServers"]["srv"]);
        assert_eq!(now["hooks"], mine["hooks"]);
        assert_eq!(now["mcpServers"]["more"]["_gsdCapability"], "exe");
    }
    // What goes although it was changed is told.
    let removed = wired.done(&["remove", "exe"]);
    let warnings = removed["warnings"].to_string();
    assert!(warnings.contains("server srv") && warnings.contains("hook PostToolUse"), "{removed}");
    assert!(!wired.file.exists(), "it was made for the entries, and nothing else is in it");
}

#[test]
fn what_nobody_changed_is_replaced_also_where_a_host_wrote_the_file_anew() {
    let wired = Wired::new();
    // Another order of the members is no change of what they say.
    wired.edit(|settings| {
        let server = settings["mcpServers"]["srv"].as_object().unwrap().clone();
        settings["mcpServers"]["srv"] = server.into_iter().rev().collect();
        settings["mine"] = json!(1);
    });
    wired.publish("2.0.0", "new.js");
    wired.done(&["update", "exe", "--yes"]);
    let now = wired.settings();
    assert_eq!(now["mcpServers"]["srv"]["args"], json!(["new.js"]));
    wired.done(&["remove", "exe"]);
    assert_eq!(wired.settings(), json!({ "mine": 1 }));
}

#[test]
fn what_lost_its_mark_is_not_put_in_twice_and_is_told_when_it_stays() {
    let wired = Wired::new();
    wired.edit(|settings| {
        let unmark = |entry: &mut Value| entry.as_object_mut().unwrap().remove("_gsdCapability");
        unmark(&mut settings["hooks"]["PostToolUse"][0]);
        unmark(&mut settings["mcpServers"]["srv"]);
    });
    let doctor = gsd(&wired.world, &["capability", "doctor", "--json"]);
    assert!(doctor.stdout.contains("hook PostToolUse"), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("server srv"), "{}", doctor.stdout);
    wired.publish("2.0.0", "s.js");
    wired.done(&["update", "exe", "--yes"]);
    assert_eq!(wired.settings()["hooks"]["PostToolUse"].as_array().unwrap().len(), 1);
    let off = wired.done(&["disable", "exe"]);
    assert!(off["warnings"].to_string().contains("hook PostToolUse"), "{off}");
}
