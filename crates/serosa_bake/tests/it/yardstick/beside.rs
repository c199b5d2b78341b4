//! The engine beside the yardstick: the same small scenes, step by step.
//!
//! Surfaces have the same thickness; where rows keep a tenth of a millimetre, the yardstick begins to push a hundredth
//! before, so that some ten micrometres of what is told are its own.

use super::rest::{EXACT, weight};
use super::{Barrier, Exactness, Yardstick};
use crate::make::{baked, floor, lagrangian, solid};
use crate::specimens::{elastic, flesh};
use serosa_bake::raw::{RawBody, RawGeometry, RawModel, RawScene, RawSolid, Selector};
use serosa_geometry::{Aabb, Real, Vec3};
use serosa_sim::model::Law;
use serosa_sim::params::Filter;
use serosa_sim::{Input, step};

/// Half the thickness of surfaces, and the reach of barriers \[m\].
const RADIUS: Real = 2.5e-4;
/// The gap that so thin a surface keeps at rest \[m\]: a fifth of its radius.
const REST: Real = 5e-5;
const REACH: Real = 2e-5;
/// \[s\]
const STEP: Real = 1.0 / 240.0;
const BALL: Real = 0.03;

/// A ball of 384 tetrahedra where `roundness` is 1, or a cube on the way to one.
fn ball(name: &str, center: Vec3, roundness: Real) -> RawBody {
    let mut material = elastic(Law::NeoHookean, 2e4, 0.4, 1000.0, 0.0);
    material.thickness = Some(2.0 * RADIUS);
    let mut body = flesh(name, (Vec3::splat(-1.0), Vec3::splat(2.0)), [4; 3], material);
    let RawGeometry::Tets(tets) = &mut body.geometry else { panic!("tetrahedra") };
    for p in &mut tets.mesh.points {
        let round = roundness * p.abs().max_element() / p.length().max(1e-12) + (1.0 - roundness) * 0.8;
        *p = center + *p * (BALL * round);
    }
    RawBody { self_contact: false, ..body }
}

fn block(friction: Real) -> RawBody {
    let mut material = elastic(Law::NeoHookean, 2e5, 0.4, 1000.0, 0.0);
    material.thickness = Some(2.0 * RADIUS);
    let low = Vec3::Z * (RADIUS + REST + 1e-6);
    let body = flesh("block", (low, Vec3::new(0.04, 0.04, 0.02)), [4, 4, 2], material);
    RawBody { friction, self_contact: false, ..body }
}

/// How far the engine is from the yardstick.
#[derive(Debug)]
struct Apart {
    /// The farthest that a vertex was from its place in any step, of the size of the scene.
    pos: Real,
    /// Impulse of all contacts against the fall, over that of the yardstick, less one.
    impulse: Real,
}

struct Scene {
    raw: RawScene,
    /// How much farther than by their thickness rows keep surfaces of a solid, each its share \[m\].
    more: Real,
    size: Real,
}

impl Scene {
    fn of(bodies: Vec<RawBody>, more: Real, size: Real) -> Self {
        let mut raw = lagrangian(bodies, Filter::Planes);
        raw.world.dt_s = STEP;
        Self { raw, more, size }
    }

    #[allow(clippy::print_stdout)]
    fn run(&self, name: &str, steps: usize, sweeps: u32) -> Apart {
        let mut world = baked(&self.raw).world();
        let force = weight(&world);
        let exact = Exactness { friction: 1e-6 * force, ..EXACT };
        let barrier = Barrier::holding(0.1 * force, REACH);
        let mut yard = Yardstick::of(&world, RADIUS + self.more - 0.5 * REACH, barrier, exact);
        let input = Input { sweeps, ..Input::at_rest(&world) };
        let mut worst: Real = 0.0;
        for _ in 0..steps {
            step(&mut world, &input, &mut || 0);
            let told = yard.step();
            assert!(told.last_step <= exact.step && told.least_gap > 0.0, "{name}: {told:?}");
            let far = world.state.pos.iter().zip(&yard.pos).map(|(a, b)| a.distance(*b));
            worst = far.fold(worst, Real::max);
        }
        // What gravity has not brought down was held up.
        let gained = |vel: &[Vec3]| -> Vec3 { vel.iter().zip(&world.model.mass).map(|(v, m)| *v * *m).sum() };
        let (fall, pulled) = (world.params.fall().normalize(), force * STEP * steps as Real);
        let [engine, truth] = [gained(&world.state.vel), gained(&yard.vel)].map(|p| pulled - p.dot(fall));
        let apart = Apart { pos: worst / self.size, impulse: engine / truth - 1.0 };
        println!("{name}, {sweeps} sweeps: {apart:?}");
        apart
    }
}

fn on_plane() -> Scene {
    Scene::of(vec![floor(), ball("ball", Vec3::Z * (BALL + 0.004), 1.0)], REST, 2.0 * BALL)
}

fn on_box() -> Scene {
    let slab = RawSolid::Cuboid { size: Vec3::new(0.2, 0.2, 0.1) };
    let slab = solid("box", slab, Vec3::new(0.0, 0.0, -0.05), RawModel::Fixed);
    Scene::of(vec![slab, ball("ball", Vec3::Z * (BALL + 0.004), 1.0)], REST, 2.0 * BALL)
}

/// A round cube falls on another, which is held at its lowest layer.
fn two() -> Scene {
    let mut lower = ball("lower", Vec3::ZERO, 0.5);
    let held = Aabb { min: Vec3::splat(-1.0), max: Vec3::new(1.0, 1.0, -0.6 * BALL) };
    lower.attachments = vec![Selector::Box(held)];
    let mut upper = ball("upper", Vec3::Z * (1.8 * BALL + 0.001), 0.5);
    (lower.friction, upper.friction) = (0.3, 0.3);
    Scene::of(vec![lower, upper], 0.5 * REST, 4.0 * BALL)
}

/// A block on a slope of 1 : 2.
fn on_slope(friction: Real) -> Scene {
    let mut plane = floor();
    plane.friction = friction;
    let mut scene = Scene::of(vec![plane, block(friction)], REST, 0.04);
    scene.raw.world.gravity = Vec3::new(0.5, 0.0, -1.0).normalize() * 9.81;
    scene
}

/// Ten sweeps, as scenes have them, and a hundred, which leave nothing but what the two keep apart differently.
fn compare(name: &str, scene: &Scene, steps: usize, most: [(u32, Real, Real); 2]) {
    for (sweeps, pos, impulse) in most {
        let apart = scene.run(name, steps, sweeps);
        assert!(apart.pos < pos && apart.impulse.abs() < impulse, "{name}, {sweeps} sweeps: {apart:?}");
    }
}

/// A bounce and a half.
#[test]
fn a_ball_dropped_on_a_plane() {
    compare("ball on plane", &on_plane(), 60, [(10, 3e-3, 1e-3), (100, 3e-3, 1e-3)]);
}

#[test]
fn a_ball_dropped_on_a_box() {
    compare("ball on box", &on_box(), 60, [(10, 3e-3, 1e-3), (100, 3e-3, 1e-3)]);
}

#[test]
fn one_body_dropped_on_another() {
    compare("two bodies", &two(), 60, [(10, 1e-2, 5e-3), (100, 1e-2, 5e-3)]);
}

#[test]
fn a_block_on_a_slope() {
    compare("slope 0.3, sliding", &on_slope(0.3), 60, [(10, 1e-3, 1e-3), (100, 1e-3, 1e-3)]);
    compare("slope 0.7, sticking", &on_slope(0.7), 60, [(10, 1e-3, 1e-3), (100, 1e-3, 1e-3)]);
}
