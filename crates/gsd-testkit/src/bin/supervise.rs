//! Supervises programs in a process of its own, for tests that send it signals, measure its
//! memory or nest it.
//!
//! `supervise fake=PROGRAM [mark=TEXT] [deadline=MS] [grace=MS] [stdout=BYTES] [deaf=yes]
//! lane=SCRIPT…` runs every script (actions of the fake program between ` ;; `) at the same time
//! and writes lines: `watching` when signals are heard, `N up` at the first byte of lane N, `N
//! stopping` when it was asked to end, `N ended END stdout=BYTES stderr=BYTES`, and at last `peak
//! KIB`, the most memory that this process ever had. It exits with 128 and the number of the
//! first signal if there was one. A deaf one goes on after its last lane until it is killed.

use gsd_io::cancel::Cancel;
use gsd_io::process::{Cap, Command, Limits, Progress, Stage, Stdin, guard, run};
use gsd_io::sandbox::Sandbox;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, run] = words.as_slice()
        && word == guard::WORD
    {
        guard::serve(run);
        return ExitCode::SUCCESS;
    }
    let values = |name: &'static str| {
        words.iter().filter_map(move |word| word.strip_prefix(name)?.strip_prefix('='))
    };
    let number = |name, otherwise| {
        values(name).next().map_or(otherwise, |value| value.parse().expect("a number"))
    };
    let limits = Limits {
        deadline: Duration::from_millis(number("deadline", 60_000)),
        first_byte: None,
        idle: None,
        grace: Duration::from_millis(number("grace", 300)),
        drain: Duration::from_millis(300),
        stdout: Cap::Stop { max: number("stdout", 4 << 20) as usize },
        stderr: Cap::log(),
    };
    let fake = values("fake").next().expect("the program that the lanes are");
    let mark = values("mark").next().unwrap_or_default();
    let command = |script: &str| Command {
        program: fake.into(),
        args: [format!("note {mark}")]
            .into_iter()
            .chain(script.split(" ;; ").map(str::to_owned))
            .collect(),
        env: vec![("MARK".to_owned(), mark.to_owned())],
        cwd: "/".into(),
        stdin: Stdin::Empty,
        sandbox: Sandbox::None,
    };

    let cancel = Cancel::new();
    let own = std::env::current_exe().expect("a path").try_into().expect("a path of text");
    let own: camino::Utf8PathBuf = own;
    let _guard = guard::start(&own).expect("a guard");
    let _watching = gsd_io::signal::watch(&cancel).expect("signals can be watched");
    println!("watching");
    std::thread::scope(|scope| {
        for (lane, script) in values("lane").enumerate() {
            let (command, limits, cancel) = (command(script), &limits, &cancel);
            scope.spawn(move || supervise(lane, &command, limits, cancel));
        }
    });
    println!("peak {}", peak());
    if values("deaf").next().is_some() {
        loop {
            std::thread::park();
        }
    }
    cancel.signal().map_or(ExitCode::SUCCESS, |signal| ExitCode::from(128 + signal as u8))
}

fn supervise(lane: usize, command: &Command, limits: &Limits, cancel: &Cancel) {
    let (mut up, mut stopping) = (false, false);
    let mut tell = |progress: Progress| {
        if !up && progress.stdout + progress.stderr > 0 {
            up = true;
            println!("{lane} up");
        }
        if !stopping && progress.stage == Stage::Stopping {
            stopping = true;
            println!("{lane} stopping");
        }
    };
    match run(command, limits, cancel, &mut tell) {
        Ok(exit) => println!(
            "{lane} ended {:?} stdout={} stderr={}",
            exit.end,
            exit.stdout.total(),
            exit.stderr.total()
        ),
        Err(error) => println!("{lane} refused {error}"),
    }
}

/// In KiB; zero where the system does not say.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
