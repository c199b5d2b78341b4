//! Soft blobs in contact: the scenes on which other engines were measured, point for point, so that times and what they
//! leave overlapping can be laid side by side.
//!
//! One simulated second, frame by frame of 1/60 s, on one thread, by the thread's CPU clock. Overlap is measured outside of
//! the timed part: vertices and middles of faces of one surface inside the other, both ways, as the others were judged, and
//! besides all pairs of triangles that meet. *Exact* is the same with many more sweeps: how far the fast way is from
//! it is told.

mod blob;

use super::Report;
use super::walk::{mean, p99};
use crate::Failure;
use crate::cli::BenchArgs;
use crate::command::run::{pool, progress};
use crate::session::clock::thread_cpu_ns;
use blob::{Case, How, scene, still_surface};
use serde_json::json;
use serosa_bake::bake;
use serosa_bake::raw::RawDescent;
use serosa_geometry::collide::{Collider, Own, Shells};
use serosa_geometry::tets::Tets;
use serosa_geometry::{Distance, Mesh, Sign, Topology, Vec3};
use serosa_sim::{Input, World, step};
use std::sync::Arc;
use std::time::Instant;

/// Cells along an edge of a blob, as the others had them: 3,072 tetrahedra.
const CELLS: usize = 8;
/// Frames of one simulated second.
const FRAMES: usize = 60;
/// The promise: so many times faster than the fastest peer, and no overlap beyond this \[m\].
const RATIO_MIN: f64 = 10.0;
const NO_OVERLAP: f64 = 1e-9;

/// What the fastest peer that leaves the least took and left, of five, on a quiet machine of the class that
/// `docs/results/contact.md` names: MuJoCo 4.0.0 for the two drops, Drake for the press.
struct Peer {
    case: Case,
    /// \[ms per frame\]
    ms: f64,
    /// Deepest overlap in the second half \[m\].
    left_m: f64,
}

const PEERS: [Peer; 3] = [
    Peer { case: Case::DropBox, ms: 29.0, left_m: 4.4e-3 },
    Peer { case: Case::DropSphere, ms: 28.0, left_m: 4.9e-3 },
    Peer { case: Case::Press, ms: 115.0, left_m: 2.4e-3 },
];

/// How the fast way goes, and how the slow one.
fn ways(case: Case) -> [(&'static str, How); 2] {
    let (substeps, sweeps) = match case {
        Case::DropBox | Case::DropSphere => (2, 10),
        Case::Press => (3, 8),
    };
    let how = How { descent: RawDescent::Auto, substeps, sweeps, cells: CELLS };
    [("serosa", how), ("exact", How { sweeps: 20 * sweeps, ..how })]
}

/// What was seen of a run.
struct Outcome {
    /// Of each frame \[ms\].
    ms: Vec<f64>,
    wall_ms: f64,
    /// Deepest overlap in the second half of the run, and in all of it \[m\].
    deepest_m: [f64; 2],
    /// Pairs of triangles that met, over all frames.
    meetings: usize,
    volume_ratio: Vec<f64>,
    inverted: Vec<usize>,
    lowest_m: f64,
    contacts: u32,
    truncated: u64,
    frozen: bool,
    /// Where everything was at the end of the run, and in the middle of it.
    places: [Vec<Vec3>; 2],
}

/// Runs all cases and checks what is promised.
pub fn bench(args: &BenchArgs, report: &mut Report) -> Result<(), Failure> {
    let (pool, mut broken) = (pool(1)?, Vec::new());
    report.text(HEADINGS);
    for peer in &PEERS {
        let mut outcomes = Vec::new();
        for (_, how) in ways(peer.case) {
            let bar = progress(1, peer.case.name());
            outcomes.push(pool.install(|| run(peer.case, how))?);
            bar.finish_and_clear();
        }
        let apart = [0, 1].map(|k| apart(&outcomes[0].places[k], &outcomes[1].places[k]));
        for ((method, how), outcome) in ways(peer.case).into_iter().zip(&outcomes) {
            outcome.tell((method, how, peer), apart, report);
            broken.extend(outcome.broken(peer, args.strict && method == "serosa"));
        }
    }
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Failure::CheckFailed(broken.join("\n"))),
    }
}

/// The largest distance between the places of a vertex \[m\].
fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// The two surfaces that may overlap, measured at every frame.
struct Judge {
    /// Of each the first vertex in the world, or none where it does not move.
    firsts: [Option<usize>; 2],
    surfaces: [Distance; 2],
    collider: Collider,
    points: Vec<Vec3>,
}

impl Judge {
    fn of(case: Case, world: &World) -> Self {
        let mesh_of = |b: usize| {
            let range = world.model.bodies[b].vertex_range();
            let points = world.state.pos[range.clone()].to_vec();
            let own = |t: &&serosa_sim::model::Tet| range.contains(&t.nodes[0].at());
            let tets: Vec<[u32; 4]> = (world.model.tets.iter().filter(own))
                .map(|t| t.nodes.map(|v| (v.at() - range.start) as u32))
                .collect();
            let boundary = Tets::of(&points, &tets).boundary;
            (Some(range.start), Mesh::from_triangles(points, boundary))
        };
        let both = [still_surface(case).map_or_else(|| mesh_of(0), |mesh| (None, mesh)), mesh_of(1)];
        let mut shells = Shells::default();
        let mut points = Vec::new();
        for (_, mesh) in &both {
            let offset = points.len() as u32;
            let moved: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|v| v + offset)).collect();
            shells.add(&moved, Own::Ignored);
            points.extend_from_slice(&mesh.points);
        }
        let collider = Collider::new(shells, &points);
        let firsts = [both[0].0, both[1].0];
        let surfaces = both.map(|(_, mesh)| {
            let topology = Topology::of(&mesh.triangles, mesh.points.len());
            Distance::with(Arc::new(topology), &mesh.points, Sign::Winding)
        });
        Self { firsts, surfaces, collider, points }
    }

    /// The deepest that one is in the other \[m\], and how many pairs of triangles meet.
    fn look(&mut self, world: &World) -> (f64, usize) {
        self.points.clear();
        for (first, surface) in self.firsts.iter().zip(&mut self.surfaces) {
            if let Some(first) = first {
                let count = surface.points().len();
                surface.refit(&world.state.pos[*first..*first + count]);
            }
            self.points.extend_from_slice(surface.points());
        }
        let inside = |of: &Distance, within: &Distance| {
            let faces =
                (0..of.topology().triangles.len() as u32).map(|t| of.corners(t).iter().sum::<Vec3>() / 3.0);
            let used = of.topology().triangles.iter().flatten().map(|v| of.points()[*v as usize]);
            faces.chain(used).map(|p| -within.signed(p).distance).fold(0.0, f64::max)
        };
        let [a, b] = &self.surfaces;
        (inside(a, b).max(inside(b, a)), self.collider.find(&self.points).len())
    }
}

fn run(case: Case, how: How) -> Result<Outcome, Failure> {
    let baked = bake(&scene(case, how)).map_err(|faults| Failure::input(format!("error: {faults:?}")))?;
    let mut world = baked.world();
    let (mut judge, input) = (Judge::of(case, &world), Input::at_rest(&world));
    let mut seen = Outcome {
        ms: Vec::new(),
        wall_ms: 0.0,
        deepest_m: [0.0; 2],
        meetings: 0,
        volume_ratio: Vec::new(),
        inverted: Vec::new(),
        lowest_m: 0.0,
        contacts: 0,
        truncated: 0,
        frozen: false,
        places: Default::default(),
    };
    for frame in 0..FRAMES {
        let (wall, cpu) = (Instant::now(), thread_cpu_ns());
        step(&mut world, &input, &mut || 0);
        let wall = wall.elapsed().as_secs_f64() * 1e3;
        seen.wall_ms += wall / FRAMES as f64;
        seen.ms.push(cpu.zip(thread_cpu_ns()).map_or(wall, |(from, to)| (to - from) as f64 * 1e-6));
        let (deepest, meetings) = judge.look(&world);
        seen.deepest_m[1] = seen.deepest_m[1].max(deepest);
        if 2 * frame >= FRAMES {
            seen.deepest_m[0] = seen.deepest_m[0].max(deepest);
        }
        seen.meetings += meetings;
        seen.contacts = seen.contacts.max(world.report.contacts);
        seen.truncated += u64::from(world.report.truncated);
        seen.frozen |= !world.report.quarantined.is_empty();
        if frame + 1 == FRAMES / 2 {
            seen.places[1].clone_from(&world.state.pos);
        }
    }
    let last = world.model.bodies.len() - 1;
    let blob = &world.state.pos[world.model.bodies[last].vertex_range()];
    seen.lowest_m = blob.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    (seen.volume_ratio, seen.inverted) = volumes(&world);
    seen.places[0].clone_from(&world.state.pos);
    Ok(seen)
}

/// Of each soft body: volume over that at rest, and tetrahedra that are inside out.
fn volumes(world: &World) -> (Vec<f64>, Vec<usize>) {
    let mut all = (Vec::new(), Vec::new());
    for body in world.model.bodies.iter().filter(|b| !b.vertex_range().is_empty()) {
        let (mut now, mut rest, mut inverted) = (0.0, 0.0, 0);
        for tet in world.model.tets.iter().filter(|t| body.vertex_range().contains(&t.nodes[0].at())) {
            let [a, b, c, d] = tet.nodes.map(|v| world.state.pos[v.at()]);
            let volume = (b - a).cross(c - a).dot(d - a) / 6.0;
            (now, rest) = (now + volume, rest + tet.volume);
            inverted += usize::from(volume <= 0.0);
        }
        all.0.push(now / rest);
        all.1.push(inverted);
    }
    all
}

const HEADINGS: &str = "One simulated second, one thread, CPU time per frame of 1/60 s; overlap in the second half.\n\
                        case         method  steps sweeps       ms      p99  published  ratio  overlap mm  published  \
                        volume  inverted  lowest mm  off exact mm";

impl Outcome {
    fn tell(&self, (method, how, peer): (&str, How, &Peer), apart: [f64; 2], report: &mut Report) {
        let (ms, ms_p99) = (mean(&self.ms, |t| *t), p99(&self.ms, |t| *t));
        let tets = 6 * how.cells.pow(3);
        let mm = |m: f64| 1e3 * m;
        let volume = self
            .volume_ratio
            .iter()
            .fold(1.0, |w: f64, v| if (v - 1.0).abs() > (w - 1.0).abs() { *v } else { w });
        let object = json!({
            "bench": "contact", "case": peer.case.name(), "method": method, "n": tets, "ms": ms, "ms_p99": ms_p99,
            "wall_ms": self.wall_ms, "published_ms": peer.ms, "ratio": peer.ms / ms,
            "deepest_mm": mm(self.deepest_m[0]), "deepest_all_mm": mm(self.deepest_m[1]), "meetings": self.meetings,
            "published_deepest_mm": mm(peer.left_m), "volume_ratio": self.volume_ratio, "inverted_tets": self.inverted,
            "lowest_z_mm": mm(self.lowest_m), "off_exact_mm": mm(apart[0]), "off_exact_half_mm": mm(apart[1]),
            "substeps": how.substeps, "sweeps": how.sweeps, "contacts_max": self.contacts, "truncated": self.truncated,
            "frames": FRAMES, "threads": 1,
        });
        let text = format!(
            "{:<12} {method:<7} {:>5} {:>6} {ms:>8.2} {ms_p99:>8.2}  {:>9.0} {:>6.1}  {:>10.4}  {:>9.1}  {volume:>6.4}  {:>8}  {:>9.3}  {:>12.3}",
            peer.case.name(),
            how.substeps,
            how.sweeps,
            peer.ms,
            peer.ms / ms,
            mm(self.deepest_m[1]),
            mm(peer.left_m),
            self.inverted.iter().sum::<usize>(),
            mm(self.lowest_m),
            mm(apart[0]),
        );
        report.line(&object, &text);
    }

    /// What is promised and does not hold; times only if asked, since machines differ.
    fn broken(&self, peer: &Peer, strict: bool) -> Vec<String> {
        let (mut broken, case) = (Vec::new(), peer.case.name());
        if self.deepest_m[1] > NO_OVERLAP || self.meetings > 0 {
            broken.push(format!(
                "{case}: an overlap of {:e} m, {} pairs of triangles meet",
                self.deepest_m[1], self.meetings
            ));
        }
        if self.frozen || self.inverted.iter().any(|n| *n > 0) {
            broken.push(format!("{case}: a blob ran away or turned inside out"));
        }
        let ms = mean(&self.ms, |t| *t);
        if strict && peer.ms / ms < RATIO_MIN {
            broken.push(format!(
                "{case}: {ms:.2} ms a frame, {:.1} times faster than the fastest",
                peer.ms / ms
            ));
        }
        broken
    }
}
