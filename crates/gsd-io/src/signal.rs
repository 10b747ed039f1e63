//! SIGINT, SIGTERM and SIGHUP as a raised [`Cancel`].
//!
//! The first signal asks lanes to stop, the second kills them at once, the third sweeps what is
//! left and ends this process the way the signal would have. No work is done in the handlers
//! themselves: a thread reads the signals from a pipe.

use crate::cancel::{Cancel, Urgency};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use std::io;
use std::thread::JoinHandle;

/// While this lives, signals raise the flag. Dropping it ends the thread; the signals stay
/// without effect from then on.
#[derive(Debug)]
pub struct Watching {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.handle.close();
        // A process whose threads end one by one is gone sooner for whoever waits for it than one
        // that ends in several at once. A thread that sweeps ends the process by itself.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Lets SIGINT, SIGTERM and SIGHUP raise `cancel`.
pub fn watch(cancel: &Cancel) -> io::Result<Watching> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let handle = signals.handle();
    let cancel = cancel.clone();
    let thread = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            let before = cancel.urgency();
            cancel.signalled(signal);
            if before == Urgency::Kill {
                // Somebody has asked three times: whatever still hangs is not worth waiting for.
                crate::process::sweep();
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        }
    })?;
    Ok(Watching { handle, thread: Some(thread) })
}
