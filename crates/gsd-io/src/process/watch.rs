//! A descriptor that becomes readable when a child has ended, without reaping it.
//!
//! The child must stay a zombie until its group was killed: as long as it is one, its number and
//! the number of its group belong to nobody else.

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

#[derive(Debug)]
pub(super) struct ExitWatch(OwnedFd);

impl ExitWatch {
    /// Watches an unreaped child.
    pub(super) fn new(pid: Pid) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Ok(pidfd) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) {
            return Ok(Self(pidfd));
        }
        Self::with_thread(pid)
    }

    /// Without pidfds a thread waits, and the end of its pipe says that it is done.
    fn with_thread(pid: Pid) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let wait = move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(waitid(WaitId::Pid(pid), options), Err(rustix::io::Errno::INTR)) {}
            drop(writer);
        };
        std::thread::Builder::new().name(format!("wait-{}", pid.as_raw_pid())).spawn(wait)?;
        Ok(Self(reader.into()))
    }
}

impl AsFd for ExitWatch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::process::{Command, Stdio};

    fn ended(watch: &ExitWatch, seconds: i64) -> bool {
        let mut fds = [PollFd::new(watch, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec { tv_sec: seconds, tv_nsec: 0 })).unwrap() == 1
    }

    #[test]
    fn both_ways_see_the_end_and_reap_nothing() {
        for way in [ExitWatch::new, ExitWatch::with_thread] {
            let mut child = Command::new("/bin/cat")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            let watch = way(Pid::from_child(&child)).unwrap();
            assert!(!ended(&watch, 0));
            drop(child.stdin.take());
            assert!(ended(&watch, 60));
            assert!(child.wait().unwrap().success());
        }
    }
}
