//! The augmented Lagrangian: rest, friction, weight, tools and jaws, and the other response beside it.

use crate::make::*;
use serosa_bake::raw::*;
use serosa_geometry::{Vec3, rotation};
use serosa_sim::audit::Auditor;
use serosa_sim::energy::{EnergyKind, momentum, world_energy};
use serosa_sim::params::{Filter, Response};
use serosa_sim::respond::augmented_lagrangian::REST_GAP;
use serosa_sim::{Input, World, step};

/// A rope along y on a plane, gravity turned so that the plane is a slope along x.
fn on_a_slope(friction: f64, slope: f64, along: Vec3) -> World {
    let half = along * 0.1;
    let up = Vec3::Z * (0.005 + REST_GAP);
    let mut body = rope("rope", (up - half, up + half), 21, 0.005, ROPE);
    body.friction = friction;
    let mut ground = floor();
    ground.friction = friction;
    let mut raw = lagrangian(vec![ground, body], Filter::Planes);
    raw.world.gravity = Vec3::new(slope.sin(), 0.0, -slope.cos()) * 9.81;
    raw.world.sweeps = 2;
    baked(&raw).world()
}

fn middle(world: &World) -> Vec3 {
    world.state.pos.iter().copied().sum::<Vec3>() / world.state.pos.len() as f64
}

#[test]
fn a_rope_below_the_friction_angle_does_not_creep() {
    for along in [Vec3::X, Vec3::Y, Vec3::new(0.6, 0.8, 0.0)] {
        let mut world = on_a_slope(0.5, 0.4f64.atan(), along);
        run(&mut world, 500);
        let settled = world.state.pos.clone();
        run(&mut world, 5000);
        let moved = world.state.pos.iter().zip(&settled).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
        let per_minute = moved * 1e3 * 12.0;
        assert!(per_minute < 0.1, "{along}: {per_minute} mm/min");
    }
}

#[test]
fn a_rope_above_the_friction_angle_slides_as_it_should() {
    for along in [Vec3::X, Vec3::Y] {
        for friction in [0.0, 0.2, 0.3] {
            let slope = 0.5f64.atan();
            let mut world = on_a_slope(friction, slope, along);
            let start = middle(&world);
            run(&mut world, 500);
            let theory = 9.81 * (slope.sin() - friction * slope.cos()) * 0.5 * 0.5 * 0.5;
            let slid = (middle(&world) - start).x;
            assert!((slid / theory - 1.0).abs() < 0.03, "{along}, {friction}: {slid} {theory}");
        }
    }
}

#[test]
fn what_rests_keeps_the_rest_gap_and_weighs_what_it_weighs() {
    let solids = [
        ("ball", RawSolid::Sphere { radius: 0.02 }, 0.02),
        ("rod", RawSolid::Capsule { length: 0.1, radius: 0.02 }, 0.02),
        ("box", RawSolid::Cuboid { size: Vec3::new(0.1, 0.06, 0.04) }, 0.02),
    ];
    for (name, shape, height) in solids {
        let mut thing = solid(name, shape, Vec3::Z * (height + 1e-3), RawModel::Rigid { mass: 0.3 });
        if let (RawSolid::Capsule { .. }, RawGeometry::Solid { pose, .. }) = (shape, &mut thing.geometry) {
            pose.rot = rotation::between(Vec3::Z, Vec3::X);
        }
        thing.friction = 0.3;
        let mut ground = floor();
        ground.friction = 0.3;
        for sweeps in [1, 2, 10] {
            let mut raw = lagrangian(vec![ground.clone(), thing.clone()], Filter::Planes);
            raw.world.sweeps = sweeps;
            let mut world = baked(&raw).world();
            run(&mut world, 1500);
            let gap = world.state.pose[1].pos.z - height;
            assert!((gap / REST_GAP - 1.0).abs() < 0.05, "{name}, {sweeps}: gap {gap}");
            let load = world.scratch.contact_force[0];
            let weight = Vec3::Z * -0.3 * 9.81;
            assert!((load - weight).length() < 0.01 * weight.length(), "{name}, {sweeps}: {load}");
            assert!(world.state.twist[1].vel.length() < 1e-4, "{name}: {}", world.state.twist[1].vel);
        }
    }
}

/// Four ropes on one another across a floor, each lying on the one below: crossed, so that the stack stands.
fn stack(response: Response, filter: Filter) -> RawScene {
    let mut ground = floor();
    ground.friction = 0.6;
    let mut bodies = vec![ground];
    for i in 0..6 {
        // Pairs of parallel ropes, each layer across the one below.
        let (layer, side) = (i / 2, if i % 2 == 0 { -0.05 } else { 0.05 });
        let (along, across) = if layer % 2 == 0 { (Vec3::X, Vec3::Y) } else { (Vec3::Y, Vec3::X) };
        let at = across * side + Vec3::Z * (0.0055 + 0.011 * f64::from(layer));
        let stiff = RawBand { tube_bending: 0.02, ..ROPE };
        let mut log = rope(&format!("log{i}"), (at - along * 0.08, at + along * 0.08), 17, 0.005, stiff);
        log.friction = 0.6;
        log.drag = 1.0;
        bodies.push(log);
    }
    let mut raw = lagrangian(bodies, filter);
    raw.world.response = response;
    raw
}

#[test]
fn a_stack_of_ropes_stands_still() {
    let mut raw = stack(Response::AugmentedLagrangian, Filter::Planes);
    raw.world.sweeps = 4;
    let mut world = baked(&raw).world();
    run(&mut world, 1500);
    let settled = world.state.pos.clone();
    run(&mut world, 1500);
    let moved = world.state.pos.iter().zip(&settled).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
    assert!(moved * 1e3 * 40.0 < 0.5, "{moved} m in 1.5 s");
    assert!(Auditor::default().check(&world).deepest_m <= 0.0);
    let load = world.scratch.contact_force[0];
    assert!((load.z / (-0.6 * 9.81) - 1.0).abs() < 0.01, "{load}");
    // Three layers: each keeps its gap to the one below.
    for (i, layer) in [(0, 0), (2, 1), (4, 2)] {
        let v = world.model.bodies[1 + i].vertex_range();
        let height = world.state.pos[v.clone()].iter().map(|p| p.z).sum::<f64>() / v.len() as f64;
        let exact = 0.005 + REST_GAP + f64::from(layer) * (0.01 + REST_GAP);
        assert!((height - exact).abs() < 3e-4, "layer {layer}: {height} {exact}");
    }
}

/// The same rest state, answered in both ways, but for the gap that one keeps and for what the other does besides: it
/// has no anchors, so it creeps, and corrects positions without asking the ropes, so that the lower layers sink in by
/// a tenth of their thickness.
#[test]
fn both_responses_come_to_the_same_rest() {
    let centers = [Response::AugmentedLagrangian, Response::DisplacementVelocity].map(|response| {
        let mut raw = stack(response, Filter::Off);
        raw.world.sweeps = 10;
        let mut world = baked(&raw).world();
        run(&mut world, 1500);
        let center = |i: usize| {
            let v = world.model.bodies[i].vertex_range();
            world.state.pos[v.clone()].iter().copied().sum::<Vec3>() / v.len() as f64
        };
        [1, 2, 3, 4, 5, 6].map(center)
    });
    for (i, (a, b)) in centers[0].iter().zip(&centers[1]).enumerate() {
        let apart = *a - *b;
        assert!(apart.z.abs() < 1.2e-3 && apart.truncate().length() < 1e-3, "log {i}: {apart}");
    }
}

/// Two halves of one rope folded on itself and pressed together by their own motion: action is reaction.
#[test]
fn folds_pressed_together_keep_momentum() {
    let mut points = Vec::new();
    let n = 20;
    for i in 0..n {
        points.push(Vec3::new(0.01 * i as f64, 0.0, 0.0));
    }
    for i in 1..8 {
        let angle = core::f64::consts::PI * f64::from(i) / 8.0;
        points.push(Vec3::new(0.19 + 0.0155 * angle.sin(), 0.0, 0.0155 * (1.0 - angle.cos())));
    }
    for i in 0..n {
        points.push(Vec3::new(0.19 - 0.01 * i as f64, 0.0, 0.031));
    }
    let count = points.len();
    let mesh = serosa_geometry::generate::chain_through(points);
    let fold = body("fold", RawGeometry::Mesh { mesh, radius: 0.01 }, RawModel::Band(ROPE));
    let mut raw = lagrangian(vec![fold], Filter::Off);
    raw.world.gravity = Vec3::ZERO;
    let mut world = baked(&raw).world();
    for (v, vel) in world.state.vel.iter_mut().enumerate() {
        vel.z = if v < count / 2 { 0.5 } else { -0.5 };
        vel.x = 0.1;
    }
    let before = momentum(&world).0;
    let (mut most, mut worst) = (0, 0.0f64);
    for _ in 0..200 {
        run(&mut world, 1);
        most = most.max(world.report.contacts);
        worst = worst.max((momentum(&world).0 - before).length());
    }
    assert!(most > 10, "{most} contacts");
    let thrown: f64 = 0.1 * 0.5;
    assert!(worst < 1e-3 * thrown, "{worst} of {thrown}");
    assert!(world.report.deepest_m > -1e-4, "{}", world.report.deepest_m);
}

/// Two ropes that meet in flight: what one loses the other gains.
#[test]
fn ropes_that_meet_keep_momentum() {
    let band = RawBand { tube_bending: 5e-3, ..ROPE };
    let a = rope("a", (Vec3::new(-0.1, 0.0, 0.0), Vec3::new(0.1, 0.0, 0.0)), 11, 0.005, band);
    let b = rope("b", (Vec3::new(0.0, -0.1, 0.02), Vec3::new(0.0, 0.1, 0.02)), 11, 0.005, band);
    let mut raw = lagrangian(vec![a, b], Filter::Off);
    raw.world.gravity = Vec3::ZERO;
    raw.bodies.iter_mut().for_each(|b| b.friction = 0.5);
    let mut error = Vec::new();
    for sweeps in [4, 64] {
        raw.world.sweeps = sweeps;
        let mut world = baked(&raw).world();
        for v in 0..11 {
            (world.state.vel[v], world.state.vel[11 + v]) = (Vec3::new(0.2, 0.0, 1.0), Vec3::Z * -1.0);
        }
        let before = momentum(&world).0;
        let mut most = 0;
        for _ in 0..60 {
            run(&mut world, 1);
            most = most.max(world.report.contacts);
        }
        assert!(most > 0 && world.state.vel[5].z < 0.5, "they met");
        error.push((momentum(&world).0 - before).length() / 0.1);
    }
    assert!(error[0] < 0.05 && error[1] < 1e-3, "bodies in turn: exact as they converge: {error:?}");
}

fn pressed(depth: f64) -> (World, Input) {
    let up = Vec3::Z * (0.01 + REST_GAP);
    let mut body = rope("rope", (up - Vec3::X * 0.1, up + Vec3::X * 0.1), 21, 0.01, ROPE);
    (body.friction, body.drag) = (0.5, 2.0);
    let mut ground = floor();
    ground.friction = 0.5;
    let mut raw = lagrangian(vec![ground, body], Filter::Planes);
    raw.tools.push(tool("probe", Vec3::new(0.003, 0.0, 0.05), Vec3::NEG_Z));
    let world = baked(&raw).world();
    let mut input = Input::at_rest(&world);
    lead(&mut input, Vec3::new(0.003, 0.0, 0.025 + 2.0 * REST_GAP - depth), false);
    (world, input)
}

/// A tool pressed on a rope on a floor: the hand that is d too deep feels k d, and so does the floor.
#[test]
fn the_hand_feels_its_offset() {
    for depth in [0.002, 0.01] {
        let (mut world, input) = pressed(depth);
        (0..2500).for_each(|_| step(&mut world, &input, &mut || 0));
        let (hand, floor) = (world.scratch.hand_force[0], world.scratch.contact_force[0]);
        let feels = 400.0 * depth;
        assert!((hand.z / -feels - 1.0).abs() < 0.02, "{depth}: {hand} for {feels}");
        let weight = 0.1 * 9.81;
        assert!((floor.z / -(feels + weight) - 1.0).abs() < 0.02, "{depth}: {floor}");
        assert!(Auditor::default().check(&world).deepest_m <= 0.0);
        assert!(world.state.pos[10].truncate().length() < 5e-3, "it stays under the tool");
    }
}

/// Jaws over a rope on the floor, closed and lifted.
fn lifted(strength: f64, height: f64) -> (World, Input, u32) {
    let (mut world, mut input) = pressed(-0.002);
    std::sync::Arc::make_mut(&mut world.model).tools[0].strength = strength;
    let mut slipped_out = 0;
    for i in 0..2500 {
        let up = if i < 400 { 0.0 } else { height * (f64::from(i - 400) / 1000.0).min(1.0) };
        lead(&mut input, Vec3::new(0.003, 0.0, 0.0272 + up), i >= 300);
        step(&mut world, &input, &mut || 0);
        slipped_out += world.report.slipped_out;
    }
    (world, input, slipped_out)
}

#[test]
fn jaws_lift_a_rope_and_let_it_go() {
    let (mut world, mut input, slipped) = lifted(5.0, 0.15);
    assert!(!world.state.grips.is_empty() && slipped == 0, "{slipped}");
    let lowest = |w: &World| w.state.pos.iter().map(|p| p.z).fold(1.0, f64::min);
    assert!(lowest(&world) > 0.03, "all of it hangs: {}", lowest(&world));
    // The hand carries the weight of the rope; the tool has none.
    assert!((world.scratch.hand_force[0].z / 0.981 - 1.0).abs() < 0.03, "{}", world.scratch.hand_force[0]);
    for grip in &world.state.grips {
        let held = world.state.pose[1].point(grip.at);
        assert!((world.state.pos[grip.vertex.at()] - held).length() < 1e-5, "{grip:?}");
    }
    lead(&mut input, Vec3::new(0.003, 0.0, 0.0272 + 0.15), false);
    (0..600).for_each(|_| step(&mut world, &input, &mut || 0));
    assert!(world.state.grips.is_empty());
    assert!(lowest(&world) < 0.0125, "it has fallen: {}", lowest(&world));
}

/// The rope weighs 0.98 N: jaws that hold 0.9 N cannot carry all of it, jaws that hold 1.1 N can.
#[test]
fn jaws_hold_as_much_as_their_strength() {
    let (world, _, slipped) = lifted(0.7, 0.15);
    assert!(slipped > 0 && world.state.grips.is_empty(), "{slipped}");
    let (world, _, slipped) = lifted(1.4, 0.15);
    assert!(slipped == 0 && !world.state.grips.is_empty(), "{slipped}");
    let pull: f64 = world.state.grips.iter().map(|g| g.pull).sum::<Vec3>().z;
    assert!((pull / 0.981 - 1.0).abs() < 0.03, "{pull}");
}

/// Changing the response between steps leaves nothing behind in the working arrays.
#[test]
fn responses_can_be_changed_on_the_way() {
    let mut world = baked(&stack(Response::AugmentedLagrangian, Filter::Off)).world();
    run(&mut world, 300);
    world.params.response = Response::DisplacementVelocity;
    let mut fresh = World::new(world.model.clone(), world.params.clone());
    fresh.state = world.state.clone();
    run(&mut world, 20);
    run(&mut fresh, 20);
    assert_eq!(world.state.hash(), fresh.state.hash());
}

/// What the responses keep is saved: multipliers, anchors, grips, radii. From any tick a fresh world goes on with the
/// same bits, on any number of threads.
#[test]
fn a_saved_contact_goes_on_with_the_same_bits() {
    let (start, mut input) = pressed(0.004);
    let mut hashes = Vec::new();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = start.clone();
            for i in 0..700 {
                lead(&mut input, Vec3::new(0.003, 0.0, if i < 400 { 0.022 } else { 0.035 }), i > 300);
                step(&mut world, &input, &mut || 0);
                if i == 350 || i == 500 {
                    assert!(!world.state.kept.is_empty() && !world.state.grips.is_empty());
                    let mut fresh = World::new(world.model.clone(), world.params.clone());
                    fresh.state = world.state.clone();
                    world = fresh;
                }
            }
            hashes.push(world.state.hash());
        });
    }
    let mut straight = start.clone();
    for i in 0..700 {
        lead(&mut input, Vec3::new(0.003, 0.0, if i < 400 { 0.022 } else { 0.035 }), i > 300);
        step(&mut straight, &input, &mut || 0);
    }
    hashes.push(straight.state.hash());
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:x?}");
}

/// With contacts between ropes, on a box, and with jaws that hold: nothing is allocated once all has been that large.
#[test]
fn a_warm_step_with_contacts_and_jaws_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut raw = stack(Response::AugmentedLagrangian, Filter::Planes);
    let size = Vec3::new(0.4, 0.4, 0.02);
    raw.bodies[0] = solid("table", RawSolid::Cuboid { size }, Vec3::Z * -0.01, RawModel::Fixed);
    raw.tools.push(tool("probe", Vec3::new(0.05, 0.05, 0.045), Vec3::NEG_Z));
    let mut world = baked(&raw).world();
    let mut input = Input::at_rest(&world);
    pool.install(|| {
        for i in 0..500 {
            lead(&mut input, Vec3::new(0.05, 0.05, if i < 250 { 0.035 } else { 0.05 }), i > 200);
            step(&mut world, &input, &mut || 0);
        }
    });
    let count = crate::counting::allocations(&pool, || {
        (0..200).for_each(|_| step(&mut world, &input, &mut || 0));
    });
    assert!(world.report.contacts > 30 && !world.state.grips.is_empty(), "{}", world.report.contacts);
    assert_eq!(count, 0);
}

/// Ropes dropped on one another: contacts take energy out. What they put in is what lifts ropes that an unfinished
/// solve let sink in, or the filter stopped short, to their rest gaps: the weight of everything times a few gaps, one
/// in fifty of what the fall brought.
#[test]
fn contacts_make_no_energy() {
    for filter in [Filter::Off, Filter::Planes] {
        let mut raw = stack(Response::AugmentedLagrangian, filter);
        raw.world.sweeps = 4;
        for (i, body) in raw.bodies.iter_mut().enumerate().skip(1) {
            body.drag = 0.0;
            if let RawGeometry::Mesh { mesh, .. } = &mut body.geometry {
                mesh.points.iter_mut().for_each(|p| p.z += 0.005 * i as f64);
            }
        }
        let mut world = baked(&raw).world();
        let energy = |w: &World| world_energy(w, EnergyKind::Total);
        let (mut lowest, mut rise) = (energy(&world), 0.0f64);
        for _ in 0..600 {
            run(&mut world, 1);
            let now = energy(&world);
            rise = rise.max(now - lowest);
            lowest = lowest.min(now);
        }
        let gap = 0.6 * 9.81 * REST_GAP;
        assert!(rise < 6.0 * gap, "{filter:?}: {} gaps", rise / gap);
    }
}

/// What is frozen stays, and holds up what lies on it.
#[test]
fn a_frozen_rope_stays_under_the_others() {
    let mut world = baked(&stack(Response::AugmentedLagrangian, Filter::Planes)).world();
    run(&mut world, 200);
    world.state.frozen[3] = true;
    world.state.frozen[1] = true;
    let before = world.state.clone();
    run(&mut world, 300);
    for b in [1, 3] {
        let v = world.model.bodies[b].vertex_range();
        assert_eq!(world.state.pos[v.clone()], before.pos[v]);
    }
    assert!(world.report.deepest_m >= 0.0);
    let top = world.model.bodies[6].vertex_range();
    assert!(world.state.pos[top].iter().all(|p| p.z > 0.02), "the top still lies on top");
}

/// A tool tuned from limp to stiff and a rope from thick to thin air: parameters may change at any tick.
#[test]
fn a_tool_stirs_a_stack_without_overlap() {
    let mut raw = stack(Response::AugmentedLagrangian, Filter::Planes);
    (raw.world.sweeps, raw.world.substeps) = (2, 3);
    raw.tools.push(tool("probe", Vec3::new(0.0, 0.0, 0.08), Vec3::NEG_Z));
    let mut world = baked(&raw).world();
    let mut input = Input::at_rest(&world);
    let mut seed = 8;
    let mut auditor = Auditor::default();
    for i in 0..300 {
        if i % 25 == 0 {
            lead(&mut input, Vec3::new(noise(&mut seed) * 0.08, noise(&mut seed) * 0.08, 0.01), i % 50 == 0);
            world.params.bodies[1 + i % 6].tube_bending = 10f64.powf(-2.0 + 2.0 * noise(&mut seed));
            world.params.couplings[0].stiffness = 10f64.powf(3.0 + noise(&mut seed));
        }
        step(&mut world, &input, &mut || 0);
        let audit = auditor.check(&world);
        assert!(audit.deepest_m <= 0.0 && audit.missed == 0, "step {i}: {audit:?}");
    }
    assert!(world.state.frozen.iter().all(|f| !f));
}

/// A rigid solid on a slope along x: how far it slides in a second, and how far it turns.
fn slid(shape: RawSolid, friction: f64, slope: f64, sweeps: u32) -> (f64, f64) {
    let mut thing = solid("thing", shape, Vec3::Z * (0.01 + REST_GAP), RawModel::Rigid { mass: 0.5 });
    if let (RawSolid::Capsule { .. }, RawGeometry::Solid { pose, .. }) = (shape, &mut thing.geometry) {
        pose.rot = rotation::between(Vec3::Z, Vec3::X);
    }
    thing.friction = friction;
    let mut ground = floor();
    ground.friction = friction;
    let mut raw = lagrangian(vec![ground, thing], Filter::Planes);
    raw.world.gravity = Vec3::new(slope.sin(), 0.0, -slope.cos()) * 9.81;
    raw.world.sweeps = sweeps;
    let mut world = baked(&raw).world();
    let start = world.state.pose[1];
    run(&mut world, 1000);
    let end = world.state.pose[1];
    ((end.pos - start.pos).x, rotation::to_rotation_vector(end.rot * start.rot.conjugate()).length())
}

#[test]
fn rigid_solids_stick_and_slide_on_a_slope() {
    let slope = 0.4f64.atan();
    for (name, shape) in [
        ("box", RawSolid::Cuboid { size: Vec3::new(0.1, 0.08, 0.02) }),
        ("rod", RawSolid::Capsule { length: 0.1, radius: 0.01 }),
    ] {
        for sweeps in [2, 4, 10] {
            let (stays, turns) = slid(shape, 0.5, slope, sweeps);
            let (goes, _) = slid(shape, 0.2, slope, sweeps);
            let theory = 9.81 * (slope.sin() - 0.2 * slope.cos()) * 0.5;
            assert!(stays.abs() < 5e-6 && turns < 1e-6, "{name}, {sweeps}: {stays} m, {turns} rad");
            assert!((goes / theory - 1.0).abs() < 0.01, "{name}, {sweeps}: {goes} {theory}");
        }
    }
}

/// A rope in the groove between two fixed rods that lean: each vertex sticks in two rows. (Once, each sweep threw it
/// from one side of its anchors to the other, and it crept by 433 mm a minute.)
#[test]
fn a_rope_in_a_groove_does_not_creep() {
    let mut raw = {
        let mut bodies = Vec::new();
        for y in [-0.012, 0.012] {
            let shape = RawSolid::Capsule { length: 0.5, radius: 0.01 };
            let mut rod = solid(&format!("rod{y}"), shape, Vec3::Y * y, RawModel::Fixed);
            if let RawGeometry::Solid { pose, .. } = &mut rod.geometry {
                pose.rot = rotation::between(Vec3::Z, Vec3::X);
            }
            bodies.push(rod);
        }
        let z = (0.0152f64 * 0.0152 - 0.012 * 0.012).sqrt();
        let at = Vec3::Z * z;
        bodies.push(rope("rope", (at - Vec3::X * 0.1, at + Vec3::X * 0.1), 21, 0.005, ROPE));
        lagrangian(bodies, Filter::Planes)
    };
    raw.bodies.iter_mut().for_each(|b| b.friction = 0.5);
    let slope = 0.4f64.atan();
    raw.world.gravity = Vec3::new(slope.sin(), 0.0, -slope.cos()) * 9.81;
    raw.world.sweeps = 2;
    let mut world = baked(&raw).world();
    run(&mut world, 500);
    let settled = world.state.pos.clone();
    run(&mut world, 2000);
    let moved = world.state.pos.iter().zip(&settled).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
    let per_minute = moved * 1e3 * 30.0;
    assert!(per_minute < 0.1, "{per_minute} mm/min");
}

/// A rod and a brick across a narrow one, and a small one on top: each rests on both edges of what it lies across, and
/// nothing walks.
#[test]
fn bricks_and_rods_lie_across_one_another() {
    let brick = |name: &str, size: Vec3, at: Vec3| {
        let mut brick = solid(name, RawSolid::Cuboid { size }, at, RawModel::Rigid { mass: 0.2 });
        brick.friction = 0.4;
        brick
    };
    let beam = |name: &str, x: f64| {
        let mut beam = brick(name, Vec3::new(0.03, 0.1, 0.04), Vec3::new(x, 0.0, 0.02));
        beam.model = RawModel::Fixed;
        beam
    };
    let mut rod = solid(
        "rod",
        RawSolid::Capsule { length: 0.1, radius: 0.005 },
        Vec3::new(0.2, 0.0, 0.046),
        RawModel::Rigid { mass: 0.05 },
    );
    rod.friction = 0.4;
    if let RawGeometry::Solid { pose, .. } = &mut rod.geometry {
        pose.rot = rotation::between(Vec3::Z, Vec3::X);
    }
    let across = brick("across", Vec3::new(0.1, 0.03, 0.02), Vec3::new(0.0, 0.0, 0.052));
    let top = brick("top", Vec3::new(0.03, 0.03, 0.03), Vec3::new(0.0, 0.0, 0.08));
    let bodies = vec![beam("beam", 0.0), beam("other", 0.2), across, top, rod];
    let mut world = baked(&lagrangian(bodies, Filter::Planes)).world();
    run(&mut world, 3000);
    for (k, height) in [(2, 0.05), (3, 0.075), (4, 0.045)] {
        let (pose, start) = (world.state.pose[k], world.model.rigids[k].rest);
        assert!((pose.pos.z - height).abs() < 1e-3, "{k} lies at {}", pose.pos);
        assert!((pose.pos - start.pos).truncate().length() < 2e-4, "{k} walked to {}", pose.pos);
        assert!(pose.rot.angle_between(start.rot) < 2e-3, "{k} turned to {}", pose.rot);
    }
    assert!(Auditor::default().check(&world).deepest_m <= 0.0);
}
