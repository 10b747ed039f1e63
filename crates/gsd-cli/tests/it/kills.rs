//! Reviews that are killed at random moments: a few of the thousands that `kill-reviews` makes.

#![cfg(target_os = "linux")]

use crate::world::program;
use gsd_testkit::fake_cli;
use std::process::Command;

/// A process of its own, because it counts every child that it has.
fn storm(words: &[&str]) -> String {
    let storm = fake_cli::program("kill-reviews");
    // Built before anything is killed.
    let _ = fake_cli::fake_cli();
    let told = Command::new(storm).arg(program()).args(words).output().unwrap();
    let said = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.status.success(), "{said}{}", String::from_utf8_lossy(&told.stderr));
    said
}

#[test]
fn random_kills_leave_no_process_and_no_broken_record() {
    let said = storm(&["8"]);
    assert!(said.starts_with("8 kills, 0 processes left, 0 of "), "{said}");
}

#[test]
fn sigkill_leaves_no_process_and_no_broken_record() {
    let said = storm(&["sigkill", "3"]);
    assert!(said.starts_with("3 kills, 0 processes left, 0 of "), "{said}");
}
