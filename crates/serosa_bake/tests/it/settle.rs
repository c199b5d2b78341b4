//! Surfaces at rest: sheets that lie on tissue, organs that hang, what is told of the start, and what momentum is kept.

use crate::make::{baked, lead, run, scene, springs, tool, weightless};
use crate::specimens::{ORGAN, organ, organ_mesh};
use serosa_bake::RawScene;
use serosa_bake::raw::*;
use serosa_geometry::generate::{Sheet, membrane};
use serosa_geometry::{Mesh, Vec3};
use serosa_sim::audit::Auditor;
use serosa_sim::params::Response;
use serosa_sim::{Input, World, step};

const BOTH: [Response; 2] = [Response::Projection, Response::ConsistentPenetration];

/// A ball of 4 cm radius of 258 points.
fn ball_at(center: Vec3) -> Mesh {
    let mut mesh = organ_mesh(3, Vec3::splat(0.04));
    mesh.points.iter_mut().for_each(|p| *p += center);
    mesh
}

fn fastest(world: &World) -> f64 {
    world.state.vel.iter().map(|v| v.length()).fold(0.0, f64::max)
}

#[test]
fn a_body_inside_another_from_the_start_is_told_by_name() {
    let mut small = organ_mesh(2, Vec3::splat(0.01));
    small.points.iter_mut().for_each(|p| *p += Vec3::X * 0.02);
    let bodies = vec![organ("big", ball_at(Vec3::ZERO), ORGAN), organ("small", small, ORGAN)];
    let mut raw = weightless(bodies);
    raw.world.response = Response::Projection;
    let notes = baked(&raw).notes.join("; ");
    assert!(notes.contains("\"small\" lies inside \"big\" at the start"), "{notes}");
    // Every pair is told, not the deepest alone.
    raw.bodies.push(organ("third", ball_at(Vec3::X * -0.078), ORGAN));
    let notes = baked(&raw).notes.join("; ");
    let third = "\"big\" and \"third\" overlap";
    assert!(notes.contains("\"small\" lies inside") && notes.contains(third), "{notes}");
    raw.bodies.truncate(1);
    assert!(baked(&raw).notes.is_empty());
}

/// H.4: impulses of rows add up to nothing exactly, and their moments too but for the little way by which the two sides
/// of a row lie beside each other. Parting what overlapped moves positions alone, by compliances, and keeps neither.
#[test]
fn what_meets_keeps_its_angular_momentum_nearly() {
    for response in BOTH {
        let half = Vec3::X * 0.041;
        let bodies = vec![organ("left", ball_at(-half), ORGAN), organ("right", ball_at(half), ORGAN)];
        let mut raw = weightless(bodies);
        raw.world.response = response;
        let mut world = baked(&raw).world();
        let left = world.model.bodies[0].vertex_range();
        world.state.vel[left].fill(Vec3::new(0.3, 0.15, 0.05));
        let spin = |w: &World| -> Vec3 {
            let one = |((x, v), m): ((&Vec3, &Vec3), &f64)| x.cross(*v * *m);
            w.state.pos.iter().zip(&w.state.vel).zip(&w.model.mass).map(one).sum()
        };
        let (before, mut touched) = (spin(&world), 0);
        for _ in 0..60 {
            run(&mut world, 1);
            touched += world.scratch.rows.len();
        }
        let lost = (spin(&world) - before).length() / before.length();
        assert!(touched > 100, "{response:?}");
        assert!(lost < 0.01, "{response:?}: {lost} of it is lost");
    }
}

/// A sheet over a ball.
fn draped(response: Response, cells: usize) -> RawScene {
    let across = 0.12;
    let sheet = Sheet {
        corner: Vec3::new(-0.5 * across, -0.5 * across, 0.0425),
        along: Vec3::X * across,
        across: Vec3::Y * across,
        columns: cells,
        rows: cells,
    };
    let firm = RawTissue { restoration: 150.0, relaxation_s: 0.02, ..ORGAN };
    let mut cloth = springs("sheet", membrane(&sheet), 0.01, 100.0, 0.01);
    (cloth.friction, cloth.drag) = (0.5, 2.0);
    let mut ball = organ("ball", ball_at(Vec3::ZERO), firm);
    ball.attachments = vec![Selector::Plane { point: -Vec3::Z * 0.01, normal: Vec3::Z }];
    ball.friction = 0.5;
    let mut raw = scene(vec![cloth, ball]);
    raw.world.response = response;
    raw.world.dt_s = 4e-3;
    raw
}

#[test]
fn a_sheet_lies_on_what_it_falls_on() {
    for response in BOTH {
        let mut world = baked(&draped(response, 25)).world();
        run(&mut world, 500);
        let top = |b: usize| {
            let near = |v: &usize| world.state.pos[*v].truncate().length() < 0.006;
            let range = world.model.bodies[b].vertex_range();
            range.filter(near).map(|v| world.state.pos[v].z).fold(f64::NEG_INFINITY, f64::max)
        };
        // Edges are 1 mm thick to either side.
        let above = top(0) - top(1);
        assert!((0.6e-3..1.6e-3).contains(&above), "{response:?}: {above} m above the tissue");
        assert!(fastest(&world) < 0.02, "{response:?}: {} m/s", fastest(&world));
    }
}

#[test]
fn a_contact_of_a_sheet_begins_without_a_jump() {
    let mut raw = draped(Response::Projection, 25);
    raw.world.gravity = Vec3::ZERO;
    let mut world = baked(&raw).world();
    let sheet = world.model.bodies[0].vertex_range();
    world.state.vel[sheet.clone()].fill(-Vec3::Z * 0.02);
    for _ in 0..60 {
        run(&mut world, 1);
        let moved = sheet.clone().map(|v| (world.state.pos[v] - world.scratch.before.pos[v]).length());
        let moved = moved.fold(0.0, f64::max) / world.params.dt_s;
        assert!(moved < 0.06, "{moved} m/s");
    }
    assert!(!world.scratch.rows.is_empty());
}

#[test]
fn a_sheet_pierced_within_one_face_has_a_row() {
    // One square of two triangles, and the ball comes through the middle of one of them.
    let mut raw = draped(Response::Projection, 2);
    let RawGeometry::Mesh { mesh, .. } = &mut raw.bodies[0].geometry else { panic!() };
    mesh.points.iter_mut().for_each(|p| *p += Vec3::new(0.01, -0.02, -0.006));
    for response in BOTH {
        raw.world.response = response;
        let mut world = baked(&raw).world();
        run(&mut world, 1);
        let sheet = world.model.bodies[0].vertex_range();
        assert!(sheet.clone().all(|v| world.scratch.found_pos[v].length() > 0.05));
        assert!(!world.scratch.rows.is_empty(), "{response:?}");
        run(&mut world, 100);
        assert!(world.state.pos[sheet].iter().all(|p| p.is_finite() && p.length() < 1.0), "{response:?}");
    }
}

/// The surface of the MedVR thesis: masses and springs, some nodes fixed, pressed by a tool and let go.
#[test]
fn a_mass_spring_surface_with_fixed_nodes_is_dented_and_comes_back() {
    let mut raw = weightless(vec![springs("organ", ball_at(Vec3::ZERO), 0.05, 60.0, 0.05)]);
    raw.bodies[0].model =
        RawModel::Springs { mass: 0.05, stiffness: 60.0, damping: 0.05, bending: 20.0, tube: None };
    raw.bodies[0].attachments = vec![Selector::Plane { point: -Vec3::Z * 0.02, normal: Vec3::Z }];
    raw.bodies[0].drag = 5.0;
    raw.tools = vec![tool("probe", Vec3::Z * 0.06, -Vec3::Z)];
    raw.world.response = Response::Projection;
    let mut world = baked(&raw).world();
    let mut input = Input::at_rest(&world);
    let worst = |w: &World| {
        let off = |(x, r): (&Vec3, &Vec3)| (*x - *r).length();
        w.state.pos.iter().zip(&w.model.rest).map(off).fold(0.0, f64::max)
    };
    lead(&mut input, Vec3::Z * 0.03, false);
    (0..300).for_each(|_| step(&mut world, &input, &mut || 0));
    assert!(worst(&world) > 0.004, "{}", worst(&world));
    let fixed: Vec<usize> = (0..world.model.rest.len()).filter(|v| world.model.inv_mass[*v] == 0.0).collect();
    assert!(fixed.len() > 10 && fixed.iter().all(|v| world.state.pos[*v] == world.model.rest[*v]));
    lead(&mut input, Vec3::Z * 0.08, false);
    (0..1500).for_each(|_| step(&mut world, &input, &mut || 0));
    assert!(worst(&world) < 0.02 * 0.08, "{}", worst(&world));
}

#[test]
fn what_hangs_at_rest_does_not_quiver_however_few_gradients_are_taken() {
    let material = RawTissue { relaxation_s: 0.05, ..ORGAN };
    let mut raw = scene(vec![organ("organ", ball_at(Vec3::ZERO), material)]);
    raw.bodies[0].attachments = vec![Selector::Plane { point: -Vec3::X * 0.03, normal: Vec3::X }];
    (raw.world.dt_s, raw.world.sweeps) = (5e-3, 6);
    let mut world = baked(&raw).world();
    run(&mut world, 1000);
    assert!(fastest(&world) < 1e-5, "{} m/s", fastest(&world));
}

/// A rod thinner than the edges of the organ is led sideways into it: it comes between vertices, and edges hold it.
#[test]
fn a_thin_rod_does_not_pass_between_vertices() {
    for response in BOTH {
        let mut raw = weightless(vec![organ("organ", ball_at(Vec3::ZERO), ORGAN)]);
        raw.bodies[0].attachments = vec![Selector::Plane { point: -Vec3::X * 0.02, normal: Vec3::X }];
        let mut rod = tool("rod", Vec3::new(0.05, 0.005, -0.06), -Vec3::Z);
        rod.solid = RawSolid::Capsule { length: 0.12, radius: 0.002 };
        raw.tools = vec![rod];
        raw.world.response = response;
        let mut world = baked(&raw).world();
        let mut input = Input::at_rest(&world);
        let mut auditor = Auditor::default();
        for k in 0..200 {
            lead(&mut input, Vec3::new(0.05 - 1e-4 * f64::from(k), 0.005, -0.06), false);
            step(&mut world, &input, &mut || 0);
        }
        let deepest = auditor.check(&world).deepest_m;
        assert!(deepest < 0.5e-3, "{response:?}: {deepest} m");
        assert!(!world.scratch.rows.is_empty());
    }
}
