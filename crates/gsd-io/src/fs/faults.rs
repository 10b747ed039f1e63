//! Faults on demand, for tests of what a crash leaves behind: the n-th write, rename, sync or
//! removal of the process fails, or the process is killed there.
//!
//! `GSD_FAULT=kill:N` kills, `fail:N` lets that one fail, `full:N` lets that one and all after it
//! fail, and `count:FILE` counts and leaves the number in a file. None of it is in a release: it is
//! compiled only together with the debug assertions.

use std::io;

/// Comes before each effect on the file system that a crash could cut off.
#[cfg(not(debug_assertions))]
#[expect(clippy::unnecessary_wraps, reason = "it fails in the builds that tests use")]
pub(super) fn step() -> io::Result<()> {
    Ok(())
}

/// Comes before each effect on the file system that a crash could cut off.
#[cfg(debug_assertions)]
pub(super) fn step() -> io::Result<()> {
    plan::step()
}

#[cfg(debug_assertions)]
mod plan {
    use std::io;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    enum Plan {
        None,
        Kill(u64),
        Fail(u64),
        Full(u64),
        Count(String),
    }

    fn plan() -> Plan {
        let Ok(text) = std::env::var("GSD_FAULT") else { return Plan::None };
        let Some((what, rest)) = text.split_once(':') else { return Plan::None };
        let number = rest.parse().unwrap_or(u64::MAX);
        match what {
            "kill" => Plan::Kill(number),
            "fail" => Plan::Fail(number),
            "full" => Plan::Full(number),
            "count" => Plan::Count(rest.to_owned()),
            _ => Plan::None,
        }
    }

    pub(super) fn step() -> io::Result<()> {
        static PLAN: OnceLock<Plan> = OnceLock::new();
        static STEPS: AtomicU64 = AtomicU64::new(0);
        let step = STEPS.fetch_add(1, Ordering::SeqCst);
        let full = || Err(io::Error::from_raw_os_error(rustix::io::Errno::NOSPC.raw_os_error()));
        match PLAN.get_or_init(plan) {
            Plan::Kill(at) if *at == step => {
                // As hard as it gets: nothing is tidied up, no destructor runs.
                let _ = rustix::process::kill_process(
                    rustix::process::getpid(),
                    rustix::process::Signal::KILL,
                );
                std::process::abort()
            }
            Plan::Fail(at) if *at == step => full(),
            Plan::Full(at) if *at <= step => full(),
            Plan::Count(file) => std::fs::write(file, (step + 1).to_string()),
            Plan::None | Plan::Kill(_) | Plan::Fail(_) | Plan::Full(_) => Ok(()),
        }
    }
}
