//! Locks between processes.

use gsd_io::lock::{LockError, Owner, try_lock};
use gsd_testkit::fake_cli::fake_cli;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn a_crashed_owner_leaves_no_lock() {
    let folder = tempfile::tempdir().unwrap();
    let path = camino::Utf8PathBuf::from_path_buf(folder.path().join("a.lock")).unwrap();
    let mut other = Command::new(fake_cli())
        .arg(format!("hold-lock {path}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(other.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "locked\n");
    let owner = Owner::this_process("test");
    match try_lock(&path, &owner) {
        Err(LockError::Held { owner: Some(found), .. }) => assert_eq!(found.pid, other.id()),
        unexpected => panic!("{unexpected:?}"),
    }
    other.kill().unwrap();
    other.wait().unwrap();
    try_lock(&path, &owner).unwrap();
}
