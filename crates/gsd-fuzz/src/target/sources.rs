//! What decides where capabilities come from, and what is unpacked.

use super::{Place, Target};
use gsd_engine::source::{
    Base, FetchContext, Integrity, Limits, Patience, Peek, Policy, SigningKey, SourceSpec,
    Transport,
};
use gsd_io::archive::unpack;
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_io::tree::{self, TreeWriter};
use std::time::Duration;
use tar::{Builder, EntryType, Header};

pub(super) const TARGETS: &[Target] = &[
    Target {
        name: "source",
        what: "sources of capabilities, and integrity strings",
        seeds: || SOURCES.lines().map(|line| line.as_bytes().to_vec()).collect(),
        check: source,
    },
    Target {
        name: "known-sources",
        what: "lists of known sources, and the index of a registry",
        seeds: || vec![SETTINGS.as_bytes().to_vec(), INDEX.as_bytes().to_vec()],
        check: known_sources,
    },
    Target { name: "archive", what: "tar archives of bundles", seeds: archives, check: archive },
];

const SOURCES: &str = "\
./caps/acme
~/acme
file:///srv/acme
npm:@acme/cap@>=1.2 <3 || 5.x
npm:cap@next
https://user:secret@h.example/x.tgz?token=1#f
tar+https://h.example/x?v=1
git+https://h.example/o/r.git#semver:^1
git+ssh://git@h.example:22/o/r#sha:0123456789abcdef0123456789abcdef01234567
git@h.example:o/r.git#tag:v1
github:o/r#branch:a/b
ext::sh -c id
acme@main#^1.2
RWSh6MVRbPb3vyQMNHbtKYACa4h4eW1E2VNnQsL/NIYxE8vO+lbLoIlK
//server/share
C:\\caps
sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==";

const SETTINGS: &str = r#"{"capabilities": {"strict_known_registries":
["github.com/o", "*.h.example", "npm", "npm:@a", "local:/srv"], "private_hosts": ["127.0.0.1:1"]}}"#;

const INDEX: &str = r#"{"schema": 1, "capabilities": {"acme": {"versions": {"1.0.0": {"source": "a.tgz",
"engines": {"gsd": ">=1"}, "yanked": false, "integrity":
"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="}}}}}"#;

fn source(_: &mut Place, input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let here = Base { cwd: "/nowhere/a".into(), home: Some("/nowhere/home".into()) };
    let there = Base { cwd: "/nowhere/b".into(), home: None };
    match SourceSpec::parse(&text, &here) {
        Ok(spec) => {
            let recorded = spec.recorded();
            let again = SourceSpec::parse(&recorded, &there).expect("a record is a source");
            assert_eq!((again.recorded(), again.kind()), (recorded, spec.kind()));
        }
        Err(error) => assert!(!error.to_string().contains(char::is_control)),
    }
    if let Ok(key) = SigningKey::parse(&text) {
        assert_eq!(SigningKey::parse(&key.to_string()), Ok(key));
    }
    if let Ok(integrity) = Integrity::parse(&text) {
        assert_eq!(Integrity::parse(&integrity.to_string()), Ok(integrity));
    }
}

fn known_sources(place: &mut Place, input: &[u8]) {
    place.write("project/.planning/config.json", input);
    place.write("home/index.json", input);
    let index = place.home().join("index.json");
    let settings =
        serde_json::json!({ "capabilities": { "registries": { "main": index.as_str() } } });
    place.write("home/.gsd/defaults.json", settings.to_string().as_bytes());
    let vars = [("HOME".to_owned(), place.home().to_string())];
    let env = Env::from_parts(vars, place.project(), "/gsd".into());
    let policy = Policy::read(&env, &place.project());
    let (host, cancel) = (semver::Version::new(1, 11, 0), Cancel::new());
    let context = FetchContext {
        env: &env,
        policy: &policy,
        host: &host,
        integrity: None,
        signed_by: None,
        transport: Transport::Authenticated,
        limits: Limits::MOST,
        patience: Patience::of(policy.timeout()),
        deadline: gsd_io::clock::after(gsd_io::clock::now(), Duration::from_secs(60)),
        cancel: &cancel,
    };
    let base = Base { cwd: "/nowhere".into(), home: None };
    for text in ["acme@main", "/nowhere/acme"] {
        let spec = SourceSpec::parse(text, &base).expect("a source");
        let peek = spec.peek(&context);
        assert!(matches!(peek, Peek::Ok { .. } | Peek::Unknown { .. }));
    }
    place.write("project/.planning/config.json", b"{}");
    place.write("home/.gsd/defaults.json", b"{}");
}

/// One archive for each kind of member, not compressed, so that a change of a byte gets through.
fn archives() -> Vec<Vec<u8>> {
    let kinds = [
        EntryType::Regular,
        EntryType::Directory,
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Fifo,
        EntryType::GNUSparse,
        EntryType::GNULongName,
        EntryType::XHeader,
        EntryType::XGlobalHeader,
    ];
    let mut all: Vec<Vec<u8>> = kinds
        .into_iter()
        .map(|kind| {
            let mut tar = Builder::new(vec![]);
            member(&mut tar, "capability.json", EntryType::Regular, b"{}");
            let content: &[u8] = match kind {
                EntryType::GNULongName => b"a/long/name\0",
                EntryType::XHeader | EntryType::XGlobalHeader => b"14 path=a/b/c\n",
                EntryType::Regular => b"#!/bin/sh\n",
                _ => b"",
            };
            member(&mut tar, "dir/member", kind, content);
            member(&mut tar, "dir/last", EntryType::Regular, b"x");
            tar.into_inner().expect("memory takes every write")
        })
        .collect();
    all.push(b"no archive".to_vec());
    all
}

fn member(tar: &mut Builder<Vec<u8>>, name: &str, kind: EntryType, content: &[u8]) {
    let mut header = Header::new_ustar();
    header.set_path(name).expect("a short name");
    header.set_entry_type(kind);
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    tar.append(&header, content).expect("memory takes every write");
}

fn archive(place: &mut Place, input: &[u8]) {
    const LIMITS: tree::Limits = tree::Limits { bytes: 1 << 16, entries: 64 };
    // A wrong checksum would stop every other change of a header at the door.
    let mut input = input.to_vec();
    for block in input.chunks_exact_mut(512) {
        if &block[257..262] == b"ustar" {
            block[148..156].fill(b' ');
            let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
            block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        }
    }
    let folder = place.home().join("unpacked");
    let cancel = Cancel::new();
    let mut tree = TreeWriter::new(&folder, LIMITS, &cancel).expect("a new folder");
    let unpacked = unpack(&mut input.as_slice(), &mut tree);
    let written = tree.finish();
    assert!(written.bytes <= LIMITS.bytes && written.files.len() <= LIMITS.entries);
    if let Err(error) = &unpacked {
        assert!(!error.to_string().contains(char::is_control), "{error:?}");
    }
    let below = gsd_io::fs::walk(&folder, 1000, &|_| false).expect("it is there");
    assert!(
        below.is_whole
            && below.found.iter().all(|found| {
                matches!(
                    found.stamp.kind,
                    gsd_io::fs::Kind::File { .. } | gsd_io::fs::Kind::Directory
                )
            })
    );
    gsd_io::fs::remove_dir_all(&folder).expect("removed");
    let beside = gsd_io::fs::list(&place.home(), 100).expect("listed");
    assert!(
        beside.iter().all(|entry| [".gsd", ".keep", ".gsd-capabilities.json", "index.json"]
            .contains(&entry.name.as_str())),
        "{beside:?}"
    );
}
