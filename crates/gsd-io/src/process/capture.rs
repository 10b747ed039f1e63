//! What is kept of a stream. Memory is bounded by the [`Cap`], however much the child writes.

use std::borrow::Cow;
use std::collections::VecDeque;

/// How much is kept of each end of a stream that went over [`Cap::Stop`].
pub const EVIDENCE: usize = 64 * 1024;

/// How much of a stream is kept, and what happens when there is more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// Everything up to `max` bytes. One byte more ends the program, and of what it wrote the
    /// first and the last 64 KiB stay as evidence.
    Stop { max: usize },
    /// The first `head` and the last `tail` bytes; the middle is left out and nobody is ended.
    Elide { head: usize, tail: usize },
}

impl Cap {
    /// For the text that the caller wants, whole or not at all.
    pub const fn kib(kib: usize) -> Self {
        Self::Stop { max: kib * 1024 }
    }

    /// As [`Cap::kib`], in MiB.
    pub const fn mib(mib: usize) -> Self {
        Self::Stop { max: mib * 1024 * 1024 }
    }

    /// For a log: its beginning says what was wrong first, its end what was wrong last.
    pub const fn log() -> Self {
        Self::Elide { head: 64 * 1024, tail: 192 * 1024 }
    }
}

/// What was kept of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    head: Vec<u8>,
    tail: Vec<u8>,
    total: u64,
}

impl Captured {
    /// How many bytes the program wrote, kept or not.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many bytes are missing between [`Captured::head`] and [`Captured::tail`].
    pub fn elided(&self) -> u64 {
        self.total - self.head.len() as u64 - self.tail.len() as u64
    }

    /// The first bytes, up to the gap if there is one.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last bytes, after the gap; empty if there is none.
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// Everything the program wrote, if all of it was kept.
    pub fn whole(&self) -> Option<&[u8]> {
        (self.elided() == 0).then_some(self.head.as_slice())
    }

    /// What was kept, with a line that says how much is missing where something is.
    pub fn evidence(&self) -> Cow<'_, [u8]> {
        if self.elided() == 0 {
            return Cow::Borrowed(&self.head);
        }
        let gap = format!("\n[{} bytes left out]\n", self.elided());
        Cow::Owned([self.head.as_slice(), gap.as_bytes(), &self.tail].concat())
    }
}

/// Collects a stream under a cap.
#[derive(Debug)]
pub(super) struct Capture {
    cap: Cap,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Capture {
    pub(super) fn new(cap: Cap) -> Self {
        Self { cap, head: vec![], tail: VecDeque::new(), total: 0 }
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Whether the program wrote more than it may.
    pub(super) fn is_over(&self) -> bool {
        match self.cap {
            Cap::Stop { max } => self.total > max as u64,
            Cap::Elide { .. } => false,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let was_over = self.is_over();
        self.total += bytes.len() as u64;
        let (head, tail) = match self.cap {
            Cap::Elide { head, tail } => (head, tail),
            Cap::Stop { max } if !self.is_over() => (max, 0),
            Cap::Stop { .. } => (EVIDENCE, EVIDENCE),
        };
        if self.is_over() && !was_over {
            // What had been kept as the whole becomes evidence: its ends.
            let kept = std::mem::take(&mut self.head);
            self.keep(&kept, head, tail);
        }
        self.keep(bytes, head, tail);
    }

    fn keep(&mut self, bytes: &[u8], head: usize, tail: usize) {
        let (first, rest) = bytes.split_at(head.saturating_sub(self.head.len()).min(bytes.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(tail)..];
        let surplus = (self.tail.len() + rest.len()).saturating_sub(tail);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
    }

    pub(super) fn finish(mut self) -> Captured {
        let gap = self.total > (self.head.len() + self.tail.len()) as u64;
        let tail = if gap {
            self.tail.into()
        } else {
            self.head.extend(self.tail);
            vec![]
        };
        Captured { head: self.head, tail, total: self.total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn capture(cap: Cap, chunks: &[Vec<u8>]) -> (bool, Captured) {
        let mut capture = Capture::new(cap);
        for chunk in chunks {
            capture.push(chunk);
        }
        (capture.is_over(), capture.finish())
    }

    #[test]
    fn the_cap_itself_is_allowed_and_one_byte_more_is_not() {
        let text = vec![b'x'; 2048];
        let (over, captured) = capture(Cap::kib(2), std::slice::from_ref(&text));
        assert_eq!((over, captured.whole()), (false, Some(text.as_slice())));
        let (over, captured) = capture(Cap::kib(2), &[text, vec![b'y']]);
        assert_eq!((over, captured.total(), captured.elided()), (true, 2049, 0));
    }

    #[test]
    fn evidence_names_the_gap() {
        let (_, captured) = capture(Cap::Elide { head: 2, tail: 3 }, &[b"0123456789".to_vec()]);
        assert_eq!(captured.evidence().as_ref(), b"01\n[5 bytes left out]\n789");
        assert_eq!(captured.whole(), None);
    }

    #[test]
    fn evidence_of_a_flood_is_its_two_ends() {
        let chunks: Vec<_> = (0..40u8).map(|n| vec![n; 10_000]).collect();
        let all = chunks.concat();
        let (over, captured) = capture(Cap::kib(200), &chunks);
        assert!(over);
        assert_eq!(captured.head(), &all[..EVIDENCE]);
        assert_eq!(captured.tail(), &all[all.len() - EVIDENCE..]);
    }

    proptest! {
        #[test]
        fn head_and_tail_are_the_ends_however_the_stream_is_cut(
            chunks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..9), 0..9),
            head in 0usize..20,
            tail in 0usize..20,
        ) {
            let all = chunks.concat();
            let (over, captured) = capture(Cap::Elide { head, tail }, &chunks);
            prop_assert!(!over);
            prop_assert_eq!(captured.total(), all.len() as u64);
            if all.len() <= head + tail {
                prop_assert_eq!(captured.whole(), Some(all.as_slice()));
            } else {
                prop_assert_eq!(captured.head(), &all[..head]);
                prop_assert_eq!(captured.tail(), &all[all.len() - tail..]);
            }
        }

        #[test]
        fn a_stream_within_its_cap_is_whole(
            chunks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..99), 0..30),
        ) {
            let all = chunks.concat();
            let (over, captured) = capture(Cap::kib(1), &chunks);
            prop_assert_eq!(over, all.len() > 1024);
            prop_assert_eq!(captured.whole(), Some(all.as_slice()));
        }
    }
}
