//! The question on a terminal.

use super::*;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::Stdio;

/// Runs the command on a terminal of its own, where somebody types that. Gives also what the
/// terminal showed.
fn on_terminal(world: &World, args: &[&str], typed: &str) -> (Ran, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, vec![]).unwrap().into_string().unwrap();
    let slave = OpenOptions::new().read(true).write(true).open(name).unwrap();
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

#[test]
fn a_yes_approves_and_anything_else_does_not() {
    let world = project(json!({ "ollama_host": "https://gpu.example:8443/v1" }));
    let args = ["review", "trust-host", "ollama"];
    for typed in ["n\n", "\n", "yess\n", "\u{4}", "gpu.example\n"] {
        let (ran, shown) = on_terminal(&world, &args, typed);
        assert_eq!(ran.code, 3, "{typed:?}: {}{shown}", ran.stdout);
        assert!(shown.contains("Send plans there? [y/N]"), "{shown}");
        assert!(!hosts_file(&world).exists(), "{typed:?}");
    }
    // Scripts are never asked, also on a terminal.
    let (ran, shown) = on_terminal(&world, &[&args[..], &["--json"]].concat(), "y\n");
    assert_eq!((ran.code, &ran.json()["code"]), (3, &"consent-required".into()), "{shown}");
    let (ran, shown) = on_terminal(&world, &args, "Y\n");
    assert_eq!(ran.code, 0, "{}{shown}", ran.stdout);
    assert!(ran.stdout.contains("https://gpu.example:8443/v1/chat/completions"), "{}", ran.stdout);
    let list = gsd(&world, &["review", "trust", "list", "--json"]).json();
    assert_eq!(list["details"]["approvals"][0]["path"], CHAT, "{list}");
}
