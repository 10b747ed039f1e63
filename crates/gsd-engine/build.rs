//! Builds again when a first-party manifest is added or removed; their contents are tracked by the
//! macro that embeds them.

#![allow(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

fn main() {
    println!("cargo::rerun-if-changed=../../capabilities");
}
