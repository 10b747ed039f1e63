//! Who belongs to a child, on systems without `/proc`: its process group, no more.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::process::{Child, Command, ExitStatus};

/// Marks the descendants of a child where the system lets us find them by it.
pub const TOKEN_VARIABLE: &str = "GSD_LANE_TOKEN";

/// What [`sweep`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    pub killed: usize,
    pub reaped: usize,
}

/// Nothing can be found here that its own run has not killed.
pub fn sweep() -> Swept {
    Swept::default()
}

pub(super) fn token_length() -> usize {
    0
}

pub(super) fn reap_orphans() {}

/// A running child.
#[derive(Debug)]
pub(super) struct Lane {
    leader: Pid,
    released: bool,
}

impl Drop for Lane {
    fn drop(&mut self) {
        if !self.released {
            // A panic on the way: the child must not go on without anybody watching.
            self.kill();
        }
    }
}

pub(super) fn spawn(command: &mut Command) -> io::Result<(Child, Lane)> {
    let child = command.spawn()?;
    let leader = Pid::from_child(&child);
    Ok((child, Lane { leader, released: false }))
}

impl Lane {
    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    /// Reaps the leader, if it has ended. Nothing may be killed by its number after that.
    pub(super) fn release(&mut self, leader: &mut Child) -> Option<ExitStatus> {
        self.released = true;
        leader.try_wait().ok().flatten()
    }

    /// Kills the group. The leader must not have been reaped.
    pub(super) fn kill(&self) -> usize {
        let _ = kill_process_group(self.leader, Signal::KILL);
        0
    }
}
