//! Flexible bodies: the published table of bake times, file sizes and online times, made anew.
//!
//! The same scenes as in the gallery. Bakes are timed from the tetrahedra to the model; conjugate gradients, the published
//! method, solve some of the modes of the same system, and their time is that of all modes at the same pace. Online is the
//! weighted sum on one thread, beside the time in which the same memory can be read at all. With `--peers` CHOLMOD takes the
//! place of conjugate gradients.

mod contact;
mod factor;

use super::Report;
use crate::Failure;
use crate::cli::BenchArgs;
use crate::command::run::{pool, progress};
use crate::scenes::{self, find};
use crate::session::clock::process_cpu_s;
use serde_json::json;
use serosa_bake::flexible::gradients::descend;
use serosa_bake::flexible::{System, choose};
use serosa_bake::raw::{Place, RawFlexible, RawGeometry, RawModel, RawScene, RawTets};
use serosa_bake::solid::materials;
use serosa_bake::{Baked, bake};
use serosa_sim::body::flexible::{FlexibleWork, largest_strain, shape};
use serosa_sim::model::FlexibleBody;
use serosa_sim::{Vec3, World};
use std::hint::black_box;
use std::time::Instant;

/// A published model: its name there, its scene, tetrahedra, nodes, surface nodes, bake \[s\] and file \[bytes\].
struct Published {
    case: &'static str,
    scene: &'static str,
    counts: [usize; 3],
    bake_s: f64,
    file_bytes: f64,
}

const PUBLISHED: [Published; 4] = [
    Published {
        case: "a",
        scene: "tube-connector",
        counts: [55_296, 13_968, 9408],
        bake_s: 18.0 * 60.0,
        file_bytes: 2.0e6,
    },
    Published {
        case: "b",
        scene: "tube-sag",
        counts: [57_600, 14_472, 9696],
        bake_s: 135.0 * 60.0,
        file_bytes: 2.3e6,
    },
    Published {
        case: "c",
        scene: "cable-spring",
        counts: [69_120, 14_520, 3096],
        bake_s: 431.0 * 60.0,
        file_bytes: 0.9e6,
    },
    Published {
        case: "d",
        scene: "plate-block",
        counts: [26_422, 5292, 3510],
        bake_s: 84.0 * 60.0,
        file_bytes: 1.0e6,
    },
];
/// A frame at the published rate \[ms\].
const FRAME_MS: f64 = 1e3 / 85.0;
/// Modes that conjugate gradients solve, as parts of all: shifts, a widening, gravity.
const SAMPLED: [f64; 3] = [0.0, 0.3, 1.0];
/// Their residual relative to the right-hand side, and the most steps: where these do not suffice the time is a lower
/// bound, and the line says so.
const TOLERANCE: f64 = 1e-6;
const STEPS: usize = 5000;
/// Times that online sums are repeated.
const REPEATS: usize = 400;

/// All published models.
pub fn bench(args: &BenchArgs, report: &mut Report) -> Result<(), Failure> {
    let mut slower = Vec::new();
    report.text("case  method         tets    nodes  surface      time   published");
    for published in &PUBLISHED {
        let progress = progress(4, published.scene);
        let scene = find(published.scene)?;
        let loaded = scenes::load(&scene)?;
        let (tets, flexible) = parts(&loaded.raw)?;
        let (baked, bake_s, cpu_s) = baked(&loaded.raw)?;
        progress.inc(1);
        let world = baked.world();
        let body = flexible_of(&world)?;
        let line = Line { published, counts: [tets.tets.len(), tets.mesh.points.len(), body.nodes.len()] };
        let file_bytes = serosa_io::baked::write(&scene.text, &loaded).map_or(0, |bytes| bytes.len());
        line.bake(
            "bake",
            bake_s,
            json!({ "file_bytes": file_bytes, "bake_cpu_s": cpu_s, "published_bytes": published.file_bytes }),
            report,
        );
        let fail = |what: String| Failure::input(format!("error: {what}"));
        let chosen = choose(tets, flexible, &[], Place::Body(0)).map_err(|f| fail(format!("{f:?}")))?;
        let materials = materials(tets, &flexible.base, &flexible.regions).map_err(|e| fail(e.0))?;
        let system = System::of(tets, &materials, &chosen);
        match &args.peers {
            Some(python) if !factor::bench(published, &system, python, report)? => {
                slower.push(published.case)
            }
            Some(_) => {}
            None => {
                let (slow_s, steps, off) = gradients(&system, body);
                let more = json!({ "modes": SAMPLED.len(), "steps": steps, "tolerance": TOLERANCE, "difference": off, "converged": steps < STEPS });
                line.bake("bake-cg", slow_s, more, report);
            }
        }
        progress.inc(1);
        line.online(body, pool(1)?.install(|| online(&world, body)), report);
        progress.finish_and_clear();
    }
    contact::bench(report)?;
    match &slower[..] {
        [] => Ok(()),
        cases => {
            let text = format!("our factor took longer than CHOLMOD's of the models {}", cases.join(", "));
            Err(Failure::CheckFailed(text))
        }
    }
}

/// A bake, and how long it took on the clock and on the processor \[s\].
fn baked(raw: &RawScene) -> Result<(Baked, f64, Option<f64>), Failure> {
    let (start, cpu) = (Instant::now(), process_cpu_s());
    let baked = bake(raw).map_err(|faults| Failure::input(format!("error: {faults:?}")))?;
    let spent = process_cpu_s().zip(cpu).map(|(now, then)| now - then);
    Ok((baked, start.elapsed().as_secs_f64(), spent))
}

fn parts(raw: &RawScene) -> Result<(&RawTets, &RawFlexible), Failure> {
    let found = raw.bodies.iter().find_map(|body| match (&body.geometry, &body.model) {
        (RawGeometry::Tets(tets), RawModel::Flexible(flexible)) => Some((tets, &**flexible)),
        _ => None,
    });
    found.ok_or_else(|| Failure::input("error: the scene has no flexible body of tetrahedra"))
}

fn flexible_of(world: &World) -> Result<&FlexibleBody, Failure> {
    let found = world.model.bodies.iter().find_map(|body| match &body.kind {
        serosa_sim::model::BodyKind::Flexible(body) => Some(&**body),
        _ => None,
    });
    found.ok_or_else(|| Failure::input("error: the model has no flexible body"))
}

/// Time of all modes at the pace of some, the most steps of one, and how far they are from the factor's \[part of the largest\].
fn gradients(system: &System, body: &FlexibleBody) -> (f64, usize, f64) {
    let columns = system.columns();
    let (start, mut steps, mut off) = (Instant::now(), 0, 0.0f64);
    for part in SAMPLED {
        let column = ((columns - 1) as f64 * part).round() as usize;
        let solved = descend(system, column, TOLERANCE, STEPS);
        steps = steps.max(solved.steps);
        let largest = solved.mode.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for (mode, node) in body.mode(column).zip(&body.nodes) {
            for (axis, x) in mode.into_iter().enumerate() {
                off = off.max((f64::from(x) - solved.mode[3 * *node as usize + axis]).abs() / largest);
            }
        }
    }
    (start.elapsed().as_secs_f64() * columns as f64 / SAMPLED.len() as f64, steps, off)
}

/// The quickest and the mean of some runs \[ms\].
fn timed(mut run: impl FnMut()) -> [f64; 2] {
    let mut times: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    [times[REPEATS / 10], times.iter().sum::<f64>() / REPEATS as f64]
}

/// The weighted sum, quickest and mean; normals; the largest strain; the modes read and no more \[ms\].
fn online(world: &World, body: &FlexibleBody) -> [f64; 5] {
    let mut work = FlexibleWork::default();
    work.place(body, world.state.controls.iter().map(|c| c.at), Vec3::new(0.0, 0.0, -9.81));
    let rest = &world.model.rest[..body.nodes.len()];
    let mut pos = rest.to_vec();
    let [ms, mean] = timed(|| shape(body, black_box(&work), rest, black_box(&mut pos)));
    let mut across = vec![Vec3::ZERO; rest.len()];
    let [normals_ms, _] = timed(|| normals(&body.triangles, black_box(&pos), black_box(&mut across)));
    let [strain_ms, _] = timed(|| {
        black_box(largest_strain(&body.triangles, rest, black_box(&pos)));
    });
    let [limit_ms, _] = timed(|| {
        black_box(read_all(black_box(&body.modes)));
    });
    [ms, mean, normals_ms, strain_ms, limit_ms]
}

/// Unit normals of all nodes, triangles weighed by their area. The step needs none; who draws does.
fn normals(triangles: &[[u32; 3]], pos: &[Vec3], out: &mut [Vec3]) {
    out.fill(Vec3::ZERO);
    for corners in triangles {
        let [a, b, c] = corners.map(|v| pos[v as usize]);
        let normal = (b - a).cross(c - a);
        corners.iter().for_each(|v| out[*v as usize] += normal);
    }
    out.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
}

struct Line<'a> {
    published: &'a Published,
    counts: [usize; 3],
}

impl Line<'_> {
    fn bake(&self, method: &str, bake_s: f64, more: serde_json::Value, report: &mut Report) {
        let ([tets, nodes, surface], p) = (self.counts, self.published);
        let mut object = json!({
            "bench": "flexible", "case": p.case, "method": method, "n": nodes, "tets": tets, "nodes": nodes,
            "surface_nodes": surface, "published_counts": p.counts, "bake_s": bake_s, "ms": 1e3 * bake_s,
            "published_s": p.bake_s,
        });
        if let (Some(object), Some(more)) = (object.as_object_mut(), more.as_object()) {
            object.extend(more.clone());
        }
        let text = format!(
            "{:<5} {method:<10} {tets:>8} {nodes:>8} {surface:>8} {bake_s:>7.2} s {:>9.0} s",
            p.case, p.bake_s
        );
        report.line(&object, &text);
    }

    fn online(&self, body: &FlexibleBody, times: [f64; 5], report: &mut Report) {
        let [ms, mean, normals_ms, strain_ms, limit_ms] = times;
        let ([tets, nodes, surface], p) = (self.counts, self.published);
        let object = json!({
            "bench": "flexible", "case": p.case, "method": "online", "n": surface, "tets": tets, "nodes": nodes,
            "surface_nodes": surface, "ms": ms, "ms_mean": mean, "normals_ms": normals_ms, "strain_ms": strain_ms, "limit_ms": limit_ms,
            "bytes": 4 * body.modes.len(), "columns": body.columns(), "published_ms": FRAME_MS,
            "published_s": 1e-3 * FRAME_MS, "threads": 1,
        });
        let text = format!(
            "{:<5} {:<10} {tets:>8} {nodes:>8} {surface:>8} {ms:>6.3} ms {FRAME_MS:>8.1} ms  (memory alone {limit_ms:.3} ms, normals {normals_ms:.3} ms, strain {strain_ms:.3} ms)",
            p.case, "online"
        );
        report.line(&object, &text);
    }
}

/// The sum of all numbers, in as many lanes as keep up with memory.
fn read_all(all: &[f32]) -> f32 {
    let (whole, rest) = all.as_chunks::<64>();
    let mut lanes = [0.0f32; 64];
    for chunk in whole {
        lanes.iter_mut().zip(chunk).for_each(|(lane, x)| *lane += x);
    }
    lanes.iter().chain(rest).sum()
}
