//! Signatures of archives, as the program minisign makes them.
//!
//! The user pins a key to a source in `capabilities.signing_keys`; from then on an archive from
//! there has to have a signature by that key beside it, `ARCHIVE.minisig`. It is verified over the
//! bytes of the archive as they came, offline, before any of them is looked into. What was
//! installed with a signature never goes back to having none: what was recorded of it asks for the
//! same key again.

use super::Target;
use super::fetch::{FetchContext, FetchError};
use super::web::{Ask, Listed, Web};
use crate::text::printable;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use camino::Utf8Path;
use gsd_io::fs::{self, Links, ReadError};
use gsd_io::http::{Coding, SafeUrl};
use minisign_verify::PublicKey;
use std::fmt;

/// Where the user pins keys.
pub(super) const SETTING: &str = "capabilities.signing_keys";
/// What follows the name of an archive in that of its signature.
const ENDING: &str = ".minisig";
/// Two comments and two digests; the longest that the program writes has 9 KiB.
const MAX_BYTES: u64 = 16 << 10;

/// The public key of somebody who signs archives.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningKey {
    key: PublicKey,
    /// As the program writes it.
    line: String,
    id: String,
}

/// Why a text is no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected the second line of `minisign.pub`, 56 characters that begin with `RW`")]
pub struct KeyError;

impl SigningKey {
    /// Reads the second line of a file that `minisign -G` writes.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let line = text.trim();
        let key = PublicKey::from_base64(line).map_err(|_| KeyError)?;
        let id = id_in(line).ok_or(KeyError)?;
        Ok(Self { key, line: line.to_owned(), id })
    }

    /// The name by which people know it: 16 digits.
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl fmt::Display for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SigningKey").field(&self.id).finish()
    }
}

/// The number of the key in a line of a key or of a signature, as the program shows it.
fn id_in(line: &str) -> Option<String> {
    let bytes = STANDARD.decode(line).ok()?;
    let number: [u8; 8] = bytes.get(2..10)?.try_into().ok()?;
    Some(format!("{:016X}", u64::from_le_bytes(number)))
}

/// The key that has to have signed what comes from a place. The place may be known by several
/// names, the one that was asked for first.
pub(super) fn key(
    context: &FetchContext<'_>,
    asked: &[Target<'_>],
) -> Result<Option<SigningKey>, FetchError> {
    let mut keys = context.policy.keys(asked)?;
    keys.extend(context.signed_by);
    let Some((first, others)) = keys.split_first() else { return Ok(None) };
    match others.iter().find(|other| *other != first) {
        None => Ok(Some((*first).clone())),
        Some(other) => Err(FetchError::Unsigned {
            what: format!(
                "signatures by two keys are asked for, {} and {}, and there is only one",
                first.id, other.id
            ),
            hint: format!(
                "if its publisher has a new key, let `{SETTING}` name it and install it with \
                 `--replace`"
            ),
        }),
    }
}

/// Refuses what cannot have a signature where a key asks for one.
pub(super) fn refuse(
    context: &FetchContext<'_>,
    asked: Target<'_>,
    what: &str,
) -> Result<(), FetchError> {
    let Some(key) = key(context, &[asked])? else { return Ok(()) };
    Err(FetchError::Unsigned {
        what: format!("a signature by the key {} is asked for, and {what} has none", key.id),
        hint: format!(
            "install an archive that has its `{ENDING}` beside it, or let `{SETTING}` say `null` \
             for this source"
        ),
    })
}

/// A signature by the key that has to have made it. Whether it is of the archive is not known yet.
pub(super) struct Signed {
    /// Where it was found.
    place: String,
    signature: minisign_verify::Signature,
    key: SigningKey,
}

impl Signed {
    /// The signature beside an address, if a key asks for it.
    pub(super) fn at_address(
        web: &Web<'_>,
        key: Option<SigningKey>,
        archive: &SafeUrl,
    ) -> Result<Option<Self>, FetchError> {
        let Some(key) = key else { return Ok(None) };
        let url = archive.with_ending(ENDING);
        let ask = Ask {
            accept: "*/*",
            max: MAX_BYTES,
            coding: Coding::AsSent,
            token: None,
            listed: Listed::ByHost,
        };
        match web.get(&url, &ask) {
            Ok((bytes, _)) => Self::parse(url.to_string(), &bytes, key).map(Some),
            // As hosts answer that have no such file, or do not want to say so.
            Err(FetchError::Answered { status: 401 | 403 | 404 | 410, .. }) => {
                Err(missing(&archive.to_string(), &url.to_string(), &key))
            }
            Err(FetchError::TooLarge { .. }) => Err(broken(url.to_string(), "it is too large")),
            Err(error) => Err(error),
        }
    }

    /// The signature beside a file, if a key asks for it.
    pub(super) fn at_path(
        key: Option<SigningKey>,
        archive: &Utf8Path,
    ) -> Result<Option<Self>, FetchError> {
        let Some(key) = key else { return Ok(None) };
        let path = format!("{archive}{ENDING}");
        match fs::read_bounded(Utf8Path::new(&path), MAX_BYTES, Links::Refuse) {
            Ok(bytes) => Self::parse(path, &bytes, key).map(Some),
            Err(ReadError::NotFound { .. }) => Err(missing(archive.as_str(), &path, &key)),
            Err(ReadError::TooLarge { .. }) => Err(broken(path, "it is too large")),
            Err(error) => Err(broken(path, error.to_string())),
        }
    }

    fn parse(place: String, bytes: &[u8], key: SigningKey) -> Result<Self, FetchError> {
        let decoded = std::str::from_utf8(bytes).ok().and_then(|text| {
            let signature = minisign_verify::Signature::decode(text).ok()?;
            Some((signature, id_in(text.lines().nth(1)?)?))
        });
        match decoded {
            None => Err(broken(place, "it is no signature of minisign")),
            Some((_, by)) if by != key.id => {
                let why = format!("it is by the key {by}, and not by {}", key.id);
                Err(broken(place, why))
            }
            Some((signature, _)) => Ok(Self { place, signature, key }),
        }
    }

    /// Whether it is of these bytes. The key that vouches for them.
    pub(super) fn check(self, archive: &[u8]) -> Result<SigningKey, FetchError> {
        // The older form signs the archive, the present one a digest of it. Both are as good.
        match self.key.key.verify(archive, &self.signature, true) {
            Ok(()) => Ok(self.key),
            Err(_) => {
                let why = format!("the key {} did not sign these bytes", self.key.id);
                Err(broken(self.place, why))
            }
        }
    }
}

fn missing(archive: &str, place: &str, key: &SigningKey) -> FetchError {
    FetchError::Unsigned {
        what: format!(
            "`{}` is not signed: there is no `{}`",
            printable(archive, 200),
            printable(place, 220)
        ),
        hint: format!(
            "ask its publisher for the signature by the key {}, which `{SETTING}` or the installed \
             version asks for; `gsd capability install SOURCE --replace` leaves the latter aside",
            key.id
        ),
    }
}

fn broken(place: impl AsRef<str>, why: impl Into<String>) -> FetchError {
    FetchError::Signature { place: printable(place.as_ref(), 220), why: why.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Made by minisign 0.11 for the four bytes `gsd` and a line feed, in both forms.
    const KEY: &str = "RWSh6MVRbPb3vyQMNHbtKYACa4h4eW1E2VNnQsL/NIYxE8vO+lbLoIlK";
    const HASHED: &str = "untrusted comment: signature from minisign secret key
RUSh6MVRbPb3v+7fqrkyw46icSKwVVXOmXJbkZ02H/kYxNMyKQMupIAMEAF8nCwQ0WriTS76gX/D2D4ZQn6E/wu9wRsVPkmS5g8=
trusted comment: a trusted comment
i2PgujBi48l9pPZthkS6XuPY6sR0GFYZT2OjCRPzQ96kdox0Y5HN6OW0U5WLEb0ZGYcfFkYMLvfwfAEZ+MI9Cw==
";
    const LEGACY: &str = "untrusted comment: signature from minisign secret key
RWSh6MVRbPb3v15ZibP1+o68L5kJ8aEZQ3cfvhn6zzTrnstSYlOnMtd+j6tzRSxqx16LfCWnGwaHG5682+fC3QBm+N3QoApoQQE=
trusted comment: a trusted comment
xw/NelP65W0emXEvWpsZIg2hSoQdWUkS69LG14NO/sQDcx3U+/5g10kgQZqrIMW71wTzzTZs1sT7yLmOLovtBw==
";

    fn key() -> SigningKey {
        SigningKey::parse(KEY).expect("a key")
    }

    fn checked(signature: &[u8], archive: &[u8]) -> Result<SigningKey, String> {
        let signed = Signed::parse("x.minisig".into(), signature, key());
        signed.and_then(|signed| signed.check(archive)).map_err(|error| error.to_string())
    }

    #[test]
    fn keys_are_read_as_the_program_writes_them() {
        let key = key();
        assert_eq!((key.id(), key.to_string().as_str()), ("BFF7F66C51C5E8A1", KEY));
        assert_eq!(SigningKey::parse(&format!(" {KEY}\n")), Ok(key));
        let other_algorithm = KEY.replacen("RW", "RX", 1);
        let whole_file = format!("untrusted comment: minisign public key BFF7F66C51C5E8A1\n{KEY}");
        for bad in
            ["", "RW", &KEY[1..], &KEY[..55], &format!("{KEY}AA"), &other_algorithm, &whole_file]
        {
            assert_eq!(SigningKey::parse(bad), Err(KeyError), "{bad}");
        }
    }

    #[test]
    fn both_forms_hold_for_their_bytes_and_no_others() {
        for signature in [HASHED, LEGACY] {
            assert_eq!(checked(signature.as_bytes(), b"gsd\n"), Ok(key()));
            let windows = signature.replace('\n', "\r\n");
            assert_eq!(checked(windows.as_bytes(), b"gsd\n"), Ok(key()));
            for other in [&b""[..], b"gsd", b"gsd\r\n", b"gsd\n\n"] {
                let error = checked(signature.as_bytes(), other).expect_err("other bytes");
                assert!(error.contains("did not sign these bytes"), "{error}");
            }
            // What a signature says of itself is signed as well.
            let said = signature.replace("a trusted", "another trusted");
            assert!(checked(said.as_bytes(), b"gsd\n").is_err());
            let other = signature.replacen("6MVR", "7MVR", 1);
            let error = checked(other.as_bytes(), b"gsd\n").expect_err("another key");
            assert!(error.contains("and not by BFF7F66C51C5E8A1"), "{error}");
            for end in 0..signature.trim_end().len() {
                assert!(checked(&signature.as_bytes()[..end], b"gsd\n").is_err(), "{end}");
            }
        }
        // One form does not pass for the other.
        assert!(checked(HASHED.replacen("RUSh", "RWSh", 1).as_bytes(), b"gsd\n").is_err());
        assert!(checked(LEGACY.replacen("RWSh", "RUSh", 1).as_bytes(), b"gsd\n").is_err());
    }

    proptest! {
        #[test]
        fn nothing_panics_and_nothing_else_holds(
            at in 0..HASHED.len(),
            byte: u8,
            noise in proptest::collection::vec(any::<u8>(), 0..300),
        ) {
            let mut changed = HASHED.as_bytes().to_vec();
            changed[at] = byte;
            let untouched = changed == HASHED.as_bytes();
            let first = HASHED.find('\n').expect("lines");
            // The first line is a comment that nobody signs; the last line end may be any.
            let says_nothing = at < first || at == HASHED.len() - 1;
            if checked(&changed, b"gsd\n").is_ok() {
                prop_assert!(untouched || says_nothing, "{at} {byte}");
            }
            prop_assert!(checked(&noise, b"gsd\n").is_err());
            let _ = SigningKey::parse(&String::from_utf8_lossy(&noise));
        }
    }
}
