//! All intersecting triangle pairs of two spheres that deform: the default search against the published cascade and all
//! pairs, and against other programs where a Python is given that has them.

mod distance;
mod peers;
mod spheres;

use super::Report;
use crate::Failure;
use crate::cli::BenchArgs;
use crate::session::clock::thread_cpu_ns;
use serde_json::{Value, json};
use serosa_geometry::Vec3;
use serosa_geometry::collide::{Cascade, Collider, Meeting, every_meeting};
use spheres::{FRAMES, Spheres};
use std::path::Path;
use std::time::Instant;

/// Rings of the spheres, which have 2 k (k − 1) triangles: 480, 1,984, 8,064, 32,512, 99,904 and 200,344.
const RINGS: [u32; 6] = [16, 32, 64, 128, 224, 317];
/// The size at which the promise is given.
const PROMISED: usize = 8064;
/// So many times faster than the best of the other programs …
const RATIO_MIN: f64 = 5.0;
/// … which took this long when they were measured on a quiet machine \[ms\].
const PUBLISHED_MS: f64 = 11.6;
/// The promise: time grows at most as n to this power from the smallest size to the largest.
const GROWTH_MAX: f64 = 1.2;
/// All pairs are looked at up to this many triangles.
const BRUTE_MAX: usize = 9000;
/// The other programs are run up to this many.
const PEERS_MAX: usize = 100_000;
/// The part of a frame's motion that is made in the slow case.
const SLOW: f64 = 1.0 / 40.0;

/// One method at one size.
struct Case {
    /// Mean and least CPU time of a frame \[ms\].
    ms: f64,
    ms_min: f64,
    wall_ms: f64,
    /// What was found in each frame.
    found: Vec<Vec<Meeting>>,
}

/// Runs every method at every size and compares what they find.
pub fn bench(args: &BenchArgs, report: &mut Report) -> Result<(), Failure> {
    report.text("Two spheres deform: all intersecting triangle pairs of a frame, refit included, one thread, CPU time.");
    let largest = args.largest.map_or(usize::MAX, |n| n as usize);
    let (mut first, mut broken) = (None, Vec::new());
    for k in RINGS.into_iter().filter(|k| *k == RINGS[0] || triangles(*k) <= largest) {
        let spheres = Spheres::new(k, 1.0);
        let fast = search(&spheres, "spheres", report);
        let (n0, ms0) = *first.get_or_insert((triangles(k), fast.ms_min));
        let best = others(&spheres, &fast, args.peers.as_deref(), report)?;
        search(&Spheres::new(k, SLOW), "slow spheres", report);
        slow_twins(&spheres, &fast, report)?;
        broken.extend(distance::bench(&spheres, args.peers.as_deref(), report)?);
        if let Some(best) = best {
            let ratio = best / fast.ms;
            report.text(&format!("         {ratio:.1} times faster than the best of the other programs"));
            if triangles(k) == PROMISED && ratio < RATIO_MIN {
                broken
                    .push(format!("at {PROMISED} triangles it is {ratio:.1} times faster, not {RATIO_MIN}"));
            }
        }
        let ratio = PUBLISHED_MS / fast.ms;
        if args.strict && triangles(k) == PROMISED && ratio < RATIO_MIN {
            broken.push(format!(
                "at {PROMISED} triangles it takes {:.2} ms: {ratio:.1} times faster, not {RATIO_MIN}",
                fast.ms
            ));
        }
        broken.extend(growth(n0, ms0, k, &fast, report));
    }
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Failure::CheckFailed(broken.join("\n"))),
    }
}

fn triangles(k: u32) -> usize {
    2 * k as usize * (k as usize - 1)
}

/// The default, warm, over several rounds of the frames.
fn search(spheres: &Spheres, case: &str, report: &mut Report) -> Case {
    let mut collider = Collider::new(spheres.shells(), &spheres.frames[0]);
    for frame in &spheres.frames {
        collider.find(frame);
    }
    let (mut searches, mut candidates) = (0, 0);
    let measured = measure(spheres, 4, |points| {
        let found = collider.find(points).to_vec();
        searches += usize::from(collider.has_searched());
        candidates = candidates.max(collider.candidates());
        found
    });
    let more = json!({
        "searches": searches as f64 / (4 * FRAMES) as f64, "candidates": candidates, "published_ms": published(spheres),
    });
    tell(report, (case, "default"), spheres, &measured, more);
    measured
}

fn published(spheres: &Spheres) -> Option<f64> {
    (spheres.triangles.len() == PROMISED).then_some(PUBLISHED_MS)
}

/// The published cascade, and all pairs where that ends soon; both must find the same.
fn slow_twins(spheres: &Spheres, fast: &Case, report: &mut Report) -> Result<(), Failure> {
    let n = spheres.triangles.len();
    let (shells, mut cascade) = (spheres.shells(), Cascade::default());
    let published = measure(spheres, 1, |points| cascade.find(&shells, points));
    tell(report, ("spheres", "cascade"), spheres, &published, json!({}));
    if published.found != fast.found {
        return Err(Failure::CheckFailed(format!("at {n} triangles the default and the cascade differ")));
    }
    if n <= BRUTE_MAX {
        let mut frames = 0;
        // The first frame alone is looked at: it takes the square of all.
        let all = measure(spheres, 0, |points| {
            frames += 1;
            every_meeting(&shells, points)
        });
        tell(report, ("spheres", "brute"), spheres, &all, json!({ "frames": frames }));
        if all.found[0] != fast.found[0] {
            return Err(Failure::CheckFailed(format!("at {n} triangles the default and all pairs differ")));
        }
    }
    Ok(())
}

/// The other programs, where a Python is given; the best mean time among them \[ms\].
fn others(
    spheres: &Spheres,
    fast: &Case,
    python: Option<&Path>,
    report: &mut Report,
) -> Result<Option<f64>, Failure> {
    let n = spheres.triangles.len();
    let Some(python) = python.filter(|_| n <= PEERS_MAX) else { return Ok(None) };
    let mut best: Option<f64> = None;
    for line in peers::measure(python, spheres, "pairs")? {
        let name = line["peer"].as_str().unwrap_or_default();
        let Some(ms) = line["ms"].as_f64() else {
            let why = line["error"].as_str().unwrap_or_default();
            report.line(&json!({ "bench": "collide", "case": "spheres", "method": name, "n": n, "ms": null, "error": why }), &format!("{n:>8}  {name:<10}  not measured: {why}"));
            continue;
        };
        let exact = line["exact"] == true;
        let ratio = ms / fast.ms;
        let object = json!({
            "bench": "collide", "case": "spheres", "method": name, "n": n, "ms": ms, "ms_min": line["ms_min"],
            "pairs": if exact { line["count"].clone() } else { Value::Null },
            "candidates": if exact { Value::Null } else { line["count"].clone() }, "threads": 1, "ratio": ratio,
        });
        let what = if exact { "pairs" } else { "candidates" };
        let text = format!(
            "{n:>8}  {name:<10} {ms:>10.3} ms  {:>6} {what}  {ratio:.1} times the default",
            line["count"]
        );
        report.line(&object, &text);
        best = Some(best.map_or(ms, |b| b.min(ms)));
    }
    Ok(best)
}

/// Mean and least times over so many rounds of the frames; the first frame once where there are none.
fn measure(spheres: &Spheres, rounds: usize, mut find: impl FnMut(&[Vec3]) -> Vec<Meeting>) -> Case {
    let frames = if rounds == 0 { 1 } else { FRAMES };
    let mut case = Case { ms: 0.0, ms_min: f64::INFINITY, wall_ms: 0.0, found: Vec::new() };
    for k in 0..frames * rounds.max(1) {
        let (wall, cpu) = (Instant::now(), thread_cpu_ns());
        let found = find(&spheres.frames[k % FRAMES]);
        let wall_ms = wall.elapsed().as_secs_f64() * 1e3;
        let ms = cpu
            .zip(thread_cpu_ns())
            .map_or(wall_ms, |(before, after)| after.saturating_sub(before) as f64 * 1e-6);
        (case.ms, case.wall_ms, case.ms_min) = (case.ms + ms, case.wall_ms + wall_ms, case.ms_min.min(ms));
        if k < FRAMES {
            case.found.push(found);
        }
    }
    let calls = (frames * rounds.max(1)) as f64;
    (case.ms, case.wall_ms) = (case.ms / calls, case.wall_ms / calls);
    case
}

fn tell(report: &mut Report, (case, method): (&str, &str), spheres: &Spheres, measured: &Case, more: Value) {
    let (n, pairs) = (spheres.triangles.len(), measured.found[0].len());
    let mut object = json!({
        "bench": "collide", "case": case, "method": method, "n": n, "ms": measured.ms, "ms_min": measured.ms_min,
        "wall_ms": measured.wall_ms, "pairs": pairs, "threads": 1,
    });
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
    let text = format!("{n:>8}  {method:<10} {:>10.3} ms  {pairs:>6} pairs  {case}", measured.ms);
    report.line(&object, &text);
}

/// Tells how time grows from the smallest size, and what is wrong with that at the largest.
fn growth(n0: usize, ms0: f64, k: u32, fast: &Case, report: &mut Report) -> Option<String> {
    let n = triangles(k);
    if n == n0 {
        return None;
    }
    let power = (fast.ms_min / ms0).ln() / (n as f64 / n0 as f64).ln();
    let object = json!({
        "bench": "collide", "case": "growth", "method": "default", "n": n, "ms": fast.ms, "growth": power,
        "growth_max": GROWTH_MAX,
    });
    report.line(&object, &format!("         growth n^{power:.2} from {n0} triangles"));
    let last = k == RINGS[RINGS.len() - 1];
    (last && power > GROWTH_MAX).then(|| format!("it grows as n^{power:.2}, not within n^{GROWTH_MAX}"))
}
