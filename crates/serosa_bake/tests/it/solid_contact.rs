//! Solids in contact: weight, friction, theory, tools and jaws.

use crate::make::*;
use crate::specimens::{elastic, flesh};
use serosa_bake::raw::*;
use serosa_geometry::Vec3;
use serosa_sim::World;
use serosa_sim::audit::Auditor;
use serosa_sim::model::Law;
use serosa_sim::params::Filter;
use serosa_sim::respond::augmented_lagrangian::REST_GAP;

/// A cube of soft flesh, its lowest corner there.
fn cube(name: &str, corner: Vec3, edge: f64, cells: usize, young: f64) -> RawBody {
    let mut body = flesh(
        name,
        (corner, Vec3::splat(edge)),
        [cells; 3],
        elastic(Law::NeoHookean, young, 0.4, 1000.0, 5e-3),
    );
    body.friction = 0.5;
    body
}

fn ground() -> RawBody {
    let mut ground = floor();
    ground.friction = 0.5;
    ground
}

/// At 240 steps a second.
fn at_240(bodies: Vec<RawBody>) -> RawScene {
    let mut raw = lagrangian(bodies, Filter::Planes);
    (raw.world.dt_s, raw.world.sweeps) = (1.0 / 240.0, 10);
    raw
}

fn radius(world: &World, b: usize) -> f64 {
    world.state.radius[world.model.bodies[b].prims.start as usize]
}

#[test]
fn a_cube_on_a_plane_weighs_what_it_weighs() {
    let mut world = baked(&at_240(vec![ground(), cube("cube", Vec3::Z * 2e-3, 0.05, 4, 2e4)])).world();
    for k in 0..12 {
        run(&mut world, 40);
        let low = world.state.pos.iter().map(|p| p.z).fold(1.0, f64::min);
        let fast = world.state.vel.iter().map(|v| v.length()).fold(0.0, f64::max);
        println!(
            "{k} {} {low:e} {fast:e} {} {}",
            world.scratch.contact_force[0], world.report.truncated, world.report.contacts
        );
    }
    let weight = 1000.0 * 0.05f64.powi(3) * 9.81;
    let load = world.scratch.contact_force[0];
    assert!((load + Vec3::Z * weight).length() < 0.01 * weight, "{load} for {weight}");
    let low = world.state.pos.iter().map(|p| p.z).fold(1.0, f64::min);
    let height = radius(&world, 1) + REST_GAP;
    assert!((low - height).abs() < 0.1 * REST_GAP, "{low} {height}");
    assert!(Auditor::default().check(&world).deepest_m <= 0.0);
    let fast = world.state.vel.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fast < 1e-4, "{fast}");
}
