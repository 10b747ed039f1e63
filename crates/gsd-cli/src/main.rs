//! `gsd`: reviews of plans that can be trusted.

use std::process::ExitCode;

fn main() -> ExitCode {
    gsd_cli::main(gsd_cli::Program::Gsd)
}
