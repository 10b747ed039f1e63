//! Files of hosts that hold entries: nobody is told that these are gone as long as they are there.

use super::{bundle, ends, executable, feature, tree};
use crate::world::gsd;
use gsd_testkit::project::World;

/// A world with `exe` wired into `settings.json` of a scope.
fn world(scope: &str) -> (World, camino::Utf8PathBuf) {
    let world = World::new();
    world.write(".planning/config.json", "{}");
    let root = if scope == "project" { world.root() } else { world.home() };
    std::fs::write(root.join("settings.json"), "{\"x\":1}").unwrap();
    let from = bundle(&world.tmp().join("exe"), &feature("exe", "1.0.0", &executable()));
    let args = ["capability", "install", from.as_str(), "--yes", "--scope", scope];
    ends(&gsd(&world, &[&args[..], &["--shared-file", "settings.json"]].concat()), 0);
    (world, root)
}

#[test]
fn a_broken_file_of_a_host_stops_what_would_leave_its_entries_live() {
    let (world, root) = world("global");
    let path = root.join("settings.json");
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{whole}]")).unwrap();
    let before = tree(&root);
    for verb in [&["remove"][..], &["disable"], &["trust", "revoke"]] {
        let refused = gsd(&world, &[&["capability"], verb, &["exe"]].concat());
        ends(&refused, 4);
        assert!(refused.stderr.contains("mend `settings.json`"), "{}", refused.stderr);
        assert_eq!(tree(&root), before, "{verb:?}");
    }
    std::fs::write(&path, whole).unwrap();
    ends(&gsd(&world, &["capability", "remove", "exe"]), 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"x\":1}");
}

#[test]
fn a_word_taken_back_takes_the_entries_out() {
    for scope in ["global", "project"] {
        let (world, root) = world(scope);
        let path = root.join("settings.json");
        let wired = std::fs::read_to_string(&path).unwrap();
        let at = ["exe", "--scope", scope];
        ends(&gsd(&world, &[&["capability", "trust", "revoke"], &at[..]].concat()), 0);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"x\":1}", "{scope}");
        // Without a new word nothing puts them back.
        ends(&gsd(&world, &[&["capability", "enable"], &at[..]].concat()), 5);
        let grant = [&["capability", "trust", "grant"], &at[..], &["--yes"]].concat();
        ends(&gsd(&world, &grant), 0);
        ends(&gsd(&world, &[&["capability", "enable"], &at[..]].concat()), 0);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), wired, "{scope}");
    }
}
