//! Folders of this machine.

use super::{World, manifest, names};
use gsd_engine::source::{Class, Peek, Verified};
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

fn fifo(path: &camino::Utf8Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}
