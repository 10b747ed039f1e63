//! The figures that people feel, measured on the built program: `cargo bench -p gsd-cli`.
//!
//! Each line is a figure and its budget. A figure over its budget is marked and ends the program
//! with 1, so that a script can use it; no test depends on it, since machines differ.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench starts programs, looks at clocks and prints"
)]

mod capabilities;
mod installed;
mod lanes;

use camino::Utf8Path;
use gsd_testkit::project::World;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Prints one figure: its name, its value, its budget, and whether it is kept.
type Line<'a> = &'a mut dyn FnMut(&str, String, &str, bool);

fn main() {
    let gsd = Utf8Path::new(env!("CARGO_BIN_EXE_gsd"));
    let mut over = false;
    let mut line = |name: &str, value: String, budget: &str, ok: bool| {
        over |= !ok;
        println!("{name:<56} {value:>14}   budget {budget:<8} {}", if ok { "" } else { "OVER" });
    };
    let small = World::new();
    small.small_phase();
    let ms = |d: Duration| format!("{:.2} ms", d.as_secs_f64() * 1000.0);

    let version = cpu(200, || small.command(gsd).arg("--version").stdout(Stdio::null()).status());
    line("gsd --version, CPU", ms(version), "5 ms", version < Duration::from_millis(5));
    let sections =
        cpu(200, || small.command(gsd).args(["lane", "sections"]).stdout(Stdio::null()).status());
    line("gsd lane sections, CPU", ms(sections), "10 ms", sections < Duration::from_millis(10));

    let large = World::new();
    large.large_phase();
    let lint = median(9, || {
        large.command(gsd).args(["plan-lint", "--phase", "3"]).stdout(Stdio::null()).status()
    });
    line(
        "plan-lint, 21 plans, 640 KB, wall",
        ms(lint),
        "100 ms",
        lint < Duration::from_millis(100),
    );

    let flood = World::new();
    flood
        .small_phase()
        .program("gemini", "cat >/dev/null; head -c 500000000 /dev/zero | tr '\\0' 'x'");
    let peak = peak_memory(
        flood
            .command(gsd)
            .args(["review", "--phase", "3", "--gemini", "--no-progress"])
            .stdout(Stdio::null())
            .stderr(Stdio::null()),
    );
    line(
        "review of a lane that prints 500 MB, peak memory",
        format!("{} MB", peak / 1000),
        "64 MB",
        peak < 64_000,
    );

    let five = World::new();
    five.small_phase();
    for (name, seconds) in
        [("gemini", 1), ("claude", 1), ("qwen", 2), ("copilot", 2), ("coderabbit", 3)]
    {
        five.program(
            name,
            &format!("cat >/dev/null; sleep {seconds}; echo '03-01 and 03-02 are fine'"),
        );
    }
    let wall = median(3, || {
        five.command(gsd)
            .args(["review", "--phase", "3", "--no-progress"])
            .args(["--gemini", "--claude", "--qwen", "--copilot", "--coderabbit"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
    });
    line("five lanes of 1, 1, 2, 2, 3 s, wall", ms(wall), "4 s", wall < Duration::from_secs(4));

    lanes::measure(gsd, &mut line);
    capabilities::measure(gsd, &mut line);
    installed::measure(gsd, &mut line);

    let bytes = std::fs::metadata(gsd).unwrap().len();
    line(
        "size of the stripped program",
        format!("{:.1} MB", bytes as f64 / 1e6),
        "15 MB",
        bytes < 15_000_000,
    );
    std::process::exit(i32::from(over));
}

/// CPU time of one run, from many: the kernel counts it in ticks of 10 ms.
fn cpu(runs: u32, run: impl Fn() -> std::io::Result<std::process::ExitStatus>) -> Duration {
    run().unwrap();
    let before = children_ticks();
    for _ in 0..runs {
        run().unwrap();
    }
    Duration::from_millis((children_ticks() - before) * 10) / runs
}

/// User and system time of the children that have ended, in ticks.
fn children_ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = stat.rsplit(')').next().unwrap();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    fields[13].parse::<u64>().unwrap() + fields[14].parse::<u64>().unwrap()
}

fn median(runs: usize, run: impl Fn() -> std::io::Result<std::process::ExitStatus>) -> Duration {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            run().unwrap();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[runs / 2]
}

/// The greatest resident size of the process itself, in KB.
fn peak_memory(command: &mut Command) -> u64 {
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let size = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let size = size.and_then(|size| size.trim().trim_end_matches(" kB").parse().ok());
        peak = size.unwrap_or(0).max(peak);
        std::thread::sleep(Duration::from_millis(5));
    }
    peak
}
