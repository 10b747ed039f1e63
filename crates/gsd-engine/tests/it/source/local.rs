//! Folders of this machine.

use super::{World, bundle, manifest, names};
use gsd_engine::source::{Class, Installed, Integrity, Peek, Standing, Verified};
use gsd_testkit::tarball::Tar;
use std::os::unix::fs::symlink;

#[test]
fn a_folder_is_copied_as_it_is() {
    let world = World::new();
    world.write("project/cap/capability.json", manifest("acme", "1.2.3"));
    world.write("project/cap/hooks/run.sh", "#!/bin/sh\n");
    world.write("project/cap/.git/config", "[core]");
    std::fs::create_dir(world.root.join("project/cap/empty")).unwrap();
    let recorded = world.root.join("project/cap");
    for spec in ["./cap", "../project/cap/", recorded.as_str(), &format!("file://{recorded}")] {
        let fetched = world.fetch(spec).unwrap();
        assert_eq!(
            names(&fetched.bundle, ""),
            ["capability.json", "empty", "hooks", "hooks/run.sh"],
            "{spec}"
        );
        assert_eq!(fetched.resolved.recorded, recorded);
        assert_eq!(fetched.resolved.verified, Verified::NotAsked);
    }
    let version = Some(semver::Version::new(1, 2, 3));
    assert_eq!(world.peek("./cap"), Peek::Ok { version, commit: None, integrity: None });
    assert!(matches!(world.peek("./gone"), Peek::Unknown { .. }));
}

///
#[test]
fn what_is_not_plain_is_refused_and_never_left_out() {
    let world = World::new();
    let secret = world.write("home/secret", "hunter2");
    let cap = |name: &str| {
        world.write(&format!("project/{name}/capability.json"), manifest("acme", "1.0.0"));
        world.root.join("project").join(name)
    };
    symlink(&secret, cap("link").join("leak")).unwrap();
    symlink("..", cap("loop").join("up")).unwrap();
    symlink("/dev/zero", cap("zero").join("zero")).unwrap();
    symlink("gone", cap("dangling").join("x")).unwrap();
    fifo(&cap("fifo").join("x"));
    std::os::unix::net::UnixListener::bind(cap("socket").join("x")).unwrap();
    symlink(cap("real"), world.root.join("project/root-link")).unwrap();
    std::fs::create_dir(world.root.join("project/fifo-manifest")).unwrap();
    fifo(&world.root.join("project/fifo-manifest/capability.json"));
    std::fs::create_dir_all(cap("nested-git").join("sub/.git")).unwrap();
    std::fs::write(cap("case").join("Capability.json"), "{}").unwrap();
    for name in [
        "link",
        "loop",
        "zero",
        "dangling",
        "fifo",
        "socket",
        "root-link",
        "fifo-manifest",
        "nested-git",
        "case",
    ] {
        let error = world.fetch(&format!("./{name}")).expect_err(name);
        assert_eq!(error.class(), Class::Refused, "{name}: {error}");
    }
    let leaked = names(&world.root.join("scratch"), "").into_iter().any(|path| {
        std::fs::read(world.root.join("scratch").join(path)).is_ok_and(|text| text == b"hunter2")
    });
    assert!(!leaked);
}

#[test]
fn sizes_have_an_end() {
    let mut world = World::new();
    world.write("project/cap/capability.json", manifest("acme", "1.0.0"));
    let big = std::fs::File::create(world.root.join("project/cap/big")).unwrap();
    big.set_len(1 << 40).unwrap();
    let error = world.fetch("./cap").expect_err("a terabyte").to_string();
    assert!(error.contains("exceeds 67108864 bytes"), "{error}");
    big.set_len(10).unwrap();
    world.limits.entries = 1;
    let error = world.fetch("./cap").expect_err("two files").to_string();
    assert!(error.contains("exceeds 1 files and folders"), "{error}");
    world.limits.entries = 2;
    assert!(world.fetch("./cap").is_ok());
}

#[test]
fn what_is_no_bundle_is_told() {
    let world = World::new();
    let file = world.write("project/file", "x");
    std::fs::create_dir(world.root.join("project/empty")).unwrap();
    for (spec, class) in [
        (file.as_str(), Class::Refused),
        ("./empty", Class::Refused),
        ("./gone", Class::Unreachable),
        ("/dev/null", Class::Refused),
    ] {
        let error = world.fetch(spec).expect_err(spec);
        assert_eq!(error.class(), class, "{spec}: {error}");
        assert!(error.hint().is_some(), "{spec}");
    }
    let asked = gsd_engine::source::Integrity::of(b"").to_string();
    world.write("project/cap/capability.json", manifest("acme", "1.0.0"));
    let error = world.fetch_with("./cap", Some(&asked)).expect_err("no archive");
    assert!(error.to_string().contains("not supported for local sources"), "{error}");
}

#[test]
fn an_archive_of_this_machine_is_a_source() {
    let world = World::new();
    let archive = bundle("package/", "1.2.3").gzip();
    let digest = Integrity::of(&archive);
    let path = world.write("project/acme-1.2.3.tgz", &archive);
    world.write("project/plain.tar", bundle("", "1.2.3").plain());
    let file = format!("file:{path}");
    for spec in ["./acme-1.2.3.tgz", "../project/acme-1.2.3.tgz", path.as_str(), &file] {
        let fetched = world.fetch(spec).unwrap();
        assert_eq!(
            names(&fetched.bundle, ""),
            ["capability.json", "hooks", "hooks/run.sh"],
            "{spec}"
        );
        assert_eq!(fetched.resolved.recorded, path);
        assert_eq!(fetched.resolved.integrity.as_ref(), Some(&digest));
    }
    assert!(world.fetch("./plain.tar").is_ok());
    let pinned = world.fetch_with("./acme-1.2.3.tgz", Some(&digest.to_string())).unwrap();
    assert_eq!(pinned.resolved.verified, Verified::Integrity);
    let other = Integrity::of(b"other").to_string();
    let error = world.fetch_with("./acme-1.2.3.tgz", Some(&other)).expect_err("other bytes");
    assert_eq!(error.class(), Class::Mismatch, "{error}");
    // Whether the file is the one that was installed is told by its digest.
    let version = semver::Version::new(1, 2, 3);
    let installed = Installed { version: Some(&version), commit: None, integrity: Some(&digest) };
    let standing = || world.peek("./acme-1.2.3.tgz").standing(&installed);
    assert_eq!(standing(), Standing::Current);
    world.write("project/acme-1.2.3.tgz", bundle("", "1.3.0").gzip());
    assert_eq!(standing(), Standing::Outdated);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(standing(), Standing::Unknown);
    // Its name makes no archive of a folder.
    world.write("project/acme-1.2.3.tgz/capability.json", manifest("acme", "2.0.0"));
    assert!(world.fetch("./acme-1.2.3.tgz").is_ok());
}

#[test]
fn an_archive_of_this_machine_is_as_hostile_as_any() {
    let mut world = World::new();
    let sound = || bundle("", "1.0.0");
    for (name, archive) in [
        ("slip", sound().file("../evil", "x").gzip()),
        ("absolute", sound().file("/tmp/evil", "x").gzip()),
        ("link", sound().link("link", b'2', "/etc/hostname").gzip()),
        ("hard", sound().link("link", b'1', "capability.json").gzip()),
        ("fifo", sound().member(b"pipe", b'6', b"", b"").gzip()),
        ("twice", sound().file("capability.json", "{}").gzip()),
        ("case", sound().file("Capability.json", "{}").gzip()),
        ("none", Tar::new().file("README.md", "x").gzip()),
        ("garbage", b"no archive".to_vec()),
    ] {
        world.write(&format!("project/{name}.tgz"), archive);
        let error = world.fetch(&format!("./{name}.tgz")).expect_err(name);
        assert_eq!(error.class(), Class::Refused, "{name}: {error}");
    }
    let path = world.write("project/real.tgz", sound().gzip());
    symlink(&path, world.root.join("project/link-to.tgz")).unwrap();
    let error = world.fetch("./link-to.tgz").expect_err("a link");
    assert_eq!(error.class(), Class::Refused, "{error}");
    world.limits.bytes = 16;
    let error = world.fetch("./real.tgz").expect_err("too large").to_string();
    assert!(error.contains("exceeds 16 bytes"), "{error}");
}

fn fifo(path: &camino::Utf8Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}
