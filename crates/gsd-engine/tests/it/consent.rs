//! An update asks again exactly if it would write, run or contact something else: seen from the
//! preview that a user decides by, over edits of every field that the JSON Schema knows.

mod edits;

use edits::{Bases, Edits, Random};
use gsd_engine::diag::SourceFile;
use gsd_engine::manifest::{self, Bundle, Context, parse, schema};
use gsd_engine::registry::{Scope, first_party};
use gsd_engine::store::check::{Candidate, Origin, Preview, Surroundings};
use gsd_engine::store::disclosure::{BundleFiles, Changes};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Fields that only describe a capability, or are checked before anybody is asked.
const COSMETIC: &[&str] = &[
    "$schema",
    "author",
    "author.email",
    "author.name",
    "author.url",
    "commands[].subcommands",
    "commands[].subcommands[]",
    "compatVersions",
    "compatVersions.*",
    "config.*.description",
    "description",
    "engines",
    "engines.gsd",
    "homepage",
    "integrity",
    "keywords",
    "keywords[]",
    "license",
    "provenance",
    "provenance.commit",
    "provenance.sourceRepo",
    "repository",
    "reviewer.evidenceClass",
    "reviewer.reviewsSection",
    "reviewer.timeoutFloorMs",
    "runtimeCompat.notes",
    "runtimeCompat.notes.*",
    "title",
    "version",
];

fn candidate(manifest: &Value) -> Candidate {
    let context = Context { origin: manifest::Origin::FirstParty, folder: None };
    let parsed = parse(&SourceFile::new("capability.json", manifest.to_string()), context);
    let bundle = Bundle { parsed, fragments: BTreeMap::new() };
    let files = BundleFiles::of([("hooks/a.js", &b"a"[..]), ("acme.cjs", b"b")]);
    Candidate::of(bundle, files, Scope::Global, Origin::Unproven, &|_| None)
}

/// What the preview says would be written, run and contacted.
fn effects(candidate: &Candidate) -> Value {
    let alone = Surroundings { first_party: vec![], overlays: vec![] };
    Preview::of(candidate, None, &alone, &[], vec![]).effects
}

/// A capability with something of everything.
fn everything() -> Vec<Value> {
    let feature = json!({
        "$schema": "../capability.schema.json", "id": "acme", "role": "feature", "version": "1.0.0",
        "title": "Acme", "description": "d", "tier": "full", "requires": ["tdd", "ui"],
        "engines": { "gsd": ">=1.0.0" }, "compatVersions": { "0.9.0": ">=1.0.0" },
        "integrity": format!("sha512-{}==", "A".repeat(86)),
        "provenance": { "sourceRepo": "https://github.com/acme/acme", "commit": "abc" },
        "author": { "name": "A", "email": "a@example.org", "url": "https://example.org" },
        "homepage": "https://example.org", "repository": "https://example.org/r", "license": "MIT",
        "keywords": ["a"],
        "runtimeCompat": { "supported": ["codex", "claude"], "unsupported": ["cursor"], "notes": { "codex": "n" } },
        "skills": ["acme-plan", "acme-ship"], "agents": ["acme-checker", "acme-other"], "activationKey": "acme.on",
        "config": {
            "acme.on": { "type": "boolean", "default": true, "description": "d" },
            "acme.level": { "type": "number", "default": 3, "description": "d" },
            "acme.mode": { "type": "enum", "values": ["soft", "hard"], "default": "soft", "description": "d" },
            "acme.name": { "type": "string", "default": "n", "description": "d" },
        },
        "hooks": [
            { "event": "PostToolUse", "script": "hooks/a.js", "matcher": "Write|Edit" },
            { "event": "Stop", "script": "hooks/a.js" },
        ],
        "commands": [{ "family": "acme", "module": "acme.cjs", "router": "route", "subcommands": ["ping"] }],
        "mcpServers": {
            "acme": { "command": "node", "args": ["s.js", 3, true], "env": { "A": "1", "B": 2 }, "cwd": ".", "type": "stdio" },
            "remote": { "transport": "http", "url": "https://mcp.example.org/x", "headers": { "X": "y" } },
        },
        "steps": [
            { "point": "plan:pre", "ref": { "skill": "acme-plan" }, "produces": ["ACME.md"], "consumes": ["CONTEXT.md"],
              "onError": "skip", "when": "acme.on", "fragment": { "inline": "text" } },
            { "point": "plan:post", "ref": { "agent": "acme-checker" }, "produces": [], "consumes": ["ACME.md"], "onError": "halt" },
            { "point": "ship:post", "ref": { "skill": "acme-ship" }, "produces": [], "consumes": [], "onError": "skip" },
            { "point": "ship:post", "ref": { "agent": "acme-other" }, "produces": [], "consumes": [], "onError": "skip" },
            { "point": "ship:pre", "ref": { "command": "acme ping" }, "produces": [], "consumes": [], "onError": "skip" },
        ],
        "contributions": [{ "point": "plan:pre", "into": "planner", "produces": ["MORE.md"], "consumes": ["CONTEXT.md"],
            "fragment": { "path": "hooks/a.js", "inline": "i" }, "when": "acme.on", "onError": "skip", "configValues": { "level": "acme.level" } }],
        "gates": [
            { "point": "ship:pre", "check": { "query": "acme.ready" }, "blocking": true, "onError": "halt", "when": "acme.on", "onLoadFailure": "block" },
            { "point": "ship:pre", "check": { "predicate": { "kind": "command-exit-zero", "command": "make test", "timeout": 60 } }, "blocking": true, "onError": "halt" },
            { "point": "ship:pre", "check": { "predicate": { "kind": "artifact-frontmatter-equals", "artifact": "A.md", "field": "f", "equals": 0 } }, "blocking": false, "onError": "skip" },
            { "point": "ship:pre", "check": { "predicate": { "kind": "artifact-exists", "artifact": "A.md" } }, "blocking": false, "onError": "skip" },
            { "point": "ship:pre", "check": { "predicate": { "kind": "config-equals", "key": "acme.mode", "equals": "hard" } }, "blocking": false, "onError": "skip" },
            { "point": "ship:pre", "check": { "agentVerdict": { "ref": { "agent": "acme-checker" }, "prompt": "p" } }, "blocking": false, "onError": "skip" },
        ],
    });
    let mut listed = feature.clone();
    listed["version"] = "1.2.3".into();
    listed["contributions"][0]["into"] = "researcher".into();
    let config =
        json!({ "command": "node", "args": ["s.js"], "env": { "A": "1", "B": "2" }, "cwd": "." });
    let remote = json!({ "url": "https://b.example", "headers": { "X": "y", "Z": "w" } });
    listed["mcpServers"] = json!([
        { "name": "a", "config": config }, { "name": "b", "config": remote },
        { "name": "c", "command": "deno", "args": ["t.js", 2], "env": { "C": "1", "D": "2" } },
        { "name": "d", "url": "https://d.example", "headers": { "X": "y", "Z": "w" }, "type": "http" },
    ]);
    listed["author"] = "A <a@example.org>".into();
    let lane = |transport: &str, probe: Value, invoke: Value, more: Value| {
        let mut manifest = json!({
            "id": "acme-lane", "role": "reviewer", "version": "1.0.0", "title": "t", "description": "d", "tier": "full",
            "requires": [], "config": {
                "review.models.acme": { "type": "string", "default": "", "description": "d" },
                "review.acme_host": { "type": "string", "default": "", "description": "d" },
                "review.prompt_budgets.acme": { "type": "number", "default": -1, "description": "d" },
                "review.timeouts.acme": { "type": "number", "default": -1, "description": "d" },
            },
            "reviewer": {
                "slug": "acme", "flags": ["--acme", "--acme-fast"], "transport": transport, "probe": probe, "invoke": invoke,
                "timeoutFloorMs": 900000, "emptyOutput": "stub-with-stderr", "reviewsSection": "Acme",
                "evidenceClass": "source-grounded", "requiresBinaries": ["acme"], "promptBudgetKey": "review.prompt_budgets.acme",
                "modelConfigKey": "review.models.acme", "timeoutConfigKey": "review.timeouts.acme", "handler": null,
                "vendor": "acme", "acceptExit": [3],
            },
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            manifest["reviewer"][name] = value.clone();
        }
        manifest
    };
    let spawn = lane(
        "spawn",
        json!({ "kind": "command-capability", "binary": "acme", "needle": "review", "timeoutMs": 2000 }),
        json!({
            "binary": "acme", "args": ["{{model}}", "{{effort}}", "{{agent}}", "{{output}}", "{{file:rules.md}}", "{{captured:session}}", "{{captured:token}}", "{{prompt}}"],
            "promptChannel": "argv-file-ref", "outputChannel": "file-arg", "outputArg": "--out", "modelArg": "--model",
            "agentArg": "--agent", "defaultAgent": "reviewer", "effortChannel": "argv", "effortArgs": ["--effort", "{{level}}"],
            "effortLevels": ["low", "high"], "promptPlace": "run-dir", "files": { "rules.md": "be kind" },
        }),
        json!({
            "env": ["ACME_TOKEN"], "setEnv": { "ACME_MODE": "x" }, "posture": "read-only", "confinement": "landlock",
            "state": ["~/.acme/"], "setup": [
                { "args": ["session", "new"], "timeoutMs": 3000, "capture": { "name": "session", "after": "id: " } }, { "args": ["login"], "capture": { "name": "token", "pointer": "/id" } }, ["trust", "here"],
            ],
        }),
    );
    let by_env = lane(
        "spawn",
        json!({ "kind": "command-exists", "binary": "acme" }),
        json!({
            "binary": "acme", "args": ["-"], "promptChannel": "stdin", "outputChannel": "stdout", "modelArg": null,
            "effortChannel": "env", "effortEnv": "ACME_EFFORT",
        }),
        json!({}),
    );
    let http = lane(
        "openai-http",
        json!({ "kind": "http-reachable", "hostConfigKey": "review.acme_host", "path": "/v1/models", "timeoutMs": 2000 }),
        json!({
            "hostConfigKey": "review.acme_host", "path": "/v1/chat/completions", "modelDiscovery": "none",
            "defaultHost": "http://127.0.0.1:1", "fallbackModel": "m", "effortChannel": "none", "streaming": true,
        }),
        json!({ "handler": "openai-compatible" }),
    );
    let own = first_party().into_iter().map(|capability| {
        serde_json::from_str(capability.manifest.file.text()).expect("an embedded manifest")
    });
    let mut own: Vec<Value> = own.collect();
    // A host whose skills stand in another place than the rest.
    if let Some(host) = own.iter_mut().find(|manifest| manifest["role"] == "runtime") {
        host["runtime"]["configHome"]["skillsHome"] = json!({ "kind": "xdg", "name": "acme", "env": ["ACME_HOME"], "probe": [".a", ".b"], "probeExists": "x" });
    }
    [feature, listed, spawn, by_env, http].into_iter().chain(own).collect()
}

#[test]
fn the_examples_are_right() {
    for manifest in everything() {
        let candidate = candidate(&manifest);
        assert!(candidate.manifest().is_some(), "{:#?}", candidate.bundle.parsed.diagnostics);
    }
}

/// Fields that cannot be another one alone: the validator wants others to go with them.
const PAIRED: &[&str] = &[
    "config.*.type",
    "reviewer.emptyOutput",
    "reviewer.invoke.outputChannel",
    "reviewer.probe.kind",
    "reviewer.setup[].capture.name",
    "reviewer.transport",
    "role",
    "runtime.artifactLayout.global[].kind",
    "runtime.artifactLayout.local[].home",
    "runtime.configFormat",
    "runtime.installSurface",
];

/// Valid edits of a field that are looked at, and how many are tried to find them.
const WANTED: usize = 4;
const TRIES: usize = 1000;

#[test]
fn whatever_an_edit_changes_in_the_preview_changes_a_signature() {
    let bases = Bases::of(everything());
    let before: Vec<(Candidate, Value)> = bases
        .manifests
        .iter()
        .map(|manifest| {
            let candidate = candidate(manifest);
            let effects = effects(&candidate);
            (candidate, effects)
        })
        .collect();
    let edits = Edits::of(&schema());
    for paired in PAIRED.iter().chain(COSMETIC) {
        let known = edits.fields().iter().any(|field| field.name() == *paired);
        assert!(known, "the schema has no field `{paired}` any more");
    }
    let mut random = Random::of(7);
    let (mut differing, mut cosmetic, mut never, mut silent) = (0, 0, vec![], vec![]);
    for field in edits.fields().iter().filter(|field| !PAIRED.contains(&field.name())) {
        let (mut valid, mut differs_ever) = (0, false);
        for round in 0..TRIES {
            if valid >= WANTED && (differs_ever || COSMETIC.contains(&field.name())) {
                break;
            }
            let Some((base, edited)) = edits.apply(field, &bases, round, &mut random) else {
                continue;
            };
            let new = candidate(&edited);
            if new.manifest().is_none() || edited == bases.manifests[base] {
                continue;
            }
            valid += 1;
            let (old, old_effects) = &before[base];
            let differs = effects(&new) != *old_effects;
            let asks = new.disclosure.signatures() != old.disclosure.signatures();
            let told = Changes::between(old.disclosure.bound(), new.disclosure.bound());
            assert!(asks || !differs, "{} changes the preview only:\n{edited:#}", field.name());
            assert_eq!(asks, !told.is_empty(), "{}: what asks is told", field.name());
            differing += usize::from(differs);
            differs_ever |= differs;
            if COSMETIC.contains(&field.name()) {
                cosmetic += 1;
                assert!(!asks, "{} asks:\n{edited:#}", field.name());
            }
        }
        if valid == 0 {
            never.push(field.name());
        }
        if valid > 0 && !differs_ever && !COSMETIC.contains(&field.name()) {
            silent.push(field.name());
        }
    }
    assert!(differing >= 500, "{differing} edits changed the preview");
    assert!(cosmetic >= 100, "{cosmetic} edits were cosmetic");
    // Every field of the schema was edited, and each one does something or is known not to.
    assert_eq!((never, silent), (vec![], vec![]), "{differing} {cosmetic}");
}

/// The same manifest with its members in another order, at every depth.
fn turned(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            members.iter().rev().map(|(name, value)| (name.clone(), turned(value))).collect()
        }
        Value::Array(items) => items.iter().map(turned).collect(),
        other => other.clone(),
    }
}

#[test]
fn the_order_of_members_changes_nothing() {
    for manifest in everything() {
        let (old, new) = (candidate(&manifest), candidate(&turned(&manifest)));
        assert_eq!(new.disclosure.signatures(), old.disclosure.signatures());
        assert_eq!(effects(&new), effects(&old));
    }
}
