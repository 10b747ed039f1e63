//! Archives made by hand, so that they can be wrong in every way.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// A tar in the making.
#[derive(Debug, Clone, Default)]
pub struct Tar(Vec<u8>);

impl Tar {
    pub fn new() -> Self {
        Self::default()
    }

    /// A file.
    pub fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.member(name.as_bytes(), b'0', b"", content.as_ref())
    }

    /// A folder.
    pub fn folder(self, name: &str) -> Self {
        self.member(name.as_bytes(), b'5', b"", b"")
    }

    /// A symbolic (`2`) or a hard (`1`) link.
    pub fn link(self, name: &str, kind: u8, target: &str) -> Self {
        self.member(name.as_bytes(), kind, target.as_bytes(), b"")
    }

    /// A pax header with these records, in front of what follows.
    pub fn pax(self, kind: u8, records: &[(&str, &str)]) -> Self {
        let mut content = String::new();
        for (key, value) in records {
            let rest = format!(" {key}={value}\n");
            let mut length = rest.len();
            while length != rest.len() + length.to_string().len() {
                length = rest.len() + length.to_string().len();
            }
            content += &format!("{length}{rest}");
        }
        self.member(b"pax", kind, b"", content.as_bytes())
    }

    /// Anything.
    pub fn member(self, name: &[u8], kind: u8, target: &[u8], content: &[u8]) -> Self {
        self.header(name, kind, target, content.len() as u64).raw(content)
    }

    /// A header that promises so many bytes.
    pub fn header(mut self, name: &[u8], kind: u8, target: &[u8], bytes: u64) -> Self {
        let mut block = [0u8; 512];
        let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
        put(0, &name[..name.len().min(100)]);
        put(100, b"0006777\0");
        put(108, b"0000000\0");
        put(116, b"0000000\0");
        put(124, format!("{bytes:011o}\0").as_bytes());
        put(136, b"00000000000\0");
        put(148, b"        ");
        put(156, &[kind]);
        put(157, &target[..target.len().min(100)]);
        put(257, b"ustar\x0000");
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        self.0.extend(block);
        self
    }

    /// Bytes as they are, filled up to a block.
    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self.0.resize(self.0.len().next_multiple_of(512), 0);
        self
    }

    /// The whole archive, not compressed.
    pub fn plain(mut self) -> Vec<u8> {
        self.0.resize(self.0.len() + 1024, 0);
        self.0
    }

    /// The whole archive.
    pub fn gzip(self) -> Vec<u8> {
        gzip(&self.plain())
    }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(vec![], Compression::default());
    encoder.write_all(bytes).expect("memory takes every write");
    encoder.finish().expect("memory takes every write")
}
