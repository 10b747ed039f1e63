//! The commit that the evidence is checked against.

use super::git::{Answer, Git};
use super::record::Commit;
use camino::Utf8Path;
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;

/// Asks git; `None` where there is no git, no work tree, or no commit yet.
pub(super) fn commit(env: &Env, root: &Utf8Path, cancel: &Cancel) -> Option<Commit> {
    let git = Git { env, root, cancel };
    let id = git.text(&["rev-parse", "--verify", "HEAD"])?.trim().to_owned();
    let plausible = (40..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_hexdigit());
    if !plausible {
        return None;
    }
    // No answer within the limits is taken for a dirty tree: the claim "clean" needs proof.
    let changes = git.ask(&["status", "--porcelain", "--untracked-files=normal"]);
    Some(Commit { id, dirty: changes != Answer::Text(vec![]) })
}
