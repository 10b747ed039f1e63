//! Signatures as minisign makes them, written anew here so that the program's own library is not
//! asked about itself.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{Ed25519KeyPair, KeyPair};

/// Somebody who signs. The keys guard nothing.
pub struct Signer {
    number: [u8; 8],
    pair: Ed25519KeyPair,
}

/// What is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A digest of the file, as all present versions do it.
    Hashed,
    /// The file itself.
    Legacy,
}

impl Signer {
    /// Another one for each number.
    pub fn new(number: u8) -> Self {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[number; 32]).expect("any seed will do");
        Self { number: [number; 8], pair }
    }

    /// The second line of `minisign.pub`.
    pub fn key(&self) -> String {
        let public = self.pair.public_key().as_ref();
        STANDARD.encode([b"Ed", &self.number[..], public].concat())
    }

    /// The name of the key, as people know it.
    pub fn id(&self) -> String {
        format!("{:016X}", u64::from_le_bytes(self.number))
    }

    /// The text of `FILE.minisig`.
    pub fn sign(&self, file: &[u8]) -> String {
        self.sign_as(Form::Hashed, file)
    }

    pub fn sign_as(&self, form: Form, file: &[u8]) -> String {
        let (word, signature) = match form {
            Form::Legacy => (b"Ed", self.pair.sign(file)),
            Form::Hashed => (b"ED", self.pair.sign(blake2b_simd::blake2b(file).as_bytes())),
        };
        let trusted = "timestamp:0\tfile:x";
        let both = self.pair.sign(&[signature.as_ref(), trusted.as_bytes()].concat());
        format!(
            "untrusted comment: of a test\n{}\ntrusted comment: {trusted}\n{}\n",
            STANDARD.encode([word, &self.number[..], signature.as_ref()].concat()),
            STANDARD.encode(both),
        )
    }
}
