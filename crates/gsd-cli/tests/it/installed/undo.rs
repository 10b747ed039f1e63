//! Install followed by remove changes nothing, whatever stood there before.

use super::{bundle, ends, feature, tree};
use crate::world::{command, gsd, ran};
use gsd_testkit::project::World;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A settings file as users have it: with comments, other line ends, a mark at its start.
fn settings() -> impl Strategy<Value = Option<String>> {
    let body = prop_oneof![
        Just("{}".to_owned()),
        Just("{ }\n".to_owned()),
        Just("{\n  \"a\": [1, 2,],\n  // mine\n}\n".to_owned()),
        Just("{\"hooks\":{}}".to_owned()),
        Just("{\n\t\"hooks\": {\n\t\t\"Stop\": [ ]\n\t}\n}\n".to_owned()),
        Just("{\"hooks\":{\"Stop\":[{\"hooks\":[]}]},\"mcpServers\":{}}\n".to_owned()),
        Just("{\n  \"mcpServers\": { \"mine\": { \"command\": \"x\" } } /* last */\n}".to_owned()),
        "[a-z]{1,8}".prop_map(|key| format!("{{\n    \"{key}\": \"\u{e9}\"\n}}\n\n")),
    ];
    let shape = |(text, crlf, mark): (String, bool, bool)| {
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        if mark { format!("\u{feff}{text}") } else { text }
    };
    proptest::option::of((body, any::<bool>(), any::<bool>()).prop_map(shape))
}

/// What can be done with one of several capabilities.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// Or updated from a source that has another version, if it is installed.
    Install,
    Unwire,
    Disable,
    Enable,
    Remove,
}

const NAMES: [&str; 3] = ["one", "two", "three"];
const FILES: [&str; 3] = ["s.json", ".new/t.json", ".new/below/u.json"];

fn steps() -> impl Strategy<Value = Vec<(usize, Step, Value, [bool; 3])>> {
    let step = prop_oneof![
        4 => Just(Step::Install), 1 => Just(Step::Unwire), 1 => Just(Step::Disable), 1 => Just(Step::Enable),
        2 => Just(Step::Remove),
    ];
    proptest::collection::vec((0..NAMES.len(), step, manifest(), any::<[bool; 3]>()), 2..9)
}

fn manifest() -> impl Strategy<Value = Value> {
    let events =
        proptest::collection::vec(prop_oneof!["Stop", "PostToolUse", "[A-Z][a-z]{1,9}"], 0..4);
    let servers = proptest::collection::btree_map("[a-z]{1,6}", "[a-z]{1,6}", 0..3);
    (events, servers).prop_map(|(events, servers)| {
        let hooks: Vec<Value> = events
            .iter()
            .map(|event| json!({ "event": event, "script": "hooks/after.js" }))
            .collect();
        let servers: serde_json::Map<String, Value> = servers
            .into_iter()
            .map(|(name, command)| (name, json!({ "command": command, "args": ["\"", 1] })))
            .collect();
        feature("exe", "1.0.0", &json!({ "hooks": hooks, "mcpServers": servers }))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn several_that_come_and_go_in_any_order_leave_nothing(
        before in settings(),
        project in any::<bool>(),
        steps in steps(),
        order in Just(NAMES).prop_shuffle(),
    ) {
        let world = World::new();
        world.write(".planning/config.json", "{}");
        let (root, scope) =
            if project { (world.root(), "project") } else { (world.home(), "global") };
        if let Some(text) = &before {
            std::fs::write(root.join("s.json"), text).unwrap();
        }
        let old = (tree(&world.home()), tree(&world.root()));
        let run = |words: &[&str]| {
            ends(&gsd(&world, &[&["capability"], words, &["--scope", scope]].concat()), 0);
        };
        let mut installed: Vec<&str> = vec![];
        for (version, (which, step, mut manifest, files)) in steps.into_iter().enumerate() {
            let name = NAMES[which];
            let is_there = installed.contains(&name);
            match step {
                Step::Install => {
                    manifest["id"] = json!(name);
                    manifest["version"] = json!(format!("1.0.{version}"));
                    let from = bundle(&world.tmp().join(name), &manifest);
                    let what = if is_there { ["update", name] } else { ["install", from.as_str()] };
                    let mut words = [&what[..], &["--yes"]].concat();
                    for (file, wanted) in FILES.iter().zip(files) {
                        words.extend(wanted.then_some(["--shared-file", file]).into_iter().flatten());
                    }
                    run(&words);
                    installed.retain(|known| *known != name);
                    installed.push(name);
                }
                Step::Unwire if is_there => run(&["update", name, "--yes", "--no-shared-files"]),
                Step::Disable if is_there => run(&["disable", name]),
                Step::Enable if is_there => run(&["enable", name]),
                Step::Remove if is_there => {
                    run(&["remove", name]);
                    installed.retain(|known| *known != name);
                }
                Step::Unwire | Step::Disable | Step::Enable | Step::Remove => {}
            }
        }
        for name in order.into_iter().filter(|name| installed.contains(name)) {
            run(&["remove", name]);
        }
        prop_assert_eq!((tree(&world.home()), tree(&world.root())), old);
    }

    #[test]
    fn install_then_remove_changes_nothing(
        before in settings(),
        manifest in manifest(),
        project in any::<bool>(),
        neighbour in any::<bool>(),
        switched in any::<bool>(),
    ) {
        let world = World::new();
        world.write(".planning/config.json", "{}");
        let (root, scope) =
            if project { (world.root(), "project") } else { (world.home(), "global") };
        if let Some(text) = &before {
            std::fs::write(root.join("s.json"), text).unwrap();
        }
        if neighbour {
            let from = bundle(&world.tmp().join("other"), &feature("other", "1.0.0", &json!({
                "hooks": [{ "event": "Stop", "script": "hooks/after.js" }],
            })));
            let args =
                ["capability", "install", from.as_str(), "--yes", "--shared-file", "s.json", "--scope", scope];
            ends(&gsd(&world, &args), 0);
        }
        let old = (tree(&world.home()), tree(&world.root()));
        let from = bundle(&world.tmp().join("exe"), &manifest);
        let args = [
            "capability", "install", from.as_str(), "--yes", "--scope", scope, "--shared-file", "s.json",
            "--shared-file", ".new/below/t.json",
        ];
        ends(&ran(command(&world, &args).output().unwrap()), 0);
        if switched {
            ends(&gsd(&world, &["capability", "disable", "exe", "--scope", scope]), 0);
            ends(&gsd(&world, &["capability", "enable", "exe", "--scope", scope]), 0);
        }
        ends(&gsd(&world, &["capability", "remove", "exe", "--scope", scope]), 0);
        prop_assert_eq!((tree(&world.home()), tree(&world.root())), old);
    }
}
