//! Where each acceptance scenario of installing is tested, and those that stand nowhere else.
//!
//! `source::` is in `gsd-engine/tests/it`, everything else in this folder.
//!
//! | Scenario | Test |
//! | --- | --- |
//! | A-01 | `lifecycle::a_01_a_declarative_one_needs_no_consent` |
//! | A-02 | `lifecycle::a_02_without_consent_nothing_is_made` |
//! | A-03, A-04, A-07 to A-10 | `lifecycle::a_03_to_a_08_hooks_and_servers_come_and_go_with_it` |
//! | A-05, A-06 | `lifecycle::a_05_and_a_06_what_is_the_users_stays` |
//! | A-11, A-12 | `lifecycle::a_11_and_a_12_neither_back_nor_aside` |
//! | A-13 | `lifecycle::a_13_one_failure_stops_nobody` |
//! | A-14, A-15 | `lifecycle::a_14_and_a_15_what_does_not_fit_is_refused_and_leaves_nothing` |
//! | A-16, A-17 | `source::local::what_is_not_plain_is_refused_and_never_left_out` |
//! | A-18 | `source::tarball::hostile_archives_are_refused` |
//! | A-19 | `source::tarball::an_integrity_is_checked_before_anything_is_unpacked` |
//! | A-20 | `source::tarball::a_server_cannot_send_more_or_longer_than_is_allowed` |
//! | A-21 | `source::tarball::redirects_are_counted_and_stay_encrypted` |
//! | A-22 | `source::tarball::private_addresses_need_the_users_word` |
//! | A-23 | `source::tarball::an_archive_becomes_a_bundle_wherever_its_manifest_is` |
//! | A-24 | `source::git::every_reference_brings_its_commit` |
//! | A-25 | `sources::what_is_no_source_is_refused_in_one_line` |
//! | A-26, A-27 | `source::tarball::lists_of_known_sources_are_asked_before_any_host`, `a_26_...` |
//! | A-28, A-31 | `trust::a_bundle_of_the_project_runs_only_with_the_users_word`, and for |
//! | | sub-folders `lifecycle::a_31_a_project_install_counts_from_anywhere_in_it` |
//! | A-29 | `a_29_what_a_repository_brings_is_not_in_force` |
//! | A-30 | `trust::the_consents_of_a_project_are_no_consents`, `home` |
//! | A-32 | `lifecycle::a_32_a_damaged_ledger_stops_everything_and_stays` |
//! | A-33 | `crash::a_33_an_update_of_another_program_is_taken_back` |
//! | A-34 | `crash::a_34_an_install_is_undone_and_what_is_forged_is_used_for_nothing` |
//! | A-35 | `lock::a_35_whatever_lies_in_the_place_of_the_lock_stops_nobody` |
//! | A-36 | `crash`, a test for each verb and scope |
//! | A-37 | `lock::a_37_six_installs_at_once_all_succeed`, `two_projects_lose_no_consent` |
//! | A-38 | `a_38_no_capability_takes_a_word_of_gsd` |
//! | A-39 | `question::a_39_no_name_can_rewrite_the_question` |
//! | A-40 | `lifecycle::a_40_options_and_unsafe_files` |
//!
//! What A-28 and A-29 say of command dispatch waits for it: no command of a capability is run yet.

use super::{bundle, ends, feature, row};
use crate::world::{command, gsd, gsd_tools, ran};
use gsd_testkit::project::World;
use serde_json::json;

fn world() -> World {
    let world = World::new();
    world.small_phase();
    world
}

#[test]
fn a_26_no_variable_takes_a_list_away() {
    let world = world();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::fs::create_dir_all(world.home().join(".gsd")).unwrap();
    let private = json!({ "capabilities": { "private_hosts": ["127.0.0.1"] } }).to_string();
    std::fs::write(world.home().join(".gsd/defaults.json"), private).unwrap();
    let specs = [
        format!("https://127.0.0.1:{port}/x.tgz"),
        format!("git+https://127.0.0.1:{port}/x.git"),
        "npm:x".to_owned(),
    ];
    for config in [r#"{"capabilities":{"strict_known_registries":[]}}"#, "{ broken"] {
        world.write(".planning/config.json", config);
        for variable in ["NONE", "GSD_WORKSTREAM", "GSD_PROJECT"] {
            for spec in &specs {
                let mut install = command(&world, &["capability", "install", spec, "--yes"]);
                let done = ran(install.env(variable, "w").output().unwrap());
                ends(&done, 4);
            }
        }
    }
    assert!(listener.accept().is_err(), "nobody was asked");
}

#[test]
fn a_29_what_a_repository_brings_is_not_in_force() {
    let world = world();
    let marker = world.tmp().join("loaded");
    let extra = json!({
        "gates": [{ "point": "ship:pre", "check": { "query": "forged.check" }, "blocking": true }],
        "steps": [{ "point": "plan:pre", "ref": { "agent": "forged" }, "onError": "skip",
            "produces": [], "consumes": [] }],
        "commands": [{ "family": "forged-cmd", "module": "forged.cjs", "router": "route",
            "subcommands": [] }],
    });
    let folder =
        bundle(&world.root().join(".gsd/capabilities/forged"), &feature("forged", "1.0.0", &extra));
    let module = format!("require('fs').writeFileSync('{marker}', 'x')\n");
    std::fs::write(folder.join("forged.cjs"), module).unwrap();
    let entry = json!({
        "id": "forged", "version": "1.0.0", "source": "./x", "integrity": "",
        "files": [".gsd/capabilities/forged"], "sharedEdits": [],
    });
    let ledger = json!({ "version": "2", "updatedAt": "x", "entries": { "forged": entry } });
    world.write(".gsd-capabilities.json", &ledger.to_string());
    let row = row(&world, "forged");
    assert_eq!((&row["status"], &row["role"]), (&json!("inactive"), &json!(null)));
    let built = gsd(&world, &["registry", "build"]);
    ends(&built, 0);
    assert!(!built.stdout.contains("forged"), "it is in no index");
    for run in [gsd, gsd_tools] {
        ends(&run(&world, &["forged-cmd"]), 2);
    }
    assert!(!marker.exists(), "its module was never loaded");
}

#[test]
fn a_38_no_capability_takes_a_word_of_gsd() {
    let world = world();
    let marker = world.tmp().join("loaded");
    for family in ["capability", "state", "help", "review", "config-get"] {
        let commands = json!({ "commands": [{
            "family": family, "module": "evil.cjs", "router": "route", "subcommands": [],
        }] });
        let manifest = feature("evil", "1.0.0", &commands);
        let module = format!("require('fs').writeFileSync('{marker}', 'x')\n");
        let from = bundle(&world.tmp().join("evil"), &manifest);
        std::fs::write(from.join("evil.cjs"), &module).unwrap();
        ends(&gsd(&world, &["capability", "install", from.as_str(), "--yes"]), 4);
        assert!(!world.home().join(".gsd/capabilities/evil").exists(), "{family}");
        // Put there by hand, it is not asked either.
        let planted = bundle(&world.home().join(".gsd/capabilities/evil"), &manifest);
        std::fs::write(planted.join("evil.cjs"), &module).unwrap();
        for run in [gsd, gsd_tools] {
            let list = run(&world, &["capability", "list", "--json"]);
            ends(&list, 0);
            assert!(list.stdout.contains("\"first-party\""), "{family}: the built-in answered");
        }
        assert_eq!(row(&world, "evil")["status"], "invalid", "{family}");
        std::fs::remove_dir_all(planted).unwrap();
    }
    assert!(!marker.exists(), "its module was never loaded");
}
