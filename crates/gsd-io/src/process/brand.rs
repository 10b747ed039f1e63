//! A mark that survives `env -i`, `setsid` and a double fork: an impossibly high soft limit on
//! the time that a real-time process may go without sleeping (`RLIMIT_RTTIME`).
//!
//! Limits are inherited by every descendant through fork and exec, and everybody may read them
//! in `/proc`, those of a process that hides its environment too. From 2^62 microseconds on, some
//! 146,000 years, a limit of this kind limits nobody. Where it cannot be raised that far there
//! is no brand, and what is known about parents, groups and environments has to do.
//!
//! Invariant: this process has a brand that is not its own only while it starts a child, under
//! the lock of the lanes. A child that somebody else in this process starts in that moment gets
//! it as well, so a brand alone never condemns what is below such a child.

use super::procfs::Process;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const FLOOR: u64 = 1 << 62;
const LANE_BITS: u32 = 20;
const RUN_BITS: u32 = 62 - LANE_BITS;

/// The brand of one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Brand(u64);

/// The part of a brand that all lanes of a run share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RunBrand(u64);

impl RunBrand {
    pub(super) fn new(random: u64) -> Self {
        Self(random & ((1 << RUN_BITS) - 1))
    }

    /// After a million lanes the numbers begin again; the lanes of then are long gone.
    pub(super) fn lane(self, number: u64) -> Brand {
        Brand(FLOOR | self.0 << LANE_BITS | number & ((1 << LANE_BITS) - 1))
    }

    pub(super) fn is_on(self, process: &Process) -> bool {
        Brand::of(process).is_some_and(|brand| brand.run() == self)
    }
}

impl Brand {
    /// Starts something that has this brand from its first instruction on.
    pub(super) fn put_on<T>(self, start: impl FnOnce() -> T) -> T {
        let before = getrlimit(Resource::Rttime);
        let branded = Rlimit { current: Some(self.0), maximum: before.maximum };
        let changed = setrlimit(Resource::Rttime, branded).is_ok();
        let started = start();
        if changed {
            let _ = setrlimit(Resource::Rttime, before);
        }
        started
    }

    pub(super) fn is_on(self, process: &Process) -> bool {
        Self::of(process) == Some(self)
    }

    fn of(process: &Process) -> Option<Self> {
        process.realtime_limit().filter(|limit| limit & FLOOR != 0).map(Self)
    }

    fn run(self) -> RunBrand {
        RunBrand::new(self.0 >> LANE_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brand_tells_its_run_and_is_no_infinity() {
        let run = RunBrand::new(u64::MAX);
        let brand = run.lane(u64::MAX);
        assert_eq!(brand.run(), run);
        assert_ne!(brand.run(), RunBrand::new(7));
        assert_ne!(brand, run.lane(3));
        assert!(brand.0 < u64::MAX && brand.0 & FLOOR != 0);
    }
}
