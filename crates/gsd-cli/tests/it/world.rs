//! Runs the built program in a world of its own.

use camino::Utf8Path;
use gsd_testkit::project::World;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Command, Output, Stdio};

/// What a run of the program gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.stdout, self.stderr))
    }
}

pub(crate) fn program() -> &'static Utf8Path {
    Utf8Path::new(env!("CARGO_BIN_EXE_gsd"))
}

/// A command of `gsd` that is not started yet.
pub(crate) fn command(world: &World, args: &[&str]) -> Command {
    let mut command = world.command(program());
    command.args(args).stdin(Stdio::null());
    command
}

pub(crate) fn gsd(world: &World, args: &[&str]) -> Ran {
    ran(command(world, args).output().unwrap())
}

/// The same program under the spelling of existing callers.
pub(crate) fn gsd_tools(world: &World, args: &[&str]) -> Ran {
    let mut command = world.command(Utf8Path::new(env!("CARGO_BIN_EXE_gsd-tools")));
    ran(command.args(args).stdin(Stdio::null()).output().unwrap())
}

pub(crate) fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("UTF-8 on stdout"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8 on stderr"),
    }
}

/// Runs the command on a terminal of its own, where somebody types that. Gives also what the
/// terminal showed.
pub(crate) fn on_terminal(world: &World, args: &[&str], typed: &str) -> (Ran, String) {
    on_terminal_of(world, args, typed, 200)
}

/// The same, on a terminal of so many columns.
pub(crate) fn on_terminal_of(
    world: &World,
    args: &[&str],
    typed: &str,
    columns: u16,
) -> (Ran, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, vec![]).unwrap().into_string().unwrap();
    let slave = OpenOptions::new().read(true).write(true).open(name).unwrap();
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).unwrap();
    let mut master = File::from(master);
    master.write_all(typed.as_bytes()).unwrap();
    let mut command = command(world, args);
    command.env("TERM", "dumb").stdin(slave.try_clone().unwrap()).stderr(slave);
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    // The command keeps the other end of the terminal open as long as it lives.
    drop(command);
    let ran = ran(child.wait_with_output().unwrap());
    let mut shown = vec![];
    // A terminal without a program ends with an error.
    let _ = master.read_to_end(&mut shown);
    (ran, String::from_utf8_lossy(&shown).into_owned())
}

/// The record that the last run of phase 3 wrote.
pub(crate) fn record(world: &World) -> Value {
    serde_json::from_str(&world.read(".planning/phases/03-notes/03-REVIEWS.json")).unwrap()
}

/// A lane of a record.
pub(crate) fn lane<'a>(record: &'a Value, identity: &str) -> &'a Value {
    record["lanes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|lane| lane["identity"] == identity)
        .unwrap_or_else(|| panic!("no lane {identity} in {record}"))
}

/// A script that takes its prompt and answers with a review that names both plans.
pub(crate) const GOOD: &str =
    "cat >/dev/null; printf '## Review\\n\\n03-01 is fine.\\n03-02 is fine.\\n'";
