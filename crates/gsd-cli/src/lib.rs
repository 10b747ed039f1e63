//! Words and pictures: arguments, commands, output, exit codes. Decides nothing.
