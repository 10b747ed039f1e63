//! Why a change of what is installed was not made.

use super::check::Refusal;
use super::{ConsentError, HashError, LedgerError, NoHome};
use crate::registry::Scope;
use crate::source::FetchError;
use camino::Utf8PathBuf;
use gsd_io::fs::{CopyError, ReadError, WriteError};
use gsd_io::lock::LockError;

/// Why something was not done. Unless a message says otherwise, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Consent(#[from] ConsentError),
    #[error("another operation on these capabilities is in progress")]
    Busy(#[source] LockError),
    #[error("`{id}` was changed by somebody else meanwhile")]
    ChangedMeanwhile { id: String },
    #[error("`{id}` is not installed in {scope} scope")]
    NotInstalled { id: String, scope: Scope },
    #[error("{reason}")]
    Refused { reason: String, hint: Option<String> },
    #[error("{}", .refusals.iter().map(|one| one.message.as_str()).collect::<Vec<_>>().join("; "))]
    Unfit { refusals: Vec<Refusal> },
    #[error(transparent)]
    Fetch(FetchError),
    #[error("`{path}` leads out of the folder that it should lie in")]
    LeadsOut { path: Utf8PathBuf },
    #[error("`{path}` lies in the project, so nothing in it is the user's own")]
    HomeIsProject { path: Utf8PathBuf },
    #[error(transparent)]
    NoHome(NoHome),
    #[error("the bundle cannot be taken")]
    Bundle(#[source] HashError),
    #[error("the bundle changed while it was put in its place")]
    ContentChanged,
    #[error("the files of `{id}` are not those that were approved")]
    Tampered { id: String, scope: Scope },
    #[error("the bundle cannot be copied")]
    Copy(#[source] CopyError),
    #[error("a file cannot be read")]
    Read(#[source] ReadError),
    #[error("a file cannot be written")]
    Write(#[source] WriteError),
    #[error("the change was begun and could not be ended or taken back")]
    Unfinished(#[source] Box<StoreError>),
}

impl StoreError {
    pub(super) fn refused(reason: impl Into<String>) -> Self {
        Self::Refused { reason: reason.into(), hint: None }
    }

    pub(super) fn refused_hint(reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused { reason: reason.into(), hint: Some(hint.into()) }
    }

    /// What to do about it: a command to type, or a sentence.
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::Ledger(error) => Some(error.remedy()),
            Self::Consent(error) => Some(error.remedy()),
            Self::Busy(_) | Self::ChangedMeanwhile { .. } => {
                Some("try again when it is done; `--lock-timeout` waits longer".to_owned())
            }
            Self::NotInstalled { .. } => {
                Some("`gsd capability list` shows what is installed".to_owned())
            }
            Self::Refused { hint, .. } => hint.clone(),
            Self::Unfit { refusals } => refusals.first().map(|refusal| refusal.remedy.clone()),
            Self::Fetch(error) => error.hint(),
            Self::LeadsOut { path } => Some(format!("put a folder in place of the link `{path}`")),
            Self::HomeIsProject { .. } | Self::NoHome(_) => {
                Some("set `GSD_HOME` or `HOME` to a folder outside of every project".to_owned())
            }
            Self::Tampered { id, scope } => {
                Some(format!("gsd capability trust show {id} --scope {scope}"))
            }
            Self::Unfinished(_) => Some("gsd capability reconcile".to_owned()),
            Self::Write(error) => Some(format!("see that `{}` can be written", error.path)),
            Self::Bundle(_) | Self::ContentChanged | Self::Copy(_) | Self::Read(_) => None,
        }
    }
}

impl From<HashError> for StoreError {
    fn from(error: HashError) -> Self {
        Self::Bundle(error)
    }
}
