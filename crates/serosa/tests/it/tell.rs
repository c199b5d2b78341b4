//! Calls the command line, inside this process or as a program of its own.

use serde_json::Value;
use std::process::{Command, Output};

/// What a command line gave.
#[derive(Debug)]
pub struct Told {
    pub code: u8,
    pub out: String,
    pub err: String,
}

impl Told {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

/// The command line inside this process.
pub fn tell(args: &[&str]) -> Told {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words = ["serosa"].iter().chain(args).map(Into::into);
    let code = serosa::cli::main(words, &mut out, &mut err);
    Told { code, out: String::from_utf8_lossy(&out).into(), err: String::from_utf8_lossy(&err).into() }
}

/// The real program.
pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_serosa"))
}

pub fn told(output: &Output) -> Told {
    Told {
        code: output.status.code().map_or(255, |c| c as u8),
        out: String::from_utf8_lossy(&output.stdout).into(),
        err: String::from_utf8_lossy(&output.stderr).into(),
    }
}
