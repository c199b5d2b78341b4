//! The `serosa` program. Everything is in the library, so that tests can call it.

use std::io::{stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(serosa::cli::main(std::env::args_os(), &mut stdout().lock(), &mut stderr()))
}
