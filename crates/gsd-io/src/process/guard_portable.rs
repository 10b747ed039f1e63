//! Without `/proc` a guard could find nothing, so there is none.

use camino::Utf8Path;
use std::io;

/// Nothing.
#[derive(Debug)]
pub struct Guard;

/// Starts nothing.
pub fn start(_program: &Utf8Path, _words: &[&str]) -> io::Result<Guard> {
    Ok(Guard)
}

/// Has nothing to do.
pub fn serve(_run: &str) {}
