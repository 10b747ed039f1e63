//! `gsd config`, from the command line to the bytes of the file.

use crate::world::{command, gsd, ran};
use gsd_testkit::project::World;
use serde_json::json;

/// A project whose settings are kept by hand.
const KEPT: &str = "\u{feff}{\r\n  // which models\r\n  \"review\": {\r\n    \"models\": { \"codex\": \"a\", /* old */ \"gemini\": \"g\" }, // two\r\n  },\r\n  \"mine\": [1,2 ,3],\r\n}\r\n";

fn world(config: &str) -> World {
    let world = World::new();
    world.write(".planning/config.json", config);
    world
}

fn user(world: &World, text: &str) {
    let folder = world.home().join(".gsd");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("defaults.json"), text).unwrap();
}

fn config(world: &World) -> String {
    world.read(".planning/config.json")
}

#[test]
fn a_value_is_set_and_every_other_byte_stays() {
    let world = world(KEPT);
    let set = gsd(&world, &["config", "set", "review.models.codex", "gpt-5"]);
    assert_eq!((set.code, set.stdout.as_str()), (0, ""));
    assert!(set.stderr.contains("review.models.codex = gpt-5 (was a)"), "{}", set.stderr);
    assert_eq!(config(&world), KEPT.replace("\"a\"", "\"gpt-5\""));
    let add = gsd(&world, &["config", "set", "review.effort", "high"]);
    assert_eq!(add.code, 0, "{}", add.stderr);
    let expected = KEPT
        .replace("\"a\"", "\"gpt-5\"")
        .replace(" }, // two\r\n", " }, // two\r\n    \"effort\": \"high\",\r\n");
    assert_eq!(config(&world), expected);
    let unset = gsd(&world, &["config", "unset", "review.effort"]);
    assert_eq!(unset.code, 0);
    assert_eq!(config(&world), KEPT.replace("\"a\"", "\"gpt-5\""));
    let before = std::fs::metadata(world.root().join(".planning/config.json")).unwrap();
    let again = gsd(&world, &["config", "set", "review.models.codex", "gpt-5"]);
    assert!(again.stderr.contains("has this value already"), "{}", again.stderr);
    let after = std::fs::metadata(world.root().join(".planning/config.json")).unwrap();
    use std::os::unix::fs::MetadataExt;
    assert_eq!(before.ino(), after.ino(), "nothing was written");
}

#[test]
fn a_file_is_made_where_there_is_none() {
    let world = World::new();
    std::fs::create_dir(world.root().join(".planning")).unwrap();
    assert_eq!(gsd(&world, &["config", "set", "review.effort", "high"]).code, 0);
    assert_eq!(config(&world), "{\n  \"review\": {\n    \"effort\": \"high\"\n  }\n}\n");
    assert_eq!(gsd(&world, &["config", "unset", "review.effort"]).code, 0);
    assert_eq!(config(&world), "{}\n", "no empty object is left behind");
    let set = gsd(&world, &["config", "set", "review.env.codex", "MY_KEY,OTHER"]);
    assert_eq!(set.code, 0, "{}", set.stderr);
    let user = std::fs::read_to_string(world.home().join(".gsd/defaults.json")).unwrap();
    assert!(
        user.contains("\"codex\": [\"MY_KEY\", \"OTHER\"]"),
        "what only the user may set: {user}"
    );
    let entries: Vec<_> = std::fs::read_dir(world.root().join(".planning")).unwrap().collect();
    assert_eq!(entries.len(), 1, "no lock is left for somebody to commit");
}

#[test]
fn a_broken_file_is_never_touched() {
    for broken in ["{ \"review\": ", "not json", "{'a': 1}", "[1]"] {
        let world = world(broken);
        for args in [
            ["config", "set", "review.effort", "high"].as_slice(),
            &["config", "unset", "review.effort"],
            &["config-set", "review.effort", "high"],
        ] {
            let failed = gsd(&world, args);
            assert_eq!(failed.code, 7, "{broken} {args:?} {}", failed.stderr);
            assert!(failed.stderr.contains(".planning/config.json"), "{}", failed.stderr);
            assert_eq!(config(&world), broken);
        }
    }
    let world = World::new();
    std::fs::create_dir_all(world.root().join(".planning/config.json")).unwrap();
    assert_eq!(gsd(&world, &["config", "set", "review.effort", "high"]).code, 7);
    let json = gsd(&self::world("{"), &["config", "set", "review.effort", "high", "--json"]);
    assert_eq!(json.json()["code"], "config-broken");
    assert_eq!(json.json()["details"]["line"], 1);
}

#[test]
fn values_have_the_type_of_their_key() {
    let world = world("{}");
    for (key, value) in [
        ("review.models.codex", "7"),
        ("review.models.codex", "true"),
        ("review.effort", "hihg"),
        ("review.max_prompt_tokens", "abc"),
        ("review.max_prompt_tokens", "-5"),
        ("review.max_prompt_tokens", "1.5"),
        ("review.timeouts.codex", "soon"),
        ("review.timeouts.codex", "-7"),
        ("review.timeouts.codex", "0"),
        ("review.max_prompt_tokens_per_reviewer.ollama", "-5"),
        ("review.max_prompt_tokens_per_reviewer.ollama", "1.5"),
        ("workflow.security_asvs_level", "9"),
        ("review.concurrency", "0"),
        ("review.default_reviewers", "codex"),
        ("review.default_reviewers", "[1]"),
        ("review.default_reviewers", "[\"bad/slug\"]"),
        ("review.default_reviewers", "[]"),
        ("review.ollama_host", "localhost:11434"),
        ("review.ollama_host", "file:///etc"),
        ("review.ollama_host", "http://me:pw@localhost"),
        ("workflow.ui_phase", "yes"),
        ("context_window", "Infinity"),
    ] {
        let refused = gsd(&world, &["config", "set", key, value]);
        assert_eq!(refused.code, 4, "{key} {value}: {}", refused.stderr);
        assert!(!refused.stderr.contains(":pw@"), "{}", refused.stderr);
        assert!(refused.stderr.contains("hint:"), "{}", refused.stderr);
    }
    for key in
        ["review.models.nope", "review.models", "review.effort.deep", "__proto__.x", "comit_docs"]
    {
        let unknown = gsd(&world, &["config", "set", key, "1"]);
        assert_eq!(unknown.code, 6, "{key}: {}", unknown.stderr);
    }
    assert!(gsd(&world, &["config", "set", "comit_docs", "1"]).stderr.contains("`commit_docs`"));
    assert_eq!(config(&world), "{}");
    for (key, value, stored) in [
        ("review.default_reviewers", "Codex,gemini,codex", "[\"codex\", \"gemini\"]"),
        ("review.max_prompt_tokens", "-1", "-1"),
        ("review.models.codex", "\"7\"", "\"7\""),
        ("context_window", "007", "7"),
        ("review.ollama_host", "http://127.0.0.1:1/v1", "\"http://127.0.0.1:1/v1\""),
    ] {
        let set = gsd(&world, &["config", "set", key, value]);
        assert_eq!(set.code, 0, "{key}: {}", set.stderr);
        assert!(config(&world).contains(stored), "{key}: {}", config(&world));
    }
    let null = gsd(&world, &["config", "set", "context_window", "null"]);
    assert!(null.code == 0 && !config(&world).contains("context_window"));
}

#[test]
fn the_nearest_layer_holds_and_says_where_it_stands() {
    let world = world("{\n  \"review\": {\n    \"effort\": \"low\"\n  }\n}");
    user(&world, r#"{"review": {"effort": "max", "models": {"codex": "of-the-user"}}}"#);
    world.write(".planning/workstreams/w/config.json", r#"{"review.effort": "medium"}"#);
    let get = |name: &str, value: &str, extra: &[&str]| {
        let mut command = command(&world, &["config", "get", "review.effort", "--json"]);
        command.args(extra).env(name, value);
        let json = ran(command.output().unwrap()).json();
        (
            json["details"]["value"].clone(),
            json["details"]["layer"].clone(),
            json["details"]["origin"]["file"].clone(),
        )
    };
    let held = |value: &str, layer: &str, file: &str| (json!(value), json!(layer), json!(file));
    assert_eq!(get("X", "", &[]), held("low", "project", ".planning/config.json"));
    assert_eq!(
        get("GSD_WORKSTREAM", "w", &[]),
        held("medium", "workstream", ".planning/workstreams/w/config.json")
    );
    let json = r#"{"review": {"effort": "high"}}"#;
    assert_eq!(get("GSD_CONFIG", json, &[]), held("high", "environment", "$GSD_CONFIG"));
    assert_eq!(
        get("GSD_CONFIG", json, &["--config", "review.effort=xhigh"]),
        held("xhigh", "flag", "--config")
    );
    let plain = gsd(&world, &["config", "get", "review.models.codex"]);
    assert_eq!(plain.stdout, "of-the-user\n");
    let default = gsd(&world, &["config", "get", "review.models.gemini", "--json"]).json();
    assert_eq!(
        (&default["details"]["value"], &default["details"]["layer"]),
        (&json!(""), &json!("default"))
    );
    let explained = gsd(&world, &["config", "explain", "review.effort"]);
    assert!(
        explained.stdout.contains("value    low (.planning/config.json:3)"),
        "{}",
        explained.stdout
    );
    assert!(
        explained.stdout.contains("~/.gsd/defaults.json:1 = \"max\": covered"),
        "{}",
        explained.stdout
    );
    let bad = gsd(&world, &["--config", "review.effort=no", "config", "list"]);
    assert_eq!(bad.code, 2, "{}", bad.stderr);
    let refused = {
        let mut command = command(&world, &["config", "set", "review.effort", "high"]);
        ran(command.env("GSD_WORKSTREAM", "../x").output().unwrap())
    };
    assert_eq!(refused.code, 2, "{}", refused.stderr);
}

#[test]
fn what_only_the_user_may_set_does_nothing_in_a_project() {
    let text = r#"{"review": {"env": {"codex": ["AWS_SECRET_ACCESS_KEY"]}, "redact": false}}"#;
    let world = world(text);
    let got = gsd(&world, &["config", "get", "review.redact"]);
    assert_eq!(got.code, 6, "{}", got.stdout);
    assert!(got.stderr.contains("`review.redact` is ignored"), "{}", got.stderr);
    let refused = gsd(&world, &["config", "set", "review.env.codex", "A,B", "--layer", "project"]);
    assert_eq!(refused.code, 4);
    assert!(refused.stderr.contains("--layer user"), "{}", refused.stderr);
    assert_eq!(config(&world), text);
    let explained = gsd(&world, &["config", "explain", "review.env.codex", "--json"]).json();
    assert_eq!(explained["details"]["layers"][0]["standing"], "not-allowed");
    assert_eq!(explained["details"]["value"], json!(null));
}

#[test]
fn a_link_stays_a_link_and_leads_nowhere_else() {
    let world = World::new();
    std::fs::create_dir_all(world.root().join(".planning")).unwrap();
    let elsewhere = world.home().join("foreign.json");
    std::fs::write(&elsewhere, "{}").unwrap();
    let link = world.root().join(".planning/config.json");
    std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
    let refused = gsd(&world, &["config", "set", "review.effort", "high"]);
    assert_eq!(refused.code, 4, "{}", refused.stderr);
    assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "{}");
    user(&world, "{}");
    let own = world.home().join(".gsd/defaults.json");
    std::fs::remove_file(&own).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &own).unwrap();
    let set = gsd(&world, &["config", "set", "review.effort", "high", "--layer", "user"]);
    assert_eq!(set.code, 0, "{}", set.stderr);
    assert!(std::fs::symlink_metadata(&own).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&elsewhere).unwrap().contains("high"));
}

#[test]
fn many_writers_take_turns() {
    let world = world("{ /* kept */ }");
    let children: Vec<_> = (0..8)
        .map(|n| {
            let key = format!("features.f{n}");
            let mut command = command(&world, &["config", "set", &key, "true"]);
            command.stderr(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let text = config(&world);
    assert!((0..8).all(|n| text.contains(&format!("\"f{n}\": true"))), "{text}");
    assert!(text.contains("/* kept */"), "{text}");
}

#[test]
fn list_and_validate() {
    let world = world(
        "{\n \"review\": {\"effort\": \"high\", \"modles\": {\"x\": 1}},\n \"commit_docs\": \"no\"\n}",
    );
    let list = gsd(&world, &["config", "list"]).stdout;
    assert!(list.contains("review.effort"), "{list}");
    assert!(list.contains(".planning/config.json:3"), "{list}");
    assert!(list.contains("(nobody knows it)"), "{list}");
    let some = gsd(&world, &["config", "list", "review.effort", "--json"]).json();
    assert_eq!(some["details"].as_array().unwrap().len(), 1);
    let all = gsd(&world, &["config", "list", "--all", "--json"]).json();
    assert!(all["details"].as_array().unwrap().len() > 120);
    let found = gsd(&world, &["config", "validate", "--json"]);
    assert_eq!(found.code, 1);
    let codes: Vec<_> = found.json()["details"]["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["rule"].as_str().or(one["code"].as_str()).unwrap_or_default().to_owned())
        .collect();
    assert_eq!(codes, ["config/unknown-key", "config/wrong-type"]);
    assert_eq!(gsd(&self::world(KEPT), &["config", "validate"]).code, 0);
    assert_eq!(gsd(&self::world(KEPT), &["config", "validate", "--strict"]).code, 1);
}

/// What `config validate` says of a text: line, message and help, one a line.
fn said_of(config: &str) -> Vec<String> {
    let found = gsd(&world(config), &["config", "validate", "--json"]).json();
    let found = found["details"]["diagnostics"].as_array().unwrap().clone();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let line = |one: &serde_json::Value| {
        format!("{}: {} ({})", one["at"]["line"], text(&one["message"]), text(&one["help"]))
    };
    found.iter().map(line).collect()
}

#[test]
fn a_fault_says_what_to_type() {
    assert_eq!(
        said_of("{\n \"review\": {\n  \"default_reviewers\": [\"codx\", \"claude\"]\n }\n}"),
        ["3: there is no reviewer `codx` (did you mean `codex`?)"],
    );
    assert_eq!(
        said_of("{\n \"review\": {\"default_reviewers\": \"codex, claude\"}}"),
        ["2: `review.default_reviewers` takes a list of names, not a string \
             (write `[\"codex\", \"claude\"]`)"],
    );
    assert_eq!(
        said_of("{ // mine\n \"review\": {\"effort\": high},\n}"),
        ["2: not valid JSON: expected value; the settings of this file are ignored \
             (strings stand in double quotes)"],
    );
}

#[test]
fn secrets_are_shown_by_their_ends() {
    let world = world("{\"brave_search\": \"BSA-0123456789abcdef\"}");
    for args in [
        ["config", "get", "brave_search"].as_slice(),
        &["config", "list"],
        &["config", "explain", "brave_search"],
        &["config", "explain", "brave_search", "--json"],
        &["config-get", "brave_search"],
        &["config-get", "nothing", "--default", "x"],
        &["config", "set", "brave_search", "BSA-0123456789xxxcdef"],
    ] {
        let ran = gsd(&world, args);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!said.contains("0123456789"), "{args:?}: {said}");
    }
}
