//! Which file a program's name means. What is found here is what is started: there is no second
//! look-up, and a relative entry of `PATH` never counts.

use crate::env::Env;
use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::Access;

/// Why a program cannot be started, seen before anything is started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    #[error("`{name}` was not found")]
    NotFound { name: String },
    #[error("`{path}` exists but may not be executed")]
    NotExecutable { path: Utf8PathBuf },
    #[error("`{path}` is a directory")]
    IsADirectory { path: Utf8PathBuf },
    #[error("`{path}` is neither a file nor a link to one")]
    NotAFile { path: Utf8PathBuf },
    #[error("`{path}` is a symbolic link to something that does not exist")]
    DanglingLink { path: Utf8PathBuf },
    #[error("`{name}` is neither a plain name nor an absolute path")]
    Relative { name: String },
}

/// The file that `name` means: an absolute path as it is, a plain name by the absolute folders
/// of `PATH`. If no folder has a program of that name but one has something else, the error says
/// what.
pub fn which(name: &str, env: &Env) -> Result<Utf8PathBuf, LookupError> {
    if name.starts_with('/') {
        check_program(Utf8Path::new(name))?;
        return Ok(Utf8PathBuf::from(name));
    }
    if name.contains('/') || matches!(name, "" | "." | "..") {
        return Err(LookupError::Relative { name: name.to_owned() });
    }
    let mut reason = LookupError::NotFound { name: name.to_owned() };
    for folder in env.path_dirs() {
        let path = folder.join(name);
        match check_program(&path) {
            Ok(()) => return Ok(path),
            Err(LookupError::NotFound { .. }) => {}
            Err(other) => {
                if matches!(reason, LookupError::NotFound { .. }) {
                    reason = other;
                }
            }
        }
    }
    Err(reason)
}

/// Whether there is a regular file at `path`, links followed, that this user may execute.
pub fn check_program(path: &Utf8Path) -> Result<(), LookupError> {
    let Ok(meta) = std::fs::metadata(path) else {
        return Err(if std::fs::symlink_metadata(path).is_ok() {
            LookupError::DanglingLink { path: path.to_owned() }
        } else {
            LookupError::NotFound { name: path.to_string() }
        });
    };
    if meta.is_dir() {
        return Err(LookupError::IsADirectory { path: path.to_owned() });
    }
    if !meta.is_file() {
        return Err(LookupError::NotAFile { path: path.to_owned() });
    }
    rustix::fs::access(path.as_std_path(), Access::EXEC_OK)
        .map_err(|_| LookupError::NotExecutable { path: path.to_owned() })
}
