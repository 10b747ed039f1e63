//! Decodes a body while it comes, under two caps: on what comes out of it, and on how much more
//! that is than what came.
//!
//! The source is a [`Read`] that may stop early for its own reasons; whatever was decoded until
//! then is kept by the caller, so nothing here collects more than one buffer.

use super::HttpLimits;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Cursor, Read, Write};

/// Below this size a high ratio is only a short text with much white space.
const RATIO_JUDGED_FROM: u64 = 64 * 1024;
const BUFFER: usize = 16 * 1024;

/// How the body is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Not at all, or gzip without saying so.
    Sniffed,
    Gzip,
    Deflate,
    /// The bytes are passed on, whatever they are.
    AsSent,
}

impl Encoding {
    /// Reads a `Content-Encoding` header; an encoding that was not asked for is an error.
    pub(super) fn parse(header: &str) -> Result<Self, String> {
        match header.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(Self::Sniffed),
            "gzip" | "x-gzip" => Ok(Self::Gzip),
            "deflate" => Ok(Self::Deflate),
            other => Err(other.chars().filter(char::is_ascii_graphic).take(40).collect()),
        }
    }
}

/// Where the decoded bytes go.
pub(super) enum Sink<'a> {
    Memory(Vec<u8>),
    File { file: &'a mut File, bytes: u64 },
}

impl Sink<'_> {
    pub(super) fn file(file: &mut File) -> Sink<'_> {
        Sink::File { file, bytes: 0 }
    }

    fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::File { bytes, .. } => *bytes,
        }
    }

    fn keep(&mut self, more: &[u8]) -> io::Result<()> {
        match self {
            Self::Memory(bytes) => bytes.extend_from_slice(more),
            Self::File { file, bytes } => {
                file.write_all(more)?;
                *bytes += more.len() as u64;
            }
        }
        Ok(())
    }

    /// What is in memory.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Memory(bytes) => bytes,
            Self::File { .. } => vec![],
        }
    }
}

/// How decoding ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decoded {
    Whole,
    OverBody,
    OverRatio,
    /// The source failed, or its bytes are not of the encoding that is named here.
    Failed(&'static str),
    NotSaved(String),
}

/// Decodes `source` to the end of `out`, at most `limits.max_body` bytes in all. `received` says
/// how many bytes the source has delivered by now.
pub(super) fn decode(
    mut source: impl Read,
    received: &Cell<u64>,
    encoding: Encoding,
    limits: &HttpLimits,
    out: &mut Sink<'_>,
) -> Decoded {
    let start = match peek(&mut source) {
        Ok(start) => start,
        Err(_) => return Decoded::Failed("text"),
    };
    if start.is_empty() {
        // Some servers announce an encoding for a body that is not there.
        return Decoded::Whole;
    }
    let gzip = start.starts_with(&[0x1f, 0x8b]);
    // RFC 9110 means zlib by `deflate`; some servers send the raw stream.
    let zlib = matches!(start[..], [a, b] if a & 0x0f == 8 && u16::from_be_bytes([a, b]) % 31 == 0);
    let whole = Cursor::new(start).chain(source);
    let (decoder, name): (Box<dyn Read + '_>, _) = match encoding {
        Encoding::Gzip => (Box::new(MultiGzDecoder::new(whole)), "gzip"),
        Encoding::Sniffed if gzip => (Box::new(MultiGzDecoder::new(whole)), "gzip"),
        Encoding::Deflate if zlib => (Box::new(ZlibDecoder::new(whole)), "deflate"),
        Encoding::Deflate => (Box::new(DeflateDecoder::new(whole)), "deflate"),
        Encoding::Sniffed | Encoding::AsSent => (Box::new(whole), "text"),
    };
    pump(decoder, name, received, limits, out)
}

/// The first two bytes, or fewer if the body is that short.
fn peek(source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut start = vec![0; 2];
    let mut got = 0;
    while got < start.len() {
        match source.read(&mut start[got..])? {
            0 => break,
            n => got += n,
        }
    }
    start.truncate(got);
    Ok(start)
}

fn pump(
    mut decoder: impl Read,
    name: &'static str,
    received: &Cell<u64>,
    limits: &HttpLimits,
    out: &mut Sink<'_>,
) -> Decoded {
    let mut buffer = [0; BUFFER];
    loop {
        let got = match decoder.read(&mut buffer) {
            Ok(0) => return Decoded::Whole,
            Ok(got) => got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Decoded::Failed(name),
        };
        let room = limits.max_body.saturating_sub(out.len());
        let fits = got.min(usize::try_from(room).unwrap_or(got));
        if let Err(error) = out.keep(&buffer[..fits]) {
            return Decoded::NotSaved(error.to_string());
        }
        if fits < got {
            return Decoded::OverBody;
        }
        let decoded = out.len();
        if decoded > RATIO_JUDGED_FROM && decoded > received.get().saturating_mul(limits.max_ratio)
        {
            return Decoded::OverRatio;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use std::time::Duration;

    fn limits(max_body: u64, max_ratio: u64) -> HttpLimits {
        let long = Duration::from_secs(60);
        HttpLimits {
            connect: long,
            first_byte: long,
            idle: long,
            total: long,
            pace: None,
            max_body,
            max_compressed: u64::MAX,
            max_ratio,
        }
    }

    /// Gives its bytes in small pieces, as a socket does.
    struct Trickle<'a>(&'a [u8], &'a Cell<u64>);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let got = self.0.len().min(buffer.len()).min(7);
            buffer[..got].copy_from_slice(&self.0[..got]);
            self.0 = &self.0[got..];
            self.1.set(self.1.get() + got as u64);
            Ok(got)
        }
    }

    fn run(bytes: &[u8], encoding: Encoding, limits: &HttpLimits) -> (Decoded, Vec<u8>) {
        let received = Cell::new(0);
        let mut out = Sink::Memory(vec![]);
        let end = decode(Trickle(bytes, &received), &received, encoding, limits, &mut out);
        (end, out.into_bytes())
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(vec![], Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(text: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(vec![], Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn raw(text: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(vec![], Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_encoding_gives_the_text() {
        let text = "the plan drops a table ".repeat(400).into_bytes();
        let wide = limits(1 << 20, 1000);
        for (bytes, encoding) in [
            (text.clone(), Encoding::Sniffed),
            (gzip(&text), Encoding::Sniffed),
            (gzip(&text), Encoding::Gzip),
            (zlib(&text), Encoding::Deflate),
            (raw(&text), Encoding::Deflate),
            (text.clone(), Encoding::AsSent),
        ] {
            assert_eq!(run(&bytes, encoding, &wide), (Decoded::Whole, text.clone()));
        }
        let packed = gzip(&text);
        assert_eq!(run(&packed, Encoding::AsSent, &wide), (Decoded::Whole, packed.clone()));
        let two = [packed.clone(), packed].concat();
        assert_eq!(run(&two, Encoding::Gzip, &wide), (Decoded::Whole, text.repeat(2)));
    }

    #[test]
    fn short_bodies_are_whole() {
        let wide = limits(1 << 20, 1000);
        for text in [&b""[..], b"x", b"{}"] {
            assert_eq!(run(text, Encoding::Sniffed, &wide), (Decoded::Whole, text.to_vec()));
        }
        assert_eq!(run(b"", Encoding::Gzip, &wide), (Decoded::Whole, vec![]));
    }

    #[test]
    fn a_broken_encoding_is_no_text() {
        let wide = limits(1 << 20, 1000);
        let text = b"the plan drops a table".repeat(9);
        for (bytes, encoding, name) in [
            (gzip(&text)[..30].to_vec(), Encoding::Gzip, "gzip"),
            (gzip(&text)[..gzip(&text).len() - 3].to_vec(), Encoding::Gzip, "gzip"),
            (zlib(&text)[..20].to_vec(), Encoding::Deflate, "deflate"),
            (raw(&text)[..20].to_vec(), Encoding::Deflate, "deflate"),
            (b"plain text".to_vec(), Encoding::Gzip, "gzip"),
            (vec![0xff; 64], Encoding::Deflate, "deflate"),
        ] {
            assert_eq!(run(&bytes, encoding, &wide).0, Decoded::Failed(name));
        }
    }

    #[test]
    fn caps_hold_exactly() {
        let text = vec![b' '; 200_000];
        for (bytes, encoding) in [(text.clone(), Encoding::Sniffed), (gzip(&text), Encoding::Gzip)]
        {
            let (end, out) = run(&bytes, encoding, &limits(200_000, u64::MAX));
            assert_eq!((end, out.len()), (Decoded::Whole, 200_000));
            let (end, out) = run(&bytes, encoding, &limits(199_999, u64::MAX));
            assert_eq!((end, out.len()), (Decoded::OverBody, 199_999));
        }
        let (end, out) = run(&gzip(&text), Encoding::Gzip, &limits(1 << 20, 100));
        assert_eq!(end, Decoded::OverRatio);
        assert!(out.len() as u64 <= RATIO_JUDGED_FROM + BUFFER as u64, "{}", out.len());
        // A short text may be packed well.
        let (end, _) = run(&gzip(&text[..60_000]), Encoding::Gzip, &limits(1 << 20, 100));
        assert_eq!(end, Decoded::Whole);
    }

    #[test]
    fn unknown_encodings_are_named() {
        assert_eq!(Encoding::parse(" GZIP "), Ok(Encoding::Gzip));
        assert_eq!(Encoding::parse("br"), Err("br".into()));
        assert_eq!(Encoding::parse("gzip, gzip"), Err("gzip,gzip".into()));
    }
}
