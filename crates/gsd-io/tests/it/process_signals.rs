//! A supervising process as a whole: real signals to it, its memory, and one inside another.

use crate::process::{LONG, World, generous};
use gsd_io::cancel::Cancel;
use gsd_io::process::End;
use gsd_testkit::fake_cli::{fake_cli, program};
use gsd_testkit::left_over::living;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Lines};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The program `supervise` and what it says.
struct Supervisor {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    said: Vec<String>,
}

impl Supervisor {
    fn start(world: &World, words: &[&str]) -> Self {
        let mut child = Command::new(program("supervise"))
            .args(arguments(world, words))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines, said: vec![] }
    }

    /// Waits until all of this was said, in whatever order.
    fn hear(&mut self, lines: &[&str]) {
        while !lines.iter().all(|line| self.said.iter().any(|said| said == line)) {
            let Some(line) = self.lines.next() else { panic!("{lines:?} not in {:?}", self.said) };
            self.said.push(line.unwrap());
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// What it said from first to last, and how it ended.
    fn finish(mut self) -> (Vec<String>, ExitStatus) {
        for line in self.lines.by_ref() {
            self.said.push(line.unwrap());
        }
        (std::mem::take(&mut self.said), self.child.wait().unwrap())
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn arguments(world: &World, words: &[&str]) -> Vec<String> {
    let own = [format!("fake={}", fake_cli()), format!("mark={}", world.mark)];
    own.into_iter().chain(words.iter().map(|word| (*word).to_owned())).collect()
}

#[test]
fn a_signal_ends_all_lanes_and_keeps_what_was_finished() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let world = World::new();
        let mut supervisor = Supervisor::start(
            &world,
            &[
                "lane=print done",
                "lane=print a ;; hang",
                "lane=ignore term ;; spawn ignore term ;; print b ;; hang",
                "lane=daemon ignore term ;; print c ;; hang",
            ],
        );
        let finished = "0 ended Exited(0) stdout=4 stderr=0";
        supervisor.hear(&["watching", finished, "1 up", "2 up", "3 up"]);
        supervisor.signal(signal);
        let began = Instant::now();
        let (said, status) = supervisor.finish();
        assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
        assert_eq!(status.code(), Some(code), "{said:?}");
        for lane in 1..4 {
            let ended = format!("{lane} ended Cancelled stdout=1 stderr=0");
            assert!(said.contains(&ended), "{said:?}");
        }
        assert_eq!(living(&world.mark), []);
    }
}

#[test]
fn a_second_signal_takes_the_grace_away_and_the_first_one_is_the_reason() {
    let world = World::new();
    let lane = "lane=ignore term ;; daemon ignore term ;; hang";
    let words = ["grace=60000", "lane=ignore term ;; print x ;; hang", lane];
    let mut supervisor = Supervisor::start(&world, &words);
    supervisor.hear(&["watching", "0 up"]);
    supervisor.signal(Signal::TERM);
    supervisor.hear(&["0 stopping"]);
    supervisor.signal(Signal::INT);
    let began = Instant::now();
    let (said, status) = supervisor.finish();
    assert!(began.elapsed() < LONG / 4, "{:?}", began.elapsed());
    assert_eq!(status.code(), Some(143), "{said:?}");
    assert_eq!(living(&world.mark), []);
}

#[test]
fn a_third_signal_ends_a_process_that_does_not_listen() {
    let world = World::new();
    let words = ["grace=60000", "deaf=yes", "lane=ignore term ;; print x ;; hang"];
    let mut supervisor = Supervisor::start(&world, &words);
    supervisor.hear(&["watching", "0 up"]);
    supervisor.signal(Signal::INT);
    supervisor.hear(&["0 stopping"]);
    supervisor.signal(Signal::INT);
    supervisor.hear(&["0 ended Cancelled stdout=1 stderr=0"]);
    supervisor.signal(Signal::INT);
    let (said, status) = supervisor.finish();
    assert_eq!(status.signal(), Some(2), "{said:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_supervisor_leaves_nothing_for_long() {
    let world = World::new();
    let words = [
        "lane=print a ;; hang",
        "lane=spawn hang ;; daemon ignore term ;; print b ;; hang",
        "lane=scrubbed hang ;; print c ;; hang",
    ];
    let mut supervisor = Supervisor::start(&world, &words);
    supervisor.hear(&["watching", "0 up", "1 up", "2 up"]);
    supervisor.signal(Signal::KILL);
    let (_, status) = supervisor.finish();
    assert_eq!(status.signal(), Some(9));
    let began = Instant::now();
    // Each look takes its time; between two there is nothing to wait for.
    while !living(&world.mark).is_empty() {
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", living(&world.mark));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_stays_flat_however_much_is_written() {
    let world = World::new();
    let words = [
        "grace=60000",
        "stdout=4194304",
        // It goes on to the end, and all of it is taken.
        "lane=ignore term ;; bytes 500_000_000",
        "lane=ebytes 200_000_000 ;; print fine",
    ];
    let (said, status) = Supervisor::start(&world, &words).finish();
    assert!(status.success(), "{said:?}");
    for line in [
        "0 ended OutputTooLarge stdout=500000000 stderr=0",
        "1 ended Exited(0) stdout=4 stderr=200000000",
    ] {
        assert!(said.iter().any(|said| said == line), "{said:?}");
    }
    let peak = said.last().and_then(|line| line.strip_prefix("peak ")?.parse().ok());
    assert!(peak.is_some_and(|peak: u64| peak > 0 && peak < 100 << 10), "{said:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_inside_a_run_is_part_of_the_outer_one() {
    let world = World::new();
    let words = [
        "lane=daemon ignore term ;; print a ;; hang",
        "lane=scrubbed spawn hang ;; print b ;; hang",
    ];
    let command = world.command(&program("supervise"), arguments(&world, &words));
    let cancel = Cancel::new();
    let up = "watching\n0 up\n1 up\n".len() as u64;
    let exit = world.run_until(&command, &generous(), &cancel, &mut |progress| {
        if progress.stdout >= up {
            // It has no chance to end its own lanes.
            cancel.kill();
        }
    });
    assert_eq!(exit.end, End::Cancelled);
}
