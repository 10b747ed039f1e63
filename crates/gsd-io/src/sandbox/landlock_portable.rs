//! Systems without Landlock.

use super::{Landlock, SandboxError};
use camino::Utf8PathBuf;

pub(super) fn offered() -> Option<Landlock> {
    None
}

pub(super) fn turn_inward() -> Result<(), SandboxError> {
    Ok(())
}

pub(super) fn restrict(_: &[Utf8PathBuf], _: Option<&[Utf8PathBuf]>) -> Result<(), SandboxError> {
    Err(SandboxError::Unavailable)
}
