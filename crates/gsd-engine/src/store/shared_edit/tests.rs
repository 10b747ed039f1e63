use super::{Applied, MARKER, Other, Surfaces, Undo, apply, strip, without};
use crate::id::CapabilityId;
use crate::json::{append_item, read_value, remove_item, remove_member, set_member};
use crate::store::disclosure::{BundleFiles, Disclosure};
use camino::Utf8Path;
use proptest::prelude::*;
use serde_json::{Value, json};

fn id(text: &str) -> CapabilityId {
    CapabilityId::parse(text).expect("an id")
}

fn surfaces_of(name: &str, manifest: &Value) -> Surfaces {
    let files = BundleFiles::of([("hooks/a.js", &b"a"[..]), ("hooks/stop.sh", b"b")]);
    let disclosed = Disclosure::of(manifest, &files, &|_| None);
    Surfaces::of(&id(name), &disclosed, &files, Utf8Path::new("/home/o'neil/.gsd/capabilities/exe"))
}

fn exe() -> Surfaces {
    surfaces_of(
        "exe",
        &json!({
            "hooks": [
                { "event": "PostToolUse", "script": "hooks/a.js", "matcher": "Write|Edit" },
                { "event": "Stop", "script": "hooks/stop.sh" },
            ],
            "mcpServers": { "srv": { "command": "node", "args": ["s.js", 3] } },
        }),
    )
}

fn done(text: &str, surfaces: &Surfaces) -> Applied {
    apply(Some(text), surfaces).expect("a text that can be edited")
}

fn undone(text: &str, undo: Option<&Undo>) -> String {
    let stripped = strip(text, &id("exe"), undo).expect("a text that can be edited");
    stripped.text.expect("the file was there before")
}

#[test]
fn entries_go_beside_what_the_user_has() {
    let text = "{\n  // mine\n  \"theme\": \"x\",\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [] }, // own\n    ],\n  },\n}\n";
    let applied = done(text, &exe());
    insta::assert_snapshot!(applied.text, @r#"
    {
      // mine
      "theme": "x",
      "hooks": {
        "Stop": [
          { "hooks": [] }, // own
          {
            "_gsdCapability": "exe",
            "hooks": [
              {
                "type": "command",
                "command": "'/home/o'\\''neil/.gsd/capabilities/exe/hooks/stop.sh'"
              }
            ]
          },
        ],
        "PostToolUse": [
          {
            "_gsdCapability": "exe",
            "matcher": "Write|Edit",
            "hooks": [
              {
                "type": "command",
                "command": "node '/home/o'\\''neil/.gsd/capabilities/exe/hooks/a.js'"
              }
            ]
          }
        ],
      },
      "mcpServers": {
        "srv": {
          "command": "node",
          "args": ["s.js", 3],
          "_gsdCapability": "exe"
        }
      },
    }
    "#);
    assert_eq!(applied.added, ["hook PostToolUse", "hook Stop", "server srv"]);
    assert_eq!(applied.skipped, []);
    assert_eq!(undone(&applied.text, Some(&applied.undo)), text);
    // Without the record of the install the marks do.
    assert_eq!(undone(&applied.text, None), text);
    // A second install leaves one set.
    assert_eq!(done(&applied.text, &exe()).text, applied.text);
}

#[test]
fn what_the_user_adds_later_stays() {
    let applied = done("{\"theme\": \"x\"}\n", &exe());
    let text =
        append_item(&applied.text, &["hooks", "Stop"], &json!({ "hooks": [1] })).expect("edited");
    let text = set_member(&text, &["mcpServers", "mine"], &json!({})).expect("edited");
    let text = set_member(&text, &["key"], &json!(1)).expect("edited");
    let stripped = undone(&text, Some(&applied.undo));
    assert_eq!(
        read_value(&stripped).expect("JSON"),
        json!({ "theme": "x", "hooks": { "Stop": [{ "hooks": [1] }] }, "mcpServers": { "mine": {} }, "key": 1 })
    );
    // Also inside a group that carries the mark.
    let own = json!({ "type": "command", "command": "mine" });
    let text = append_item(&applied.text, &["hooks", "Stop", "0", "hooks"], &own).expect("edited");
    assert_eq!(
        read_value(&undone(&text, Some(&applied.undo))).expect("JSON"),
        json!({ "theme": "x", "hooks": { "Stop": [{ "hooks": [own] }] } })
    );
}

#[test]
fn what_belongs_to_others_is_never_replaced() {
    let text = "{ \"mcpServers\": { \"srv\": { \"command\": \"mine\" } } }";
    let applied = done(text, &exe());
    assert_eq!(applied.skipped.len(), 1);
    assert_eq!(applied.skipped[0].name, "server srv");
    assert_eq!(
        read_value(&applied.text).expect("JSON")["mcpServers"]["srv"],
        json!({ "command": "mine" })
    );
    assert_eq!(undone(&applied.text, Some(&applied.undo)), text);
    let other = surfaces_of("other", &json!({ "mcpServers": { "srv": { "url": "u" } } }));
    let both = done(&done("{}", &exe()).text, &other);
    assert_eq!(both.skipped[0].reason, "`exe` has a server of that name");
    // Neither takes what the other one put in.
    let left = undone(&both.text, None);
    assert_eq!(read_value(&left).expect("JSON"), json!({}));
}

#[test]
fn names_and_paths_that_do_harm_are_left_out() {
    let surfaces = surfaces_of(
        "exe",
        &json!({
            "hooks": [
                { "event": "__proto__", "script": "hooks/a.js" }, { "event": "", "script": "hooks/a.js" },
                { "event": "Stop", "script": "../a.js" }, { "event": "Stop", "script": "/a.js" },
                { "event": "Stop", "script": "a;b" }, { "event": "Stop", "script": "hooks/-a.js" },
                { "event": "Stop", "script": "hooks/missing.js" },
            ],
            "mcpServers": { "constructor": { "command": "c" }, "plain": 3 },
        }),
    );
    assert_eq!(surfaces.hooks, []);
    assert_eq!(surfaces.skipped.len(), 8);
    let applied = done("{}", &surfaces);
    let expected = json!({ "mcpServers": { "plain": { "value": 3, "_gsdCapability": "exe" } } });
    assert_eq!(read_value(&applied.text).expect("JSON"), expected);
}

#[test]
fn a_file_that_was_not_there_goes_again_and_a_broken_one_is_left_alone() {
    let made = apply(None, &exe()).expect("made");
    assert!(made.text.ends_with("}\n"));
    let record = Undo::from_json(&made.undo.to_json());
    assert_eq!(record.as_ref(), Some(&made.undo));
    let strip = |text: &str| strip(text, &id("exe"), record.as_ref()).expect("editable");
    assert_eq!((strip(&made.text).text, strip(&made.text).removed), (None, 3));
    let edited = set_member(&made.text, &["mine"], &json!(1)).expect("edited");
    assert_eq!(strip(&edited).text.as_deref(), Some("{\n  \"mine\": 1\n}\n"));
    for broken in [
        "{ \"a\": ",
        "[]",
        "{\"hooks\": 3}",
        "{\"hooks\": {\"Stop\": {}}}",
        "{\"mcpServers\": []}",
        "{'a': 1}",
    ] {
        assert!(apply(Some(broken), &exe()).is_err(), "{broken}");
    }
}

#[test]
fn containers_that_were_there_stay() {
    let text = "{\n  \"hooks\": { \"Stop\": [] },\n  \"mcpServers\": {}\n}";
    let applied = done(text, &exe());
    assert_eq!(undone(&applied.text, Some(&applied.undo)), text);
    let edited = applied.text.replace("{\n  \"hooks\"", "{\n  // edited\n  \"hooks\"");
    let expected = json!({ "hooks": { "Stop": [] }, "mcpServers": {} });
    assert_eq!(read_value(&undone(&edited, Some(&applied.undo))).expect("JSON"), expected);
}

/// White space and comments of every kind.
fn space() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        " ",
        "\n",
        "\r\n",
        "\n  ",
        "\t",
        "\r\n\t\t",
        " // c \" } ,\n",
        " /* , ] */ ",
        "/* \n */\n    ",
    ])
}

/// A list or an object of these, with space and perhaps a comma behind the last.
fn enclosed(
    open: &'static str,
    close: &'static str,
    items: impl Strategy<Value = Vec<String>>,
) -> impl Strategy<Value = String> {
    let spaces = prop::collection::vec(space(), 16);
    (items, spaces, any::<bool>()).prop_map(move |(items, spaces, trailing)| {
        let last = items.len().saturating_sub(1);
        let mut spaces = spaces.into_iter().cycle();
        let mut next = || spaces.next().unwrap_or_default();
        let mut out = open.to_owned();
        for (at, item) in items.iter().enumerate() {
            let comma = if at < last || trailing { "," } else { "" };
            out.push_str(&format!("{}{item}{}{comma}", next(), next()));
        }
        out + next() + close
    })
}

fn group() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "{}",
        "{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"mine\"}]}",
        "{ \"_gsdCapability\": \"other\", \"hooks\": [] }",
        "null",
        "\"exe\"",
    ])
    .prop_map(str::to_owned)
}

/// Settings as users keep them.
fn settings() -> impl Strategy<Value = String> {
    let events = prop::sample::subsequence(vec!["Stop", "PostToolUse", "SessionStart"], 0..=3)
        .prop_flat_map(|events| {
            let members = events.into_iter().map(|event| {
                (space(), enclosed("[", "]", prop::collection::vec(group(), 0..3)))
                    .prop_map(move |(space, list)| format!("\"{event}\":{space}{list}"))
            });
            members.collect::<Vec<_>>()
        });
    let hooks = enclosed("{", "}", events).prop_map(|object| format!("\"hooks\": {object}"));
    let servers = prop::sample::subsequence(
        vec![
            "\"srv\": {\"command\": \"mine\"}",
            "\"two\":{\"_gsdCapability\":\"other\"}",
            "\"é\": 1",
        ],
        0..=3,
    )
    .prop_map(|members| members.into_iter().map(str::to_owned).collect());
    let servers = enclosed("{", "}", servers).prop_map(|object| format!("\"mcpServers\":{object}"));
    let plain = prop::sample::select(vec![
        "\"theme\": \"x\"",
        "\"a\":[1,\n2]",
        "\"b\" : { /* b */ }",
        "\"über\": \"\\u00e9😀\"",
    ])
    .prop_map(str::to_owned);
    let members =
        (prop::option::of(hooks), prop::option::of(servers), prop::collection::vec(plain, 0..3))
            .prop_map(|(hooks, servers, plain)| {
                let mut members: Vec<String> =
                    plain.into_iter().chain(hooks).chain(servers).collect();
                members.sort_by_key(|member| member.len() % 7);
                members.dedup();
                members
            });
    (any::<bool>(), space(), enclosed("{", "}", members), space()).prop_map(
        |(mark, before, object, after)| {
            format!("{}{before}{object}{after}", if mark { "\u{feff}" } else { "" })
        },
    )
}

fn some_surfaces() -> impl Strategy<Value = Surfaces> {
    let hook = (
        prop::sample::select(vec!["Stop", "PostToolUse", "SessionStart", "Odd \"event\""]),
        prop::sample::select(vec!["hooks/a.js", "hooks/stop.sh"]),
        prop::option::of(prop::sample::select(vec!["Write", "a,b\n"])),
    )
        .prop_map(|(event, script, matcher)| match matcher {
            Some(matcher) => json!({ "event": event, "script": script, "matcher": matcher }),
            None => json!({ "event": event, "script": script }),
        });
    let server = (
        prop::sample::select(vec!["srv", "two", "new", "x.y"]),
        prop::sample::select(vec![
            json!({ "command": "c", "args": ["a", 1, {}] }),
            json!({}),
            json!(null),
        ]),
    );
    (prop::collection::vec(hook, 0..4), prop::collection::vec(server, 0..3)).prop_map(
        |(hooks, servers)| {
            let servers: serde_json::Map<String, Value> =
                servers.into_iter().map(|(name, config)| (name.to_owned(), config)).collect();
            surfaces_of("exe", &json!({ "hooks": hooks, "mcpServers": servers }))
        },
    )
}

/// Whether a text is another one with some of it left out. Inside an empty list or object white
/// space gives way to what is put there; giving it back is what the record is for.
fn is_part_of(part: &str, whole: &str) -> bool {
    let mut whole = whole.bytes();
    let mut part = part.bytes().filter(|byte| !byte.is_ascii_whitespace());
    part.all(|byte| whole.any(|other| other == byte))
}

/// A value without what carries the mark of `exe`.
fn without_marked(mut value: Value) -> Value {
    let marked = |value: &Value| value.get(MARKER).and_then(Value::as_str) == Some("exe");
    for list in value.get_mut("hooks").and_then(Value::as_object_mut).into_iter().flatten() {
        if let Some(items) = list.1.as_array_mut() {
            items.retain(|item| !marked(item));
        }
    }
    if let Some(servers) = value.get_mut("mcpServers").and_then(Value::as_object_mut) {
        servers.retain(|_, server| !marked(server));
    }
    value
}

/// The same without empty lists and objects where entries may have stood.
fn pruned(mut value: Value) -> Value {
    let empty = |value: &Value| {
        value.as_object().is_some_and(|o| o.is_empty())
            || value.as_array().is_some_and(|a| a.is_empty())
    };
    if let Some(hooks) = value.get_mut("hooks").and_then(Value::as_object_mut) {
        hooks.retain(|_, list| !empty(list));
    }
    if let Some(members) = value.as_object_mut() {
        members.retain(|name, value| {
            !(["hooks", "mcpServers"].contains(&name.as_str()) && empty(value))
        });
    }
    value
}

/// One thing that a user may do to the file.
fn edited(text: &str, which: usize) -> String {
    let own = json!({ "hooks": [{ "type": "command", "command": "own" }] });
    let result = match which {
        0 => set_member(text, &["fresh"], &json!({ "a": [1] })),
        1 => append_item(text, &["hooks", "Stop"], &own),
        2 => set_member(text, &["mcpServers", "own"], &json!({ "command": "own" })),
        3 => remove_member(text, &["theme"]).map(|new| new.unwrap_or_else(|| text.to_owned())),
        4 => remove_item(text, &["hooks", "Stop"], 0)
            .map(|new| new.unwrap_or_else(|| text.to_owned())),
        5 => Ok(format!("{text}\n// a note\n")),
        _ => Ok(text.replacen('{', "{ /* mine */", 1)),
    };
    result.unwrap_or_else(|_| text.to_owned())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_foreign_byte_stays_and_undoing_is_exact(text in settings(), surfaces in some_surfaces()) {
        let before = read_value(&text).expect("a file that a user keeps");
        let applied = done(&text, &surfaces);
        prop_assert!(is_part_of(&text, &applied.text), "{}", applied.text);
        let after = read_value(&applied.text).expect("still JSON");
        let expected = surfaces.hooks.len() + surfaces.servers.len();
        prop_assert_eq!(applied.added.len() + applied.skipped.len(), expected);
        prop_assert_eq!(pruned(without_marked(after)), pruned(before.clone()));
        prop_assert_eq!(undone(&applied.text, Some(&applied.undo)), text.clone());
        // By the marks alone: what was there is there, and no byte that was not in the file.
        let stripped = undone(&applied.text, None);
        prop_assert!(is_part_of(&stripped, &applied.text));
        prop_assert_eq!(pruned(read_value(&stripped).expect("JSON")), pruned(before));
    }

    #[test]
    fn after_edits_of_the_user_only_what_is_marked_goes(
        text in settings(),
        surfaces in some_surfaces(),
        edits in prop::collection::vec(0usize..7, 1..4),
    ) {
        let applied = done(&text, &surfaces);
        let theirs = edits.into_iter().fold(applied.text.clone(), |text, which| edited(&text, which));
        let stripped = undone(&theirs, Some(&applied.undo));
        let value = read_value(&stripped).expect("still JSON");
        prop_assert!(!stripped.contains("\"exe\"") || text.contains("\"exe\""), "{stripped}");
        prop_assert_eq!(pruned(value), pruned(without_marked(read_value(&theirs).expect("JSON"))));
        prop_assert!(is_part_of(&stripped, &theirs));
        for note in ["// a note", "/* mine */", "/* b */"] {
            prop_assert_eq!(stripped.matches(note).count(), theirs.matches(note).count());
        }
    }
}

fn hook(name: &str, event: &str) -> Surfaces {
    surfaces_of(name, &json!({ "hooks": [{ "event": event, "script": "hooks/a.js" }] }))
}

#[test]
fn the_lower_of_two_goes_as_if_the_upper_had_come_alone() {
    let before = "{ // mine\n}\n";
    let lower = done(before, &exe());
    let upper = done(&lower.text, &hook("two", "Stop"));
    let other = Other { id: id("two"), undo: upper.undo };
    let left = without(&upper.text, &id("exe"), Some(&lower.undo), &[other]).expect("it can be");
    let alone = done(before, &hook("two", "Stop"));
    assert_eq!((left.stripped.text.as_ref(), left.stripped.removed), (Some(&alone.text), 3));
    assert_eq!(left.others[0].undo, alone.undo);
}

#[test]
fn what_the_lower_made_is_the_uppers_to_take_along_also_in_an_edited_file() {
    let lower = apply(None, &exe()).expect("a new file");
    let upper = done(&lower.text, &hook("two", "Stop"));
    let edited = format!("{}\n", upper.text);
    let other = Other { id: id("two"), undo: upper.undo };
    let left = without(&edited, &id("exe"), Some(&lower.undo), &[other]).expect("it can be");
    let text = left.stripped.text.expect("the other one is in it");
    let last = strip(&text, &id("two"), Some(&left.others[0].undo)).expect("it can be");
    assert_eq!((last.text, last.removed), (None, 1));
}

#[test]
fn a_way_back_that_leads_elsewhere_than_the_marks_is_not_gone() {
    let lower = done("{}", &exe());
    let upper = done(&lower.text, &hook("two", "Stop"));
    // As if the ledger of a project said that the file had held something else before.
    let mut forged = lower.undo.to_json();
    forged["steps"][0][1] = json!("\"planted\": 1");
    let undo = Undo::from_json(&forged).expect("a way back");
    assert!(
        undo.revert(&lower.text).is_some_and(|it| it.text.is_some_and(|t| t.contains("planted")))
    );
    let other = Other { id: id("two"), undo: upper.undo };
    let left = without(&upper.text, &id("exe"), Some(&undo), &[other]).expect("it can be");
    let found = read_value(&left.stripped.text.expect("the other one is in it")).expect("JSON");
    assert_eq!(found["hooks"]["Stop"][0]["_gsdCapability"], "two");
    assert_eq!(found.as_object().map(|members| members.len()), Some(1));
}
