//! Signed distances of one sphere's points to the other, which deforms: against libigl where a Python is given that has it.

use super::spheres::{FRAMES, Spheres};
use super::{PEERS_MAX, PROMISED, peers};
use crate::Failure;
use crate::bench::Report;
use crate::session::clock::thread_cpu_ns;
use serde_json::json;
use serosa_geometry::{Distance, Near, Topology};
use std::path::Path;

/// The promise at [`PROMISED`] triangles: so many times faster than libigl.
const RATIO_MIN: f64 = 10.0;
/// Rounds of the frames that are measured.
const ROUNDS: usize = 4;

/// Measures the default and libigl; what is broken of the promise.
pub fn bench(
    spheres: &Spheres,
    python: Option<&Path>,
    report: &mut Report,
) -> Result<Option<String>, Failure> {
    let (n, queries) = (spheres.triangles.len(), spheres.points);
    let (ms, ms_min, inside) = search(spheres);
    let line = |method: &str, ms: f64, ms_min: f64, inside: u64, ratio: Option<f64>| {
        json!({
            "bench": "collide", "case": "signed-distance", "method": method, "n": n, "ms": ms, "ms_min": ms_min,
            "queries": queries, "inside": inside, "threads": 1, "ratio": ratio,
        })
    };
    let text =
        format!("{n:>8}  default    {ms:>10.3} ms  {inside:>6} of {queries} points inside  signed-distance");
    report.line(&line("default", ms, ms_min, inside, None), &text);
    let Some(python) = python.filter(|_| n <= PEERS_MAX) else { return Ok(None) };
    let mut broken = None;
    for other in peers::measure(python, spheres, "distance")? {
        let (Some(other_ms), Some(count)) = (other["ms"].as_f64(), other["count"].as_u64()) else {
            report.text(&format!("{n:>8}  libigl      not measured: {}", other["error"]));
            continue;
        };
        if count != inside {
            return Err(Failure::CheckFailed(format!("{inside} points are inside, by libigl {count}")));
        }
        let ratio = other_ms / ms;
        let text = format!(
            "{n:>8}  libigl     {other_ms:>10.3} ms  {count:>6} inside  {ratio:.1} times the default"
        );
        let least = other["ms_min"].as_f64().unwrap_or(other_ms);
        report.line(&line("libigl", other_ms, least, count, Some(ratio)), &text);
        if n == PROMISED && ratio < RATIO_MIN {
            broken =
                Some(format!("signed distances are {ratio:.1} times faster than libigl's, not {RATIO_MIN}"));
        }
    }
    Ok(broken)
}

/// Mean and least CPU time of a warm frame, refit included \[ms\], and how many points are inside in the first one.
fn search(spheres: &Spheres) -> (f64, f64, u64) {
    let parts = |frame: usize| spheres.frames[frame % FRAMES].split_at(spheres.points);
    let topology = Topology::of(&spheres.triangles, spheres.points);
    let mut distance = Distance::of(topology.into(), parts(0).1);
    let mut found = vec![Near::NOTHING; spheres.points];
    let (mut sum, mut least, mut inside) = (0.0, f64::INFINITY, 0);
    // The first round warms up.
    for frame in 0..(ROUNDS + 1) * FRAMES {
        let (points, surface) = parts(frame);
        let before = thread_cpu_ns().unwrap_or_default();
        distance.refit(surface);
        distance.signed_all(points, &mut found);
        let ms = (thread_cpu_ns().unwrap_or_default() - before) as f64 * 1e-6;
        if frame == 0 {
            inside = found.iter().filter(|near| near.distance < 0.0).count() as u64;
        }
        if frame >= FRAMES {
            (sum, least) = (sum + ms, ms.min(least));
        }
    }
    (sum / (ROUNDS * FRAMES) as f64, least, inside)
}
