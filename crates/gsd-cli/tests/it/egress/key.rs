//! Keys for servers: named by the user, sent to the approved address, never kept.

use super::*;

const KEY: &str = "correct-horse-battery-staple";

fn with_key(world: &World, args: &[&str]) -> Ran {
    ran(command(world, args).env("GPU_ACCESS", KEY).output().unwrap())
}

fn keys(server: &ModelServer) -> Vec<Option<String>> {
    server.requests().iter().map(|r| r.header("authorization").map(str::to_owned)).collect()
}

#[test]
fn a_key_goes_to_the_approved_server_and_is_kept_nowhere() {
    let server = server();
    // The server repeats the key in its review.
    let echo = review(&format!("The request came with `Bearer {KEY}`."));
    server.on(CHAT, vec![Answer::completion("m1", &echo, 5000)]);
    let world = project(json!({ "ollama_host": elsewhere(&server) }));
    world.write("src/key.txt", "nothing\n");
    of_user(&world, json!({ "api_key_env": { "ollama": "GPU_ACCESS" } }));
    approve(&world);
    let reviewed = with_key(&world, &["review", "--phase", "3", "--ollama", "-v"]);
    assert_eq!(reviewed.code, 0, "{}{}", reviewed.stdout, reviewed.stderr);
    let bearer = Some(format!("Bearer {KEY}"));
    assert_eq!(keys(&server), vec![bearer; server.requests().len()]);
    assert!(!everything(&world, &reviewed).contains(KEY));
    assert!(world.read(REPORT).contains("[redacted"));
    // Nor where it answers with a failure, whatever the format.
    server.on(
        CHAT,
        vec![Answer::json(401, &format!(r#"{{"error":{{"message":"bad key {KEY}"}}}}"#))],
    );
    for format in ["human", "json", "github", "sarif"] {
        let failed = with_key(&world, &["review", "--phase", "3", "--ollama", "--format", format]);
        assert_eq!(failed.code, 12, "{}{}", failed.stdout, failed.stderr);
        assert!(!everything(&world, &failed).contains(KEY), "{format}");
    }
    let failed = with_key(&world, &["review", "--phase", "3", "--ollama", "--json"]);
    assert_eq!(lane(&record(&world), "ollama")["reason"], "auth");
    assert!(!everything(&world, &failed).contains(KEY));
    let planned = with_key(&world, &["review", "plan", "--phase", "3", "--lanes", "ollama"]);
    assert!(planned.stdout.contains("GPU_ACCESS") && !planned.stdout.contains(KEY));
}

#[test]
fn a_key_in_a_plan_does_not_leave_with_it() {
    let server = server();
    let world = project(json!({ "ollama_host": elsewhere(&server) }));
    of_user(&world, json!({ "api_key_env": { "ollama": "GPU_ACCESS" } }));
    world.write(".planning/phases/03-notes/03-CONTEXT.md", &format!("# Context\n\nUse {KEY}.\n"));
    approve(&world);
    assert_eq!(with_key(&world, &["review", "--phase", "3", "--ollama"]).code, 0);
    let posted = server.requests().pop().unwrap();
    assert!(!String::from_utf8_lossy(&posted.body).contains(KEY));
    assert_eq!(record(&world)["redactions"], json!([{ "kind": "known-value", "count": 1 }]));
}

#[test]
fn a_repository_names_no_variable() {
    let server = server();
    let world = project(json!({
        "ollama_host": server.url(), "api_key_env": { "ollama": "GPU_ACCESS" },
    }));
    let ran = with_key(&world, &["review", "--phase", "3", "--ollama"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("`review.api_key_env` is ignored"), "{}", ran.stderr);
    assert_eq!(keys(&server), [None, None]);
}

#[test]
fn a_key_follows_no_port_that_a_repository_chooses() {
    let (server, other) = (server(), super::server());
    let world = project(json!({ "ollama_host": server.url() }));
    of_user(&world, json!({ "api_key_env": { "ollama": "GPU_ACCESS" } }));
    // On this machine a key needs no approval; one that is given binds it.
    assert_eq!(with_key(&world, &["review", "--phase", "3", "--ollama"]).code, 0);
    assert!(keys(&server).iter().all(Option::is_some));
    approve(&world);
    configure(&world, json!({ "ollama_host": other.url() }));
    assert_eq!(with_key(&world, &["review", "--phase", "3", "--ollama"]).code, 0);
    assert_eq!(keys(&other), [None, None]);
    let warnings = lane(&record(&world), "ollama")["warnings"].to_string();
    assert!(warnings.contains("`GPU_ACCESS` was not sent"), "{warnings}");
}

#[test]
fn a_redirect_gets_no_key() {
    let (server, other) = (server(), super::server());
    server.on(MODELS, vec![Answer::redirect(302, &format!("{}{MODELS}", other.url()))]);
    let world = project(json!({ "ollama_host": server.url() }));
    of_user(&world, json!({ "api_key_env": { "ollama": "GPU_ACCESS" } }));
    assert_eq!(with_key(&world, &["review", "--phase", "3", "--ollama"]).code, 11);
    assert_eq!(other.connections(), 0);
}

#[test]
fn a_variable_that_is_not_set_stops_the_lane_before_anything_is_sent() {
    let server = server();
    let world = project(json!({ "ollama_host": server.url() }));
    of_user(&world, json!({ "api_key_env": { "ollama": "GPU_ACCESS" } }));
    for value in ["", "  ", "two\nlines"] {
        let args = ["review", "--phase", "3", "--ollama"];
        let ran = ran(command(&world, &args).env("GPU_ACCESS", value).output().unwrap());
        assert_eq!(ran.code, 11, "{value:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("`GPU_ACCESS`"), "{}", ran.stderr);
    }
    let (state, reason, _) = unnamed(&world);
    assert_eq!((&*state, &*reason), ("unavailable", "auth"));
    assert_eq!(server.connections(), 0);
}
