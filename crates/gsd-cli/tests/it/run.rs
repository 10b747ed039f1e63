//! What a run writes, keeps and shows.

use crate::world::{GOOD, command, gsd, lane, record};
use gsd_testkit::project::World;
use std::io::Read;
use std::process::Stdio;

const REPORT: &str = ".planning/phases/03-notes/03-REVIEWS.md";

#[test]
fn the_main_job_without_any_reviewer_installed() {
    let world = World::new();
    world.small_phase();
    let ran = gsd(&world, &["review"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let record = record(&world);
    assert_eq!(lane(&record, "plan-lint")["state"], "reviewed");
    assert_eq!(lane(&record, "plan-lint")["proof"], "echoed");
    assert_eq!(lane(&record, "gemini")["state"], "unavailable");
    assert_eq!(lane(&record, "gemini")["reason"], "not-found");
    let report = world.read(REPORT);
    assert!(report.starts_with("---\n"), "{report}");
    assert!(report.contains("## Plan Lint Review") && report.contains("## Consensus Summary"));
    // The human summary, the record and the report agree on where things are.
    assert!(ran.stdout.contains(REPORT), "{}", ran.stdout);
}

#[test]
fn a_second_run_keeps_the_first_and_foreign_text() {
    let world = World::new();
    world.small_phase();
    assert_eq!(gsd(&world, &["review"]).code, 0);
    let first = record(&world)["run"]["id"].clone();
    let edited = format!("{}\nA note of mine.\n", world.read(REPORT));
    world.write(REPORT, &edited);
    assert_eq!(gsd(&world, &["review"]).code, 0);
    let record = record(&world);
    assert_eq!(record["history"][0]["run"]["id"], first);
    let report = world.read(REPORT);
    assert!(
        report.contains("## Previous cycles") && report.contains("A note of mine."),
        "{report}"
    );
}

#[test]
fn one_record_gives_the_same_bytes_every_time() {
    let world = World::new();
    world.small_phase();
    world.program("gemini", GOOD);
    assert_eq!(gsd(&world, &["review"]).code, 0);
    let path = ".planning/phases/03-notes/03-REVIEWS.json";
    for format in ["markdown", "json", "sarif", "github", "html", "human"] {
        let render = || gsd(&world, &["review", "render", "--from", path, "--format", format]);
        let (one, two) = (render(), render());
        assert_eq!((one.code, &one.stdout), (0, &two.stdout), "{format}");
        assert!(!one.stdout.is_empty() || format == "github", "{format} says something");
    }
    let markdown = gsd(&world, &["review", "render", "--from", path]).stdout;
    assert_eq!(markdown, world.read(REPORT));
}

#[test]
fn json_is_one_document_and_nothing_else() {
    let world = World::new();
    world.small_phase();
    let ran = gsd(&world, &["review", "--json"]);
    let document = ran.json();
    assert_eq!((ran.code, &document["ok"]), (0, &true.into()));
    assert_eq!(document["details"]["record"]["schema"], 1);
}

#[test]
fn an_interrupt_ends_the_children_and_keeps_what_is_finished() {
    let world = World::new();
    world.small_phase();
    world.program("gemini", GOOD);
    // Stubborn: ignores SIGTERM, says when it runs, and has a child in a session of its own.
    let pids = world.tmp().join("pids");
    world.program(
        "claude",
        &format!("trap '' TERM INT; setsid sh -c 'echo $$ >>{pids}; sleep 600' & echo $$ >>{pids}; echo started; sleep 600"),
    );
    let fifo = world.tmp().join("ready");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    world.program("qwen", &format!("cat >/dev/null; echo up >{fifo}; sleep 600"));
    let start = std::time::Instant::now();
    let mut child = command(
        &world,
        &["review", "--phase", "3", "--gemini", "--claude", "--qwen", "--no-progress"],
    )
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    // Blocks until qwen runs; then gemini, which started earlier, is waited for by its result.
    let mut ready = String::new();
    std::fs::File::open(&fifo).unwrap().read_to_string(&mut ready).unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let mut seen = String::new();
    let mut byte = [0];
    while !seen.contains("gemini: reviewed") && stderr.read(&mut byte).unwrap() == 1 {
        seen.push(char::from(byte[0]));
    }
    let pid = rustix_pid(child.id());
    let asked = std::time::Instant::now();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let status = child.wait().unwrap();
    assert!(asked.elapsed().as_secs() < 6, "gone within 6 s");
    assert_eq!(status.code(), Some(130), "{seen}");
    let record = record(&world);
    assert_eq!(record["run"]["interrupted"], true);
    assert_eq!(lane(&record, "gemini")["state"], "reviewed");
    assert_eq!(lane(&record, "claude")["state"], "cancelled");
    assert_eq!(lane(&record, "qwen")["state"], "cancelled");
    for pid in std::fs::read_to_string(&pids).unwrap().lines() {
        let alive = std::path::Path::new(&format!("/proc/{pid}")).exists();
        assert!(!alive, "process {pid} is still there after {:?}", start.elapsed());
    }

    // What was finished is taken over; the others are asked again.
    world.program("gemini", "echo 'must not be asked again' >&2; exit 1");
    world.program("claude", GOOD);
    world.program("qwen", GOOD);
    let resumed =
        gsd(&world, &["review", "--phase", "3", "--gemini", "--claude", "--qwen", "--resume"]);
    assert_eq!(resumed.code, 0, "{}{}", resumed.stdout, resumed.stderr);
}

fn rustix_pid(pid: u32) -> rustix::process::Pid {
    rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
}

#[test]
fn two_runs_of_one_phase_take_turns() {
    let world = World::new();
    world.small_phase();
    let fifo = world.tmp().join("ready");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    world.program("gemini", &format!("cat >/dev/null; echo up >{fifo}; sleep 600"));
    let mut first = command(&world, &["review", "--phase", "3", "--gemini", "--no-progress"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut ready = String::new();
    std::fs::File::open(&fifo).unwrap().read_to_string(&mut ready).unwrap();
    let second = gsd(&world, &["review", "--phase", "3", "--json"]);
    assert_eq!((second.code, &second.json()["code"]), (8, &"busy".into()));
    rustix::process::kill_process(rustix_pid(first.id()), rustix::process::Signal::TERM).unwrap();
    first.wait().unwrap();
    world.program("gemini", GOOD);
    assert_eq!(gsd(&world, &["review", "--phase", "3"]).code, 0);
}

/// A reviewer that plants the line it cites, and empties a plan that another one reads.
#[test]
fn a_lane_cannot_make_its_own_evidence() {
    let world = World::new();
    world.small_phase();
    world.program(
        "gemini",
        r#"cat >/dev/null
echo 'eval(userInput) // planted' > planted.js
echo "03-01 and 03-02 were read."
echo '```gsd-findings'
echo '[{"severity":"high","title":"code of the user is run","evidence":[{"path":"planted.js","line":1,"quote":"eval(userInput)"}]}]'
echo '```'"#,
    );
    // With its confinement the lane could not write there at all.
    std::fs::create_dir_all(world.home().join(".gsd")).unwrap();
    let settings = world.home().join(".gsd/defaults.json");
    std::fs::write(settings, r#"{"review": {"confinement": "none"}}"#).unwrap();
    let ran = gsd(&world, &["review", "--phase", "3", "--gemini", "--fail-on", "high"]);
    let record = record(&world);
    let finding = &record["findings"][0];
    assert_eq!(finding["evidence"][0]["verdict"], "ungrounded", "{finding}");
    assert_eq!(ran.code, 0, "what rests on nothing does not gate: {}", ran.stdout);
    let changes = lane(&record, "gemini")["mutated_worktree"]["changes"].to_string();
    assert!(changes.contains("planted.js"), "{changes}");
    assert!(ran.stdout.contains("changed       planted.js while gemini ran"), "{}", ran.stdout);
}

#[test]
fn a_record_says_which_program_ran_and_who_named_its_model() {
    use sha2::{Digest, Sha256};
    let world = World::new();
    world.small_phase();
    let path = world.program("gemini", GOOD);
    world.write(".planning/config.json", r#"{"review": {"models": {"gemini": "m2"}}}"#);
    assert_eq!(gsd(&world, &["review", "--phase", "3", "--gemini"]).code, 0);
    let record = record(&world);
    let lane = lane(&record, "gemini");
    let bytes = std::fs::read(&path).unwrap();
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(lane["program_sha256"], digest);
    assert_eq!(lane["destination"], path.as_str());
    assert_eq!(lane["model_requested"], "m2");
    assert_eq!(lane["model_source"], "`review.models.gemini` (project)");
    let other = "is not that of the last review";
    assert!(!lane["warnings"].to_string().contains(other), "{lane}");

    // Another program in its place is told.
    world.program("gemini", &format!("{GOOD}; exit 0"));
    assert_eq!(gsd(&world, &["review", "--phase", "3", "--gemini"]).code, 0);
    let record = crate::world::record(&world);
    let lane = crate::world::lane(&record, "gemini");
    assert!(lane["warnings"].to_string().contains(other), "{lane}");
}
