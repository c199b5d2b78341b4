//! A rope falls on a floor and piles up, for one simulated second: the scene on which other engines were measured,
//! point for point, so that times and what is left overlapping can be laid side by side.
//!
//! Everything is on one thread. Overlap, stretch and height are measured at the end of every frame, outside of the
//! timed part, by looking at all pairs of segments.

use super::Report;
use crate::Failure;
use crate::cli::BenchArgs;
use crate::command::run::{pool, progress};
use crate::session::clock::thread_cpu_ns;
use indicatif::ProgressBar;
use serde_json::json;
use serosa_bake::bake;
use serosa_bake::raw::{RawBand, RawBody, RawGeometry, RawModel, RawScene, RawSolid, at};
use serosa_geometry::{Vec3, closest_segments, generate};
use serosa_sim::params::{Filter, Response};
use serosa_sim::{Input, World, step};
use std::f64::consts::{PI, TAU};
use std::time::Instant;

/// Length of a segment along the thread \[m\].
const LINK: f64 = 0.020;
/// Half the thickness \[m\].
const RADIUS: f64 = 0.010;
/// \[kg/m³\]
const DENSITY: f64 = 1000.0;
/// Young's modulus \[Pa\].
const YOUNG: f64 = 1e5;
/// The rope is this much stiffer along than its modulus says, so that it hardly stretches. The best peer has links of
/// fixed length, the others 10 times; a rope that stops from 4 m/s stretches by 13 % with 10 times, by 4 % with 100.
const STIFFER: f64 = 100.0;
/// Radius of the turns, rise of a turn and height of the first point \[m\].
const COIL: [f64; 3] = [0.10, 0.032, 0.03];
/// A frame of a screen \[s\], and how many are simulated.
const FRAME: f64 = 1.0 / 60.0;
const FRAMES: u64 = 60;
/// Steps in a frame, as many as the best peer takes, and sweeps in a step.
const STEPS: u32 = 4;
const SWEEPS: u32 = 1;
/// Segments nearer than this along the rope are joined, not in contact: as the peers are judged.
const JOINED: usize = 2;
/// The deepest overlap that passes for none \[m\].
const NO_OVERLAP: f64 = 1e-9;
/// The promise: so many times faster than the best peer.
const RATIO_MIN: f64 = 10.0;

/// What the best of five peers, MuJoCo 4.0.0 with a one-dimensional flexible body (four steps a frame, 50 iterations of
/// its conjugate gradients), took and left on a machine of the class that `docs/results/rope.md` names.
struct Peer {
    segments: u32,
    /// On a quiet machine and on a busy one \[ms per frame\].
    ms: [f64; 2],
    /// Deepest overlap of the rope with itself that it left \[m\].
    overlap_m: f64,
    /// Of the longest segment, over the run and at its end.
    stretch: [f64; 2],
}

const PEERS: [Peer; 3] = [
    Peer { segments: 200, ms: [13.0, 18.0], overlap_m: 0.70e-3, stretch: [1.479, 1.081] },
    Peer { segments: 1000, ms: [70.0, 102.0], overlap_m: 1.3e-3, stretch: [1.785, 1.138] },
    Peer { segments: 2000, ms: [152.0, 237.0], overlap_m: 5.8e-3, stretch: [2.581, 1.221] },
];

/// What was seen of one rope.
#[derive(Default)]
struct Outcome {
    cpu_ns: u64,
    wall_ns: u64,
    /// Of the slowest frame.
    slowest_ns: u64,
    /// Over the run and at its end \[m\].
    overlap_m: [f64; 2],
    /// Of the longest segment, over the run and at its end.
    stretch: [f64; 2],
    /// Of the highest point \[m\].
    height_m: f64,
    contacts_sum: u64,
    contacts_max: u32,
    truncated: u64,
    frozen: bool,
}

/// Runs every size and checks what is promised.
pub fn bench(args: &BenchArgs, report: &mut Report) -> Result<(), Failure> {
    let pool = pool(1)?;
    report.text(HEADINGS);
    let largest = args.largest.unwrap_or(u32::MAX).max(PEERS[0].segments);
    let mut broken = Vec::new();
    for peer in PEERS.iter().filter(|p| p.segments <= largest) {
        let bar = progress(FRAMES, &format!("{} segments", peer.segments));
        let outcome = pool.install(|| run(peer.segments, &bar))?;
        bar.finish_and_clear();
        outcome.tell(peer, report);
        broken.extend(outcome.broken(peer, args.strict));
    }
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Failure::CheckFailed(broken.join("\n"))),
    }
}

fn run(segments: u32, bar: &ProgressBar) -> Result<Outcome, Failure> {
    let baked = bake(&scene(segments)).map_err(|f| Failure::input(format!("error: {f:?}")))?;
    let mut world = baked.world();
    let input = Input::at_rest(&world);
    let mut seen = Outcome::default();
    for _ in 0..FRAMES {
        let (wall, cpu) = (Instant::now(), thread_cpu_ns());
        for _ in 0..STEPS {
            step(&mut world, &input, &mut || 0);
            seen.contacts_sum += u64::from(world.report.contacts);
            seen.contacts_max = seen.contacts_max.max(world.report.contacts);
            seen.truncated += u64::from(world.report.truncated);
        }
        let wall_ns = wall.elapsed().as_nanos() as u64;
        let cpu_ns = cpu.zip(thread_cpu_ns()).map_or(wall_ns, |(before, after)| after.saturating_sub(before));
        seen.wall_ns += wall_ns;
        seen.cpu_ns += cpu_ns;
        seen.slowest_ns = seen.slowest_ns.max(cpu_ns);
        seen.look(&world);
        bar.inc(1);
    }
    Ok(seen)
}

fn scene(segments: u32) -> RawScene {
    let area = PI * RADIUS * RADIUS;
    let band = RawBand {
        mass: DENSITY * area * LINK * f64::from(segments),
        tube_mass: None,
        tube_stretch: STIFFER * YOUNG * area,
        tube_bending: YOUNG * area * RADIUS * RADIUS / 4.0,
        stiffness: 0.0,
        bending: 0.0,
        relaxation_s: 0.0,
    };
    let body = |name: &str, geometry, model| RawBody { friction: 0.3, ..RawBody::new(name, geometry, model) };
    let rope = RawGeometry::Mesh { mesh: generate::chain_through(helix(segments)), radius: RADIUS };
    let floor = RawGeometry::Solid { solid: RawSolid::Plane, pose: at(Vec3::ZERO) };
    let mut raw = RawScene {
        bodies: vec![body("rope", rope, RawModel::Band(band)), body("floor", floor, RawModel::Fixed)],
        ..RawScene::default()
    };
    let world = &mut raw.world;
    (world.dt_s, world.sweeps) = (FRAME / f64::from(STEPS), SWEEPS);
    (world.response, world.filter) = (Response::AugmentedLagrangian, Filter::Planes);
    raw
}

/// The points of the peers' helix, with the wobble that breaks its symmetry.
fn helix(segments: u32) -> Vec<Vec3> {
    let [coil, pitch, height] = COIL;
    let turn = (TAU * coil).hypot(pitch);
    let point = |i: u32| {
        let turns = f64::from(i) * LINK / turn;
        let (angle, wobble) = (TAU * turns, 0.002 * (f64::from(i) * 0.37).sin());
        Vec3::new(coil * angle.cos() + wobble, coil * angle.sin() + wobble, height + pitch * turns)
    };
    (0..=segments).map(point).collect()
}

/// The deepest overlap of a rope with itself and with the floor \[m\], 0 if there is none. All pairs; those whose
/// middles are too far apart for their lengths are not measured closer.
fn overlap(points: &[Vec3]) -> f64 {
    let half = points.windows(2).map(|w| 0.5 * (w[1] - w[0]).length()).fold(0.0, f64::max);
    let far = 2.0 * (RADIUS + half);
    let mut deepest = points.iter().map(|p| RADIUS - p.z).fold(0.0, f64::max);
    for (i, a) in points.windows(2).enumerate() {
        for b in points.windows(2).skip(i + JOINED + 1) {
            if (a[0] + a[1] - b[0] - b[1]).length_squared() < 4.0 * far * far {
                let near = closest_segments(a[0], a[1], b[0], b[1]);
                let distance = (a[0].lerp(a[1], near.s) - b[0].lerp(b[1], near.t)).length();
                deepest = deepest.max(2.0 * RADIUS - distance);
            }
        }
    }
    deepest
}

const HEADINGS: &str = "A rope piles up for one second, one thread: time of a frame of 1/60 s, and what is left.\n\
                        segments  cpu ms  wall ms  slowest  best peer ms  ratio  overlap mm  stretch  height mm  \
                        contacts";

impl Outcome {
    /// Measures a frame.
    fn look(&mut self, world: &World) {
        let (points, rest) = (&world.state.pos, &world.model.rest);
        let lengths = points.windows(2).zip(rest.windows(2));
        let stretch = lengths.map(|(now, r)| (now[1] - now[0]).length() / (r[1] - r[0]).length());
        let (stretch, overlap) = (stretch.fold(0.0, f64::max), overlap(points));
        self.stretch = [self.stretch[0].max(stretch), stretch];
        self.overlap_m = [self.overlap_m[0].max(overlap), overlap];
        self.height_m = points.iter().map(|p| p.z).fold(0.0, f64::max);
        self.frozen |= !world.report.quarantined.is_empty();
    }

    /// Mean time of a frame \[ms\].
    fn ms(&self) -> f64 {
        self.cpu_ns as f64 * 1e-6 / FRAMES as f64
    }

    fn tell(&self, peer: &Peer, report: &mut Report) {
        let steps = FRAMES * u64::from(STEPS);
        let contacts = self.contacts_sum as f64 / steps as f64;
        let (wall_ms, slowest_ms) =
            (self.wall_ns as f64 * 1e-6 / FRAMES as f64, self.slowest_ns as f64 * 1e-6);
        let ratio = peer.ms[0] / self.ms();
        let object = json!({
            "bench": "rope", "case": "pile", "method": "band, augmented-lagrangian, filter", "n": peer.segments,
            "ms": self.ms(), "wall_ms": wall_ms, "slowest_ms": slowest_ms, "threads": 1,
            "dt_s": FRAME / f64::from(STEPS), "sweeps": SWEEPS, "simulated_s": FRAME * FRAMES as f64,
            "overlap_max_m": self.overlap_m[0], "overlap_end_m": self.overlap_m[1],
            "stretch_max": self.stretch[0], "stretch_end": self.stretch[1], "height_m": self.height_m,
            "contacts": { "mean": contacts, "max": self.contacts_max }, "truncated": self.truncated,
            "published_ms": peer.ms[0], "published_busy_ms": peer.ms[1], "published_overlap_m": peer.overlap_m, "published_stretch_max": peer.stretch[0], "published_stretch_end": peer.stretch[1],
            "ratio": ratio, "ratio_min": RATIO_MIN,
        });
        let text = format!(
            "{:>8}  {:>6.2}  {wall_ms:>7.2}  {slowest_ms:>7.2}  {:>12}  {ratio:>5.1}  {:>10.4}  {:>7.4}  {:>9.1}  {contacts:>8.0}",
            peer.segments,
            self.ms(),
            peer.ms[0],
            self.overlap_m[0] * 1e3,
            self.stretch[0],
            self.height_m * 1e3,
        );
        report.line(&object, &text);
    }

    /// What is promised and does not hold; the ratio only if asked, since machines differ.
    fn broken(&self, peer: &Peer, strict: bool) -> Vec<String> {
        let mut broken = Vec::new();
        let n = peer.segments;
        if self.overlap_m[0] > NO_OVERLAP {
            broken.push(format!("at {n} segments an overlap of {:.2e} m was seen", self.overlap_m[0]));
        }
        // Like with like: over the run, and at its end.
        let longer = self.stretch.iter().zip(peer.stretch).any(|(own, peer)| own.is_nan() || *own > peer);
        if self.frozen || longer {
            let ([most, end], [peer_most, peer_end]) = (self.stretch, peer.stretch);
            broken.push(format!(
                "at {n} segments it stretched by {most:.3}, in the end {end:.3}, or ran away; the peer: {peer_most}, {peer_end}"
            ));
        }
        let ratio = peer.ms[0] / self.ms();
        if strict && ratio < RATIO_MIN {
            broken.push(format!(
                "at {n} segments it is {ratio:.1} times faster than the best peer, not {RATIO_MIN}"
            ));
        }
        broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_helix_begins_free_and_an_overlap_is_seen() {
        let mut points = helix(200);
        assert_eq!(overlap(&points), 0.0);
        // One turn has 31.5 segments: a point lowered by 13 mm comes 1 mm too near to the turn below.
        points[63].z -= 0.013;
        assert!((5e-4..2e-3).contains(&overlap(&points)), "{}", overlap(&points));
        points[0].z = 0.004;
        assert!((overlap(&points) - 0.006).abs() < 1e-12);
    }
}
