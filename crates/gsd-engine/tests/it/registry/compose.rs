//! Composition: scenarios 29 to 31, RT-45, and what holds for any set of overlays.

use super::{feature, lane, messages, overlay, overlay_text, stepper};
use gsd_engine::id::Point;
use gsd_engine::registry::{
    Composition, Overlay, Provenance, Reason, Scope, Standing, Status, compose, first_party,
    render, rows,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn global(value: &Value) -> Overlay {
    overlay(Scope::Global, value)
}

/// Composes without gsd's own capabilities, so that a test sees only its own.
fn alone(overlays: Vec<Overlay>) -> Composition {
    compose(vec![], overlays)
}

fn active(composition: &Composition) -> Vec<&str> {
    composition.registry.capabilities().map(|c| c.id().as_str()).collect()
}

fn skips(composition: &Composition) -> Vec<(String, Reason)> {
    composition.skips.iter().map(|skip| (skip.id.clone(), skip.reason)).collect()
}

#[test]
fn gsds_own_registry_has_its_views() {
    let registry = compose(first_party(), vec![]).registry;
    let ids = |at: Vec<&str>| at.join(" ");
    let at = registry.at_point(Point::PlanPre);
    let owners = |hooks: Vec<&gsd_engine::registry::Capability>| {
        ids(hooks.iter().map(|c| c.id().as_str()).collect())
    };
    assert_eq!(
        owners(at.steps.iter().map(|(c, _)| *c).collect()),
        "ai-integration intel mempalace research pattern-mapper ui"
    );
    assert_eq!(
        owners(at.contributions.iter().map(|(c, _)| *c).collect()),
        "ai-integration assumption-delta schema-gate security tdd"
    );
    assert_eq!(owners(at.gates.iter().map(|(c, _)| *c).collect()), "drift ui");
    let sizes = (
        registry.by_skill().len(),
        registry.by_agent().len(),
        registry.command_families().len(),
        registry.clusters().len(),
        registry.runtimes().count(),
    );
    assert_eq!(sizes, (10, 14, 13, 8, 19));
    assert_eq!(registry.requires_closure("pattern-mapper"), ["research"]);
    let slugs: Vec<String> =
        registry.lanes().iter().map(|lane| lane.slug().to_string()).take(12).collect();
    assert_eq!(
        slugs.join(" "),
        "gemini claude codex coderabbit opencode qwen cursor antigravity ollama lm_studio llama_cpp kimi-code"
    );
    let standard = registry.profile(gsd_engine::manifest::Tier::Standard);
    assert!(standard.contains("research") && !standard.contains("ui"));
}

#[test]
fn the_document_is_stable() {
    let one = render(&compose(first_party(), vec![]).registry);
    let two = render(&compose(first_party().into_iter().rev().collect(), vec![]).registry);
    assert_eq!(one, two);
    assert!(one.ends_with("}\n") && !one.contains('\r'));
}

#[test]
fn scenario_31_a_requirement_may_come_later() {
    let aa = feature("aa", json!({ "requires": ["bb"] }));
    let composition = alone(vec![global(&aa), global(&feature("bb", json!({})))]);
    assert_eq!(active(&composition), ["aa", "bb"]);
    // The requirement lives in a later root.
    let bb = overlay(Scope::Project, &feature("bb", json!({})));
    assert_eq!(active(&alone(vec![global(&aa), bb])), ["aa", "bb"]);
}

#[test]
fn scenario_29_an_incompatible_overlay_carries_its_gates_along() {
    let gate = |extra: &str| {
        let text = format!(
            r#"{{"point":"ship:pre","check":{{"query":"ui.plan-gate"}},"blocking":true,"onError":"halt"{extra}}}"#
        );
        serde_json::from_str::<Value>(&text).expect("JSON")
    };
    let value = feature(
        "future",
        json!({
            "engines": { "gsd": ">=99.0.0" },
            "gates": [gate(""), gate(r#","onLoadFailure":"block""#)],
        }),
    );
    let composition = alone(vec![global(&value)]);
    assert_eq!(skips(&composition), [("future".to_owned(), Reason::Incompatible)]);
    assert_eq!(composition.skips[0].message, "it needs a host >=99.0.0, this one is 1.11.0");
    assert_eq!(composition.skips[0].remedy, "gsd capability remove future --scope global");
    let gates = &composition.blocked_gates;
    assert_eq!(gates.len(), 2);
    assert_eq!((gates[0].point, gates[0].on_load_failure), (Point::ShipPre, None));
    let walls = gates.iter().filter(|gate| gate.on_load_failure.is_some()).count();
    assert_eq!(walls, 1, "a gate that asked to be a wall is told apart");
    assert_eq!(rows(&composition)[0].status, Status::Incompatible);
}

#[test]
fn scenario_30_an_unconsented_overlay_is_counted_and_not_described() {
    let value = feature(
        "secret",
        json!({ "gates": [{
        "point": "ship:pre", "check": { "query": "ui.plan-gate" }, "blocking": true, "onError": "halt",
    }] }),
    );
    let mut waiting = overlay(Scope::Project, &value);
    waiting.standing = Standing::Unconsented;
    let composition = alone(vec![waiting]);
    assert!(composition.registry.is_empty() && composition.skips.is_empty());
    assert!(composition.blocked_gates.is_empty() && composition.notices.is_empty());
    assert_eq!(composition.unconsented.len(), 1);
    let row = &rows(&composition)[0];
    assert_eq!((row.status, row.title.as_deref()), (Status::Inactive, None));
    assert_eq!(row.remedy.as_deref(), Some("gsd capability trust grant secret --scope project"));
}

#[test]
fn rt_45_first_party_wins_and_the_earlier_overlay_next() {
    let own = first_party();
    let clash = |id: &str, extra: Value| global(&lane(id, extra));
    let overlays = vec![
        clash("zz", json!({ "slug": "codex" })),
        clash("yy", json!({ "flags": ["--agy"] })),
        clash("xx", json!({ "reviewsSection": "claude " .trim_end().to_uppercase() })),
        clash("ww", json!({ "flags": ["--same"] })),
        clash("vv", json!({ "flags": ["--same"] })),
    ];
    let composition = compose(own, overlays);
    let lost = skips(&composition);
    assert_eq!(
        lost.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(),
        ["ww", "xx", "yy", "zz"]
    );
    assert!(lost.iter().all(|(_, reason)| *reason == Reason::Collision));
    let found = |id: &str| {
        let skip = composition.skips.iter().find(|skip| skip.id == id).expect("skipped");
        messages(&skip.diagnostics).join("; ")
    };
    assert_eq!(
        found("yy"),
        "registry/duplicate-lane-flag: the lane flag `--agy` belongs to gsd's own `antigravity`"
    );
    assert_eq!(found("ww"), "registry/duplicate-lane-flag: the lane flag `--same` belongs to `vv`");
}

#[test]
fn a_project_overlay_stands_in_for_a_global_one() {
    let value = feature("acme", json!({}));
    let composition = alone(vec![global(&value), overlay(Scope::Project, &value)]);
    assert_eq!(active(&composition), ["acme"]);
    let provenance = composition.registry.get("acme").expect("active").provenance;
    assert_eq!(provenance, Provenance::Installed(Scope::Project));
    assert_eq!(skips(&composition), [("acme".to_owned(), Reason::Shadowed)]);
    // One that nobody consented to stands in for nothing, and a broken one neither.
    let mut waiting = overlay(Scope::Project, &value);
    waiting.standing = Standing::Unconsented;
    assert_eq!(active(&alone(vec![global(&value), waiting])), ["acme"]);
    let broken = overlay_text(Scope::Project, "acme", "{}");
    let composition = alone(vec![global(&value), broken]);
    assert_eq!(active(&composition), ["acme"]);
    assert_eq!(skips(&composition), [("acme".to_owned(), Reason::Invalid)]);
}

#[test]
fn a_bad_setting_takes_nobody_else_down() {
    let bad =
        feature("bad", json!({ "config": { "zed.x": { "type": "boolean", "description": "d" } } }));
    let composition = alone(vec![global(&bad), global(&feature("good", json!({})))]);
    assert_eq!(active(&composition), ["good"]);
    assert_eq!(skips(&composition), [("bad".to_owned(), Reason::Invalid)]);
    assert_eq!(
        messages(&composition.skips[0].diagnostics),
        ["manifest/config-default: missing field `default`"]
    );
}

#[test]
fn who_loses_an_artefact_falls_and_so_do_its_requirers() {
    let composition = alone(vec![
        global(&stepper("taker", &[("plan:pre", &["X.md"], &[])])),
        global(&stepper("upper", &[("plan:pre", &["X.md"], &[])])),
        global(&stepper("a-user", &[("plan:post", &["Y.md"], &["NEVER.md"])])),
        global(&stepper("b-user", &[("plan:post", &[], &["Y.md"])])),
        global(&feature("c-user", json!({ "requires": ["b-user"] }))),
    ]);
    assert_eq!(active(&composition), ["taker"]);
    assert_eq!(
        skips(&composition),
        [
            ("a-user".to_owned(), Reason::Conflict),
            ("b-user".to_owned(), Reason::Conflict),
            ("c-user".to_owned(), Reason::Unmet),
            ("upper".to_owned(), Reason::Collision),
        ]
    );
}

#[test]
fn what_lost_against_a_fallen_one_comes_back() {
    let mut first = stepper("a", &[("plan:pre", &["X.md"], &["NEVER.md"])]);
    first["skills"] = json!(["a", "shared"]);
    let second = feature("b", json!({ "skills": ["shared"] }));
    let composition = alone(vec![global(&first), global(&second)]);
    assert_eq!(active(&composition), ["b"]);
    assert_eq!(skips(&composition), [("a".to_owned(), Reason::Conflict)]);
}

#[test]
fn circles_are_left_out_with_their_path() {
    let requires = |id: &str, of: &[&str]| global(&feature(id, json!({ "requires": of })));
    let composition = alone(vec![
        requires("a", &["b"]),
        requires("b", &["a"]),
        requires("c", &["a"]),
        requires("d", &[]),
    ]);
    assert_eq!(active(&composition), ["d"]);
    let said: Vec<String> = composition.skips.iter().map(|skip| skip.message.clone()).collect();
    assert_eq!(
        said,
        [
            "capabilities require each other: `a` → `b` → `a`",
            "capabilities require each other: `b` → `a` → `b`",
            "it requires capabilities that require each other: `a` → `b` → `a`",
        ]
    );
}

#[test]
fn hostile_folder_names_are_never_part_of_a_command() {
    let mut hostile = overlay_text(Scope::Global, "x; rm -rf ~", "{}");
    let remedy = |overlay: &Overlay| alone(vec![overlay.clone()]).skips[0].remedy.clone();
    assert_eq!(remedy(&hostile), "remove its folder from the global capabilities");
    hostile.by_hand = Some("/h/.gsd/capabilities/x; rm -rf ~".into());
    let by_hand = "rename or delete the folder `x; rm -rf ~` in `/h/.gsd/capabilities`";
    assert_eq!(remedy(&hostile), by_hand);
}

#[test]
fn an_unmanaged_overlay_is_in_force_but_may_run_nothing() {
    let mut dropped = global(&lane("acme", json!({})));
    dropped.standing = Standing::Unmanaged;
    let composition = alone(vec![dropped]);
    assert!(!composition.registry.get("acme").expect("in force").provenance.may_run());
    let row = &rows(&composition)[0];
    assert_eq!(row.remedy.as_deref(), Some("gsd capability trust grant acme --scope global"));
}

/// A small world of overlays that often get in each other's way.
fn world() -> impl Strategy<Value = Vec<Value>> {
    let one = (
        prop::sample::subsequence(vec!["s1", "s2", "s3"], 0..2),
        prop::sample::subsequence(vec![0usize, 1, 2, 3, 4, 5], 0..2),
        prop::sample::subsequence(vec!["A.md", "B.md", "C.md"], 0..2),
        prop::sample::subsequence(vec!["A.md", "B.md", "C.md", "NEVER.md"], 0..2),
        prop::sample::select(vec!["core", "full", "oops"]),
    );
    prop::collection::vec(one, 1..6).prop_map(|all| {
        #[allow(clippy::type_complexity, reason = "what proptest draws is a tuple")]
        let make = |(at, (skills, requires, made, used, tier)): (
            usize,
            (Vec<&str>, Vec<usize>, Vec<&str>, Vec<&str>, &str),
        )| {
            let id = format!("c{at}");
            let mut value = stepper(&id, &[("plan:pre", &made, &used)]);
            let mut owned: Vec<String> = skills.into_iter().map(str::to_owned).collect();
            owned.push(id);
            value["skills"] = json!(owned);
            value["requires"] =
                json!(requires.into_iter().map(|other| format!("c{other}")).collect::<Vec<_>>());
            value["tier"] = json!(tier);
            value
        };
        all.into_iter().enumerate().map(make).collect()
    })
}

fn summary(composition: &Composition) -> (Vec<String>, Vec<(String, Reason, String)>) {
    let skips = composition
        .skips
        .iter()
        .map(|skip| (skip.id.clone(), skip.reason, skip.message.clone()))
        .collect();
    (active(composition).into_iter().map(str::to_owned).collect(), skips)
}

proptest! {
    #[test]
    fn the_order_of_folders_does_not_matter(values in world(), by in 0usize..6) {
        let overlays: Vec<Overlay> = values.iter().map(global).collect();
        let mut mixed = overlays.clone();
        mixed.reverse();
        let by = by % mixed.len();
        mixed.rotate_left(by);
        prop_assert_eq!(summary(&alone(overlays)), summary(&alone(mixed)));
    }

    #[test]
    fn everyone_is_active_or_skipped_once_and_the_active_fit(values in world()) {
        let composition = alone(values.iter().map(global).collect());
        let mut named: Vec<&str> = active(&composition);
        named.extend(composition.skips.iter().map(|skip| skip.id.as_str()));
        named.sort_unstable();
        let mut expected: Vec<&str> = values.iter().filter_map(|v| v["id"].as_str()).collect();
        expected.sort_unstable();
        prop_assert_eq!(named, expected);
        let manifests: Vec<_> = composition.registry.capabilities().map(|c| &c.manifest).collect();
        let found = gsd_engine::registry::check_set(&manifests);
        prop_assert_eq!(messages(&found), Vec::<String>::new());
        for skip in &composition.skips {
            prop_assert!(!skip.message.is_empty() && !skip.remedy.is_empty());
        }
    }

    /// For overlays whose artefacts come from themselves or from the host. Where overlays make and
    /// need artefacts of each other in a ring, which of them stays can depend on one that does not.
    #[test]
    fn a_skipped_overlay_changes_nothing_else(mut values in world()) {
        for value in &mut values {
            for step in value["steps"].as_array_mut().unwrap() {
                step["consumes"] = json!([]);
            }
        }
        let composition = alone(values.iter().map(global).collect());
        for skip in &composition.skips {
            let rest: Vec<Overlay> =
                values.iter().filter(|v| v["id"] != skip.id.as_str()).map(global).collect();
            let without = alone(rest);
            prop_assert_eq!(active(&without), active(&composition), "without {}", &skip.id);
        }
    }
}
