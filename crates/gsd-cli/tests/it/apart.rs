//! A run that is prepared in one place, invoked in others, and merged.

use crate::world::{GOOD, gsd, lane, record};
use gsd_testkit::project::World;
use std::process::Command;

fn prepared(lanes: &str) -> World {
    let world = World::new();
    world.small_phase();
    let ran = gsd(&world, &["review", "prepare", "--run-dir", "out", "--lanes", lanes]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    world
}

fn copy(world: &World, to: &str) {
    let done = Command::new("cp").args(["-r", "out", to]).current_dir(world.root()).status();
    assert!(done.unwrap().success());
}

#[test]
fn results_of_several_machines_become_one_report() {
    let world = prepared("gemini,claude,codex");
    copy(&world, "out-1");
    copy(&world, "out-2");
    world.program("gemini", GOOD);
    world.program("claude", "cat >/dev/null; echo 'Not logged in' >&2; exit 1");
    let invoke = |dir, lane| gsd(&world, &["review", "invoke", "--run-dir", dir, "--lane", lane]);
    assert_eq!(invoke("out-1", "gemini").code, 0);
    assert_eq!(invoke("out-2", "claude").code, 12);
    let merged = gsd(&world, &["review", "merge", "--run-dir", "out-1", "out-2"]);
    assert_eq!(merged.code, 9, "{}", merged.stderr);
    let whole = record(&world);
    let gemini = lane(&whole, "gemini");
    assert_eq!(
        (gemini["state"].as_str(), gemini["proof"].as_str()),
        (Some("reviewed"), Some("delivered"))
    );
    assert_eq!(lane(&whole, "claude")["reason"], "auth");
    let codex = lane(&whole, "codex");
    assert_eq!(
        (codex["state"].as_str(), codex["reason"].as_str()),
        (Some("failed"), Some("output-missing"))
    );
    let report = world.read(".planning/phases/03-notes/03-REVIEWS.md");
    assert!(report.contains("## Gemini Review"), "{report}");
}

#[test]
fn the_folder_holds_all_that_a_lane_needs_and_names_no_machine() {
    let world = prepared("gemini,cursor");
    let listing =
        gsd(&world, &["review", "prepare", "--run-dir", "again", "--lanes", "gemini", "--json"]);
    assert_eq!(listing.json()["details"]["lanes"], serde_json::json!(["gemini"]));
    for file in ["prepared.json", "gsd-review-prompt-gemini.md", "gsd-review-prompt-cursor.md"] {
        let text = world.read(&format!("out/{file}"));
        assert!(!text.contains(world.root().as_str()), "{file} names this machine");
    }
    // A lane that opens its prompt itself finds it where the folder is now.
    copy(&world, "moved");
    world.program(
        "cursor-agent",
        "f=$(echo \"$*\" | grep -o '/[^ ]*moved/gsd-review-prompt-cursor.md' | head -1)\n\
         echo '03-01 and 03-02 are fine'\n\
         sed -n 's/^\\[read mark of \\(.*\\): \\(.*\\)\\]$/read-mark \\1 \\2/p' \"$f\"",
    );
    assert_eq!(
        gsd(&world, &["review", "invoke", "--run-dir", "moved", "--lane", "cursor"]).code,
        0
    );
    assert_eq!(gsd(&world, &["review", "merge", "--run-dir", "moved"]).code, 9);
    assert_eq!(lane(&record(&world), "cursor")["proof"], "echoed");
}

#[test]
fn what_was_changed_on_the_way_does_not_count() {
    let world = prepared("gemini,claude");
    world.program("gemini", GOOD);
    world.program("claude", GOOD);
    let prompt = "out/gsd-review-prompt-gemini.md";
    let text = world.read(prompt);
    world.write(prompt, &text.replace("03-01", "03-99"));
    let invoke = |lane| gsd(&world, &["review", "invoke", "--run-dir", "out", "--lane", lane]);
    assert_eq!(invoke("gemini").code, 5, "a prompt that is not the prepared one is not sent");
    // The answer to the prompt of another lane is no answer.
    assert_eq!(invoke("claude").code, 0);
    let answer = world.read("out/gsd-review-claude.json").replace("\"claude\"", "\"gemini\"");
    world.write("out/gsd-review-gemini.json", &answer.replace("\"Claude\"", "\"Gemini\""));
    let digest =
        serde_json::from_str::<serde_json::Value>(&answer).unwrap()["prompt_sha256"].clone();
    let other = answer.replace(digest.as_str().unwrap(), &"0".repeat(64));
    world.write("out/gsd-review-gemini.json", &other);
    gsd(&world, &["review", "merge", "--run-dir", "out"]);
    let whole = record(&world);
    assert_eq!(lane(&whole, "claude")["state"], "reviewed");
    let gemini = lane(&whole, "gemini");
    assert_eq!(gemini["state"], "failed");
    assert_eq!(gemini["message"], "its result answers another prompt");
}

#[test]
fn folders_of_other_runs_and_hostile_ones_are_refused() {
    let world = prepared("gemini");
    let again = gsd(&world, &["review", "prepare", "--run-dir", "other", "--lanes", "gemini"]);
    assert_eq!(again.code, 0);
    let merge = |dirs: &[&str]| {
        let words = [&["review", "merge", "--run-dir"], dirs].concat();
        gsd(&world, &words).code
    };
    assert_eq!(merge(&["out", "other"]), 5);
    assert_eq!(merge(&["src"]), 6);
    let text = world.read("out/prepared.json");
    world.write("out/prepared.json", &text.replace("\"gemini\"", "\"../../../x\""));
    assert_eq!(merge(&["out"]), 7);
    world.write("out/prepared.json", "{}");
    assert_eq!(merge(&["out"]), 7);
    world.write("out/prepared.json", &text.replace(".planning/phases/03-notes", "/etc"));
    assert_eq!(merge(&["out"]), 6);
}

#[test]
fn plans_that_changed_since_are_named() {
    let world = prepared("gemini");
    world.program("gemini", GOOD);
    assert_eq!(gsd(&world, &["review", "invoke", "--run-dir", "out", "--lane", "gemini"]).code, 0);
    let plan = ".planning/phases/03-notes/03-02-PLAN.md";
    let text = world.read(plan);
    world.write(plan, &(text + "\nMore.\n"));
    assert_eq!(gsd(&world, &["review", "merge", "--run-dir", "out"]).code, 0);
    let notes = record(&world)["run"]["notes"].to_string();
    assert!(notes.contains("03-02") && !notes.contains("03-01"), "{notes}");
}

#[test]
fn a_limit_for_a_lane_that_nobody_knows_is_refused_before_anything_is_written() {
    let world = World::new();
    world.small_phase();
    let words = ["review", "prepare", "--run-dir", "out", "--lanes", "gemini"];
    let ran = gsd(&world, &[&words[..], &["--lane-timeout", "gemni=5m"]].concat());
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("gemni") && ran.stderr.contains("gemini"), "{}", ran.stderr);
    assert!(!world.root().join("out").exists());

    // One for a lane that is known travels with the folder.
    let ran = gsd(&world, &[&words[..], &["--lane-timeout", "gemini=5m"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    world.program("gemini", GOOD);
    let invoke = ["review", "invoke", "--run-dir", "out", "--lane", "gemini"];
    let refused = gsd(&world, &[&invoke[..], &["--lane-timeout", "gemni=1m"]].concat());
    assert_eq!(refused.code, 2, "{}{}", refused.stdout, refused.stderr);
    assert_eq!(gsd(&world, &invoke).code, 0);
    let result: serde_json::Value =
        serde_json::from_str(&world.read("out/gsd-review-gemini.json")).unwrap();
    assert_eq!(result["timing"]["limit_ms"], 300_000);
}
