//! Table 1 of the LAPAROS paper (Urbina, Rodríguez & Coto) run again: a rigid sphere presses into a soft one, in nine
//! combinations of fineness, with three approaches.
//!
//! A whole step is timed, on one thread, by the thread's CPU clock: free motion of the tissue, detection with consistent
//! penetration, response. As in the paper the mean is over the steps in which there is a collision.

use super::Report;
use super::walk::{Step, mean, p99, walk};
use crate::Failure;
use crate::cli::BenchArgs;
use crate::command::run::{pool, progress};
use serde_json::json;
use serosa_bake::raw::{
    Move, RawBody, RawGeometry, RawModel, RawScene, RawSolid, RawTissue, RawTool, Selector, SurfaceMass,
};
use serosa_bake::{Baked, bake};
use serosa_geometry::generate::sphere::even_sphere;
use serosa_geometry::{Mesh, Vec3};
use serosa_sim::model::{BodyKind, Integrator, Model};
use serosa_sim::params::Response;
use serosa_sim::{Stage, World};
use std::sync::Arc;

/// Vertices of the spheres.
const SIZES: [usize; 3] = [241, 993, 4033];
/// Published mean times of a collision step \[s\]: for each rigid sphere and each soft one, by approach.
const PUBLISHED: [[[f64; 3]; 3]; 3] = [
    [
        [0.02219318, 0.02886455, 0.03093863],
        [0.02643189, 0.04148911, 0.04729691],
        [0.042459626, 0.10129949, 0.11541373],
    ],
    [
        [0.025458446, 0.03340169, 0.03589672],
        [0.030800238, 0.05244825, 0.05515859],
        [0.047078356, 0.12458907, 0.13218986],
    ],
    [
        [0.037333984, 0.05318061, 0.0537442],
        [0.04425557, 0.07724302, 0.08916327],
        [0.064828948, 0.1787737, 0.18106284],
    ],
];
/// Of both spheres \[m\].
const RADIUS: f64 = 0.05;
/// Step \[s\], and sweeps: conjugate gradients of the tissue, where the paper takes one pass of forces, and passes over rows.
const DT: f64 = 0.005;
const SWEEPS: u32 = 4;
/// Where the rigid sphere is, in radii from the middle of the soft one, and when \[s\]. Two equal spheres at a distance
/// of 0.4 radii have 40 % of their areas in one another, at 1.2 radii 20 %.
const WAY: [(f64, [f64; 2]); 6] = [
    (0.0, [-2.02, 0.0]),
    (1.0, [-0.4, 0.0]),
    (1.8, [-0.4, 1.131]),
    (3.2, [-0.4, -1.131]),
    (4.0, [-0.4, 0.0]),
    (5.0, [-2.02, 0.0]),
];
/// The soft sphere is held where it is farther than this from its middle, away from the rigid one \[radii\].
const HELD: f64 = 0.75;
/// The promise: 4,033 × 4,033 with restoration \[ms\].
const MS_MAX: f64 = 5.0;
/// The promise: the response leaves no place deeper than this share of the radius, a twelfth of an edge of the coarsest
/// sphere.
const LEFT_MAX: f64 = 0.02;

/// The three approaches of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Approach {
    /// What is inside is moved out, and nothing else moves.
    Response,
    /// The rest of the surface follows by lengths, areas and volumes.
    Deformable,
    /// It also comes back to its shape.
    Restored,
}

impl Approach {
    const ALL: [Self; 3] = [Self::Response, Self::Deformable, Self::Restored];

    fn name(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Deformable => "deformable",
            Self::Restored => "deformable-restored",
        }
    }
}

/// Runs all combinations up to the largest size asked for.
pub fn bench(args: &BenchArgs, report: &mut Report) -> Result<(), Failure> {
    let (pool, mut broken) = (pool(1)?, Vec::new());
    let largest = args.largest.map_or(usize::MAX, |n| n as usize).max(SIZES[0]);
    report.text(HEADINGS);
    let sizes = || SIZES.into_iter().enumerate().filter(|(_, n)| *n <= largest);
    for ((i, rigid), (j, soft)) in sizes().flat_map(|r| sizes().map(move |s| (r, s))) {
        for (k, approach) in Approach::ALL.into_iter().enumerate() {
            let bar = progress(3, &format!("{rigid} x {soft}"));
            let outcome = pool.install(|| run(rigid, soft, approach))?;
            bar.finish_and_clear();
            outcome.tell(PUBLISHED[i][j][k] * 1e3, report);
            broken.extend(outcome.broken(args.strict));
        }
    }
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Failure::CheckFailed(broken.join("\n"))),
    }
}

/// One approach at one combination.
struct Outcome {
    rigid: usize,
    soft: usize,
    approach: Approach,
    /// Those in which there was a collision.
    steps: Vec<Step>,
    /// How far a vertex was from its place at most, and in the end on the mean, both in radii.
    moved: [f64; 2],
    frozen: bool,
}

fn run(rigid: usize, soft: usize, approach: Approach) -> Result<Outcome, Failure> {
    let raw = scene(soft, approach)?;
    let baked = bake(&raw).map_err(|f| Failure::input(format!("error: {f:?}")))?;
    let mut world = as_fine(&baked, rigid, approach)?;
    let end = WAY[WAY.len() - 1].0 + 1.0;
    let mut farthest: f64 = 0.0;
    let away = |world: &World| {
        let apart = world.state.pos.iter().zip(&world.model.rest).map(|(x, r)| (*x - *r).length() / RADIUS);
        apart.collect::<Vec<f64>>()
    };
    let mut frozen = false;
    let mut steps = walk(&raw, &mut world, (end / DT).round() as usize, |world| {
        frozen |= !world.report.quarantined.is_empty();
        farthest = away(world).into_iter().fold(farthest, f64::max);
    });
    steps.retain(|s| s.contacts > 0);
    let left = away(&world);
    let moved = [farthest, left.iter().sum::<f64>() / left.len() as f64];
    Ok(Outcome { rigid, soft, approach, steps, moved, frozen })
}

fn sphere(vertices: usize) -> Result<Mesh, Failure> {
    even_sphere(Vec3::ZERO, RADIUS, vertices).map_err(|e| Failure::input(format!("error: {e:?}")))
}

/// The soft sphere about the origin, held at its far side, and the rigid one, which a firm hand leads.
fn scene(vertices: usize, approach: Approach) -> Result<RawScene, Failure> {
    let tissue = RawTissue {
        mass: SurfaceMass::Total(0.5),
        stiffness: 80.0,
        area: 40.0,
        bending: 2e-4,
        bulk: 0.0,
        restoration: if approach == Approach::Restored { 12.0 } else { 0.0 },
        relaxation_s: 0.02,
        integrator: Integrator::Implicit,
    };
    let loose = RawModel::Springs { mass: 0.5, stiffness: 0.0, damping: 0.0, bending: 0.0, tube: None };
    let model = if approach == Approach::Response { loose } else { RawModel::Tissue(tissue) };
    let geometry = RawGeometry::Mesh { mesh: sphere(vertices)?, radius: 0.01 * RADIUS };
    let body = RawBody {
        // Without elements nothing else would stop a vertex that was pushed.
        drag: if approach == Approach::Response { 1e4 } else { 1.0 },
        self_contact: false,
        attachments: vec![Selector::Plane { point: Vec3::X * (HELD * RADIUS), normal: Vec3::NEG_X }],
        ..RawBody::new("soft", geometry, model)
    };
    let mut raw = RawScene { bodies: vec![body], tools: vec![ball()], ..RawScene::default() };
    let world = &mut raw.world;
    (world.dt_s, world.sweeps, world.gravity) = (DT, SWEEPS, Vec3::ZERO);
    world.response = Response::ConsistentPenetration;
    Ok(raw)
}

fn ball() -> RawTool {
    let place = |at: [f64; 2]| Vec3::new(at[0], 0.0, at[1]) * RADIUS;
    let go = |(time_s, at): &(f64, [f64; 2])| Move {
        time_s: *time_s,
        tip: place(*at),
        direction: None,
        grip: false,
    };
    RawTool {
        name: "rigid".to_owned(),
        solid: RawSolid::Sphere { radius: RADIUS },
        tip: place(WAY[0].1),
        direction: Vec3::NEG_Z,
        mass: 1.0,
        friction: 0.0,
        stiffness: 1e5,
        damping: None,
        turn_stiffness: 100.0,
        speed_max: 10.0,
        reach: 0.0,
        strength: 0.0,
        holds: 8,
        moves: WAY[1..].iter().map(go).collect(),
    }
}

/// A world in which the surface of the rigid sphere has so many vertices. With the response alone, the soft one has no
/// elements that could carry its motion on.
fn as_fine(baked: &Baked, rigid: usize, approach: Approach) -> Result<World, Failure> {
    let mut model = Model::clone(&baked.model);
    let mesh = sphere(rigid)?;
    for shell in &mut model.shells {
        if let Some((_, points)) = &mut shell.frame {
            points.clone_from(&mesh.points);
            shell.triangles.clone_from(&mesh.triangles);
        }
    }
    if let (Approach::Response, BodyKind::Springs(springs)) = (approach, &mut model.bodies[0].kind) {
        springs.blocks.fill(0..0);
        springs.between = 0..0;
    }
    Ok(World::new(Arc::new(model), baked.params.clone()))
}

const HEADINGS: &str = "A rigid sphere presses into a soft one and is withdrawn: mean time of a step with a collision, \
                        one thread, CPU time.\n\
                        rigid x soft  approach                  ms     p99  published  free motion  detection  \
                        response  contacts  left";

impl Outcome {
    fn case(&self) -> String {
        format!("{}x{}", self.rigid, self.soft)
    }

    fn ms(&self) -> f64 {
        mean(&self.steps, Step::ms)
    }

    /// The deepest that a vertex was left in a step, as a share of the radius.
    fn left(&self) -> f64 {
        self.steps.iter().map(|s| -s.deepest_m).fold(0.0, f64::max) / RADIUS
    }

    fn tell(&self, published: f64, report: &mut Report) {
        let stage = |stage: Stage| mean(&self.steps, |s| s.stage(stage));
        let contacts = mean(&self.steps, |s| f64::from(s.contacts));
        let most = self.steps.iter().map(|s| s.contacts).max().unwrap_or(0);
        let (ms, ms_p99) = (self.ms(), p99(&self.steps, Step::ms));
        let stages: serde_json::Map<_, _> =
            Stage::ALL.into_iter().map(|s| (s.name().to_owned(), json!(stage(s)))).collect();
        let object = json!({
            "bench": "laparos", "case": self.case(), "method": self.approach.name(), "n": self.soft,
            "rigid_vertices": self.rigid, "soft_vertices": self.soft, "ms": ms, "ms_p99": ms_p99,
            "published_ms": published, "ratio": published / ms, "stage_ms": stages, "steps": self.steps.len(),
            "contacts": contacts, "contacts_max": most, "left_max": self.left(),
            "moved_max": self.moved[0], "moved_end": self.moved[1], "dt_s": DT, "sweeps": SWEEPS, "threads": 1,
        });
        let text = format!(
            "{:>12}  {:<20} {ms:>7.3} {ms_p99:>7.3}  {published:>9.1}  {:>11.3}  {:>9.3}  {:>8.3}  {contacts:>8.0}  {:.4}",
            self.case(),
            self.approach.name(),
            stage(Stage::Predict),
            stage(Stage::Detect),
            stage(Stage::Respond),
            self.left(),
        );
        report.line(&object, &text);
    }

    /// What is promised and does not hold; times only if asked, since machines differ.
    fn broken(&self, strict: bool) -> Vec<String> {
        let (mut broken, case) = (Vec::new(), format!("{}, {}", self.case(), self.approach.name()));
        if self.frozen || self.steps.is_empty() {
            broken.push(format!("{case}: the soft sphere ran away or was never touched"));
        }
        if self.left() > LEFT_MAX {
            broken.push(format!("{case}: a vertex was left {:.3} radii deep", self.left()));
        }
        let largest = self.rigid.min(self.soft) == SIZES[2];
        if strict && largest && self.approach == Approach::Restored && self.ms() > MS_MAX {
            broken.push(format!("{case}: {:.2} ms a step, not within {MS_MAX}", self.ms()));
        }
        broken
    }
}
