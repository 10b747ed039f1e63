//! The spelling `gsd-tools`: the shapes that existing workflows read, also behind `query` and dots.

use crate::world::{Ran, program, ran};
use camino::Utf8Path;
use gsd_testkit::project::World;
use serde_json::Value;

fn tools(world: &World, args: &[&str]) -> Ran {
    let program = Utf8Path::new(env!("CARGO_BIN_EXE_gsd-tools"));
    ran(world.command(program).args(args).output().unwrap())
}

fn printed(world: &World, args: &[&str]) -> String {
    let ran = tools(world, args);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
    ran.stdout
}

/// A bundle with a lane that lies in the user's folder.
fn drop_lane(world: &World) {
    let manifest = r#"{
      "id": "acme", "role": "reviewer", "version": "1.0.0", "title": "Acme", "description": "Acme.",
      "tier": "full", "requires": [], "config": {},
      "reviewer": {
        "slug": "acme_lane", "flags": ["--acme", "--acme-x"], "transport": "spawn",
        "probe": { "kind": "command-exists", "binary": "acme" },
        "invoke": { "binary": "acme", "args": ["-"], "promptChannel": "stdin",
          "outputChannel": "stdout", "modelArg": null, "effortChannel": "none" },
        "timeoutFloorMs": 60000, "emptyOutput": "stub-with-stderr", "reviewsSection": "Acme Lane",
        "evidenceClass": "source-grounded", "requiresBinaries": [], "promptBudgetKey": null,
        "handler": null
      }
    }"#;
    let folder = world.home().join(".gsd/capabilities/acme");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("capability.json"), manifest).unwrap();
}

#[test]
fn sections_are_lines_of_slug_tab_heading() {
    let world = World::new();
    drop_lane(&world);
    let all = printed(&world, &["review-lane", "sections"]);
    let lines: Vec<&str> = all.lines().collect();
    assert_eq!(lines[..2], ["gemini\tGemini", "claude\tClaude"]);
    assert_eq!(lines[11], "kimi-code\tKimi Code");
    // Lanes that gsd adds come after the twelve that everybody knows, and installed ones last.
    assert!(lines[12..].contains(&"plan-lint\tPlan Lint"));
    assert_eq!(lines.last(), Some(&"acme_lane\tAcme Lane"));
    let chosen = |slugs: &str| printed(&world, &["review-lane", "sections", "--selected", slugs]);
    assert_eq!(
        chosen(" gemini , codex,, gemini"),
        "gemini\tGemini\ncodex\tCodex\ngemini\tGemini\n"
    );
    assert_eq!(chosen("nope"), "");
}

#[test]
fn flags_are_lines_whatever_the_option_json_says() {
    let world = World::new();
    drop_lane(&world);
    let flags = |args: &[&str]| printed(&world, &[&["review-lane", "flags"][..], args].concat());
    let all = flags(&[]);
    assert!(all.starts_with("--gemini\n--claude\n--codex\n"), "{all}");
    assert!(all.contains("--antigravity\n--agy\n"), "{all}");
    assert!(all.ends_with("--acme\n--acme-x\n"), "{all}");
    assert_eq!(flags(&["--selected", "codex,gemini", "--json"]), "--codex\n--gemini\n");
    assert_eq!(flags(&["--selected=nope"]), "");
}

#[test]
fn list_is_an_array_of_rows_without_an_envelope() {
    let world = World::new();
    drop_lane(&world);
    let text = printed(&world, &["capability", "list"]);
    let list: Vec<Value> = serde_json::from_str(&text).unwrap();
    let ui = list.iter().find(|row| row["id"] == "ui").unwrap();
    let keys: Vec<&String> = ui.as_object().unwrap().keys().collect();
    let known = ["id", "role", "version", "tier", "source", "scope", "status", "surfaced", "title"];
    assert_eq!(keys, known);
    assert_eq!((&ui["source"], &ui["status"]), (&"first-party".into(), &"active".into()));
    let ids: Vec<&str> = list.iter().map(|row| row["id"].as_str().unwrap()).collect();
    let own = &ids[..ids.len() - 1];
    assert!(own.is_sorted(), "gsd's own are sorted by id: {own:?}");
    assert_eq!((ids.last(), &list[own.len()]["scope"]), (Some(&"acme"), &"global".into()));
    for same in [
        &["query", "capability", "list"][..],
        &["capability.list"],
        &["query", "capability.list", "--raw"],
        &["capability", "list", "--json"],
    ] {
        assert_eq!(printed(&world, same), text, "{same:?}");
    }
    assert_eq!(printed(&world, &["capability", "list", "--pick", "[0].id"]), "ai-integration\n");
    assert_eq!(printed(&world, &["--pick=[0].nope", "capability", "list"]), "\n");
}

#[test]
fn failures_go_to_stderr() {
    let world = World::new();
    for args in [
        &["capability", "list", "--scope", "nope"][..],
        &["capability", "list", "--scope"],
        &["capability", "list", "--pickle", "x"],
        &["review-lane", "bogus"],
        &["review-lane", "sections", "--json", "--nope"],
    ] {
        let ran = tools(&world, args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.starts_with("error: "), "{args:?}: {}", ran.stderr);
    }
    let ran = tools(&world, &["capability", "show", "nope", "--json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (6, ""));
    for (args, reason) in [
        (["--json-errors", "capability", "list", "--nope"], "usage"),
        (["--json-errors", "capability", "show", "nope"], "capability-unknown"),
    ] {
        let ran = tools(&world, &args);
        let line: Value = serde_json::from_str(&ran.stderr).unwrap();
        assert_eq!((&line["ok"], &line["reason"]), (&false.into(), &reason.into()), "{args:?}");
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn the_name_decides_and_gsd_keeps_its_envelope() {
    let world = World::new();
    let link = world.bin().join("gsd-tools");
    std::os::unix::fs::symlink(program(), &link).unwrap();
    let args = ["review-lane", "flags", "--selected", "codex", "--json"];
    let called = |program: &Utf8Path| ran(world.command(program).args(args).output().unwrap());
    assert_eq!(called(&link).stdout, "--codex\n");
    assert_eq!(called(program()).json()["details"], serde_json::json!(["--codex"]));
    let list =
        ran(world.command(program()).args(["capability", "list", "--json"]).output().unwrap());
    let list = list.json();
    assert_eq!(list["ok"], true);
    let tools: Value = serde_json::from_str(&printed(&world, &["capability", "list"])).unwrap();
    assert_eq!(list["details"], tools);
    // What only the other spelling knows is no option of this one.
    let ran = ran(world.command(program()).args(["query", "capability", "list"]).output().unwrap());
    assert_eq!(ran.code, 2);
}
