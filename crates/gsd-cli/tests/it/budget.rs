//! Prompts that are cut to a budget: in a run, in what it shows before, and by the verb of existing
//! workflows.

use crate::world::{Ran, gsd, gsd_tools, lane, record};
use gsd_testkit::project::World;
use serde_json::{Value, json};

/// A phase with much around its plans, and a reviewer that has so many tokens and answers with the
/// prompt's size.
fn world(tokens: i64) -> World {
    let world = World::new();
    world.small_phase();
    world.write(
        ".planning/phases/03-notes/03-RESEARCH.md",
        &"A paragraph about how others keep notes, which is nice to know.\n".repeat(200),
    );
    world.write(
        ".planning/phases/03-notes/03-CONTEXT.md",
        &"- **D-01:** a decision that somebody took and wrote down at length\n".repeat(100),
    );
    world.write(
        ".planning/config.json",
        &json!({ "review": { "max_prompt_tokens": tokens } }).to_string(),
    );
    world.program(
        "gemini",
        "cat >\"$GSD_REVIEW_RUN_DIR/seen\"; printf '## Review\\n\\n03-01 is fine.\\n03-02 is fine.\\n'",
    );
    world
}

fn review(world: &World) -> Ran {
    gsd(world, &["review", "--phase", "3", "--gemini", "--run-dir", "run"])
}

#[test]
fn a_prompt_is_cut_to_its_budget_and_the_report_says_so() {
    let world = world(2_500);
    let ran = review(&world);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let record = record(&world);
    let lane = lane(&record, "gemini");
    assert_eq!((&lane["state"], &lane["proof"]), (&"reviewed".into(), &"delivered".into()));
    let trimmed = &lane["trimmed"];
    assert_eq!(trimmed["budget"], 2_500);
    assert_eq!(trimmed["effective_budget"], 2_250);
    assert_eq!(trimmed["omitted"], json!(["context"]));
    assert_eq!(trimmed["plan_truncation_pct"], 0.0);
    assert!(trimmed["estimated_tokens"].as_u64().unwrap() <= 2_250, "{trimmed}");
    let paths: Vec<&str> = trimmed["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|document| document["path"].as_str().unwrap().rsplit('/').next().unwrap())
        .collect();
    assert_eq!(paths, ["03-CONTEXT.md", "03-RESEARCH.md"]);
    let seen = world.read("run/gsd-review-gemini/seen");
    assert_eq!(lane["sizes"]["prompt"], seen.len());
    assert!(seen.contains("Create src/add.js") && seen.contains("[left out: line "), "{seen}");
    assert!(!seen.contains("D-01"), "{seen}");
    let report = world.read(".planning/phases/03-notes/03-REVIEWS.md");
    assert!(report.contains("trimmed_reviewers:\n  gemini:\n    budget: 2500\n"), "{report}");
    assert!(report.contains("> the prompt was cut to 2500 tokens: 03-RESEARCH.md to "), "{report}");
}

#[test]
fn a_budget_that_is_too_small_sends_nothing_and_names_the_one_that_would_do() {
    let small = world(300);
    let ran = review(&small);
    assert_eq!(ran.code, 11, "{}{}", ran.stdout, ran.stderr);
    let needs: i64 = ran
        .stderr
        .split(' ')
        .find_map(|word| word.parse().ok())
        .unwrap_or_else(|| panic!("no number in {}", ran.stderr));
    let enough = world(needs);
    assert_eq!(review(&enough).code, 0, "{needs}");
    assert_eq!(lane(&record(&enough), "gemini")["trimmed"]["budget"], needs);

    // Where nobody named it, the others are asked.
    let ran = gsd(&small, &["review", "--phase", "3", "--run-dir", "run"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let record = record(&small);
    let lane = lane(&record, "gemini");
    assert_eq!((&lane["state"], &lane["reason"]), (&"skipped".into(), &"over-budget".into()));
    assert_eq!(lane["trimmed"]["hard_failed"], true);
    assert_eq!(lane["prompt_sha256"], Value::Null);
    assert!(!small.root().join("run/gsd-review-gemini/seen").exists(), "it was started");
}

#[test]
fn what_a_budget_cuts_is_shown_before_anything_is_sent() {
    let plan = |tokens| {
        let world = world(tokens);
        let ran = gsd(&world, &["review", "plan", "--phase", "3", "--gemini", "--json"]);
        assert_eq!(ran.code, if tokens == 300 { 11 } else { 0 }, "{}{}", ran.stdout, ran.stderr);
        let document = ran.json();
        let human = gsd(&world, &["review", "plan", "--phase", "3", "--gemini"]);
        (document["details"]["lanes"][0].clone(), human.stdout)
    };
    let (whole, _) = plan(-1);
    assert_eq!((&whole["budget"], &whole["trimmed"]), (&Value::Null, &Value::Null));
    let (cut, human) = plan(2_500);
    assert_eq!(cut["budget"], 2_500);
    assert_eq!(cut["trimmed"]["omitted"], json!(["context"]));
    assert!(cut["prompt_tokens"].as_u64() < whole["prompt_tokens"].as_u64());
    assert!(human.contains("the prompt was cut to 2500 tokens"), "{human}");
    let (refused, _) = plan(300);
    assert_eq!((&refused["state"], &refused["reason"]), (&"skipped".into(), &"over-budget".into()));
}

#[test]
fn a_prepared_run_carries_what_was_cut() {
    let world = world(2_500);
    let ran = gsd(&world, &["review", "prepare", "--run-dir", "out", "--lanes", "gemini"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let invoked = gsd(&world, &["review", "invoke", "--run-dir", "out", "--lane", "gemini"]);
    assert_eq!(invoked.code, 0, "{}{}", invoked.stdout, invoked.stderr);
    assert_eq!(gsd(&world, &["review", "merge", "--run-dir", "out"]).code, 0);
    assert_eq!(lane(&record(&world), "gemini")["trimmed"]["omitted"], json!(["context"]));
}

/// The words of `prompt-budget` for the files below `in`.
fn words(budget: &str) -> Vec<String> {
    let mut words = vec!["prompt-budget".to_owned(), "--budget".to_owned(), budget.to_owned()];
    for (option, file) in [
        ("instructions", "in/instructions.md"),
        ("roadmap", "in/roadmap.md"),
        ("plan", "in/03-01-PLAN.md"),
        ("context", "in/context.md"),
        ("research", "in/nowhere.md"),
    ] {
        words.extend([format!("--{option}-file"), file.to_owned()]);
    }
    words.extend(["--output-prompt", "prompt.md", "--output-metadata", "cut.json"].map(Into::into));
    words
}

fn files() -> World {
    let world = World::new();
    world.write("in/instructions.md", "Review this.\n");
    world.write("in/roadmap.md", "Phase 3\n");
    world.write("in/03-01-PLAN.md", &"a step of the plan\n".repeat(600));
    world.write("in/context.md", &"a decision\n".repeat(2_000));
    world
}

fn cut(world: &World, tools: bool, budget: &str) -> (Ran, Value) {
    let words = words(budget);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ran = if tools { gsd_tools(world, &words) } else { gsd(world, &words) };
    let metadata = serde_json::from_str(&world.read("cut.json")).unwrap();
    (ran, metadata)
}

#[test]
fn the_verb_of_existing_workflows_cuts_as_they_know_it() {
    let world = files();
    let (ran, metadata) = cut(&world, true, "2000");
    assert_eq!((ran.code, ran.stdout.as_str()), (4, ""), "{}", ran.stderr);
    assert_eq!((&metadata["hardFailed"], &metadata["mode"]), (&true.into(), &"compatible".into()));
    assert_eq!(world.read("prompt.md"), "", "the prompt of an earlier call is gone");
    let (ran, metadata) = cut(&world, true, "5000");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    assert_eq!(metadata["omitted"], json!(["context"]));
    assert_eq!(metadata["noteInjected"], true);
    let (_, metadata) = cut(&world, true, "10000");
    assert_eq!(metadata["noteInjected"], false);
    let prompt = world.read("prompt.md");
    assert!(prompt.starts_with("Review this.\n\n\n## Roadmap\n\nPhase 3\n"), "{prompt}");
    assert!(prompt.contains("## Plans\n\n### 03-01-PLAN.md\n\na step"), "{prompt}");
}

#[test]
fn the_verb_of_gsd_cuts_the_plans_last() {
    let world = files();
    let (ran, metadata) = cut(&world, false, "2000");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!((&metadata["hardFailed"], &metadata["mode"]), (&false.into(), &"monotone".into()));
    let (ran, metadata) = cut(&world, false, "4000");
    assert_eq!((ran.code, &metadata["planTruncationPct"]), (0, &json!(0.0)));
    assert_eq!(metadata["projectMdShrunk"], false);
    let words = words("100");
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.push("--json");
    let document = gsd(&world, &words).json();
    assert_eq!(document["code"], "prompt-too-large");
    assert_eq!(document["details"]["budget"], 100);
    let needs = document["details"]["needs"].to_string();
    assert_eq!(cut(&world, false, &needs).0.code, 0, "{needs}");
}

#[test]
fn what_is_wrong_with_its_words_or_files_is_said() {
    let world = files();
    let with = |budget: &str, more: &[&str]| {
        let words = words(budget);
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.extend(more);
        gsd_tools(&world, &words).code
    };
    for budget in ["0", "-5", "abc", "3000.9"] {
        assert_eq!(with(budget, &[]), 2, "{budget}");
    }
    assert_eq!(with("3000", &["--safety-margin-pct", "100"]), 2);
    assert_eq!(with("3000", &["--nope-file", "x"]), 2);
    assert_eq!(with("3000", &["--plan-file", "in/nope.md"]), 6);
    assert!(!world.root().join("prompt.md").exists(), "nothing was written");
}
