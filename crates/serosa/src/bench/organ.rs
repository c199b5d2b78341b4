//! Solids of tetrahedra: time of a step of 20 vertex sweeps, from 5,000 to 500,000 tetrahedra, on one thread and on two,
//! and how far it is from the exact minimum.
//!
//! Wall clock, and on one thread its CPU clock as well, which other programs disturb less.
//!
//! A block of tissue held at one side falls by its weight. A structured block has tetrahedra in their best order in
//! memory; the same with its vertices and tetrahedra shuffled has them in the worst.

use super::Report;
use super::walk::{mean, p99};
use crate::Failure;
use crate::cli::BenchArgs;
use crate::command::run::{pool, progress};
use crate::session::clock::thread_cpu_ns;
use serde_json::json;
use serosa_bake::raw::{RawBody, RawDescent, RawElastic, RawGeometry, RawModel, RawScene, RawTets, Selector};
use serosa_bake::{Baked, bake};
use serosa_geometry::generate::block::{Block, block};
use serosa_geometry::{Mesh, Vec3};
use serosa_sim::model::{Law, Region};
use serosa_sim::{Input, World, body, step};
use std::time::Instant;

/// Cells along an edge of the block: 6 n³ tetrahedra.
const CELLS: [usize; 6] = [10, 11, 19, 29, 36, 44];
/// The promise: so many tetrahedra, 20 sweeps, two threads \[ms\].
const PROMISED: (usize, f64) = (41_154, 16.0);
/// Sweeps of a step.
const SWEEPS: u32 = 20;
/// Steps that are timed, after some that are not.
const STEPS: usize = 20;
const WARM: usize = 3;

/// What is measured.
#[derive(Clone, Copy, PartialEq)]
enum Case {
    Block,
    Shuffled,
    Damped,
    Corotated,
}

impl Case {
    const ALL: [Self; 4] = [Self::Block, Self::Shuffled, Self::Damped, Self::Corotated];

    fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Shuffled => "block-shuffled",
            Self::Damped => "block-damped",
            Self::Corotated => "block-corotated",
        }
    }
}

/// Runs all sizes up to the largest asked for, in tetrahedra.
pub fn bench(args: &BenchArgs, report: &mut Report) -> Result<(), Failure> {
    let largest = args.largest.map_or(usize::MAX, |n| n as usize);
    let mut broken = Vec::new();
    report.text("case              threads      tets     nodes  ms/step      p99   ns/tet/sweep   residual");
    for cells in CELLS.into_iter().filter(|n| 6 * n * n * n <= largest.max(6000)) {
        for case in Case::ALL.into_iter().filter(|c| *c == Case::Block || cells == 19) {
            let baked = bake_block(cells, case)?;
            for threads in [1, 2] {
                let bar = progress(3, &format!("{} {}", case.name(), baked.model.tets.len()));
                let outcome = pool(threads)?.install(|| measure(&baked));
                bar.finish_and_clear();
                outcome.tell(case, threads, report);
                if args.strict && case == Case::Block && threads == 2 && outcome.tets == PROMISED.0 {
                    broken.extend((outcome.ms > PROMISED.1).then(|| {
                        format!(
                            "{} tetrahedra take {:.1} ms, more than {} ms",
                            outcome.tets, outcome.ms, PROMISED.1
                        )
                    }));
                }
            }
        }
    }
    super::bar::bench(args, report)?;
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Failure::CheckFailed(broken.join("\n"))),
    }
}

fn bake_block(n: usize, case: Case) -> Result<Baked, Failure> {
    let (mut mesh, mut tets) = block(&Block { corner: Vec3::ZERO, size: Vec3::splat(0.1), cells: [n; 3] });
    if case == Case::Shuffled {
        shuffle(&mut mesh, &mut tets);
    }
    let law = if case == Case::Corotated { Law::Corotated } else { Law::NeoHookean };
    let base = Region { name: "tissue".into(), law, young: 1e4, poisson: 0.45, density: 1060.0 };
    let relaxation_s = if case == Case::Damped { 5e-3 } else { 0.0 };
    let elastic = RawElastic {
        base,
        regions: Vec::new(),
        relaxation_s,
        walls: Vec::new(),
        ties: Vec::new(),
        descent: RawDescent::Vertex,
        thickness: None,
    };
    let geometry = RawGeometry::Tets(RawTets { mesh, tets, ..RawTets::default() });
    let mut body = RawBody::new("block", geometry, RawModel::Solid(elastic));
    body.attachments = vec![Selector::Name("left".into())];
    let mut raw = RawScene { bodies: vec![body], ..RawScene::default() };
    (raw.world.dt_s, raw.world.sweeps) = (1.0 / 120.0, SWEEPS);
    bake(&raw).map_err(|faults| Failure::input(format!("{faults:?}")))
}

/// Renumbers vertices and tetrahedra at random, the same every time.
fn shuffle(mesh: &mut Mesh, tets: &mut [[u32; 4]]) {
    let key = |i: u32| u64::from(i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 7;
    let mut order: Vec<u32> = (0..mesh.points.len() as u32).collect();
    order.sort_by_key(|v| key(*v));
    let mut place = vec![0; order.len()];
    order.iter().zip(0..).for_each(|(v, i)| place[*v as usize] = i);
    mesh.points = order.iter().map(|v| mesh.points[*v as usize]).collect();
    let mut number = 0;
    tets.sort_by_cached_key(|_| {
        number += 1;
        key(number)
    });
    tets.iter_mut().for_each(|t| *t = t.map(|v| place[v as usize]));
    mesh.triangles.iter_mut().for_each(|t| *t = t.map(|v| place[v as usize]));
    for set in mesh.sets.values_mut() {
        set.iter_mut().for_each(|v| *v = place[*v as usize]);
        set.sort_unstable();
    }
}

struct Outcome {
    tets: usize,
    nodes: usize,
    ms: f64,
    ms_p99: f64,
    /// Of the one thread.
    cpu_ms: Option<f64>,
    residual: f64,
}

fn measure(baked: &Baked) -> Outcome {
    let mut world = baked.world();
    let input = Input::at_rest(&world);
    let (mut times, mut cpu) = (Vec::new(), Vec::new());
    for i in 0..WARM + STEPS {
        let (start, before) = (Instant::now(), thread_cpu_ns());
        step(&mut world, &input, &mut || 0);
        if i >= WARM {
            times.push(start.elapsed().as_secs_f64() * 1e3);
            cpu.extend(before.zip(thread_cpu_ns()).map(|(before, after)| (after - before) as f64 * 1e-6));
        }
    }
    Outcome {
        tets: world.model.tets.len(),
        nodes: world.model.rest.len(),
        ms: mean(&times, |t| *t),
        cpu_ms: (rayon::current_num_threads() == 1 && !cpu.is_empty()).then(|| mean(&cpu, |t| *t)),
        ms_p99: p99(&times, |t| *t),
        residual: residual(&mut world, &input),
    }
}

/// What one more step leaves of the gradient of its potential, as a share of what it began with: 0 is the exact step.
fn residual(world: &mut World, input: &Input) -> f64 {
    let before = world.clone();
    step(world, input, &mut || 0);
    slope(&before, &world.state.pos) / slope(&before, &before.state.pos)
}

/// How steep the potential of a step from `before` is \[N\], without damping.
pub(super) fn slope(before: &World, pos: &[Vec3]) -> f64 {
    let (h, model) = (before.params.dt_s, &before.model);
    let mut force = vec![Vec3::ZERO; pos.len()];
    body::forces(model, &before.params, pos, &mut force);
    let one = |v: usize| {
        let target = before.state.pos[v] + (before.state.vel[v] + before.params.fall() * h) * h;
        ((pos[v] - target) * (model.mass[v] / (h * h)) - force[v]).length_squared()
    };
    (0..pos.len()).filter(|v| model.inv_mass[*v] > 0.0).map(one).sum::<f64>().sqrt()
}

impl Outcome {
    fn tell(&self, case: Case, threads: usize, report: &mut Report) {
        let Self { tets, nodes, ms, ms_p99, cpu_ms, residual } = self;
        let each = cpu_ms.unwrap_or(*ms) * 1e6 / (*tets as f64 * f64::from(SWEEPS));
        // With damping, forces are not all of the gradient.
        let left = (case != Case::Damped).then_some(*residual);
        let object = json!({
            "bench": "organ", "case": case.name(), "method": "vertex", "n": tets, "nodes": nodes, "ms": ms,
            "ms_p99": ms_p99, "cpu_ms": cpu_ms, "ns_per_tet_sweep": each, "sweeps": SWEEPS, "residual": left, "threads": threads,
        });
        let left = left.map_or("-".to_owned(), |r| format!("{r:.1e}"));
        let text = format!(
            "{:<17} {threads:>7} {tets:>9} {nodes:>9} {ms:>8.2} {ms_p99:>8.2} {each:>14.2} {left:>10}",
            case.name()
        );
        report.line(&object, &text);
    }
}
