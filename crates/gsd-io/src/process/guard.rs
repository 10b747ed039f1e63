//! A second process that cleans up if this one is killed without a chance to do so itself.
//!
//! SIGKILL cannot be caught, so the guard holds the other end of a pipe: when that ends, whoever
//! held it is gone, and everything that carries the token or the brand of its run, or descends
//! from such a process, is killed. Where limits carry no brand, what has thrown its environment
//! away and lost its parents as well is out of the guard's reach. Without `/proc` nothing is found.

use super::TOKEN_VARIABLE;
use super::family::{self, Lane};
use super::hunt::{Answer, Effort, Found, hunt};
use super::procfs::{Identity, Process};
use camino::Utf8Path;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, PipeWriter, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The first argument by which a program knows that it is to be the guard of the run that the
/// second one names.
pub const WORD: &str = "internal-guard";

/// Nobody waits for a guard.
const THOROUGH: Effort = Effort {
    patience: Duration::from_secs(10),
    vain_looks: u32::MAX,
    settled: Duration::from_millis(500),
};

/// A running guard. Dropping it ends it: then nobody is left to be guarded against.
#[derive(Debug)]
pub struct Guard {
    child: Child,
    /// Ends with this process, however it ends.
    _pipe: PipeWriter,
    _entry: Lane,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a guard of this run: `program` with [`WORD`] and the run's name as its arguments. It
/// must call [`serve`] with that name.
pub fn start(program: &Utf8Path) -> io::Result<Guard> {
    let (reader, writer) = io::pipe()?;
    let mut command = Command::new(program);
    command
        .args([WORD, family::run_name()])
        .env_clear()
        .current_dir("/")
        .stdin(reader)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Its own group, so that Ctrl-C and a kill of ours do not reach it.
        .process_group(0);
    let (child, entry) = family::spawn_guard(&mut command)?;
    Ok(Guard { child, _pipe: writer, _entry: entry })
}

/// The guard itself: waits for the end of stdin, then kills what the run has left behind.
pub fn serve(run: &str) {
    let mut stdin = io::stdin();
    while matches!(stdin.read(&mut [0; 64]), Ok(1..)) {}
    let own = std::process::id().cast_signed();
    let brand = family::brand_of_run(run);
    // A process that could not say what it is, for as long as it cannot.
    let silent = RefCell::new(BTreeSet::new());
    let ask = |process: &Process| {
        if process.pid == own {
            return Answer::Foreign;
        }
        let marks = process.marks(TOKEN_VARIABLE);
        let marked = marks.parts.iter().any(|part| family::is_of_run(part, run));
        if marked || brand.is_some_and(|brand| brand.is_on(process)) {
            return Answer::Ours;
        }
        if marks.silent {
            silent.borrow_mut().insert(process.identity());
            return Answer::Unknown;
        }
        Answer::Foreign
    };
    let mut seen = BTreeSet::new();
    let mut look = |processes: &[Process], ours: &BTreeSet<Identity>| {
        let silent = silent.take();
        let doubtful =
            |process: &&Process| process.has_ended() || silent.contains(&process.identity());
        let doubtful = processes.iter().filter(doubtful).cloned().collect();
        // Children are listed before their parents as well, so this takes several turns.
        let mut pids = BTreeSet::new();
        let mut before = usize::MAX;
        while pids.len() != before {
            before = pids.len();
            for process in processes.iter().filter(|process| process.pid != own) {
                let known = |set: &BTreeSet<_>| set.contains(&process.identity());
                if known(&seen) || known(ours) || pids.contains(&process.parent) {
                    seen.insert(process.identity());
                    pids.insert(process.pid);
                }
            }
        }
        // Whoever has ended is reaped by the parent that it has now.
        let member = |process: &&Process| pids.contains(&process.pid) && !process.has_ended();
        Found { members: processes.iter().filter(member).cloned().collect(), doubtful }
    };
    hunt(THOROUGH, &ask, &mut look, &|_| false);
}
