//! Feeding stdin without a thread, and knowing afterwards how much of it was taken.
//!
//! We keep a read end of the pipe for ourselves. The child still sees end of file when the write
//! end is closed, a child that never reads is no error (nothing can break the pipe while we hold
//! it), and what nobody has read is still countable when the child is gone.

use super::{Delivered, Stdin};
use rustix::io::Errno;
use std::io::{self, PipeReader, PipeWriter};
use std::process::Stdio;
use std::sync::Arc;

/// A pipe takes 64 KiB at a time on Linux; more per write would not help.
const CHUNK: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct Feed {
    bytes: Arc<[u8]>,
    written: usize,
    writer: Option<PipeWriter>,
    reader: Option<PipeReader>,
}

impl Feed {
    /// The feed and what the child gets as its stdin.
    pub(super) fn new(stdin: &Stdin) -> io::Result<(Self, Stdio)> {
        match stdin {
            Stdin::Empty => {
                let bytes = Arc::from([]);
                Ok((Self { bytes, written: 0, writer: None, reader: None }, Stdio::null()))
            }
            Stdin::Bytes(bytes) => {
                let (reader, writer) = io::pipe()?;
                rustix::io::ioctl_fionbio(&writer, true)?;
                let child = Stdio::from(reader.try_clone()?);
                let bytes = bytes.clone();
                Ok((Self { bytes, written: 0, writer: Some(writer), reader: Some(reader) }, child))
            }
        }
    }

    /// The descriptor to poll for room, while there is something left to write.
    pub(super) fn pending(&self) -> Option<&PipeWriter> {
        self.writer.as_ref()
    }

    /// Writes what the pipe has room for; closes it after the last byte.
    pub(super) fn advance(&mut self) {
        while let Some(writer) = &self.writer {
            let rest = &self.bytes[self.written..];
            if rest.is_empty() {
                self.writer = None;
                return;
            }
            match rustix::io::write(writer, &rest[..rest.len().min(CHUNK)]) {
                Ok(count) => self.written += count,
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR) => {}
                // A child that does not want more is no failure: how much it took is reported.
                Err(_) => self.writer = None,
            }
        }
    }

    /// Ends the feed and counts.
    pub(super) fn finish(self) -> Delivered {
        // If the pipe cannot say what it holds, nothing is proven to have been taken.
        let unread = self
            .reader
            .map_or(0, |reader| rustix::io::ioctl_fionread(&reader).unwrap_or(self.written as u64));
        Delivered {
            taken: (self.written as u64).saturating_sub(unread),
            of: self.bytes.len() as u64,
        }
    }
}
