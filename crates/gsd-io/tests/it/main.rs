//! The world, for real: sockets, processes, files.

// Helpers of tests are outside of `#[test]` functions, where clippy does not know them.
#![allow(clippy::unwrap_used)]

mod http;
mod proxy;
mod tls;
