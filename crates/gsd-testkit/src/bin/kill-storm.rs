//! Kills runs of the supervisor at random moments and counts what is left.
//!
//! `kill-storm N [SEED]` does N kills, each of one to four programs at a time: by a deadline, by
//! the flag once or twice, by too much output, or by SIGINT, SIGTERM or SIGHUP to a process of
//! its own that supervises them. After each no process may be left, living or ended. It prints
//! one line at the end, or the kill that failed with its seed, and then exits with 1.
//!
//! `kill-storm sigkill N [SEED]` kills the supervising process with SIGKILL, after which only its
//! guard can clean up, and states how many processes were left.

use gsd_io::cancel::Cancel;
use gsd_io::process::{Cap, Command, End, Limits, StartError, Stdin, guard, run, sweep};
use gsd_io::sandbox::Sandbox;
use gsd_testkit::fake_cli::fake_cli;
use gsd_testkit::left_over::{children, living, mark};
use gsd_testkit::storm::{Dice, SCRIPTS, pause, seed_now};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Milliseconds below which the moments of kills lie.
const MOMENTS: [u64; 3] = [2, 10, 60];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).map(|word| word.parse().expect("a number"));
    match words.first().map(String::as_str) {
        Some(guard::WORD) => {
            guard::serve(&words[1]);
            ExitCode::SUCCESS
        }
        Some("victim") => victim(&words[1], number(2).expect("a seed")),
        Some("sigkill") => {
            let (count, seed) = (number(1).unwrap_or(200), number(2).unwrap_or_else(seed_now));
            sigkills(count, seed)
        }
        _ => storm(number(0).unwrap_or(30), number(1).unwrap_or_else(seed_now)),
    }
}

fn storm(count: u64, seed: u64) -> ExitCode {
    let began = Instant::now();
    let mut slowest = Duration::ZERO;
    for kill in 0..count {
        let mut dice = Dice::new(seed, kill);
        let (mark, at) = (mark(), Instant::now());
        let how = match dice.below(3) {
            0 => by_signal(&mark, &mut dice),
            1 => by_flag(&mark, &mut dice),
            _ => by_limits(&mark, &mut dice),
        };
        slowest = slowest.max(at.elapsed());
        let left = living(&mark);
        let swept = sweep();
        let ended = children();
        if !left.is_empty() || !ended.is_empty() || at.elapsed() > Duration::from_secs(10) {
            let took = at.elapsed();
            println!("kill {kill} of {count}, seed {seed}, {how}: {took:?}");
            println!("left: {left:?}; after {swept:?}: {ended:?}");
            return ExitCode::FAILURE;
        }
    }
    let took = began.elapsed();
    println!("{count} kills, 0 processes left; {took:.1?}, the slowest {slowest:.1?}, seed {seed}");
    ExitCode::SUCCESS
}

/// SIGINT, SIGTERM or SIGHUP to a process that supervises, sometimes twice.
fn by_signal(mark: &str, dice: &mut Dice) -> String {
    let signal = dice.of(&[Signal::INT, Signal::TERM, Signal::HUP]);
    let twice = dice.below(3) == 0;
    let (mut child, pid) = start_victim(mark, dice.below(u64::MAX));
    pause(dice.moment(MOMENTS));
    let _ = kill_process(pid, signal);
    if twice {
        pause(dice.moment(MOMENTS));
        let _ = kill_process(pid, Signal::INT);
    }
    let status = child.wait().expect("the victim can be waited for");
    assert!([129, 130, 143].contains(&status.code().unwrap_or(0)), "{signal:?}: {status}");
    format!("by {signal:?} (twice: {twice}), {status}")
}

fn start_victim(mark: &str, seed: u64) -> (std::process::Child, Pid) {
    let mut child = std::process::Command::new(std::env::current_exe().expect("a path"))
        .args(["victim", mark, &seed.to_string()])
        // Looked up here, because a victim has no time to look.
        .env("FAKE_CLI", fake())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the victim starts");
    let pid = Pid::from_child(&child);
    // It must have installed its handlers before it may be signalled.
    let told = child.stdout.take().expect("a pipe");
    BufReader::new(told).read_line(&mut String::new()).expect("the victim says when it is ready");
    (child, pid)
}

/// Supervises programs until a signal comes, as the real program does.
fn victim(mark: &str, seed: u64) -> ExitCode {
    let cancel = Cancel::new();
    let own = std::env::current_exe().expect("a path").try_into().expect("a path of text");
    let own: camino::Utf8PathBuf = own;
    let _guard = guard::start(&own).expect("a guard");
    let _watching = gsd_io::signal::watch(&cancel).expect("signals can be watched");
    println!("ready");
    let mut limits = limits();
    limits.deadline = Duration::from_secs(60);
    let mut dice = Dice::new(seed, 0);
    while !cancel.is_cancelled() {
        let commands = commands(mark, &mut dice);
        lanes(&commands, &limits, &cancel, None);
    }
    sweep();
    cancel.signal().map_or(ExitCode::FAILURE, |signal| ExitCode::from(128 + signal as u8))
}

fn by_flag(mark: &str, dice: &mut Dice) -> String {
    let (moment, again) =
        (dice.moment(MOMENTS), (dice.below(2) == 0).then(|| dice.moment(MOMENTS)));
    let mut limits = limits();
    limits.deadline = Duration::from_secs(60);
    let commands = commands(mark, dice);
    let ends = lanes(&commands, &limits, &Cancel::new(), Some((moment, again)));
    format!("by the flag after {moment:?}, then {again:?}: {ends:?}")
}

fn by_limits(mark: &str, dice: &mut Dice) -> String {
    let mut limits = limits();
    limits.deadline = dice.moment(MOMENTS);
    limits.stdout = Cap::kib(1 + dice.below(2000) as usize);
    let commands = commands(mark, dice);
    let ends = lanes(&commands, &limits, &Cancel::new(), None);
    format!("by {limits:?}: {ends:?}")
}

fn limits() -> Limits {
    Limits {
        deadline: Duration::from_secs(60),
        first_byte: None,
        idle: None,
        grace: Duration::from_millis(50),
        drain: Duration::from_millis(50),
        stdout: Cap::mib(200),
        stderr: Cap::log(),
    }
}

/// One to four programs.
fn commands(mark: &str, dice: &mut Dice) -> Vec<Command> {
    (0..=dice.below(4)).map(|_| command(mark, dice)).collect()
}

/// Runs programs at the same time until they end or are ended.
fn lanes(
    commands: &[Command],
    limits: &Limits,
    cancel: &Cancel,
    raise: Option<(Duration, Option<Duration>)>,
) -> Vec<Result<End, String>> {
    std::thread::scope(|scope| {
        let one = |command| match run(command, limits, cancel, &mut |_| {}) {
            Ok(exit) => Ok(exit.end),
            Err(StartError::Cancelled { .. }) => Ok(End::Cancelled),
            Err(error) => Err(error.to_string()),
        };
        let runs: Vec<_> =
            commands.iter().map(|command| scope.spawn(move || one(command))).collect();
        if let Some((moment, again)) = raise {
            pause(moment);
            cancel.stop();
            if let Some(moment) = again {
                pause(moment);
                cancel.kill();
            }
        }
        runs.into_iter().map(|run| run.join().expect("a run does not panic")).collect()
    })
}

fn command(mark: &str, dice: &mut Dice) -> Command {
    let script = dice.of(&SCRIPTS);
    let mut args = vec![format!("note {mark}")];
    args.extend(script.iter().map(|action| (*action).to_owned()));
    let stdin = match dice.below(2) {
        0 => Stdin::Empty,
        _ => Stdin::Bytes(vec![b'p'; dice.below(1 << 20) as usize].into()),
    };
    Command {
        program: fake(),
        args,
        env: vec![("MARK".to_owned(), mark.to_owned())],
        cwd: "/".into(),
        stdin,
        sandbox: Sandbox::None,
    }
}

fn fake() -> camino::Utf8PathBuf {
    std::env::var("FAKE_CLI").map_or_else(|_| fake_cli(), Into::into)
}

/// What SIGKILL of the supervisor leaves behind for longer than the guard takes.
fn sigkills(count: u64, seed: u64) -> ExitCode {
    let (mut left, mut slowest) = (0, Duration::ZERO);
    for kill in 0..count {
        let mut dice = Dice::new(seed, kill);
        let mark = mark();
        let (mut child, pid) = start_victim(&mark, dice.below(u64::MAX));
        pause(dice.moment(MOMENTS));
        let _ = kill_process(pid, Signal::KILL);
        let _ = child.wait();
        let killed = Instant::now();
        let mut found = living(&mark);
        while !found.is_empty() && killed.elapsed() < Duration::from_secs(15) {
            pause(Duration::from_millis(5));
            found = living(&mark);
        }
        slowest = slowest.max(killed.elapsed());
        left += found.len();
        for (pid, _) in found {
            let _ = Pid::from_raw(pid).map(|pid| kill_process(pid, Signal::KILL));
        }
    }
    println!(
        "{count} SIGKILLs of the supervisor: {left} processes left; \
         the slowest cleaning {slowest:.1?}, seed {seed}"
    );
    ExitCode::SUCCESS
}
