//! The engine beside the yardstick: the same small scenes, step by step.

use super::rest::{EXACT, weight};
use super::{Barrier, Exactness, Yardstick};
use crate::make::{baked, floor, lagrangian, solid};
use crate::specimens::{elastic, flesh};
use serosa_bake::raw::{RawBody, RawGeometry, RawModel, RawScene, RawSolid, Selector};
use serosa_geometry::{Aabb, Real, Vec3};
use serosa_sim::model::Law;
use serosa_sim::params::Filter;
use serosa_sim::respond::augmented_lagrangian::REST_GAP;
use serosa_sim::{Input, World, step};

/// Half the thickness of surfaces, and the reach of barriers \[m\].
const RADIUS: Real = 2.5e-4;
const REACH: Real = 2e-5;
/// \[s\]
const STEP: Real = 1.0 / 240.0;
const BALL: Real = 0.03;

/// A ball of 384 tetrahedra, or a cube on the way to one.
fn ball(name: &str, center: Vec3, young: Real) -> RawBody {
    rounded(name, center, young, 1.0)
}

fn rounded(name: &str, center: Vec3, young: Real, roundness: Real) -> RawBody {
    let mut material = elastic(Law::NeoHookean, young, 0.4, 1000.0, 0.0);
    material.thickness = Some(2.0 * RADIUS);
    material.descent = if std::env::var("DESC").is_ok() { serosa_bake::raw::RawDescent::Global } else {material.descent};
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
    material.descent = if std::env::var("DESC").is_ok() { serosa_bake::raw::RawDescent::Global } else {material.descent};
    let low = Vec3::Z * (RADIUS + REST_GAP + 1e-6);
    let body = flesh("block", (low, Vec3::new(0.04, 0.04, 0.02)), [4, 4, 2], material);
    RawBody { friction, self_contact: false, ..body }
}

/// What was seen of both.
#[derive(Debug)]
pub struct Apart {
    /// The farthest that a vertex was from its place in any step, and in the last \[of the size of the scene\].
    pos: [Real; 2],
    /// Impulse of all contacts on what moves, over that of the yardstick, less one.
    impulse: Real,
    /// How far the two go in all \[m\].
    #[allow(dead_code)]
    way: Real,
}

struct Scene {
    raw: RawScene,
    /// How much farther than their thickness the yardstick keeps two surfaces of which one is rigid, as the rows do \[m\].
    more: Real,
    size: Real,
    creep: Real,
}

impl Scene {
    fn of(bodies: Vec<RawBody>, more: Real, size: Real) -> Self {
        let mut raw = lagrangian(bodies, Filter::Planes);
        raw.world.dt_s = STEP;
        Self { raw, more, size, creep: EXACT.creep }
    }

    fn run(&self, steps: usize, sweeps: u32) -> Apart {
        let mut world = baked(&self.raw).world();
        let force = weight(&world);
        let exact = Exactness { creep: self.creep, friction: 1e-6 * force, ..EXACT };
        let barrier = Barrier::holding(0.1 * force, REACH);
        let mut yard = Yardstick::of(&world, RADIUS + self.more - 0.5 * REACH, barrier, exact);
        let input = Input { sweeps, ..Input::at_rest(&world) };
        let start = world.state.pos.clone();
        let (mut worst, mut last): (Real, Real) = (0.0, 0.0);
        for k in 0..steps {
            step(&mut world, &input, &mut || 0);
            let told = yard.step();
            assert!(told.last_step <= exact.step && told.least_gap > 0.0, "{told:?}");
            let far = world.state.pos.iter().zip(&yard.pos).map(|(a, b)| a.distance(*b));
            last = far.fold(0.0, Real::max) / self.size;
            worst = worst.max(last);
            if std::env::var("V").is_ok() {
                let mid = |p: &[Vec3]| p.iter().zip(&world.model.mass).map(|(x, m)| *x * *m).sum::<Vec3>() / world.model.mass.iter().sum::<Real>();
                let d = |p: &[Vec3], r: Real| yard.bodies.pairs(p, p, r).iter().map(|q| q.gap(p)).fold(9.0, Real::min);
                let mut e = world.state.pos.clone(); e.extend_from_slice(&yard.pos[e.len()..]);
                println!("gap {:.3e} {:.3e} {:.3e}", d(&yard.pos, 1.0), d(&yard.pos, REACH), d(&e, 1.0));
                let low = |p: &[Vec3]| p.iter().map(|p| p.z).fold(1.0, Real::min);
                let n = world.model.rest.len();
                println!("{k} {last:.2e} F {:.3} {:.3} low {:.6} {:.6} mid {:.6} {:.6} {} {}", world.scratch.contact_force[1].z, yard.support().z, low(&world.state.pos), low(&yard.pos[..n]), mid(&world.state.pos), mid(&yard.pos[..n]), world.report.contacts, world.report.truncated);
            }
        }
        let way = yard.pos.iter().zip(&start).map(|(a, b)| a.distance(*b)).fold(0.0, Real::max);
        // What gravity has not brought down was held up.
        let gained = |vel: &[Vec3]| -> Vec3 { vel.iter().zip(&world.model.mass).map(|(v, m)| *v * *m).sum() };
        let fall = world.params.fall().normalize();
        let pulled = force * STEP * steps as Real;
        let [engine, exact] = [gained(&world.state.vel), gained(&yard.vel)].map(|p| pulled - p.dot(fall));
        Apart { pos: [worst, last], impulse: engine / exact - 1.0, way }
    }
}

fn on_plane() -> Scene {
    Scene::of(vec![floor(), ball("ball", Vec3::Z * (BALL + 0.004), 2e4)], REST_GAP, 2.0 * BALL)
}

fn on_box() -> Scene {
    let slab = RawSolid::Cuboid { size: Vec3::new(0.2, 0.2, 0.1) };
    let slab = solid("box", slab, Vec3::new(0.0, 0.0, -0.05), RawModel::Fixed);
    Scene::of(vec![slab, ball("ball", Vec3::Z * (BALL + 0.004), 2e4)], REST_GAP, 2.0 * BALL)
}

fn two() -> Scene {
    let mut lower = ball("lower", Vec3::ZERO, 2e4);
    let held = Aabb { min: Vec3::splat(-1.0), max: Vec3::new(1.0, 1.0, -0.6 * BALL) };
    lower.attachments = vec![Selector::Box(held)];
    // Not pole on pole, where either might slip to any side.
    let mut upper = ball("upper", Vec3::ZERO, 2e4);
    let turn = serosa_geometry::rotation::from_rotation_vector(Vec3::new(0.4, 0.7, 0.2));
    let RawGeometry::Tets(tets) = &mut upper.geometry else { panic!("tetrahedra") };
    tets.mesh.points.iter_mut().for_each(|p| *p = turn * *p + Vec3::new(0.004, 0.003, 2.0 * BALL + 0.001));
    Scene::of(vec![lower, upper], 0.5 * REST_GAP, 4.0 * BALL)
}

/// A round cube on another, which is held at its lowest layer.
fn press(friction: Real) -> Scene {
    let mut lower = rounded("lower", Vec3::ZERO, 2e4, 0.5);
    let held = Aabb { min: Vec3::splat(-1.0), max: Vec3::new(1.0, 1.0, -0.6 * BALL) };
    lower.attachments = vec![Selector::Box(held)];
    let mut upper = rounded("upper", Vec3::Z * (1.8 * BALL + 0.001), 2e4, 0.5);
    (lower.friction, upper.friction) = (friction, friction);
    Scene::of(vec![lower, upper], 0.5 * REST_GAP, 4.0 * BALL)
}

fn on_slope(friction: Real) -> Scene {
    let mut plane = floor();
    plane.friction = friction;
    let mut scene = Scene::of(vec![plane, block(friction)], REST_GAP, 0.04);
    scene.raw.world.gravity = Vec3::new(0.5, 0.0, -1.0).normalize() * 9.81;
    scene
}

#[test]
fn dev_beside() {
    let n = |k: &str, d: usize| std::env::var(k).map_or(d, |v| v.parse().unwrap());
    for (name, scene) in [("plane", on_plane()), ("box", on_box()), ("two", two()), ("press", press(0.3)), ("slope .3", on_slope(0.3)), ("slope .7", on_slope(0.7))] {
        if std::env::var("ONLY").is_ok_and(|o| o != name) { continue; }
        for sweeps in [10, 30, 100] {
            if std::env::var("SW").is_ok_and(|o| o != sweeps.to_string()) { continue; }
            let t = std::time::Instant::now();
            let apart = scene.run(n("STEPS", 60), sweeps);
            println!("{name} {sweeps} {apart:?} {:?}", t.elapsed());
        }
    }
}
