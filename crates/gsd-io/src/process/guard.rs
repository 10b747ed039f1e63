//! A second process that cleans up if this one is killed without a chance to do so itself.
//!
//! SIGKILL cannot be caught, so the guard holds the other end of a pipe: when that ends, whoever
//! held it is gone, and everything that carries the token or the brand of its run, or descends
//! from such a process, is killed. Where limits carry no brand, what has thrown its environment
//! away and lost its parents as well is out of the guard's reach. Without `/proc` nothing is found.

use super::TOKEN_VARIABLE;
use super::family::{self, Lane};
use super::hunt::{Effort, Found, hunt};
use super::procfs::Process;
use camino::Utf8Path;
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
    let mut seen = BTreeSet::new();
    let mut look = |processes: &[Process]| {
        let mut found = Found::default();
        let mut members = BTreeSet::new();
        let (mut before, mut first) = (0, true);
        // Children of what was found are found in the next turn, as they may be listed earlier.
        while first || members.len() > before {
            before = members.len();
            for process in processes.iter().filter(|process| process.pid != own) {
                if members.contains(&process.pid) {
                    continue;
                }
                let known = seen.contains(&process.identity()) || members.contains(&process.parent);
                let marked = !known && first && {
                    let marks = process.marks(TOKEN_VARIABLE);
                    if marks.silent {
                        found.doubtful.push(process.clone());
                    }
                    marks.parts.iter().any(|part| family::is_of_run(part, run))
                        || brand.is_some_and(|brand| brand.is_on(process))
                };
                // Whoever has ended is reaped by the parent that it has now.
                if (known || marked) && !process.has_ended() {
                    members.insert(process.pid);
                    seen.insert(process.identity());
                    found.members.push(process.clone());
                }
            }
            first = false;
        }
        found
    };
    hunt(THOROUGH, &mut look, &|_| false);
}
