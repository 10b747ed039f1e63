//! Looking for processes that should be gone.

use std::fs;

/// The numbers and command lines of all living processes that have `mark` in their environment
/// or their arguments. Processes that have ended have neither. Empty where there is no `/proc`.
pub fn living(mark: &str) -> Vec<(i32, String)> {
    let Ok(entries) = fs::read_dir("/proc") else { return vec![] };
    let look = |entry: fs::DirEntry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let read = |file: &str| fs::read(entry.path().join(file)).unwrap_or_default();
        let (arguments, environment) = (read("cmdline"), read("environ"));
        let marked = |bytes: &[u8]| bytes.windows(mark.len()).any(|part| part == mark.as_bytes());
        (marked(&arguments) || marked(&environment))
            .then(|| (pid, String::from_utf8_lossy(&arguments).replace('\0', " ")))
    };
    entries.filter_map(|entry| look(entry.ok()?)).collect()
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
