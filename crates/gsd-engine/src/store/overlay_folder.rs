//! The folder that holds the overlays of a scope: what lies in it, and why it cannot be looked at.

use super::root::is_set_aside;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Entry, Kind, ReadError};

/// No folder of overlays has more entries.
const MAX_OVERLAYS: usize = 20_000;

pub(super) fn overlays_folder(root: &Utf8Path) -> Utf8PathBuf {
    root.join(".gsd").join("capabilities")
}

/// Why overlays that may be there are not seen.
#[derive(Debug, thiserror::Error)]
pub(super) enum FolderError {
    #[error("`{path}` is {what}, not a folder: no capability in it is seen")]
    NotAFolder { path: Utf8PathBuf, what: &'static str },
    #[error("no capability in `{path}` is seen")]
    Unreadable { path: Utf8PathBuf, source: ReadError },
    #[error("`{path}` holds more than {MAX_OVERLAYS} things, and the others are not looked at")]
    TooMany { path: Utf8PathBuf },
}

impl FolderError {
    /// What to do about it.
    pub(super) fn remedy(&self) -> String {
        match self {
            Self::NotAFolder { path, .. } => format!("move `{path}` away"),
            Self::Unreadable { path, .. } => format!("see that you may read `{path}`"),
            Self::TooMany { path } => format!("remove from `{path}` what you do not need"),
        }
    }
}

/// What lies in the place of an overlay.
#[derive(Debug)]
pub(super) struct Candidate {
    /// Where the name is not UTF-8, as far as it can be shown.
    pub(super) name: String,
    pub(super) is_linked: bool,
    /// Whether the name is its real one, by which it can be opened.
    pub(super) is_named: bool,
}

/// Everything in the place of an overlay below a root, by name, and what keeps others from being
/// seen. A folder that is not there is empty.
pub(super) fn candidates(root: &Utf8Path) -> (Vec<Candidate>, Option<FolderError>) {
    let folder = overlays_folder(root);
    for path in [root.join(".gsd"), folder.clone()] {
        let Some(kind) = fs::kind(&path) else { break };
        let what = match (kind, fs::kind_behind_links(&path)) {
            (_, Some(Kind::Directory)) => continue,
            (Kind::Link, None) => "a link that leads nowhere",
            (Kind::Link, Some(_)) => "a link to something else",
            (Kind::File { .. }, _) => "a file",
            // The kinds of a folder and of what is no link are the same behind links.
            (Kind::Special | Kind::Directory, _) => "a FIFO, a socket or a device",
        };
        return (vec![], Some(FolderError::NotAFolder { path, what }));
    }
    let named = match fs::list(&folder, MAX_OVERLAYS + 1) {
        Ok(entries) => entries,
        Err(ReadError::NotFound { .. }) => return (vec![], None),
        Err(source) => return (vec![], Some(FolderError::Unreadable { path: folder, source })),
    };
    let unnamed = fs::list_not_utf8(&folder, MAX_OVERLAYS + 1);
    let too_many = named.len() + unnamed.len() > MAX_OVERLAYS;
    let all = named.into_iter().map(|entry| (entry, true));
    let all = all.chain(unnamed.into_iter().map(|entry| (entry, false)));
    let candidates = all.filter_map(|(Entry { name, kind }, is_named)| {
        let is_linked = kind == Kind::Link;
        let may_be_one = (is_linked || kind == Kind::Directory) && !is_set_aside(&name);
        may_be_one.then_some(Candidate { name, is_linked, is_named })
    });
    (candidates.collect(), too_many.then_some(FolderError::TooMany { path: folder }))
}
