//! Integrity strings: digests of an archive in the form of W3C's Subresource Integrity.
//!
//! Browsers skip what they do not understand, which turns a slip of the pen into no check at all.
//! Here every word must be a well-formed digest, one must be SHA-512, and all of them must hold.

use crate::text::printable;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256, Sha384, Sha512};
use std::fmt;
use std::io::{self, Read};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Algorithm {
    Sha256,
    Sha384,
    Sha512,
}

const ALGORITHMS: [(&str, Algorithm, usize); 3] = [
    ("sha256", Algorithm::Sha256, 32),
    ("sha384", Algorithm::Sha384, 48),
    ("sha512", Algorithm::Sha512, 64),
];

/// Digests of one sequence of bytes, a SHA-512 among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integrity(Vec<(Algorithm, Vec<u8>)>);

/// Why a text is no integrity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IntegrityError {
    #[error("the integrity is empty; expected `sha512-` and 88 characters of base64")]
    Empty,
    #[error("unsupported integrity algorithm in `{0}`; expected `sha512-` and base64")]
    Algorithm(String),
    #[error("`{0}` is no whole digest; expected `sha512-` and 88 characters of base64")]
    Digest(String),
    #[error("the integrity has no `sha512-` digest")]
    Weak,
    #[error("the integrity has more than {MAX_DIGESTS} digests")]
    TooMany,
}

const MAX_DIGESTS: usize = 8;

impl Integrity {
    /// Reads digests separated by blanks.
    pub fn parse(text: &str) -> Result<Self, IntegrityError> {
        let mut digests = vec![];
        for word in text.split_ascii_whitespace() {
            if digests.len() == MAX_DIGESTS {
                return Err(IntegrityError::TooMany);
            }
            let known = word.split_once('-').and_then(|(name, digest)| {
                let found = ALGORITHMS.iter().find(|(known, ..)| *known == name)?;
                Some((found, digest))
            });
            let Some((&(_, algorithm, bytes), digest)) = known else {
                return Err(IntegrityError::Algorithm(printable(word, 100)));
            };
            match STANDARD.decode(digest) {
                Ok(decoded) if decoded.len() == bytes => digests.push((algorithm, decoded)),
                Ok(_) | Err(_) => return Err(IntegrityError::Digest(printable(word, 100))),
            }
        }
        if digests.is_empty() {
            return Err(IntegrityError::Empty);
        }
        if !digests.iter().any(|(algorithm, _)| *algorithm == Algorithm::Sha512) {
            return Err(IntegrityError::Weak);
        }
        digests.sort();
        digests.dedup();
        Ok(Self(digests))
    }

    /// The SHA-512 of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(vec![(Algorithm::Sha512, Sha512::digest(bytes).to_vec())])
    }

    /// The SHA-512 digests alone, in which two promises can be compared.
    pub fn sha512(&self) -> Self {
        let all = self.0.iter().filter(|(algorithm, _)| *algorithm == Algorithm::Sha512);
        Self(all.cloned().collect())
    }

    /// Reads to the end. The SHA-512 of what was read, and whether every digest is of it.
    pub fn check(&self, from: &mut dyn Read) -> io::Result<(Self, bool)> {
        let (mut sha256, mut sha384, mut sha512) = (Sha256::new(), Sha384::new(), Sha512::new());
        let asked = |algorithm| self.0.iter().any(|(one, _)| *one == algorithm);
        let (with_256, with_384) = (asked(Algorithm::Sha256), asked(Algorithm::Sha384));
        each_chunk(from, |chunk| {
            sha512.update(chunk);
            if with_256 {
                sha256.update(chunk);
            }
            if with_384 {
                sha384.update(chunk);
            }
        })?;
        let (sha256, sha384, sha512) = (sha256.finalize(), sha384.finalize(), sha512.finalize());
        let holds = self.0.iter().all(|(algorithm, digest)| {
            let actual: &[u8] = match algorithm {
                Algorithm::Sha256 => &sha256,
                Algorithm::Sha384 => &sha384,
                Algorithm::Sha512 => &sha512,
            };
            actual == digest.as_slice()
        });
        Ok((Self(vec![(Algorithm::Sha512, sha512.to_vec())]), holds))
    }

    /// The SHA-512 of all that can be read.
    pub fn of_reader(from: &mut dyn Read) -> io::Result<Self> {
        let mut hash = Sha512::new();
        each_chunk(from, |chunk| hash.update(chunk))?;
        Ok(Self(vec![(Algorithm::Sha512, hash.finalize().to_vec())]))
    }
}

fn each_chunk(from: &mut dyn Read, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(got) => take(&buffer[..got]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

impl fmt::Display for Integrity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (algorithm, digest)) in self.0.iter().enumerate() {
            let name = ALGORITHMS.iter().find(|(_, known, _)| known == algorithm);
            let name = name.map_or("sha512", |(name, ..)| name);
            let gap = if index == 0 { "" } else { " " };
            write!(f, "{gap}{name}-{}", STANDARD.encode(digest))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_digest_is_an_error_and_never_skipped() {
        let good = Integrity::of(b"x").to_string();
        let other = Integrity::of(b"y").to_string();
        assert_eq!(good.len(), "sha512-".len() + 88);
        assert_eq!(Integrity::parse(&good).expect("reads").to_string(), good);
        let url_safe = good.replace('+', "-").replace('/', "_");
        for bad in [
            "",
            " ",
            "sha512-",
            "sha512-AAAA",
            "sha512",
            "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
            "md5-1B2M2Y8AsgTpgAmY7PhCfg==",
            "SHA512-AAAA",
            &good[..good.len() - 1],
            &format!("{good}?opt"),
            &url_safe,
            &format!("{good}, {other}"),
            &good[7..],
            "sha512-cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
            "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            &format!("{good} sha1-x"),
        ] {
            assert!(Integrity::parse(bad).is_err(), "{bad}");
        }
        let uncanonical = format!("{}B==", &good[..good.len() - 3]);
        assert!(Integrity::parse(&uncanonical).is_err(), "bits that no byte has");
    }

    #[test]
    fn every_digest_has_to_hold() {
        let empty256 = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
        let (x, empty) = (Integrity::of(b"x").to_string(), Integrity::of(b"").to_string());
        for (text, bytes, holds) in [
            (x.clone(), &b"x"[..], true),
            (x.clone(), b"y", false),
            (format!("{x} {x}"), b"x", true),
            (format!("{x} {empty}"), b"x", false),
            (format!("{empty256} {empty}"), b"", true),
            (format!("{empty256} {x}"), b"x", false),
        ] {
            let integrity = Integrity::parse(&text).expect("reads");
            let (actual, held) = integrity.check(&mut &*bytes).expect("memory reads");
            assert_eq!((actual, held), (Integrity::of(bytes), holds), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_reads_is_written_the_same_and_nothing_panics(text in "(sha(256|384|512|1)-)?[A-Za-z0-9+/=?_ -]{0,100}") {
            if let Ok(integrity) = Integrity::parse(&text) {
                prop_assert_eq!(Integrity::parse(&integrity.to_string()), Ok(integrity));
            }
        }

        #[test]
        fn only_the_same_bytes_hold(a: Vec<u8>, b: Vec<u8>) {
            let (_, held) = Integrity::of(&a).check(&mut &*b).expect("memory reads");
            prop_assert_eq!(held, a == b);
        }
    }
}
