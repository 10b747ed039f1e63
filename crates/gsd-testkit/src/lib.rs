//! Fake programs, a fake model server and private homes. For tests only.

pub mod fake_cli;
pub mod left_over;
pub mod minisign;
pub mod model_server;
pub mod project;
pub mod storm;
pub mod tarball;
pub mod tls;
pub mod web_server;
pub mod write_attempts;

/// Says that a test could not be made here, past the harness, which swallows what a test prints.
pub fn skipped(why: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "\nSKIPPED: {why}\n");
}
