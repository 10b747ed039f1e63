//! What the storms of kills have in common: the programs that are killed, and the moments.

use gsd_io::cancel::Cancel;
use std::time::{Duration, SystemTime};

/// What the programs do. Most of them would go on for ever.
pub const SCRIPTS: [&[&str]; 14] = [
    &["print x", "hang"],
    &["ignore term", "print x", "hang"],
    &["spawn ignore term ;; hang", "hang"],
    &["daemon ignore term ;; hang", "hang"],
    &["daemon daemon hang ;; hang", "spawn hang", "exit 3"],
    &["spawn respawn 1000", "hang"],
    &["daemon respawn 1000", "hang"],
    &["close stdout", "close stderr", "hang"],
    &["bytes 100_000_000", "hang"],
    &["at-term print bye", "ebytes 10_000_000", "hang"],
    &["read-stdin", "daemon close stdout ;; close stderr ;; hang"],
    &["print x", "stop"],
    &["scrubbed hang", "hang"],
    &["scrubbed close stdout ;; close stderr ;; ignore term ;; hang", "print x"],
];

/// A small generator of numbers (xorshift); the same seed gives the same storm.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// For one kill of a storm.
    pub const fn new(seed: u64, kill: u64) -> Self {
        Self(seed.wrapping_add(kill.wrapping_mul(0x9E37_79B9_7F4A_7C15)) | 1)
    }

    pub const fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// One of some values.
    pub fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }

    /// A moment below one of three limits: often right after the start, sometimes much later.
    pub fn moment(&mut self, limits_ms: [u64; 3]) -> Duration {
        let most = self.of(&limits_ms) * 1000;
        Duration::from_micros(self.below(most))
    }
}

/// A seed for those who name none.
pub fn seed_now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64) | 1
}

/// Waiting is the point here: the moment of a kill is drawn by lot.
pub fn pause(moment: Duration) {
    Cancel::new().wait(moment);
}
