//! The world: files, processes, HTTP, locks, clocks, signals, the environment.
//!
//! This crate knows no rule of gsd and depends on nothing of ours. It makes the promises that the
//! rules rely on: every read is bounded, every write is atomic, every wait has a deadline, every
//! error names its path.

#![forbid(unsafe_code)]

pub mod archive;
pub mod cancel;
pub mod clock;
pub mod env;
pub mod fs;
pub mod http;
pub mod lock;
pub mod process;
pub mod random;
pub mod sandbox;
pub mod secret;
pub mod signal;
pub mod terminal;
pub mod tree;
