//! A second process that cleans up if this one is killed without a chance to do so itself.
//!
//! SIGKILL cannot be caught, so the guard holds the other end of a pipe: when that ends, whoever
//! held it is gone, and everything that carries the token or the brand of its run, or descends
//! from such a process, is killed. Where limits carry no brand, what has thrown its environment
//! away and lost its parents as well is out of the guard's reach. Without `/proc` nothing is found.

use super::family::{self, Lane};
use super::{TOKEN_VARIABLE, procfs};
use camino::Utf8Path;
use std::collections::BTreeSet;
use std::io::{self, PipeWriter, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The first argument by which a program knows that it is to be the guard of the run that the
/// second one names.
pub const WORD: &str = "internal-guard";

/// How long the guard goes on looking.
const PATIENCE: Duration = Duration::from_secs(5);

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
    let deadline = Instant::now() + PATIENCE;
    // Twice nothing: what was forked during the first look is seen by the second.
    let mut clean = 0;
    while clean < 2 && Instant::now() < deadline {
        clean = if kill_once(run) { 0 } else { clean + 1 };
    }
}

/// Kills what can be seen of the run. Returns whether there was anything.
fn kill_once(run: &str) -> bool {
    let processes = procfs::all();
    let own = std::process::id().cast_signed();
    let brand = family::brand_of_run(run);
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for process in processes.iter().filter(|process| process.pid != own) {
            let ours = found.contains(&process.parent)
                || process.carries(TOKEN_VARIABLE, |part| family::is_of_run(part, run))
                || brand.is_some_and(|brand| brand.is_on(process));
            if ours && !process.has_ended() {
                found.insert(process.pid);
            }
        }
        if found.len() == before {
            break;
        }
    }
    let members = processes.iter().filter(|process| found.contains(&process.pid));
    let dying: Vec<_> = members.filter_map(family::kill_verified).collect();
    family::wait_all(&dying, Instant::now() + PATIENCE);
    !found.is_empty()
}
