//! Seeing which files are read.

use camino::Utf8PathBuf;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

/// Sees which of some files somebody reads, whoever it is.
#[derive(Debug)]
pub struct ReadWatch {
    inotify: OwnedFd,
    /// The numbers of the files, in their order.
    numbers: Vec<i32>,
}

impl ReadWatch {
    /// Begins to watch these files, which must be there.
    pub fn on(files: &[Utf8PathBuf]) -> io::Result<Self> {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let numbers = files
            .iter()
            // One event for each file is enough, and a reader in a loop makes no more of them.
            .map(|file| {
                let wanted = WatchFlags::ACCESS | WatchFlags::ONESHOT | WatchFlags::DONT_FOLLOW;
                inotify::add_watch(&inotify, file.as_std_path(), wanted)
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { inotify, numbers })
    }

    /// Which of the files have been read since, in their order.
    pub fn finish(self) -> Vec<bool> {
        let mut read = vec![false; self.numbers.len()];
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(&self.inotify, &mut buffer);
        while let Ok(event) = events.next() {
            if event.events().contains(ReadFlags::ACCESS)
                && let Some(place) = self.numbers.iter().position(|number| *number == event.wd())
            {
                read[place] = true;
            }
        }
        read
    }
}
