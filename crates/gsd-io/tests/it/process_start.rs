//! Programs that do not start, and why.

use crate::process::{World, generous, stdout};
use camino::Utf8Path;
use gsd_io::cancel::Cancel;
use gsd_io::process::{Command, End, LookupError, StartError, TooLong, run};
use gsd_testkit::fake_cli::install;
use std::os::unix::fs::{PermissionsExt, symlink};

fn refused(command: &Command) -> StartError {
    run(command, &generous(), &Cancel::new(), &mut |_| {}).unwrap_err()
}

fn file(path: &Utf8Path, content: &[u8], mode: u32) {
    std::fs::write(path, content).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_is_no_program_is_told_apart() {
    let world = World::new();
    let folder = world.folder();
    let at = |name: &str| folder.join(name);
    file(&at("plain"), b"#!/bin/sh\n", 0o644);
    symlink("nowhere", at("dangling")).unwrap();
    let lookup = |name: &str| match refused(&world.command(&at(name), vec![])) {
        StartError::Program(error) => error,
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(lookup("none"), LookupError::NotFound { name: at("none").to_string() });
    assert_eq!(lookup("plain"), LookupError::NotExecutable { path: at("plain") });
    assert_eq!(lookup("."), LookupError::IsADirectory { path: at(".") });
    assert_eq!(lookup("dangling"), LookupError::DanglingLink { path: at("dangling") });
    let relative = refused(&world.command(Utf8Path::new("bin/tool"), vec![]));
    assert!(matches!(relative, StartError::Program(LookupError::Relative { .. })), "{relative:?}");
}

#[test]
fn what_the_system_cannot_run_is_told_with_its_number() {
    let world = World::new();
    let path = world.folder().join("tool");
    // An ELF header for a machine that does not exist, then a script for an interpreter that
    // does not, then a script without a first line, which a shell would run and we do not.
    let mut elf = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xff\xfe\x01\0\0\0".to_vec();
    elf.resize(128, 0);
    file(&path, &elf, 0o755);
    let error = refused(&world.command(&path, vec![]));
    assert!(matches!(error, StartError::WrongFormat { .. }), "{error:?}");
    assert_eq!(error.errno(), Some(8));

    file(&path, b"#!/no/such/interpreter -x\nprint\n", 0o755);
    let error = refused(&world.command(&path, vec![]));
    assert_eq!(
        error.to_string(),
        format!("`{path}` asks for the interpreter `/no/such/interpreter`, which does not exist")
    );
    assert_eq!(error.errno(), Some(2));

    file(&path, b"touch ran\n", 0o755);
    let error = refused(&world.command(&path, vec![]));
    assert!(matches!(error, StartError::WrongFormat { .. }), "{error:?}");
    assert!(!world.folder().join("ran").exists());
}

#[test]
fn a_folder_that_is_none_is_not_taken_for_a_missing_program() {
    let world = World::new();
    let mut command = world.fake(&[]);
    command.cwd = world.folder().join("none");
    assert!(matches!(refused(&command), StartError::Cwd { path } if path == command.cwd));
    command.cwd = "relative".into();
    assert!(matches!(refused(&command), StartError::Cwd { .. }));
}

#[test]
fn what_cannot_be_passed_on_is_named() {
    let world = World::new();
    let error = refused(&world.fake(&["note a\0b"]));
    assert!(matches!(&error, StartError::Malformed { what: TooLong::Argument(2) }), "{error:?}");
    for (name, value) in [("A", "\0"), ("A=B", "x"), ("", "x")] {
        let mut command = world.fake(&[]);
        command.env = vec![(name.to_owned(), value.to_owned())];
        let error = refused(&command);
        assert!(
            matches!(&error, StartError::Malformed { what } if *what == TooLong::Variable(name.to_owned()))
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_measured_limit_is_the_limit_of_the_system() {
    let world = World::new();
    let note = |length: usize| format!("note {}", "y".repeat(length - 5));
    let exit = world.run(&world.fake(&[&note(131_071), "print ok"]), &generous());
    assert_eq!(stdout(&exit), "ok");
    let error = refused(&world.fake(&[&note(131_072)]));
    assert_eq!(error.to_string(), "argument 2 has 131072 bytes; the system takes less than 131072");
    // 70,000 letters of two bytes each.
    let error = refused(&world.fake(&[&format!("note {}", "ж".repeat(70_000))]));
    let StartError::ArgumentTooLong { what, bytes, .. } = &error else { panic!("{error:?}") };
    assert_eq!((what, *bytes), (&TooLong::Argument(2), 140_005));

    let mut command = world.fake(&["print ok"]);
    command.env.push(("BIG".to_owned(), "x".repeat(131_067)));
    assert_eq!(stdout(&world.run(&command, &generous())), "ok");
    command.env[1].1.push('x');
    let error = refused(&command);
    let StartError::ArgumentTooLong { what, .. } = &error else { panic!("{error:?}") };
    assert_eq!(*what, TooLong::Variable("BIG".to_owned()));
}

/// Around the limit for everything together: what passes our measure must also start, and what
/// does not is refused by us and not by the system.
#[cfg(target_os = "linux")]
#[test]
fn the_total_is_measured_before_the_system_refuses_it() {
    let world = World::new();
    let note = format!("note {}", "y".repeat(130_000));
    let mut last = None;
    for count in 1..60 {
        let mut args = vec![note.as_str(); count];
        args.push("print ok");
        let command = world.fake(&args);
        match run(&command, &generous(), &Cancel::new(), &mut |_| {}) {
            Ok(exit) => assert_eq!(stdout(&exit), "ok"),
            Err(error) => {
                last = Some(error);
                break;
            }
        }
    }
    let Some(StartError::ArgumentTooLong { what, bytes, limit }) = last else { panic!("{last:?}") };
    assert_eq!(what, TooLong::Total);
    assert!(bytes > limit && bytes - limit < 131_072, "{bytes} {limit}");
}

/// The writer of a program is often a child that is just being started by another thread and
/// still has our descriptors, so a short wait is due, but no more than that.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_somebody_writes_to_is_waited_for_but_not_for_long() {
    let world = World::new();
    let path = install(&world.folder(), "claude", "print hello");
    let writer = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    let error = refused(&world.command(&path, vec![]));
    assert!(matches!(error, StartError::Io { .. }), "{error:?}");
    assert_eq!(error.errno(), Some(26));
    drop(writer);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let world = World::new();
                for turn in 0..5 {
                    let path = install(&world.folder(), &format!("tool-{turn}"), "print hello");
                    let exit = world.run(&world.command(&path, vec![]), &generous());
                    assert_eq!(stdout(&exit), "hello");
                }
            });
        }
    });
}

#[test]
fn an_installed_script_answers_to_its_arguments() {
    let world = World::new();
    let script = "# a fake\nappend calls x\nwhen --version\nprint 1.2.3\nwhen exec --json\nargv\n\
                  otherwise\neprint no such option\nexit 2\n";
    let path = install(&world.folder(), "tool", script);
    let run = |words: &[&str]| {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let exit = world.run(&world.command(&path, words), &generous());
        (exit.end, stdout(&exit).to_owned())
    };
    assert_eq!(run(&["--version"]), (End::Exited(0), "1.2.3".to_owned()));
    assert_eq!(run(&["exec", "--json", "-"]), (End::Exited(0), "exec\n--json\n-\n".to_owned()));
    assert_eq!(run(&["exec"]), (End::Exited(2), String::new()));
    assert_eq!(std::fs::read(world.folder().join("calls")).unwrap(), b"xxx");
}
