//! Without `/proc` a guard could find nothing, so there is none.

use camino::Utf8Path;
use std::io;

/// The first argument by which a program would know that it is to be a guard.
pub const WORD: &str = "internal-guard";

/// Nothing.
#[derive(Debug)]
pub struct Guard;

/// Starts nothing.
pub fn start(_program: &Utf8Path) -> io::Result<Guard> {
    Ok(Guard)
}

/// Has nothing to do.
pub fn serve(_run: &str) {}
