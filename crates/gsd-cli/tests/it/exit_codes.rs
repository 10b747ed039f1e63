//! Each end of a run has its code, and lanes that nobody named change nothing.

use crate::world::{GOOD, command, gsd, lane, record};
use gsd_testkit::project::World;
use std::os::unix::fs::FileTypeExt;

fn world() -> World {
    let world = World::new();
    world.small_phase();
    world
}

/// Runs gemini with a script and gives the exit code, the lane's state and its reason.
fn gemini(script: &str, more: &[&str]) -> (i32, String, String) {
    let world = world();
    world.program("gemini", script);
    let mut args = vec!["review", "--phase", "3", "--gemini"];
    args.extend(more);
    let ran = gsd(&world, &args);
    let record = record(&world);
    let lane = lane(&record, "gemini");
    let word = |key: &str| lane[key].as_str().unwrap_or("-").to_owned();
    let marks = lane.to_string();
    assert!(!marks.contains('\u{1b}'), "no terminal code is kept: {marks}");
    (ran.code, word("state"), word("reason"))
}

#[test]
fn a_review_counts_only_if_it_happened() {
    let table = [
        (GOOD, (0, "reviewed", "-")),
        ("cat >/dev/null", (12, "empty", "blank")),
        ("cat >/dev/null; printf '\\357\\273\\277 \\n\\033[0m'", (12, "empty", "blank")),
        ("cat >/dev/null; echo 'looks fine'; exit 3", (12, "failed", "exit-status")),
        ("cat >/dev/null; echo 'Not logged in · Please run /login'", (12, "failed", "auth")),
        ("cat >/dev/null; echo 'Invalid API key' >&2; exit 1", (12, "failed", "auth")),
        (
            "cat >/dev/null; echo 'You have exceeded your usage limit' >&2; exit 1",
            (12, "failed", "quota"),
        ),
        ("cat >/dev/null; kill -SEGV $$", (12, "failed", "signal")),
        ("echo 'I never read my input'", (12, "unproven", "prompt-not-read")),
        ("cat >/dev/null; echo '03-01 is fine'", (0, "incomplete", "plans-missing")),
        (
            "cat >/dev/null; yes 'a long line of a review that never ends'",
            (12, "failed", "too-large"),
        ),
        ("cat >/dev/null; echo partial; sleep 600", (12, "timed-out", "time-limit")),
        (
            "trap '' TERM; (sleep 600 &) ; cat >/dev/null; sleep 600",
            (12, "timed-out", "time-limit"),
        ),
    ];
    for (script, (code, state, reason)) in table {
        let found = gemini(script, &["--lane-timeout", "gemini=2s"]);
        assert_eq!(found, (code, state.to_owned(), reason.to_owned()), "{script}");
    }
}

#[test]
fn a_grandchild_that_keeps_the_pipe_does_not_hold_the_review() {
    let start = std::time::Instant::now();
    let found = gemini("cat >/dev/null; echo '03-01 and 03-02 are fine'; sleep 600 &", &[]);
    assert_eq!(found, (0, "reviewed".to_owned(), "-".to_owned()));
    assert!(start.elapsed().as_secs() < 30);
}

#[test]
fn failed_lanes_among_others_are_code_9() {
    let world = world();
    world.program("gemini", GOOD);
    world.program("claude", "cat >/dev/null; exit 1");
    assert_eq!(gsd(&world, &["review", "--phase", "3"]).code, 9);
}

#[test]
fn what_was_named_and_is_not_here_stops_before_anything_runs() {
    let world = world();
    let mark = world.tmp().join("ran");
    world.program("gemini", &format!("touch {mark}; {GOOD}"));
    let ran = gsd(&world, &["review", "--phase", "3", "--gemini", "--codex", "--json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (11, &"lane-could-not-run".into()));
    assert!(!mark.exists(), "no lane was started");
    let only = gsd(&world, &["review", "--phase", "3", "--gemini", "--codex", "--only-available"]);
    assert_eq!(only.code, 0, "the one that is here: {}", only.stderr);
    assert!(mark.exists());
    assert_eq!(gsd(&world, &["review", "--phase", "3", "--lanes", "codx"]).code, 2);
}

#[test]
fn findings_fail_a_run_only_on_demand() {
    let world = world();
    world.write(
        ".planning/phases/03-notes/03-03-PLAN.md",
        "---\nphase: \"03\"\nplan: \"03\"\nwave: 3\ndepends_on: [\"03-09\"]\nrequirements: [N-01]\n---\n",
    );
    assert_eq!(gsd(&world, &["review", "--phase", "3"]).code, 0);
    assert_eq!(gsd(&world, &["review", "--phase", "3", "--fail-on", "high"]).code, 13);
    assert_eq!(gsd(&world, &["plan-lint", "--phase", "3"]).code, 1);
}

#[test]
fn diff_only_lanes_alone_are_no_review_of_plans() {
    let world = world();
    world.program("coderabbit", "echo 'the change in a.js leaks a handle'");
    let ran = gsd(&world, &["review", "--phase", "3", "--coderabbit"]);
    assert_eq!(ran.code, 12, "{}", ran.stderr);
    assert_eq!(lane(&record(&world), "coderabbit")["proof"], "not-asked");
}

#[test]
fn phases_and_usage() {
    let world = world();
    world.write(".planning/phases/04-a/04-01-PLAN.md", "x\n");
    world.write(".planning/phases/4-b/4-01-PLAN.md", "x\n");
    world.write(".planning/phases/05-none/05-CONTEXT.md", "x\n");
    for (phase, code, word) in
        [("4", 2, "phase-ambiguous"), ("9", 6, "phase-unknown"), ("5", 6, "no-plans")]
    {
        let ran = gsd(&world, &["review", "--phase", phase, "--json"]);
        assert_eq!((ran.code, ran.json()["code"].as_str().unwrap()), (code, word), "{phase}");
    }
    assert_eq!(gsd(&world, &["review", "--nonsense"]).code, 2);
    assert_eq!(gsd(&world, &["review", "--phase", "3", "--deadline", "soon"]).code, 2);
    for same in ["03", "3.0.", "notes", "03-notes", ".planning/phases/03-notes"] {
        let ran = gsd(&world, &["plan-lint", "--phase", same]);
        let known = same != "3.0.";
        assert_eq!(ran.code == 0, known, "{same}: {}", ran.stderr);
    }
    let empty = World::new();
    let ran = gsd(&empty, &["review", "--json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (6, &"no-planning".into()));
}

#[test]
fn a_plan_of_a_review_ends_as_the_review_would() {
    let world = world();
    let ran = gsd(&world, &["review", "plan", "--phase", "3", "--codex", "--json"]);
    assert_eq!(ran.code, 11, "{ran:?}");
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(answer["ok"], false);
    assert_eq!(answer["details"]["lanes"][0]["identity"], "codex");
    assert!(answer["details"]["hint"].is_string(), "{answer}");
    let ran = gsd(&world, &["review", "plan", "--phase", "3", "--lanes", "plan-lint"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "nothing was sent\n"));
}

#[test]
fn a_hint_is_in_the_json_too() {
    let ran = gsd(&world(), &["explain", "plan/wave-conflct", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(answer["details"]["hint"], "did you mean `gsd explain plan/wave-conflict`?");
}

#[test]
fn lanes_that_are_not_installed_are_no_fault() {
    let world = world();
    let ran = gsd(&world, &["doctor"]);
    assert!(ran.stdout.contains("· not here  gemini, claude"), "{}", ran.stdout);
    let list = gsd(&world, &["lane", "list"]).stdout;
    let second = list.lines().nth(1).unwrap_or_default();
    assert!(second.starts_with("plan-lint") && second.ends_with("here"), "{list}");
    assert!(list.contains("unavailable: not on PATH\n"), "{list}");
}

#[test]
fn help_says_which_lanes_are_here_from_path_alone() {
    let world = world();
    let mark = world.tmp().join("ran");
    world.program("gemini", &format!("touch {mark}"));
    let help = gsd(&world, &["review", "--help"]).stdout;
    let line = |flag: &str| help.lines().find(|line| line.contains(flag)).unwrap_or_default();
    assert!(line("--gemini").ends_with("Ask Gemini (here)"), "{help}");
    assert!(line("--codex").ends_with("Ask Codex (not on PATH)"), "{help}");
    assert!(line("--ollama").ends_with("Ask Ollama"), "{help}");
    assert!(!mark.exists(), "nothing was started");
}

#[test]
fn help_and_explain_know_the_exit_codes_and_the_words_of_a_report() {
    let world = world();
    let help = |words: &[&str]| gsd(&world, &[words, &["--help"]].concat()).stdout;
    assert!(help(&["review"]).contains("\n   12  no lane produced a review\n"));
    let converge = help(&["review", "converge"]);
    for code in ["   20  ", "   21  ", "   22  "] {
        assert!(converge.contains(code), "{converge}");
    }
    for verb in ["plan", "invoke", "prepare", "merge", "show", "render", "trust-host", "trust"] {
        assert!(help(&["review", verb]).contains("Exit codes:\n    0  done"), "{verb}");
    }
    for (asked, said) in [
        ("reviewed", "state of a lane: reviewed\n\nIt ended well"),
        ("empty-output", "state of a lane: empty\n\nIt wrote nothing"),
        ("egress_host_changed", "reason of a lane: host-changed\n\nIts address"),
        ("12", "exit code 12: no lane produced a review"),
    ] {
        let ran = gsd(&world, &["explain", asked]);
        assert!(ran.code == 0 && ran.stdout.starts_with(said), "{asked}: {}", ran.stdout);
    }
    let near = gsd(&world, &["explain", "reviewd"]);
    assert!(near.code == 6 && near.stderr.contains("`gsd explain reviewed`"), "{}", near.stderr);
}

#[test]
fn a_wrong_command_line_is_json_where_json_is_asked_for() {
    let ran = gsd(&world(), &["review", "--json", "--bogus"]);
    let answer = ran.json();
    assert_eq!((ran.code, &answer["code"]), (2, &"usage".into()), "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("--bogus"), "{answer}");
}

/// What an option names for output is not always a file that may be replaced.
#[test]
fn output_files_replace_only_what_gsd_wrote() {
    let world = world();
    let plan = world.read(".planning/phases/03-notes/03-01-PLAN.md");
    let review = |file: &str| {
        gsd(&world, &["review", "--phase", "3", "--lanes", "plan-lint", "-q", "--html", file])
    };
    for refused in [
        ".planning/phases/03-notes/03-01-PLAN.md",
        ".planning/phases/03-notes/03-REVIEWS.md",
        "-",
        "no/such/folder/x.html",
    ] {
        if refused.ends_with("REVIEWS.md") {
            assert_eq!(review("page.html").code, 0);
        }
        assert_eq!(review(refused).code, 2, "{refused}");
    }
    assert_eq!(world.read(".planning/phases/03-notes/03-01-PLAN.md"), plan);
    assert!(world.read("page.html").starts_with("<!doctype html>"));
    assert_eq!(review("page.html").code, 0, "its own page is replaced");
    let ran = review("/dev/full");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(std::fs::metadata("/dev/full").unwrap().file_type().is_char_device());
}

#[test]
fn a_record_that_cannot_be_read_is_set_aside() {
    let world = world();
    let review = || gsd(&world, &["review", "--phase", "3", "--lanes", "plan-lint", "-q"]);
    assert_eq!((review().code, review().code), (0, 0));
    let path = ".planning/phases/03-notes/03-REVIEWS.json";
    let newer = world.read(path).replacen("\"schema\": 1", "\"schema\": 2", 1);
    world.write(path, &newer);
    assert_eq!(gsd(&world, &["review", "show", "--phase", "3"]).code, 7);
    assert_eq!(review().code, 0);
    let kept = ".planning/phases/03-notes/03-REVIEWS.unreadable-1.json";
    assert_eq!(world.read(kept), newer);
    let note = record(&world)["run"]["notes"].to_string();
    assert!(note.contains("03-REVIEWS.unreadable-1.json"), "{note}");
}

#[test]
fn an_empty_name_asks_nobody() {
    let world = world();
    let mark = world.tmp().join("ran");
    world.program("gemini", &format!("touch {mark}; {GOOD}"));
    for args in [["--lanes", ""], ["--lanes", "plan-lint,"], ["--run-dir", ""]] {
        assert_eq!(gsd(&world, &["review", "--phase", "3", args[0], args[1]]).code, 2, "{args:?}");
    }
    let ran = gsd(&world, &["review", "--phase", "3", "--lane-timeout", "gemni=5s"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean `gemini`?"), "{}", ran.stderr);
    assert!(!mark.exists());
}

#[test]
fn output_that_is_lost_is_no_success() {
    use std::process::Stdio;
    let world = world();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = command(&world, &["review", "--phase", "3", "--lanes", "plan-lint"]);
    let ended = command.stdout(full).stderr(Stdio::null()).status().unwrap();
    assert_eq!(ended.code(), Some(1));
}

#[test]
fn a_folder_of_somebody_else_is_no_run_folder() {
    let world = world();
    world.write("mine/run.json", "{}");
    let run = |dir: &str| {
        gsd(&world, &["review", "--phase", "3", "--lanes", "plan-lint", "--run-dir", dir]).code
    };
    assert_eq!(run("mine"), 4);
    assert_eq!(world.read("mine/run.json"), "{}");
    assert_eq!((run("fresh"), run("fresh")), (0, 0));
}

#[test]
fn wrong_settings_are_told_with_their_place() {
    let world = world();
    world.write(".planning/config.json", "{\n  \"review\": {\"default_reviewers\": [3]}\n}\n");
    let ran = gsd(&world, &["review", "--phase", "3"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("config.json:2:36"), "{}", ran.stderr);
}

#[test]
fn lost_output_is_said_whatever_else_there_is_to_say() {
    let world = World::new();
    world.write("acme/capability.json", "{");
    let into_full = |args: &[&str]| {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        crate::world::ran(command(&world, args).stdout(full).output().unwrap())
    };
    for args in [
        &["--help"][..],
        &["--version"],
        &["capability", "validate", "--help"],
        &["capability", "validate", "acme"],
        &["capability", "validate", "acme", "--json"],
    ] {
        let ran = into_full(args);
        assert_eq!(ran.code, 1, "{args:?}");
        assert!(ran.stderr.contains("the output could not be written"), "{args:?}: {}", ran.stderr);
    }
    let usage = into_full(&["--json", "nonsense"]);
    assert!(usage.code == 2 && usage.stderr.contains("could not be written"), "{}", usage.stderr);
}

#[test]
fn what_is_no_text_is_told_as_everything_else_is() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let bad = std::ffi::OsStr::from_bytes(b"bad\xff\x1b[2J");
    let argument =
        |args: &[&str]| crate::world::ran(command(&world, args).arg(bad).output().unwrap());
    let json = argument(&["--json", "capability", "validate"]);
    assert_eq!((json.code, &json.json()["code"]), (2, &serde_json::json!("usage")));
    let human = argument(&["capability", "validate"]);
    assert_eq!((human.code, human.stdout.as_str()), (2, ""));
    assert!(!human.stderr.contains('\u{1b}'), "{}", human.stderr);
    let here = world.root().as_std_path().join(bad);
    std::fs::create_dir(&here).unwrap();
    let json = command(&world, &["capability", "list", "--json"]).current_dir(here).output();
    let json = crate::world::ran(json.unwrap());
    assert_eq!((json.code, &json.json()["code"]), (1, &serde_json::json!("environment")));
}
