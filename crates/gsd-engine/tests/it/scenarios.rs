//! What somebody who knows only the contract would try on manifests and the registry, and where each
//! of it is tested. `(here)` is this file; the others are named by their modules.
//!
//! | Scenario | In words | Test |
//! | --- | --- | --- |
//! | 1 | a plain feature is valid, and nothing is said of it | `manifest::tests::a_plain_feature_is_clean` |
//! | 2 | `1.0`, `v1.0.0`, `1.0.0-01`, a trailing line break are no versions | `manifest::tests::scenario_2_versions` |
//! | 3 | `latest`, nothing and `foo1` are no ranges | `manifest::tests::scenario_3_ranges` |
//! | 4 | an id that is not its folder's name: both are named | `manifest::tests::scenario_4_the_folder_names_both` |
//! | 5 | misspelled fields are told with the right word | `manifest::tests::scenario_5_misspelled_fields` |
//! | 6 | a null among steps has its place and hides no other fault | `manifest::tests::scenario_6_a_null_step_hides_nothing` |
//! | 7 | a step names one skill or agent, without a prefix, of its own | (here) |
//! | 8 | a verdict of an agent may not block | (here) |
//! | 9 | no predicate is of kind `bogus` | (here) |
//! | 10 | a contribution goes to a role that the point has | (here) |
//! | 11 | `when` names a setting of one's own | (here) |
//! | 12 | a fragment is a modest regular file inside the bundle | (here) |
//! | 13 | bad settings: the key is named, nobody else suffers | (here) |
//! | 14 | two or three owners of a skill: one diagnostic; gsd's own stays | `registry::set::scenario_14_…`, (here) |
//! | 15 | requiring oneself, in a circle, up the tiers, the unknown | `registry::set::scenario_15_requirements`, (here) |
//! | 16 | what the host makes is there after its step, not before | `registry::set::scenario_16_the_hosts_artefacts` |
//! | 17 | made by oneself only, later only, never: three errors | `registry::set::scenario_17_…` |
//! | 18 | one producer for each artefact at a point | `registry::set::scenario_18_…` |
//! | 19, 20 | steps in the smallest order that respects what they need | (here), `hook::order::tests` |
//! | 29 | an overlay for a later host is out, its gates are told | `registry::compose::scenario_29_…`, `overlays::…` of gsd-cli |
//! | 30 | one without consent is listed with the command, not described | `registry::compose::scenario_30_…`, `overlays::…` of gsd-cli |
//! | 31 | a requirement may come in a later folder | `registry::compose::scenario_31_…`, `overlays::…` of gsd-cli |
//! | RT-45 | slug, flag and heading are owned once, also by case, by three | `registry::{set,compose}::rt_45_…`, (here) |
//! | RT-57 | any manifest gives diagnostics, in bounded time, never a panic | `manifest::tests::rt_57_…`, (here) |

use crate::registry::{feature, lane, messages, overlay, step, stepper};
use camino::Utf8Path;
use gsd_engine::diag::{Diagnostic, Level, SourceFile};
use gsd_engine::id::Point;
use gsd_engine::manifest::{Context, Origin, Parsed, parse, read_bundle};
use gsd_engine::registry::{Composition, Overlay, Reason, Scope, check_set, compose, first_party};
use serde_json::{Value, json};

fn read(value: &Value) -> Parsed {
    let text = serde_json::to_string_pretty(value).expect("serialises");
    let folder = value["id"].as_str();
    parse(&SourceFile::new("capability.json", text), Context { origin: Origin::ThirdParty, folder })
}

fn errors(value: &Value) -> Vec<String> {
    let found: Vec<Diagnostic> = read(value).diagnostics;
    let errors: Vec<Diagnostic> =
        found.into_iter().filter(|found| found.level == Level::Error).collect();
    messages(&errors)
}

fn global(value: &Value) -> Overlay {
    overlay(Scope::Global, value)
}

fn active(composition: &Composition) -> Vec<&str> {
    composition.registry.capabilities().map(|c| c.id().as_str()).collect()
}

fn skips(composition: &Composition) -> Vec<(&str, Reason)> {
    composition.skips.iter().map(|skip| (skip.id.as_str(), skip.reason)).collect()
}

#[test]
fn scenario_7_a_step_names_one_thing_of_its_own() {
    let with = |reference: Value| {
        let mut step = step("plan:pre", "mine", &[], &[]);
        step["ref"] = reference;
        let value = json!({ "skills": ["mine"], "agents": ["helper"], "steps": [step] });
        errors(&feature("acme", value))
    };
    assert_eq!(with(json!({ "skill": "mine" })), Vec::<String>::new());
    assert_eq!(with(json!({ "agent": "helper" })), Vec::<String>::new());
    assert_eq!(
        with(json!({ "skill": "mine", "agent": "helper" })),
        ["hook/ref-form: 2 things to run in one step"]
    );
    assert_eq!(
        with(json!({ "skill": "gsd-mine" })),
        ["hook/ref-prefix: a skill is named without the prefix `gsd-`"]
    );
    assert_eq!(
        with(json!({ "skill": "other" })),
        ["manifest/ref-unowned: the skill `other` is not one of this capability's"]
    );
}

fn gate(check: Value, blocking: bool) -> Value {
    json!({ "gates": [{
        "point": "ship:pre", "check": check, "blocking": blocking, "onError": "skip",
    }] })
}

#[test]
fn scenario_8_a_verdict_of_an_agent_does_not_block() {
    let verdict = json!({ "agentVerdict": "security" });
    assert_eq!(
        errors(&feature("acme", gate(verdict.clone(), true))),
        ["gate/verdict-blocking: what an agent thinks may not stop the loop"]
    );
    assert_eq!(errors(&feature("acme", gate(verdict, false))), Vec::<String>::new());
}

#[test]
fn scenario_9_an_unknown_predicate() {
    let bogus = json!({ "predicate": { "kind": "bogus" } });
    assert_eq!(
        errors(&feature("acme", gate(bogus, true))),
        ["gate/unknown-predicate: `bogus` is no kind of predicate"]
    );
}

fn contribution(extra: Value) -> Value {
    let mut one = json!({
        "point": "plan:pre", "into": "planner", "produces": [], "consumes": [],
        "fragment": { "inline": "text" },
    });
    if let (Value::Object(one), Value::Object(extra)) = (&mut one, extra) {
        one.extend(extra);
    }
    json!({ "contributions": [one] })
}

#[test]
fn scenario_10_a_role_that_the_point_does_not_have() {
    let parsed = read(&feature("acme", contribution(json!({ "into": "executor" }))));
    let found = &parsed.diagnostics;
    assert_eq!(messages(found), ["hook/unknown-role: no agent `executor` at plan:pre"]);
    let expected = found[0].label.as_deref().unwrap_or_default();
    for role in ["researcher", "planner", "checker"] {
        assert!(expected.contains(role), "{expected}");
    }
}

#[test]
fn scenario_11_when_names_a_setting_of_ones_own() {
    let value = feature("acme", contribution(json!({ "when": "workflow.ui_phase" })));
    assert_eq!(
        errors(&value),
        ["manifest/when-unowned: `workflow.ui_phase` is not a setting of this capability"]
    );
}

#[test]
fn scenario_12_a_fragment_is_a_modest_file_inside_the_bundle() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = Utf8Path::from_path(temporary.path()).expect("UTF-8");
    let folder = root.join("acme");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(root.join("secret.md"), "a secret outside").unwrap();
    std::fs::write(folder.join("good.md"), "a text").unwrap();
    std::fs::write(folder.join("large.md"), "x".repeat(9 << 20)).unwrap();
    std::os::unix::fs::symlink("../secret.md", folder.join("link.md")).unwrap();
    std::os::unix::fs::symlink("..", folder.join("up")).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(folder.join("fifo.md")).status().unwrap();
    assert!(fifo.success());
    let bundle = |path: &str| {
        let value = feature("acme", contribution(json!({ "fragment": { "path": path } })));
        std::fs::write(folder.join("capability.json"), value.to_string()).unwrap();
        let context = Context { origin: Origin::ThirdParty, folder: Some("acme") };
        read_bundle(&folder, "acme/capability.json", context)
    };
    let good = bundle("good.md");
    assert_eq!(messages(&good.parsed.diagnostics), Vec::<String>::new());
    assert_eq!(good.fragments["good.md"], "a text");
    for path in [
        "../secret.md",
        "/etc/hostname",
        "",
        "fifo.md",
        "large.md",
        "link.md",
        "up/secret.md",
        "none.md",
    ] {
        let bad = bundle(path);
        assert!(bad.manifest().is_none(), "`{path}` is an error");
        assert!(bad.fragments.is_empty(), "nothing is read for `{path}`");
        let found = &bad.parsed.diagnostics;
        assert_eq!(found.len(), 1, "`{path}`: {:?}", messages(found));
        assert_eq!(found[0].at.pointer.as_deref(), Some("/contributions/0/fragment/path"));
        assert!(!messages(found)[0].contains("secret outside"));
    }
}

#[test]
fn scenario_13_a_bad_setting_is_named_and_harms_nobody_else() {
    let setting = |extra: Value| {
        let mut one = json!({ "type": "boolean", "default": true, "description": "d" });
        if let (Value::Object(one), Value::Object(extra)) = (&mut one, extra) {
            one.extend(extra);
        }
        one
    };
    let mut undescribed = setting(json!({}));
    undescribed.as_object_mut().unwrap().remove("description");
    for (bad, code) in [
        (
            setting(json!({ "type": "enum", "values": ["a", "b"], "default": "c" })),
            "manifest/config-default",
        ),
        (setting(json!({ "type": "number", "default": "NaN" })), "manifest/config-default"),
        (undescribed, "manifest/missing-field"),
    ] {
        let value = feature("bad", json!({ "config": { "acme.level": bad } }));
        let found = read(&value).diagnostics;
        assert_eq!(found.iter().map(|found| found.rule.code).collect::<Vec<_>>(), [code]);
        let pointer = found[0].at.pointer.as_deref().expect("a place");
        assert!(pointer.starts_with("/config/acme.level"), "{pointer}");
        let composition =
            compose(vec![], vec![global(&value), global(&feature("good", json!({})))]);
        assert_eq!(active(&composition), ["good"]);
        assert_eq!(skips(&composition), [("bad", Reason::Invalid)]);
    }
}

#[test]
fn scenario_14_first_party_keeps_its_skill() {
    let thief = feature("thief", json!({ "skills": ["ui-phase"] }));
    let composition = compose(first_party(), vec![global(&thief)]);
    assert_eq!(skips(&composition), [("thief", Reason::Collision)]);
    assert_eq!(composition.registry.by_skill()["ui-phase"], "ui");
}

#[test]
fn scenario_15_nothing_requires_itself() {
    assert_eq!(
        errors(&feature("acme", json!({ "requires": ["acme"] }))),
        ["manifest/requires-itself: the capability requires itself"]
    );
}

/// Steps at plan:pre of a composition, by the ids of their capabilities.
fn order_of(overlays: Vec<Overlay>) -> Vec<String> {
    let registry = compose(vec![], overlays).registry;
    let at = registry.at_point(Point::PlanPre);
    at.steps.iter().map(|(owner, _)| owner.id().to_string()).collect()
}

#[test]
fn scenarios_19_and_20_the_smallest_order_that_works() {
    let at = |id: &str, made: &[&str], used: &[&str]| stepper(id, &[("plan:pre", made, used)]);
    let nineteen = [
        at("z", &["Z.md"], &[]),
        at("a", &[], &["Z.md"]),
        at("b", &[], &["Z.md"]),
        at("m", &[], &[]),
    ];
    let twenty =
        [at("a", &[], &[]), at("b", &["B.md"], &[]), at("c", &[], &["B.md"]), at("d", &[], &[])];
    for (set, expected) in [(nineteen, ["m", "z", "a", "b"]), (twenty, ["a", "b", "c", "d"])] {
        for by in 0..set.len() {
            let mut overlays: Vec<Overlay> = set.iter().map(global).collect();
            overlays.rotate_left(by);
            assert_eq!(order_of(overlays.clone()), expected);
            overlays.reverse();
            assert_eq!(order_of(overlays), expected);
        }
    }
}

#[test]
fn rt_45_three_claim_one_flag_and_case_does_not_tell_headings_apart() {
    let overlays = [
        lane("cc", json!({ "flags": ["--same"] })),
        lane("bb", json!({ "flags": ["--same"] })),
        lane("aa", json!({ "flags": ["--same"] })),
        lane("dd", json!({ "reviewsSection": "AA" })),
        lane("ee", json!({ "flags": ["--all"] })),
    ];
    for by in 0..overlays.len() {
        let mut set: Vec<Overlay> = overlays.iter().map(global).collect();
        set.rotate_left(by);
        let composition = compose(vec![], set);
        assert_eq!(active(&composition), ["aa"]);
        let lost = skips(&composition);
        assert_eq!(lost[..3], ["bb", "cc", "dd"].map(|id| (id, Reason::Collision)));
        assert_eq!(lost[3], ("ee", Reason::Invalid), "`--all` is a flag of gsd itself");
    }
    let manifests: Vec<_> = overlays[..3].iter().map(crate::registry::manifest).collect();
    let found = check_set(&manifests.iter().collect::<Vec<_>>());
    assert_eq!(
        messages(&found),
        ["registry/duplicate-lane-flag: the lane flag `--same` is claimed by `aa`, `bb` and `cc`"]
    );
}

/// Every value inside a document, by the steps that lead to it.
fn places(value: &Value, here: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect()
        }
        _ => vec![],
    };
    for (key, child) in children {
        here.push(key);
        found.push(here.clone());
        places(child, here, found);
        here.pop();
    }
}

fn at<'a>(value: &'a mut Value, path: &[String]) -> &'a mut Value {
    path.iter().fold(value, |value, key| match value {
        Value::Array(items) => &mut items[key.parse::<usize>().expect("an index")],
        other => &mut other[key.as_str()],
    })
}

/// Every value of every role, replaced by one of every type: diagnostics with places come out, and
/// whatever is refused says why.
#[test]
fn rt_57_every_field_of_every_wrong_type() {
    let wrong = [
        json!(null),
        json!(true),
        json!(-1.5),
        json!(""),
        json!("../__proto__"),
        json!([null]),
        json!({ "constructor": {} }),
    ];
    let mut tried = 0;
    for id in ["ui", "graphify", "codex", "ollama"] {
        let path = crate::registry::capabilities().join(id).join("capability.json");
        let text = std::fs::read_to_string(path).expect("a manifest");
        let whole: Value = serde_json::from_str(&text).expect("JSON");
        let mut found = vec![];
        places(&whole, &mut vec![], &mut found);
        for path in found {
            for value in &wrong {
                let mut changed = whole.clone();
                *at(&mut changed, &path) = value.clone();
                let parsed = read(&changed);
                let refused = parsed.diagnostics.iter().any(|found| found.level == Level::Error);
                assert_eq!(parsed.manifest.is_none(), refused, "{id} {path:?} = {value}");
                for found in &parsed.diagnostics {
                    assert!(found.at.pointer.is_some(), "{}", found.message);
                    let (start, end) = (found.at.span.start, found.at.span.end);
                    assert!(start < end || parsed.file.text().is_empty(), "{}", found.message);
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 1_000, "{tried}");
}
