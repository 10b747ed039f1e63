//! The terminal behind stderr.

/// Its width in columns; `None` if stderr is no terminal.
pub fn width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}
