//! `gsd lanes-catalog`: a list of strangers' lanes, checked and rendered.

use crate::world::gsd;
use gsd_testkit::project::World;
use serde_json::{Value, json};

const LIST: &str = "docs/registries/reviewers.json";
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

fn entry() -> Value {
    json!({
        "id": "acme", "name": "Acme", "type": "reviewer", "repo": "acme/review", "description": "Reviews plans.",
        "author": "Acme", "license": "MIT", "enginesGsd": "*",
        "install": format!("gsd capability install git+https://github.com/acme/review#sha:{COMMIT}"),
        "uninstall": "gsd capability remove acme",
        "discussion": "https://github.com/acme/review/discussions/7",
        "interactions": {
            "slug": "acme", "flags": ["--acme"], "transport": "spawn", "evidenceClass": "source-grounded",
            "reviewsSection": "Acme", "requiresBinaries": [], "configKeys": [], "runtimeCompat": ["*"],
        },
    })
}

#[test]
fn a_right_list_is_verified_and_its_page_kept_up_to_date() {
    let world = World::new();
    world.write(LIST, &json!([entry()]).to_string());
    let verified = gsd(&world, &["lanes-catalog", "verify", "--json"]);
    assert_eq!(verified.code, 0, "{}", verified.stdout);
    let result = json!([{ "file": LIST, "type": "reviewer", "ok": true, "errors": [] }]);
    assert_eq!(verified.json()["details"]["results"], result);
    let missing = gsd(&world, &["lanes-catalog", "render", "--check"]);
    assert_eq!(missing.code, 1);
    assert!(missing.stderr.contains("gsd lanes-catalog render --write"), "{}", missing.stderr);
    assert_eq!(gsd(&world, &["lanes-catalog", "render", "--write"]).code, 0);
    let page = world.read("docs/registries/reviewers.md");
    assert_eq!(gsd(&world, &["lanes-catalog", "render"]).stdout, page);
    assert!(page.contains("\n## Acme\n") && page.contains(COMMIT), "{page}");
    world.write("docs/registries/reviewers.md", &page.replace('\n', "\r\n"));
    assert_eq!(gsd(&world, &["lanes-catalog", "render", "--check"]).code, 0);
    world.write(LIST, "[]");
    let stale = gsd(&world, &["lanes-catalog", "render", "--check", "--json"]);
    assert_eq!((stale.code, &stale.json()["code"]), (1, &json!("page-stale")));
}

#[test]
fn what_is_wrong_is_said_with_its_entry_and_field() {
    let world = World::new();
    let mut unpinned = entry();
    unpinned["install"] = "gsd capability install git+https://github.com/acme/review".into();
    unpinned["surprise"] = true.into();
    world.write("list.json", &json!([entry(), 3, unpinned]).to_string());
    let verified = gsd(&world, &["lanes-catalog", "verify", "list.json", "--json"]);
    assert_eq!(verified.code, 1);
    let errors = verified.json()["details"]["results"][0]["errors"].clone();
    let named: Vec<(i64, &str)> = errors
        .as_array()
        .expect("a list")
        .iter()
        .map(|error| {
            (error["index"].as_i64().expect("a place"), error["field"].as_str().expect("a field"))
        })
        .collect();
    assert_eq!(named, [(1, ""), (2, "install"), (2, "surprise")]);
    let gone = gsd(&world, &["lanes-catalog", "verify"]);
    assert_eq!(gone.code, 1);
    assert!(gone.stdout.starts_with(&format!("{LIST}: the file is missing")), "{}", gone.stdout);
    assert_eq!(gsd(&world, &["lanes-catalog", "render", "list.json"]).code, 1);
}

#[test]
fn owners_and_bundles_are_compared_where_they_are_given() {
    let world = World::new();
    world.write("old.json", &json!([entry()]).to_string());
    let mut moved = entry();
    moved["repo"] = "other/review".into();
    world.write("new.json", &json!([moved]).to_string());
    let since = || gsd(&world, &["lanes-catalog", "verify", "new.json", "--since", "old.json"]);
    assert_eq!(since().code, 1);
    let hand_off = json!({ "from": "acme/review", "to": "other/review", "statement": "https://github.com/acme/review/issues/1" });
    world.write("hand-offs/acme.json", &hand_off.to_string());
    assert_eq!(since().code, 0, "{}", since().stdout);
    let bundles = || gsd(&world, &["lanes-catalog", "verify", "list.json", "--bundles", "."]);
    world.write("list.json", &json!([entry()]).to_string());
    assert!(bundles().stdout.contains("its bundle cannot be used"), "{}", bundles().stdout);
    let made = gsd(&world, &["capability", "new", "acme", "--role", "reviewer"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let manifest: Value = serde_json::from_str(&world.read("acme/capability.json")).expect("JSON");
    let mut same = entry();
    same["enginesGsd"] = manifest["engines"]["gsd"].as_str().unwrap_or("*").into();
    for field in
        ["slug", "flags", "transport", "evidenceClass", "reviewsSection", "requiresBinaries"]
    {
        same["interactions"][field] = manifest["reviewer"][field].clone();
    }
    let keys = manifest["config"].as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    same["interactions"]["configKeys"] = keys.collect::<Vec<_>>().into();
    world.write("list.json", &json!([same]).to_string());
    assert_eq!(bundles().code, 0, "{}", bundles().stdout);
    same["interactions"]["flags"] = json!(["--other"]);
    world.write("list.json", &json!([same]).to_string());
    assert!(bundles().stdout.contains("interactions.flags"), "{}", bundles().stdout);
}
