//! Solids in contact under the quadratic programme.

use crate::counting::allocations;
use crate::make::*;
use crate::solid_contact::{cube, ground};
use serosa_bake::raw::*;
use serosa_geometry::Vec3;
use serosa_geometry::generate::{Sheet, membrane};
use serosa_sim::audit::Auditor;
use serosa_sim::params::{Filter, Response};
use serosa_sim::{Input, World, step};

const EDGE: f64 = 0.03;

fn programme(bodies: Vec<RawBody>, filter: Filter) -> RawScene {
    let mut raw = scene(bodies);
    (raw.world.response, raw.world.filter) = (Response::Qp, filter);
    (raw.world.dt_s, raw.world.sweeps) = (1.0 / 240.0, 10);
    raw
}

fn brick(name: &str, height: f64) -> RawBody {
    cube(name, Vec3::new(-0.5 * EDGE, -0.5 * EDGE, height), EDGE, 2, 2e4)
}

fn weight() -> f64 {
    1000.0 * EDGE.powi(3) * 9.81
}

fn audited(world: &mut World, steps: u32, what: &str) {
    let (mut auditor, input) = (Auditor::default(), Input::at_rest(world));
    for k in 0..steps {
        step(world, &input, &mut || 0);
        assert!(world.report.quarantined.is_empty(), "{what}: {k}");
        if k % 20 == 0 {
            let audit = auditor.check(world);
            assert!(audit.missed == 0 && audit.deepest_m < 1e-5, "{what}: step {k}: {audit:?}");
        }
    }
}

#[test]
fn solids_rest_on_a_plane_and_on_one_another() {
    for filter in [Filter::Off, Filter::Planes] {
        let high = EDGE + 6e-3;
        let mut world =
            baked(&programme(vec![ground(), brick("low", 3e-3), brick("high", high)], filter)).world();
        audited(&mut world, 480, "a stack");
        let load = world.scratch.contact_force[0];
        assert!((load + Vec3::Z * (2.0 * weight())).length() < 0.01 * weight(), "{filter:?}: {load}");
        let upper = world.scratch.contact_force[2];
        assert!((upper - Vec3::Z * weight()).length() < 0.01 * weight(), "{filter:?}: {upper}");
    }
}

#[test]
fn a_solid_rests_on_a_sheet_and_a_ball_on_a_solid() {
    let sheet = Sheet {
        corner: Vec3::new(-0.06, -0.06, -1e-3),
        along: Vec3::X * 0.12,
        across: Vec3::Y * 0.12,
        columns: 13,
        rows: 13,
    };
    let mut cloth = springs("cloth", membrane(&sheet), 0.03, 300.0, 0.2);
    cloth.attachments = vec![Selector::Name("border".into())];
    let ball = solid(
        "ball",
        RawSolid::Sphere { radius: 0.01 },
        Vec3::Z * (EDGE + 0.015),
        RawModel::Rigid { mass: 0.02 },
    );
    let mut top = brick("brick", 1e-3);
    (top.drag, cloth.drag, cloth.friction) = (1.0, 1.0, 0.5);
    let mut world = baked(&programme(vec![cloth, top, ball], Filter::Planes)).world();
    audited(&mut world, 480, "on a sheet");
    let both = weight() + 0.02 * 9.81;
    let load = world.scratch.contact_force[0];
    assert!((load.z + both).abs() < 0.01 * both, "{load} for {both}");
}

#[test]
fn a_solid_holds_on_a_slope_at_0_9_and_slides_at_1_1() {
    for (share, holds) in [(0.9, true), (1.1, false)] {
        let friction = 0.4;
        let (mut plane, mut body) = (floor(), brick("brick", 7e-4));
        (plane.friction, body.friction) = (friction, friction);
        let mut raw = programme(vec![plane, body], Filter::Planes);
        let down = (share * friction).atan();
        raw.world.gravity = Vec3::new(down.sin(), 0.0, -down.cos()) * 9.81;
        let mut world = baked(&raw).world();
        let place =
            |world: &World| world.state.pos.iter().map(|p| p.x).sum::<f64>() / world.state.pos.len() as f64;
        run(&mut world, 240);
        let from = place(&world);
        run(&mut world, 240);
        let gone = place(&world) - from;
        assert_eq!(gone.abs() < 1e-5, holds, "{share}: {gone}");
    }
}

#[test]
fn the_same_bits_and_no_allocation() {
    let raw = programme(vec![ground(), brick("low", 3e-3), brick("high", EDGE + 6e-3)], Filter::Planes);
    let mut hashes = Vec::new();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut world = baked(&raw).world();
        pool.install(|| run(&mut world, 120));
        let half = world.state.clone();
        pool.install(|| run(&mut world, 120));
        hashes.push(world.state.hash());
        let mut again = baked(&raw).world();
        again.state = half;
        pool.install(|| run(&mut again, 120));
        hashes.push(again.state.hash());
    }
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:x?}");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut world = baked(&raw).world();
    let input = Input::at_rest(&world);
    pool.install(|| run(&mut world, 480));
    let count = allocations(&pool, || (0..100).for_each(|_| step(&mut world, &input, &mut || 0)));
    assert_eq!(count, 0);
}
