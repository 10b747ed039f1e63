//! What `/proc` says about processes. A process may go away between two reads, and a listing tells
//! whether one did.

use std::fs;
use std::io::{self, Read};

/// The number and the start time of a process: together they are never used again.
pub(super) type Identity = (i32, u64);

/// One process, as it was when it was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: i32,
    pub(super) parent: i32,
    pub(super) group: i32,
    state: u8,
    start: u64,
}

impl Process {
    pub(super) fn identity(&self) -> Identity {
        (self.pid, self.start)
    }

    /// Whether only its exit status is left of it.
    pub(super) fn has_ended(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }

    /// The parts, between colons, of the value that the variable has in its environment.
    pub(super) fn marks(&self, variable: &str) -> Marks {
        /// More than any environment that the system lets a process start with.
        const MOST: u64 = 8 << 20;
        let mut environment = vec![];
        let read = fs::File::open(format!("/proc/{}/environ", self.pid))
            .and_then(|file| file.take(MOST).read_to_end(&mut environment));
        if read.is_err() || environment.is_empty() {
            return Marks { silent: true, parts: vec![] };
        }
        let parts = environment
            .split(|byte| *byte == 0)
            .filter_map(|entry| entry.strip_prefix(variable.as_bytes())?.strip_prefix(b"="))
            .filter_map(|value| std::str::from_utf8(value).ok())
            .flat_map(|value| value.split(':').map(str::to_owned))
            .collect();
        Marks { silent: false, parts }
    }

    /// Its soft limit on the time without a sleep, if it has one.
    pub(super) fn realtime_limit(&self) -> Option<u64> {
        let limits = fs::read_to_string(format!("/proc/{}/limits", self.pid)).ok()?;
        let line = limits.lines().find_map(|line| line.strip_prefix("Max realtime timeout"))?;
        line.split_ascii_whitespace().next()?.parse().ok()
    }
}

/// What a process carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marks {
    /// It has no environment at all. That is so for a moment while it becomes another program,
    /// after its end, and for good if it was started so.
    pub(super) silent: bool,
    pub(super) parts: Vec<String>,
}

/// A look at every process that can be seen.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) processes: Vec<Process>,
    /// Whether everything that was listed was still there when it was read. If not, it may have
    /// left a child that was not listed yet.
    pub(super) whole: bool,
}

/// Looks at every process and calls `on_read` for each as soon as it was read, because a process
/// that is in a hurry is gone when the look is over.
pub(super) fn all(on_read: &mut dyn FnMut(&Process)) -> Listing {
    let mut listing = Listing { processes: vec![], whole: true };
    let Ok(entries) = fs::read_dir("/proc") else { return listing };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    // The whole list first, so that it spans as little time as possible, and the youngest first,
    // because they are the ones in a hurry.
    let mut pids: Vec<i32> = pids.collect();
    let last = last_pid();
    pids.sort_unstable_by_key(|pid| (*pid > last, -pid));
    for pid in pids {
        match look(pid) {
            Ok(Some(process)) => {
                on_read(&process);
                listing.processes.push(process);
            }
            Ok(None) => {}
            Err(error) => {
                let gone = error.kind() == io::ErrorKind::NotFound
                    || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error());
                listing.whole &= !gone;
            }
        }
    }
    listing
}

/// One process, if it is there and can be seen.
pub(super) fn one(pid: i32) -> Option<Process> {
    look(pid).ok().flatten()
}

/// The numbers of this process's children, ended ones included, without a look at anybody else.
/// `None` if the kernel does not keep such a list, or a thread ended meanwhile and left its
/// children to another one.
///
/// A child stays in the list until it is reaped, and what loses its parent below us is in it from
/// the moment that the parent has ended. So the list is complete if nobody reaps meanwhile.
pub(super) fn children() -> Option<Vec<i32>> {
    let mut found = vec![];
    for thread in fs::read_dir("/proc/self/task").ok()? {
        let text = fs::read_to_string(thread.ok()?.path().join("children")).ok()?;
        for pid in text.split_ascii_whitespace() {
            found.push(pid.parse().ok()?);
        }
    }
    Some(found)
}

/// The number that was given out last; numbers go up and begin again at the bottom.
fn last_pid() -> i32 {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split_ascii_whitespace().last().and_then(|last| last.parse().ok()).unwrap_or(i32::MAX)
}

fn look(pid: i32) -> io::Result<Option<Process>> {
    let mut text = [0; 1024];
    let count = fs::File::open(format!("/proc/{pid}/stat"))?.read(&mut text)?;
    Ok(parse(pid, &text[..count]))
}

/// The name of the program stands in parentheses and may contain anything, parentheses too, so
/// fields count from the last one.
fn parse(pid: i32, stat: &[u8]) -> Option<Process> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(&stat[name_end + 1..]).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    // After state, parent and group (3rd to 5th), the start time is the 22nd.
    let start = fields.nth(16)?.parse().ok()?;
    Some(Process { pid, parent, group, state, start })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_count_from_the_last_parenthesis() {
        let stat = b"42 (a) Z 1 (b)) S 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 123456 99 1";
        let process = Process { pid: 42, parent: 7, group: 8, state: b'S', start: 123_456 };
        assert_eq!(parse(42, stat), Some(process));
        assert_eq!(parse(42, b"42 (short) S 1"), None);
        assert_eq!(parse(42, b""), None);
    }

    #[test]
    fn a_child_is_listed_until_it_is_reaped() {
        let Some(_) = children() else { return };
        let mut child = std::process::Command::new("/bin/true").spawn().unwrap();
        let pid = child.id().cast_signed();
        assert!(children().unwrap().contains(&pid));
        child.wait().unwrap();
        assert!(!children().unwrap().contains(&pid));
    }

    #[test]
    fn this_process_is_listed() {
        let own = std::process::id().cast_signed();
        let found =
            all(&mut |_| ()).processes.into_iter().find(|process| process.pid == own).unwrap();
        assert_eq!(found.identity(), one(own).unwrap().identity());
        assert!(!found.has_ended());
        assert_eq!(found.group, rustix::process::getpgrp().as_raw_pid());
    }
}
