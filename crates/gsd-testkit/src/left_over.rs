//! Looking for processes that should be gone.

use std::collections::BTreeSet;
use std::fs;

/// The numbers and command lines of all living processes that have `mark` in their environment
/// or their arguments. Processes that have ended have neither. Empty where there is no `/proc`.
///
/// A process that starts another one and ends can slip through a look, so a look in which one
/// was gone or has just ended proves nothing and is repeated.
pub fn living(mark: &str) -> Vec<(i32, String)> {
    const LOOKS: usize = 200;
    let mut ended = BTreeSet::new();
    for _ in 0..LOOKS {
        let look = look(mark);
        if !look.found.is_empty() {
            return look.found;
        }
        let settled = look.ended.is_subset(&ended);
        ended = look.ended;
        if look.whole && settled {
            break;
        }
    }
    vec![]
}

struct Look {
    found: Vec<(i32, String)>,
    ended: BTreeSet<i32>,
    whole: bool,
}

fn look(mark: &str) -> Look {
    let mut look = Look { found: vec![], ended: BTreeSet::new(), whole: true };
    let Ok(entries) = fs::read_dir("/proc") else { return look };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    // The youngest first: they are the ones in a hurry.
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let last: i32 = load.split_whitespace().last().and_then(|last| last.parse().ok()).unwrap_or(0);
    let mut pids: Vec<i32> = pids.collect();
    pids.sort_unstable_by_key(|pid| (*pid > last, -pid));
    for pid in pids {
        let read = |file: &str| fs::read(format!("/proc/{pid}/{file}"));
        let Ok(stat) = read("stat") else {
            look.whole = false;
            continue;
        };
        let (arguments, environment) =
            (read("cmdline").unwrap_or_default(), read("environ").unwrap_or_default());
        let marked = |bytes: &[u8]| bytes.windows(mark.len()).any(|part| part == mark.as_bytes());
        if marked(&arguments) || marked(&environment) {
            look.found.push((pid, String::from_utf8_lossy(&arguments).replace('\0', " ")));
        } else if arguments.is_empty() && !is_of_the_kernel(&stat) {
            // Ended, or in the middle of becoming another program.
            look.ended.insert(pid);
        }
    }
    look
}

/// Threads of the kernel have no arguments either, but a parent that has number 2, or are it.
fn is_of_the_kernel(stat: &[u8]) -> bool {
    let text = String::from_utf8_lossy(stat);
    let parent = text.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
    parent == Some("2") || text.starts_with("2 ")
}

/// The numbers of all children of this process, ended ones included, as `/proc` tells them.
pub fn children() -> Vec<i32> {
    let own = std::process::id().to_string();
    let Ok(entries) = fs::read_dir("/proc") else { return vec![] };
    let look = |entry: fs::DirEntry| {
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?;
        (parent == own).then(|| entry.file_name().to_str()?.parse().ok())?
    };
    entries.filter_map(|entry| look(entry.ok()?)).collect()
}

/// A text that occurs nowhere else, to find a test's own processes by.
pub fn mark() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
    format!("mark-{}-{now}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
