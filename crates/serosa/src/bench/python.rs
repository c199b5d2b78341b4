//! Other programs in the same run, through the Python that has them.

use crate::Failure;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A script for other programs.
#[derive(Clone, Copy, Debug)]
pub struct Script {
    /// What it says: it reads bytes and prints an object a line.
    pub text: &'static str,
    /// What the Python must have.
    pub needs: &'static str,
}

impl Script {
    /// Runs it on one thread with a word and some bytes; the objects that it prints.
    pub fn run(&self, python: &Path, word: &str, input: &[u8]) -> Result<Vec<Value>, Failure> {
        let name = python.display();
        let failed = |what: String| {
            let help = format!("give a Python that has {}, or leave --peers out", self.needs);
            Failure::input(format!("error: {name} {what}\n  help: {help}"))
        };
        let mut child = Command::new(python)
            .args(["-c", self.text, word])
            .envs(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"].map(|key| (key, "1")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| failed(format!("cannot be started: {e}")))?;
        // A child that ended early says below why; what is left unwritten does not matter then.
        let written = child.stdin.take().map(|mut to| to.write_all(input));
        let output = child.wait_with_output().map_err(|e| failed(format!("was lost: {e}")))?;
        if !output.status.success() || !matches!(written, Some(Ok(()))) {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.trim().lines().last().unwrap_or("it said nothing").to_owned();
            return Err(failed(format!("failed: {last}")));
        }
        let lines = String::from_utf8_lossy(&output.stdout);
        // Some programs print remarks of their own between the lines.
        Ok(lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }
}
