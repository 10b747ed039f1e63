//! Secrets are taken out before a prompt leaves this machine, and how many is said everywhere.

use super::*;

/// Put together at run time, so that scanners of repositories do not take this file for a leak.
fn secret() -> String {
    ["AKIA", "FEEDBOARDQ7ZKXW2"].concat()
}

fn leaky(host: &str) -> World {
    let world = project(json!({ "ollama_host": host }));
    let context = format!("# Context\n\nThe store is at {0}; again {0}.\n", secret());
    world.write(".planning/phases/03-notes/03-CONTEXT.md", &context);
    world
}

/// The text of the last prompt that was sent.
fn prompt(server: &ModelServer) -> String {
    let posted = server.requests().pop().unwrap();
    assert_eq!(posted.path, CHAT);
    posted.json()["messages"][0]["content"].as_str().unwrap().to_owned()
}

#[test]
fn what_leaves_has_placeholders_and_a_receipt() {
    let server = server();
    let world = leaky(&elsewhere(&server));
    approve(&world);
    let plan = gsd(&world, &["review", "plan", "--phase", "3", "--lanes", "ollama", "--json"]);
    let planned = &plan.json()["details"]["lanes"][0];
    assert_eq!(planned["redactions"], json!({ "aws-access-key": 2 }));
    assert_eq!(planned["redaction"], "on");
    let ran = ollama(&world);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let sent = prompt(&server);
    assert!(!sent.contains(&secret()));
    assert_eq!(sent.matches("[redacted aws-access-key 1]").count(), 2);
    let record = record(&world);
    assert_eq!(record["redactions"], json!([{ "kind": "aws-access-key", "count": 2 }]));
    // The digest is of what was sent.
    let digest = <sha2::Sha256 as sha2::Digest>::digest(sent.as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(lane(&record, "ollama")["prompt_sha256"], digest);
    assert!(world.read(REPORT).contains("2 × aws-access-key"));
}

#[test]
fn a_server_on_this_machine_gets_the_text_as_it_is() {
    let server = server();
    let world = leaky(&server.url());
    assert_eq!(ollama(&world).code, 0);
    assert_eq!(prompt(&server).matches(&secret()).count(), 2);
    assert_eq!(record(&world)["redactions"], json!([]));
    let plan = gsd(&world, &["review", "plan", "--phase", "3", "--lanes", "ollama", "--json"]);
    assert_eq!(plan.json()["details"]["lanes"][0]["redaction"], "not-needed");
}

#[test]
fn only_the_user_can_leave_secrets_in() {
    let server = server();
    let world = leaky(&elsewhere(&server));
    configure(&world, json!({ "ollama_host": elsewhere(&server), "redact": false }));
    approve(&world);
    let ran = ollama(&world);
    assert!(ran.stderr.contains("`review.redact` is ignored"), "{}", ran.stderr);
    assert!(!prompt(&server).contains(&secret()));
    of_user(&world, json!({ "redact": false }));
    let shown = gsd(&world, &["review", "trust-host", "ollama"]);
    assert!(shown.stdout.contains("`review.redact` is off"), "{}", shown.stdout);
    let plan = gsd(&world, &["review", "plan", "--phase", "3", "--lanes", "ollama"]);
    assert!(plan.stdout.contains("`review.redact` is off"), "{}", plan.stdout);
    assert_eq!(ollama(&world).code, 0);
    assert!(prompt(&server).contains(&secret()));
    assert!(world.read(REPORT).contains("`review.redact` is off"));
}
