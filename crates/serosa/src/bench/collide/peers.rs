//! Other programs in the same run, through the Python that has them.

use super::super::python::Script;
use super::spheres::Spheres;
use crate::Failure;
use serde_json::Value;
use std::path::Path;

const SCRIPT: Script =
    Script { text: include_str!("peers.py"), needs: "numpy, coal, python-fcl, libigl and ipctk" };

/// Runs the other programs on the spheres, for `pairs` or for a `distance`; one object for each, as `peers.py` writes them.
pub fn measure(python: &Path, spheres: &Spheres, what: &str) -> Result<Vec<Value>, Failure> {
    SCRIPT.run(python, what, &bytes(spheres))
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
