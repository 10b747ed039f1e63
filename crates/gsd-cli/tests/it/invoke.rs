//! One lane by itself: what is planned, what is called, what is left behind, under both names.

use crate::world::{GOOD, Ran, gsd, gsd_tools};
use gsd_testkit::project::World;
use serde_json::{Value, json};

/// A project without phases and a folder with a prompt, as callers of the contract make it.
fn world() -> World {
    let world = World::new();
    world.write("run/gsd-review-prompt.md", "Review this.\n");
    world
}

fn invoke(world: &World, more: &[&str]) -> Ran {
    let words = [&["review-lane", "invoke", "--run-dir", "run"], more].concat();
    gsd_tools(world, &words)
}

fn lane_file(world: &World, name: &str) -> Option<String> {
    std::fs::read_to_string(world.root().join("run").join(name)).ok()
}

#[test]
fn a_plan_says_what_the_caller_must_have_ready() {
    let ran = gsd_tools(
        &World::new(),
        &["review-lane", "plan", "--selected", "codex, cursor,nope,ollama", "--run-dir", "/r/"],
    );
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(ran.stdout, @r#"
    [
      {
        "slug": "codex",
        "ok": true,
        "section": "Codex",
        "transport": "spawn",
        "promptBudget": null,
        "promptPath": "/r/gsd-review-prompt.md"
      },
      {
        "slug": "cursor",
        "ok": true,
        "section": "Cursor",
        "transport": "spawn",
        "promptBudget": null,
        "promptPath": null
      },
      {
        "slug": "nope",
        "ok": false,
        "reason": "malformed_lane",
        "detail": "no such declared lane"
      },
      {
        "slug": "ollama",
        "ok": true,
        "section": "Ollama",
        "transport": "openai-http",
        "promptBudget": null,
        "promptPath": "/r/gsd-review-prompt.md"
      }
    ]
    "#);
    assert!(!ran.stdout.ends_with('\n'), "existing callers expect no end of line");
}

#[test]
fn a_plan_in_full_shows_every_argument_and_its_origin() {
    let world = world();
    world.write(
        ".planning/config.json",
        r#"{"review":{"models":{"codex":"; rm -rf / $(x)"},"efforts":{"codex":"max"}}}"#,
    );
    let plan = gsd(&world, &["lane", "plan", "--slug", "codex", "--full", "--json"]).json();
    let codex = &plan["details"][0];
    let argv: Vec<&str> =
        codex["argv"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(
        argv[..7],
        [
            "exec",
            "--ephemeral",
            "--model",
            "; rm -rf / $(x)",
            "-c",
            "model_reasoning_effort=xhigh",
            "--skip-git-repo-check"
        ]
    );
    assert_eq!(codex["model"]["source"], "`review.models.codex` (project)");
    assert_eq!(codex["timeout"]["value"], 1_200_000);
}

#[test]
fn a_review_and_a_stub_are_told_apart() {
    let world = world();
    world.program("gemini", "cat >/dev/null; echo '## Fine'; echo note >&2");
    let ran = invoke(&world, &["--slug", "gemini"]);
    assert_eq!(ran.stdout, "{\n  \"slug\": \"gemini\",\n  \"ok\": true,\n  \"stubbed\": false\n}");
    assert_eq!(lane_file(&world, "gsd-review-gemini.md").as_deref(), Some("## Fine\n"));
    assert_eq!(lane_file(&world, "gsd-review-gemini.err").as_deref(), Some("note\n"));

    world.program("gemini", "cat >/dev/null; echo 'quota exceeded' >&2; exit 3");
    let ran = invoke(&world, &["--slug", "gemini", "--ndjson"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "{\"slug\":\"gemini\",\"ok\":true,\"stubbed\":true}\n")
    );
    let stub = lane_file(&world, "gsd-review-gemini.md").unwrap();
    assert!(stub.contains("failed or returned empty output"), "{stub}");
    assert!(stub.contains("quota exceeded") && !stub.contains("## Fine"), "{stub}");
    let whole: Value =
        serde_json::from_str(&lane_file(&world, "gsd-review-gemini.json").unwrap()).unwrap();
    assert_eq!((&whole["state"], &whole["reason"]), (&json!("failed"), &json!("quota")));
}

#[test]
fn a_lane_that_did_not_run_has_a_reason_of_the_contract() {
    let world = world();
    let reason = |more: &[&str]| {
        let ran = invoke(&world, more);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let result = ran.json();
        assert_eq!(result["ok"], false, "{result}");
        result["reason"].as_str().unwrap().to_owned()
    };
    assert_eq!(reason(&["--slug", "gemini"]), "missing_binary");
    assert_eq!(reason(&["--slug", "nope"]), "malformed_lane");
    assert_eq!(reason(&["--slug", "gemini", "--selected", "codex"]), "malformed_lane");
    world.program("kimi", "echo usage");
    assert_eq!(reason(&["--slug", "kimi-code"]), "probe_failed");
    std::fs::write(world.bin().join("codex"), "no program").unwrap();
    assert_eq!(reason(&["--slug", "codex"]), "missing_binary");
    // What the system cannot start was not started, whatever its probe said.
    world.program("qwen", "");
    std::fs::write(world.bin().join("qwen"), "#!/no/such/interpreter\n").unwrap();
    assert_eq!(reason(&["--slug", "qwen"]), "transport");
    let asked = invoke(&world, &["--slug", "gemini", "--explicit"]);
    assert!(asked.stderr.contains("gemini"), "{}", asked.stderr);
}

#[test]
fn people_get_a_sentence_and_an_exit_code() {
    let world = world();
    world.program("gemini", GOOD);
    let words = |slug| ["lane", "invoke", "--lane", slug, "--run-dir", "run"];
    let good = gsd(&world, &words("gemini"));
    assert_eq!(good.code, 0, "{}", good.stderr);
    assert!(good.stdout.starts_with("gemini reviewed"), "{}", good.stdout);
    assert_eq!(gsd(&world, &words("claude")).code, 11);
    world.program("claude", "cat >/dev/null");
    let empty = gsd(&world, &[&words("claude")[..], &["--json"]].concat());
    assert_eq!(empty.code, 12);
    let details = &empty.json()["details"];
    assert_eq!((&details["state"], &details["stubbed"]), (&json!("empty"), &json!(true)));
    let unknown = gsd(&world, &words("gemmini"));
    assert_eq!(unknown.code, 6);
    assert!(unknown.stderr.contains("did you mean `gemini`?"), "{}", unknown.stderr);
    assert_eq!(gsd(&world, &["lane", "invoke", "--run-dir", "run"]).code, 2);
}

#[test]
fn nothing_is_started_without_a_prompt_and_a_folder_of_ones_own() {
    use std::os::unix::fs::PermissionsExt;
    let world = world();
    let started = world.tmp().join("started");
    world.program("gemini", &format!("touch {started}; echo hello"));
    let prompt = world.root().join("run/gsd-review-prompt.md");

    std::fs::write(&prompt, " \n").unwrap();
    let blank = invoke(&world, &["--slug", "gemini"]);
    assert_eq!((blank.code, &blank.json()["reason"]), (2, &json!("prompt_missing")));
    std::fs::remove_file(&prompt).unwrap();
    assert_eq!(invoke(&world, &["--slug", "gemini"]).code, 2);

    let elsewhere =
        gsd_tools(&world, &["review-lane", "invoke", "--slug", "gemini", "--run-dir", "not-there"]);
    assert_eq!((elsewhere.code, elsewhere.stdout.as_str()), (2, ""));
    std::fs::write(&prompt, "Review this.\n").unwrap();
    let run = world.root().join("run");
    std::fs::set_permissions(&run, std::fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(invoke(&world, &["--slug", "gemini"]).code, 4);
    assert!(!started.exists(), "the program was started");

    std::fs::set_permissions(&run, std::fs::Permissions::from_mode(0o700)).unwrap();
    invoke(&world, &["--slug", "gemini"]);
    assert!(started.exists(), "the program is found where everything is in order");
}

#[test]
fn a_call_has_a_name_a_model_and_a_prompt_of_its_own() {
    let world = world();
    let argv = world.tmp().join("argv");
    world.program(
        "gemini",
        &format!("for a in \"$@\"; do printf '%s\\n' \"$a\"; done >{argv}; cat"),
    );
    world.write("other.md", "Another prompt.\n");
    let ran = invoke(
        &world,
        &[
            "--slug",
            "gemini",
            "--as",
            "../fast lane/1",
            "--model",
            "a; b",
            "--prompt-file",
            "other.md",
        ],
    );
    assert_eq!(ran.json()["slug"], "gemini", "the result bears the name of the lane");
    let review = lane_file(&world, "gsd-review-..-fast-lane-1.md");
    assert_eq!(review.as_deref(), Some("Another prompt.\n"));
    let argv = std::fs::read_to_string(argv).unwrap();
    assert!(argv.starts_with("-m\na; b\n"), "{argv}");

    world.program("cursor-agent", "echo \"$@\"");
    let ran = invoke(&world, &["--slug", "cursor", "--model", "m", "--prompt-file", "other.md"]);
    assert!(ran.stderr.contains("the model of `--model` is ignored"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`--prompt-file` is ignored"), "{}", ran.stderr);
    let told = lane_file(&world, "gsd-review-cursor.md").unwrap();
    assert!(told.contains("run/gsd-review-prompt.md"), "{told}");
}

#[test]
fn an_instance_is_called_by_its_name() {
    let world = world();
    world.write(
        ".planning/config.json",
        r#"{"review":{"reviewer_instances":{"fast":{"cli":"gemini","model":"flash"}}}}"#,
    );
    world.program("gemini", "cat >/dev/null; echo \"$2\"");
    assert_eq!(gsd(&world, &["lane", "invoke", "--slug", "fast", "--run-dir", "run"]).code, 0);
    assert_eq!(lane_file(&world, "gsd-review-fast.md").as_deref(), Some("flash\n"));
}

#[test]
fn a_prompt_that_was_not_read_is_no_review() {
    let world = world();
    world.write("run/gsd-review-prompt.md", &"A long prompt.\n".repeat(300_000));
    world.program("gemini", "echo 'all fine'");
    assert_eq!(invoke(&world, &["--slug", "gemini"]).json()["stubbed"], true);
    let ran = gsd(&world, &["lane", "invoke", "--slug", "gemini", "--run-dir", "run", "--json"]);
    assert_eq!(ran.json()["details"]["state"], "unproven");
}

#[test]
fn the_lane_of_a_capability_that_nobody_approved_is_known_and_not_called() {
    let world = world();
    let started = world.tmp().join("started");
    world.program("acme", &format!("touch {started}; echo fine"));
    let manifest = json!({
        "id": "acme-lane", "role": "reviewer", "version": "1.0.0", "title": "Acme",
        "description": "A lane.", "tier": "full", "requires": [],
        "engines": { "gsd": ">=1.9.0" },
        "reviewer": {
            "slug": "acme", "flags": ["--acme"], "transport": "spawn",
            "probe": { "kind": "command-exists", "binary": "acme" },
            "invoke": {
                "binary": "acme", "args": ["-"], "promptChannel": "stdin",
                "outputChannel": "stdout", "modelArg": null, "effortChannel": "none",
            },
            "timeoutFloorMs": 60000, "emptyOutput": "stub-with-stderr",
            "reviewsSection": "Acme", "evidenceClass": "source-grounded",
            "requiresBinaries": [], "promptBudgetKey": null, "modelConfigKey": null,
            "handler": null,
        },
        "config": {},
    });
    let folder = world.home().join(".gsd/capabilities/acme-lane");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("capability.json"), manifest.to_string()).unwrap();
    assert!(gsd_tools(&world, &["review-lane", "flags"]).stdout.ends_with("--acme\n"));
    let result = invoke(&world, &["--slug", "acme"]).json();
    assert_eq!((&result["ok"], &result["reason"]), (&json!(false), &json!("not_consented")));
    assert!(!started.exists());
    let help = gsd(&world, &["review", "--help"]).stdout;
    assert!(help.contains("--acme"), "{help}");
}
