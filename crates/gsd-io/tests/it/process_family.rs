//! Children of children: nothing is left of them, wherever they went.

use crate::process::{LONG, World, generous, short, stdout};
use gsd_io::cancel::Cancel;
use gsd_io::process::{End, Limits, Phase, TOKEN_VARIABLE};
use std::time::Duration;

#[test]
fn a_grandchild_that_keeps_stdout_open_is_not_waited_for() {
    let world = World::new();
    let mut limits = generous();
    limits.drain = Duration::from_millis(300);
    let exit = world.run(&world.fake(&["print review", "spawn hang"]), &limits);
    assert_eq!((exit.end, stdout(&exit)), (End::Exited(0), "review"));
    assert!(exit.leaked);
    assert!(exit.elapsed >= limits.drain && exit.elapsed < LONG / 2, "{:?}", exit.elapsed);
}

#[test]
fn a_grandchild_that_ends_within_the_drain_is_heard() {
    let world = World::new();
    let actions = ["print first,", "spawn pause 50 ;; print second"];
    let exit = world.run(&world.fake(&actions), &generous());
    assert_eq!((exit.end, stdout(&exit), exit.leaked), (End::Exited(0), "first,second", false));
}

#[cfg(target_os = "linux")]
#[test]
fn whoever_is_left_is_killed_and_counted_in_whatever_session() {
    let world = World::new();
    let quiet = "close stdout ;; close stderr";
    for kind in ["spawn", "daemon"] {
        let stray = format!("{kind} {quiet} ;; ignore term ;; hang");
        let exit = world.run(&world.fake(&["print x", &stray, &stray]), &generous());
        // A stray that has not yet let go of stdout is waited for until it has.
        assert_eq!((exit.end, exit.leaked, exit.strays), (End::Exited(0), false, 2), "{kind}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_that_holds_the_streams_is_killed_after_the_drain() {
    let world = World::new();
    let exit = world.run(&world.fake(&["print review", "daemon ignore term ;; hang"]), &short());
    assert_eq!((exit.end, stdout(&exit)), (End::Exited(0), "review"));
    assert_eq!((exit.leaked, exit.strays), (true, 1));
}

#[cfg(target_os = "linux")]
#[test]
fn a_time_out_takes_the_daemons_along() {
    let world = World::new();
    let actions = ["daemon hang", "daemon ignore term ;; daemon ignore term ;; hang", "hang"];
    let exit = world.run(&world.fake(&actions), &short());
    assert_eq!(exit.end, End::TimedOut { phase: Phase::Total, killed: false });
}

#[test]
fn a_process_that_becomes_another_again_and_again_is_caught() {
    let world = World::new();
    let kinds = if cfg!(target_os = "linux") { &["spawn", "daemon"][..] } else { &["spawn"] };
    for kind in kinds.iter().cycle().take(6) {
        let stray = format!("{kind} respawn 1000");
        let exit = world.run(&world.fake(&[&stray, "print x"]), &short());
        assert_eq!(exit.end, End::Exited(0));
    }
}

#[test]
fn two_runs_at_a_time_do_not_touch_each_other() {
    let (one, other) = (World::new(), World::new());
    let gate = gsd_testkit::fake_cli::fifo(&other.folder(), "gate");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let actions = ["spawn await gate ;; print child,", "await gate2", "print parent"];
            other.run(&other.fake(&actions), &generous())
        });
        let gate2 = gsd_testkit::fake_cli::fifo(&other.folder(), "gate2");
        for _ in 0..5 {
            one.run(&one.fake(&["daemon hang", "spawn hang", "print x"]), &short());
        }
        // Opening waits until the other side reads: both are alive.
        drop(std::fs::File::create(&gate).unwrap());
        drop(std::fs::File::create(&gate2).unwrap());
        let exit = waiting.join().unwrap();
        assert_eq!(exit.end, End::Exited(0));
        let mut said: Vec<_> = stdout(&exit).split_inclusive("parent").collect();
        said.sort_unstable();
        assert!(["child,parent", "parentchild,"].contains(&said.concat().as_str()), "{said:?}");
    });
}

/// With another run going on, an orphan without any environment could belong to either.
#[cfg(target_os = "linux")]
#[test]
fn a_daemon_without_environment_does_not_outlive_its_own_run() {
    let (one, other) = (World::new(), World::new());
    let gate = gsd_testkit::fake_cli::fifo(&other.folder(), "gate");
    let (ready, is_ready) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let (other, ready) = (&other, ready);
        let waiting = scope.spawn(move || {
            let mut tell = Some(ready);
            let command = other.fake(&["scrubbed hang", "print up", "await gate", "print down"]);
            let limits = Limits { drain: Duration::from_millis(200), ..generous() };
            other.run_until(&command, &limits, &Cancel::new(), &mut |_| {
                tell.take().map(|tell| tell.send(()));
            })
        });
        is_ready.recv().unwrap();
        let actions = ["scrubbed ignore term ;; close stdout ;; close stderr ;; hang", "print x"];
        // `run` sees that nothing with its mark is left, while the other one still waits.
        let exit = one.run(&one.fake(&actions), &short());
        assert_eq!((exit.end, exit.strays), (End::Exited(0), 1));
        let script = "env -i setsid sh -c 'exec 1>&- 2>&-; sh -c \"sleep 1000; :\" $0; :' $0 & \
                      echo done";
        let args = vec!["-c".to_owned(), script.to_owned(), one.mark.clone()];
        let exit = one.run(&one.command("/bin/sh".into(), args), &generous());
        assert_eq!((exit.end, stdout(&exit)), (End::Exited(0), "done\n"));
        assert!(exit.strays >= 1, "{exit:?}");
        let alive = gsd_testkit::left_over::living(&other.mark);
        assert_eq!(alive.len(), 2, "the other run and its daemon: {alive:?}");
        drop(std::fs::File::create(&gate).unwrap());
        let exit = waiting.join().unwrap();
        assert_eq!((exit.end, stdout(&exit)), (End::Exited(0), "updown"));
    });
}

#[test]
fn children_that_others_have_started_keep_their_exit_status() {
    let world = World::new();
    let mut stranger =
        std::process::Command::new("/bin/sh").args(["-c", "exit 7"]).spawn().unwrap();
    world.run(&world.fake(&["daemon hang", "print x"]), &short());
    assert_eq!(stranger.wait().unwrap().code(), Some(7));
}

#[cfg(target_os = "linux")]
#[test]
fn each_run_has_a_token_of_its_own() {
    let world = World::new();
    let command = world.fake(&[&format!("env {TOKEN_VARIABLE}")]);
    let tokens = [world.run(&command, &generous()), world.run(&command, &generous())];
    let tokens = tokens.map(|exit| stdout(&exit).trim().to_owned());
    assert!(tokens.iter().all(|token| token.len() > 20), "{tokens:?}");
    assert_ne!(tokens[0], tokens[1]);
}

#[test]
fn a_bug_of_the_caller_leaves_nothing_running() {
    let world = World::new();
    let command = world.fake(&["daemon hang", "print x", "hang"]);
    let panicked = std::panic::catch_unwind(|| {
        let mut fail = |_| panic!("on purpose");
        gsd_io::process::run(&command, &generous(), &Cancel::new(), &mut fail)
    });
    assert!(panicked.is_err());
    assert_eq!(gsd_testkit::left_over::living(&world.mark), []);
}

/// The storm does in a process of its own what may not be done beside other tests: it counts
/// every child, and it is killed by signals itself.
#[cfg(target_os = "linux")]
#[test]
fn random_kills_leave_nothing() {
    let storm = gsd_testkit::fake_cli::program("kill-storm");
    let mut command = std::process::Command::new(&storm);
    let told =
        command.arg("30").env("FAKE_CLI", gsd_testkit::fake_cli::fake_cli()).output().unwrap();
    let said = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.status.success(), "{said}{}", String::from_utf8_lossy(&told.stderr));
    assert!(said.contains("30 kills, 0 processes left"), "{said}");
}
