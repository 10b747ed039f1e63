use super::{Candidate, Class, Origin, Preview, Refusal, Surroundings, check_candidate};
use crate::diag::SourceFile;
use crate::id::CapabilityId;
use crate::manifest::{self, Bundle, Context, parse};
use crate::registry::{Overlay, Scope, Standing, first_party};
use crate::store::disclosure::BundleFiles;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn bundle(name: &str, manifest: &Value) -> Bundle {
    let context = Context { origin: manifest::Origin::ThirdParty, folder: None };
    let parsed = parse(&SourceFile::new(name, manifest.to_string()), context);
    Bundle { parsed, fragments: BTreeMap::new() }
}

fn candidate(manifest: &Value) -> Candidate {
    candidate_with(manifest, &[])
}

fn candidate_with(manifest: &Value, files: &[(&str, &str)]) -> Candidate {
    let files = BundleFiles::of(files.iter().map(|(path, text)| (*path, text.as_bytes())));
    let bundle = bundle("capability.json", manifest);
    Candidate::of(bundle, files, Scope::Global, Origin::Unproven, &|_| None)
}

fn installed(manifests: &[Value]) -> Surroundings {
    let overlay = |manifest: &Value| {
        let folder = manifest["id"].as_str().expect("an id").to_owned();
        let bundle = Some(bundle(&format!("{folder}/capability.json"), manifest));
        let (scope, standing) = (Scope::Global, Standing::Approved);
        Overlay { scope, folder, by_hand: None, standing, bundle }
    };
    Surroundings { first_party: first_party(), overlays: manifests.iter().map(overlay).collect() }
}

fn feature(id: &str, extra: Value) -> Value {
    let mut manifest = json!({
        "id": id, "role": "feature", "version": "1.0.0", "title": "t", "description": "d",
        "tier": "full", "requires": [], "runtimeCompat": { "supported": ["*"], "unsupported": [] },
        "skills": [], "agents": [], "config": {}, "steps": [], "contributions": [], "gates": [],
    });
    for (name, value) in extra.as_object().into_iter().flatten() {
        manifest[name] = value.clone();
    }
    manifest
}

fn reviewer(id: &str, edit: impl FnOnce(&mut Value)) -> Value {
    let mut manifest = json!({
        "id": id, "role": "reviewer", "version": "1.0.0", "title": "t", "description": "d",
        "tier": "full", "requires": [], "config": {},
        "reviewer": {
            "slug": id, "flags": [format!("--{id}")], "transport": "spawn",
            "probe": { "kind": "command-exists", "binary": "acme" },
            "invoke": { "binary": "acme", "args": ["{{prompt}}"], "promptChannel": "argv-file-ref",
                "outputChannel": "stdout", "modelArg": null, "effortChannel": "none" },
            "timeoutFloorMs": 900000, "emptyOutput": "stub-with-stderr", "reviewsSection": format!("Lane {id}"),
            "evidenceClass": "source-grounded", "requiresBinaries": [], "promptBudgetKey": null, "handler": null,
        },
    });
    edit(&mut manifest["reviewer"]);
    manifest
}

fn codes(refusals: &[Refusal]) -> Vec<&'static str> {
    refusals.iter().map(|refusal| refusal.code).collect()
}

fn refused(manifest: &Value, surroundings: &Surroundings) -> Vec<&'static str> {
    codes(&check_candidate(&candidate(manifest), surroundings, None))
}

#[test]
fn what_goes_together_with_everything_is_not_refused() {
    let alone = installed(&[]);
    let fine = feature(
        "acme",
        json!({
            "requires": ["tdd"], "runtimeCompat": { "supported": ["codex"], "unsupported": [] },
            "steps": [{ "point": "plan:post", "ref": { "skill": "acme-plan" }, "produces": ["ACME.md"],
                "consumes": ["UI-SPEC.md"], "onError": "skip" }],
            "skills": ["acme-plan"],
        }),
    );
    assert_eq!(refused(&fine, &alone), [""; 0]);
    assert_eq!(refused(&reviewer("acme", |_| {}), &alone), [""; 0]);
    // A neighbour that is broken by itself changes nothing.
    let mut broken = installed(&[feature("other", json!({ "tier": "mega" }))]);
    assert_eq!(refused(&fine, &broken), [""; 0]);
    broken.overlays.push(Overlay {
        scope: Scope::Project,
        folder: "secret".to_owned(),
        by_hand: None,
        standing: Standing::Unconsented,
        bundle: None,
    });
    assert_eq!(refused(&fine, &broken), [""; 0]);
    // The version that it replaces is no neighbour.
    assert_eq!(refused(&fine, &installed(std::slice::from_ref(&fine))), [""; 0]);
}

#[test]
fn what_does_not_go_together_is_refused_before_it_lies_there() {
    let alone = installed(&[]);
    for (extra, code) in [
        (json!({ "requires": ["nobody"] }), "unmet"),
        (json!({ "runtimeCompat": { "supported": ["nohost"], "unsupported": [] } }), "conflict"),
        (json!({ "skills": ["ui-phase"] }), "collision"),
        (
            json!({ "config": { "workflow.ui_phase": { "type": "boolean", "default": true, "description": "d" } } }),
            "collision",
        ),
        (
            json!({ "config": { "review.efforts.codex": { "type": "string", "default": "", "description": "d" } } }),
            "collision",
        ),
        (
            json!({ "commands": [{ "family": "graphify", "module": "m.cjs", "router": "r" }] }),
            "collision",
        ),
        (
            json!({ "skills": ["x"], "steps": [{ "point": "plan:pre", "ref": { "skill": "x" }, "produces": [],
            "consumes": ["NEVER.md"], "onError": "skip" }] }),
            "conflict",
        ),
        (json!({ "tier": "core", "requires": ["ui"] }), "conflict"),
    ] {
        let found = refused(&feature("acme", extra.clone()), &alone);
        assert!(found.contains(&code), "{extra}: {found:?}");
    }
    for family in ["capability", "state", "help"] {
        let extra = json!({ "commands": [{ "family": family, "module": "m.cjs", "router": "r" }] });
        assert!(refused(&feature("acme", extra), &alone).contains(&"invalid"), "{family}");
    }
    let home = json!({ "kind": "dot-home", "name": ".claude", "env": [] });
    let mut host: Value =
        serde_json::from_str(crate::embedded::text("cursor/capability.json").expect("embedded"))
            .expect("JSON");
    host["id"] = "acme-host".into();
    host["runtime"]["configHome"] = home;
    let refusals = check_candidate(&candidate(&host), &alone, None);
    let folder = "it would write into `.claude`, the folder of the host `claude`";
    assert!(refusals.iter().any(|refusal| refusal.message == folder), "{refusals:#?}");
}

#[test]
fn a_server_that_nobody_could_agree_to_is_refused_with_a_remedy() {
    let with = |config: Value| feature("acme", json!({ "mcpServers": { "s": config } }));
    for (config, code) in [
        (json!({ "transport": "http", "command": "sh", "args": ["-c", "x"] }), "invalid"),
        (json!({ "type": "sse", "command": "sh" }), "invalid"),
        (json!({ "command": "sh", "args": ["-c", "x".repeat(4001)] }), "too-long"),
        (json!({ "url": "https://a.example", "other": "x".repeat(4001) }), "too-long"),
    ] {
        let refusals = check_candidate(&candidate(&with(config)), &installed(&[]), None);
        assert_eq!(codes(&refusals), [code], "{refusals:#?}");
        assert!(!refusals[0].remedy.is_empty());
    }
    let long = json!({ "command": "sh", "args": ["-c", "x".repeat(3000)], "type": "stdio" });
    assert_eq!(refused(&with(long), &installed(&[])), [""; 0]);
}

#[test]
fn everything_that_is_wrong_is_said_at_once_with_what_to_do() {
    let manifest = feature(
        "gsd-acme",
        json!({
            "engines": { "gsd": ">=99.0.0" }, "compatVersions": { "0.9.0": ">=1.0.0" }, "tier": "mega",
            "hooks": [{ "event": "Stop", "script": "hooks/a.js" }],
            "commands": [{ "family": "acme", "module": "m.cjs", "router": "r" }],
            "provenance": { "sourceRepo": "https://github.com/acme/a", "commit": "abc" },
            "reviewer": { "slug": "acme", "transport": "openai-http", "invoke": { "hostConfigKey": "review.acme_host" } },
        }),
    );
    let mut wrong = candidate(&manifest);
    wrong.origin =
        Origin::Git { repository: "https://github.com/evil/a".into(), commit: "abc".into() };
    let expected = CapabilityId::parse("other").expect("an id");
    let refusals = check_candidate(&wrong, &installed(&[]), Some(&expected));
    let found = codes(&refusals);
    for code in [
        "reserved-id",
        "different-id",
        "invalid",
        "engines",
        "missing-artefact",
        "unresolved-destination",
        "provenance",
    ] {
        assert!(found.contains(&code), "{code} in {found:?}");
    }
    assert_eq!(found.iter().filter(|code| **code == "missing-artefact").count(), 2);
    let text: String =
        refusals.iter().map(|refusal| refusal.message.as_str()).collect::<Vec<_>>().join("; ");
    for phrase in [
        "reserved namespace",
        "engines.gsd",
        "compatVersions offers 0.9.0",
        "different capability id",
    ] {
        assert!(text.contains(phrase), "{phrase} in {text}");
    }
    assert!(refusals.iter().all(|refusal| !refusal.remedy.is_empty()));
    let integrity = refusals.iter().filter(|refusal| refusal.class == Class::Integrity);
    assert_eq!(codes(&integrity.cloned().collect::<Vec<_>>()), ["provenance"]);
    // What follows from another reason is not said again.
    let host = feature("acme", json!({ "engines": { "gsd": ">=99.0.0" } }));
    assert_eq!(refused(&host, &installed(&[])), ["engines"]);
    assert_eq!(refused(&feature("tdd", json!({})), &installed(&[])), ["first-party-id"]);
    // No JSON, no object, no manifest: a refusal, never a panic.
    for text in ["", "{", "[]", "3", "{\"id\": 3}"] {
        let context = Context { origin: manifest::Origin::ThirdParty, folder: None };
        let parsed = parse(&SourceFile::new("capability.json", text), context);
        let bundle = Bundle { parsed, fragments: BTreeMap::new() };
        let odd = Candidate::of(
            bundle,
            BundleFiles::default(),
            Scope::Project,
            Origin::Unproven,
            &|_| None,
        );
        let refusals = check_candidate(&odd, &installed(&[]), None);
        let found = codes(&refusals);
        assert!(found.contains(&"invalid"), "{text}");
        assert_eq!(found.contains(&"unsafe-id"), text.contains("id"), "{text}: {found:?}");
        Preview::of(&odd, None, &installed(&[]), &refusals, vec![]).to_json();
    }
}

#[test]
fn lanes_that_share_a_name_are_refused_and_all_of_them_are_named() {
    let edits: [fn(&mut Value); 4] = [
        |body| body["slug"] = "shared".into(),
        |body| body["flags"] = json!(["--shared"]),
        |body| body["reviewsSection"] = "Shared lane".into(),
        |body| body["reviewsSection"] = "SHARED  Lane".into(),
    ];
    for (which, edit) in edits.into_iter().enumerate() {
        let first = |body: &mut Value| edits[which.min(2)](body);
        let said = |order: [&str; 3]| {
            let others = [reviewer(order[1], first), reviewer(order[2], edit)];
            let refusals =
                check_candidate(&candidate(&reviewer(order[0], edit)), &installed(&others), None);
            assert_eq!(codes(&refusals), ["collision"], "{refusals:#?}");
            let message = refusals[0].message.clone();
            message.split(" (line").next().expect("a message").to_owned()
        };
        let message = said(["aa", "bb", "cc"]);
        for name in ["`aa`", "`bb`", "`cc`"] {
            assert!(message.contains(name), "{message}");
        }
        assert_eq!(said(["aa", "cc", "bb"]), message);
        assert_eq!(said(["bb", "cc", "aa"]), message);
        assert_eq!(said(["cc", "aa", "bb"]), message);
    }
    for edit in [
        |body: &mut Value| body["slug"] = "codex".into(),
        |body: &mut Value| body["flags"] = json!(["--codex"]),
        |body: &mut Value| body["reviewsSection"] = "CODEX".into(),
    ] {
        let refusals = check_candidate(&candidate(&reviewer("acme", edit)), &installed(&[]), None);
        assert_eq!(codes(&refusals), ["collision"]);
        assert!(refusals[0].message.contains("`codex`"), "{}", refusals[0].message);
    }
    let all = reviewer("acme", |body| body["flags"] = json!(["--all"]));
    assert_eq!(refused(&all, &installed(&[])), ["invalid"]);
}

#[test]
fn an_update_that_would_break_others_is_refused() {
    let maker = |produces: &[&str]| {
        feature(
            "maker",
            json!({
                "skills": ["make"],
                "steps": [{ "point": "plan:pre", "ref": { "skill": "make" }, "produces": produces, "consumes": [], "onError": "skip" }],
            }),
        )
    };
    let user = feature(
        "user",
        json!({
            "skills": ["use"],
            "steps": [{ "point": "plan:post", "ref": { "skill": "use" }, "produces": [], "consumes": ["MADE.md"], "onError": "skip" }],
        }),
    );
    let there = installed(&[maker(&["MADE.md"]), user]);
    assert_eq!(refused(&maker(&["MADE.md", "MORE.md"]), &there), [""; 0]);
    let refusals = check_candidate(&candidate(&maker(&[])), &there, None);
    assert_eq!(codes(&refusals), ["displaces"]);
    assert!(refusals[0].message.starts_with("`user` would not be in force any more"));
}

#[test]
fn a_changed_lane_changes_a_signature_whatever_field_it_is() {
    let http = |edit: &dyn Fn(&mut Value)| {
        let mut manifest = json!({
            "id": "acme-reviewer", "role": "reviewer", "version": "1.0.0", "title": "t", "description": "d",
            "tier": "full", "requires": [], "config": {
                "review.acme_host": { "type": "string", "default": "", "description": "d" },
                "review.models.acme": { "type": "string", "default": "m", "description": "d" },
            },
            "reviewer": {
                "slug": "acme", "flags": ["--acme"], "transport": "openai-http",
                "probe": { "kind": "http-reachable", "hostConfigKey": "review.acme_host", "path": "/v1/models", "timeoutMs": 2000 },
                "invoke": { "hostConfigKey": "review.acme_host", "defaultHost": "http://127.0.0.1:1", "path": "/v1/chat/completions",
                    "modelDiscovery": "none", "effortChannel": "none" },
                "timeoutFloorMs": 900000, "emptyOutput": "stub-with-stderr", "reviewsSection": "Acme",
                "evidenceClass": "source-grounded", "requiresBinaries": [], "promptBudgetKey": null,
                "modelConfigKey": "review.models.acme", "handler": "openai-compatible",
            },
        });
        edit(&mut manifest);
        candidate(&manifest)
    };
    let spawn = |edit: &dyn Fn(&mut Value)| {
        let mut manifest =
            reviewer("acme", |body| body["modelConfigKey"] = "review.models.acme".into());
        manifest["config"] = json!({ "review.models.acme": { "type": "string", "default": "m", "description": "d" } });
        manifest["reviewer"]["invoke"]["args"] = json!(["{{model}}", "{{prompt}}"]);
        manifest["reviewer"]["invoke"]["modelArg"] = "--model".into();
        edit(&mut manifest);
        candidate(&manifest)
    };
    let plain = (http(&|_| {}), spawn(&|_| {}));
    for candidate in [&plain.0, &plain.1] {
        assert_eq!(codes(&check_candidate(candidate, &installed(&[]), None)), [""; 0]);
    }
    let differs = |new: &Candidate, old: &Candidate| {
        assert!(new.manifest().is_some());
        new.disclosure.signatures() != old.disclosure.signatures()
    };
    for edit in [
        |m: &mut Value| m["reviewer"]["invoke"]["defaultHost"] = "http://evil.example".into(),
        |m: &mut Value| m["reviewer"]["invoke"]["path"] = "/v2/chat".into(),
        |m: &mut Value| m["config"]["review.acme_host"]["default"] = "http://evil.example".into(),
    ] {
        assert!(differs(&http(&edit), &plain.0));
    }
    for edit in [
        |m: &mut Value| {
            m["reviewer"]["invoke"]["modelArg"] = "--exec".into();
            m["config"]["review.models.acme"]["default"] = "evil".into();
        },
        |m: &mut Value| m["reviewer"]["probe"]["binary"] = "evil".into(),
        |m: &mut Value| m["config"]["review.models.acme"]["default"] = "evil".into(),
    ] {
        assert!(differs(&spawn(&edit), &plain.1));
    }
    for edit in [
        |m: &mut Value| m["version"] = "2.0.0".into(),
        |m: &mut Value| m["reviewer"]["reviewsSection"] = "Another".into(),
        |m: &mut Value| m["config"]["review.models.acme"]["description"] = "another".into(),
    ] {
        assert!(!differs(&spawn(&edit), &plain.1));
    }
}

#[test]
fn a_preview_says_what_would_change() {
    let old = feature("acme", json!({ "hooks": [{ "event": "Stop", "script": "a.js" }] }));
    let new = feature(
        "acme",
        json!({
            "version": "1.1.0", "hooks": [{ "event": "Stop", "script": "a.js", "matcher": "x" }],
            "config": { "acme.on": { "type": "boolean", "default": true, "description": "d" } },
        }),
    );
    let (old, new) =
        (candidate_with(&old, &[("a.js", "1")]), candidate_with(&new, &[("a.js", "2")]));
    let surroundings = installed(&[]);
    let preview = Preview::of(&new, Some(&old), &surroundings, &[], vec![]).to_json();
    let pointers = |list: &str| -> Vec<String> {
        let changes = preview[list].as_array().expect("a list").iter();
        changes.map(|change| change["pointer"].as_str().expect("a text").to_owned()).collect()
    };
    assert_eq!(
        pointers("changes"),
        ["/config/acme.on", "/files/a.js/sha256", "/hooks/0/matcher", "/hooks/0/sha256"]
    );
    assert!(pointers("registry").contains(&"/configSchema/acme.on".to_owned()), "{preview:#}");
    assert_eq!(preview["about"]["fromVersion"], "1.0.0");
    let cosmetic = candidate_with(&feature("acme", json!({ "title": "another" })), &[]);
    let plain = candidate_with(&feature("acme", json!({})), &[]);
    let preview = Preview::of(&cosmetic, Some(&plain), &surroundings, &[], vec![]).to_json();
    assert_eq!(preview["changes"], json!([]));
}
