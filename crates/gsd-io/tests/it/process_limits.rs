//! Deadlines, caps and cancellation.

use crate::process::{LONG, World, generous, short, stdout};
use gsd_io::cancel::Cancel;
use gsd_io::process::{Cap, EVIDENCE, End, Limits, Phase, Stage, StartError, run};
use gsd_testkit::fake_cli::fifo;
use std::time::{Duration, Instant};

#[test]
fn a_hang_after_partial_output_ends_at_the_deadline_and_keeps_the_part() {
    let world = World::new();
    let exit = world.run(&world.fake(&["print partial", "hang"]), &short());
    assert_eq!(exit.end, End::TimedOut { phase: Phase::Total, killed: false });
    assert_eq!(stdout(&exit), "partial");
    assert!(exit.elapsed >= short().deadline);
}

#[test]
fn who_ignores_sigterm_is_killed_after_the_grace() {
    let world = World::new();
    let limits = short();
    let actions = ["ignore term", "spawn ignore term ;; hang", "print stubborn", "hang"];
    let exit = world.run(&world.fake(&actions), &limits);
    assert_eq!(exit.end, End::TimedOut { phase: Phase::Total, killed: true });
    assert_eq!(stdout(&exit), "stubborn");
    assert!(exit.elapsed >= limits.deadline + limits.grace);
    assert!(exit.elapsed < limits.deadline + limits.grace + Duration::from_secs(3));
}

#[test]
fn who_says_good_bye_within_the_grace_is_heard() {
    let world = World::new();
    let mut limits = short();
    limits.grace = LONG;
    let exit = world.run(&world.fake(&["at-term print bye", "print hi,", "hang"]), &limits);
    assert_eq!(exit.end, End::TimedOut { phase: Phase::Total, killed: false });
    assert_eq!(stdout(&exit), "hi,bye");
}

#[test]
fn a_stopped_program_can_still_be_ended() {
    let world = World::new();
    let mut limits = short();
    limits.grace = LONG;
    let exit = world.run(&world.fake(&["print zzz", "stop"]), &limits);
    assert_eq!(exit.end, End::TimedOut { phase: Phase::Total, killed: false });
}

#[test]
fn closing_the_streams_and_hanging_ends_at_the_deadline() {
    let world = World::new();
    let actions = ["print out", "close stdout", "close stderr", "hang"];
    let exit = world.run(&world.fake(&actions), &short());
    assert_eq!(exit.end, End::TimedOut { phase: Phase::Total, killed: false });
    assert_eq!((stdout(&exit), exit.leaked), ("out", false));
}

#[test]
fn silence_has_two_limits_of_its_own() {
    let world = World::new();
    let soon = Some(Duration::from_millis(200));
    let first = Limits { first_byte: soon, ..generous() };
    let idle = Limits { idle: soon, ..generous() };
    let cases = [
        (&first, &["hang"][..], Phase::FirstByte, ""),
        (&idle, &["hang"][..], Phase::Idle, ""),
        (&idle, &["print x", "hang"][..], Phase::Idle, "x"),
    ];
    for (limits, actions, phase, text) in cases {
        let exit = world.run(&world.fake(actions), limits);
        assert_eq!(exit.end, End::TimedOut { phase, killed: false });
        assert_eq!(stdout(&exit), text);
    }
    // Once something was said, the limit for the first byte is no longer one.
    let mut both = first;
    both.deadline = Duration::from_millis(400);
    let exit = world.run(&world.fake(&["eprint x", "hang"]), &both);
    assert_eq!(exit.end, End::TimedOut { phase: Phase::Total, killed: false });
}

#[test]
fn output_over_its_cap_ends_the_program_and_memory_stays_flat() {
    let world = World::new();
    let before = resident();
    let limits = Limits { stdout: Cap::mib(4), ..generous() };
    let command = world.fake(&["spawn bytes 500_000_000", "bytes 500_000_000", "exit 0"]);
    let exit = world.run(&command, &limits);
    assert_eq!(exit.end, End::OutputTooLarge);
    assert!(exit.stdout.total() > 4 << 20 && exit.stdout.total() < 400_000_000);
    assert_eq!((exit.stdout.head().len(), exit.stdout.tail().len()), (EVIDENCE, EVIDENCE));
    let grown = resident().saturating_sub(before);
    assert!(grown < 100 << 20, "grown by {grown} bytes");
}

#[test]
fn a_log_may_be_long_and_only_its_ends_are_kept() {
    let world = World::new();
    let before = resident();
    let actions = ["eprint first", "ebytes 100_000_000", "eprint last", "print fine"];
    let exit = world.run(&world.fake(&actions), &generous());
    assert_eq!((exit.end, stdout(&exit)), (End::Exited(0), "fine"));
    assert_eq!(exit.stderr.total(), 100_000_009);
    assert!(exit.stderr.head().starts_with(b"first") && exit.stderr.tail().ends_with(b"last"));
    let kept = (exit.stderr.head().len(), exit.stderr.tail().len());
    assert_eq!(kept, (64 * 1024, 192 * 1024));
    assert!(resident().saturating_sub(before) < 100 << 20);
}

#[test]
fn output_over_its_cap_from_a_stray_is_over_the_cap_as_well() {
    let world = World::new();
    let limits = Limits { stdout: Cap::mib(4), ..generous() };
    let exit = world.run(&world.fake(&["spawn bytes 500_000_000", "print x"]), &limits);
    assert_eq!(exit.end, End::OutputTooLarge);
}

#[test]
fn a_raised_flag_ends_several_runs_together() {
    let world = World::new();
    let cancel = Cancel::new();
    let limits = Limits { grace: Duration::from_secs(1), ..generous() };
    let scripts: [&[&str]; 4] = [
        &["print a", "hang"],
        &["ignore term", "spawn ignore term ;; hang", "print b", "hang"],
        &["daemon ignore term ;; hang", "print c", "hang"],
        &["print done"],
    ];
    let (ready, count) = std::sync::mpsc::channel();
    let mut began = Instant::now();
    let ends = std::thread::scope(|scope| {
        let runs: Vec<_> = scripts
            .iter()
            .map(|actions| {
                let (world, cancel, limits, ready) = (&world, &cancel, &limits, ready.clone());
                scope.spawn(move || {
                    let mut tell = Some(ready);
                    let command = world.fake(actions);
                    run(&command, limits, cancel, &mut |progress| {
                        if progress.stage == Stage::Running && progress.stdout > 0 {
                            tell.take().map(|tell| tell.send(()));
                        }
                    })
                    .unwrap()
                })
            })
            .collect();
        drop(ready);
        (0..3).for_each(|_| count.recv().unwrap());
        // The fourth may or may not have been seen running; it ends by itself.
        began = Instant::now();
        cancel.stop();
        runs.into_iter().map(|run| run.join().unwrap()).collect::<Vec<_>>()
    });
    // At most the grace and a little: what is killed is gone at once.
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    for exit in &ends[..3] {
        assert_eq!(exit.end, End::Cancelled);
    }
    assert_eq!(gsd_testkit::left_over::living(&world.mark), []);
}

#[test]
fn a_second_request_takes_the_grace_away() {
    let world = World::new();
    let cancel = Cancel::new();
    let began = Instant::now();
    let command = world.fake(&["ignore term", "print ready", "hang"]);
    let exit =
        world.run_until(&command, &generous(), &cancel, &mut |progress| match progress.stage {
            Stage::Running => cancel.stop(),
            Stage::Stopping => cancel.kill(),
            Stage::Draining => {}
        });
    assert_eq!(exit.end, End::Cancelled);
    assert!(began.elapsed() < LONG / 2);
}

#[test]
fn a_raised_flag_does_not_undo_an_end() {
    let world = World::new();
    let gate = fifo(&world.folder(), "gate");
    let cancel = Cancel::new();
    // The program ends; a stray holds its stdout, and would for as long as the drain allows.
    let command = world.fake(&["print review", "daemon await gate", "exit 0"]);
    let exit = world.run_until(&command, &generous(), &cancel, &mut |progress| {
        if progress.stage == Stage::Draining {
            cancel.stop();
        }
    });
    assert_eq!((exit.end, stdout(&exit)), (End::Exited(0), "review"));
    assert!(exit.leaked && gate.exists());
}

#[test]
fn nothing_is_started_after_the_flag_was_raised() {
    let world = World::new();
    let cancel = Cancel::new();
    cancel.stop();
    let command = world.fake(&["write started x"]);
    let refused = run(&command, &generous(), &cancel, &mut |_| {});
    assert!(matches!(refused, Err(StartError::Cancelled { .. })), "{refused:?}");
    assert!(!world.folder().join("started").exists());
}

#[test]
fn limits_may_be_without_end() {
    let world = World::new();
    let (no_end, some) = (Duration::MAX, Some(Duration::MAX));
    let limits = Limits {
        deadline: no_end,
        first_byte: some,
        idle: some,
        grace: no_end,
        drain: no_end,
        ..generous()
    };
    let exit = world.run(&world.fake(&["print x"]), &limits);
    assert_eq!((exit.end, stdout(&exit)), (End::Exited(0), "x"));
    let cancel = Cancel::new();
    let command = world.fake(&["print x", "hang"]);
    let exit = world.run_until(&command, &limits, &cancel, &mut |_| cancel.stop());
    assert_eq!(exit.end, End::Cancelled);
}

/// How much memory this process uses; zero where the system does not say.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}
