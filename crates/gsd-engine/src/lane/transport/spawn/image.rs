//! The file that a program is started from, for the record: which one was it really?

use camino::Utf8Path;
use gsd_io::fs::{self, Links};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;

/// A larger file is hardly a program, and its digest would take longer than a review.
const MAX_BYTES: usize = 1 << 30;

/// An opened program. What a program later puts in its own place is another file.
pub(super) struct Image(File);

impl Image {
    /// `None` for a program that may be run and not read.
    pub(super) fn open(program: &Utf8Path) -> Option<Self> {
        fs::open_regular(program, Links::Follow).ok().map(Self)
    }

    /// SHA-256 as hexadecimal digits.
    pub(super) fn digest(mut self) -> Option<String> {
        let mut hash = Sha256::new();
        let mut part = vec![0; 1 << 16];
        let mut left = MAX_BYTES;
        loop {
            let read = self.0.read(&mut part).ok()?;
            left = left.checked_sub(read)?;
            if read == 0 {
                return Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect());
            }
            hash.update(&part[..read]);
        }
    }
}
