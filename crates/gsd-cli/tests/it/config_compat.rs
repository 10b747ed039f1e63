//! `config-get` and `config-set` in the shapes that existing workflows read.

use crate::world::{Ran, ran};
use camino::Utf8Path;
use gsd_testkit::project::World;

fn tools(world: &World, args: &[&str]) -> Ran {
    let mut command = world.command(Utf8Path::new(env!("CARGO_BIN_EXE_gsd-tools")));
    ran(command.args(args).stdin(std::process::Stdio::null()).output().unwrap())
}

const CONFIG: &str = r#"{"commit_docs": true, "review": {"models": {"codex": "gpt-5-codex", "claude": "   "},
 "default_reviewers": ["codex", "gemini"], "max_prompt_tokens": 60000}}"#;

#[test]
fn values_are_json_without_a_line_break() {
    let world = World::new();
    world.write(".planning/config.json", CONFIG);
    for (args, code, out) in [
        (["config-get", "review.models.codex"].as_slice(), 0, "\"gpt-5-codex\""),
        (&["query", "config-get", "review.models.codex"], 0, "\"gpt-5-codex\""),
        (&["config-get", "review.models.codex", "--raw"], 0, "gpt-5-codex"),
        (&["config-get", "review.max_prompt_tokens"], 0, "60000"),
        (
            &["config-get", "review.models"],
            0,
            "{\n  \"codex\": \"gpt-5-codex\",\n  \"claude\": \"   \"\n}",
        ),
        (&["config-get", "review.default_reviewers.1"], 0, "\"gemini\""),
        (&["config-get", "review.models.kimi-code"], 0, "\"\""),
        (&["config-get", "review.max_prompt_tokens_per_reviewer.ollama"], 0, "-1"),
        (&["config-get", "bogus.key", "--default", "fallback"], 0, "\"fallback\""),
        (&["config-get", "bogus.key", "--default"], 0, "\"\""),
        (&["config-get", "bogus.key"], 6, ""),
        (&["config-get", "constructor"], 6, ""),
        (&["config-get", "__proto__"], 6, ""),
        (&["config-get", ""], 2, ""),
        (&["config-get"], 2, ""),
    ] {
        let got = tools(&world, args);
        assert_eq!((got.code, got.stdout.as_str()), (code, out), "{args:?}: {}", got.stderr);
        assert_eq!(got.code == 0, got.stderr.is_empty(), "{args:?}: {}", got.stderr);
    }
    let empty = World::new();
    let default = tools(&empty, &["config-get", "review.models.codex"]);
    assert_eq!((default.code, default.stdout.as_str()), (0, "\"\""));
    assert_eq!(tools(&empty, &["config-get", "commit_docs"]).code, 6);
}

#[test]
fn what_was_set_is_told_as_it_stands_in_the_file() {
    let world = World::new();
    world.write(".planning/config.json", CONFIG);
    for (args, code, out) in [
        (
            ["config-set", "review.models.codex", "gpt-5"].as_slice(),
            0,
            "{\n  \"updated\": true,\n  \"key\": \"review.models.codex\",\n  \"value\": \"gpt-5\",\n  \
             \"previousValue\": \"gpt-5-codex\"\n}",
        ),
        (&["config-set", "review.models.codex", "true"], 4, ""),
        (
            &["config-set", "review.models.gemini", ""],
            0,
            "{\n  \"updated\": true,\n  \"key\": \"review.models.gemini\",\n  \"value\": \"\"\n}",
        ),
        (
            &["config-set", "review.max_prompt_tokens_per_reviewer.ollama", "-1"],
            0,
            "{\n  \"updated\": true,\n  \"key\": \"review.max_prompt_tokens_per_reviewer.ollama\",\n  \
             \"value\": -1\n}",
        ),
        (
            &["config-set", "review.models.codex", "null"],
            0,
            "{\n  \"updated\": true,\n  \"unset\": true,\n  \"key\": \"review.models.codex\",\n  \
             \"value\": null,\n  \"previousValue\": \"gpt-5\"\n}",
        ),
        (
            &["config-set", "review.models.codex", "null"],
            0,
            "{\n  \"updated\": false,\n  \"unset\": true,\n  \"key\": \"review.models.codex\",\n  \
             \"value\": null\n}",
        ),
        (&["config-set", "commit_docs", "false", "--raw"], 0, "commit_docs=false"),
        (&["config-set", "review.models.nope", "x"], 6, ""),
        (&["config-set", "review.model", "x"], 6, ""),
        (&["config-set", "commit_docs"], 2, ""),
        (&["config-set"], 2, ""),
    ] {
        let set = tools(&world, args);
        assert_eq!((set.code, set.stdout.as_str()), (code, out), "{args:?}: {}", set.stderr);
    }
}
