//! Rules across a set: scenarios 10 to 20.

use super::{feature, lane, manifest, messages, stepper};
use gsd_engine::manifest::Manifest;
use gsd_engine::registry::{check_set, first_party, read_first_party};
use serde_json::{Value, json};

/// What is said about these manifests, which must not depend on their order.
fn check(values: &[Value]) -> Vec<String> {
    let manifests: Vec<Manifest> = values.iter().map(manifest).collect();
    let found = |order: &[usize]| {
        let set: Vec<&Manifest> = order.iter().map(|at| &manifests[*at]).collect();
        messages(&check_set(&set))
    };
    let mut order: Vec<usize> = (0..manifests.len()).collect();
    let expected = found(&order);
    for _ in 0..manifests.len() {
        order.rotate_left(1);
        assert_eq!(found(&order), expected, "the order of the set matters");
    }
    order.reverse();
    assert_eq!(found(&order), expected, "the order of the set matters");
    expected
}

#[test]
fn gsds_own_capabilities_are_clean() {
    let (capabilities, found) = read_first_party();
    assert_eq!(messages(&found), Vec::<String>::new());
    let manifests: Vec<&Manifest> = capabilities.iter().map(|c| &c.manifest).collect();
    assert_eq!(messages(&check_set(&manifests)), Vec::<String>::new());
    let count = |role: &str| manifests.iter().filter(|m| m.role.word() == role).count();
    assert_eq!((count("feature"), count("runtime")), (20, 19));
}

#[test]
fn gsds_own_bundles_are_complete() {
    use gsd_engine::manifest::{Context, Origin, read_bundle};
    for capability in first_party() {
        let id = capability.id().as_str();
        let folder = super::capabilities().join(id);
        let context = Context { origin: Origin::FirstParty, folder: Some(id) };
        let bundle = read_bundle(&folder, id, context);
        assert_eq!(messages(&bundle.parsed.diagnostics), Vec::<String>::new());
        assert_eq!(
            bundle.fragments, capability.fragments,
            "{id}: what is embedded is what is here"
        );
    }
}

#[test]
fn scenario_14_all_owners_in_one_diagnostic() {
    let owner = |id: &str| feature(id, json!({ "skills": ["s"], "agents": [] }));
    assert_eq!(
        check(&[owner("b"), owner("a"), owner("c")]),
        ["registry/duplicate-skill: the skill `s` is claimed by `a`, `b` and `c`"]
    );
    let set = [owner("b"), owner("a")].map(|value| manifest(&value));
    let found = check_set(&set.iter().collect::<Vec<_>>());
    assert_eq!(found[0].at.file.name(), "a/capability.json");
    assert_eq!(found[0].at.text(), "\"s\"");
    assert_eq!(found[0].related[0].at.file.name(), "b/capability.json");
    assert_eq!(found[0].related[0].at.text(), "\"s\"");
}

#[test]
fn everything_that_one_may_own_is_owned_once() {
    let setting = json!({ "x.y": { "type": "boolean", "default": true, "description": "d" } });
    let command = json!([{ "family": "f", "module": "m.cjs", "router": "r" }]);
    let extra = json!({ "agents": ["g"], "config": setting, "commands": command });
    assert_eq!(
        check(&[feature("a", extra.clone()), feature("b", extra)]),
        [
            "registry/duplicate-agent: the agent `g` is claimed by `a` and `b`",
            "registry/duplicate-config-key: the setting `x.y` is claimed by `a` and `b`",
            "registry/duplicate-command-family: the command family `f` is claimed by `a` and `b`",
        ]
    );
    assert_eq!(
        check(&[feature("a", json!({})), feature("a", json!({}))]),
        ["registry/duplicate-id: the id `a` is claimed 2 times by `a`"]
    );
}

#[test]
fn rt_45_lanes_share_nothing() {
    let one = lane("a", json!({ "reviewsSection": "Acme  Review" }));
    let two = lane("b", json!({ "reviewsSection": "acme review", "flags": ["--b", "--a"] }));
    let three = lane("c", json!({ "slug": "a", "flags": ["--a"] }));
    assert_eq!(
        check(&[one, two, three]),
        [
            "registry/duplicate-lane-slug: the lane slug `a` is claimed by `a` and `c`",
            "registry/duplicate-lane-flag: the lane flag `--a` is claimed by `a`, `b` and `c`",
            "registry/duplicate-lane-heading: the lane heading `acme review` is claimed by `a` and `b`",
        ]
    );
}

#[test]
fn scenario_15_requirements() {
    let requires =
        |id: &str, tier: &str, of: &[&str]| feature(id, json!({ "tier": tier, "requires": of }));
    assert_eq!(
        check(&[requires("a", "full", &["b"]), requires("b", "full", &["a"])]),
        ["registry/requirement-cycle: capabilities require each other: `a` → `b` → `a`"]
    );
    assert_eq!(
        check(&[requires("a", "core", &["b"]), requires("b", "full", &[])]),
        ["registry/requirement-tier: `a` is of tier `core` but requires `b` of tier `full`"]
    );
    assert_eq!(
        check(&[requires("a", "full", &["reserch"]), requires("research", "full", &[])]),
        ["registry/unknown-requirement: no capability `reserch`"]
    );
}

#[test]
fn scenario_16_the_hosts_artefacts() {
    assert_eq!(
        check(&[stepper("a", &[("plan:pre", &[], &["PLAN.md"])])]),
        ["registry/artifact-late: `PLAN.md` is needed at plan:pre but made only at plan:post"]
    );
    assert_eq!(check(&[stepper("a", &[("plan:post", &[], &["PLAN.md"])])]), Vec::<String>::new());
}

#[test]
fn scenario_17_three_ways_to_lack_an_artefact() {
    assert_eq!(
        check(&[
            stepper("own", &[("plan:pre", &["X.md"], &["X.md"])]),
            stepper("late", &[("plan:pre", &[], &["Y.md"])]),
            stepper("maker", &[("verify:post", &["Y.md"], &[])]),
            stepper("never", &[("plan:pre", &[], &["Z.md"])]),
        ]),
        [
            "registry/artifact-late: `Y.md` is needed at plan:pre but made only at verify:post",
            "registry/artifact-missing: `Z.md` is needed at plan:pre, and nobody makes it",
            "registry/artifact-own: `X.md` is needed and made by this hook alone",
        ]
    );
}

#[test]
fn a_contribution_makes_and_needs_as_a_step_does() {
    let contribution = |produces: &[&str], consumes: &[&str]| {
        json!({ "contributions": [{
            "point": "plan:pre", "into": "planner", "produces": produces, "consumes": consumes,
            "fragment": { "inline": "text" },
        }] })
    };
    let maker = feature("maker", contribution(&["X.md"], &[]));
    assert_eq!(
        check(&[maker, stepper("user", &[("plan:pre", &[], &["X.md"])])]),
        Vec::<String>::new()
    );
    assert_eq!(
        check(&[feature("user", contribution(&[], &["Q.md"]))]),
        ["registry/artifact-missing: `Q.md` is needed at plan:pre, and nobody makes it"]
    );
}

#[test]
fn scenario_18_one_producer_for_each_artefact_and_point() {
    let one = stepper("a", &[("plan:pre", &["X.md"], &[])]);
    assert_eq!(
        check(&[one.clone(), stepper("b", &[("plan:pre", &["X.md"], &[])])]),
        ["registry/duplicate-producer: the artefact `X.md` at plan:pre is claimed by `a` and `b`"]
    );
    assert_eq!(check(&[one, stepper("b", &[("plan:post", &["X.md"], &[])])]), Vec::<String>::new());
}

#[test]
fn hooks_that_wait_for_each_other() {
    assert_eq!(
        check(&[
            stepper("a", &[("plan:pre", &["A.md"], &["B.md"])]),
            stepper("b", &[("plan:pre", &["B.md"], &["A.md"])]),
        ]),
        ["registry/order-cycle: hooks of `a` and `b` at plan:pre wait for each other"]
    );
}

#[test]
fn settings_of_gsd_and_settings_inside_settings() {
    let with = |id: &str, key: &str| {
        let setting = json!({ "type": "boolean", "default": true, "description": "d" });
        feature(id, json!({ "config": { key: setting } }))
    };
    assert_eq!(
        check(&[with("a", "commit_docs"), with("b", "features.zz"), with("c", "review.env.x")]),
        [
            "registry/central-config-key: the setting `commit_docs` belongs to gsd",
            "registry/central-config-key: the setting `features.zz` is of gsd's family `features.*`",
            "registry/central-config-key: the setting `review.env.x` is of gsd's family `review.env.*`",
        ]
    );
    assert_eq!(
        check(&[
            with("a", "git"),
            with("b", "review.confinements"),
            with("c", "capabilities.proxy.x"),
            with("d", "review.models.acme"),
        ]),
        [
            "registry/central-config-key: the setting `git` is the beginning of gsd's `git.base_branch`",
            "registry/central-config-key: the setting `review.confinements` is the beginning of gsd's `review.confinements.*`",
            "registry/central-config-key: the setting `capabilities.proxy.x` lies inside gsd's `capabilities.proxy`",
        ]
    );
    assert_eq!(
        check(&[with("a", "k"), with("b", "k.sub.deep")]),
        ["registry/config-overlap: `k` of `a` is the beginning of `k.sub.deep` of `b`"]
    );
}

#[test]
fn runtimes_and_handed_over_settings_exist() {
    let compat = json!({ "supported": ["claud"], "unsupported": ["kilo"], "notes": { "x": "n" } });
    let found = check(&[feature("a", json!({ "runtimeCompat": compat }))]);
    assert_eq!(
        found,
        [
            "registry/unknown-runtime: no runtime `claud`",
            "registry/unknown-runtime: no runtime `kilo`",
            "registry/unknown-runtime: no runtime `x`",
        ]
    );
    let contribution = json!({ "contributions": [{
        "point": "plan:pre", "into": "planner", "produces": [], "consumes": [],
        "fragment": { "inline": "text" }, "configValues": { "one": "commit_docs", "two": "a.b" },
    }] });
    assert_eq!(
        check(&[feature("a", contribution)]),
        ["registry/unknown-config-value: nobody declares the setting `a.b`"]
    );
}
