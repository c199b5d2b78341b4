//! The soft bar on which other engines were timed: held at one end, it swings under its weight and settles.
//!
//! Per frame of 1/60 s, on one thread, by the thread's CPU clock. Exact is the same step with its potential descended
//! until nothing is left of the gradient; the linear bar, with an exact solve a step, is shown beside it. Quadratic
//! tetrahedra of twice the size, about as many nodes, have an exact step of their own.

use super::Report;
use super::organ::slope;
use crate::Failure;
use crate::cli::BenchArgs;
use crate::command::run::{pool, progress};
use crate::session::clock::thread_cpu_ns;
use serde_json::json;
use serosa_bake::assemble::{Lame, add_inertia, elastic_stiffness, lumped_masses};
use serosa_bake::bake;
use serosa_bake::cholesky::factor;
use serosa_bake::raw::{RawBody, RawDescent, RawElastic, RawGeometry, RawModel, RawScene, RawTets, Selector};
use serosa_geometry::{Aabb, Mesh, Vec3};
use serosa_sim::algebra::sparse::{Fronts, Precision};
use serosa_sim::model::{Law, Region};
use serosa_sim::{Input, World, step};

/// A bar on which another engine was timed.
struct Specimen {
    name: &'static str,
    law: Law,
    /// \[m\]
    size: [f64; 3],
    /// Along and across.
    cells: [usize; 2],
    /// A step \[s\], and how many.
    dt_s: f64,
    frames: usize,
    /// The other engine's mean time of a step on a quiet machine \[ms\].
    published: f64,
}

impl Specimen {
    /// The engine with the shortest times; at none of the three sizes did its solves converge, by its own count.
    const fn bar(cells: [usize; 2], published: f64) -> Self {
        let (size, dt_s) = ([0.10, 0.04, 0.04], 1.0 / 60.0);
        Self { name: "bar", law: Law::NeoHookean, size, cells, dt_s, frames: 120, published }
    }

    /// SOFA's beam at its own step, converged: it bends by a third of its length. Its law is the corotated one.
    const fn beam(name: &'static str, law: Law, cells: [usize; 2], published: f64) -> Self {
        Self { name, law, size: [0.16, 0.04, 0.04], cells, dt_s: 0.01, frames: 100, published }
    }
}

const SPECIMENS: [Specimen; 9] = [
    Specimen::bar([19, 6], 6.8),
    Specimen::bar([29, 12], 46.9),
    Specimen::bar([49, 19], 308.0),
    Specimen::beam("beam", Law::NeoHookean, [39, 4], 5.2),
    Specimen::beam("beam", Law::NeoHookean, [49, 9], 207.0),
    Specimen::beam("beam", Law::NeoHookean, [79, 15], 1679.0),
    Specimen::beam("beam-corotated", Law::Corotated, [39, 4], 5.2),
    Specimen::beam("beam-corotated", Law::Corotated, [49, 9], 207.0),
    Specimen::beam("beam-corotated", Law::Corotated, [79, 15], 1679.0),
];
const YOUNG: f64 = 1e5;
const POISSON: f64 = 0.45;
const DENSITY: f64 = 1000.0;
const GRAVITY: f64 = 9.81;
/// Iterations of the exact step.
const EXACT: u32 = 14;
/// Passes that are tried.
const GLOBAL: [u32; 4] = [1, 2, 3, 4];
const VERTEX: [u32; 3] = [20, 100, 400];
/// The promise: both errors below this, in less time than the published ones.
const ERROR: f64 = 0.01;

/// Tetrahedra as the other engines had them: cells in the order of z, y, x, each of six, and all first ones first.
struct Bar {
    of: &'static Specimen,
    points: Vec<Vec3>,
    tets: Vec<[u32; 4]>,
    /// Of quadratic ones.
    middles: Vec<[u32; 6]>,
}

impl Bar {
    fn new(of: &'static Specimen) -> Self {
        Self::of_cells(of, of.cells)
    }

    /// Quadratic tetrahedra with about as many nodes.
    fn raised(of: &'static Specimen) -> Self {
        let bar = Self::of_cells(of, of.cells.map(|n| n / 2));
        let raw = bar.shape().raised();
        Self { points: raw.mesh.points, middles: raw.middles, ..bar }
    }

    fn of_cells(of: &'static Specimen, [along, across]: [usize; 2]) -> Self {
        let side = across + 1;
        let (mut points, mut tets) = (Vec::new(), Vec::new());
        for k in 0..(along + 1) * side * side {
            let at = [k / (side * side), k / side % side, k % side];
            let place = |c: usize| of.size[c] * at[c] as f64 / [along, across, across][c] as f64;
            points.push(Vec3::new(place(0), place(1), place(2)));
        }
        for axes in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            for cell in 0..along * across * across {
                let mut at = [cell / (across * across), cell / across % across, cell % across];
                let node = |at: [usize; 3]| ((at[0] * side + at[1]) * side + at[2]) as u32;
                let mut tet = [node(at); 4];
                for (i, axis) in axes.into_iter().enumerate() {
                    at[axis] += 1;
                    tet[i + 1] = node(at);
                }
                let [a, b, c, d] = tet.map(|v| points[v as usize]);
                if (b - a).cross(c - a).dot(d - a) < 0.0 {
                    tet.swap(2, 3);
                }
                tets.push(tet);
            }
        }
        Self { of, points, tets, middles: Vec::new() }
    }

    fn shape(&self) -> RawTets {
        let boundary = serosa_geometry::tets::Tets::of(&self.points, &self.tets).boundary;
        let mesh = Mesh::from_triangles(self.points.clone(), boundary);
        RawTets { mesh, tets: self.tets.clone(), middles: self.middles.clone(), ..RawTets::default() }
    }

    fn ends(&self) -> (Vec<bool>, Vec<usize>) {
        let fixed = self.points.iter().map(|p| p.x < 1e-9).collect();
        (fixed, (0..self.points.len()).filter(|v| self.points[*v].x > self.of.size[0] - 1e-6).collect())
    }

    fn scene(&self, descent: RawDescent) -> RawScene {
        let base = Region {
            name: "rubber".into(),
            law: self.of.law,
            young: YOUNG,
            poisson: POISSON,
            density: DENSITY,
        };
        let elastic = RawElastic {
            base,
            regions: vec![],
            relaxation_s: 0.0,
            walls: vec![],
            ties: vec![],
            descent,
            thickness: None,
        };
        let mut body = RawBody::new("bar", RawGeometry::Tets(self.shape()), RawModel::Solid(elastic));
        let left = Aabb { min: Vec3::splat(-1.0), max: Vec3::new(1e-9, 1.0, 1.0) };
        body.attachments = vec![Selector::Box(left)];
        let mut raw = RawScene { bodies: vec![body], ..RawScene::default() };
        raw.world.dt_s = self.of.dt_s;
        raw.world.gravity = Vec3::NEG_Z * GRAVITY;
        raw
    }

    /// The linear bar: where its tip settles, and the lowest that it swings \[m\].
    fn linear(&self) -> Result<[f64; 2], Failure> {
        let ((fixed, tip), dt_s) = (self.ends(), self.of.dt_s);
        let n = self.tets.len();
        let mass = lumped_masses(&self.points, &self.tets, &vec![DENSITY; n]);
        let stiffness =
            elastic_stiffness(&self.points, &self.tets, &vec![Lame::of(YOUNG, POISSON); n], &fixed);
        let mut implicit = stiffness.clone();
        add_inertia(&mut implicit, &mass, dt_s);
        let no = |e| Failure::input(format!("error: {e}"));
        let [still, moving] = [&stiffness, &implicit].map(|m| factor(m, &self.points, Precision::Double));
        let (still, moving, mut fronts) = (still.map_err(no)?, moving.map_err(no)?, Fronts::default());
        let inertia = |k: usize| if fixed[k / 3] { 0.0 } else { mass[k / 3] };
        let weight = |k: usize| if k % 3 == 2 { -inertia(k) * GRAVITY } else { 0.0 };
        let at_tip = |x: &[f64]| tip.iter().map(|v| x[3 * v + 2]).sum::<f64>() / tip.len() as f64;
        let mut sag: Vec<f64> = (0..3 * mass.len()).map(weight).collect();
        still.solve(&mut sag, 1, &mut fronts);
        let (mut x, mut v, mut low) = (vec![0.0; sag.len()], vec![0.0; sag.len()], 0.0f64);
        for _ in 0..self.of.frames / 4 {
            let force = |k: usize| weight(k) + inertia(k) * (x[k] / dt_s + v[k]) / dt_s;
            let mut next: Vec<f64> = (0..x.len()).map(force).collect();
            moving.solve(&mut next, 1, &mut fronts);
            (0..x.len()).for_each(|k| v[k] = (next[k] - x[k]) / dt_s);
            x = next;
            low = low.min(at_tip(&x));
        }
        Ok([at_tip(&sag), low])
    }
}

/// What a run of so many passes a frame has shown.
struct Outcome {
    /// Mean and the shortest tenth \[ms\].
    ms: [f64; 2],
    /// Where the tip settles and the lowest that it swings \[m\].
    tip: [f64; 2],
    /// What a step leaves of the gradient over the weights of all vertices, both as one vector; the worst of the swing.
    residual: f64,
}

fn run(mut world: World, passes: u32, bar: &Bar) -> Outcome {
    let frames = bar.of.frames;
    let (_, tip) = bar.ends();
    let heavy = |v: usize| if world.model.inv_mass[v] > 0.0 { world.model.mass[v] * GRAVITY } else { 0.0 };
    let weight = (0..bar.points.len()).map(|v| heavy(v) * heavy(v)).sum::<f64>().sqrt();
    let input = Input { sweeps: passes, ..Input::at_rest(&world) };
    let (mut times, mut heights, mut residual) = (Vec::new(), Vec::new(), 0.0f64);
    for frame in 0..frames {
        let before = (frame % 8 == 7 && frame < frames / 4).then(|| world.clone());
        let start = thread_cpu_ns();
        step(&mut world, &input, &mut || 0);
        times.extend(start.zip(thread_cpu_ns()).map(|(a, b)| (b - a) as f64 * 1e-6));
        if let Some(before) = before {
            residual = residual.max(slope(&before, &world.state.pos) / weight);
        }
        let sunk = |v: &usize| world.state.pos[*v].z - bar.points[*v].z;
        heights.push(tip.iter().map(sunk).sum::<f64>() / tip.len() as f64);
    }
    let last = &heights[frames - (frames / 4).max(1)..];
    let settled = last.iter().sum::<f64>() / last.len() as f64;
    let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
    times.sort_by(f64::total_cmp);
    let quiet = times.get(times.len() / 10).copied().unwrap_or(0.0);
    Outcome { ms: [mean, quiet], tip: [settled, heights.iter().copied().fold(0.0, f64::min)], residual }
}

/// All sizes up to the largest asked for, in tetrahedra.
pub fn bench(args: &BenchArgs, report: &mut Report) -> Result<(), Failure> {
    let largest = args.largest.map_or(usize::MAX, |n| n as usize);
    let mut broken = Vec::new();
    report.text(
        "\ncase            method              nodes   passes  ms/frame  quietest  published  error tip  error swing   residual",
    );
    for specimen in &SPECIMENS {
        let bar = Bar::new(specimen);
        if bar.tets.len() > largest.max(6000) {
            continue;
        }
        broken.extend(size(&bar, args.strict, report)?);
    }
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Failure::CheckFailed(broken.join("\n"))),
    }
}

/// One size, all methods. Says what is promised and does not hold.
fn size(bar: &Bar, strict: bool, report: &mut Report) -> Result<Option<String>, Failure> {
    let baked =
        |descent| bake(&bar.scene(descent)).map_err(|faults| Failure::input(format!("error: {faults:?}")));
    let one = pool(1)?;
    let run = |world, passes| one.install(|| run(world, passes, bar));
    let progress = progress(3, &format!("{} {}", bar.of.name, bar.points.len()));
    let global = baked(RawDescent::Global)?;
    let exact = run(global.world(), EXACT);
    let linear = Outcome { ms: [0.0; 2], tip: bar.linear()?, residual: 0.0 };
    let mut best = f64::INFINITY;
    let tell = Line { bar, exact: exact.tip };
    tell.line("linear", 0, &linear, report);
    tell.line("exact", EXACT, &exact, report);
    for n in GLOBAL {
        let outcome = run(global.world(), n);
        if tell.errors(&outcome).iter().all(|e| *e <= ERROR) {
            best = best.min(outcome.ms[1]);
        }
        tell.line("global", n, &outcome, report);
    }
    let vertex = baked(RawDescent::Vertex)?;
    for n in VERTEX.into_iter().filter(|n| *n as usize * bar.tets.len() <= 3_000_000) {
        tell.line("vertex", n, &run(vertex.world(), n), report);
    }
    quadratic(&Bar::raised(bar.of), report)?;
    progress.finish_and_clear();
    let slow = strict && best >= bar.of.published;
    let errors = !best.is_finite();
    let say = |what: &str| Some(format!("the {} of {} nodes {what}", bar.of.name, bar.points.len()));
    Ok(if errors {
        say("is nowhere as exact as promised")
    } else {
        slow.then(|| say("takes too long")).flatten()
    })
}

/// Quadratic tetrahedra: a bar that does not lock, beside its own exact step.
fn quadratic(bar: &Bar, report: &mut Report) -> Result<(), Failure> {
    let baked = bake(&bar.scene(RawDescent::Global))
        .map_err(|faults| Failure::input(format!("error: {faults:?}")))?;
    let one = pool(1)?;
    let run = |passes| one.install(|| run(baked.world(), passes, bar));
    let exact = run(EXACT);
    let tell = Line { bar, exact: exact.tip };
    tell.line("quadratic, exact", EXACT, &exact, report);
    for n in GLOBAL {
        tell.line("quadratic", n, &run(n), report);
    }
    Ok(())
}

struct Line<'a> {
    bar: &'a Bar,
    exact: [f64; 2],
}

impl Line<'_> {
    fn errors(&self, outcome: &Outcome) -> [f64; 2] {
        [0, 1].map(|k| (outcome.tip[k] / self.exact[k] - 1.0).abs())
    }

    fn line(&self, method: &str, passes: u32, outcome: &Outcome, report: &mut Report) {
        let ([ms, quiet], [tip, swing], nodes) = (outcome.ms, outcome.tip, self.bar.points.len());
        let [error_tip, error_swing] = self.errors(outcome);
        let object = json!({
            "bench": "organ", "case": self.bar.of.name, "method": method, "n": self.bar.tets.len(), "nodes": nodes, "sweeps": passes,
            "ms": ms, "ms_quiet": quiet, "published_ms": self.bar.of.published, "residual": outcome.residual,
            "error_tip": error_tip, "error_swing": error_swing, "tip_m": tip, "swing_m": swing, "threads": 1,
        });
        let text = format!(
            "{:<15} {method:<16} {nodes:>8} {passes:>8} {ms:>9.2} {quiet:>9.2} {:>10.1} {error_tip:>10.2e} {error_swing:>12.2e} {:>10.1e}",
            self.bar.of.name, self.bar.of.published, outcome.residual
        );
        report.line(&object, &text);
    }
}
