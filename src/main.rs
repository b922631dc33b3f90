//! The `spraysim` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    spraysim::cli::main(std::env::args_os())
}
