//! The loop that watches one child: one `poll` over its streams, its end and the flag.

use super::capture::Capture;
use super::exit::{End, Exit, Phase, Progress, Stage};
use super::family::{self, Lane};
use super::feed::Feed;
use super::start::{StartError, Started, start};
use super::watch::ExitWatch;
use super::{Command, Limits};
use crate::cancel::{Cancel, Subscription, Urgency};
use crate::clock::after;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Signal, kill_process_group};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// A killed process is gone within this, unless the kernel itself hangs.
const KILL_PATIENCE: Duration = Duration::from_secs(3);
/// For streams after everything that we know of was killed.
const KILLED_DRAIN: Duration = Duration::from_millis(500);
/// Between two signs of life while there is output, and while there is none.
const BUSY_TICK: Duration = Duration::from_millis(200);
const QUIET_TICK: Duration = Duration::from_secs(1);
/// Between two looks for orphans that have ended.
const REAP_TICK: Duration = Duration::from_secs(5);
/// Bytes per read, and reads per turn, so that one stream cannot starve the rest.
const CHUNK: usize = 64 * 1024;
const READS: usize = 8;

pub(super) fn run(
    command: &Command,
    limits: &Limits,
    cancel: &Cancel,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Exit, StartError> {
    let io = |source| StartError::Io { path: command.program.clone(), source };
    let flag = cancel.subscribe().map_err(io)?;
    if cancel.is_cancelled() {
        return Err(StartError::Cancelled { path: command.program.clone() });
    }
    let begun = Instant::now();
    let Started { mut child, mut lane, feed, stdout, stderr } = start(command)?;
    let watched = ExitWatch::new(lane.leader()).and_then(|watch| {
        Ok((
            watch,
            Stream::new(stdout.into(), limits.stdout)?,
            Stream::new(stderr.into(), limits.stderr)?,
        ))
    });
    let (watch, stdout, stderr) = match watched {
        Ok(parts) => parts,
        Err(source) => {
            // Without eyes on it the child must not run.
            lane.kill();
            if lane.release(&mut child).is_none() {
                let _ = child.wait();
            }
            return Err(io(source));
        }
    };
    let supervisor = Supervisor {
        limits,
        cancel,
        flag,
        child,
        lane,
        watch,
        feed,
        stdout,
        stderr,
        begun,
        last_byte: None,
        first_byte_after: None,
        state: State::Running,
        drain_until: None,
        next_progress: begun + QUIET_TICK,
        next_reap: begun + REAP_TICK,
        chunk: Vec::with_capacity(CHUNK),
    };
    Ok(supervisor.watch(on_progress))
}

/// One of the child's output streams.
#[derive(Debug)]
struct Stream {
    /// `None` after its end.
    pipe: Option<OwnedFd>,
    capture: Capture,
}

impl Stream {
    fn new(pipe: OwnedFd, cap: super::Cap) -> std::io::Result<Self> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Self { pipe: Some(pipe), capture: Capture::new(cap) })
    }

    /// Takes what is there, up to `reads` pieces. Returns whether there was anything.
    fn advance(&mut self, chunk: &mut Vec<u8>, reads: usize) -> bool {
        let before = self.capture.total();
        for _ in 0..reads {
            let Some(pipe) = &self.pipe else { break };
            match rustix::io::read(pipe, spare_capacity(chunk)) {
                Ok(0) => self.pipe = None,
                Ok(_) => {
                    self.capture.push(chunk);
                    chunk.clear();
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                // A pipe that cannot be read has ended as far as we are concerned.
                Err(_) => self.pipe = None,
            }
        }
        self.capture.total() > before
    }
}

#[derive(Debug, Clone, Copy)]
enum State {
    Running,
    /// SIGTERM was sent at `since` because of `end`.
    Stopping {
        end: End,
        since: Instant,
    },
    /// SIGKILL was sent at `since`.
    Killed {
        end: End,
        since: Instant,
    },
}

struct Supervisor<'a> {
    limits: &'a Limits,
    cancel: &'a Cancel,
    flag: Subscription,
    child: Child,
    lane: Lane,
    watch: ExitWatch,
    feed: Feed,
    stdout: Stream,
    stderr: Stream,
    begun: Instant,
    last_byte: Option<Instant>,
    first_byte_after: Option<Duration>,
    state: State,
    /// Set when the leader has ended: until when its streams may stay open. The leader stays a
    /// zombie until [`Supervisor::finish`].
    drain_until: Option<Instant>,
    next_progress: Instant,
    next_reap: Instant,
    /// Empty, with room for one read.
    chunk: Vec<u8>,
}

impl Supervisor<'_> {
    fn watch(mut self, on_progress: &mut dyn FnMut(Progress)) -> Exit {
        loop {
            self.wait();
            let now = Instant::now();
            if now >= self.next_reap {
                family::reap_orphans();
                self.next_reap = now + REAP_TICK;
            }
            self.check_flag(now);
            self.check_limits(now);
            let now = Instant::now();
            if self.is_over(now) {
                return self.finish();
            }
            self.report(now, on_progress);
        }
    }

    /// Sleeps until something happens or the next deadline, and takes in what happened.
    fn wait(&mut self) {
        let next = self.patience().min(self.next_progress).min(self.next_reap);
        let timeout = Timespec::try_from(next.saturating_duration_since(Instant::now())).ok();
        let (ended, flagged) = {
            let mut fds = vec![PollFd::new(&self.flag.reader, PollFlags::IN)];
            let exit = self.drain_until.is_none().then(|| {
                fds.push(PollFd::new(&self.watch, PollFlags::IN));
                fds.len() - 1
            });
            for pipe in [&self.stdout.pipe, &self.stderr.pipe].into_iter().flatten() {
                fds.push(PollFd::new(pipe, PollFlags::IN));
            }
            if let Some(writer) = self.feed.pending() {
                fds.push(PollFd::from_borrowed_fd(writer.as_fd(), PollFlags::OUT));
            }
            if poll(&mut fds, timeout.as_ref()).is_err() {
                // Interrupted: the loop comes back.
                return;
            }
            (exit.is_some_and(|at| !fds[at].revents().is_empty()), !fds[0].revents().is_empty())
        };
        if flagged {
            let _ = rustix::io::read(&self.flag.reader, &mut [0; 1]);
        }
        // The end is noted before the streams are read: what was written before it is in them.
        if ended {
            let now = Instant::now();
            self.drain_until = Some(after(now, self.limits.drain));
            self.next_progress = now;
        }
        self.feed.advance();
        let out = self.stdout.advance(&mut self.chunk, READS);
        let err = self.stderr.advance(&mut self.chunk, READS);
        if out || err {
            let now = Instant::now();
            self.last_byte = Some(now);
            if self.first_byte_after.is_none() {
                self.first_byte_after = Some(now - self.begun);
                self.next_progress = now;
            }
            self.next_progress = self.next_progress.min(now + BUSY_TICK);
        }
    }

    fn report(&mut self, now: Instant, on_progress: &mut dyn FnMut(Progress)) {
        if now < self.next_progress {
            return;
        }
        self.next_progress = now + QUIET_TICK;
        let stage = match (self.drain_until, self.state) {
            (Some(_), _) => Stage::Draining,
            (None, State::Running) => Stage::Running,
            (None, State::Stopping { .. } | State::Killed { .. }) => Stage::Stopping,
        };
        on_progress(Progress {
            stage,
            pid: self.child.id(),
            elapsed: now - self.begun,
            stdout: self.stdout.capture.total(),
            stderr: self.stderr.capture.total(),
            silent_for: now - self.last_byte.unwrap_or(self.begun),
        });
    }

    fn check_flag(&mut self, now: Instant) {
        match self.cancel.urgency() {
            Urgency::None => {}
            Urgency::Stop => self.stop(End::Cancelled, now),
            Urgency::Kill => {
                self.stop(End::Cancelled, now);
                self.kill(now);
            }
        }
    }

    fn check_limits(&mut self, now: Instant) {
        if self.stdout.capture.is_over() || self.stderr.capture.is_over() {
            self.stop(End::OutputTooLarge, now);
        }
        match self.state {
            State::Running => {
                let (at, phase) = self.limit();
                if self.drain_until.is_none() && now >= at {
                    self.stop(End::TimedOut { phase, killed: false }, now);
                }
            }
            State::Stopping { since, .. } => {
                if now >= after(since, self.limits.grace) {
                    self.kill(now);
                }
            }
            State::Killed { .. } => {}
        }
    }

    /// The limit that runs out first.
    fn limit(&self) -> (Instant, Phase) {
        let total = (after(self.begun, self.limits.deadline), Phase::Total);
        let first = match self.last_byte {
            None => {
                self.limits.first_byte.map(|limit| (after(self.begun, limit), Phase::FirstByte))
            }
            Some(_) => None,
        };
        let since = self.last_byte.unwrap_or(self.begun);
        let idle = self.limits.idle.map(|limit| (after(since, limit), Phase::Idle));
        [first, idle]
            .into_iter()
            .flatten()
            .fold(total, |least, next| if next.0 < least.0 { next } else { least })
    }

    /// Asks the group to end. What was already asked stays as it is.
    fn stop(&mut self, end: End, now: Instant) {
        match (self.state, self.drain_until) {
            (State::Running, None) => {
                self.state = State::Stopping { end, since: now };
                self.next_progress = now;
                self.signal(Signal::TERM);
                // A stopped process does not see SIGTERM until it goes on.
                self.signal(Signal::CONT);
            }
            // It has ended by itself, and only the wait for its streams can be cut short. If
            // that is because of what came out of them, then that is the end.
            (State::Running, Some(until)) => {
                self.drain_until = Some(until.min(now));
                if end == End::OutputTooLarge {
                    self.state = State::Stopping { end, since: now };
                }
            }
            (State::Stopping { .. } | State::Killed { .. }, _) => {}
        }
    }

    fn kill(&mut self, now: Instant) {
        match self.state {
            State::Stopping { end, .. } => {
                let end = match end {
                    End::TimedOut { phase, .. } if self.drain_until.is_none() => {
                        End::TimedOut { phase, killed: true }
                    }
                    other => other,
                };
                self.state = State::Killed { end, since: now };
                self.lane.kill();
            }
            State::Running | State::Killed { .. } => {}
        }
    }

    /// The leader is unreaped, so its group is its group.
    fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.lane.leader(), signal);
    }

    /// When the wait for what is going on now is over, whatever happens.
    fn patience(&self) -> Instant {
        match (self.drain_until, self.state) {
            (None, State::Running) => self.limit().0,
            (None, State::Stopping { since, .. }) => after(since, self.limits.grace),
            (None, State::Killed { since, .. }) => since + KILL_PATIENCE,
            (Some(until), State::Running) => until,
            // Grace and drain run side by side, so that an end that was asked for takes no
            // longer than the grace.
            (Some(until), State::Stopping { since, .. }) => {
                until.min(after(since, self.limits.grace))
            }
            // Everything was killed; whoever still holds a stream is beyond us.
            (Some(until), State::Killed { since, .. }) => until.min(since + KILLED_DRAIN),
        }
    }

    fn is_over(&self, now: Instant) -> bool {
        let open = self.stdout.pipe.is_some() || self.stderr.pipe.is_some();
        match (self.drain_until, self.state) {
            (Some(_), _) => !open || now >= self.patience(),
            (None, State::Killed { .. }) => now >= self.patience(),
            (None, State::Running | State::Stopping { .. }) => false,
        }
    }

    /// Kills what is left, reads what it had written, and only then reaps the leader.
    fn finish(mut self) -> Exit {
        // The end of a stream may be there and merely unread.
        self.read_the_rest();
        let leaked = self.stdout.pipe.is_some() || self.stderr.pipe.is_some();
        let strays = self.lane.kill();
        self.read_the_rest();
        let status = self.lane.release(&mut self.child);
        let end = match self.state {
            State::Running => status.map_or(End::Exited(-1), own_end),
            State::Stopping { end, .. } | State::Killed { end, .. } => end,
        };
        Exit {
            end,
            stdout: self.stdout.capture.finish(),
            stderr: self.stderr.capture.finish(),
            stdin_delivered: self.feed.finish(),
            leaked,
            strays,
            elapsed: self.begun.elapsed(),
            first_byte_after: self.first_byte_after,
            pid: self.child.id(),
        }
    }

    fn read_the_rest(&mut self) {
        // A pipe holds at most a MiB.
        const READS: usize = 17;
        self.stdout.advance(&mut self.chunk, READS);
        self.stderr.advance(&mut self.chunk, READS);
    }
}

fn own_end(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Signalled(signal),
        (None, None) => End::Exited(status.into_raw()),
    }
}
