//! Contacts: detection against its twin, the response against the oracle of momentum and gaps.

use crate::make::{baked, floor, noise, noise3, run, scene, solid, springs, weightless};
use serosa_bake::raw::{RawModel, RawScene, RawSolid, RawTool, Selector};
use serosa_geometry::generate::{Sheet, chain, membrane};
use serosa_geometry::{PrimId, Vec3};
use serosa_sim::audit::Auditor;
use serosa_sim::detect::{Finder, Places, Search};
use serosa_sim::energy::momentum;
use serosa_sim::params::Detector;
use serosa_sim::respond::{Motion, displacement_velocity};
use serosa_sim::{Hand, Input, World, step};

fn pile() -> RawScene {
    let mut raw = scene(vec![floor()]);
    for i in 0..4 {
        let at = Vec3::new(0.0, 0.01 * f64::from(i), 0.05 + 0.02 * f64::from(i));
        let mut rope =
            springs(&format!("rope{i}"), chain(at - Vec3::X * 0.2, at + Vec3::X * 0.2, 30), 0.05, 2e3, 0.1);
        rope.friction = 0.3;
        raw.bodies.push(rope);
    }
    let sheet = Sheet {
        corner: Vec3::new(-0.15, -0.15, 0.2),
        along: Vec3::X * 0.3,
        across: Vec3::Y * 0.3,
        columns: 12,
        rows: 12,
    };
    raw.bodies.push(springs("sheet", membrane(&sheet), 0.1, 500.0, 0.05));
    raw.bodies.push(solid(
        "ball",
        RawSolid::Sphere { radius: 0.04 },
        Vec3::Z * 0.3,
        RawModel::Rigid { mass: 0.1 },
    ));
    raw.bodies.push(solid(
        "box",
        RawSolid::Cuboid { size: Vec3::splat(0.08) },
        Vec3::new(0.1, 0.0, 0.35),
        RawModel::Rigid { mass: 0.1 },
    ));
    raw.bodies.push(solid(
        "rod",
        RawSolid::Capsule { length: 0.3, radius: 0.01 },
        Vec3::new(-0.1, 0.0, 0.5),
        RawModel::Fixed,
    ));
    raw
}

/// The grid finds exactly what all pairs finds, along a whole fall of mixed bodies.
#[test]
fn the_grid_equals_all_pairs_while_things_pile_up() {
    let mut world = baked(&pile()).world();
    let (mut fast, mut slow) = (Finder::default(), Finder::default());
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let mut most = 0;
    for _ in 0..60 {
        run(&mut world, 10);
        let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
        fast.rows(&world.model, &world.params, Detector::Grid, (at, Search::Overlap), &mut a);
        slow.rows(&world.model, &world.params, Detector::AllPairs, (at, Search::Overlap), &mut b);
        assert_eq!(a, b);
        most = most.max(world.report.contacts);
        let audit = Auditor::default().check(&world);
        assert_eq!(audit.missed, 0);
    }
    assert!(most > 50, "the test should see contacts, saw {most}");
    assert!(world.state.frozen.iter().all(|f| !f));
}

/// The audit sees a contact that a detector leaves out.
#[test]
fn the_audit_can_fail() {
    let mut world = baked(&pile()).world();
    run(&mut world, 400);
    assert!(world.scratch.rows.len() > 10);
    world.scratch.rows.truncate(world.scratch.rows.len() - 3);
    let missed = Auditor::default().check(&world).missed;
    assert!(missed >= 3, "{missed}: each row stands for one touch at least");
}

fn two_crossed_segments(seed: &mut u64) -> World {
    let a = springs(
        "a",
        chain(noise3(seed) * 0.01 - Vec3::X * 0.05, noise3(seed) * 0.01 + Vec3::X * 0.05, 2),
        0.1 + 0.05 * noise(seed),
        1.0,
        0.0,
    );
    let mut b = springs(
        "b",
        chain(noise3(seed) * 0.01 - Vec3::Y * 0.05, noise3(seed) * 0.01 + Vec3::Y * 0.05, 2),
        0.1,
        1.0,
        0.0,
    );
    if noise(seed) > 0.5 {
        b.attachments = vec![Selector::Name("first".into())];
    }
    let mut raw = weightless(vec![a, b]);
    for body in &mut raw.bodies {
        if let serosa_bake::raw::RawGeometry::Mesh { radius, .. } = &mut body.geometry {
            *radius = 0.02;
        }
    }
    baked(&raw).world()
}

/// The corrected equations (3) to (8): after one call the sides no longer approach, the overlap is gone, the
/// linear momentum is what it was, and held ends have not moved.
#[test]
fn one_correction_stops_the_approach_and_closes_the_overlap() {
    let mut seed = 1;
    let mut checked = 0;
    for _ in 0..500 {
        let mut world = two_crossed_segments(&mut seed);
        for v in 0..4 {
            let held = world.model.inv_mass[v] == 0.0;
            world.state.vel[v] = if held { Vec3::ZERO } else { noise3(&mut seed) };
        }
        let mut rows = Vec::new();
        let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
        Finder::default().rows(
            &world.model,
            &world.params,
            Detector::AllPairs,
            (at, Search::Overlap),
            &mut rows,
        );
        let Some(row) = rows.first().copied() else { continue };
        let before = world.clone();
        let inv_mass = world.model.inv_mass.clone();
        let mut motion = Motion {
            carried: &mut [],
            pos: &mut world.state.pos,
            vel: &mut world.state.vel,
            pose: &mut world.state.pose,
            twist: &mut world.state.twist,
            inv_mass: &inv_mass,
            rigid_mobility: &[],
        };
        let along = |vel: &[Vec3]| {
            row.slots()
                .map(|s| match s.node {
                    serosa_sim::row::Node::Vertex(v) => s.weight * vel[v.at()].dot(row.normal),
                    serosa_sim::row::Node::Rigid(..) => 0.0,
                })
                .sum::<f64>()
        };
        let approached = along(motion.vel) < 0.0;
        let mut work = Vec::new();
        displacement_velocity::prepare(&motion, &rows, &mut work);
        displacement_velocity::sweep(&mut motion, &mut work, 1e-3);
        if approached {
            assert!(along(motion.vel).abs() < 1e-9, "{}", along(motion.vel));
        } else {
            assert_eq!(before.state.vel, motion.vel.to_vec(), "separating sides are left alone");
        }
        assert!(row.gap_at(motion.pos, motion.pose).abs() < 1e-9);
        if inv_mass.iter().all(|w| *w > 0.0) {
            assert!((momentum(&world).0 - momentum(&before).0).length() < 1e-12);
            let shift: Vec3 =
                (0..4).map(|v| (world.state.pos[v] - before.state.pos[v]) * world.model.mass[v]).sum();
            assert!(shift.length() < 1e-12, "the centre of mass stays");
        } else {
            for v in (0..4).filter(|&v| inv_mass[v] == 0.0) {
                assert_eq!(world.state.pos[v], before.state.pos[v]);
                assert_eq!(world.state.vel[v], Vec3::ZERO);
            }
        }
        checked += usize::from(approached);
    }
    assert!(checked > 100, "{checked}");
}

/// A block on a slope: it sticks below the friction angle and slides above it, with the right acceleration.
#[test]
fn friction_holds_up_to_its_angle() {
    let travel = |mu: f64, slope: f64| {
        let size = Vec3::new(0.2, 0.2, 0.02);
        let mut block =
            solid("block", RawSolid::Cuboid { size }, Vec3::Z * 0.01, RawModel::Rigid { mass: 0.5 });
        block.friction = mu;
        let mut ground = floor();
        ground.friction = mu;
        let mut raw = scene(vec![ground, block]);
        raw.world.gravity = Vec3::new(slope.sin(), 0.0, -slope.cos()) * 9.81;
        raw.world.sweeps = 40;
        let mut world = baked(&raw).world();
        run(&mut world, 1000);
        let pose = world.state.pose[1];
        assert!(pose.rot.w > 1.0 - 1e-6, "it does not turn: {}", pose.rot);
        pose.pos.x
    };
    let angle = 0.5f64.atan();
    assert!(travel(0.55, angle).abs() < 2e-5, "{}", travel(0.55, angle));
    // g (sin − μ cos) t² / 2 with μ = 0.3.
    let free = 9.81 * (angle.sin() - 0.3 * angle.cos()) / 2.0;
    let slid = travel(0.3, angle);
    assert!((slid / free - 1.0).abs() < 0.01, "{slid} {free}");
}

/// A rope at rest on a table loads it with its weight.
#[test]
fn a_resting_rope_weighs_what_it_weighs() {
    let mut rope =
        springs("rope", chain(Vec3::new(-0.2, 0.0, 0.002), Vec3::new(0.2, 0.0, 0.002), 30), 0.1, 1e3, 0.5);
    rope.drag = 5.0;
    let mut world = baked(&scene(vec![floor(), rope])).world();
    run(&mut world, 1000);
    let load = world.scratch.contact_force[0];
    assert!((load - Vec3::new(0.0, 0.0, -0.981)).length() < 1e-6, "{load}");
    assert!(world.report.deepest_m > -1e-9);
}

/// The same with a tool: pressed into a membrane, holding it, in a warm step.
#[test]
fn a_warm_step_with_a_tool_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (mut world, mut input) = poke(0.01);
    input.hands[0] = input.hands[0].gripping(true);
    pool.install(|| (0..600).for_each(|_| step(&mut world, &input, &mut || 0)));
    let count = crate::counting::allocations(&pool, || {
        (0..200).for_each(|_| step(&mut world, &input, &mut || 0));
    });
    assert_eq!(count, 0);
    assert!(world.report.contacts > 0);
}

fn poke(depth: f64) -> (World, Input) {
    let sheet = Sheet {
        corner: Vec3::new(-0.1, -0.1, 0.0),
        along: Vec3::X * 0.2,
        across: Vec3::Y * 0.2,
        columns: 21,
        rows: 21,
    };
    let mut skin = springs("skin", membrane(&sheet), 0.05, 300.0, 0.05);
    skin.attachments = vec![Selector::Name("border".into())];
    skin.drag = 5.0;
    let mut raw = weightless(vec![skin]);
    raw.world.sweeps = 30;
    raw.tools.push(RawTool {
        name: "probe".into(),
        solid: RawSolid::Capsule { length: 0.2, radius: 0.008 },
        tip: Vec3::new(0.005, 0.0, 0.02),
        direction: Vec3::NEG_Z,
        mass: 0.04,
        friction: 0.2,
        stiffness: 400.0,
        damping: None,
        turn_stiffness: 0.5,
        speed_max: 2.0,
        reach: 0.004,
        strength: 5.0,
        holds: 8,
        moves: Vec::new(),
    });
    let world = baked(&raw).world();
    let mut input = Input::at_rest(&world);
    input.hands[0] = Hand::new(Vec3::new(0.005, 0.0, -depth), input.hands[0].pose().rot).unwrap();
    (world, input)
}

/// In equilibrium the hand's force, the contact force and the load on the border are one and the same.
#[test]
fn the_hand_feels_what_the_border_carries() {
    let (mut world, input) = poke(0.02);
    for _ in 0..4000 {
        step(&mut world, &input, &mut || 0);
    }
    let contact = world.scratch.contact_force[world.model.tools[0].body.at()];
    let hand = world.scratch.hand_force[0];
    let border = serosa_sim::probe::Probe {
        name: "border".into(),
        measure: serosa_sim::probe::Measure::SupportForce(
            world.model.body("skin").unwrap(),
            (0..world.model.rest.len())
                .filter(|&v| world.model.inv_mass[v] == 0.0)
                .map(|v| v.into())
                .collect(),
        ),
    };
    let mut load = Vec::new();
    border.read(&world, &mut load);
    assert!(contact.z > 0.5, "{contact}");
    assert!((contact + hand).length() < 0.02 * contact.length(), "{contact} {hand}");
    assert!((load[0] / contact.length() - 1.0).abs() < 0.05, "{} {contact}", load[0]);
    // The middle of the tool has left its target by what the spring of the coupling says.
    let away = world.state.pose[0].pos.z - (0.1 - 0.02);
    assert!((400.0 * away / contact.z - 1.0).abs() < 0.02, "{away} {contact}");
}

/// A hand that jumps is followed at a bounded speed, and nothing breaks.
#[test]
fn a_hand_that_jumps_is_followed_not_obeyed() {
    let (mut world, mut input) = poke(0.0);
    input.hands[0] = Hand::new(Vec3::new(1.5, 0.0, 0.3), input.hands[0].pose().rot).unwrap();
    let mut fastest: f64 = 0.0;
    for _ in 0..2000 {
        step(&mut world, &input, &mut || 0);
        fastest = fastest.max(world.state.twist[0].vel.length());
    }
    assert!(fastest < 2.5, "{fastest}");
    let tip = world.state.pose[0].point(world.model.tools[0].tip);
    assert!((tip - Vec3::new(1.5, 0.0, 0.3)).length() < 1e-4, "{tip}");
    assert!(world.state.frozen.iter().all(|f| !f));
}

/// Neighbours along a rope are left out as far as a bent tube of its radius can touch itself, and no farther.
#[test]
fn neighbours_are_left_out_by_arc_length() {
    let mut rope = springs("rope", chain(Vec3::ZERO, Vec3::X * 0.2, 21), 0.1, 1e3, 0.0);
    if let serosa_bake::raw::RawGeometry::Mesh { radius, .. } = &mut rope.geometry {
        *radius = 0.01;
    }
    let model = baked(&scene(vec![rope])).model;
    // Edges of 1 cm, π r = 3.14 cm: 0, 1, 2 and 3 edges between are too near, 4 are not.
    for j in 1..20 {
        assert_eq!(model.may_touch(PrimId(0), PrimId(j)), j > 4, "{j}");
    }
    assert_eq!(model.excluded.overlapping_at_rest, 0);
}

/// A membrane pulled up by its middle: jaws hold what they closed on, with at most their strength.
fn lifted(strength: f64, height: f64) -> World {
    let (mut world, mut input) = poke(-0.009);
    let model = std::sync::Arc::make_mut(&mut world.model);
    model.tools[0].strength = strength;
    let rot = input.hands[0].pose().rot;
    for i in 0..3000 {
        let up = if i < 500 { 0.0 } else { height * (f64::from(i - 500) / 1500.0).min(1.0) };
        let hand = Hand::new(Vec3::new(0.005, 0.0, 0.009 + up), rot).unwrap();
        input.hands[0] = hand.gripping(i >= 400);
        step(&mut world, &input, &mut || 0);
    }
    world
}

#[test]
fn closed_jaws_lift_what_they_hold() {
    let world = lifted(5.0, 0.02);
    assert!(!world.state.grips.is_empty());
    let tip = world.state.pose[0].point(world.model.tools[0].tip).z;
    for grip in &world.state.grips {
        let held = world.state.pose[0].point(grip.at);
        assert!((world.state.pos[grip.vertex.at()] - held).length() < 1e-5, "{grip:?}");
        assert_eq!(grip.slipped, 0.0);
    }
    assert!(tip > 0.02, "{tip}");
    // The hand pulls as hard as the membrane resists.
    assert!(world.scratch.hand_force[0].z > 0.3, "{}", world.scratch.hand_force[0]);
    let highest = world.state.pos.iter().map(|p| p.z).fold(0.0, f64::max);
    assert!(highest > 0.01, "{highest}");
}

#[test]
fn weak_jaws_let_go() {
    let world = lifted(0.05, 0.04);
    assert!(world.state.grips.is_empty(), "{:?}", world.state.grips);
    let highest = world.state.pos.iter().map(|p| p.z).fold(0.0, f64::max);
    assert!(highest < 0.01, "{highest}");
}

#[test]
fn open_jaws_hold_nothing() {
    let (mut world, mut input) = poke(-0.009);
    for grip in [false, true, false] {
        input.hands[0] = input.hands[0].gripping(grip);
        (0..300).for_each(|_| step(&mut world, &input, &mut || 0));
        assert_eq!(world.state.grips.is_empty(), !grip);
    }
}

/// A rope falls on a rod that leans to one side, then on its mirror image: both times every vertex that overlaps
/// is answered. (Once, a segment that did not "speak" for a vertex left it without a row on one of the sides.)
#[test]
fn a_rope_on_a_leaning_rod_is_held_on_both_sides() {
    for lean in [0.02, -0.02] {
        let mut rope =
            springs("rope", chain(Vec3::new(-0.2, 0.0, 0.03), Vec3::new(0.2, 0.0, 0.03), 41), 0.1, 2e3, 0.1);
        if let serosa_bake::raw::RawGeometry::Mesh { radius, .. } = &mut rope.geometry {
            *radius = 0.005;
        }
        let mut rod =
            solid("rod", RawSolid::Capsule { length: 0.6, radius: 0.02 }, Vec3::ZERO, RawModel::Fixed);
        if let serosa_bake::raw::RawGeometry::Solid { pose, .. } = &mut rod.geometry {
            pose.rot = serosa_geometry::rotation::between(Vec3::Z, Vec3::new(1.0, 0.0, lean).normalize());
        }
        let mut world = baked(&scene(vec![rope, rod])).world();
        let mut auditor = Auditor::default();
        let mut most = 0;
        for _ in 0..100 {
            run(&mut world, 1);
            let audit = auditor.check(&world);
            assert_eq!(audit.missed, 0);
            assert!(audit.deepest_m < 5e-4, "lean {lean}: {} m", audit.deepest_m);
            most = most.max(world.report.contacts);
        }
        assert!(most > 15, "lean {lean}: {most} contacts");
    }
}

/// Passes over the rows converge: a box on a table neither walks nor turns, whatever friction does.
#[test]
fn a_box_at_rest_stays_where_it_is() {
    let mut block = solid(
        "box",
        RawSolid::Cuboid { size: Vec3::new(0.1, 0.14, 0.06) },
        Vec3::Z * 0.03,
        RawModel::Rigid { mass: 1.0 },
    );
    block.friction = 0.3;
    let mut ground = floor();
    ground.friction = 0.3;
    let mut raw = scene(vec![ground, block]);
    raw.world.sweeps = 40;
    let mut world = baked(&raw).world();
    run(&mut world, 5000);
    let pose = world.state.pose[1];
    assert!(pose.pos.truncate().length() < 2e-5, "{}", pose.pos);
    assert!(pose.rot.w > 1.0 - 1e-9, "{}", pose.rot);
}

/// Without friction the velocity part of the response keeps angular momentum too.
#[test]
fn impulses_without_friction_keep_angular_momentum() {
    let mut seed = 77;
    let ball = |name: &str, at: Vec3| {
        solid(name, RawSolid::Sphere { radius: 0.05 }, at, RawModel::Rigid { mass: 0.3 })
    };
    let rod = solid(
        "rod",
        RawSolid::Capsule { length: 0.3, radius: 0.02 },
        Vec3::ZERO,
        RawModel::Rigid { mass: 0.2 },
    );
    let raw =
        weightless(vec![rod, ball("a", Vec3::new(0.06, 0.0, 0.1)), ball("b", Vec3::new(-0.06, 0.0, -0.12))]);
    let mut world = baked(&raw).world();
    for twist in &mut world.state.twist {
        (twist.vel, twist.omega) = (noise3(&mut seed), noise3(&mut seed) * 3.0);
    }
    let mut rows = Vec::new();
    let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
    Finder::default().rows(&world.model, &world.params, Detector::AllPairs, (at, Search::Overlap), &mut rows);
    assert_eq!(rows.len(), 2);
    let before = momentum(&world);
    let mobility: Vec<_> = world
        .model
        .rigids
        .iter()
        .map(|r| serosa_sim::scratch::Mobility { inv_mass: r.inv_mass, inv_inertia: r.inv_inertia })
        .collect();
    let mut poses = world.state.pose.clone();
    let mut motion = Motion {
        carried: &mut [],
        pos: &mut [],
        vel: &mut [],
        pose: &mut poses,
        twist: &mut world.state.twist,
        inv_mass: &[],
        rigid_mobility: &mobility,
    };
    let mut work = Vec::new();
    displacement_velocity::prepare(&motion, &rows, &mut work);
    // One pass, velocities measured against the poses before it moved anything.
    displacement_velocity::sweep(&mut motion, &mut work[..1], 1e-3);
    let after = momentum(&world);
    assert!((after.0 - before.0).length() < 1e-12);
    assert!((after.1 - before.1).length() < 1e-12, "{} {}", before.1, after.1);
}
