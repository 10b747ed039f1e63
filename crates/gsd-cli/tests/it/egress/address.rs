//! Addresses in the settings: what counts as none, and what is none.

use super::*;

#[test]
fn a_setting_that_says_nothing_leaves_the_default_for_plan_and_probe() {
    let world = project(json!({}));
    for (value, warns) in [
        (json!(""), false),
        (json!("  "), false),
        (json!("null"), false),
        (json!("undefined"), false),
        (json!(null), false),
        (json!(0), true),
        (json!({}), true),
    ] {
        configure(&world, json!({ "ollama_host": value }));
        let probed = gsd(&world, &["lane", "probe", "ollama", "--json"]);
        assert_eq!(probed.json()["details"][0]["destination"], "http://localhost:11434", "{value}");
        let shown = gsd(&world, &["review", "trust-host", "ollama"]);
        assert!(shown.stdout.contains("http://localhost:11434/v1/chat/completions"), "{value}");
        assert_eq!(shown.stderr.contains("takes a string"), warns, "{value}: {}", shown.stderr);
    }
}

#[test]
fn what_is_no_address_is_told_before_anybody_is_asked() {
    let world = project(json!({}));
    for (value, says) in [
        ("localhost:11434", "no scheme"),
        ("//gpu.example", "no scheme"),
        ("file:///etc/passwd", "`file` is not supported"),
        ("ftp://gpu.example", "`ftp` is not supported"),
        ("http://ada:sesame@127.0.0.1:11434", "user name or password"),
        ("http://sesame@gpu.example", "user name or password"),
        ("http://gpu.example?key=sesame", "query"),
        ("http://gpu.example\\@evil.example", "backslash"),
        ("http://", "host"),
    ] {
        configure(&world, json!({ "ollama_host": value }));
        let named = ollama(&world);
        assert_eq!(named.code, 11, "{value}: {}{}", named.stdout, named.stderr);
        let trust = gsd(&world, &["review", "trust-host", "ollama", "--yes"]);
        assert_eq!(trust.code, 4, "{value}: {}{}", trust.stdout, trust.stderr);
        for ran in [&named, &trust] {
            assert!(ran.stderr.contains(says), "{value}: {}", ran.stderr);
            assert!(!ran.stderr.contains("sesame"), "{}", ran.stderr);
        }
    }
    assert!(!hosts_file(&world).exists());
}
