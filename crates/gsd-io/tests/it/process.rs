//! What the tests of processes share, and the plain cases.

use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::process::{Cap, Command, Delivered, End, Exit, Limits, Progress, Stage, Stdin, run};
use gsd_io::sandbox::Sandbox;
use gsd_testkit::fake_cli::fake_cli;
use gsd_testkit::left_over::{living, mark};
use std::time::Duration;

/// Longer than anything takes that works.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A folder of its own and a mark that every process of the test carries.
pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) mark: String,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), mark: mark() }
    }

    pub(crate) fn folder(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.folder.path()).unwrap().canonicalize_utf8().unwrap()
    }

    /// The fake program with these actions.
    pub(crate) fn fake(&self, actions: &[&str]) -> Command {
        let mut args = vec![format!("note {}", self.mark)];
        args.extend(actions.iter().map(|action| (*action).to_owned()));
        self.command(&fake_cli(), args)
    }

    pub(crate) fn command(&self, program: &Utf8Path, args: Vec<String>) -> Command {
        Command {
            program: program.to_owned(),
            args,
            env: vec![("MARK".to_owned(), self.mark.clone())],
            cwd: self.folder(),
            stdin: Stdin::Empty,
            sandbox: Sandbox::None,
        }
    }

    /// Runs it, and sees that nothing is left of it.
    pub(crate) fn run(&self, command: &Command, limits: &Limits) -> Exit {
        self.run_until(command, limits, &Cancel::new(), &mut |_| {})
    }

    pub(crate) fn run_until(
        &self,
        command: &Command,
        limits: &Limits,
        cancel: &Cancel,
        on_progress: &mut dyn FnMut(Progress),
    ) -> Exit {
        let exit = run(command, limits, cancel, on_progress).unwrap();
        assert_eq!(living(&self.mark), [], "left behind by {command:?}");
        exit
    }
}

/// No limit that a working program meets.
pub(crate) fn generous() -> Limits {
    Limits {
        deadline: LONG,
        first_byte: None,
        idle: None,
        grace: LONG,
        drain: LONG,
        stdout: Cap::mib(16),
        stderr: Cap::log(),
    }
}

/// For programs that hang: a short deadline and little patience.
pub(crate) fn short() -> Limits {
    let deadline = Duration::from_millis(300);
    let grace = Duration::from_millis(200);
    Limits { deadline, grace, drain: Duration::from_millis(200), ..generous() }
}

pub(crate) fn bytes(text: &[u8]) -> Stdin {
    Stdin::Bytes(text.into())
}

pub(crate) fn stdout(exit: &Exit) -> &str {
    std::str::from_utf8(exit.stdout.whole().unwrap()).unwrap()
}

#[test]
fn a_clean_run_is_told_whole() {
    let world = World::new();
    let mut command = world.fake(&["read-stdin", "print hello\\n", "eprint careful"]);
    command.stdin = bytes(b"prompt");
    let exit = world.run(&command, &generous());
    assert_eq!(exit.end, End::Exited(0));
    assert_eq!(stdout(&exit), "hello\n");
    assert_eq!(exit.stderr.whole(), Some(b"careful".as_slice()));
    assert_eq!(exit.stdin_delivered, Delivered { taken: 6, of: 6 });
    assert_eq!((exit.leaked, exit.strays), (false, 0));
    assert!(exit.first_byte_after.unwrap() <= exit.elapsed);
}

#[test]
fn the_code_and_the_text_of_a_failure_are_kept() {
    let world = World::new();
    let exit = world.run(&world.fake(&["print ## Summary\\nfine", "exit 3"]), &generous());
    assert_eq!(exit.end, End::Exited(3));
    assert_eq!(stdout(&exit), "## Summary\nfine");
}

#[test]
fn nothing_at_all_is_told_as_nothing() {
    let world = World::new();
    let exit = world.run(&world.fake(&[]), &generous());
    assert_eq!(exit.end, End::Exited(0));
    assert_eq!((exit.stdout.total(), exit.stderr.total(), exit.first_byte_after), (0, 0, None));
}

#[test]
fn death_by_a_signal_is_told_as_such() {
    let world = World::new();
    for signal in [6, 9, 11, 15] {
        let exit =
            world.run(&world.fake(&["print part", &format!("signal {signal}")]), &generous());
        assert_eq!(exit.end, End::Signalled(signal));
        assert_eq!(stdout(&exit), "part");
    }
}

#[test]
fn bytes_are_kept_as_they_come() {
    let world = World::new();
    let exit =
        world.run(&world.fake(&["print a\\0b\\r\\x0d\\xff\\e[0m\\xef\\xbb\\xbf"]), &generous());
    assert_eq!(exit.stdout.whole(), Some(b"a\0br\x0d\xff\x1b[0m\xef\xbb\xbf".as_slice()));
}

#[test]
fn the_child_has_the_given_folder_arguments_and_environment_and_no_other() {
    let world = World::new();
    let folder = world.folder();
    let exit = world.run(&world.fake(&["cwd"]), &generous());
    assert_eq!(stdout(&exit), format!("{folder}\n"));

    let mut command = world.fake(&["env"]);
    command.env.push(("MARK".to_owned(), "later".to_owned()));
    let exit = world.run(&command, &generous());
    let names: Vec<_> = stdout(&exit).lines().map(|line| line.split_once('=').unwrap().0).collect();
    assert_eq!(names, [gsd_io::process::TOKEN_VARIABLE, "MARK"]);
    assert!(stdout(&exit).ends_with("\nMARK=later\n"));

    let exit = world.run(&world.fake(&["argv", "note   two  spaces", "note 'q' $X"]), &generous());
    let expected = format!("note {}\nargv\nnote   two  spaces\nnote 'q' $X\n", world.mark);
    assert_eq!(stdout(&exit), expected);
}

#[test]
fn progress_tells_the_first_byte_and_then_the_silence() {
    let world = World::new();
    let cancel = Cancel::new();
    let mut seen = vec![];
    let command = world.fake(&["print 12345", "hang"]);
    let exit = world.run_until(&command, &generous(), &cancel, &mut |progress| {
        seen.push(progress);
        if progress.silent_for > Duration::from_millis(500) {
            cancel.stop();
        }
    });
    assert_eq!(exit.end, End::Cancelled);
    let told: Vec<_> = seen.iter().map(|seen| (seen.stage, seen.stdout, seen.stderr)).collect();
    assert_eq!(told.first(), Some(&(Stage::Running, 5, 0)));
    assert!(seen.len() <= 4, "{seen:?}");
    assert!(seen.iter().all(|seen| seen.pid == exit.pid));
}

/// A child has the same user and could read the variables of this process in `/proc`.
#[cfg(target_os = "linux")]
#[test]
fn this_process_is_closed_to_its_children() {
    let world = World::new();
    let exit = world.run(&world.fake(&[]), &generous());
    assert_eq!(exit.end, End::Exited(0));
    let closed = rustix::process::DumpableBehavior::NotDumpable;
    assert_eq!(rustix::process::dumpable_behavior().unwrap(), closed);
}

#[test]
fn secrets_in_the_environment_are_not_shown() {
    let world = World::new();
    let mut command = world.fake(&[]);
    command.env.push(("KEY".to_owned(), "hunter2".to_owned()));
    command.stdin = bytes(b"hunter2");
    let shown = format!("{command:?}");
    assert!(shown.contains("\"KEY\"") && !shown.contains("hunter2"), "{shown}");
}
