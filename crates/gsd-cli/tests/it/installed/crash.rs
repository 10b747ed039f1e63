//! A crash at every write: each write, rename, sync and removal in turn fails, or the process is
//! killed there. Afterwards `reconcile` leaves the old state or the new one, byte for byte.

use super::{bundle, executable, feature, tree};
use crate::world::{Ran, command, gsd, ran};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_testkit::project::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a change starts from and what it does.
struct Case<'a> {
    name: &'a str,
    scope: &'a str,
    /// Commands that make the state before.
    before: &'a [&'a [&'a str]],
    /// The change, as words after `capability`.
    change: &'a [&'a str],
}

const INSTALL: &[&str] = &["install", "{v1}", "--yes", "--shared-file", "s.json"];
const WIRED: &[&str] =
    &["install", "{v1}", "--yes", "--shared-file", "s.json", "--shared-file", ".h/new.json"];

/// Another one that has a hook in the same file.
const SECOND: &[&str] = &["install", "{two}", "--yes", "--shared-file", "s.json"];

/// Everything that gsd may have touched, with the moments taken out.
type State = BTreeMap<String, Option<Vec<u8>>>;

struct Ground {
    world: World,
    v1: Utf8PathBuf,
    two: Utf8PathBuf,
}

impl Ground {
    fn new() -> Self {
        let world = World::new();
        world.write(".planning/config.json", "{}");
        for root in [world.home(), world.root()] {
            std::fs::write(root.join("s.json"), "{\n  // mine\n  \"a\": 1\n}\n").unwrap();
        }
        let v1 = bundle(&world.tmp().join("exe"), &feature("exe", "1.0.0", &executable()));
        let hook = json!({ "hooks": [{ "event": "PostToolUse", "script": "hooks/after.js" }] });
        let two = bundle(&world.tmp().join("two"), &feature("two", "1.0.0", &hook));
        Self { world, v1, two }
    }

    fn words(&self, case: &Case<'_>, words: &[&str]) -> Vec<String> {
        let path = |word: &&str| match *word {
            "{v1}" => self.v1.to_string(),
            "{two}" => self.two.to_string(),
            word => word.to_owned(),
        };
        let words = words.iter().map(path);
        let scope = ["--scope".to_owned(), case.scope.to_owned()];
        std::iter::once("capability".to_owned()).chain(words).chain(scope).collect()
    }

    fn run(&self, case: &Case<'_>, words: &[&str], fault: Option<&str>) -> Ran {
        let words = self.words(case, words);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = command(&self.world, &words);
        if let Some(fault) = fault {
            command.env("GSD_FAULT", fault);
        }
        ran(command.output().unwrap())
    }

    /// Makes the state that the change starts from.
    fn prepare(&self, case: &Case<'_>) {
        for words in case.before {
            let done = self.run(case, words, None);
            assert_eq!(done.code, 0, "{}: {}{}", case.name, done.stdout, done.stderr);
        }
        if case.change[0] == "update" {
            let mut other = executable();
            other["hooks"][0]["event"] = json!("Stop");
            bundle(&self.v1, &feature("exe", "2.0.0", &other));
        }
    }

    fn state(&self) -> State {
        let mut state = State::new();
        for (name, root) in [("home", self.world.home()), ("project", self.world.root())] {
            for (path, content) in tree(&root) {
                state.insert(format!("{name}/{path}"), content.map(without_moments));
            }
        }
        state
    }

    /// The state once everything was ended.
    fn settled(&self, case: &Case<'_>) -> State {
        let done = gsd(&self.world, &["capability", "reconcile", "--scope", case.scope]);
        assert_eq!(done.code, 0, "{}: {}{}", case.name, done.stdout, done.stderr);
        self.state()
    }
}

/// The same bytes with every time of the form `2026-01-01T00:00:00Z` blanked.
fn without_moments(content: Vec<u8>) -> Vec<u8> {
    let Ok(mut text) = String::from_utf8(content.clone()) else { return content };
    let looks_so = |part: &str| {
        part.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            10 => byte == b'T',
            13 | 16 => byte == b':',
            19 => byte == b'Z',
            _ => byte.is_ascii_digit(),
        })
    };
    let mut at = 0;
    while at + 20 <= text.len() {
        if text.get(at..at + 20).is_some_and(looks_so) {
            text.replace_range(at..at + 20, "____-__-__T__:__:__Z");
        }
        at += 1;
    }
    text.into_bytes()
}

fn copy(from: &Utf8Path, to: &Utf8Path) {
    let done = std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
    assert!(done.success());
}

/// Puts a saved state back.
fn reset(ground: &Ground, saved: &Utf8Path) {
    for (name, root) in [("home", ground.world.home()), ("root", ground.world.root())] {
        std::fs::remove_dir_all(&root).unwrap();
        copy(&saved.join(name), &root);
    }
}

/// Cuts a change off at each of its steps, in three ways.
fn cut_everywhere(case: &Case<'_>) {
    let ground = Ground::new();
    ground.prepare(case);
    let saved = ground.world.tmp().join("saved");
    std::fs::create_dir(&saved).unwrap();
    copy(&ground.world.home(), &saved.join("home"));
    copy(&ground.world.root(), &saved.join("root"));
    let old = ground.state();
    // How many steps there are, and what comes of them when none fails.
    let counted = ground.world.tmp().join("counted");
    let whole = ground.run(case, case.change, Some(&format!("count:{counted}")));
    assert_eq!(whole.code, 0, "{}: {}{}", case.name, whole.stdout, whole.stderr);
    let steps: u64 = std::fs::read_to_string(&counted).unwrap().parse().unwrap();
    let new = ground.state();
    assert_ne!(old, new, "{}", case.name);
    assert!(steps > 20, "{}: only {steps} steps", case.name);
    let mut now = new.clone();
    for step in 0..steps {
        // A full disk stays full; that is looked at now and then.
        let ways = if step % 5 == 0 { &["kill", "fail", "full"][..] } else { &["kill", "fail"] };
        for how in ways {
            // Where everything was taken back, it is what it was.
            if now != old {
                reset(&ground, &saved);
            }
            let fault = format!("{how}:{step}");
            let cut = ground.run(case, case.change, Some(&fault));
            now = ground.settled(case);
            let is_whole = now == old || now == new;
            assert!(is_whole, "{} {fault}: {}", case.name, told(&now, &old, &new, &cut));
            // What was said to be done is done.
            if cut.code == 0 {
                assert!(now == new, "{} {fault}: said to be done", case.name);
            }
        }
    }
}

macro_rules! cut_everywhere {
    ($($test:ident: $scope:literal, $before:expr => $change:expr;)*) => {$(
        #[test]
        fn $test() {
            let case = Case {
                name: stringify!($test), scope: $scope, before: $before, change: $change,
            };
            cut_everywhere(&case);
        }
    )*};
}

// After every crash the old or the new state is whole.
cut_everywhere! {
    a_36_install: "global", &[] => WIRED;
    a_36_install_in_a_project: "project", &[] => INSTALL;
    a_36_update: "global", &[WIRED] => &["update", "exe", "--yes"];
    a_36_update_in_a_project: "project", &[INSTALL] => &["update", "exe", "--yes"];
    a_36_update_that_leaves_the_files: "global", &[WIRED]
        => &["update", "exe", "--yes", "--no-shared-files"];
    a_36_remove: "global", &[WIRED] => &["remove", "exe"];
    a_36_remove_from_a_project: "project", &[INSTALL] => &["remove", "exe", "--purge-data"];
    a_36_remove_the_lower_of_two: "project", &[INSTALL, SECOND] => &["remove", "exe"];
    a_36_disable_the_lower_of_two: "global", &[WIRED, SECOND] => &["disable", "exe"];
    a_36_disable: "global", &[WIRED] => &["disable", "exe"];
    a_36_enable_in_a_project: "project", &[INSTALL, &["disable", "exe"]] => &["enable", "exe"];
}

/// What is different from both whole states.
fn told(now: &State, old: &State, new: &State, cut: &Ran) -> String {
    let shown = |content: &Option<Vec<u8>>| match content {
        None => "a folder".to_owned(),
        Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    };
    let differs = |whole: &State| -> Vec<String> {
        let mut names: Vec<&String> = now.keys().chain(whole.keys()).collect();
        names.sort();
        names.dedup();
        names
            .into_iter()
            .filter(|name| now.get(*name) != whole.get(*name))
            .map(|name| {
                let (now, then) = (now.get(name).map(shown), whole.get(name).map(shown));
                format!("  {name}: {now:?} instead of {then:?}")
            })
            .collect()
    };
    format!(
        "ended {} {}{}\nfrom the old:\n{}\nfrom the new:\n{}",
        cut.code,
        cut.stdout,
        cut.stderr,
        differs(old).join("\n"),
        differs(new).join("\n")
    )
}

/// A ledger entry as another program writes it.
fn entry(id: &str, version: &str, intent: Value) -> Value {
    json!({
        "id": id, "version": version, "source": "/src", "integrity": "",
        "files": [format!(".gsd/capabilities/{id}")],
        "sharedEdits": [{ "file": "s.json", "marker": id }], "_pending": intent,
    })
}

fn write_ledger(world: &World, entries: Value) {
    let ledger = json!({ "version": "1", "updatedAt": "2026-01-01T00:00:00Z", "entries": entries });
    std::fs::write(world.home().join(".gsd-capabilities.json"), ledger.to_string()).unwrap();
}

#[test]
fn a_33_an_update_of_another_program_is_taken_back() {
    let Ground { world, .. } = Ground::new();
    let bundles = world.home().join(".gsd/capabilities");
    let old = bundle(&bundles.join("c.upgrading-1-2-ab"), &feature("c", "1.0.0", &executable()));
    let mut other = executable();
    other["hooks"][0]["event"] = json!("Stop");
    bundle(&bundles.join("c"), &feature("c", "1.0.0", &other));
    let old_tree = tree(&old);
    let wired = json!({ "hooks": { "Stop": [{ "_gsdCapability": "c", "hooks": [] }] } });
    std::fs::write(world.home().join("s.json"), wired.to_string()).unwrap();
    let intent = json!({
        "kind": "upgrade", "backupName": "c.upgrading-1-2-ab", "sharedFiles": ["s.json"],
    });
    write_ledger(&world, json!({ "c": entry("c", "1.0.0", intent) }));
    assert_eq!(gsd(&world, &["capability", "update", "--all"]).code, 9, "its source is gone");
    assert_eq!(tree(&bundles.join("c")), old_tree);
    assert!(!old.exists());
    let ledger = std::fs::read_to_string(world.home().join(".gsd-capabilities.json")).unwrap();
    assert!(!ledger.contains("_pending"), "{ledger}");
    let settings = std::fs::read_to_string(world.home().join("s.json")).unwrap();
    assert!(settings.contains("PostToolUse") && !settings.contains("Stop"), "{settings}");
}

#[test]
fn a_34_an_install_is_undone_and_what_is_forged_is_used_for_nothing() {
    let Ground { world, .. } = Ground::new();
    let bundles = world.home().join(".gsd/capabilities");
    bundle(&bundles.join("half"), &feature("half", "1.0.0", &executable()));
    bundle(&bundles.join("c"), &feature("c", "1.0.0", &json!({})));
    bundle(&bundles.join("other.upgrading-1-2-ab"), &feature("other", "1.0.0", &json!({})));
    let wired = json!({ "hooks": { "Stop": [{ "_gsdCapability": "half", "hooks": [] }] } });
    std::fs::write(world.home().join("s.json"), wired.to_string()).unwrap();
    let install = json!({ "kind": "install", "backupName": null, "sharedFiles": ["s.json"] });
    let forged = json!({
        "kind": "upgrade", "backupName": "other.upgrading-1-2-ab", "sharedFiles": [],
    });
    write_ledger(
        &world,
        json!({ "half": entry("half", "1.0.0", install), "c": entry("c", "1.0.0", forged) }),
    );
    let done = gsd(&world, &["capability", "reconcile", "--scope", "global"]);
    assert_eq!(done.code, 9, "{}{}", done.stdout, done.stderr);
    assert!(!bundles.join("half").exists());
    assert!(bundles.join("c").exists(), "what is forged is used for nothing");
    assert!(bundles.join("other.upgrading-1-2-ab").exists(), "an intent still names it");
    let settings = std::fs::read_to_string(world.home().join("s.json")).unwrap();
    assert!(!settings.contains("half"), "{settings}");
    write_ledger(&world, json!({ "../../x": entry("../../x", "1.0.0", json!(null)) }));
    let before = tree(&world.home());
    assert_eq!(gsd(&world, &["capability", "reconcile", "--scope", "global"]).code, 7);
    assert_eq!(tree(&world.home()), before);
}

#[test]
fn what_is_nobodys_is_swept() {
    let Ground { world, v1, .. } = Ground::new();
    let bundles = world.home().join(".gsd/capabilities");
    for name in [".staging/exe-1-2-0123abcd", "exe.discard-1-2-ab", "gone.upgrading-1-2"] {
        bundle(&bundles.join(name), &feature("exe", "1.0.0", &json!({})));
    }
    // Another program may still be at this one.
    bundle(&bundles.join(".staging/exe-1-2"), &feature("exe", "1.0.0", &json!({})));
    std::fs::write(world.home().join("..gsd-capabilities.json.gsd-tmp-aaaaaa"), "{").unwrap();
    let done = gsd(&world, &["capability", "install", v1.as_str(), "--yes"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let left: Vec<String> = tree(&world.home())
        .into_keys()
        .filter(|name| !name.contains("capabilities/exe/") && !name.contains("exe-1-2/"))
        .collect();
    assert_eq!(
        left,
        [
            ".gsd",
            ".gsd-capabilities.json",
            ".gsd/capabilities",
            ".gsd/capabilities/.staging",
            ".gsd/capabilities/.staging/exe-1-2",
            ".gsd/capabilities/exe",
            "s.json",
        ]
    );
}
