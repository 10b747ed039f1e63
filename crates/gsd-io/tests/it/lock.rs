//! Locks between processes.

use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::lock::{LockError, Owner, lock_until, try_lock};
use gsd_testkit::fake_cli::fake_cli;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Another process that has the lock, and holds it until it is killed.
fn holder(path: &Utf8Path) -> Child {
    let mut other = Command::new(fake_cli())
        .arg(format!("hold-lock {path}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(other.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "locked\n");
    other
}

fn file() -> (tempfile::TempDir, Utf8PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(folder.path().join("a.lock")).unwrap();
    (folder, path)
}

#[test]
fn a_crashed_owner_leaves_no_lock() {
    let (_folder, path) = file();
    let mut other = holder(&path);
    let owner = Owner::this_process("test");
    match try_lock(&path, &owner) {
        Err(LockError::Held { owner: Some(found), .. }) => assert_eq!(found.pid, other.id()),
        unexpected => panic!("{unexpected:?}"),
    }
    other.kill().unwrap();
    other.wait().unwrap();
    try_lock(&path, &owner).unwrap();
}

#[test]
fn who_waits_gets_the_lock_when_its_owner_crashes_and_nobody_before() {
    let (_folder, path) = file();
    let mut other = holder(&path);
    let owner = Owner::this_process("test");
    let cancel = Cancel::new();
    let soon = Instant::now() + Duration::from_millis(50);
    match lock_until(&path, &owner, soon, &cancel) {
        Err(LockError::Held { owner: Some(found), .. }) => assert_eq!(found.pid, other.id()),
        unexpected => panic!("{unexpected:?}"),
    }
    let late = Instant::now() + Duration::from_secs(60);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| lock_until(&path, &owner, late, &cancel));
        other.kill().unwrap();
        waiting.join().unwrap().unwrap();
    });
    other.wait().unwrap();
}
