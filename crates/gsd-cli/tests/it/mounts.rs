//! A report folder that cannot be written. Permissions stop nobody who is root, so each test has a
//! mount namespace of its own, in which the folder is read-only or full; nothing outside changes.

use crate::world::{Ran, command, program, ran};
use gsd_testkit::project::World;
use std::path::Path;
use std::process::{Command, Stdio};

const FOLDER: &str = ".planning/phases/03-notes";
const REPORT: &str = ".planning/phases/03-notes/03-REVIEWS.md";
const OLD: &str = "# Notes of a colleague\n\nKept since the spring.\n";

const READ_ONLY: &str = "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\"";

/// Sixteen kilobytes hold the plans and the old report, but no record of a run.
const FULL: &str = "cp -R \"$1\" \"$2/copy\" && mount -t tmpfs -o size=16k tmpfs \"$1\" && \
                    cp \"$2\"/copy/* \"$1\"";

/// Whether a namespace can be made. False only where the system forbids it, which is said; where
/// it should work and does not, the test fails.
fn namespaces() -> bool {
    let tried = Command::new("unshare").args(["-rm", "true"]).output();
    let fault = match tried {
        Ok(output) if output.status.success() => return true,
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    let setting = |name: &str| {
        let text = std::fs::read_to_string(Path::new("/proc/sys").join(name)).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let forbidden = !cfg!(target_os = "linux")
        || setting("kernel/unprivileged_userns_clone") == Some(0)
        || setting("kernel/apparmor_restrict_unprivileged_userns") == Some(1)
        || setting("user/max_user_namespaces") == Some(0)
        // A container's filter answers with EPERM and shows in no setting.
        || Path::new("/.dockerenv").exists();
    assert!(forbidden, "a mount namespace should work here: {fault}");
    eprintln!("not tested: this system allows no mount namespace ({fault})");
    false
}

/// Runs `gsd` behind the mounts of `setup`, and gives what it said, the old report as it is
/// afterwards and the names in the folder before and after.
fn behind(world: &World, setup: &str, args: &[&str]) -> (Ran, String, [String; 2]) {
    let like = command(world, &[]);
    let mut unshare = Command::new("unshare");
    let script = format!(
        "{{ {setup}; }} || exit 99\nfolder=$1 notes=$2\nshift 2\nls -A \"$folder\" >\"$notes/before\"\n\
         \"$@\"\ncode=$?\nls -A \"$folder\" >\"$notes/after\"\n\
         cat \"$folder/03-REVIEWS.md\" >\"$notes/old\"\nexit $code"
    );
    unshare
        .args(["-rm", "sh", "-c", &script, "sh"])
        .args([world.root().join(FOLDER), world.tmp(), program().to_owned()])
        .args(args)
        .env_clear()
        .envs(like.get_envs().filter_map(|(key, value)| Some((key, value?))))
        .current_dir(world.root())
        .stdin(Stdio::null());
    let ran = ran(unshare.output().unwrap());
    assert_ne!(ran.code, 99, "the mounts: {}", ran.stderr);
    let note = |name: &str| std::fs::read_to_string(world.tmp().join(name)).unwrap();
    (ran, note("old"), [note("before"), note("after")])
}

fn world() -> World {
    let world = World::new();
    world.small_phase();
    world.write(REPORT, OLD);
    world
}

fn nothing_is_lost(setup: &str, cause: &str) {
    if !namespaces() {
        return;
    }
    let world = world();
    let (ran, old, [before, after]) = behind(&world, setup, &["review", "--phase", "3"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.starts_with("---\nphase:"), "{}", ran.stdout);
    for part in ["## Plan Lint Review", "## Consensus Summary", "Kept since the spring."] {
        assert!(ran.stdout.contains(part), "{part} is in {}", ran.stdout);
    }
    assert!(ran.stderr.contains(cause), "{}", ran.stderr);
    assert_eq!(old, OLD);
    assert_eq!(before, after, "no half-written file stays");

    let (ran, old, _) = behind(&world, setup_again(setup), &["review", "--phase", "3", "--json"]);
    let document = ran.json();
    assert_eq!((ran.code, &document["ok"]), (1, &false.into()));
    assert_eq!(document["code"], "report-not-written");
    let report = document["details"]["report"].as_str().unwrap();
    assert!(report.contains("## Plan Lint Review") && report.contains("Kept since the spring."));
    assert_eq!(document["details"]["record"]["schema"], 1);
    assert_eq!(old, OLD);
}

/// The copy of the first time is there already.
fn setup_again(setup: &str) -> &str {
    setup.strip_prefix("cp -R \"$1\" \"$2/copy\" && ").unwrap_or(setup)
}

#[test]
fn a_read_only_report_folder_loses_nothing() {
    nothing_is_lost(READ_ONLY, "Read-only file system");
}

#[test]
fn a_full_disk_loses_nothing() {
    nothing_is_lost(FULL, "No space left on device");
}
