use super::*;
use crate::diag::{Level, Rule, SourceFile};
use crate::json::{Dialect, parse};
use proptest::prelude::*;

macro_rules! rule {
    ($name:ident, $code:literal, $level:ident) => {
        static $name: Rule = Rule { code: $code, level: Level::$level, summary: "", docs: "" };
    };
}
rule!(MISSING, "missing", Error);
rule!(WRONG, "wrong", Error);
rule!(UNKNOWN, "unknown", Warning);

const SPAWN: &str = r#"{
    "slug": "acme", "flags": ["--acme"], "transport": "spawn",
    "probe": { "kind": "command-exists", "binary": "acme" },
    "invoke": {
        "binary": "acme", "args": ["review", "{{model}}", "-p", "-"],
        "promptChannel": "stdin", "outputChannel": "stdout",
        "modelArg": "--model", "effortChannel": "none"
    },
    "timeoutFloorMs": 900000, "emptyOutput": "stub-with-stderr", "reviewsSection": "Acme",
    "evidenceClass": "source-grounded", "requiresBinaries": [], "promptBudgetKey": null,
    "modelConfigKey": "review.models.acme", "handler": null
}"#;

const HTTP: &str = r#"{
    "slug": "acme_local", "flags": ["--acme-local"], "transport": "openai-http",
    "probe": {
        "kind": "http-reachable", "hostConfigKey": "review.acme_host",
        "path": "/v1/models", "timeoutMs": 2000
    },
    "invoke": {
        "hostConfigKey": "review.acme_host", "defaultHost": "http://localhost:8080",
        "path": "/v1/chat/completions", "modelDiscovery": "first-from-models-endpoint",
        "fallbackModel": "acme-7b", "effortChannel": "none"
    },
    "timeoutFloorMs": 120000, "timeoutConfigKey": "review.timeouts.acme_local",
    "emptyOutput": "stub-with-stderr", "reviewsSection": "Acme Local",
    "evidenceClass": "source-grounded", "requiresBinaries": [],
    "promptBudgetKey": "review.max_prompt_tokens_per_reviewer.acme_local",
    "modelConfigKey": "review.models.acme_local", "handler": "openai-compatible"
}"#;

fn read_text(text: &str) -> (Option<Descriptor>, Vec<crate::diag::Diagnostic>) {
    let file = SourceFile::new("capability.json", text);
    let (node, found) = parse(&file, Dialect::Strict);
    let Some(node) = node else { return (None, found) };
    let mut sink = Sink::new(file, &MISSING, &WRONG, &UNKNOWN);
    let descriptor = read(&node, &Pointer::root().key("reviewer"), &mut sink);
    (descriptor, sink.finish())
}

fn codes(text: &str) -> Vec<&'static str> {
    let (descriptor, found) = read_text(text);
    let errors = found.iter().any(|d| d.level == Level::Error);
    assert_eq!(descriptor.is_none(), errors, "a descriptor is read exactly where no error is");
    let mut codes: Vec<_> = found.iter().map(|d| d.rule.code).collect();
    codes.sort_unstable();
    codes
}

/// The body with one value replaced (or removed, by an empty text), by JSON Pointer.
fn with(body: &str, changes: &[(&str, &str)]) -> String {
    let mut value: serde_json::Value = serde_json::from_str(body).expect("a body is JSON");
    for (pointer, new) in changes {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        let object = value.pointer_mut(parent).and_then(|v| v.as_object_mut()).expect("an object");
        if new.is_empty() {
            object.remove(key);
        } else {
            object.insert(key.into(), serde_json::from_str(new).expect("a JSON value"));
        }
    }
    value.to_string()
}

#[test]
fn complete_bodies_have_no_fault() {
    assert_eq!(codes(SPAWN), [""; 0]);
    assert_eq!(codes(HTTP), [""; 0]);
    let (http, _) = read_text(HTTP);
    let keys: Vec<String> =
        http.expect("read").config_keys().iter().map(|key| key.to_string()).collect();
    assert_eq!(keys.len(), 4);
    assert!(keys.is_sorted());
}

#[test]
fn an_empty_body_lacks_twelve_fields() {
    assert_eq!(codes("{}"), ["missing"; 12]);
}

#[test]
fn anything_but_an_object_is_one_error() {
    for body in ["null", "true", "0", "\"x\"", "[]"] {
        assert_eq!(codes(body), ["wrong"], "{body}");
    }
}

#[test]
fn one_fault_one_code() {
    let cases: &[(&str, &str, &str, &[&str])] = &[
        (SPAWN, "/slug", r#""constructor""#, &["reviewer/bad-slug"]),
        (SPAWN, "/slug", r#""4o-mini""#, &[]),
        (SPAWN, "/slug", "7", &["wrong"]),
        (SPAWN, "/flags", "[]", &["reviewer/no-flag"]),
        (SPAWN, "/flags", r#"["--A", 3]"#, &["reviewer/bad-flag", "wrong"]),
        (SPAWN, "/flags", r#"["--a", "--a"]"#, &["reviewer/duplicate-flag"]),
        (SPAWN, "/flags", r#"["--max-cycles"]"#, &["reviewer/reserved-flag"]),
        (SPAWN, "/transport", r#""spwan""#, &["reviewer/unknown-word"]),
        (SPAWN, "/transport", "", &["missing"]),
        (SPAWN, "/timeoutFloorMs", "0", &["reviewer/bad-number"]),
        (SPAWN, "/timeoutFloorMs", "1.5", &["reviewer/bad-number"]),
        (SPAWN, "/timeoutFloorMs", "1e15", &["reviewer/bad-number"]),
        (SPAWN, "/timeoutFloorMs", "-1", &["reviewer/bad-number"]),
        (SPAWN, "/timeoutFloorMs", "\"900000\"", &["wrong"]),
        (SPAWN, "/timeoutFloorMs", "9e5", &[]),
        (SPAWN, "/emptyOutput", r#""handler-owned""#, &["reviewer/output-owner"]),
        (SPAWN, "/reviewsSection", r#""X\n## Consensus Summary""#, &["reviewer/bad-heading"]),
        (SPAWN, "/evidenceClass", r#""vibes""#, &["reviewer/unknown-word"]),
        (SPAWN, "/requiresBinaries", r#"[""]"#, &["reviewer/bad-binary"]),
        (SPAWN, "/requiresBinaries", r#"["jq"]"#, &[]),
        (SPAWN, "/promptBudgetKey", r#""""#, &["reviewer/bad-key"]),
        (SPAWN, "/promptBudgetKey", "", &["missing"]),
        (SPAWN, "/modelConfigKey", "", &["reviewer/model-key"]),
        (SPAWN, "/modelConfigKey", r#""""#, &["reviewer/bad-key"]),
        (SPAWN, "/handler", r#""openai-compatible""#, &["reviewer/handler-transport"]),
        (SPAWN, "/handler", r#""./mine.js""#, &["reviewer/unknown-word"]),
        (SPAWN, "/sluggg", "1", &["unknown"]),
        (SPAWN, "/invoke/binary", r#""../x""#, &["reviewer/bad-binary"]),
        (SPAWN, "/invoke/binary", r#""a b\nc""#, &["reviewer/bad-binary"]),
        (SPAWN, "/invoke/binary", r#""/opt/acme""#, &["reviewer/probe-mismatch"]),
        (SPAWN, "/invoke/args", r#"["{{foo}}", "{{model}}"]"#, &["reviewer/bad-placeholder"]),
        (SPAWN, "/invoke/args", r#"["x{{model}}y"]"#, &["reviewer/bad-placeholder"]),
        (SPAWN, "/invoke/args", r#"["{{file:a}}", "{{model}}"]"#, &["reviewer/bad-placeholder"]),
        (SPAWN, "/invoke/args", r#"["-"]"#, &["reviewer/model-placeholder"]),
        (
            SPAWN,
            "/invoke/args",
            r#"["{{model}}", "{{prompt}}", "{{output}}"]"#,
            &["reviewer/output-placeholder", "reviewer/prompt-placeholder"],
        ),
        (SPAWN, "/invoke/promptChannel", r#""argv""#, &["reviewer/prompt-placeholder"]),
        (SPAWN, "/invoke/promptChannel", r#""none""#, &["reviewer/no-prompt-evidence"]),
        (SPAWN, "/invoke/outputChannel", r#""file-arg""#, &["missing"]),
        (SPAWN, "/invoke/outputArg", r#""-o""#, &["reviewer/forbidden-field"]),
        (SPAWN, "/invoke/modelArg", r#""""#, &["reviewer/empty-text"]),
        (SPAWN, "/invoke/modelArg", "", &["missing"]),
        (SPAWN, "/invoke/modelArg", "null", &["reviewer/model-key", "reviewer/model-placeholder"]),
        (SPAWN, "/invoke/agentArg", r#""--agent""#, &["reviewer/agent-placeholder"]),
        (SPAWN, "/invoke/effortChannel", r#""argv""#, &["reviewer/effort-without-effect"]),
        (SPAWN, "/invoke/effortChannel", r#""env""#, &["reviewer/effort-without-effect"]),
        (SPAWN, "/invoke/unknown", "1", &["unknown"]),
        (SPAWN, "/invoke/files", r#"{"../x": "y"}"#, &["reviewer/bad-file"]),
        (SPAWN, "/invoke/path", r#""/v1""#, &["reviewer/forbidden-field", "reviewer/mixed-shapes"]),
        (SPAWN, "/probe/kind", r#""exists""#, &["reviewer/unknown-word"]),
        (SPAWN, "/probe/needle", r#""x""#, &["reviewer/forbidden-field"]),
        (SPAWN, "/probe/other", "1", &["unknown"]),
        (SPAWN, "/env", r#"["LD_PRELOAD"]"#, &["reviewer/bad-variable"]),
        (SPAWN, "/env", r#"["ACME_KEY", "A B"]"#, &["reviewer/bad-variable"]),
        (SPAWN, "/acceptExit", "[3, 256]", &["reviewer/bad-number"]),
        (SPAWN, "/posture", r#""readonly""#, &["reviewer/unknown-word"]),
        (SPAWN, "/vendor", r#""Acme, Inc.""#, &["reviewer/bad-vendor"]),
        (HTTP, "/handler", "null", &["reviewer/implied-handler"]),
        (HTTP, "/handler", r#""antigravity""#, &["reviewer/handler-transport"]),
        (HTTP, "/invoke/path", r#"".evil.example/x""#, &["reviewer/bad-path"]),
        (HTTP, "/invoke/path", r#""@evil.example/x""#, &["reviewer/bad-path"]),
        (HTTP, "/invoke/path", r#""//evil.example""#, &["reviewer/bad-path"]),
        (HTTP, "/invoke/defaultHost", r#""localhost:1""#, &["reviewer/bad-host"]),
        (HTTP, "/invoke/defaultHost", "5", &["wrong"]),
        (HTTP, "/invoke/hostConfigKey", "null", &["reviewer/bad-key"]),
        (HTTP, "/invoke/hostConfigKey", r#""review.other""#, &["reviewer/probe-mismatch"]),
        (HTTP, "/invoke/effortChannel", r#""argv""#, &["reviewer/forbidden-field"]),
        (HTTP, "/probe/timeoutMs", "", &["missing"]),
    ];
    for (body, pointer, value, expected) in cases {
        assert_eq!(codes(&with(body, &[(pointer, value)])), *expected, "{pointer} = {value}");
    }
}

#[test]
fn an_unknown_transport_leaves_the_shape_unjudged() {
    let body = with(SPAWN, &[("/transport", "\"x\""), ("/invoke/path", "5")]);
    assert_eq!(codes(&body), ["reviewer/mixed-shapes", "reviewer/unknown-word"]);
}

#[test]
fn a_word_is_suggested() {
    let (_, found) = read_text(&with(SPAWN, &[("/transport", "\"spwan\"")]));
    assert_eq!(found[0].help.as_deref(), Some("did you mean `spawn`?"));
    assert_eq!(found[0].label.as_deref(), Some("expected `spawn` or `openai-http`"));
    assert_eq!(found[0].at.text(), "\"spwan\"");
    assert_eq!(found[0].at.pointer.as_deref(), Some("/reviewer/transport"));
}

#[test]
fn levels_that_a_program_does_not_know_become_the_nearest() {
    let known = |levels: &[EffortLevel]| Effort {
        channel: EffortChannel::Argv,
        args: vec![],
        levels: levels.to_vec(),
        variable: None,
    };
    let claude = known(&EffortLevel::ALL[1..]);
    assert_eq!(claude.nearest(EffortLevel::Minimal), EffortLevel::Low);
    assert_eq!(claude.nearest(EffortLevel::Max), EffortLevel::Max);
    let codex = known(&EffortLevel::ALL[..5]);
    assert_eq!(codex.nearest(EffortLevel::Max), EffortLevel::Xhigh);
    let three = known(&[EffortLevel::Low, EffortLevel::High]);
    assert_eq!(three.nearest(EffortLevel::Medium), EffortLevel::Low);
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<f64>().prop_map(|n| serde_json::json!(n)),
        "[-{}/a-z.\n]{0,12}".prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            proptest::collection::hash_map("[a-zA-Z]{0,8}", inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    /// Every field of every wrong type: diagnostics, no panic.
    #[test]
    fn any_value_in_any_field(http: bool, index in 0usize..64, value in any_json()) {
        let body = if http { HTTP } else { SPAWN };
        let root: serde_json::Value = serde_json::from_str(body).expect("a body is JSON");
        let mut pointers = vec![];
        for (key, member) in root.as_object().expect("object") {
            pointers.push(format!("/{key}"));
            if let Some(inner) = member.as_object() {
                pointers.extend(inner.keys().map(|inner| format!("/{key}/{inner}")));
            }
        }
        let pointer = &pointers[index % pointers.len()];
        codes(&with(body, &[(pointer, &value.to_string())]));
    }

    #[test]
    fn any_body(value in any_json()) {
        codes(&value.to_string());
    }
}

#[test]
fn steps_before_the_review() {
    let with = |setup: &str| SPAWN.replacen("{\n", &format!("{{ \"setup\": {setup},\n"), 1);
    let steps = |setup: &str| read_text(&with(setup)).0.map(|lane| lane.setup);
    let plain = steps(r#"[["new"], {"args": ["load", "{{captured:x}}"]}]"#);
    assert_eq!(plain, None, "a value that nobody captures");
    let good = r#"[{"args": ["new"], "capture": {"name": "x", "pointer": "/id"}, "timeoutMs": 5},
                   ["load", "{{captured:x}}"]]"#;
    let good = steps(good).unwrap();
    assert_eq!(good[0].limit, Duration::from_millis(5));
    assert_eq!(good[0].capture.as_ref().unwrap().from, CaptureFrom::Pointer("/id".into()));
    assert_eq!(good[1].limit, Duration::from_secs(60));
    for bad in [
        r#""new""#,
        r#"[[]]"#,
        r#"[["x", 7]]"#,
        r#"[{"args": ["new"], "capture": {"name": "X"}}]"#,
        r#"[{"args": ["new"], "capture": {"name": "x", "after": "a", "pointer": "/b"}}]"#,
        r#"[{"args": ["new"], "capture": {"name": "x", "pointer": "id"}}]"#,
        r#"[{"args": ["new"], "timeoutMs": 0}]"#,
        r#"[{"capture": {"name": "x"}}]"#,
    ] {
        assert_eq!(steps(bad), None, "{bad}");
    }
    assert_eq!(codes(&with(r#"[{"args": ["new"], "frobnicate": 1}]"#)), ["unknown"]);
    let late = with(r#"[["new"]]"#).replace(r#""review", "#, r#""{{captured:x}}", "#);
    assert_eq!(codes(&late), ["reviewer/bad-placeholder"]);
    let server = HTTP.replacen("{\n", "{ \"setup\": [[\"new\"]],\n", 1);
    assert_eq!(codes(&server), ["reviewer/forbidden-field"]);
}
