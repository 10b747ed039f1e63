//! Who descends from a child, on Linux, and how all of it is killed and reaped.
//!
//! This process is a child subreaper: what is orphaned below it becomes its own child, whatever
//! session it has moved to. A process belongs to a lane if its chain of parents leads to the
//! lane's leader, if it is in the leader's group, if its environment carries the lane's token, or
//! if its limits carry the lane's brand. An orphan that has thrown all of that away goes when no
//! lane is left that it could belong to.
//!
//! Invariants: only our own children are reaped, never a leader that a run still waits for, and
//! never a child that others have started in our own group.

use super::brand::{Brand, RunBrand};
use super::hunt::{Answer, Found, PATIENCE, PROMPT, hunt, wait_all};
use super::procfs::{self, Identity, Marks, Process};
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group,
    pidfd_open, waitid,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// Marks the descendants of a child. A nested run appends to the value that it inherited, so
/// its processes are known to the outer run as well.
pub const TOKEN_VARIABLE: &str = "GSD_LANE_TOKEN";

/// What [`sweep`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    pub killed: usize,
    pub reaped: usize,
}

/// What is the same for every child of this process.
#[derive(Debug)]
struct Own {
    pid: i32,
    group: i32,
    /// The value that we were started with, for nested runs, with its separator.
    inherited: String,
    /// Random; the part of every token that says that it is ours.
    run: String,
    brand: RunBrand,
    /// Whether there may be orphans that no lane has left: of children that were there before the
    /// first run, or of anybody if orphans came to this process anyway.
    strangers: bool,
}

fn own() -> &'static Own {
    static OWN: OnceLock<Own> = OnceLock::new();
    OWN.get_or_init(|| {
        let pid = rustix::process::getpid();
        let strangers = pid.is_init()
            || rustix::process::child_subreaper().is_ok_and(|reaper| reaper.is_some())
            || has_children(pid.as_raw_pid());
        // With SIGCHLD ignored, as a careless parent may have left it, the kernel would throw
        // exit statuses away. Any handler ends that.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGCHLD, Arc::default());
        // Any number but zero turns it on. Where it is refused, groups and tokens remain.
        let _ = rustix::process::set_child_subreaper(Some(pid));
        // Children run as the same user and could read our variables, keys among them, in `/proc`.
        // A program is open to others again once it is executed, so this closes nothing but us.
        let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
        let mut random = [0; 8];
        // Without randomness the number and the time still tell two runs apart.
        if rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty()).is_err() {
            random = (crate::clock::since_epoch().as_nanos() as u64).to_ne_bytes();
        }
        let random = u64::from_ne_bytes(random);
        Own {
            pid: pid.as_raw_pid(),
            group: rustix::process::getpgrp().as_raw_pid(),
            inherited: std::env::var(TOKEN_VARIABLE).map(|value| value + ":").unwrap_or_default(),
            run: format!("{:x}-{:016x}", pid.as_raw_pid(), random),
            brand: RunBrand::new(random),
            strangers,
        }
    })
}

fn has_children(pid: i32) -> bool {
    match procfs::children() {
        Some(children) => !children.is_empty(),
        None => procfs::all(&mut |_| ()).processes.iter().any(|one| one.parent == pid),
    }
}

#[derive(Debug)]
struct Lanes {
    next: u64,
    /// By the number of the leader.
    running: BTreeMap<i32, Stage>,
}

/// Where a lane is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Running,
    /// Nothing of it may live any longer.
    Ending,
    /// No lane: the guard of this run.
    Guard,
}

/// Held while a child is started and while children are reaped, so that a leader is never taken
/// for an orphan between its start and its entry here, and the list of children is complete.
fn lanes() -> MutexGuard<'static, Lanes> {
    static LANES: Mutex<Lanes> = Mutex::new(Lanes { next: 0, running: BTreeMap::new() });
    LANES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many bytes the variable takes in a child's environment, at most.
pub(super) fn token_length() -> usize {
    let own = own();
    TOKEN_VARIABLE.len() + 1 + own.inherited.len() + own.run.len() + 1 + 20
}

/// The part of every token that says that it belongs to this process.
pub(super) fn run_name() -> &'static str {
    &own().run
}

/// Whether a part of a token belongs to this run.
pub(super) fn is_of_run(part: &str, run: &str) -> bool {
    part.rsplit_once('.').is_some_and(|(of, _)| of == run)
}

/// The brand of the lanes of a run, from the run's name.
pub(super) fn brand_of_run(run: &str) -> Option<RunBrand> {
    let (_, random) = run.rsplit_once('-')?;
    u64::from_str_radix(random, 16).ok().map(RunBrand::new)
}

/// A running child.
#[derive(Debug)]
pub(super) struct Lane {
    leader: Pid,
    token: String,
    brand: Option<Brand>,
    /// Whether the leader may have been reaped, and its number may mean another process.
    released: bool,
    /// Whether it stands among those that are running.
    listed: bool,
}

/// Starts a child with a token of its own.
pub(super) fn spawn(command: &mut Command) -> io::Result<(Child, Lane)> {
    let own = own();
    let mut lanes = lanes();
    let token = format!("{}.{}", own.run, lanes.next);
    let brand = own.brand.lane(lanes.next);
    lanes.next += 1;
    command.env(TOKEN_VARIABLE, format!("{}{token}", own.inherited));
    let child = brand.put_on(|| command.spawn())?;
    let leader = Pid::from_child(&child);
    lanes.running.insert(leader.as_raw_pid(), Stage::Running);
    Ok((child, Lane { leader, token, brand: Some(brand), released: false, listed: true }))
}

/// Starts the guard: a child that is no lane and outlives all of them.
pub(super) fn spawn_guard(command: &mut Command) -> io::Result<(Child, Lane)> {
    own();
    let mut lanes = lanes();
    let child = command.spawn()?;
    let leader = Pid::from_child(&child);
    lanes.running.insert(leader.as_raw_pid(), Stage::Guard);
    Ok((child, Lane { leader, token: String::new(), brand: None, released: true, listed: true }))
}

impl Drop for Lane {
    fn drop(&mut self) {
        if !self.released {
            // A panic on the way: the child must not go on without anybody watching.
            self.kill();
            if let Ok(leader) = pidfd_open(self.leader, PidfdFlags::empty()) {
                wait_all(&[leader], Instant::now() + PATIENCE);
            }
        }
        let mut lanes = lanes();
        if !self.released {
            let _ = waitid(WaitId::Pid(self.leader), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
        }
        if self.listed {
            lanes.running.remove(&self.leader.as_raw_pid());
        }
    }
}

impl Lane {
    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    /// Reaps the leader, if it has ended. Nothing may be killed by its number after that.
    pub(super) fn release(&mut self, leader: &mut Child) -> Option<ExitStatus> {
        self.released = true;
        let mut lanes = lanes();
        let status = leader.try_wait().ok().flatten();
        if status.is_some() {
            // From here on the number may mean another process.
            lanes.running.remove(&self.leader.as_raw_pid());
            self.listed = false;
        }
        status
    }

    /// Whether nothing descends from the leader: it has ended, and this process has no other child
    /// than those that it started itself. Whatever had lost its parents would be one.
    fn is_alone(&self) -> bool {
        // With all of its threads, which `/proc` does not say.
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        matches!(waitid(WaitId::Pid(self.leader), ended), Ok(Some(_))) && only_started()
    }

    /// Kills the leader, if it still lives, and everything that descends from it, and reaps the
    /// latter. The leader must not have been reaped. Returns how many descendants were alive.
    pub(super) fn kill(&self) -> usize {
        let leader = self.leader.as_raw_pid();
        lanes().running.insert(leader, Stage::Ending);
        if self.is_alone() {
            return 0;
        }
        let mut seen = BTreeSet::new();
        let mut look = |processes: &[Process], ours: &BTreeSet<Identity>| {
            let lanes = lanes();
            // Of two lanes that end together, the one that says so last sees it here.
            let last = lanes.running.values().all(|stage| *stage != Stage::Running);
            let last = last && !own().strangers;
            let mut found = Found::default();
            walk(processes, &lanes.running, &mut |process, owner| {
                let owner = owner.or_lane(leader, || {
                    let known = |set: &BTreeSet<_>| set.contains(&process.identity());
                    if process.group == leader || known(&seen) || known(ours) {
                        return true;
                    }
                    let marks = process.marks(TOKEN_VARIABLE);
                    let branded = || self.brand.is_some_and(|brand| brand.is_on(process));
                    if marks.parts.contains(&self.token) || (owner == Owner::Unknown && branded()) {
                        return true;
                    }
                    let nobodys = is_orphan(process, &lanes.running)
                        && !is_of_this_run(&marks)
                        && !own().brand.is_on(process);
                    if nobodys && marks.silent && !last {
                        found.doubtful.push(process.clone());
                    }
                    nobodys && last
                });
                if owner == Owner::Lane(leader) && process.pid != leader {
                    seen.insert(process.identity());
                    found.members.push(process.clone());
                }
                owner
            });
            // The number of the group is ours as long as the leader is unreaped.
            let _ = kill_process_group(self.leader, Signal::KILL);
            found
        };
        let ask = |process: &Process| {
            ask_orphan(process, |marks| {
                marks.parts.contains(&self.token)
                    || self.brand.is_some_and(|brand| brand.is_on(process))
            })
        };
        hunt(PROMPT, &ask, &mut look, &reap).killed
    }
}

/// Whether this process has no other children than those that a run has started and waits for, and
/// the guard. Then nobody is an orphan of ours, which a look at all processes would cost more to
/// find out.
fn only_started() -> bool {
    let lanes = lanes();
    !own().strangers
        && procfs::children()
            .is_some_and(|children| children.iter().all(|pid| lanes.running.contains_key(pid)))
}

/// Reaps orphans that have ended, so that a long run does not collect zombies.
pub(super) fn reap_orphans() {
    if only_started() {
        return;
    }
    for process in procfs::all(&mut |_| ()).processes.iter().filter(|process| process.has_ended()) {
        let orphan = is_orphan(process, &lanes().running);
        if orphan {
            reap(process);
        }
    }
}

/// Kills and reaps everything of ours that is left. For the end of a whole run: what still runs
/// under a supervisor is killed as well, and its supervisor reaps it.
pub fn sweep() -> Swept {
    let guard_at_most = || lanes().running.values().all(|stage| *stage == Stage::Guard);
    if only_started() && guard_at_most() {
        return Swept::default();
    }
    let mut seen = BTreeSet::new();
    let mut look = |processes: &[Process], ours: &BTreeSet<Identity>| {
        let lanes = lanes();
        let own = own();
        let mut found = Found::default();
        walk(processes, &lanes.running, &mut |process, owner| {
            let owner = owner.or_lane(process.pid, || {
                let orphan = is_orphan(process, &lanes.running);
                let known = |set: &BTreeSet<_>| set.contains(&process.identity());
                if known(&seen) || known(ours) || (!own.strangers && orphan) {
                    return true;
                }
                let marks = process.marks(TOKEN_VARIABLE);
                let branded = || own.brand.is_on(process);
                if is_of_this_run(&marks) || (owner == Owner::Unknown && branded()) {
                    return true;
                }
                if marks.silent && orphan {
                    found.doubtful.push(process.clone());
                }
                false
            });
            // A leader that has ended is its supervisor's to reap, and no longer ours to wait for.
            let spared = match lanes.running.get(&process.pid) {
                Some(Stage::Guard) => true,
                Some(Stage::Running | Stage::Ending) => process.has_ended(),
                None => false,
            };
            if matches!(owner, Owner::Lane(_)) && !spared {
                seen.insert(process.identity());
                found.members.push(process.clone());
            }
            owner
        });
        found
    };
    let ask = |process: &Process| {
        ask_orphan(process, |marks| is_of_this_run(marks) || own().brand.is_on(process))
    };
    let hunted = hunt(PROMPT, &ask, &mut look, &reap);
    Swept { killed: hunted.killed, reaped: hunted.reaped }
}

/// Asks a single process without looking at others: only orphans, because for these a brand is
/// proof enough.
fn ask_orphan(process: &Process, is_ours: impl FnOnce(&Marks) -> bool) -> Answer {
    if process.parent != own().pid || !is_orphan(process, &lanes().running) {
        return Answer::Unknown;
    }
    let marks = process.marks(TOKEN_VARIABLE);
    match (is_ours(&marks), marks.silent) {
        (true, _) => Answer::Ours,
        (false, true) => Answer::Unknown,
        (false, false) => Answer::Foreign,
    }
}

/// Whether there is a token of this run, of whatever lane.
fn is_of_this_run(marks: &Marks) -> bool {
    marks.parts.iter().any(|part| is_of_run(part, run_name()))
}

/// A child of ours that no run has started and that is not in our own group: it was orphaned
/// below us.
fn is_orphan(process: &Process, running: &BTreeMap<i32, Stage>) -> bool {
    let own = own();
    process.parent == own.pid && process.group != own.group && !running.contains_key(&process.pid)
}

/// To whom a process belongs, as far as its parents tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Unknown,
    /// It is, or is below, a child in our own group that no run has started.
    Stranger,
    /// By the number of the leader.
    Lane(i32),
}

impl Owner {
    /// This owner if it is a lane already; else the lane of `leader`, if that is `proven`.
    fn or_lane(self, leader: i32, proven: impl FnOnce() -> bool) -> Self {
        match self {
            Self::Lane(_) => self,
            Self::Unknown | Self::Stranger => {
                if proven() {
                    Self::Lane(leader)
                } else {
                    self
                }
            }
        }
    }
}

/// Visits every descendant of this process, parents first. `visit` gets what is known of the
/// process by itself or through its parents, and may name a lane.
fn walk(
    processes: &[Process],
    running: &BTreeMap<i32, Stage>,
    visit: &mut dyn FnMut(&Process, Owner) -> Owner,
) {
    let mut children: BTreeMap<i32, Vec<&Process>> = BTreeMap::new();
    for process in processes {
        children.entry(process.parent).or_default().push(process);
    }
    let mut next = vec![(own().pid, Owner::Unknown)];
    while let Some((parent, owner)) = next.pop() {
        // Taken out, so that a circle in a torn listing ends.
        for process in children.remove(&parent).unwrap_or_default() {
            let owner = match owner {
                Owner::Unknown if parent != own().pid => owner,
                Owner::Unknown if running.contains_key(&process.pid) => Owner::Lane(process.pid),
                Owner::Unknown if process.group == own().group => Owner::Stranger,
                Owner::Unknown | Owner::Stranger | Owner::Lane(_) => owner,
            };
            next.push((process.pid, visit(process, owner)));
        }
    }
}

/// Reaps a process if it is our child, has ended and is waited for by nobody. Returns whether it
/// did.
fn reap(process: &Process) -> bool {
    let lanes = lanes();
    let Some(now) = procfs::one(process.pid) else { return false };
    let ours = now.identity() == process.identity()
        && now.has_ended()
        && now.parent == own().pid
        && !lanes.running.contains_key(&now.pid);
    let Some(pid) = Pid::from_raw(process.pid).filter(|_| ours) else { return false };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    matches!(waitid(WaitId::Pid(pid), options), Ok(Some(_)))
}
