//! Detection on a growing chain of links of one length, laid in a spiral on a plane so that neighbouring
//! turns touch: the number of contacts grows with the chain, as it does for a bowel that fills a belly.

use super::Report;
use crate::Failure;
use crate::cli::BenchArgs;
use serde_json::json;
use serosa_bake::raw::{RawBody, RawGeometry, RawModel, RawScene, RawSolid, at};
use serosa_bake::{Baked, bake};
use serosa_geometry::{Vec3, generate};
use serosa_sim::detect::{Finder, Places, Search};
use serosa_sim::params::Detector;
use serosa_sim::row::RowKey;
use std::time::Instant;

/// Links of the chains.
const SIZES: [u32; 5] = [100, 316, 1000, 3162, 10_000];
/// Length of a link \[m\].
const LINK: f64 = 0.01;
/// Radius of the chain \[m\].
const RADIUS: f64 = 0.004;
/// Distance of neighbouring turns \[m\]: a tenth of a diameter less than they are thick.
const PITCH: f64 = 0.9 * 2.0 * RADIUS;
/// The promise: time grows at most as n to this power from the smallest to the largest size.
const GROWTH_MAX: f64 = 1.2;

/// One method at one size.
struct Case {
    ms: f64,
    /// The shortest of the runs: what growth is measured by on a machine that is busy with other things.
    ms_min: f64,
    keys: Vec<RowKey>,
}

/// Runs both detectors at every size, in the same run, and compares what they found.
pub fn bench(args: &BenchArgs, report: &mut Report) -> Result<(), Failure> {
    let pool = crate::command::run::pool(1)?;
    let largest = args.largest.unwrap_or(u32::MAX);
    let mut first: Option<(u32, f64)> = None;
    for n in SIZES.into_iter().filter(|n| *n <= largest.max(SIZES[0])) {
        let baked = bake(&scene(n)).map_err(|f| Failure::input(format!("error: {f:?}")))?;
        let grid = pool.install(|| measure(&baked, Detector::Grid));
        let all = pool.install(|| measure(&baked, Detector::AllPairs));
        let equal = grid.keys == all.keys;
        let (n0, ms0) = *first.get_or_insert((n, grid.ms_min));
        let growth =
            if n > n0 { (grid.ms_min / ms0).ln() / (f64::from(n) / f64::from(n0)).ln() } else { 1.0 };
        for (method, case) in [("grid", &grid), ("all-pairs", &all)] {
            let object = json!({
                "bench": "chain", "case": "spiral on a plane", "method": method, "n": n, "ms": case.ms,
                "pairs": case.keys.len(), "same_pairs": equal, "threads": 1,
                "growth": if method == "grid" { json!(growth) } else { json!(null) },
                "growth_max": GROWTH_MAX,
            });
            let text =
                format!("{n:>6} links  {method:<9} {:>10.4} ms  {:>6} pairs", case.ms, case.keys.len());
            report.line(&object, &text);
        }
        if !equal {
            return Err(Failure::CheckFailed(format!("at {n} links the grid and all pairs differ")));
        }
        if n > n0 {
            let text = format!(
                "        the same pairs; grid {:.1} times faster; growth n^{growth:.2}",
                all.ms / grid.ms
            );
            report.text(&text);
        }
        if n == SIZES[SIZES.len() - 1] && growth > GROWTH_MAX {
            return Err(Failure::CheckFailed(format!(
                "the grid grows as n^{growth:.2}, not within n^{GROWTH_MAX}"
            )));
        }
    }
    Ok(())
}

/// A chain of `links` links on the plane z = 0. At rest its turns lie well apart, so that no pair is left out of
/// self-contact but neighbours along the chain.
fn scene(links: u32) -> RawScene {
    let mesh = generate::chain_through(spiral(links, 3.0 * PITCH));
    let body = |name: &str, geometry, model| RawBody { friction: 0.3, ..RawBody::new(name, geometry, model) };
    let springs = RawModel::Springs { mass: 1.0, stiffness: 1e3, damping: 0.0, bending: 0.0, tube: None };
    RawScene {
        bodies: vec![
            body("chain", RawGeometry::Mesh { mesh, radius: RADIUS }, springs),
            body(
                "plane",
                RawGeometry::Solid { solid: RawSolid::Plane, pose: at(Vec3::ZERO) },
                RawModel::Fixed,
            ),
        ],
        ..RawScene::default()
    }
}

/// Points of a spiral of even pitch, (nearly) one link apart, a tenth of a radius sunk into the plane.
fn spiral(links: u32, pitch: f64) -> Vec<Vec3> {
    let (start, growth) = (0.03, pitch / std::f64::consts::TAU);
    let point = |i: u32| {
        let radius = (start * start + 2.0 * growth * f64::from(i) * LINK).sqrt();
        let angle = (radius - start) / growth;
        Vec3::new(radius * angle.cos(), radius * angle.sin(), 0.9 * RADIUS)
    };
    (0..=links).map(point).collect()
}

/// The mean time of one detection \[ms\], after a warm one, over at least 5 runs and 0.1 s; and what it found.
fn measure(baked: &Baked, detector: Detector) -> Case {
    let mut world = baked.world();
    world.state.pos = spiral(world.model.rest.len() as u32 - 1, PITCH);
    let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
    let (mut finder, mut rows) = (Finder::default(), Vec::new());
    let mut find = || {
        let start = Instant::now();
        // From nothing: the list of pairs that is kept between steps would flatter the grid.
        finder.forget();
        finder.rows(&world.model, &world.params, detector, (at, Search::Overlap), &mut rows);
        start.elapsed().as_secs_f64()
    };
    find();
    let (mut runs, mut total) = (0, 0.0);
    let mut least = f64::INFINITY;
    while runs < 5 || (total < 0.1 && runs < 1000) {
        let one = find();
        (total, least) = (total + one, least.min(one));
        runs += 1;
    }
    Case {
        ms: total / f64::from(runs) * 1e3,
        ms_min: least * 1e3,
        keys: rows.iter().map(|r| r.key).collect(),
    }
}
