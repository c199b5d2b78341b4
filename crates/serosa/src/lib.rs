//! The program: command line, session, recorder. All I/O and scheduling is here; physics is not.

pub mod bench;
pub mod cache;
pub mod cli;
pub mod command;
pub mod diagnostics;
pub mod inspect;
pub mod mapped;
pub mod scenes;
pub mod session;
#[cfg(feature = "page")]
pub mod view;
pub mod whole;

use std::io::Write;

/// Where a command writes: results to `out`, everything else to `err`.
pub struct Console<'a> {
    /// Standard output.
    pub out: &'a mut dyn Write,
    /// Standard error.
    pub err: &'a mut dyn Write,
}

impl Console<'_> {
    /// A line of the result. A reader that went away is no fault of the run.
    pub fn say(&mut self, line: impl std::fmt::Display) {
        let _ = writeln!(self.out, "{line}");
        let _ = self.out.flush();
    }

    /// A line beside the result.
    pub fn note(&mut self, line: impl std::fmt::Display) {
        let _ = writeln!(self.err, "{line}");
    }
}

/// Why a command ended without its result.
#[derive(Debug)]
pub enum Failure {
    /// What was given cannot be used: exit code 2. The message says what to do.
    BadInput(String),
    /// A check found a difference: exit code 1.
    CheckFailed(String),
}

impl Failure {
    /// A message for bad input.
    pub fn input(message: impl std::fmt::Display) -> Self {
        Self::BadInput(message.to_string())
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::CheckFailed(_) => 1,
            Self::BadInput(_) => 2,
        }
    }
}
