//! Packs a bundle into an archive: the same files give the same bytes, on every machine and at any
//! time. Owners, times and modes of the files do not go in, only names and contents.

use super::Manifest;
use crate::id::CapabilityId;
use crate::text::printable;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use camino::{Utf8Path, Utf8PathBuf};
use flate2::{Compression, GzBuilder};
use gsd_io::fs::{self, Kind, Links, ReadError};
use gsd_io::tree::{Names, TreeError};
use sha2::{Digest, Sha512};
use std::io::Write;

/// A bundle that is larger could not be activated after its install.
pub const MAX_TOTAL: u64 = 16 * 1024 * 1024;
/// No bundle has more files.
pub const MAX_FILES: usize = 10_000;
const MAX_DEPTH: usize = 32;

/// Why a folder cannot be packed.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    #[error("`{path}` is {what}; a bundle holds plain files and folders only")]
    NotPlain { path: String, what: &'static str },
    #[error("the bundle has more than {MAX_FILES} files")]
    TooManyFiles,
    #[error("the bundle has more than {MAX_TOTAL} bytes")]
    TooLarge,
    #[error("`{path}` cannot be a name in an archive: {why}")]
    BadName { path: String, why: &'static str },
    #[error(transparent)]
    Name(#[from] TreeError),
    #[error("the bundle cannot be read")]
    Read(#[from] ReadError),
}

/// A file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedFile {
    /// Below the bundle.
    pub path: String,
    pub content: Vec<u8>,
}

/// The name of the archive of a bundle.
pub fn archive_name(manifest: &Manifest) -> String {
    format!("{}-{}.tgz", manifest.id.value, manifest.version)
}

/// The files of a bundle, sorted. What belongs to git stays out, and so do archives of the bundle
/// itself: packed where it lies, it would otherwise grow each time. Anything but plain files and
/// folders is refused.
pub fn collect(folder: &Utf8Path, id: &CapabilityId) -> Result<Vec<PackedFile>, PackError> {
    let own_archive = |name: &str| {
        let rest = name.strip_prefix(id.as_str()).and_then(|rest| rest.strip_prefix('-'));
        rest.and_then(|rest| rest.strip_suffix(".tgz"))
            .is_some_and(|version| semver::Version::parse(version).is_ok())
    };
    let (mut files, mut total) = (vec![], 0u64);
    // Whoever installs the archive refuses it for such a name; its author can still mend it.
    let mut names = Names::new(2 * MAX_FILES);
    let mut queue: Vec<(Utf8PathBuf, usize)> = vec![(Utf8PathBuf::new(), 0)];
    while let Some((below, depth)) = queue.pop() {
        let here = folder.join(&below);
        if let Some(entry) = fs::list_not_utf8(&here, MAX_FILES + 1).first() {
            let path = shown(&below.join(&entry.name));
            return Err(PackError::BadName { path, why: "it is not UTF-8" });
        }
        for entry in fs::list(&here, MAX_FILES + 1)? {
            if depth == 0 && (entry.name == ".git" || own_archive(&entry.name)) {
                continue;
            }
            let path = below.join(&entry.name);
            let bytes = match entry.kind {
                Kind::Directory if depth < MAX_DEPTH => {
                    queue.push((path, depth + 1));
                    continue;
                }
                Kind::File { bytes } => bytes,
                Kind::Directory => {
                    return Err(PackError::NotPlain {
                        path: shown(&path),
                        what: "a folder too deep",
                    });
                }
                Kind::Link => {
                    return Err(PackError::NotPlain { path: shown(&path), what: "a link" });
                }
                Kind::Special => {
                    let what = "a FIFO, a socket or a device";
                    return Err(PackError::NotPlain { path: shown(&path), what });
                }
            };
            total += bytes;
            if total > MAX_TOTAL {
                return Err(PackError::TooLarge);
            }
            if files.len() == MAX_FILES {
                return Err(PackError::TooManyFiles);
            }
            names.file(path.as_str())?;
            let content = fs::read_bounded(&folder.join(&path), MAX_TOTAL, Links::Refuse)?;
            files.push(PackedFile { path: path.into(), content });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn shown(path: &Utf8Path) -> String {
    printable(path.as_str(), 200)
}

/// The packed files that look like secrets of their author: by their names, or because a private
/// key is in them.
pub fn likely_secrets(files: &[PackedFile]) -> Vec<&str> {
    let is_one = |file: &&PackedFile| is_secret_name(&file.path) || holds_key(&file.content);
    files.iter().filter(is_one).map(|file| file.path.as_str()).collect()
}

fn is_secret_name(path: &str) -> bool {
    const NAMES: [&str; 9] = [
        ".env",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
    ];
    const EXTENSIONS: [&str; 7] = ["pem", "key", "p12", "pfx", "jks", "keystore", "kdbx"];
    // What shows others which variables there are.
    const EXAMPLES: [&str; 3] = [".env.example", ".env.sample", ".env.template"];
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    NAMES.contains(&name.as_str())
        || EXTENSIONS.contains(&extension)
        || (name.starts_with(".env.") && !EXAMPLES.contains(&name.as_str()))
}

fn holds_key(content: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&content[..content.len().min(200)]);
    head.trim_start().starts_with("-----BEGIN ") && head.contains("PRIVATE KEY-----")
}

/// The archive: a gzipped tar (ustar).
pub fn archive(files: &[PackedFile]) -> Result<Vec<u8>, PackError> {
    let mut tar = vec![];
    for file in files {
        tar.extend(header(file)?);
        tar.extend(&file.content);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    // No name, no time, an unknown system: the header of gzip must not differ either.
    let mut gzip =
        GzBuilder::new().mtime(0).operating_system(255).write(vec![], Compression::best());
    gzip.write_all(&tar).expect("memory takes every write");
    Ok(gzip.finish().expect("memory takes every write"))
}

/// The header of one member. Names longer than 100 bytes are split at a slash.
fn header(file: &PackedFile) -> Result<[u8; 512], PackError> {
    let bad =
        || PackError::BadName { path: shown(Utf8Path::new(&file.path)), why: "it is too long" };
    let (prefix, name) = split(&file.path).ok_or_else(bad)?;
    let mut block = [0u8; 512];
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, name.as_bytes());
    // A script has to stay one, whatever the file system it came from.
    let script = file.content.starts_with(b"#!");
    put(100, if script { b"0000755\0" } else { b"0000644\0" });
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{:011o}\0", file.content.len()).as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    put(345, prefix.as_bytes());
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(block)
}

fn split(path: &str) -> Option<(&str, &str)> {
    if path.len() <= 100 {
        return Some(("", path));
    }
    let fits = |at: &usize| *at <= 155 && path.len() - at - 1 <= 100 && path.len() > at + 1;
    let at = path.match_indices('/').map(|(at, _)| at).find(fits)?;
    Some((&path[..at], &path[at + 1..]))
}

/// The integrity string of an archive: `sha512-` and base64.
pub fn integrity(archive: &[u8]) -> String {
    format!("sha512-{}", base64(&Sha512::digest(archive)))
}

/// Base64 of RFC 4648 with padding.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, content: &str) -> PackedFile {
        PackedFile { path: path.into(), content: content.into() }
    }

    #[test]
    fn base64_has_its_standard_form() {
        for (text, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(text.as_bytes()), expected);
        }
        let integrity = integrity(b"");
        assert!(
            integrity.starts_with("sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP")
        );
        assert_eq!(integrity.len(), "sha512-".len() + 88);
    }

    #[test]
    fn long_names_are_split_or_refused() {
        let long = format!("{}/{}", "a".repeat(120), "b".repeat(90));
        assert_eq!(split(&long), Some((&long[..120], &long[121..])));
        assert_eq!(split(&"c".repeat(101)), None);
        assert!(archive(&[file(&"c".repeat(101), "")]).is_err());
    }

    #[test]
    fn secrets_are_known_by_name_and_by_what_they_hold() {
        let key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl";
        let files = [
            file(".env", ""),
            file("a/.env.local", ""),
            file(".env.example", ""),
            file("certs/Server.PEM", ""),
            file("id_rsa", ""),
            file("id_rsa.md", ""),
            file("keys", key),
            file("skills/environment/SKILL.md", "-----BEGIN CERTIFICATE-----"),
        ];
        let found = likely_secrets(&files);
        assert_eq!(found, [".env", "a/.env.local", "certs/Server.PEM", "id_rsa", "keys"]);
    }

    #[test]
    fn names_that_no_install_takes_are_refused() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let id = CapabilityId::parse("acme").expect("an id");
        let refusal = |names: &[&[u8]]| {
            let folder = tempfile::tempdir().expect("a folder");
            for name in names {
                #[expect(clippy::disallowed_methods, reason = "such names have no UTF-8 path")]
                std::fs::write(folder.path().join(OsStr::from_bytes(name)), "").expect("written");
            }
            let folder = Utf8Path::from_path(folder.path()).expect("UTF-8");
            collect(folder, &id).map(|files| files.len()).map_err(|error| error.to_string())
        };
        assert_eq!(refusal(&[b"a", b"b"]), Ok(2));
        for names in [
            &[&b"A"[..], b"a"][..],
            &["é".as_bytes(), "e\u{301}".as_bytes()],
            &[b"con"],
            &[b"a."],
            &[b"a "],
            &[b"a\nb"],
            &[b"a\xffb"],
            &[b"a\x1b[2Jb"],
        ] {
            let refused = refusal(names).expect_err("refused");
            assert!(!refused.contains('\u{1b}'), "{refused}");
        }
    }

    #[test]
    fn what_tar_reads_is_what_went_in() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = Utf8Path::from_path(folder.path()).expect("UTF-8");
        let long = format!("{}/{}.md", "d".repeat(80), "e".repeat(60));
        let files = vec![file("capability.json", "{}"), file(&long, &"x".repeat(2000))];
        let packed = archive(&files).expect("packs");
        assert_eq!(packed, archive(&files).expect("packs"), "the same bytes each time");
        let path = folder.join("a.tgz");
        fs::write_atomic(&path, &packed).expect("written");
        #[expect(clippy::disallowed_methods, reason = "the tests ask the system's tar")]
        let out =
            std::process::Command::new("tar").args(["-xzf", "a.tgz"]).current_dir(folder).output();
        assert!(out.expect("tar runs").status.success());
        assert_eq!(
            fs::read_bounded(&folder.join(&long), 4000, Links::Refuse).expect("read").len(),
            2000
        );
        fs::remove_file(&path).expect("removed");
        let id = CapabilityId::parse("acme").expect("an id");
        fs::write_atomic(&folder.join("acme-1.0.0-rc.1.tgz"), &packed).expect("written");
        assert_eq!(collect(folder, &id).expect("collects"), files);
        fs::write_atomic(&folder.join("acme-logo.tgz"), &packed).expect("written");
        assert_eq!(collect(folder, &id).expect("collects").len(), 3);
    }
}
