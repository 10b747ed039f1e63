//! Instances: one lane under several names, each with a model, an effort and limits of its own.

use crate::world::{gsd, lane, record};
use gsd_testkit::project::World;

/// A codex that notes its arguments, and whether another one ran at the same time.
const CODEX: &str = r#"all="$*"; o=
while [ $# -gt 0 ]; do [ "$1" = -o ] && o=$2; shift; done
mkdir "$HOME/busy" 2>/dev/null || echo overlap >>"$HOME/overlaps"
cat >/dev/null
echo "$all" >>"$HOME/calls"
sleep 0.1
rmdir "$HOME/busy"
printf '## Review\n\n03-01 is fine.\n03-02 is fine.\n' >"$o""#;

fn world(config: &str) -> World {
    let world = World::new();
    world.small_phase();
    world.write(".planning/config.json", config);
    world.program("codex", CODEX);
    world
}

fn note(world: &World, name: &str) -> String {
    std::fs::read_to_string(world.home().join(name)).unwrap_or_default()
}

#[test]
fn files_sections_and_states_bear_the_name_of_the_instance() {
    let world = world(
        r#"{"review": {
            "default_reviewers": ["codex", "codex-deep", "codex-fast", "elsewhere"],
            "models": {"codex": "m-usual"}, "effort": "low",
            "reviewer_instances": {
                "codex-deep": {"cli": "codex", "model": "m-deep", "effort": "high"},
                "codex-fast": {"cli": "Codex", "timeout": 77},
                "elsewhere": {"cli": "qwen"}
            }}}"#,
    );
    let ran = gsd(&world, &["review", "--keep-run"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let record = record(&world);
    for identity in ["codex", "codex-deep", "codex-fast"] {
        let one = lane(&record, identity);
        assert_eq!((&one["slug"], &one["state"]), (&"codex".into(), &"reviewed".into()), "{one}");
    }
    let away = lane(&record, "elsewhere");
    assert_eq!((&away["slug"], &away["state"]), (&"qwen".into(), &"unavailable".into()), "{away}");
    assert!(note(&world, "overlaps").is_empty(), "one adapter runs in series");
    let mut calls: Vec<String> = note(&world, "calls")
        .lines()
        .map(|call| call.split(" --skip-git-repo-check").next().unwrap_or_default().to_owned())
        .collect();
    calls.sort();
    assert_eq!(
        calls,
        [
            "exec --ephemeral --model m-deep -c model_reasoning_effort=high",
            "exec --ephemeral --model m-usual -c model_reasoning_effort=low",
            "exec --ephemeral --model m-usual -c model_reasoning_effort=low",
        ]
    );
    let report = world.read(".planning/phases/03-notes/03-REVIEWS.md");
    for heading in
        ["## Codex Review\n", "## Codex Review (codex-deep)\n", "## Codex Review (codex-fast)\n"]
    {
        assert!(report.contains(heading), "{heading} in {report}");
    }
    assert!(report.contains("> Several lanes run `codex`"), "{report}");
    let find = std::process::Command::new("find")
        .args([world.home().as_str(), "-name", "gsd-review-*.out"])
        .output()
        .unwrap();
    let mut files: Vec<String> = String::from_utf8(find.stdout)
        .unwrap()
        .lines()
        .filter_map(|path| path.rsplit('/').next().map(str::to_owned))
        .collect();
    files.sort();
    assert_eq!(
        files,
        ["gsd-review-codex-deep.out", "gsd-review-codex-fast.out", "gsd-review-codex.out"]
    );
    let plan = gsd(&world, &["review", "plan", "--lanes", "codex-fast", "--json"]).json();
    assert!(plan.to_string().contains("77"), "the limit of the instance: {plan}");
}

#[test]
fn one_instance_beside_no_other_has_no_caveat() {
    let config = r#"{"review": {"reviewer_instances": {"deep": {"cli": "codex", "model": "m"}}}}"#;
    let world = world(config);
    assert_eq!(gsd(&world, &["review", "--lanes", "deep"]).code, 0);
    let report = world.read(".planning/phases/03-notes/03-REVIEWS.md");
    assert!(report.contains("## Codex Review (deep)") && !report.contains("Several lanes run"));
}

#[test]
fn what_an_instance_cannot_have_is_refused_before_it_is_written() {
    let world = world("{}");
    let set = |key: &str, value: &str| {
        let key = format!("review.reviewer_instances.{key}");
        gsd(&world, &["config", "set", &key, value])
    };
    assert_eq!(set("a.model", "m").code, 0, "its lane may come later");
    let early = gsd(&world, &["review", "--lanes", "a"]);
    assert_eq!(early.code, 2, "but not after a review starts: {}", early.stderr);
    let other = gsd(&world, &["review", "--lanes", "plan-lint"]);
    assert_eq!(other.code, 0, "it stops nobody who does not ask it: {}", other.stderr);
    assert!(other.stderr.contains("warning: instance `a`"), "{}", other.stderr);
    for (key, value, why) in [
        ("a.cli", "cursor", "does not take a model"),
        ("a.cli", "codx", "did you mean `codex`?"),
        ("b", r#"{"cli": "codex", "agent": "x"}"#, "does not take an agent"),
        ("b", r#"{"cli": "cursor", "effort": "high"}"#, "does not take an effort"),
        ("b", r#"{"cli": "codex", "effort": "ultra"}"#, "takes"),
        ("codex", r#"{"cli": "claude"}"#, "is the slug of a lane"),
        ("under_score", r#"{"cli": "claude"}"#, "lower-case"),
        ("UPPER", r#"{"cli": "claude"}"#, "lower-case"),
        ("b.timeout", "0", ""),
    ] {
        let refused = set(key, value);
        assert_eq!(refused.code, 4, "{key} {value}: {}", refused.stderr);
        assert!(refused.stderr.contains(why), "{key} {value}: {}", refused.stderr);
    }
    assert_eq!(set("a.cli", "codex").code, 0);
    assert_eq!(set("b", r#"{"cli": "opencode", "agent": "architect"}"#).code, 0);
    assert_eq!(gsd(&world, &["review", "--lanes", "a"]).code, 0);
    assert!(note(&world, "calls").contains("--model m "), "{}", note(&world, "calls"));
}

#[test]
fn a_model_cannot_be_an_option() {
    let world = world(r#"{"review": {"models": {"codex": "--yolo"}}}"#);
    let ran = gsd(&world, &["review", "--lanes", "codex"]);
    assert_ne!(ran.code, 0, "{}", ran.stdout);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(ran.code == 11 && said.contains("begins with `-`"), "{said}");
    assert!(!world.root().join("calls").exists(), "nothing was started");
}

#[test]
fn an_installed_lane_can_have_instances() {
    let world = world("{}");
    let folder = world.home().join(".gsd/capabilities");
    std::fs::create_dir_all(&folder).unwrap();
    let new = gsd(
        &world,
        &["capability", "new", "acme-review", "--role", "reviewer", "--dir", folder.as_str()],
    );
    assert_eq!(new.code, 0, "{}", new.stderr);
    let manifest: serde_json::Value = serde_json::from_str(
        &std::fs::read_to_string(folder.join("acme-review/capability.json")).unwrap(),
    )
    .unwrap();
    let slug = manifest["reviewer"]["slug"].as_str().unwrap();
    let key = "review.reviewer_instances.mine.cli";
    let set = gsd(&world, &["config", "set", key, slug]);
    assert_eq!(set.code, 0, "{}", set.stderr);
    let valid = gsd(&world, &["config", "validate", "--json"]);
    assert_eq!(valid.code, 0, "{}", valid.stdout);
    std::fs::remove_dir_all(folder.join("acme-review")).unwrap();
    let gone = gsd(&world, &["config", "validate", "--json"]);
    assert!(gone.stdout.contains("there is no lane"), "{}", gone.stdout);
}
