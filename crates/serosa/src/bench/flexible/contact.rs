//! The published model (e): boundary elements, and a sphere led along their surface.
//!
//! Two times online: that of fifty nodes displaced by an update of the precomputed body, all nodes of the surface moved,
//! and that of whole steps of the scene with its tool, its friction and its filter.

use super::super::Report;
use super::{FRAME_MS, flexible_of, timed};
use crate::Failure;
use crate::command::run::{pool, progress};
use crate::scenes::{self, find};
use crate::session::{Device, Session};
use serde_json::json;
use serosa_sim::algebra::Capacitance;
use serosa_sim::model::{Compliance, FlexibleBody};
use serosa_sim::{Vec3, World};
use std::hint::black_box;
use std::time::Instant;

const SCENE: &str = "bem-contact";
/// Published: surface nodes, bake \[s\], file \[bytes\].
const PUBLISHED: (usize, f64, f64) = (800, 30.0 * 60.0, 10e6);
/// Nodes that are touched.
const TOUCHED: usize = 50;
/// How far each of them is pushed \[m\].
const DEPTH: f64 = 2e-3;
/// Steps of the scene.
const STEPS: usize = 900;

/// Bake, update and steps.
pub fn bench(report: &mut Report) -> Result<(), Failure> {
    let progress = progress(3, SCENE);
    let scene = find(SCENE)?;
    let loaded = scenes::load(&scene)?;
    let (baked, bake_s, cpu_s) = super::baked(&loaded.raw)?;
    progress.inc(1);
    let (world, (nodes, published_s, published_bytes)) = (baked.world(), PUBLISHED);
    let surface = flexible_of(&world)?.nodes.len();
    let file_bytes = serosa_io::baked::write(&scene.text, &loaded).map_or(0, |bytes| bytes.len());
    let object = json!({
        "bench": "flexible", "case": "e", "method": "bake", "n": surface, "tets": null, "nodes": surface,
        "surface_nodes": surface, "published_counts": [null, null, nodes], "bake_s": bake_s, "ms": 1e3 * bake_s,
        "published_s": published_s, "bake_cpu_s": cpu_s, "file_bytes": file_bytes, "published_bytes": published_bytes,
    });
    let text =
        format!("e     bake               -        - {surface:>8} {bake_s:>7.2} s {published_s:>9.0} s");
    report.line(&object, &text);
    let ([ms, mean], pushed) = pool(1)?.install(|| update(&world, flexible_of(&world)?))?;
    let object = json!({
        "bench": "flexible", "case": "e", "method": "update", "n": TOUCHED, "nodes": surface, "surface_nodes": surface, "ms": ms,
        "ms_mean": mean, "pushed": pushed, "published_ms": FRAME_MS, "published_s": 1e-3 * FRAME_MS, "threads": 1,
    });
    let text = format!(
        "e     update             -        - {surface:>8} {ms:>6.3} ms {FRAME_MS:>8.1} ms  ({TOUCHED} nodes, {pushed} pushed)"
    );
    report.line(&object, &text);
    progress.inc(1);
    let mut session = Session::new(world, Device::of_scene(&loaded.raw, &loaded.baked.model));
    let ([mean, worst], most) = pool(1)?.install(|| steps(&mut session))?;
    let object = json!({
        "bench": "flexible", "case": "e", "method": "online", "n": surface, "nodes": surface, "surface_nodes": surface, "ms": mean,
        "ms_p99": worst, "contacts": most, "published_ms": FRAME_MS, "published_s": 1e-3 * FRAME_MS, "threads": 1,
    });
    let text = format!(
        "e     online             -        - {surface:>8} {mean:>6.3} ms {FRAME_MS:>8.1} ms  (whole steps, {worst:.3} ms at worst but one in a hundred, {most} contacts)"
    );
    report.line(&object, &text);
    progress.finish_and_clear();
    Ok(())
}

/// Fifty nodes pushed inwards: forces, then all nodes. Times \[ms\], and how many nodes are pushed in the end.
fn update(world: &World, body: &FlexibleBody) -> Result<([f64; 2], usize), Failure> {
    let Compliance::All(columns) = &body.compliance else {
        return Err(Failure::input("error: the body has no compliance"));
    };
    let (rest, n) = (&world.model.rest[..body.nodes.len()], 3 * body.nodes.len());
    let mut touched: Vec<usize> = (0..rest.len()).collect();
    touched.sort_by(|a, b| rest[*b].z.total_cmp(&rest[*a].z));
    touched.truncate(TOUCHED);
    let ways: Vec<Vec3> = touched.iter().map(|v| -rest[*v].normalize_or_zero()).collect();
    let entry = |i: usize, j: usize| {
        let [v, w] = [touched[i], touched[j]];
        let column =
            |k: usize| Vec3::from_slice(&[0, 1, 2].map(|a| f64::from(columns[(3 * v + k) * n + 3 * w + a])));
        (0..3).map(|k| ways[i][k] * column(k).dot(ways[j])).sum::<f64>()
    };
    let gaps = vec![-DEPTH; TOUCHED];
    let (mut capacitance, mut forces, mut moved) = (Capacitance::default(), vec![0.0; TOUCHED], vec![0.0; n]);
    let mut matrix = vec![0.0; TOUCHED * TOUCHED];
    let times = timed(|| {
        forces.fill(0.0);
        (0..TOUCHED * TOUCHED).for_each(|k| matrix[k] = entry(k / TOUCHED, k % TOUCHED));
        black_box(capacitance.push(&matrix, black_box(&gaps), &mut forces));
        moved.fill(0.0);
        for (i, force) in forces.iter().enumerate().filter(|(_, f)| **f > 0.0) {
            for k in 0..3 {
                let by = *force * ways[i][k];
                let column = &columns[(3 * touched[i] + k) * n..][..n];
                moved.iter_mut().zip(column).for_each(|(to, g)| *to += by * f64::from(*g));
            }
        }
        black_box(&moved);
    });
    Ok((times, forces.iter().filter(|f| **f > 0.0).count()))
}

/// The scene as it runs: mean and 99th percentile \[ms\], and the most contacts.
fn steps(session: &mut Session) -> Result<([f64; 2], u32), Failure> {
    let mut times = Vec::with_capacity(STEPS);
    let mut most = 0;
    for _ in 0..STEPS {
        let start = Instant::now();
        session.step().map_err(|error| Failure::input(format!("error: {error}")))?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        most = most.max(session.world.report.contacts);
    }
    times.sort_by(f64::total_cmp);
    Ok(([times.iter().sum::<f64>() / STEPS as f64, times[STEPS * 99 / 100]], most))
}
