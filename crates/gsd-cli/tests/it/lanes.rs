//! Every lane that is a program, against a stand-in that notes what it was given: arguments, stdin,
//! environment, working directory.

use crate::world::{gsd, lane, record};
use gsd_testkit::project::World;

/// Notes everything, then answers as the real program would.
fn stand_in(world: &World, name: &str, answer: &str) {
    let notes = world.tmp();
    let script = format!(
        "n={notes}/{name}\nif [ \"$1\" = --help ]; then echo 'usage --output-format FORMAT'; exit 0; fi\n\
         : >$n.argv; for a in \"$@\"; do printf '%s\\n' \"$a\" >>$n.argv; done\n\
         cat >$n.stdin; env | sort >$n.env; pwd >$n.cwd\n{answer}"
    );
    world.program(name, &script);
}

/// An answer that repeats the read marks of the prompt file that the arguments refer to.
const ECHO: &str = "f=$(grep -o '/[^ ]*gsd-review-prompt-[a-z-]*\\.md' $n.argv | head -1)\n\
     cp \"$f\" $n.prompt\n\
     echo '03-01 and 03-02 are fine'\n\
     sed -n 's/^\\[read mark of \\(.*\\): \\(.*\\)\\]$/read-mark \\1 \\2/p' \"$f\"";

fn note(world: &World, name: &str, kind: &str) -> String {
    std::fs::read_to_string(world.tmp().join(format!("{name}.{kind}"))).unwrap_or_default()
}

/// The notes with everything that changes from run to run replaced by a word.
fn stable(world: &World, text: &str) -> String {
    let record = record(world);
    let id = record["run"]["id"].as_str().unwrap().to_owned();
    let mut out = text.replace(&id, "<run-id>").replace(world.root().as_str(), "<root>");
    if let Some(at) = out.find(world.home().as_str()) {
        let end = out[at..].find("<run-id>").map_or(out.len(), |end| at + end + "<run-id>".len());
        let folder = out[at..end].to_owned();
        out = out.replace(&folder, "<run>");
    }
    out
}

#[test]
fn arguments_and_input_of_every_program() {
    let world = World::new();
    world.small_phase();
    let plain = "echo '03-01 and 03-02 are fine'";
    for name in ["gemini", "claude", "qwen", "copilot", "coderabbit"] {
        stand_in(&world, name, plain);
    }
    stand_in(
        &world,
        "codex",
        "o=; while [ $# -gt 0 ]; do [ \"$1\" = -o ] && o=$2; shift; done\n\
         echo noise; echo '03-01 and 03-02 are fine' >\"$o\"",
    );
    stand_in(
        &world,
        "opencode",
        "printf '%s\\n' '{\"type\":\"text\",\"part\":{\"text\":\"03-01 and 03-02 are fine\"}}' \
         '{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\"}}'",
    );
    for name in ["cursor-agent", "agy", "kimi"] {
        stand_in(&world, name, ECHO);
    }
    let ran = gsd(&world, &["review", "--phase", "3"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let record = record(&world);
    let mut table = String::new();
    for (slug, program) in [
        ("gemini", "gemini"),
        ("claude", "claude"),
        ("codex", "codex"),
        ("coderabbit", "coderabbit"),
        ("opencode", "opencode"),
        ("qwen", "qwen"),
        ("cursor", "cursor-agent"),
        ("antigravity", "agy"),
        ("kimi-code", "kimi"),
        ("copilot", "copilot"),
    ] {
        let lane = lane(&record, slug);
        let stdin = note(&world, program, "stdin");
        table.push_str(&format!(
            "{slug}: {} {}, stdin {}\n",
            lane["state"].as_str().unwrap(),
            lane["proof"].as_str().unwrap(),
            if stdin.is_empty() { "empty" } else { "the prompt" },
        ));
        for argument in stable(&world, &note(&world, program, "argv")).lines() {
            table.push_str(&format!("    {argument}\n"));
        }
        // Codex brings a sandbox of its own and works on a copy.
        let cwd = note(&world, program, "cwd");
        match slug {
            "codex" => assert!(cwd.trim().ends_with("/gsd-review-codex.copy/project"), "{cwd}"),
            _ => assert_eq!(cwd.trim(), world.root(), "{slug} runs in the root"),
        }
        if !stdin.is_empty() {
            assert!(stdin.starts_with("# Plan review · Phase 03"), "{slug}: {stdin}");
            assert!(stdin.contains("03-02-PLAN.md"), "{slug} was given the plans");
            assert_eq!(lane["sizes"]["prompt"], stdin.len(), "{slug} got every byte");
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_child_sees_no_secret_of_other_programs() {
    let world = World::new();
    world.small_phase();
    stand_in(&world, "gemini", "echo '03-01 and 03-02 are fine'");
    let mut command = crate::world::command(&world, &["review", "--phase", "3", "--gemini"]);
    command
        .env("OTHER_API_KEY", "must-not-travel")
        .env("GEMINI_API_KEY", "its-own-key")
        .env("CLAUDECODE", "1")
        .env("NODE_OPTIONS", "--require=/x.js");
    let ran = crate::world::ran(command.output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let env = note(&world, "gemini", "env");
    for absent in ["OTHER_API_KEY", "CLAUDECODE", "NODE_OPTIONS"] {
        assert!(!env.contains(absent), "{absent} in {env}");
    }
    for present in ["GEMINI_API_KEY=its-own-key", "NO_COLOR=1", "TERM=dumb", "GSD_REVIEW_ROOT="] {
        assert!(env.contains(present), "{present} not in {env}");
    }
}

#[test]
fn secrets_are_taken_out_of_a_prompt() {
    let world = World::new();
    world.small_phase();
    let key = ["AKIA", "FEEDBOARDQ7ZKXW2"].concat();
    world.write(
        ".planning/PROJECT.md",
        &format!("# Notes\n\nThe key is {key}, and hunter2hunter2.\n"),
    );
    stand_in(&world, "gemini", "echo '03-01 and 03-02 are fine'");
    let mut command = crate::world::command(&world, &["review", "--phase", "3", "--gemini"]);
    command.env("MY_TOKEN", "hunter2hunter2");
    let ran = crate::world::ran(command.output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let stdin = note(&world, "gemini", "stdin");
    assert!(!stdin.contains(&key) && !stdin.contains("hunter2hunter2"), "{stdin}");
    let redactions = record(&world)["redactions"].to_string();
    assert!(redactions.contains("aws-access-key"), "{redactions}");
}

#[test]
fn what_a_failed_program_says_is_told_without_secrets_and_paths() {
    let world = World::new();
    world.small_phase();
    let key = ["AKIA", "FEEDBOARDQ7ZKXW2"].concat();
    stand_in(
        &world,
        "gemini",
        &format!("echo \"401 for key {key}, see $GSD_REVIEW_ROOT/src/store.js\" >&2; exit 1"),
    );
    assert_eq!(gsd(&world, &["review", "--phase", "3", "--gemini"]).code, 12);
    let whole = record(&world);
    let told = lane(&whole, "gemini")["message"].as_str().unwrap();
    assert!(told.contains("401 for key") && told.contains("src/store.js"), "{told}");
    let kept =
        lane(&whole, "gemini").to_string() + &world.read(".planning/phases/03-notes/03-REVIEWS.md");
    assert!(!kept.contains(&key), "{kept}");
    assert!(!told.contains(world.root().as_str()), "{told}");
}

#[test]
fn sections_and_flags_are_lines_for_scripts() {
    let world = World::new();
    let sections = gsd(&world, &["lane", "sections", "--selected", "codex, nope,gemini"]);
    assert_eq!((sections.code, sections.stdout.as_str()), (0, "codex\tCodex\ngemini\tGemini\n"));
    let flags = gsd(&world, &["review-lane", "flags"]);
    let flags: Vec<&str> = flags.stdout.lines().collect();
    assert_eq!(&flags[..3], ["--gemini", "--claude", "--codex"]);
    assert!(flags.contains(&"--agy") && flags.contains(&"--antigravity"));
}
