//! Who may write to what gsd makes, and what a killed install leaves behind.

use super::{bundle, ends, executable, feature};
use crate::world::{gsd, program, ran};
use camino::Utf8Path;
use gsd_testkit::project::World;
use std::os::unix::fs::PermissionsExt;

/// Runs it as a user does whose files everybody may write to.
fn open_to_all(world: &World, args: &[&str]) -> super::Ran {
    let mut shell = world.command(Utf8Path::new("/bin/sh"));
    shell.args(["-c", "umask 000; exec \"$0\" \"$@\"", program().as_str()]).args(args);
    ran(shell.output().unwrap())
}

fn mode(path: &Utf8Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn nobody_else_may_write_to_it_whatever_the_umask() {
    let world = World::new();
    world.write(".planning/config.json", "{}");
    let from = bundle(&world.tmp().join("exe"), &feature("exe", "1.0.0", &executable()));
    for (root, scope) in [(world.home(), "global"), (world.root(), "project")] {
        let args = ["capability", "install", from.as_str(), "--yes", "--scope", scope];
        let args = [&args[..], &["--shared-file", ".h/s.json"]].concat();
        ends(&open_to_all(&world, &args), 0);
        let ledger = root.join(".gsd-capabilities.json");
        std::fs::set_permissions(&ledger, std::fs::Permissions::from_mode(0o666)).unwrap();
        ends(&open_to_all(&world, &["capability", "disable", "exe", "--scope", scope]), 0);
        for name in super::tree(&root).into_keys().filter(|name| !name.starts_with(".planning")) {
            let mode = mode(&root.join(&name));
            assert_eq!(mode & 0o022, 0, "{scope}: {name} is {mode:o}");
        }
    }
    assert_eq!(mode(&world.home().join(".gsd/consent.json")), 0o600);
}

#[test]
fn a_folder_that_others_may_write_to_holds_no_consent_and_is_told_before_anything_is_done() {
    let world = World::new();
    world.write(".planning/config.json", "{}");
    let from = bundle(&world.tmp().join("exe"), &feature("exe", "1.0.0", &executable()));
    let folder = world.home().join(".gsd");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    let before = (super::tree(&world.home()), super::tree(&world.root()));
    let args = ["capability", "install", from.as_str(), "--yes", "--scope", "project"];
    let refused = gsd(&world, &args);
    ends(&refused, 7);
    assert!(refused.stderr.contains(&format!("chmod go-w {folder}")), "{}", refused.stderr);
    assert_eq!((super::tree(&world.home()), super::tree(&world.root())), before);
}

#[test]
fn what_a_killed_install_left_among_temporary_files_goes_with_the_next_one() {
    let world = World::new();
    let from = bundle(&world.tmp().join("exe"), &feature("exe", "1.0.0", &executable()));
    let args = ["capability", "install", from.as_str(), "--yes"];
    let scratch = || -> usize {
        let names =
            world.tmp().read_dir_utf8().unwrap().map(|it| it.unwrap().file_name().to_owned());
        names.filter(|name| name.starts_with("gsd-")).count()
    };
    let mut killed = crate::world::command(&world, &args);
    ends(&ran(killed.env("GSD_FAULT", "kill:3").output().unwrap()), -1);
    assert_eq!(scratch(), 1, "it could not remove it any more");
    ends(&gsd(&world, &args), 0);
    assert_eq!(scratch(), 0);
}
