//! What counts as a review, and what is read out of it.

use crate::world::{GOOD, gsd, lane, record};
use gsd_testkit::project::World;

const REPORT: &str = ".planning/phases/03-notes/03-REVIEWS.md";

#[test]
fn an_answer_that_is_no_review_does_not_count() {
    let world = World::new();
    world.small_phase();
    for (answer, state) in [
        ("Execution error", "failed"),
        ("Error: Request timed out.", "failed"),
        ("I am sorry, but I cannot help with that.", "unproven"),
        ("Please provide the plans you want me to review.", "unproven"),
        (".", "unproven"),
    ] {
        world.program("gemini", &format!("cat >/dev/null; echo '{answer}'"));
        let ran = gsd(&world, &["review", "--phase", "3", "--gemini"]);
        assert_eq!(ran.code, 12, "{answer}: {}", ran.stdout);
        assert_eq!(lane(&record(&world), "gemini")["state"], state, "{answer}");
        assert!(!ran.stdout.contains("no concerns"), "{}", ran.stdout);
    }
}

#[test]
fn a_prompt_that_comes_back_is_no_review() {
    let world = World::new();
    world.small_phase();
    world.write(
        ".planning/phases/03-notes/03-RESEARCH.md",
        "# Research\n\n## Risks\n\n- HIGH: notes are lost when the process ends before a write\n",
    );
    world.program("qwen", "cat");
    let ran = gsd(&world, &["review", "--phase", "3", "--qwen"]);
    let echoed = record(&world);
    assert_eq!((ran.code, &lane(&echoed, "qwen")["state"]), (12, &"unproven".into()));
    assert_eq!(echoed["findings"], serde_json::json!([]));
    // A program that repeats its prompt first may still review after it.
    world.program("qwen", "cat; printf '\\n- HIGH: 03-01 and 03-02 both write notes.json\\n'");
    assert_eq!(gsd(&world, &["review", "--phase", "3", "--qwen"]).code, 0);
    let reviewed = record(&world);
    assert_eq!(lane(&reviewed, "qwen")["state"], "reviewed");
    let findings = reviewed["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(!world.read(REPORT).contains("You review the plans below"));
}

#[test]
fn a_fence_around_an_answer_hides_no_finding() {
    let world = World::new();
    world.small_phase();
    let block = "```gsd-findings\n[{\"severity\":\"high\",\"title\":\"notes are lost\"}]\n```\n";
    for answer in [
        format!("```markdown\n03-01, 03-02: see below\n\n{block}```\n"),
        format!("03-01, 03-02: see below\n```ts\nlet x = 1;\n\n{block}"),
        format!("~~~~\n03-01, 03-02: see below\n{block}"),
    ] {
        world.write("answer.md", &answer);
        world.program("gemini", "cat >/dev/null; cat answer.md");
        let ran = gsd(&world, &["review", "--phase", "3", "--gemini", "--fail-on", "high"]);
        assert_eq!(ran.code, 13, "{answer}: {}", ran.stdout);
    }
}

#[test]
fn a_block_that_cannot_be_read_is_said_and_makes_the_review_incomplete() {
    let world = World::new();
    world.small_phase();
    for body in ["null", "{\"findings\": {\"a\": {\"title\": \"x\"}}}", "[{\"title\": "] {
        let answer = format!("03-01 and 03-02 are fine.\n\n```gsd-findings\n{body}\n```\n");
        world.write("answer.md", &answer);
        world.program("gemini", "cat >/dev/null; cat answer.md");
        let ran = gsd(&world, &["review", "--phase", "3", "--gemini"]);
        let said = "a `gsd-findings` block is there and could not be read";
        assert_eq!(lane(&record(&world), "gemini")["state"], "incomplete", "{body}");
        assert!(ran.stdout.contains("could not be read"), "{}", ran.stdout);
        assert!(world.read(REPORT).contains(said), "{body}");
        // Nobody knows whether the finding that should fail the run is among them.
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let gated = gsd(&world, &["review", "--phase", "3", "--gemini", "--fail-on", "high"]);
        assert_eq!(gated.code, 9, "{body}: {}", gated.stderr);
        assert!(gated.stderr.contains("so `--fail-on` cannot pass"), "{}", gated.stderr);
    }
}

#[test]
fn a_finding_that_also_quotes_what_is_not_there_is_not_called_verified() {
    let world = World::new();
    world.small_phase();
    world.write("src/notes.ts", "export function save() {}\n");
    world.write(
        "answer.md",
        "03-01 and 03-02.\n```gsd-findings\n[{\"severity\": \"high\", \"title\": \"save is empty\", \
         \"evidence\": [{\"path\": \"src/notes.ts\", \"line\": 1, \"quote\": \"function save()\"}, \
         {\"path\": \"src/notes.ts\", \"line\": 1, \"quote\": \"function drop()\"}, \
         {\"path\": \"src/notes.ts\", \"line\": -5}]}]\n```\n",
    );
    world.program("gemini", "cat >/dev/null; cat answer.md");
    let ran = gsd(&world, &["review", "--phase", "3", "--gemini"]);
    assert!(ran.stdout.contains("◐ mixed") && !ran.stdout.contains("✔"), "{}", ran.stdout);
    let record = record(&world);
    let verdict = |at: usize| &record["findings"][0]["evidence"][at]["verdict"];
    assert_eq!(
        (verdict(0), verdict(1), verdict(2)),
        (&"verified".into(), &"ungrounded".into(), &"ungrounded".into(),)
    );
    let warnings = lane(&record, "gemini")["warnings"].to_string();
    assert!(warnings.contains("1 of its citations name a line that is no line number"));
}

#[test]
fn a_value_of_a_secret_variable_is_kept_nowhere() {
    let world = World::new();
    world.small_phase();
    let secret = "correcthorsebattery";
    world.program("gemini", &format!("{GOOD}; echo {secret}; echo {secret} >&2"));
    let mut command = crate::world::command(&world, &["review", "--phase", "3", "--gemini"]);
    command.env("DEPLOY_PASSWORD", secret);
    let ran = crate::world::ran(command.output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for text in [record(&world).to_string(), world.read(REPORT), ran.stdout, ran.stderr] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn prose_without_findings_is_not_called_free_of_concerns() {
    let world = World::new();
    world.small_phase();
    world.program("gemini", GOOD);
    let ran = gsd(&world, &["review", "--phase", "3", "--gemini"]);
    assert!(ran.stdout.contains("nothing could be read as findings"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("no concerns"), "{}", ran.stdout);
    world.program("gemini", &format!("{GOOD}; printf '\\n```gsd-findings\\n[]\\n```\\n'"));
    let ran = gsd(&world, &["review", "--phase", "3", "--gemini"]);
    assert!(ran.stdout.contains("no concerns"), "{}", ran.stdout);
}
