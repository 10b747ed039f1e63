use super::{HandOff, check, check_since, compare, page};
use crate::diag::SourceFile;
use crate::manifest::{Context, Origin, parse};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

fn entry(id: &str, edit: impl FnOnce(&mut Value)) -> Value {
    let mut entry = json!({
        "id": id, "name": format!("Lane {id}"), "type": "reviewer", "repo": "acme/review",
        "description": "Reviews plans.", "author": "Acme", "license": "MIT OR Apache-2.0",
        "enginesGsd": ">=1.9.0 <3.0.0",
        "install": format!("# first\ngsd capability install git+https://github.com/acme/review#sha:{COMMIT} --yes"),
        "uninstall": format!("gsd capability remove {id}"),
        "discussion": "https://github.com/acme/review/discussions/7",
        "interactions": {
            "slug": id, "flags": [format!("--{id}")], "transport": "spawn", "evidenceClass": "source-grounded",
            "reviewsSection": format!("Lane {id}"), "requiresBinaries": ["acme"], "configKeys": [], "runtimeCompat": ["*"],
        },
    });
    edit(&mut entry);
    entry
}

fn faults(list: &Value) -> Vec<(String, String)> {
    let (_, faults) = check(&list.to_string());
    faults.into_iter().map(|fault| (fault.field, fault.reason)).collect()
}

fn fields(edit: impl FnOnce(&mut Value)) -> Vec<String> {
    faults(&json!([entry("acme", edit)])).into_iter().map(|(field, _)| field).collect()
}

#[test]
fn every_field_has_its_grammar_and_unknown_ones_are_refused() {
    assert_eq!(fields(|_| {}), [""; 0]);
    let cases: Vec<(&str, Value)> = vec![
        ("id", "Acme".into()),
        ("id", "a".repeat(101).into()),
        ("name", " ".into()),
        ("name", "x".repeat(121).into()),
        ("type", "capability".into()),
        ("repo", "acme".into()),
        ("repo", "acme/../x".into()),
        ("description", "a\u{1b}[2K".into()),
        ("description", "a\nb".into()),
        ("author", json!({ "name": "x" })),
        ("license", "MIT;rm".into()),
        ("enginesGsd", ">=1.9".into()),
        ("enginesGsd", ">=1.9.0 || 2.0.0".into()),
        ("install", "".into()),
        ("uninstall", Value::Null),
        ("discussion", "https://evil.example/acme/review/discussions/7".into()),
        ("discussion", "https://github.com/acme/review/issues/7".into()),
        ("interactions", json!([])),
        ("extra", 1.into()),
    ];
    for (field, value) in cases {
        assert_eq!(fields(|entry| entry[field] = value.clone()), [field], "{value}");
    }
    for (field, value) in [
        ("slug", json!("-a")),
        ("flags", json!([])),
        ("flags", json!(["acme"])),
        ("transport", json!("http")),
        ("evidenceClass", json!("none")),
        ("reviewsSection", json!(" ")),
        ("requiresBinaries", json!("acme")),
        ("configKeys", json!(vec!["k"; 51])),
        ("runtimeCompat", json!([3])),
        ("extra", json!(1)),
    ] {
        let found = fields(|entry| entry["interactions"][field] = value.clone());
        assert_eq!(found, [format!("interactions.{field}")], "{value}");
    }
    for field in [
        "slug",
        "flags",
        "transport",
        "evidenceClass",
        "reviewsSection",
        "requiresBinaries",
        "configKeys",
        "runtimeCompat",
    ] {
        let found = fields(|entry| {
            drop(entry["interactions"].as_object_mut().expect("an object").remove(field))
        });
        assert_eq!(found, [format!("interactions.{field}")]);
    }
    for range in ["*", "1.9.0", "^v1.9.0-rc.1+b", "~1.9.0 !=2"] {
        let right = !range.contains('!');
        assert_eq!(fields(|entry| entry["enginesGsd"] = range.into()).is_empty(), right, "{range}");
    }
}

#[test]
fn what_is_no_list_is_a_fault_and_nothing_else() {
    for text in ["", "{", "{}", "3", "[3, null, [], \"x\"]"] {
        let (entries, faults) = check(text);
        assert!(entries.is_empty() && !faults.is_empty(), "{text}");
    }
    let (_, faults) = check(&json!(vec![Value::Null; 2001]).to_string());
    assert_eq!(
        faults[0].to_json(),
        json!({ "index": -1, "field": "", "reason": "the list exceeds 2000 entries" })
    );
    let (_, found) = check(&json!([3]).to_string());
    assert_eq!(
        found[0].to_json(),
        json!({ "index": 0, "field": "", "reason": "expected an object" })
    );
}

#[test]
fn two_entries_share_no_name() {
    let same = |edit: fn(&mut Value)| faults(&json!([entry("aa", |_| {}), entry("bb", edit)]));
    assert_eq!(same(|entry| entry["id"] = "aa".into())[0].0, "id");
    assert_eq!(same(|entry| entry["interactions"]["slug"] = "aa".into())[0].0, "interactions.slug");
    assert_eq!(
        same(|entry| entry["interactions"]["flags"] = json!(["--bb", "--aa"]))[0].0,
        "interactions.flags"
    );
    assert_eq!(
        same(|entry| entry["interactions"]["reviewsSection"] = "LANE AA".into())[0].0,
        "interactions.reviewsSection"
    );
    assert_eq!(same(|_| {}), []);
}

#[test]
fn what_a_reader_is_told_to_type_installs_one_thing() {
    let hash = format!("sha512-{}==", "A".repeat(86));
    let install = |text: &str| fields(|entry| entry["install"] = text.into()).is_empty();
    for right in [
        format!("gsd capability install git+https://github.com/a/b.git#sha:{COMMIT}"),
        format!(
            "gsd-tools capability install 'git+https://github.com/a/b.git#tag:v1.0.0' --integrity {hash}"
        ),
        format!("gsd capability install --integrity={hash} npm:@acme/review@1.2.3 --scope project"),
        format!(
            "npm i -g acme\ngsd capability install https://acme.example/x-1.tgz --integrity {hash}"
        ),
    ] {
        assert!(install(&right), "{right}");
    }
    for wrong in [
        "npm i -g acme".to_owned(),
        "gsd capability install git+https://github.com/a/b.git".to_owned(),
        "gsd capability install git+https://github.com/a/b.git#main".to_owned(),
        "gsd capability install git+https://github.com/a/b.git#sha:abc".to_owned(),
        "gsd capability install git+https://github.com/a/b.git#tag:v1.0.0".to_owned(),
        "gsd capability install npm:acme@^1.0.0".to_owned(),
        format!("gsd capability install npm:acme --integrity {hash}"),
        "gsd capability install npm:acme@1.0.0 --integrity sha512-short".to_owned(),
        format!("gsd capability install ./acme --integrity {hash}"),
        format!("gsd capability install a b#sha:{COMMIT}"),
        format!(
            "gsd capability install git+https://github.com/a/b#sha:{COMMIT}\ngsd capability install npm:evil"
        ),
    ] {
        assert!(!install(&wrong), "{wrong}");
    }
}

#[test]
fn an_entry_says_what_its_bundle_says() {
    let manifest = json!({
        "id": "acme", "role": "reviewer", "version": "1.0.0", "title": "t", "description": "d", "tier": "full",
        "requires": [], "engines": { "gsd": ">=1.9.0 <3.0.0" }, "config": {},
        "reviewer": {
            "slug": "acme", "flags": ["--acme"], "transport": "spawn", "probe": { "kind": "command-exists", "binary": "acme" },
            "invoke": { "binary": "acme", "args": ["-"], "promptChannel": "stdin", "outputChannel": "stdout", "modelArg": null, "effortChannel": "none" },
            "timeoutFloorMs": 900000, "emptyOutput": "stub-with-stderr", "reviewsSection": "Lane acme",
            "evidenceClass": "source-grounded", "requiresBinaries": ["acme"], "promptBudgetKey": null, "handler": null,
        },
    });
    let context = Context { origin: Origin::ThirdParty, folder: None };
    let parsed = parse(&SourceFile::new("capability.json", manifest.to_string()), context);
    let manifest = parsed.manifest.expect("a right manifest");
    let compared = |edit: fn(&mut Value)| {
        let (entries, faults) = check(&json!([entry("acme", edit)]).to_string());
        assert_eq!(faults, []);
        compare(&entries[0], &manifest).into_iter().map(|fault| fault.field).collect::<Vec<_>>()
    };
    assert_eq!(compared(|_| {}), [""; 0]);
    assert_eq!(compared(|entry| entry["enginesGsd"] = "*".into()), ["enginesGsd"]);
    assert_eq!(
        compared(|entry| entry["interactions"]["transport"] = "openai-http".into()),
        ["interactions.transport"]
    );
    assert_eq!(
        compared(|entry| entry["interactions"]["flags"] = json!(["--other"])),
        ["interactions.flags"]
    );
    assert_eq!(
        compared(|entry| entry["interactions"]["configKeys"] = json!(["review.x"])),
        ["interactions.configKeys"]
    );
}

#[test]
fn an_entry_keeps_its_owner_unless_the_owner_hands_it_over() {
    let read = |edit: fn(&mut Value)| check(&json!([entry("acme", edit)]).to_string()).0;
    let (old, moved) = (read(|_| {}), read(|entry| entry["repo"] = "evil/review".into()));
    assert_eq!(check_since(&old, &old, &BTreeMap::new()), []);
    assert_eq!(check_since(&old, &moved, &BTreeMap::new())[0].field, "repo");
    let hand_off = |from: &str, to: &str, statement: &str| {
        HandOff::parse(&json!({ "from": from, "to": to, "statement": statement }).to_string())
    };
    hand_off("acme/review", "evil/review", "https://github.com/evil/review/issues/1")
        .expect_err("said by the new owner");
    let right = hand_off("acme/review", "evil/review", "https://github.com/acme/review/issues/1")
        .expect("a hand-off");
    let known = BTreeMap::from([("acme".to_owned(), right)]);
    assert_eq!(check_since(&old, &moved, &known), []);
    let renamed = read(|entry| entry["interactions"]["slug"] = "acme_2".into());
    assert_eq!(check_since(&old, &renamed, &BTreeMap::new())[0].field, "interactions.slug");
}

#[test]
fn the_page_is_the_same_in_any_order_and_no_text_is_structure() {
    let hostile = |entry: &mut Value| {
        entry["name"] = "[x](http://evil) | # <b>`".into();
        entry["description"] = "see https://evil.example | and <script> **now**".into();
        entry["uninstall"] = "````\n## Forged\n```".into();
    };
    let (one, two) = (entry("aa", hostile), entry("bb", |_| {}));
    let read = |list: Value| {
        let (entries, faults) = check(&list.to_string());
        assert_eq!(faults, []);
        page(&entries)
    };
    let text = read(json!([one, two]));
    assert_eq!(text, read(json!([two, one])));
    let mut headings = vec![];
    let mut links = vec![];
    let options = pulldown_cmark::Options::ENABLE_TABLES;
    let mut in_heading = false;
    for event in pulldown_cmark::Parser::new_ext(&text, options) {
        match event {
            pulldown_cmark::Event::Start(pulldown_cmark::Tag::Heading { .. }) => {
                in_heading = true;
                headings.push(String::new());
            }
            pulldown_cmark::Event::End(pulldown_cmark::TagEnd::Heading(_)) => in_heading = false,
            pulldown_cmark::Event::Text(words) if in_heading => {
                headings.last_mut().expect("begun").push_str(&words);
            }
            pulldown_cmark::Event::Start(pulldown_cmark::Tag::Link { dest_url, .. }) => {
                links.push(dest_url.to_string())
            }
            _ => {}
        }
    }
    assert_eq!(headings, ["Reviewer lanes", "[x](http://evil) | # <b>`", "Lane bb"]);
    assert!(links.iter().all(|link| link.starts_with('#') || link.starts_with("https://github.com/acme/review")), "{links:?}");
    assert!(page(&[]).ends_with("_No lane is listed yet._\n"));
}
