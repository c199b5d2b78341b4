//! Short ways to make raw scenes.

use serosa_bake::raw::*;
use serosa_bake::{Baked, bake};
use serosa_geometry::{Mesh, Quat, Vec3};
use serosa_sim::model::Pose;
use serosa_sim::{Input, World, step};

pub fn body(name: &str, geometry: RawGeometry, model: RawModel) -> RawBody {
    RawBody {
        name: name.into(),
        geometry,
        model,
        friction: 0.0,
        drag: 0.0,
        self_contact: true,
        membrane_contact: false,
        attachments: Vec::new(),
    }
}

pub fn springs(name: &str, mesh: Mesh, mass: f64, stiffness: f64, damping: f64) -> RawBody {
    let geometry = RawGeometry::Mesh { mesh, radius: 1e-3 };
    body(name, geometry, RawModel::Springs { mass, stiffness, damping, bending: 0.0, tube: None })
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
    bake(scene).unwrap_or_else(|faults| panic!("{faults:?}"))
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
