//! Surfaces that press into one another: depth, momentum, shares, bits, and what cannot be pressed.

use crate::counting::allocations;
use crate::make::{baked, lead, run, scene, solid, tool, weightless};
use crate::specimens::{ORGAN, organ, organ_mesh};
use serosa_bake::raw::*;
use serosa_bake::{RawScene, bake};
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

/// Two balls that overlap by `depth` along x.
fn pair(depth: f64, materials: [RawTissue; 2], response: Response) -> RawScene {
    let half = Vec3::X * (0.04 - 0.5 * depth);
    let bodies =
        vec![organ("left", ball_at(-half), materials[0]), organ("right", ball_at(half), materials[1])];
    let mut raw = weightless(bodies);
    raw.world.response = response;
    raw
}

fn world(raw: &RawScene) -> World {
    baked(raw).world()
}

#[test]
fn a_depth_is_resolved_within_a_few_steps() {
    for response in BOTH {
        let mut world = world(&pair(0.006, [ORGAN; 2], response));
        run(&mut world, 40);
        let audit = Auditor::default().check(&world);
        assert!(audit.deepest_m < 5e-4 && audit.missed == 0, "{response:?}: {audit:?}");
    }
}

#[test]
fn balls_that_meet_keep_their_momentum() {
    for response in BOTH {
        let heavy = RawTissue { mass: SurfaceMass::Total(0.15), ..ORGAN };
        let mut world = world(&pair(-0.004, [ORGAN, heavy], response));
        let left = world.model.bodies[0].vertex_range();
        world.state.vel[left].fill(Vec3::new(0.6, 0.1, 0.0));
        let momentum =
            |w: &World| -> Vec3 { w.state.vel.iter().zip(&w.model.mass).map(|(v, m)| *v * *m).sum() };
        let linear = momentum(&world);
        let mut touched = 0;
        for _ in 0..60 {
            run(&mut world, 1);
            touched += world.scratch.rows.len();
        }
        assert!(touched > 0);
        let now = momentum(&world);
        assert!((now - linear).length() < 1e-9 * linear.length(), "{response:?}: {linear} became {now}");
        // What came from the left was stopped by three times its mass.
        let right = world.model.bodies[1].vertex_range();
        let drift = world.state.vel[right.clone()].iter().copied().sum::<Vec3>() / right.len() as f64;
        assert!(drift.x > 0.02, "{response:?}: {drift}");
    }
}

#[test]
fn what_is_three_times_as_stiff_yields_a_third_as_much() {
    // Much stiffer than heavy, so that within a step stiffness alone decides.
    let base =
        RawTissue { mass: SurfaceMass::Total(1e-3), bending: 0.0, bulk: 0.0, restoration: 0.0, ..ORGAN };
    let soft = RawTissue { stiffness: 400.0, area: 200.0, ..base };
    let stiff = RawTissue { stiffness: 1200.0, area: 600.0, ..base };
    let mut world = world(&pair(0.002, [soft, stiff], Response::Projection));
    run(&mut world, 1);
    let moved = |b: usize| {
        let range = world.model.bodies[b].vertex_range();
        let one = |v: usize| (world.state.pos[v] - world.scratch.found_pos[v]).length();
        range.map(one).fold(0.0, f64::max)
    };
    let ratio = moved(0) / moved(1);
    assert!((ratio - 3.0).abs() < 0.15, "{ratio}");
}

#[test]
fn the_softer_of_two_organs_has_the_larger_dent() {
    let stiff = RawTissue {
        stiffness: 4.0 * ORGAN.stiffness,
        area: 4.0 * ORGAN.area,
        bending: 4.0 * ORGAN.bending,
        bulk: 4.0 * ORGAN.bulk,
        restoration: 2.0 * ORGAN.restoration,
        ..ORGAN
    };
    for response in BOTH {
        let mut raw = pair(0.012, [ORGAN, stiff], response);
        // Held at their far sides.
        raw.bodies[0].attachments = vec![Selector::Plane { point: -Vec3::X * 0.05, normal: Vec3::X }];
        raw.bodies[1].attachments = vec![Selector::Plane { point: Vec3::X * 0.05, normal: -Vec3::X }];
        let mut world = world(&raw);
        run(&mut world, 500);
        let dent = |b: usize| {
            let range = world.model.bodies[b].vertex_range();
            range.map(|v| (world.state.pos[v] - world.model.rest[v]).length()).fold(0.0, f64::max)
        };
        let (soft, stiff) = (dent(0), dent(1));
        assert!(soft > 2.0 * stiff && soft + stiff > 0.01, "{response:?}: {soft} and {stiff}");
    }
}

/// A ball of tissue, held from below, under a tool.
fn pressed(response: Response) -> RawScene {
    let mut raw = weightless(vec![organ("organ", ball_at(Vec3::ZERO), ORGAN)]);
    raw.bodies[0].attachments = vec![Selector::Plane { point: -Vec3::Z * 0.025, normal: Vec3::Z }];
    raw.tools = vec![tool("probe", Vec3::Z * 0.06, -Vec3::Z)];
    raw.world.response = response;
    raw
}

#[test]
fn a_hand_feels_more_the_deeper_it_presses_and_nothing_when_it_has_left() {
    for response in BOTH {
        let mut world = world(&pressed(response));
        let mut input = Input::at_rest(&world);
        let mut last = 0.0;
        for depth in [0.005, 0.01, 0.015] {
            lead(&mut input, Vec3::Z * (0.04 - depth), false);
            (0..300).for_each(|_| step(&mut world, &input, &mut || 0));
            let force = world.scratch.hand_force[0].length();
            assert!(force > last + 0.01, "{response:?} at {depth}: {force} after {last}");
            last = force;
        }
        lead(&mut input, Vec3::Z * 0.08, false);
        (0..800).for_each(|_| step(&mut world, &input, &mut || 0));
        assert!(world.scratch.hand_force[0].length() < 1e-3);
        let off = |(x, r): (&Vec3, &Vec3)| (*x - *r).length();
        let worst = world.state.pos.iter().zip(&world.model.rest).map(off).fold(0.0, f64::max);
        assert!(worst < 0.01 * 0.08, "{response:?}: {worst} m away from its shape");
    }
}

/// A hard ball presses a soft one flat, and is led aside: much of it is then nearer to the far wall than to the near one.
#[test]
fn tissue_pressed_flat_is_not_drawn_over_the_tool() {
    for response in BOTH {
        let mut raw = pressed(response);
        let soft = RawTissue { bulk: 0.0, restoration: 12.0, relaxation_s: 0.02, ..ORGAN };
        raw.bodies[0].model = RawModel::Tissue(soft);
        let ball = RawSolid::Sphere { radius: 0.04 };
        raw.tools = vec![RawTool {
            solid: ball,
            stiffness: 1e5,
            mass: 1.0,
            ..tool("ball", Vec3::Z * 0.081, -Vec3::Z)
        }];
        raw.world.dt_s = 5e-3;
        let mut world = world(&raw);
        let mut input = Input::at_rest(&world);
        let (mut deepest, mut contacts): (f64, u32) = (0.0, 0);
        for k in 0..400 {
            let t = f64::from(k) / 200.0;
            let (aside, down) = (0.045 * (t - 1.0).max(0.0), 0.065 * t.min(1.0));
            lead(&mut input, Vec3::new(aside, 0.0, 0.081 - down), false);
            step(&mut world, &input, &mut || 0);
            deepest = deepest.min(world.report.deepest_m);
            contacts = contacts.max(world.report.contacts);
        }
        assert!(contacts > 50 && world.report.quarantined.is_empty(), "{contacts}");
        assert!(deepest > -0.02 * 0.04, "{response:?}: {deepest} m");
    }
}

/// A ball on a box: it comes to rest, and bears its weight.
#[test]
fn a_ball_comes_to_rest_and_is_not_crushed_by_its_damping() {
    let height = |relaxation_s: f64| {
        let material = RawTissue { restoration: 150.0, relaxation_s, ..ORGAN };
        let table = RawSolid::Cuboid { size: Vec3::new(0.4, 0.4, 0.04) };
        let table = solid("table", table, -Vec3::Z * 0.02, RawModel::Fixed);
        let mut raw = scene(vec![organ("ball", ball_at(Vec3::Z * 0.0405), material), table]);
        raw.world.response = Response::Projection;
        raw.world.dt_s = 3e-3;
        let mut world = world(&raw);
        run(&mut world, 400);
        let fastest = world.state.vel.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(fastest < 0.02, "{relaxation_s}: {fastest} m/s");
        world.state.pos.iter().map(|p| p.z).sum::<f64>() / world.state.pos.len() as f64
    };
    let (little, much) = (height(5e-3), height(50e-3));
    // Where a body rests does not depend on how it was damped. (Once, much damping sank it by half its height.)
    assert!(little > 0.03 && (little - much).abs() < 0.1 * little, "{little} and {much}");
}

#[test]
fn the_same_bits_on_any_number_of_threads_and_after_a_restore() {
    for response in BOTH {
        let baked = baked(&pair(0.004, [ORGAN; 2], response));
        let hash = |threads: usize, restore: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut world = baked.world();
                run(&mut world, 30);
                if restore {
                    let saved = world.state.clone();
                    world = baked.world();
                    world.state = saved;
                }
                run(&mut world, 30);
                world.state.hash()
            })
        };
        let one = hash(1, false);
        assert_eq!([one; 3], [hash(2, false), hash(8, false), hash(2, true)], "{response:?}");
    }
}

#[test]
fn a_warm_step_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for response in BOTH {
        let baked = baked(&pressed(response));
        let (mut world, mut input) = (baked.world(), Input::at_rest(&baked.world()));
        lead(&mut input, Vec3::Z * 0.03, false);
        (0..200).for_each(|_| step(&mut world, &input, &mut || 0));
        assert!(!world.scratch.rows.is_empty());
        let counted = allocations(&pool, || (0..20).for_each(|_| step(&mut world, &input, &mut || 0)));
        assert_eq!(counted, 0, "{response:?}");
    }
}

#[test]
fn the_audit_finds_what_has_no_row() {
    let mut world = world(&pair(0.006, [ORGAN; 2], Response::Projection));
    run(&mut world, 1);
    assert_eq!(Auditor::default().check(&world).missed, 0);
    world.scratch.rows.remove(0);
    assert!(Auditor::default().check(&world).missed > 0);
}

#[test]
fn a_body_inside_another_from_the_start_leaves_or_stays_and_spoils_nothing() {
    for response in BOTH {
        let mut small = organ_mesh(2, Vec3::splat(0.01));
        small.points.iter_mut().for_each(|p| *p += Vec3::X * 0.02);
        let mut raw =
            weightless(vec![organ("big", ball_at(Vec3::ZERO), ORGAN), organ("small", small, ORGAN)]);
        raw.world.response = response;
        let mut world = world(&raw);
        run(&mut world, 300);
        assert!(world.state.pos.iter().all(|p| p.length() < 1.0), "{response:?}");
        assert!(world.report.quarantined.is_empty(), "{response:?}");
    }
}

#[test]
fn a_body_that_is_no_number_is_frozen_and_its_neighbour_goes_on() {
    let mut world = world(&pair(0.002, [ORGAN; 2], Response::Projection));
    run(&mut world, 2);
    world.state.pos[3].x = f64::NAN;
    run(&mut world, 20);
    let right = world.model.bodies[1].vertex_range();
    assert!(world.state.pos[right].iter().all(|p| p.is_finite()));
}

fn said(mesh: Mesh) -> String {
    let mut raw = weightless(vec![organ("organ", mesh, RawTissue { bulk: 0.0, ..ORGAN })]);
    raw.world.response = Response::Projection;
    bake(&raw).map_or_else(|faults| format!("{faults:?}"), |_| String::new())
}

#[test]
fn surfaces_that_cannot_be_pressed_are_refused_with_the_place() {
    let sound = ball_at(Vec3::ZERO);
    assert_eq!(said(sound.clone()), "");
    let mut inverted = sound.clone();
    inverted.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    assert!(said(inverted).contains("inside out"));
    let mut disagreeing = sound.clone();
    disagreeing.triangles[0].swap(1, 2);
    assert!(said(disagreeing).contains("disagree"));
    let mut crowded = sound;
    let [a, b, _] = crowded.triangles[0];
    crowded.triangles.push([b, a, 200]);
    assert!(!said(crowded).is_empty());
    // An open sheet is a stated choice: it has no inside, and may lie in others.
    let sheet =
        Sheet { corner: Vec3::ZERO, along: Vec3::X * 0.1, across: Vec3::Y * 0.1, columns: 5, rows: 5 };
    let sheet = membrane(&sheet);
    assert_eq!(said(Mesh::from_triangles(sheet.points, sheet.triangles)), "");
}

#[test]
fn a_thousand_bodies_are_moved() {
    let at = |k: usize| Vec3::new((k % 10) as f64, (k / 10 % 10) as f64, (k / 100) as f64) * 0.0195;
    let one = |k: usize| {
        let mut mesh = organ_mesh(0, Vec3::splat(0.01));
        mesh.points.iter_mut().for_each(|p| *p += at(k));
        organ(&format!("b{k}"), mesh, ORGAN)
    };
    let mut raw = weightless((0..1000).map(one).collect());
    raw.world.response = Response::Projection;
    let mut world = world(&raw);
    run(&mut world, 5);
    // Each touches six neighbours at most: rows grow with bodies, not with their pairs.
    assert!(!world.scratch.rows.is_empty() && world.scratch.rows.len() < 20_000);
    assert!(world.report.quarantined.is_empty());
}
