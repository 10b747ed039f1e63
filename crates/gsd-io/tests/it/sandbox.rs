//! What a sandbox lets a real child do. Where the kernel has no Landlock, these tests say so and
//! what is left of them is that nothing starts without the sandbox that was asked for.

use super::process::{World, generous, stdout};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::process::{Command, End, StartError, run};
use gsd_io::sandbox::{DEVICES, Sandbox, all_but, landlock};
use gsd_testkit::fake_cli::program;
use gsd_testkit::skipped;
use gsd_testkit::write_attempts::ground::{Ground, Picture};
use gsd_testkit::write_attempts::{Attempt, Effect, some};

/// A program whose only writable places are `places` and the devices.
fn confined(command: Command, places: &[Utf8PathBuf]) -> Command {
    let devices = DEVICES.iter().map(|path| Utf8PathBuf::from(*path));
    let places = devices.chain(places.iter().cloned()).collect();
    Command { sandbox: Sandbox::WriteOnly { places }, ..command }
}

/// Whether there is nothing to test here.
fn without_landlock() -> bool {
    let missing = landlock().is_none();
    if missing {
        skipped("this kernel has no Landlock, so nothing about it was tested");
    }
    missing
}

#[test]
fn a_confined_program_writes_where_it_may_and_nowhere_else() {
    if without_landlock() {
        return;
    }
    let world = World::new();
    let own = world.folder().join("own");
    let project = world.folder().join("project");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("kept"), "before").unwrap();
    let write = |path: Utf8PathBuf| {
        let action = format!("write {path} after");
        let command = world.fake(&[&action, "print done"]);
        world.run(&confined(command, std::slice::from_ref(&own)), &generous())
    };
    assert_eq!(stdout(&write(own.join("new"))), "done");
    assert_eq!(stdout(&write("/dev/null".into())), "done");
    assert_ne!(write(project.join("kept")).end, End::Exited(0));
    assert_ne!(write(project.join("new")).end, End::Exited(0));
    assert_eq!(std::fs::read_to_string(project.join("kept")).unwrap(), "before");
    assert!(!project.join("new").exists());
    // This process is as free as before.
    std::fs::write(project.join("new"), "").unwrap();
}

#[test]
fn a_program_kept_apart_reads_everything_but_what_is_hidden() {
    if without_landlock() {
        return;
    }
    let world = World::new();
    let runs = world.folder().join("state/runs");
    let (own, other) = (runs.join("own"), runs.join("other"));
    for folder in [&own, &other, &world.folder().join("project")] {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join("text"), "text").unwrap();
    }
    std::fs::write(world.folder().join("state/beside"), "text").unwrap();
    // A way back that is no way around.
    std::os::unix::fs::symlink(world.folder(), world.folder().join("state/link")).unwrap();
    let readable = all_but(&runs).unwrap();
    let read = |path: &str| {
        let words = ["-c".to_owned(), format!("cat {}/{path}", world.folder())];
        let command = Command { program: "/bin/sh".into(), args: words.into(), ..world.fake(&[]) };
        let places = vec![own.clone()];
        let sandbox = Sandbox::Apart { places, readable: readable.clone() };
        stdout(&world.run(&Command { sandbox, ..command }, &generous())).to_owned()
    };
    for path in ["project/text", "state/beside", "state/runs/own/text", "state/link/project/text"] {
        assert_eq!(read(path), "text", "{path}");
    }
    for path in ["state/runs/other/text", "state/link/state/runs/other/text"] {
        assert_eq!(read(path), "", "{path}");
    }
}

#[test]
fn what_a_confined_program_leaves_behind_is_confined_and_killed() {
    if without_landlock() {
        return;
    }
    let world = World::new();
    let own = world.folder().join("own");
    std::fs::create_dir_all(&own).unwrap();
    gsd_testkit::fake_cli::fifo(&own, "gate");
    let target = world.folder().join("target");
    // The daemon has another session and no environment, and opens the gate when it has tried.
    let daemon = format!("(echo x > {target}); echo tried > {own}/gate; exec sleep 1000");
    let script = format!("env -i setsid sh -c '{daemon}' >/dev/null 2>&1 & cat {own}/gate");
    let command = world.command("/bin/sh".into(), vec!["-c".to_owned(), script]);
    let command = Command { env: vec![("PATH".into(), "/usr/bin:/bin".into())], ..command };
    let exit = world.run(&confined(command, &[own]), &generous());
    assert_eq!((stdout(&exit), exit.end), ("tried\n", End::Exited(0)));
    assert_eq!(exit.strays, 1, "the daemon was found although it is in a sandbox");
    assert!(!target.exists());
}

#[test]
fn a_file_as_a_place_opens_that_file_only() {
    if without_landlock() {
        return;
    }
    let world = World::new();
    let file = world.folder().join("settings.json");
    std::fs::write(&file, "{}").unwrap();
    let places = [file.clone(), world.folder().join("missing")];
    let action = format!("write {file} new");
    let exit = world.run(&confined(world.fake(&[&action]), &places), &generous());
    assert_eq!(exit.end, End::Exited(0));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
    let action = format!("write {} new", world.folder().join("settings.json.tmp"));
    let exit = world.run(&confined(world.fake(&[&action]), &places), &generous());
    assert_ne!(exit.end, End::Exited(0));
}

#[test]
fn a_confined_program_cannot_signal_others() {
    let Some(found) = landlock() else {
        without_landlock();
        return;
    };
    if found.abi < 6 {
        skipped(&format!("Landlock ABI {} does not confine signals", found.abi));
        return;
    }
    let world = World::new();
    let script = format!("kill -0 {} && echo reached", std::process::id());
    let command = world.command("/bin/sh".into(), vec!["-c".to_owned(), script]);
    let free = world.run(&command, &generous());
    assert_eq!(stdout(&free), "reached\n");
    let exit = world.run(&confined(command.clone(), &[]), &generous());
    assert_eq!(stdout(&exit), "");
    // One that may write everywhere is kept from it as well.
    let inward = Command { sandbox: Sandbox::Inward, ..command };
    assert_eq!(stdout(&world.run(&inward, &generous())), "");
    let file = world.folder().join("written");
    // It waits for the end, so that no orphan of it is taken for another test's.
    let script = format!("echo free > {file}; sleep 60 & kill $! && {{ wait $!; echo ended; }}");
    let args = vec!["-c".to_owned(), script];
    let writes = world.command("/bin/sh".into(), args);
    let exit = world.run(&Command { sandbox: Sandbox::Inward, ..writes }, &generous());
    assert_eq!(stdout(&exit), "ended\n", "its own children it may end");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "free\n");
}

#[test]
fn nothing_starts_without_the_sandbox_that_was_asked_for() {
    if landlock().is_some() {
        // Covered by the tests above: here the sandbox is always had.
        return;
    }
    let world = World::new();
    let command = confined(world.fake(&["print started"]), &[]);
    let error = run(&command, &generous(), &Cancel::new(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, StartError::Sandbox { .. }), "{error}");
}

/// `write-attempts` makes all of them and prints a table; these are one of each kind.
#[test]
fn no_attempt_changes_a_file() {
    let Some(found) = landlock() else {
        without_landlock();
        return;
    };
    let world = World::new();
    let ground = Ground::new();
    let made = |attempt: &Attempt, sandbox: fn(Command, &Utf8Path) -> Command| {
        let (project, scratch) = ground.fresh();
        let before = Picture::of(&project);
        let [project, scratch] =
            [project, scratch].map(|path| Utf8PathBuf::try_from(path).unwrap());
        let args = ["try", &attempt.number.to_string(), project.as_str(), scratch.as_str()];
        let args = args.map(str::to_owned).to_vec();
        let mut command = world.command(&program("write-attempts"), args);
        command.env.push(("PATH".into(), "/usr/sbin:/usr/bin:/sbin:/bin".into()));
        command.cwd.clone_from(&project);
        world.run(&sandbox(command, &scratch), &generous());
        before.difference(&Picture::of(project.as_std_path()))
    };
    let mut impossible = vec![];
    for attempt in some() {
        if attempt.what == "truncate" && !found.stops_truncation() {
            skipped("Landlock before version 3 does not stop a file from being cut short");
            continue;
        }
        if made(&attempt, |command, _| command) != Some(attempt.effect) {
            impossible.push(attempt.name());
        }
        let changed = made(&attempt, |command, free| confined(command, &[free.to_owned()]));
        assert_ne!(changed, Some(Effect::Content), "{}", attempt.name());
    }
    // Some need rights or tools that are not everywhere; but most must be real.
    assert!(impossible.len() < 12, "not possible here even without a sandbox: {impossible:?}");
}

#[test]
fn a_device_of_its_own_is_no_way_around() {
    if without_landlock() {
        return;
    }
    let world = World::new();
    let device = world.folder().join("device");
    let make = ["-c", "mknod \"$0\" b 7 200 && echo made", device.as_str()].map(str::to_owned);
    let command = world.command("/bin/sh".into(), make.to_vec());
    let command = Command { env: vec![("PATH".into(), "/usr/bin:/bin".into())], ..command };
    let exit = world.run(&confined(command, &[world.folder()]), &generous());
    assert_eq!(stdout(&exit), "");
    assert!(!device.exists());
}
