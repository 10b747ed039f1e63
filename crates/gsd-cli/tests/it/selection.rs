//! Who is asked: the program that runs gsd is not, unless it is named; lanes of different adapters
//! run side by side.

use crate::world::{GOOD, command, gsd, lane, ran, record};
use gsd_testkit::project::World;
use std::os::unix::fs::PermissionsExt;

fn world() -> World {
    let world = World::new();
    world.small_phase();
    world
}

#[test]
fn the_host_reviews_its_own_work_only_when_it_is_named() {
    let world = world();
    world.program("claude", GOOD);
    let inside = |args: &[&str]| {
        let mut command = command(&world, args);
        command.env("CLAUDECODE", "1").env("CLAUDE_CODE_ENTRYPOINT", "cli");
        ran(command.output().unwrap())
    };
    assert_eq!(inside(&["review"]).code, 0);
    let skipped = record(&world);
    assert_eq!(skipped["run"]["itself"], "claude");
    assert_eq!(lane(&skipped, "claude")["state"], "skipped");
    assert_eq!(lane(&skipped, "claude")["reason"], "self");

    assert_eq!(inside(&["review", "--claude"]).code, 0);
    let named = record(&world);
    assert_eq!(lane(&named, "claude")["state"], "reviewed");
    assert!(named["run"]["notes"].to_string().contains("no independent voice"));

    let nobody = inside(&["review", "--exclude", "plan-lint", "--json"]);
    assert_eq!(nobody.code, 11, "{}{}", nobody.stdout, nobody.stderr);

    // Antigravity's agent may be any model, so it excludes nobody.
    let mut command = command(&world, &["review"]);
    command.env("ANTIGRAVITY_AGENT", "1").env("CLAUDE_CODE_ENTRYPOINT", "cli");
    assert_eq!(ran(command.output().unwrap()).code, 0);
    assert_eq!(lane(&record(&world), "claude")["state"], "reviewed");
}

#[test]
fn different_adapters_run_side_by_side() {
    let world = world();
    let (one, two) = (world.tmp().join("one"), world.tmp().join("two"));
    for fifo in [&one, &two] {
        assert!(std::process::Command::new("mkfifo").arg(fifo).status().unwrap().success());
    }
    // Each waits for the other one: in series neither would ever end.
    world.program("gemini", &format!("echo go >{one}; read x <{two}; {GOOD}"));
    world.program("qwen", &format!("read x <{one}; echo go >{two}; {GOOD}"));
    let limits = ["--lane-timeout", "gemini=60s", "--lane-timeout", "qwen=60s"];
    let args = [&["review", "--gemini", "--qwen", "--keep-run"][..], &limits].concat();
    let ran = gsd(&world, &args);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    // The log of the run is one object a line.
    let find = std::process::Command::new("find")
        .args([world.home().as_str(), "-name", "events.ndjson"])
        .output()
        .unwrap();
    let log = String::from_utf8(find.stdout).unwrap();
    let log = std::fs::read_to_string(log.trim()).unwrap();
    let events: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let finished = events.iter().filter(|event| event["event"] == "finished").count();
    assert_eq!(finished, 2, "{log}");
}

#[test]
fn a_run_folder_is_private_or_refused() {
    let world = world();
    let mark = world.tmp().join("ran");
    world.program("gemini", &format!("touch {mark}; {GOOD}"));
    let open = world.tmp().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
    let link = world.tmp().join("link");
    std::os::unix::fs::symlink(world.tmp(), &link).unwrap();
    let file = world.tmp().join("file");
    std::fs::write(&file, "x").unwrap();
    for bad in [&open, &link, &file] {
        let ran = gsd(&world, &["review", "--gemini", "--run-dir", bad.as_str(), "--json"]);
        assert_eq!((ran.code, &ran.json()["code"]), (4, &"run-folder".into()), "{bad}");
    }
    assert!(!mark.exists(), "nothing was started");
    let new = world.tmp().join("new/deep");
    let ran = gsd(&world, &["review", "--gemini", "--run-dir", new.as_str()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let mode = std::fs::metadata(&new).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn the_newest_run_stays_and_others_only_on_demand() {
    let world = world();
    world.program("gemini", GOOD);
    let runs = || {
        let find = std::process::Command::new("find")
            .args([world.home().as_str(), "-name", "run.json"])
            .output()
            .unwrap();
        String::from_utf8(find.stdout).unwrap().lines().count()
    };
    assert_eq!(gsd(&world, &["review", "--gemini", "--keep-run"]).code, 0);
    assert_eq!(runs(), 1);
    assert_eq!(gsd(&world, &["review", "--gemini"]).code, 0);
    assert_eq!(runs(), 2);
    assert_eq!(gsd(&world, &["review", "--gemini"]).code, 0);
    assert_eq!(runs(), 2, "the kept one and the newest");
}
