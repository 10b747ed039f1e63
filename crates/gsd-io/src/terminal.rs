//! The terminal: how wide it is, and whether somebody sits there to be asked.

use std::io::{self, BufRead, IsTerminal};

/// The width of the terminal behind stderr in columns; `None` if stderr is no terminal.
pub fn width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stderr()).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

/// Whether a question on stderr can be answered on stdin.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// The line that somebody types, without its end; `None` if the input has ended. Waits as long as
/// they need: it is their own program that they keep waiting.
pub fn answer() -> Option<String> {
    const LONGEST: u64 = 4096;
    let mut line = String::new();
    let read = io::Read::take(io::stdin().lock(), LONGEST).read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim().to_owned())
}
