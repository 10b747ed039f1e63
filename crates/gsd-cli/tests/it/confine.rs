//! Reviewers that write: what each confinement keeps them from, and what is seen of the rest.

use crate::world::{GOOD, gsd, lane, record};
use camino::Utf8Path;
use gsd_io::sandbox::landlock;
use gsd_testkit::project::World;
use gsd_testkit::skipped;
use serde_json::{Value, json};
use std::process::Command;

/// A phase in a repository with one commit.
fn committed() -> World {
    let world = World::new();
    world.small_phase();
    world.write(".gitignore", "ignored/\n");
    for args in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "start"]] {
        git(&world.root(), args);
    }
    world
}

fn git(root: &Utf8Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@localhost"])
        .args(args)
        .current_dir(root)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The user's own settings.
fn settings(world: &World, settings: &Value) {
    std::fs::create_dir_all(world.home().join(".gsd")).unwrap();
    std::fs::write(world.home().join(".gsd/defaults.json"), settings.to_string()).unwrap();
}

/// A reviewer that does something first and then reviews.
fn does(world: &World, name: &str, script: &str) {
    world.program(name, &format!("({script}) >/dev/null 2>&1; {GOOD}"));
}

fn review(world: &World, lanes: &[&str]) -> Value {
    let mut args = vec!["review", "--phase", "3", "--no-progress"];
    args.extend(lanes);
    let ran = gsd(world, &args);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    record(world)
}

fn without_landlock() -> bool {
    let missing = landlock().is_none();
    if missing {
        skipped("this kernel has no Landlock, so a confined review was not tested");
    }
    missing
}

#[test]
fn a_reviewer_that_writes_is_kept_from_it() {
    if without_landlock() {
        return;
    }
    let world = committed();
    let write = "echo x >> src/store.js; echo x > new.js; mv package.json gone; ln -s / link; \
                 echo x > .git/hooks/pre-commit; git config user.name x; rm -r src";
    // What it keeps for itself, and temporary files, it may write.
    does(
        &world,
        "gemini",
        &format!("{write}; mkdir -p ~/.gemini && echo kept > ~/.gemini/state; mktemp"),
    );
    let record = review(&world, &["--gemini"]);
    let gemini = lane(&record, "gemini");
    assert_eq!(gemini["state"], "reviewed");
    assert_eq!(gemini["confinement"], "landlock");
    assert!(gemini["landlock_abi"].as_u64() >= Some(1));
    assert_eq!(gemini["mutated_worktree"], Value::Null);
    assert_eq!(git(&world.root(), &["status", "--porcelain", "--", ":!.planning"]), "");
    assert!(!world.root().join(".git/hooks/pre-commit").exists());
    let kept = std::fs::read_to_string(world.home().join(".gemini/state"));
    assert_eq!(kept.unwrap(), "kept\n");
    let report = world.read(".planning/phases/03-notes/03-REVIEWS.md");
    assert!(report.contains("confinement landlock"), "{report}");
}

#[test]
fn the_plan_shows_the_confinement_before_anything_runs() {
    let world = committed();
    world.program("gemini", GOOD);
    world.program("codex", GOOD);
    let plan =
        gsd(&world, &["review", "plan", "--phase", "3", "--gemini", "--codex", "--json"]).json();
    let lanes = plan["details"]["lanes"].as_array().unwrap().clone();
    let of = |name: &str| lanes.iter().find(|lane| lane["identity"] == name).unwrap().clone();
    // It brings a sandbox of its own, which another one would break.
    assert_eq!(of("codex")["confinement"], "snapshot");
    if !without_landlock() {
        assert_eq!(of("gemini")["confinement"], "landlock");
        let writable = of("gemini")["writable"].to_string();
        assert!(writable.contains(world.home().join(".gemini").as_str()), "{writable}");
        assert!(!writable.contains(&format!("\"{}\"", world.root())), "{writable}");
    }
}

#[test]
fn a_copy_takes_what_is_written_and_goes() {
    let world = committed();
    settings(&world, &json!({ "review": { "confinements": { "gemini": "snapshot" } } }));
    world.write("src/store.js", "// not committed\n");
    let seen = world.tmp().join("seen");
    let script = format!(
        "pwd > {seen}; cat src/store.js >> {seen}; git status --porcelain >> {seen}; \
         echo x > src/store.js; cat src/store.js >> {seen}; echo x > .git/hooks/pre-commit; rm -r .planning"
    );
    world.program(
        "gemini",
        &format!("({script}) 2>/dev/null; {GOOD}; echo \"- [store]($PWD/src/store.js:1)\""),
    );
    let record = review(&world, &["--gemini"]);
    let gemini = lane(&record, "gemini");
    let expected = if landlock().is_some() { "snapshot+landlock" } else { "snapshot" };
    assert_eq!(gemini["confinement"], expected);
    assert_eq!(gemini["mutated_worktree"], Value::Null);
    // It saw the project as it is, in a folder of the same name, and its words are told as if it
    // had been there.
    let seen = std::fs::read_to_string(seen).unwrap();
    let (copy, rest) = seen.split_once('\n').unwrap();
    assert!(copy.ends_with("/project") && copy != world.root().as_str(), "{copy}");
    assert_eq!(rest, "// not committed\n M src/store.js\nx\n");
    assert!(!Utf8Path::new(copy).exists(), "the copy is gone");
    assert!(gemini["text"].as_str().unwrap().contains("[store](src/store.js:1)"), "{gemini}");
    assert_eq!(world.read("src/store.js"), "// not committed\n");
    assert!(!world.root().join(".git/hooks/pre-commit").exists());
}

#[test]
fn a_reviewer_is_seen_to_read_the_plans_of_its_copy() {
    let world = committed();
    settings(&world, &json!({ "review": { "confinement": "snapshot" } }));
    // Neither takes its prompt; one of them looks for the plans by itself.
    let answer = "echo '03-01 and 03-02 are fine'";
    world.program("gemini", &format!("cat .planning/phases/*/*-PLAN.md >/dev/null; {answer}"));
    world.program("claude", answer);
    let ran = gsd(&world, &["review", "--phase", "3", "--gemini", "--claude"]);
    let record = record(&world);
    let (gemini, claude) = (lane(&record, "gemini"), lane(&record, "claude"));
    if cfg!(target_os = "linux") {
        assert_eq!((&gemini["state"], &gemini["proof"]), (&"reviewed".into(), &"observed".into()));
    }
    assert_eq!((&claude["state"], &claude["proof"]), (&"unproven".into(), &"none".into()));
    assert_eq!(ran.code, 9, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn what_only_detection_sees_is_put_on_the_reviewer() {
    let world = committed();
    settings(&world, &json!({ "review": { "confinements": { "gemini": "none" } } }));
    let script = "echo x >> src/store.js; echo x > new.js; rm package.json; chmod +x .gitignore; \
                  mkdir ignored; echo x > ignored/a; echo x > .git/hooks/pre-commit; git add new.js; \
                  touch -r .gitignore src/store.js";
    does(&world, "gemini", script);
    let record = review(&world, &["--gemini"]);
    let gemini = lane(&record, "gemini");
    assert_eq!((&gemini["state"], &gemini["confinement"]), (&"reviewed".into(), &"none".into()));
    let change = |path: &str, change: &str| json!({ "path": path, "change": change });
    assert_eq!(
        gemini["mutated_worktree"],
        json!({
            "changes": [
                change(".git/hooks/pre-commit", "added"),
                change(".git/index", "modified"),
                change(".gitignore", "mode"),
                change("new.js", "added"),
                change("package.json", "removed"),
                change("src/store.js", "modified"),
            ],
            "total": 6,
            "one_of": ["gemini"],
        })
    );
    assert!(record["run"]["notes"].to_string().contains("`gemini`"), "{record}");
    let report = world.read(".planning/phases/03-notes/03-REVIEWS.md");
    assert!(report.contains("the project changed while it ran"), "{report}");
    // Nothing is undone.
    assert!(world.root().join("new.js").exists() && !world.root().join("package.json").exists());
}

#[test]
fn a_confined_reviewer_is_no_suspect() {
    let Some(found) = landlock() else {
        without_landlock();
        return;
    };
    if !found.stops_truncation() {
        skipped("Landlock before version 3 proves nothing about a reviewer");
        return;
    }
    let world = committed();
    settings(&world, &json!({ "review": { "confinements": { "gemini": "none" } } }));
    // Claude runs as long as Gemini does.
    let gate = world.tmp().join("gate");
    assert!(Command::new("mkfifo").arg(&gate).status().unwrap().success());
    does(&world, "gemini", &format!("echo x > new.js; echo done > {gate}"));
    does(&world, "claude", &format!("cat {gate}; echo x > other.js"));
    let record = review(&world, &["--gemini", "--claude"]);
    assert_eq!(lane(&record, "gemini")["mutated_worktree"]["one_of"], json!(["gemini"]));
    assert_eq!(lane(&record, "claude")["mutated_worktree"], Value::Null);
}

#[test]
fn of_two_free_reviewers_each_may_have_done_it() {
    let world = committed();
    settings(&world, &json!({ "review": { "confinement": "none" } }));
    let gate = world.tmp().join("gate");
    assert!(Command::new("mkfifo").arg(&gate).status().unwrap().success());
    does(&world, "gemini", &format!("echo x > new.js; echo done > {gate}"));
    does(&world, "claude", &format!("cat {gate}"));
    let record = review(&world, &["--gemini", "--claude"]);
    for name in ["gemini", "claude"] {
        let mark = &lane(&record, name)["mutated_worktree"];
        // Whichever of them ends first, the other one still ran when the file was new.
        if mark != &Value::Null {
            assert_eq!(mark["changes"], json!([{ "path": "new.js", "change": "added" }]));
        }
    }
    assert_ne!(lane(&record, "gemini")["mutated_worktree"], Value::Null);
}

#[test]
fn what_cannot_be_had_is_refused_unless_the_user_says_otherwise() {
    let world = committed();
    // Larger than any copy may be, and without a byte on the disk.
    let large = std::fs::File::create(world.root().join("large.bin")).unwrap();
    large.set_len(2 << 30).unwrap();
    world.program("gemini", GOOD);
    settings(&world, &json!({ "review": { "confinements": { "gemini": ["snapshot"] } } }));
    let ran = gsd(&world, &["review", "--phase", "3", "--gemini"]);
    assert_eq!(ran.code, 11, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("cannot be copied"), "{}", ran.stderr);
    let plan = gsd(&world, &["review", "plan", "--phase", "3", "--gemini", "--json"]).json();
    let gemini = &plan["details"]["lanes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|lane| lane["identity"] == "gemini")
        .unwrap()
        .clone();
    assert_eq!((&gemini["state"], &gemini["reason"]), (&"blocked".into(), &"policy".into()));
    // A project must not lower what its reviewers are kept from.
    world.write(
        ".planning/config.json",
        &json!({ "review": { "confinement": "none" } }).to_string(),
    );
    assert_eq!(gsd(&world, &["review", "--phase", "3", "--gemini"]).code, 11);
    settings(&world, &json!({ "review": { "confinements": { "gemini": ["snapshot", "none"] } } }));
    let record = review(&world, &["--gemini"]);
    assert_eq!(lane(&record, "gemini")["confinement"], "none");
}
