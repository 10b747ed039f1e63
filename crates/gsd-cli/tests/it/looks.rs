//! What a person sees: at 80 columns nothing that matters is cut, and no word is broken.

use crate::world::{gsd, on_terminal_of};
use gsd_testkit::project::World;

fn world() -> World {
    let world = World::new();
    world.small_phase();
    world
}

/// What the command prints on a terminal of 80 columns.
fn at_80(world: &World, args: &[&str]) -> String {
    on_terminal_of(world, args, "", 80).0.stdout
}

fn fits(text: &str) {
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:?}");
}

#[test]
fn lanes_and_settings_keep_the_column_that_matters() {
    let world = world();
    world.write(
        ".planning/config.json",
        "{\"review\": {\"default_reviewers\": [\"plan-lint\", \"codex\", \"claude\", \"gemini\"]}}",
    );
    let lanes = at_80(&world, &["lane", "list"]);
    fits(&lanes);
    assert!(lanes.contains("unavailable: not on PATH\n") && !lanes.contains('…'), "{lanes}");
    let set = at_80(&world, &["config", "list"]);
    fits(&set);
    assert!(set.trim_end().ends_with(".planning/config.json:1"), "{set}");
    let all = at_80(&world, &["config", "list", "--all"]);
    fits(&all);
    assert!(all.lines().filter(|line| line.ends_with("  default")).count() > 100, "{all}");
}

#[test]
fn prose_is_broken_between_words() {
    let world = world();
    for args in [&["doctor"][..], &["explain", "plan/wave-conflict"], &["explain", "ungrounded"]] {
        let wide = gsd(&world, args).stdout;
        let narrow = at_80(&world, args);
        fits(&narrow);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        // A digest of time or of a folder is the same in both, so nothing but the lines differs.
        assert_eq!(words(&narrow), words(&wide), "{args:?}");
    }
}

#[test]
fn words_of_reports_are_explained() {
    let world = world();
    for word in ["verified", "moved", "planned", "located", "ungrounded", "contradicted", "outside"]
    {
        let ran = gsd(&world, &["explain", word]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.starts_with(&format!("verdict of a citation: {word}\n\n")), "{word}");
    }
    assert!(gsd(&world, &["explain", "support"]).stdout.contains("independent voices"));
    let ran = gsd(&world, &["explain", "review.models.codex"]);
    assert_eq!(ran.code, 6);
    assert!(ran.stderr.contains("`gsd config explain review.models.codex`"), "{}", ran.stderr);
}

#[test]
fn a_slip_of_the_hand_is_met_by_what_exists() {
    let world = world();
    let ran = gsd(&world, &["reveiw"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("'review'") && !ran.stderr.contains("review-lane"),
        "{}",
        ran.stderr
    );
    let ran = gsd(&world, &["config", "set", "review.effort", "low", "--user"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("--layer user") && !ran.stderr.contains("-- --user"),
        "{}",
        ran.stderr
    );
    let ran = gsd(&world, &["capability", "install", "./not-there"]);
    assert_eq!(ran.code, 10);
    assert!(
        ran.stderr.contains("check the spelling") && !ran.stderr.contains("network"),
        "{}",
        ran.stderr
    );
    std::fs::write(world.root().join(".planning/config.json"), b"{\"a\": \"\xff\"}").unwrap();
    let ran = gsd(&world, &["config", "set", "review.effort", "low"]);
    assert_eq!(ran.code, 7);
    assert!(ran.stderr.contains("save `.planning/config.json` as UTF-8"), "{}", ran.stderr);
}

#[test]
fn doctor_says_how_reviewers_are_confined_and_that_settings_are_broken() {
    let world = world();
    let ran = gsd(&world, &["doctor", "--json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let found = ran.json();
    assert_eq!(found["ok"], true);
    let rows = found["details"].as_array().unwrap();
    let confine = rows.iter().find(|row| row["subject"] == "confine").unwrap();
    assert!(confine["what"].as_str().unwrap().contains("snapshot"), "{confine}");
    world.write(".planning/config.json", "{\"review\": ");
    let ran = gsd(&world, &["doctor", "--json"]);
    assert_eq!((ran.code, &ran.json()["ok"]), (1, &false.into()), "{}", ran.stdout);
    assert_eq!(gsd(&world, &["doctor"]).code, 1);
}

#[test]
fn the_end_of_a_summary_stands_apart() {
    let world = world();
    for args in
        [&["review", "--phase", "3", "--plan-lint"][..], &["review", "show", "--phase", "3"]]
    {
        let ran = gsd(&world, args);
        assert!(ran.stdout.contains("\n\nreport"), "{}{}", ran.stdout, ran.stderr);
        assert!(!ran.stdout.contains("\n\n\n"), "{}", ran.stdout);
    }
    let folder = world.tmp().join("apart");
    let args = ["review", "prepare", "--phase", "3", "--plan-lint", "--run-dir", folder.as_str()];
    let ran = gsd(&world, &args);
    assert!(ran.stderr.contains("1 lane prepared in"), "{}{}", ran.stdout, ran.stderr);
}
