//! `gsd-tools`: the same program under the spelling that existing workflows call.

use std::process::ExitCode;

fn main() -> ExitCode {
    gsd_cli::main(gsd_cli::Program::GsdTools)
}
