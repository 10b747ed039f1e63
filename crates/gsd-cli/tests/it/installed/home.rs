//! A home that is none: one in the project, one by a relative path, none at all.

use super::{bundle, ends, feature, reviewer, tree};
use crate::world::{GOOD, Ran, command, ran};
use gsd_testkit::project::World;
use serde_json::json;

/// Runs the program with that home, or with none.
fn at(world: &World, home: Option<&str>, args: &[&str]) -> Ran {
    let mut command = command(world, args);
    match home {
        Some(home) => command.env("GSD_HOME", home),
        None => command.env_remove("GSD_HOME").env_remove("HOME"),
    };
    ran(command.output().unwrap())
}

#[test]
fn nothing_of_a_home_in_the_project_is_in_force() {
    let world = World::new();
    world.small_phase();
    world.program("rev", GOOD);
    // What a repository brings along: a whole home, its ledger with an approval.
    let outside = world.tmp().join("outside");
    let from = bundle(&world.tmp().join("rev"), &reviewer("rev", "rev"));
    std::fs::create_dir_all(&outside).unwrap();
    let install = ["capability", "install", from.as_str(), "--yes"];
    ends(&at(&world, Some(outside.as_str()), &install), 0);
    let home = world.root().join("brought");
    std::fs::rename(&outside, &home).unwrap();
    let (link, linked) = (world.tmp().join("link"), world.tmp().join("linked"));
    std::os::unix::fs::symlink(&home, &link).unwrap();
    std::fs::create_dir_all(&linked).unwrap();
    std::os::unix::fs::symlink(home.join(".gsd"), linked.join(".gsd")).unwrap();
    let before = tree(&world.root());
    for home in [home.as_str(), link.as_str(), linked.as_str(), "brought"] {
        let list = at(&world, Some(home), &["capability", "list", "--json"]);
        ends(&list, 7);
        let list = list.json();
        let rows = list["details"].as_array().unwrap();
        assert!(rows.iter().all(|row| row["scope"] != "global"), "{home}: {list}");
        assert_eq!(list["problems"].as_array().unwrap().len(), 1, "{home}: {list}");
        ends(&at(&world, Some(home), &["review", "--lanes", "rev"]), 2);
        for args in [
            &["capability", "trust", "list", "--scope", "global"][..],
            &install[..],
            &["capability", "remove", "rev"][..],
        ] {
            ends(&at(&world, Some(home), args), 4);
        }
    }
    assert_eq!(tree(&world.root()), before);
}

#[test]
fn without_a_home_nothing_is_written_into_the_current_folder() {
    let world = World::new();
    let from = bundle(&world.tmp().join("acme"), &feature("acme", "1.0.0", &json!({})));
    let before = tree(&world.root());
    for home in [None, Some("brought")] {
        let refused = at(&world, home, &["capability", "install", from.as_str(), "--json"]);
        ends(&refused, 4);
        assert_eq!(refused.json()["code"], "no-home");
        assert!(refused.stdout.contains("set `GSD_HOME` or `HOME`"), "{}", refused.stdout);
    }
    ends(&at(&world, None, &["capability", "list"]), 0);
    assert_eq!(tree(&world.root()), before);
}

#[test]
fn settings_of_a_home_in_the_project_are_no_settings_of_the_user() {
    let world = World::new();
    world.write(".planning/config.json", "{}");
    world.write("brought/.gsd/defaults.json", r#"{"review":{"effort":"high"}}"#);
    let home = world.root().join("brought");
    let link = world.tmp().join("link");
    std::os::unix::fs::symlink(&home, &link).unwrap();
    let get = ["config", "get", "review.effort"];
    let unset = at(&world, Some(world.home().as_str()), &get);
    for home in [home.as_str(), link.as_str()] {
        let told = at(&world, Some(home), &get);
        assert_eq!((told.code, &told.stdout), (unset.code, &unset.stdout), "{home}");
        let warned = at(&world, Some(home), &["config", "list"]);
        assert_eq!(warned.stderr.matches("no word of the user").count(), 1, "{}", warned.stderr);
    }
    std::fs::rename(&home, world.tmp().join("own")).unwrap();
    let own = at(&world, Some(world.tmp().join("own").as_str()), &get);
    assert!(own.stdout.contains("high"), "{}{}", own.stdout, own.stderr);
}
