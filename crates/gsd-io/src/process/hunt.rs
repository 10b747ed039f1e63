//! Killing a set of processes that does not hold still.
//!
//! A look at `/proc` is no photograph: a process that starts another one and ends can slip through
//! between the listing and the reading. A look proves that nobody is left only if nothing that it
//! listed was gone when it was read and nothing that it read was in between two lives.
//!
//! Invariants: a single process is signalled through a descriptor whose identity was checked after
//! it was opened; a group is signalled, which no fork can escape, only if every living process in
//! it that can be seen is to be killed.

use super::procfs::{self, Identity, Process};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal,
};
use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// How long killed processes may take to be gone.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
/// When to stop looking.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    pub(super) patience: Duration,
    /// How many looks in a row may find nothing and prove nothing. On a busy machine strangers
    /// come and go all the time.
    pub(super) vain_looks: u32,
    /// After this time a process in between two lives is simply what it seems to be.
    pub(super) settled: Duration,
}

/// While somebody waits for the end of a run.
pub(super) const PROMPT: Effort =
    Effort { patience: PATIENCE, vain_looks: 20, settled: Duration::from_millis(30) };

/// What one look has found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// To be killed, or reaped if they have ended.
    pub(super) members: Vec<Process>,
    /// Perhaps to be killed: they have ended, or are in the middle of becoming another program,
    /// and cannot be asked whom they belong to.
    pub(super) doubtful: Vec<Process>,
}

/// What a single process says when it is asked for its marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Ours,
    /// It has other marks or none; it will not be asked again.
    Foreign,
    /// It could not say, or what it says depends on others.
    Unknown,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Hunted {
    pub(super) killed: usize,
    pub(super) reaped: usize,
}

/// Kills what `look` finds, again and again, until a look proves that there is nothing.
///
/// Each process is asked and, if it is ours, killed as soon as it is read: one that is in a hurry
/// is gone when the look is over. `look` gets everything that was read and what was found to be
/// ours in that way.
pub(super) fn hunt(
    effort: Effort,
    ask: &dyn Fn(&Process) -> Answer,
    look: &mut dyn FnMut(&[Process], &BTreeSet<Identity>) -> Found,
    reap: &dyn Fn(&Process) -> bool,
) -> Hunted {
    let deadline = Instant::now() + effort.patience;
    let mut ours: BTreeSet<Identity> = BTreeSet::new();
    let mut foreign: BTreeSet<Identity> = BTreeSet::new();
    let mut killed: BTreeSet<Identity> = BTreeSet::new();
    let mut doubts: BTreeMap<Identity, Instant> = BTreeMap::new();
    let (mut reaped, mut vain) = (0, 0);
    loop {
        let mut dying = vec![];
        let listing = procfs::all(&mut |process| {
            if process.has_ended() || foreign.contains(&process.identity()) {
                return;
            }
            match ask(process) {
                Answer::Ours => {
                    ours.insert(process.identity());
                    killed.insert(process.identity());
                    dying.extend(kill_verified(process));
                }
                Answer::Foreign => {
                    foreign.insert(process.identity());
                }
                Answer::Unknown => {}
            }
        });
        let found = look(&listing.processes, &ours);
        let mut proves = listing.whole;
        let now = Instant::now();
        for process in &found.doubtful {
            let since = *doubts.entry(process.identity()).or_insert(now);
            proves &= now - since >= effort.settled;
        }
        vain = if found.members.is_empty() { vain + 1 } else { 0 };
        let over = found.members.is_empty() && (proves || vain >= effort.vain_looks);
        if over || now >= deadline {
            return Hunted { killed: killed.len(), reaped };
        }
        kill_groups(&listing.processes, &found.members);
        // Killed even if it looks ended: its first thread may have ended before the others.
        dying.extend(found.members.iter().filter_map(kill_verified));
        let living = found.members.iter().filter(|process| !process.has_ended());
        killed.extend(living.map(Process::identity));
        wait_all(&dying, deadline);
        // Orphans come to their new parent when the old one is gone, so this may take more looks.
        reaped += found.members.iter().chain(&found.doubtful).filter(|one| reap(one)).count();
    }
}

/// Kills those groups of which every living process is a member. No fork escapes that, so nobody
/// in them can pass its life on to a child in time.
fn kill_groups(all: &[Process], members: &[Process]) {
    let own = rustix::process::getpgrp().as_raw_pid();
    let is_member: BTreeSet<Identity> = members.iter().map(Process::identity).collect();
    let groups: BTreeSet<i32> = members.iter().map(|member| member.group).collect();
    for group in groups.into_iter().filter(|group| *group != own) {
        let mut living = all.iter().filter(|one| one.group == group && !one.has_ended());
        let still = |member: &Process| {
            procfs::one(member.pid)
                .is_some_and(|now| now.identity() == member.identity() && now.group == group)
        };
        if living.clone().all(|one| is_member.contains(&one.identity())) && living.any(still) {
            let _ = Pid::from_raw(group).map(|group| kill_process_group(group, Signal::KILL));
        }
    }
}

/// Sends SIGKILL to exactly this process. `None` if it is gone.
fn kill_verified(process: &Process) -> Option<OwnedFd> {
    let pid = Pid::from_raw(process.pid)?;
    let descriptor = pidfd_open(pid, PidfdFlags::empty());
    // The descriptor, or without one the number, means the process that we looked at only if
    // that one is still there now.
    if procfs::one(process.pid)?.identity() != process.identity() {
        return None;
    }
    match descriptor {
        Ok(descriptor) => {
            pidfd_send_signal(&descriptor, Signal::KILL).ok()?;
            Some(descriptor)
        }
        Err(_) => {
            kill_process(pid, Signal::KILL).ok()?;
            None
        }
    }
}

/// Waits until every one of these has ended.
pub(super) fn wait_all(descriptors: &[OwnedFd], deadline: Instant) {
    for descriptor in descriptors {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).ok();
        let mut fds = [PollFd::new(descriptor, PollFlags::IN)];
        while poll(&mut fds, timeout.as_ref()) == Err(rustix::io::Errno::INTR) {}
    }
}
