//! The commit that the evidence is checked against.

use super::record::Commit;
use camino::Utf8Path;
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_io::process::{self, Cap, Command, End, Limits, Stdin};
use gsd_io::sandbox::Sandbox;
use std::time::Duration;

/// Asks git; `None` where there is no git, no work tree, or no commit yet.
pub(super) fn commit(env: &Env, root: &Utf8Path, cancel: &Cancel) -> Option<Commit> {
    let id = git(env, root, cancel, &["rev-parse", "--verify", "HEAD"])?.trim().to_owned();
    let plausible = (40..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_hexdigit());
    if !plausible {
        return None;
    }
    // No answer within the limits is taken for a dirty tree: the claim "clean" needs proof.
    let changes = git(env, root, cancel, &["status", "--porcelain", "--untracked-files=normal"]);
    Some(Commit { id, dirty: changes.is_none_or(|text| !text.is_empty()) })
}

fn git(env: &Env, root: &Utf8Path, cancel: &Cancel, args: &[&str]) -> Option<String> {
    let mut variables = env.child_base();
    // The repository's own settings must not start programs (a file system monitor, a pager), and
    // looking must not take locks.
    let fixed = [("GIT_OPTIONAL_LOCKS", "0"), ("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C")];
    variables.extend(fixed.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let safe = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
    let command = Command {
        program: process::which("git", env).ok()?,
        args: safe.iter().chain(args).map(|arg| (*arg).to_owned()).collect(),
        env: variables,
        cwd: root.to_owned(),
        stdin: Stdin::Empty,
        sandbox: Sandbox::None,
    };
    let limits = Limits {
        deadline: Duration::from_secs(10),
        first_byte: None,
        idle: None,
        grace: Duration::from_millis(200),
        drain: Duration::from_millis(200),
        stdout: Cap::mib(4),
        stderr: Cap::log(),
    };
    let exit = process::run(&command, &limits, cancel, &mut |_| ()).ok()?;
    match exit.end {
        End::Exited(0) => Some(String::from_utf8_lossy(exit.stdout.whole()?).into_owned()),
        // So many changes that the list is over its cap: dirty for certain.
        End::OutputTooLarge => Some("…".to_owned()),
        End::Exited(_) | End::Signalled(_) | End::TimedOut { .. } | End::Cancelled => None,
    }
}
