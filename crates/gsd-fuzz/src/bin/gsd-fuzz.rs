//! Runs parsers on hostile inputs: `gsd-fuzz TARGET|all EXECUTIONS [SEED [FROM]]`.
//!
//! Prints one line a target: how many inputs, how fast, and the slowest of them. An input that makes
//! a parser panic, or take longer than [`LIMIT`], is kept as `fuzz-<target>-<index>.bin` in the
//! working directory, and the program ends with 1. `gsd-fuzz TARGET 1 SEED INDEX` repeats one.

use gsd_fuzz::{Target, target::Place, targets};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Longer than this is a hang. Inputs have at most 64 KiB.
const LIMIT: Duration = Duration::from_secs(10);

/// The stack of the threads that read what lanes answer.
const STACK: usize = 2 * 1024 * 1024;

/// More broken inputs of one target tell nothing new.
const MAX_KEPT: usize = 10;

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| words.get(at).map_or(Ok(default), |word| word.parse());
    let (Some(name), Ok(executions), Ok(seed), Ok(from)) =
        (words.first(), number(1, 0), number(2, 1), number(3, 0))
    else {
        eprintln!("usage: gsd-fuzz TARGET|all EXECUTIONS [SEED [FROM]]");
        return ExitCode::from(2);
    };
    let chosen: Vec<Target> =
        targets().into_iter().filter(|target| name == "all" || name == target.name).collect();
    if chosen.is_empty() || executions == 0 {
        for target in targets() {
            println!("{:<12} {}", target.name, target.what);
        }
        return ExitCode::from(2);
    }
    println!("| target | executions | seconds | per second | slowest input | broken |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    let mut broken = 0;
    for target in chosen {
        let run = Arc::new(Run::new(target, seed));
        let worker = {
            let run = Arc::clone(&run);
            std::thread::Builder::new()
                .stack_size(STACK)
                .spawn(move || run.all(from..from + executions))
                .expect("a thread can be started")
        };
        let figures = run.watch(worker);
        let seconds = figures.took.as_secs_f64().max(0.001);
        println!(
            "| `{}` | {} | {seconds:.0} | {:.0} | {:.1} ms (number {}) | {} |",
            target.name,
            figures.executions,
            figures.executions as f64 / seconds,
            figures.slowest.as_secs_f64() * 1000.0,
            figures.slowest_at,
            figures.broken
        );
        broken += figures.broken;
    }
    ExitCode::from(u8::from(broken > 0))
}

#[derive(Debug, Default, Clone, Copy)]
struct Figures {
    executions: u64,
    took: Duration,
    slowest: Duration,
    slowest_at: u64,
    broken: usize,
}

/// One target at work, and what a second thread has to know to notice a hang.
struct Run {
    target: Target,
    seed: u64,
    /// The input that is looked at, and since when.
    now: Mutex<Option<(u64, Instant)>>,
}

impl Run {
    fn new(target: Target, seed: u64) -> Self {
        Self { target, seed, now: Mutex::new(None) }
    }

    fn set(&self, now: Option<(u64, Instant)>) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    fn all(&self, range: std::ops::Range<u64>) -> Figures {
        let mutator = self.target.mutator();
        let mut place = Place::new().expect("a temporary folder");
        let mut figures = Figures::default();
        let begin = Instant::now();
        for index in range {
            let input = mutator.input(self.seed, index);
            let start = Instant::now();
            self.set(Some((index, start)));
            let checked = catch_unwind(AssertUnwindSafe(|| self.target.check(&mut place, &input)));
            let took = start.elapsed();
            figures.executions += 1;
            if took > figures.slowest {
                (figures.slowest, figures.slowest_at) = (took, index);
            }
            if checked.is_err() {
                figures.broken += 1;
                self.keep(index, &input, "panicked");
                if figures.broken >= MAX_KEPT {
                    break;
                }
            }
        }
        self.set(None);
        figures.took = begin.elapsed();
        figures
    }

    /// Waits for the worker, and ends the program if an input takes too long.
    fn watch(&self, worker: std::thread::JoinHandle<Figures>) -> Figures {
        while !worker.is_finished() {
            std::thread::sleep(Duration::from_millis(100));
            let now = *self.now.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((index, since)) = now
                && since.elapsed() > LIMIT
            {
                self.keep(index, &self.target.mutator().input(self.seed, index), "hangs");
                std::process::exit(1);
            }
        }
        worker.join().expect("panics of a parser are caught")
    }

    #[expect(clippy::print_stderr, reason = "a program of its own")]
    fn keep(&self, index: u64, input: &[u8], what: &str) {
        let name = format!("fuzz-{}-{index}.bin", self.target.name);
        let kept = std::fs::write(&name, input).map_or("not kept", |()| name.as_str());
        eprintln!("{}: input {index} of seed {} {what}: {kept}", self.target.name, self.seed);
    }
}
