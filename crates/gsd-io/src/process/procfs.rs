//! What `/proc` says about processes. A process may go away between two reads; what cannot be
//! read is simply not listed.

use std::fs;
use std::io::Read;

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
    /// The number and the start time: together they are never used again.
    pub(super) fn identity(&self) -> (i32, u64) {
        (self.pid, self.start)
    }

    /// Whether only its exit status is left of it.
    pub(super) fn has_ended(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }

    /// Whether its environment has the variable with a value of which one part, between colons,
    /// is accepted.
    pub(super) fn carries(&self, variable: &str, accept: impl Fn(&str) -> bool) -> bool {
        /// More than any environment that the system lets a process start with.
        const MOST: u64 = 8 << 20;
        let mut environment = vec![];
        let read = fs::File::open(format!("/proc/{}/environ", self.pid))
            .and_then(|file| file.take(MOST).read_to_end(&mut environment));
        read.is_ok()
            && environment
                .split(|byte| *byte == 0)
                .filter_map(|entry| entry.strip_prefix(variable.as_bytes())?.strip_prefix(b"="))
                .filter_map(|value| std::str::from_utf8(value).ok())
                .any(|value| value.split(':').any(&accept))
    }

    /// Its soft limit on the time without a sleep, if it has one.
    pub(super) fn realtime_limit(&self) -> Option<u64> {
        let limits = fs::read_to_string(format!("/proc/{}/limits", self.pid)).ok()?;
        let line = limits.lines().find_map(|line| line.strip_prefix("Max realtime timeout"))?;
        line.split_ascii_whitespace().next()?.parse().ok()
    }
}

/// Every process that can be seen.
pub(super) fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return vec![] };
    entries.filter_map(|entry| one(entry.ok()?.file_name().to_str()?.parse().ok()?)).collect()
}

/// One process.
pub(super) fn one(pid: i32) -> Option<Process> {
    let mut text = [0; 1024];
    let count = fs::File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut text).ok()?;
    parse(pid, &text[..count])
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
    fn this_process_is_listed() {
        let own = std::process::id().cast_signed();
        let found = all().into_iter().find(|process| process.pid == own).unwrap();
        assert_eq!(found.identity(), one(own).unwrap().identity());
        assert!(!found.has_ended());
        assert_eq!(found.group, rustix::process::getpgrp().as_raw_pid());
    }
}
