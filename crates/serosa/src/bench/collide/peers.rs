//! Other programs in the same run, through the Python that has them.

use super::spheres::Spheres;
use crate::Failure;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const SCRIPT: &str = include_str!("peers.py");

/// Runs the other programs on the spheres, for `pairs` or for a `distance`; one object for each, as `peers.py` writes them.
pub fn measure(python: &Path, spheres: &Spheres, what: &str) -> Result<Vec<Value>, Failure> {
    let name = python.display();
    let failed = |what: String| {
        let help = "give a Python that has numpy, coal, python-fcl, libigl and ipctk, or leave --peers out";
        Failure::input(format!("error: {name} {what}\n  help: {help}"))
    };
    let mut child = Command::new(python)
        .args(["-c", SCRIPT, what])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| failed(format!("cannot be started: {e}")))?;
    // A child that ended early says below why; what is left unwritten does not matter then.
    let written = child.stdin.take().map(|mut to| to.write_all(&bytes(spheres)));
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

/// Counts, triangles and frames, as the script reads them: little-endian.
fn bytes(spheres: &Spheres) -> Vec<u8> {
    let counts = [spheres.frames.len(), spheres.points, spheres.triangles.len()];
    let mut bytes: Vec<u8> = counts.iter().flat_map(|n| (*n as u64).to_le_bytes()).collect();
    bytes.extend(spheres.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()));
    let points = spheres.frames.iter().flatten();
    bytes.extend(points.flat_map(|p| p.to_array()).flat_map(f64::to_le_bytes));
    bytes
}
