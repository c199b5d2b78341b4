//! Short ways to make raw scenes.

use serosa_bake::raw::*;
use serosa_bake::{Baked, bake};
use serosa_geometry::{Mesh, Quat, Vec3};
use serosa_sim::model::Pose;
use serosa_sim::params::{Filter, Response};
use serosa_sim::{Hand, Input, World, step};

pub fn body(name: &str, geometry: RawGeometry, model: RawModel) -> RawBody {
    RawBody::new(name, geometry, model)
}

pub fn springs(name: &str, mesh: Mesh, mass: f64, stiffness: f64, damping: f64) -> RawBody {
    let geometry = RawGeometry::Mesh { mesh, radius: 1e-3 };
    body(name, geometry, RawModel::Springs { mass, stiffness, damping, bending: 0.0, tube: None })
}

/// The mechanics of a rope of silicone, as thick as a finger.
pub const ROPE: RawBand = RawBand {
    mass: 0.1,
    tube_mass: None,
    tube_stretch: 500.0,
    tube_bending: 1e-3,
    stiffness: 0.0,
    bending: 0.0,
    relaxation_s: 5e-3,
};

pub fn rope(name: &str, (from, to): (Vec3, Vec3), nodes: usize, radius: f64, band: RawBand) -> RawBody {
    let mesh = serosa_geometry::generate::chain(from, to, nodes);
    body(name, RawGeometry::Mesh { mesh, radius }, RawModel::Band(band))
}

/// Bodies and rows that descend together; with the filter or without.
pub fn lagrangian(bodies: Vec<RawBody>, filter: Filter) -> RawScene {
    let mut raw = scene(bodies);
    (raw.world.response, raw.world.filter) = (Response::AugmentedLagrangian, filter);
    raw
}

/// A shaft in a hand.
pub fn tool(name: &str, tip: Vec3, direction: Vec3) -> RawTool {
    RawTool {
        name: name.into(),
        solid: RawSolid::Capsule { length: 0.2, radius: 0.005 },
        tip,
        direction,
        mass: 0.04,
        friction: 0.2,
        stiffness: 400.0,
        damping: None,
        turn_stiffness: 0.5,
        speed_max: 2.0,
        reach: 0.015,
        strength: 5.0,
        holds: 8,
        moves: Vec::new(),
    }
}

/// Sets where the first hand is, turned as it is.
pub fn lead(input: &mut Input, tip: Vec3, grip: bool) {
    input.hands[0] = Hand::new(tip, input.hands[0].pose().rot).unwrap().gripping(grip);
}

pub fn solid(name: &str, solid: RawSolid, pos: Vec3, model: RawModel) -> RawBody {
    body(name, RawGeometry::Solid { solid, pose: Pose { pos, rot: Quat::IDENTITY } }, model)
}

pub fn floor() -> RawBody {
    solid("floor", RawSolid::Plane, Vec3::ZERO, RawModel::Fixed)
}

pub fn scene(bodies: Vec<RawBody>) -> RawScene {
    RawScene { title: "test".into(), bodies, ..RawScene::default() }
}

pub fn weightless(bodies: Vec<RawBody>) -> RawScene {
    let mut scene = scene(bodies);
    scene.world.gravity = Vec3::ZERO;
    scene
}

pub fn baked(scene: &RawScene) -> Baked {
    bake(scene).unwrap_or_else(|faults| panic!("{:?}", &faults[..faults.len().min(3)]))
}

pub fn run(world: &mut World, steps: u32) {
    let input = Input::at_rest(world);
    for _ in 0..steps {
        step(world, &input, &mut || 0);
    }
}

/// Deterministic numbers in [-1, 1).
pub fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

pub fn noise3(seed: &mut u64) -> Vec3 {
    Vec3::new(noise(seed), noise(seed), noise(seed))
}
