//! Bands under the quadratic programme: their matrix, where they come to rest, and what they weigh.

use crate::counting::allocations;
use crate::make::*;
use crate::solid_contact::ground;
use crate::strip::{body_of, gut};
use serosa_bake::raw::*;
use serosa_geometry::generate::intestine::Layout;
use serosa_geometry::{Real, Vec3};
use serosa_sim::audit::Auditor;
use serosa_sim::body::{self, system};
use serosa_sim::energy::{EnergyKind, world_energy};
use serosa_sim::params::{Filter, Response};
use serosa_sim::{Input, World, step};

fn programme(bodies: Vec<RawBody>) -> RawScene {
    let mut raw = scene(bodies);
    (raw.world.response, raw.world.filter) = (Response::Qp, Filter::Planes);
    (raw.world.dt_s, raw.world.sweeps) = (1.0 / 240.0, 10);
    raw
}

/// A rope along x at a height, its ends held or not.
fn line(name: &str, height: f64, held: bool) -> RawBody {
    let ends = (Vec3::new(-0.1, 0.0, height), Vec3::new(0.1, 0.0, height));
    let mut body = rope(name, ends, 21, 3e-3, ROPE);
    if held {
        body.attachments = vec![Selector::Name("ends".into())];
    }
    body.friction = 0.5;
    body
}

fn weight(world: &World, b: usize) -> f64 {
    world.model.mass[world.model.bodies[b].vertex_range()].iter().sum::<f64>() * 9.81
}

/// A gut with its membrane and a rope, both out of shape.
fn bent() -> World {
    let mut bodies = vec![body_of(gut(Layout::Helicoid, 4, 40)), line("rope", 2.0, true)];
    // What the noise lets overlap would push.
    bodies.iter_mut().for_each(|body| body.self_contact = false);
    let mut world = baked(&programme(bodies)).world();
    let mut seed = 7;
    for v in (0..world.model.rest.len()).filter(|v| world.model.inv_mass[*v] > 0.0) {
        world.state.pos[v] += noise3(&mut seed) * 2e-3;
    }
    world
}

#[test]
fn the_matrix_of_bands_is_its_matrix_free_twin_and_positive() {
    let mut world = bent();
    let (h, mut seed) = (4e-3, 3);
    let matrix = system::matrix(&mut world, h).unwrap();
    let n = 3 * matrix.vertices();
    for _ in 0..10 {
        let mut x = vec![0.0; n];
        for v in matrix.free() {
            (0..3).for_each(|k| x[3 * *v as usize + k] = noise(&mut seed));
        }
        let (mut y, mut twin) = (vec![0.0; n], vec![0.0; n]);
        matrix.multiply(&x, &mut y);
        system::product(&mut world, h, &x, &mut twin);
        let most = y.iter().fold(0.0, |m: Real, y| m.max(y.abs()));
        let off = y.iter().zip(&twin).fold(0.0, |m: Real, (a, b)| m.max((a - b).abs()));
        assert!(off < 1e-11 * most, "{off} of {most}");
        assert!(y.iter().zip(&x).map(|(y, x)| y * x).sum::<Real>() > 0.0);
    }
}

/// A step next to nothing gives what the forces give.
#[test]
fn bands_out_of_shape_are_moved_by_their_forces() {
    let mut world = bent();
    (world.params.dt_s, world.params.gravity) = (1e-9, 0.0);
    let mut forces = vec![Vec3::ZERO; world.state.pos.len()];
    body::forces(&world.model, &world.params, &world.state.pos, &mut forces);
    run(&mut world, 1);
    let free = (0..forces.len()).filter(|v| world.model.inv_mass[*v] > 0.0);
    let (mut off, mut most) = (0.0 as Real, 0.0 as Real);
    for v in free {
        let given = world.state.vel[v] * (world.model.mass[v] / 1e-9);
        (off, most) = (off.max((given - forces[v]).length()), most.max(forces[v].length()));
    }
    // Damping resists what moves: in a step so short by less than a ten-thousandth of its inertia.
    assert!(off < 1e-3 * most, "{off} of {most}");
}

#[test]
fn a_rope_hangs_as_far_as_by_its_own_newton_steps() {
    let [here, there] = [Response::Qp, Response::AugmentedLagrangian].map(|response| {
        let mut body = line("rope", 0.0, true);
        body.drag = 5.0;
        let mut raw = programme(vec![body]);
        raw.world.response = response;
        let mut world = baked(&raw).world();
        run(&mut world, 720);
        world.state.pos.iter().map(|p| p.z).fold(Real::INFINITY, Real::min)
    });
    assert!(here < -5e-3 && (here / there - 1.0).abs() < 1e-3, "{here} {there}");
}

#[test]
fn a_rope_on_the_floor_and_a_ball_on_ropes_weigh_what_they_weigh() {
    let mut world = baked(&programme(vec![ground(), line("rope", 5e-3, false)])).world();
    let (mut auditor, input) = (Auditor::default(), Input::at_rest(&world));
    for k in 0..360 {
        step(&mut world, &input, &mut || 0);
        if k % 20 == 0 {
            let audit = auditor.check(&world);
            assert!(audit.missed == 0 && audit.deepest_m < 1e-5, "step {k}: {audit:?}");
        }
    }
    let (load, weighs) = (world.scratch.contact_force[0], weight(&world, 1));
    assert!((load + Vec3::Z * weighs).length() < 0.01 * weighs, "{load} for {weighs}");
    let ball =
        solid("ball", RawSolid::Sphere { radius: 0.02 }, Vec3::Z * 0.0235, RawModel::Rigid { mass: 0.05 });
    let mut bodies = vec![line("left", 0.0, true), line("right", 0.0, true), ball];
    for (body, side) in bodies.iter_mut().zip([-0.012, 0.012]) {
        if let RawGeometry::Mesh { mesh, .. } = &mut body.geometry {
            mesh.points.iter_mut().for_each(|p| p.y += side);
        }
        body.drag = 2.0;
    }
    (bodies[2].friction, bodies[2].drag) = (0.5, 2.0);
    let mut world = baked(&programme(bodies)).world();
    run(&mut world, 480);
    let load = world.scratch.contact_force[2].z;
    assert!((load - 0.05 * 9.81).abs() < 0.01 * 0.05 * 9.81, "{load}");
}

#[test]
fn a_gut_swings_with_energy_that_does_not_rise_in_the_same_bits() {
    let mut body = body_of(gut(Layout::Helicoid, 4, 40));
    (body.self_contact, body.friction) = (false, 0.3);
    let mut raw = programme(vec![body]);
    raw.world.filter = Filter::Off;
    let bake = baked(&raw);
    let mut hashes = Vec::new();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut world = bake.world();
        let start = world_energy(&world, EnergyKind::Total);
        pool.install(|| {
            for k in 0..240 {
                run(&mut world, 1);
                let now = world_energy(&world, EnergyKind::Total);
                assert!(now <= start + 1e-6 * start.abs(), "{k}: {now} J of {start} J");
                assert!(world.report.qp.trouble.is_empty(), "{:?}", world.report.qp.trouble);
            }
        });
        hashes.push(world.state.hash());
        // The same steps once more need no room that none has needed yet.
        let (input, saved) = (Input::at_rest(&world), world.state.clone());
        pool.install(|| run(&mut world, 20));
        world.state.copy_from(&saved);
        let count = allocations(&pool, || (0..20).for_each(|_| step(&mut world, &input, &mut || 0)));
        assert_eq!(count, 0);
    }
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:x?}");
}
