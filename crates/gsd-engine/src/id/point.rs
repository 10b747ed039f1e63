//! The twelve points of the loop. The set is closed and only ever grows.

use crate::json::vocabulary;

vocabulary! {
    /// A place in the loop where capabilities can hook in.
    pub enum Point "loop point" {
        /// Before the discussion of a phase.
        DiscussPre = "discuss:pre",
        /// After it; CONTEXT.md is there.
        DiscussPost = "discuss:post",
        /// Before the plans of a phase are written.
        PlanPre = "plan:pre",
        /// After; the PLAN.md files are there.
        PlanPost = "plan:post",
        /// Before the first wave.
        ExecutePre = "execute:pre",
        /// Before each wave.
        ExecuteWavePre = "execute:wave:pre",
        /// After each wave.
        ExecuteWavePost = "execute:wave:post",
        /// After the last wave; the SUMMARY.md files are there.
        ExecutePost = "execute:post",
        /// Before the work is verified.
        VerifyPre = "verify:pre",
        /// After; UAT.md is there.
        VerifyPost = "verify:post",
        /// Before the phase is shipped.
        ShipPre = "ship:pre",
        /// After it.
        ShipPost = "ship:post",
    }
}

impl Point {
    /// The position in the loop, from 0.
    pub const fn index(self) -> usize {
        self as usize
    }
}

vocabulary! {
    /// What happens when something at a point cannot do its work.
    pub enum OnError "way to fail" {
        /// Go on without it.
        Skip = "skip",
        /// Stop the loop.
        Halt = "halt",
    }
}
