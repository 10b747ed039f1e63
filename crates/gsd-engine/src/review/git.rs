//! Asking git, with everything turned off by which a repository could start programs of its own.

use camino::Utf8Path;
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_io::process::{self, Cap, Command, End, Exit, Limits, Stdin};
use gsd_io::sandbox::Sandbox;
use std::time::Duration;

/// Where and as whom git is asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Git<'a> {
    pub(super) env: &'a Env,
    pub(super) root: &'a Utf8Path,
    pub(super) cancel: &'a Cancel,
}

/// An answer of git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// It ended well; this is all that it printed.
    Text(Vec<u8>),
    /// It would have printed more than is read.
    TooMuch,
    /// No git, no repository, an error, or no answer in time.
    None,
}

impl Git<'_> {
    pub(super) fn ask(&self, args: &[&str]) -> Answer {
        self.ask_about(args, Stdin::Empty)
    }

    /// Asks as if the index were in another file.
    pub(super) fn ask_index(&self, index: &Utf8Path, args: &[&str]) -> Answer {
        let variable = ("GIT_INDEX_FILE".to_owned(), index.to_string());
        answer(self.run(args, Stdin::Empty, Some(variable)))
    }

    /// Asks with an input.
    pub(super) fn ask_about(&self, args: &[&str], stdin: Stdin) -> Answer {
        answer(self.run(args, stdin, None))
    }

    /// An answer in words; `None` for every other one.
    pub(super) fn text(&self, args: &[&str]) -> Option<String> {
        match self.ask(args) {
            Answer::Text(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Answer::TooMuch | Answer::None => None,
        }
    }

    fn run(&self, args: &[&str], stdin: Stdin, more: Option<(String, String)>) -> Option<Exit> {
        let mut variables = self.env.child_base();
        variables.extend(more);
        // Looking must not take locks or ask for passwords.
        let fixed = [("GIT_OPTIONAL_LOCKS", "0"), ("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C")];
        variables.extend(fixed.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let safe = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
        let command = Command {
            program: process::which("git", self.env).ok()?,
            args: safe.iter().chain(args).map(|arg| (*arg).to_owned()).collect(),
            env: variables,
            cwd: self.root.to_owned(),
            stdin,
            sandbox: Sandbox::None,
        };
        let limits = Limits {
            deadline: Duration::from_secs(10),
            first_byte: None,
            idle: None,
            grace: Duration::from_millis(200),
            drain: Duration::from_millis(200),
            stdout: Cap::mib(16),
            stderr: Cap::log(),
        };
        process::run(&command, &limits, self.cancel, &mut |_| ()).ok()
    }
}

fn answer(exit: Option<Exit>) -> Answer {
    let Some(exit) = exit else { return Answer::None };
    match (exit.end, exit.stdout.whole()) {
        (End::Exited(0), Some(bytes)) => Answer::Text(bytes.to_vec()),
        (End::Exited(0), None) | (End::OutputTooLarge, _) => Answer::TooMuch,
        (End::Exited(_) | End::Signalled(_) | End::TimedOut { .. } | End::Cancelled, _) => {
            Answer::None
        }
    }
}
