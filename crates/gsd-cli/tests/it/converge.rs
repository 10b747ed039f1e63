//! The machine's half of the loop of planning and reviewing, over real reviews.

use crate::world::{GOOD, Ran, gsd, record};
use gsd_testkit::project::World;

/// A reviewer with these findings.
fn reviewer(world: &World, findings: &str) {
    let answer = format!(
        "## Review\n\n03-01 and 03-02 were read.\n\n```gsd-findings\n{findings}\n```\n\
         CYCLE_SUMMARY: current_high=0 current_actionable=0\n"
    );
    let path = world.tmp().join("answer.md");
    std::fs::write(&path, answer).unwrap();
    world.program("gemini", &format!("cat >/dev/null; cat {path}"));
}

const HIGH: &str = r#"[{"kind": "concern", "severity": "high", "plan": "03-01-PLAN.md",
  "title": "notes are lost when the store is closed", "claim": "nobody writes them",
  "evidence": [{"path": "src/store.js", "line": 1, "quote": "export function open() {}"}]}]"#;

fn review(world: &World) -> Ran {
    gsd(world, &["review", "--phase", "3", "--gemini"])
}

fn world() -> World {
    let world = World::new();
    world.small_phase();
    world
}

#[test]
fn a_loop_from_the_first_concern_to_the_end() {
    let world = world();
    reviewer(&world, HIGH);
    assert_eq!(review(&world).code, 0);
    let first = gsd(&world, &["review", "converge", "--max-cycles", "5", "3"]);
    assert_eq!(first.code, 20, "{}{}", first.stdout, first.stderr);
    // The reviewer's own line of that shape counts for nothing.
    let lines: Vec<&str> = first.stdout.lines().collect();
    assert_eq!(lines[0], "CYCLE_SUMMARY: current_high=1 current_actionable=0");
    assert_eq!(lines[2], "## Current HIGH Concerns");
    assert!(lines[4].contains("notes are lost when the store is closed"), "{}", first.stdout);
    assert_eq!(lines[6..], ["## Current Actionable Non-HIGH Concerns", "", "None."]);
    assert!(first.stderr.starts_with("continue: 1 high and 0 other"), "{}", first.stderr);

    let plan = ".planning/phases/03-notes/03-01-PLAN.md";
    world.write(plan, &format!("{}\nNotes are written at once.\n", world.read(plan)));
    let changed = gsd(&world, &["review", "converge", "3", "--json"]);
    assert_eq!(changed.code, 20);
    let document = changed.json();
    assert_eq!((&document["ok"], &document["code"]), (&false.into(), &"review-continue".into()));
    assert_eq!(document["message"], "changed since the last review: 03-01-PLAN.md");

    reviewer(&world, "[]");
    assert_eq!(review(&world).code, 0);
    let done = gsd(&world, &["review", "converge", "3", "--json"]).json();
    assert_eq!((&done["ok"], &done["details"]["decision"]), (&true.into(), &"converged".into()));
    assert_eq!(done["details"]["totals"], serde_json::json!([0, 1]));
}

#[test]
fn somebody_must_decide_when_the_cycles_are_used_up() {
    let world = world();
    reviewer(&world, HIGH);
    assert_eq!(review(&world).code, 0);
    let converge = ["review", "converge", "3", "--max-cycles", "1"];
    let ran = gsd(&world, &converge);
    assert_eq!(ran.code, 21, "{}{}", ran.stdout, ran.stderr);
    let late = ["review", "converge", "--phase", "3", "--deadline", "90m"];
    assert_eq!(gsd(&world, &late).code, 20);
    let mut long_ago = record(&world);
    long_ago["run"]["started_at"] = "2020-01-01T00:00:00Z".into();
    world.write(".planning/phases/03-notes/03-REVIEWS.json", &long_ago.to_string());
    let ran = gsd(&world, &late);
    assert_eq!(ran.code, 21, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("the deadline of the loop has passed"), "{}", ran.stderr);
    let proceeded = gsd(&world, &[&converge[..], &["--on-escalate", "proceed"]].concat());
    assert_eq!(proceeded.code, 0);
}

#[test]
fn without_a_real_review_there_is_no_verdict() {
    let world = world();
    assert_eq!(gsd(&world, &["review", "converge", "3"]).code, 6, "nothing was reviewed");
    world.program("gemini", "cat >/dev/null");
    assert_eq!(review(&world).code, 12);
    let ran = gsd(&world, &["review", "converge", "3"]);
    assert_eq!(ran.code, 22, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.starts_with("invalid: no independent lane"), "{}", ran.stderr);
    world.program("gemini", GOOD);
    assert_eq!(review(&world).code, 0);
    assert_eq!(gsd(&world, &["review", "converge"]).code, 0, "the current phase");
}

#[test]
fn wrong_words_are_refused() {
    let world = world();
    for words in [
        &["--max-cycles", "0"][..],
        &["--max-cycles", "11"],
        &["3", "4"],
        &["3", "--phase", "3"],
        &["--deadline", "soon"],
    ] {
        let ran = gsd(&world, &[&["review", "converge"], words].concat());
        assert_eq!(ran.code, 2, "{words:?}: {}", ran.stderr);
    }
    assert_eq!(gsd(&world, &["review", "converge", "9"]).code, 6);
}
