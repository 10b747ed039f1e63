//! The world, for real: sockets, processes, files.

// Helpers of tests are outside of `#[test]` functions, where clippy does not know them.
#![allow(clippy::unwrap_used)]

mod archive;
mod fs;
mod http;
mod lock;
mod process;
mod process_family;
mod process_input;
mod process_limits;
mod process_lookup;
mod process_signals;
mod process_start;
mod proxy;
mod sandbox;
mod tls;
