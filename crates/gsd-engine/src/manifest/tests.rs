//! What the reader of manifests promises whatever it is given.

use super::*;
use proptest::prelude::*;

fn check(text: &str) -> Parsed {
    let context = Context { origin: Origin::ThirdParty, folder: None };
    parse(&SourceFile::new("capability.json", text), context)
}

fn codes(parsed: &Parsed) -> Vec<&'static str> {
    parsed.diagnostics.iter().map(|found| found.rule.code).collect()
}

/// Scenario 1, and the base of the others.
const PLAIN: &str = r#"{
  "id": "acme", "role": "feature", "version": "1.0.0", "title": "Acme", "description": "Acme.",
  "tier": "full", "requires": [], "runtimeCompat": { "supported": ["*"], "unsupported": [] },
  "skills": [], "agents": [], "config": {}, "steps": [], "contributions": [], "gates": []
}"#;

#[test]
fn a_plain_feature_is_clean() {
    let parsed = check(PLAIN);
    assert_eq!(codes(&parsed), Vec::<&str>::new());
    assert!(parsed.manifest.is_some());
}

#[test]
fn scenario_2_versions() {
    for (bad, fixed) in
        [("1.0", "1.0.0"), ("v1.0.0", "1.0.0"), ("1.0.0-01", ""), ("1.0.0\\n", "1.0.0")]
    {
        let parsed = check(&PLAIN.replace("\"1.0.0\"", &format!("\"{bad}\"")));
        assert_eq!(codes(&parsed), ["manifest/version"], "{bad}");
        let fix = parsed.diagnostics[0].fix.as_ref().map(|fix| fix.replacement.as_str());
        assert_eq!(fix.unwrap_or_default().trim_matches('"'), fixed);
    }
}

#[test]
fn scenario_3_ranges() {
    let with = |range: &str| {
        let text =
            PLAIN.replace("\"tier\"", &format!("\"engines\": {{\"gsd\": {range}}}, \"tier\""));
        codes(&check(&text)).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(with("\">=1.0.0 <2.0.0\""), Vec::<String>::new());
    for bad in ["\"latest\"", "\"\"", "\"foo1\"", "\">=\""] {
        assert_eq!(with(bad), ["manifest/range"], "{bad}");
    }
}

#[test]
fn scenario_4_the_folder_names_both() {
    let context = Context { origin: Origin::ThirdParty, folder: Some("a") };
    let parsed = parse(&SourceFile::new("a/capability.json", PLAIN), context);
    assert_eq!(codes(&parsed), ["manifest/id-folder"]);
    let message = &parsed.diagnostics[0].message;
    assert!(message.contains("`acme`") && message.contains("`a`"), "{message}");
}

#[test]
fn scenario_5_misspelled_fields() {
    let parsed = check(&PLAIN.replace("\"contributions\"", "\"contributons\""));
    assert_eq!(codes(&parsed), ["manifest/missing-field", "manifest/unknown-field"]);
    let help = |at: usize| parsed.diagnostics[at].help.as_deref();
    assert_eq!(help(0), Some("rename `contributons` to `contributions`"));
    assert_eq!(help(1), Some("did you mean `contributions`?"));
    let step = r#""steps": [{"point":"plan:pre","ref":{"skill":"a"},"produces":[],"consumes":[],"onEror":"skip"}]"#;
    let text =
        PLAIN.replace("\"steps\": []", step).replace("\"skills\": []", "\"skills\": [\"a\"]");
    assert_eq!(codes(&check(&text)), ["manifest/missing-field", "manifest/unknown-field"]);
}

#[test]
fn scenario_6_a_null_step_hides_nothing() {
    let text = PLAIN
        .replace("\"steps\": []", "\"steps\": [null]")
        .replace("\"gates\": []", "\"gates\": [null]")
        .replace("\"full\"", "\"mega\"");
    let parsed = check(&text);
    assert_eq!(
        codes(&parsed),
        ["manifest/bad-value", "manifest/wrong-type", "manifest/wrong-type"]
    );
    assert_eq!(parsed.diagnostics[1].at.pointer.as_deref(), Some("/steps/0"));
}

#[test]
fn every_error_has_a_place_in_the_text() {
    let text = PLAIN.replace("\"full\"", "7").replace("\"acme\"", "\"Acme\"");
    for found in check(&text).diagnostics {
        assert!(!found.at.text().is_empty(), "{}", found.message);
        assert!(found.at.pointer.is_some());
    }
}

#[test]
fn rt_57_an_empty_lane_lacks_twelve_fields() {
    let text = r#"{"id":"a","role":"reviewer","version":"1.0.0","title":"A","description":"A",
      "tier":"full","requires":[],"reviewer":{}}"#;
    let parsed = check(text);
    assert_eq!(codes(&parsed), ["manifest/missing-field"; 12]);
}

#[test]
fn rt_57_unknown_keys_at_three_levels_warn() {
    let text = PLAIN
        .replace("\"tier\"", "\"one\": 1, \"tier\"")
        .replace("\"unsupported\": []", "\"unsupported\": [], \"two\": 2")
        .replace(
            "\"gates\": []",
            r#""gates": [{"point":"ship:pre","check":{"query":"ui.plan-gate","three":3},"blocking":true,"onError":"skip"}]"#,
        );
    let parsed = check(&text);
    assert_eq!(codes(&parsed), ["manifest/unknown-field"; 3]);
    assert!(parsed.manifest.is_some());
}

#[test]
fn rt_57_hostile_sizes_are_cheap() {
    let keys = |count: usize| -> String {
        let many: String = (0..count).map(|i| format!("\"k{i}\":0,")).collect();
        PLAIN.replace("{\n", &format!("{{ {many}"))
    };
    assert_eq!(check(&keys(900)).diagnostics.len(), 11);
    assert_eq!(codes(&check(&keys(1_000_000))), ["manifest/too-many"]);
    let long = PLAIN.replace("\"Acme.\"", &format!("\"{}\"", "x".repeat(10 << 20)));
    assert_eq!(codes(&check(&long)), Vec::<&str>::new());
    let deep = format!("{{\"a\":{}", "[".repeat(1 << 20));
    assert_eq!(codes(&check(&deep)), ["json/syntax"]);
    for odd in ["\u{feff}{}", "{\"a\":\"\\ud800\"}", "", "nul", "{\"a\":1,}"] {
        assert_eq!(codes(&check(odd)), ["json/syntax"], "{odd}");
    }
    for scalar in ["null", "[]", "1", "\"x\"", "true"] {
        assert_eq!(codes(&check(scalar)), ["manifest/wrong-type"], "{scalar}");
    }
    let twice = PLAIN.replace("\"tier\"", "\"id\": \"b\", \"tier\"");
    assert_eq!(codes(&check(&twice)), ["json/duplicate-key"]);
}

#[test]
fn what_is_not_listed_is_of_the_rule_that_is_listed() {
    let many = vec!["\"A B\""; 900].join(",");
    let parsed = check(&PLAIN.replace("\"requires\": []", &format!("\"requires\": [{many}]")));
    let summary = |found: &&Diagnostic| found.message.ends_with("more problems are not listed");
    assert_eq!(parsed.diagnostics.iter().filter(summary).count(), 1);
    let codes: std::collections::BTreeSet<&str> = codes(&parsed).into_iter().collect();
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), ["manifest/bad-value"]);
}

/// Any JSON value, biased towards words that mean something.
fn json_value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i32>().prop_map(Into::into),
        any::<f64>().prop_map(|f| serde_json::json!(f)),
        prop::sample::select(vec![
            "",
            "plan:pre",
            "*",
            "skip",
            "settings-json",
            "__proto__",
            "../x",
            "gsd-x",
            "spawn",
            "stdin",
            "{{model}}",
            "command-exists",
            "none",
            "undocumented",
            "a.b",
            "a",
            "\u{202e}",
        ])
        .prop_map(Into::into),
        ".{0,12}".prop_map(Into::into),
    ];
    let keys = prop::sample::select(vec![
        "skill",
        "agent",
        "command",
        "path",
        "inline",
        "kind",
        "query",
        "predicate",
        "agentVerdict",
        "point",
        "into",
        "when",
        "produces",
        "consumes",
        "type",
        "default",
        "values",
        "name",
        "env",
        "global",
        "local",
        "supported",
        "unsupported",
        "notes",
        "dispatch",
        "binary",
        "args",
        "x",
        "constructor",
    ]);
    leaf.prop_recursive(4, 40, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::Array),
            prop::collection::vec((keys.clone(), inner), 0..6).prop_map(|pairs| {
                pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            }),
        ]
    })
}

/// A document with the keys of a manifest and anything as their values.
pub(crate) fn document() -> impl Strategy<Value = serde_json::Value> {
    let keys = [
        "id",
        "role",
        "version",
        "title",
        "description",
        "tier",
        "requires",
        "engines",
        "runtimeCompat",
        "compatVersions",
        "integrity",
        "provenance",
        "author",
        "keywords",
        "skills",
        "agents",
        "hooks",
        "config",
        "steps",
        "contributions",
        "gates",
        "activationKey",
        "commands",
        "mcpServers",
        "runtime",
        "reviewer",
    ];
    let role = prop::sample::select(vec!["feature", "runtime", "reviewer", "widget"]);
    let pairs = prop::collection::vec((prop::sample::select(keys.to_vec()), json_value()), 0..12);
    (role, pairs).prop_map(|(role, pairs)| {
        let mut document: serde_json::Value = serde_json::from_str(PLAIN).expect("JSON");
        document["role"] = role.into();
        for (key, value) in pairs {
            document[key] = value;
        }
        document
    })
}

proptest! {
    #[test]
    fn any_text_in_diagnostics_out(text in any::<String>()) {
        let parsed = check(&text);
        prop_assert!(parsed.manifest.is_some() || !parsed.diagnostics.is_empty());
    }

    #[test]
    fn any_document_in_diagnostics_with_places_out(document in document()) {
        let text = serde_json::to_string_pretty(&document).expect("serialises");
        let parsed = check(&text);
        let refused = parsed.diagnostics.iter().any(|found| found.level == Level::Error);
        prop_assert_eq!(parsed.manifest.is_none(), refused);
        for found in &parsed.diagnostics {
            prop_assert!(found.at.span.end <= text.len() && found.at.pointer.is_some());
            prop_assert!(text.get(found.at.span.clone()).is_some());
        }
    }
}

/// A lane of each kind, with every field that must be there.
const SERVER: &str = r#"{
  "slug": "acme", "flags": ["--acme"], "transport": "openai-http",
  "probe": { "kind": "http-reachable", "hostConfigKey": "review.acme_host", "path": "/v1", "timeoutMs": 500 },
  "invoke": { "hostConfigKey": "review.acme_host", "path": "/v1/chat", "modelDiscovery": "none", "effortChannel": "none" },
  "timeoutFloorMs": 1000, "emptyOutput": "stub-with-stderr", "reviewsSection": "Acme",
  "evidenceClass": "source-grounded", "requiresBinaries": [], "promptBudgetKey": null,
  "handler": "openai-compatible"
}"#;

const PROGRAM: &str = r#"{
  "slug": "acme", "flags": ["--acme"], "transport": "spawn",
  "probe": { "kind": "command-exists", "binary": "acme" },
  "invoke": { "binary": "acme", "args": [], "promptChannel": "stdin", "outputChannel": "stdout", "modelArg": null, "effortChannel": "none" },
  "timeoutFloorMs": 1000, "emptyOutput": "stub-with-stderr", "reviewsSection": "Acme",
  "evidenceClass": "source-grounded", "requiresBinaries": [], "promptBudgetKey": null,
  "handler": null
}"#;

fn reviewer(body: &str) -> serde_json::Value {
    let keys = r#""config": { "review.acme_host": { "type": "string", "default": "", "description": "Where." } }"#;
    let text = format!(
        r#"{{ "id": "acme", "role": "reviewer", "version": "1.0.0", "title": "Acme", "description": "Acme.",
           "tier": "full", "requires": [], {keys}, "reviewer": {body} }}"#
    );
    serde_json::from_str(&text).expect("JSON")
}

/// Every place of a value, as pointers.
fn places(value: &serde_json::Value, at: String, found: &mut Vec<String>) {
    found.push(at.clone());
    match value {
        serde_json::Value::Object(members) => {
            for (key, value) in members {
                places(value, format!("{at}/{key}"), found);
            }
        }
        serde_json::Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                places(value, format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// The key, if any, and the value that a help text tells to write: `write "key": VALUE`.
fn told(help: &str) -> Option<(Option<&str>, serde_json::Value)> {
    let text = help.split('`').nth(1)?;
    let (key, value) = match text.split_once("\": ") {
        Some((key, value)) => (Some(key.trim_start_matches('"')), value),
        None => (None, text),
    };
    Some((key, serde_json::from_str(value).ok()?))
}

/// The value with what a diagnostic tells to write, if it tells that.
fn mended(broken: &serde_json::Value, error: &Diagnostic) -> Option<serde_json::Value> {
    let (key, value) = told(error.help.as_deref()?)?;
    let pointer = error.at.pointer.as_deref()?;
    let mut mended = broken.clone();
    let place = mended.pointer_mut(pointer)?;
    match (key, place) {
        (Some(key), serde_json::Value::Object(members))
            if !pointer.ends_with(&format!("/{key}")) =>
        {
            members.insert(key.to_owned(), value);
        }
        (_, place) => *place = value,
    }
    Some(mended)
}

#[test]
fn what_an_error_tells_to_write_is_accepted() {
    let plain: serde_json::Value = serde_json::from_str(PLAIN).expect("JSON");
    let mut tried = 0;
    for whole in [plain, reviewer(SERVER), reviewer(PROGRAM)] {
        assert!(check(&whole.to_string()).manifest.is_some(), "the base is clean");
        let mut found = vec![];
        places(&whole, String::new(), &mut found);
        for place in found.iter().skip(1) {
            let (above, key) = place.rsplit_once('/').expect("a pointer");
            let wrong = [serde_json::json!(1.5), serde_json::json!({}), serde_json::json!("?!")];
            for wrong in wrong.into_iter().map(Some).chain([None]) {
                let mut broken = whole.clone();
                match (wrong, broken.pointer_mut(above)) {
                    (Some(wrong), _) => *broken.pointer_mut(place).expect("there") = wrong,
                    (None, Some(serde_json::Value::Object(members))) => drop(members.remove(key)),
                    (None, _) => continue,
                }
                for error in check(&broken.to_string()).diagnostics {
                    let Some(mended) = mended(&broken, &error) else { continue };
                    let again = check(&mended.to_string()).diagnostics;
                    let same = |other: &&Diagnostic| {
                        (other.rule.code, &other.at.pointer, &other.message)
                            == (error.rule.code, &error.at.pointer, &error.message)
                    };
                    assert!(!again.iter().any(|other| same(&other)), "{place}: {:?}", error.help);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 60, "only {tried} remedies were tried");
}

#[test]
fn a_transport_that_the_call_contradicts_is_one_error() {
    for (body, said, meant) in [(SERVER, "spawn", "openai-http"), (PROGRAM, "openai-http", "spawn")]
    {
        for wrong in [serde_json::json!(said), serde_json::json!(true), serde_json::json!("zzz")] {
            let mut broken = reviewer(body);
            broken["reviewer"]["transport"] = wrong;
            let parsed = check(&broken.to_string());
            let errors: Vec<_> =
                parsed.diagnostics.iter().filter(|d| d.level == Level::Error).collect();
            assert_eq!(errors.len(), 1, "{errors:?}");
            assert_eq!(errors[0].at.pointer.as_deref(), Some("/reviewer/transport"));
            let help = errors[0].help.as_deref().unwrap_or_default();
            assert!(help.contains(&format!("\"{meant}\"")), "{help}");
        }
    }
}
