//! Words and pictures: arguments, commands, output, exit codes. Decides nothing.

use std::process::ExitCode;

mod args;
mod commands;
mod error;
mod exit;
#[cfg(test)]
mod hints;
mod output;
mod parse;
#[cfg(test)]
mod reference;
mod tools;
mod ui;

/// The name that the program was built under. It decides the shape of what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    Gsd,
    /// The spelling that existing workflows call.
    GsdTools,
}

/// Captures the environment, parses, runs, and turns a bug of ours into exit 70.
pub fn main(program: Program) -> ExitCode {
    // A panic is a bug: people get one line to report, never a trace or a path of the build machine.
    std::panic::set_hook(Box::new(|_| ()));
    match std::panic::catch_unwind(|| commands::run(program)) {
        Ok(status) => status.into(),
        Err(panic) => {
            let what = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            commands::report_bug(what);
            exit::ExitStatus::Bug.into()
        }
    }
}
