//! Starting other programs from the root of the workspace.

use std::path::PathBuf;
use std::process::Command;

/// The root of the workspace: the folder that holds `xtask/`.
///
/// `cargo run` says at run time where the package lies, so a target folder shared between two
/// checkouts never makes one of them check the other.
pub fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let mut root = PathBuf::from(package);
    root.pop();
    root
}

/// A command that will run in the root of the workspace.
pub fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command with its output passed through; `advice` is the error when it fails.
pub fn pass_through(program: &str, arguments: &[&str], advice: &str) -> Result<(), String> {
    match command(program, arguments).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(advice.to_owned()),
        Err(error) => Err(cannot_start(program, &error)),
    }
}

/// Runs a command and returns its standard output; the error holds its standard error.
pub fn capture(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = command(program, arguments).output().map_err(|error| cannot_start(program, &error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{program} {}` failed: {}", arguments.join(" "), complaint.trim()))
}

/// The error for a program that is not there.
pub fn cannot_start(program: &str, error: &std::io::Error) -> String {
    format!("cannot start `{program}` ({error}); install it or put it on the PATH")
}

/// Builds the program without its page, and says where it is.
pub fn program() -> Result<String, String> {
    let arguments = ["build", "--release", "--locked", "--package", "serosa", "--no-default-features"];
    pass_through("cargo", &arguments, "mend the compile errors above")?;
    Ok(target().join("release/serosa").display().to_string())
}

/// The folder that cargo builds into.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
