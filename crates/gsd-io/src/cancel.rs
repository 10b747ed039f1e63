//! Cancellation: one flag with two levels, and a way to wake every waiting supervisor at once.
//!
//! *Stop* asks children to end and gives them their grace; *kill* takes the grace away. A level
//! never goes back down. Waits do not look at a clock to notice it: each wait has its own pipe,
//! and raising the level writes into all of them.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How much of a hurry there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Nobody asked for an end.
    None,
    /// End soon: SIGTERM, then the grace of the limits.
    Stop,
    /// End now: SIGKILL.
    Kill,
}

/// A flag that many waits share. Clones are the same flag.
#[derive(Debug, Clone)]
pub struct Cancel {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    urgency: Urgency,
    signal: Option<i32>,
    next: u64,
    wakers: Vec<(u64, PipeWriter)>,
}

impl Default for Cancel {
    fn default() -> Self {
        Self::new()
    }
}

impl Cancel {
    /// A flag that nobody has raised yet.
    pub fn new() -> Self {
        let state = State { urgency: Urgency::None, signal: None, next: 0, wakers: vec![] };
        Self { shared: Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() }) }
    }

    /// Asks everything that waits on this flag to stop.
    pub fn stop(&self) {
        self.raise(Urgency::Stop, None);
    }

    /// Takes the grace away: children are killed at once.
    pub fn kill(&self) {
        self.raise(Urgency::Kill, None);
    }

    /// Raises the flag one level because of a signal. The first signal is remembered.
    pub(crate) fn signalled(&self, signal: i32) -> Urgency {
        let urgency = match self.urgency() {
            Urgency::None => Urgency::Stop,
            Urgency::Stop | Urgency::Kill => Urgency::Kill,
        };
        self.raise(urgency, Some(signal));
        urgency
    }

    /// The present level.
    pub fn urgency(&self) -> Urgency {
        self.lock().urgency
    }

    /// Whether anybody asked for an end.
    pub fn is_cancelled(&self) -> bool {
        self.urgency() != Urgency::None
    }

    /// The signal that raised the flag, if a signal did: exit codes depend on it.
    pub fn signal(&self) -> Option<i32> {
        self.lock().signal
    }

    /// Waits until the flag is raised, at most `limit`. Returns whether it is raised.
    pub fn wait(&self, limit: Duration) -> bool {
        let deadline = crate::clock::after(Instant::now(), limit);
        let mut state = self.lock();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if state.urgency != Urgency::None || left.is_zero() {
                return state.urgency != Urgency::None;
            }
            state = self
                .shared
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// A pipe that becomes readable each time the level rises; for waits on descriptors.
    pub(crate) fn subscribe(&self) -> io::Result<Subscription> {
        let (reader, writer) = io::pipe()?;
        let mut state = self.lock();
        let id = state.next;
        state.next += 1;
        state.wakers.push((id, writer));
        Ok(Subscription { cancel: self.clone(), id, reader })
    }

    fn raise(&self, urgency: Urgency, signal: Option<i32>) {
        let mut state = self.lock();
        state.signal = state.signal.or(signal);
        if urgency <= state.urgency {
            return;
        }
        state.urgency = urgency;
        for (_, waker) in &mut state.wakers {
            // At most two bytes are ever written into a pipe, so this cannot block.
            let _ = waker.write(&[1]);
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One wait's end of the flag; gone from the flag when dropped.
#[derive(Debug)]
pub(crate) struct Subscription {
    cancel: Cancel,
    id: u64,
    pub(crate) reader: PipeReader,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.cancel.lock().wakers.retain(|(id, _)| *id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_level_never_goes_down_and_the_first_signal_stays() {
        let cancel = Cancel::new();
        assert_eq!((cancel.urgency(), cancel.signal()), (Urgency::None, None));
        assert_eq!(cancel.signalled(2), Urgency::Stop);
        assert_eq!(cancel.clone().signalled(15), Urgency::Kill);
        cancel.stop();
        assert_eq!((cancel.urgency(), cancel.signal()), (Urgency::Kill, Some(2)));
    }

    #[test]
    fn every_wait_wakes() {
        let cancel = Cancel::new();
        assert!(!cancel.wait(Duration::ZERO));
        let mut subscription = cancel.subscribe().unwrap();
        let waiting = cancel.clone();
        let thread = std::thread::spawn(move || waiting.wait(Duration::from_secs(60)));
        cancel.stop();
        assert!(thread.join().unwrap());
        subscription.reader.read_exact(&mut [0]).unwrap();
        drop(subscription);
        assert!(cancel.lock().wakers.is_empty());
    }
}
