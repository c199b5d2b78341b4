//! The response `qp`: its matrix against a twin, bodies against theory, contacts, limits and jaws, and what cannot be
//! satisfied.

use crate::make::*;
use crate::specimens::{ORGAN, elastic, flesh, organ, organ_mesh, raised};
use serosa_bake::bake;
use serosa_bake::raw::*;
use serosa_geometry::generate::{Sheet, chain, net};
use serosa_geometry::{Real, Vec3, rotation};
use serosa_sim::audit::Auditor;
use serosa_sim::body::system;
use serosa_sim::energy::{EnergyKind, world_energy};
use serosa_sim::model::{BodyKind, Integrator, Law, Pose, SpringKind};
use serosa_sim::params::{Filter, Response, Solver};
use serosa_sim::respond::qp::{Asked, Difficulty};
use serosa_sim::{Input, World, step};

fn programme(bodies: Vec<RawBody>) -> RawScene {
    let mut raw = scene(bodies);
    raw.world.response = Response::Qp;
    raw
}

fn cable(name: &str, (from, to): (Vec3, Vec3), nodes: usize, mass: Real) -> RawBody {
    let mut body = springs(name, chain(from, to, nodes), mass, 1e5, 1.0);
    if let RawGeometry::Mesh { radius, .. } = &mut body.geometry {
        *radius = 3e-3;
    }
    body
}

fn hanging_net(columns: usize) -> RawBody {
    let sheet = Sheet {
        corner: Vec3::new(-0.1, -0.1, 0.0),
        along: Vec3::X * 0.2,
        across: Vec3::Y * 0.2,
        columns,
        rows: columns,
    };
    let mut body = springs("net", net(&sheet), 0.1, 60.0, 0.2);
    body.attachments = vec![Selector::Name("corners".into())];
    body.self_contact = false;
    body
}

/// Everything that can be an unknown: springs, tied solids with walls, a rigid shape and a tool.
fn everything() -> RawScene {
    let material = || elastic(Law::NeoHookean, 5e4, 0.3, 1000.0, 0.02);
    let mut above =
        flesh("above", (Vec3::new(0.5, 0.0, 0.02), Vec3::new(0.04, 0.04, 0.02)), [2, 2, 1], material());
    above.attachments = vec![Selector::Name("top".into())];
    let mut below = flesh(
        "below",
        (Vec3::new(0.505, 0.003, 0.001), Vec3::new(0.03, 0.03, 0.02)),
        [2, 2, 1],
        elastic(Law::Corotated, 5e4, 0.4, 1000.0, 0.0),
    );
    let RawModel::Solid(model) = &mut below.model else { panic!() };
    let which = Selector::Name("top".into());
    model.ties = vec![RawTie { which, to: "above".into(), reach: 0.02, stiffness: 100.0 }];
    let brick = solid(
        "box",
        RawSolid::Cuboid { size: Vec3::new(0.1, 0.2, 0.3) },
        Vec3::Y,
        RawModel::Rigid { mass: 0.2 },
    );
    let mut raw = programme(vec![hanging_net(6), above, below, brick]);
    raw.tools = vec![tool("probe", Vec3::new(0.0, 0.0, 1.0), Vec3::NEG_Z)];
    raw
}

#[test]
fn the_matrix_is_its_matrix_free_twin_and_positive() {
    let mut world = baked(&everything()).world();
    let mut seed = 3;
    for v in (0..world.model.rest.len()).filter(|v| world.model.inv_mass[*v] > 0.0) {
        world.state.pos[v] += noise3(&mut seed) * 5e-3;
    }
    world.state.pose[0].rot = rotation::from_rotation_vector(noise3(&mut seed));
    let h = 2e-3;
    let matrix = system::matrix(&mut world, h).unwrap();
    let n = 3 * matrix.vertices();
    for _ in 0..10 {
        let x: Vec<Real> = (0..n).map(|_| noise(&mut seed)).collect();
        let mut x_free = vec![0.0; n];
        matrix
            .free()
            .iter()
            .for_each(|v| (0..3).for_each(|k| x_free[3 * *v as usize + k] = x[3 * *v as usize + k]));
        let (mut y, mut twin) = (vec![0.0; n], vec![0.0; n]);
        matrix.multiply(&x_free, &mut y);
        system::product(&mut world, h, &x_free, &mut twin);
        let most = y.iter().fold(0.0, |m: Real, y| m.max(y.abs()));
        let off = y.iter().zip(&twin).fold(0.0, |m: Real, (a, b)| m.max((a - b).abs()));
        assert!(off < 1e-12 * most, "{off} of {most}");
        assert!(y.iter().zip(&x_free).map(|(y, x)| y * x).sum::<Real>() > 0.0);
    }
}

/// One spring alone is backward Euler, in this response as in the other.
#[test]
fn a_spring_moves_as_backward_euler_has_it() {
    let mut ends = springs("spring", chain(Vec3::ZERO, Vec3::X, 2), 0.2, 300.0, 0.5);
    ends.attachments = vec![Selector::Name("first".into())];
    let mut world = baked(&{
        let mut raw = weightless(vec![ends]);
        raw.world.response = Response::Qp;
        raw
    })
    .world();
    world.state.pos[1].x += 0.1;
    let (m, k, c, h) = (0.1, 300.0, 0.5, world.params.dt_s);
    let (mut x, mut v) = (0.1, 0.0);
    for _ in 0..200 {
        v = (m * v - h * k * x) / (m + h * c + h * h * k);
        x += h * v;
        run(&mut world, 1);
        assert!((world.state.pos[1].x - 1.0 - x).abs() < 1e-12, "{} {x}", world.state.pos[1].x - 1.0);
    }
}

/// A solid at rest hangs as it does in its own descent.
#[test]
fn a_solid_hangs_as_far_as_by_its_own_descent() {
    for law in [Law::NeoHookean, Law::Corotated] {
        let [here, there] = [Response::Qp, Response::DisplacementVelocity].map(|response| {
            let mut raw = scene(vec![crate::solid::beam(law, [4, 2, 2], 0.02)]);
            (raw.world.response, raw.world.dt_s, raw.world.sweeps) = (response, 4e-3, 100);
            let mut world = baked(&raw).world();
            world.params.bodies[0].drag = 10.0;
            run(&mut world, 600);
            world.state.pos.iter().map(|p| p.z).fold(Real::INFINITY, Real::min)
        });
        assert!(here < -1e-3 && (here / there - 1.0).abs() < 1e-3, "{law:?}: {here} {there}");
    }
}

/// A cable of 100 kN/m over a fixed rod, one leg longer: it runs off, falls and lies still. Energy is never gained, and
/// what lies does not drift.
#[test]
fn a_stiff_cable_neither_gains_energy_nor_drifts_in_ten_seconds() {
    let mut rod =
        solid("rod", RawSolid::Capsule { length: 0.2, radius: 0.04 }, Vec3::Z * 0.3, RawModel::Fixed);
    if let RawGeometry::Solid { pose, .. } = &mut rod.geometry {
        pose.rot = rotation::between(Vec3::Z, Vec3::Y);
    }
    let line = (Vec3::new(-0.15, 0.0, 0.35), Vec3::new(0.22, 0.0, 0.35));
    let mut bodies = vec![cable("cable", line, 20, 0.15), rod, floor()];
    bodies.iter_mut().for_each(|b| b.friction = 0.2);
    let mut raw = programme(bodies);
    raw.world.dt_s = 4e-3;
    let mut world = baked(&raw).world();
    let start = world_energy(&world, EnergyKind::Total);
    let (mut before, mut rise) = (start, 0.0 as Real);
    for _ in 0..2500 {
        run(&mut world, 1);
        let now = world_energy(&world, EnergyKind::Total);
        assert!(now <= start * (1.0 + 1e-9), "{now} J of {start} J");
        rise = rise.max(now - before);
        before = now;
        let quiet = |t: &Difficulty| *t == Difficulty::Unfinished;
        assert!(world.report.qp.trouble.iter().all(quiet), "{:?}", world.report.qp.trouble);
    }
    assert!(rise < 0.01 * start, "{rise} J gained in a step, of {start} J");
    // It fell off and lies on the floor.
    let highest = world.state.pos.iter().map(|p| p.z).fold(0.0, Real::max);
    assert!(highest < 0.1, "{highest}");
    let lying = world.state.pos.clone();
    run(&mut world, 250);
    let moved = world.state.pos.iter().zip(&lying).map(|(a, b)| (*a - *b).length()).fold(0.0, Real::max);
    assert!(moved < 1e-4, "{moved} m in a second");
}

fn strains(world: &World) -> [Real; 2] {
    let mut range = [Real::INFINITY, Real::NEG_INFINITY];
    for spring in world.model.springs.iter().filter(|s| s.kind != SpringKind::Bend) {
        let [a, b] = spring.ends.map(|v| world.state.pos[v.at()]);
        let strain = (b - a).length() / spring.rest_m - 1.0;
        range = [range[0].min(strain), range[1].max(strain)];
    }
    range
}

#[test]
fn a_net_stretches_by_a_tenth_and_no_more() {
    let mut threads = hanging_net(9);
    threads.stretch[1] = 0.1;
    let shape = RawSolid::Sphere { radius: 0.04 };
    let ball = solid("ball", shape, Vec3::new(0.005, -0.005, 0.08), RawModel::Rigid { mass: 0.5 });
    let mut raw = programme(vec![threads, ball]);
    raw.world.dt_s = 2e-3;
    let mut world = baked(&raw).world();
    let mut most = 0.0 as Real;
    for _ in 0..300 {
        run(&mut world, 1);
        most = most.max(strains(&world)[1]);
        assert!(world.report.qp.trouble.is_empty(), "{:?}", world.report.qp.trouble);
    }
    assert!((0.0999..=0.101).contains(&most), "{most}");
    // Without the limit it would.
    let mut free = raw.clone();
    free.bodies[0].stretch[1] = Real::INFINITY;
    let mut world = baked(&free).world();
    let most = (0..300).map(|_| {
        run(&mut world, 1);
        strains(&world)[1]
    });
    let most = most.fold(0.0, Real::max);
    assert!(most > 0.12, "{most}");
}

#[test]
fn a_chain_is_not_pressed_below_its_limit() {
    let mut line = springs("line", chain(Vec3::ZERO, Vec3::Z * 0.2, 9), 0.1, 20.0, 0.1);
    line.stretch[0] = -0.05;
    line.self_contact = false;
    let mut raw = programme(vec![line, floor()]);
    raw.world.dt_s = 2e-3;
    let mut world = baked(&raw).world();
    for _ in 0..40 {
        run(&mut world, 1);
        assert!(strains(&world)[0] >= -0.0501, "{}", strains(&world)[0]);
    }
    assert!(strains(&world)[0] < -0.045, "it is pressed as far as it may be: {}", strains(&world)[0]);
}

/// An edge over the seam of two blocks touches both, and the seam: more rows than it has ways to move.
#[test]
fn an_edge_on_a_seam_weighs_what_it_weighs() {
    for (solver, within) in [(Solver::Exact, 1e-6), (Solver::Large, 0.02)] {
        let block = |name: &str, x: Real| {
            let size = Vec3::new(0.2, 0.3, 0.1);
            solid(name, RawSolid::Cuboid { size }, Vec3::new(x, 0.0, -0.05), RawModel::Fixed)
        };
        let mut seam = RawBody { name: "seam".into(), ..block("seam", 0.0) };
        seam.geometry = RawGeometry::Solid {
            solid: RawSolid::Capsule { length: 0.3, radius: 3e-3 },
            pose: Pose { pos: Vec3::NEG_Z * 3e-3, rot: rotation::between(Vec3::Z, Vec3::Y) },
        };
        let line = (Vec3::new(-0.06, 0.01, 0.0032), Vec3::new(0.08, -0.02, 0.0032));
        let bar = cable("bar", line, 2, 0.06);
        let mut raw = programme(vec![block("left", -0.1), block("right", 0.1), seam, bar]);
        raw.world.solver = solver;
        let mut world = baked(&raw).world();
        run(&mut world, 300);
        let h = world.params.dt_s;
        let impulse: Real = world.scratch.rows.iter().map(|row| row.lambda).sum();
        let weight = 0.06 * 9.81;
        assert!(world.scratch.rows.len() > 2, "{} rows on two ends", world.scratch.rows.len());
        assert!((impulse / (weight * h) - 1.0).abs() < within, "{solver:?}: {impulse} {}", weight * h);
        let load: Vec3 = world.scratch.contact_force[..3].iter().sum();
        assert!((load + Vec3::Z * weight).length() < within * weight, "{load}");
    }
}

/// A bar on a slope: it sticks below the angle of friction and slides above it as it should.
#[test]
fn friction_holds_up_to_its_angle() {
    for (slope, friction) in [(0.49, 0.5), (0.51, 0.5), (0.6, 0.3)] {
        let line = (Vec3::new(0.0, -0.05, 0.003), Vec3::new(0.0, 0.05, 0.003));
        let mut bodies = vec![cable("bar", line, 5, 0.1), floor()];
        bodies.iter_mut().for_each(|b| b.friction = friction);
        let mut raw = programme(bodies);
        let angle = Real::atan(slope);
        raw.world.gravity = Vec3::new(angle.sin(), 0.0, -angle.cos()) * 9.81;
        let mut world = baked(&raw).world();
        run(&mut world, 500);
        let slid = world.state.pos[2].x;
        let theory = (9.81 * (angle.sin() - friction * angle.cos()) * 0.5 * 0.25).max(0.0);
        // Backward Euler is a step ahead: x = a t (t + h)/2.
        assert!(
            (slid - theory * (1.0 + 1e-3 / 0.5)).abs() < 1e-6 + 1e-3 * theory,
            "{slope}: {slid} {theory}"
        );
    }
}

/// What rests weighs what it weighs, and no contact is missed, with the filter on and off.
#[test]
fn things_rest_on_one_another() {
    for filter in [Filter::Off, Filter::Planes] {
        let ball = |name: &str, z: Real| {
            let shape = RawSolid::Sphere { radius: 0.02 };
            let mut ball = solid(name, shape, Vec3::Z * z, RawModel::Rigid { mass: 0.3 });
            ball.friction = 0.3;
            ball
        };
        let mut raw = programme(vec![floor(), ball("low", 0.0205), ball("high", 0.0615)]);
        raw.world.filter = filter;
        let mut world = baked(&raw).world();
        let mut auditor = Auditor::default();
        for _ in 0..400 {
            run(&mut world, 1);
            let audit = auditor.check(&world);
            assert_eq!(audit.missed, 0);
            assert!(audit.deepest_m < 1e-6, "{}", audit.deepest_m);
        }
        let load = world.scratch.contact_force[0];
        assert!((load + Vec3::Z * 0.6 * 9.81).length() < 1e-6, "{filter:?}: {load}");
        assert!(world.state.twist.iter().all(|t| t.vel.length() < 1e-9), "{:?}", world.state.twist);
    }
}

/// Jaws hold exactly, up to their strength; beyond it the thread slips out.
#[test]
fn jaws_are_equalities_until_they_slip() {
    for strength in [50.0, 0.3] {
        let mut line = springs("line", chain(Vec3::ZERO, Vec3::X * 0.2, 21), 0.05, 500.0, 0.2);
        line.drag = 20.0;
        line.attachments = vec![Selector::Name("first".into())];
        let mut raw = programme(vec![line]);
        raw.world.gravity = Vec3::ZERO;
        raw.tools = vec![tool("jaws", Vec3::new(0.2, 0.0, 0.0065), Vec3::NEG_Z)];
        (raw.tools[0].strength, raw.tools[0].reach) = (strength, 0.004);
        let mut world = baked(&raw).world();
        let mut input = Input::at_rest(&world);
        lead(&mut input, Vec3::new(0.2, 0.0, 0.0065), true);
        step(&mut world, &input, &mut || 0);
        assert!(!world.state.grips.is_empty());
        lead(&mut input, Vec3::new(0.22, 0.01, 0.0065), true);
        let mut slipped = 0;
        for _ in 0..1500 {
            step(&mut world, &input, &mut || 0);
            slipped += world.report.slipped_out;
        }
        if strength < 1.0 {
            assert!(slipped > 0 && world.state.grips.is_empty());
            continue;
        }
        let tool = &world.model.tools[0];
        for grip in &world.state.grips {
            let held = world.state.pose[tool.rigid.at()].point(grip.at);
            assert!((world.state.pos[grip.vertex.at()] - held).length() < 1e-9);
        }
        // At rest the hand carries what the thread pulls with.
        let pull: Vec3 = world.state.grips.iter().map(|g| g.pull).sum();
        let felt = world.scratch.hand_force[0];
        assert!(pull.length() > 0.05 && (felt - pull).length() < 1e-3 * pull.length(), "{pull} {felt}");
    }
}

/// Two ends held farther apart than the strain limit lets them be: named, and the run goes on.
#[test]
fn what_cannot_be_satisfied_is_named_and_the_run_goes_on() {
    let line = || {
        let mut line = springs("line", chain(Vec3::ZERO, Vec3::X * 0.2, 5), 0.05, 100.0, 0.2);
        line.stretch[1] = 0.1;
        line
    };
    // All of the line, and one spring alone that has no way to move.
    for nodes in [5, 2] {
        let mut body = line();
        if let RawGeometry::Mesh { mesh, .. } = &mut body.geometry {
            *mesh = chain(Vec3::ZERO, Vec3::X * 0.2, nodes);
        }
        body.attachments = vec![Selector::Name("ends".into())];
        let mut world = baked(&programme(vec![body])).world();
        // As if one end had been carried off.
        *world.state.pos.last_mut().unwrap() += Vec3::X * 0.1;
        // Threads that are too long are drawn in slowly: first all of them become so.
        run(&mut world, 200);
        for _ in 0..50 {
            run(&mut world, 1);
            let named = world.report.qp.trouble.iter().any(|t| {
                matches!(t, Difficulty::Infeasible { what: Asked::Limit { longest: true, .. }, missing } if *missing > 0.0)
            });
            assert!(named, "{:?}", world.report.qp.trouble);
        }
        let words = world.report.qp.trouble[0].words(&world.model);
        assert!(words.contains("\"line\"") && words.contains("least squares"), "{words}");
        assert!(world.state.pos.iter().all(|p| p.is_finite()) && world.state.frozen == [false]);
        // It stays between its ends, and trembles: a thread a little out of line is drawn in faster across than along.
        let near = |p: &Vec3| (-0.01..0.31).contains(&p.x) && p.y.hypot(p.z) < 0.02;
        assert!(world.state.pos.iter().all(near), "{:?}", world.state.pos);
    }
}

/// A ball strikes one at rest, which nobody expects to move and which is driven into a third, or through it where all are
/// small: what a solve makes collide is resolved in the same step.
#[test]
fn what_a_solve_makes_collide_is_solved_again() {
    for (radius, dt_s) in [(0.01, 2e-3), (0.001, 5e-3)] {
        let apart = [0.001, 0.0015];
        let places = [0.0, 2.0 * radius + apart[0], 4.0 * radius + apart[0] + apart[1]];
        let balls = places.iter().zip(["first", "second", "third"]).map(|(x, name)| {
            solid(name, RawSolid::Sphere { radius }, Vec3::X * *x, RawModel::Rigid { mass: 0.1 })
        });
        let mut raw = programme(balls.collect());
        (raw.world.dt_s, raw.world.gravity, raw.world.sweeps) = (dt_s, Vec3::ZERO, 8);
        let mut world = baked(&raw).world();
        world.state.twist[0].vel = Vec3::X * 5.0;
        run(&mut world, 1);
        let [a, b, c] = [0, 1, 2].map(|k| world.state.pose[k].pos.x);
        for gap in [b - a - 2.0 * radius, c - b - 2.0 * radius] {
            assert!(gap > -1e-5, "radius {radius}: {a} {b} {c}");
        }
        let momentum: Real = world.state.twist.iter().map(|t| t.vel.x).sum();
        assert!((momentum - 5.0).abs() < 1e-9 && world.report.qp.passes > 1, "{momentum}");
    }
}

/// A ball between two fixed plates that are nearer than it is thick.
#[test]
fn opposite_contacts_are_a_compromise() {
    let mut above = floor();
    above.name = "above".into();
    if let RawGeometry::Solid { pose, .. } = &mut above.geometry {
        (pose.pos, pose.rot) = (Vec3::Z * 0.039, rotation::between(Vec3::Z, Vec3::NEG_Z));
    }
    let shape = RawSolid::Sphere { radius: 0.02 };
    let ball = solid("ball", shape, Vec3::Z * 0.0195, RawModel::Rigid { mass: 0.3 });
    let mut world = baked(&programme(vec![floor(), above, ball])).world();
    for _ in 0..100 {
        run(&mut world, 1);
        let trouble = &world.report.qp.trouble;
        assert!(
            trouble.iter().any(|t| matches!(t, Difficulty::Infeasible { what: Asked::Apart(..), .. })),
            "{trouble:?}"
        );
    }
    let ball = world.state.pose[2].pos;
    assert!((ball - Vec3::Z * 0.0195).length() < 1e-4, "{ball}");
    assert!(world.state.frozen.iter().all(|f| !f));
}

#[test]
fn absurd_steps_are_named() {
    let world = |dt_s: Real| {
        let mut world = baked(&programme(vec![hanging_net(5)])).world();
        world.params.dt_s = dt_s;
        world
    };
    for dt_s in [0.0, -1e-3, Real::NAN] {
        let mut world = world(dt_s);
        let before = world.state.pos.clone();
        run(&mut world, 3);
        assert_eq!(world.report.qp.trouble, [Difficulty::NoTime], "{dt_s}");
        assert_eq!(world.state.pos, before);
    }
    // A step of a year is too much for the numbers, and of a second it is not.
    let mut long = world(3e7);
    run(&mut long, 3);
    assert!(long.state.pos.iter().all(|p| p.is_finite()));
    let mut second = world(1.0);
    run(&mut second, 3);
    assert!(second.report.qp.trouble.is_empty(), "{:?}", second.report.qp.trouble);
    assert!(second.state.pos.iter().all(|p| p.is_finite()));
    // Springs that are firmer than numbers can tell from masses.
    let mut firm = world(1e-3);
    firm.params.bodies[0].stiffness = 1e20;
    run(&mut firm, 2);
    let named = |t: &Difficulty| matches!(t, Difficulty::NotPositive(b) if b.at() == 0);
    assert!(firm.report.qp.trouble.iter().any(named), "{:?}", firm.report.qp.trouble);
    assert!(firm.report.qp.trouble[0].words(&firm.model).contains("\"net\""));
    firm.params.bodies[0].stiffness = 60.0;
    run(&mut firm, 2);
    assert!(firm.report.qp.trouble.is_empty());
}

#[test]
fn bodies_that_it_cannot_move_are_refused() {
    let material = elastic(Law::NeoHookean, 5e4, 0.3, 1000.0, 0.02);
    let mut block = raised(flesh("block", (Vec3::ZERO, Vec3::splat(0.1)), [1; 3], material));
    if let RawModel::Solid(elastic) = &mut block.model {
        elastic.descent = RawDescent::Auto;
    }
    let faults = bake(&programme(vec![block])).unwrap_err();
    let message = &faults[0].message;
    assert!(message.contains("quadratic tetrahedra, which the quadratic programme cannot move"), "{message}");
    assert!(faults[0].help.contains("element = \"linear\""), "{}", faults[0].help);
    let explicit = RawTissue { integrator: Integrator::Verlet, ..ORGAN };
    let faults =
        bake(&programme(vec![organ("organ", organ_mesh(1, Vec3::splat(0.03)), explicit)])).unwrap_err();
    assert!(faults[0].message.contains("is moved by Verlet's explicit scheme"), "{}", faults[0].message);
    let mut limited = hanging_net(4);
    limited.stretch[1] = 0.1;
    let faults = bake(&scene(vec![limited])).unwrap_err();
    assert!(faults[0].message.contains("strain limits"), "{}", faults[0].message);
}

/// A net with limits catches a ball, held by a tool: warm steps allocate nothing, all threads agree, and a restored state
/// goes on with the same bits.
#[test]
fn warm_steps_allocate_nothing_and_have_the_same_bits() {
    let make = |solver: Solver| {
        let mut threads = hanging_net(7);
        threads.stretch[1] = 0.1;
        threads.friction = 0.4;
        let shape = RawSolid::Sphere { radius: 0.04 };
        let mut ball = solid("ball", shape, Vec3::new(0.01, 0.0, 0.05), RawModel::Rigid { mass: 0.5 });
        ball.friction = 0.4;
        let mut raw = programme(vec![threads, ball]);
        (raw.world.dt_s, raw.world.solver) = (2e-3, solver);
        raw.tools = vec![tool("jaws", Vec3::new(0.05, 0.05, 0.01), Vec3::NEG_Z)];
        (raw.tools[0].strength, raw.tools[0].reach) = (200.0, 0.03);
        let baked = baked(&raw);
        let mut input = Input::at_rest(&baked.world());
        lead(&mut input, Vec3::new(0.05, 0.05, 0.02), true);
        (baked, input)
    };
    for solver in [Solver::Exact, Solver::Large, Solver::Faithful] {
        let (baked, input) = make(solver);
        let run = |threads: usize, restore: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut world = baked.world();
            pool.install(|| {
                for i in 0..150 {
                    if restore && i == 75 {
                        let saved = world.state.clone();
                        world = baked.world();
                        world.state = saved;
                    }
                    step(&mut world, &input, &mut || 0);
                }
            });
            (world, pool)
        };
        let (mut world, pool) = run(2, false);
        assert!(world.report.contacts > 0, "{solver:?}: {}", world.state.pose[0].pos);
        assert!(!world.state.grips.is_empty(), "{solver:?}");
        let hash = world.state.hash();
        pool.install(|| (0..250).for_each(|_| step(&mut world, &input, &mut || 0)));
        // The ball still swings, and new contacts may need room that none has needed yet: the same steps once more do not.
        let saved = world.state.clone();
        pool.install(|| (0..50).for_each(|_| step(&mut world, &input, &mut || 0)));
        world.state.copy_from(&saved);
        let count = crate::counting::allocations(&pool, || {
            (0..50).for_each(|_| step(&mut world, &input, &mut || 0));
        });
        assert_eq!(count, 0, "{solver:?}");
        for (threads, restore) in [(1, false), (8, false), (2, true)] {
            assert_eq!(run(threads, restore).0.state.hash(), hash, "{solver:?}: {threads} {restore}");
        }
    }
}

/// The order of the bake changes no more than rounding, and is there.
#[test]
fn the_order_of_the_bake_is_only_an_order() {
    let baked = baked(&everything());
    assert!(!baked.model.order.is_empty());
    let mut plain = (*baked.model).clone();
    plain.order.clear();
    let [mut a, mut b] = [baked.world(), World::new(plain.into(), baked.params.clone())];
    run(&mut a, 100);
    run(&mut b, 100);
    let off = a.state.pos.iter().zip(&b.state.pos).map(|(a, b)| (*a - *b).length()).fold(0.0, Real::max);
    assert!(off < 1e-9, "{off}");
    let moved = a.model.bodies.iter().filter(|b| !matches!(b.kind, BodyKind::Rigid(_)));
    assert_eq!(moved.count(), 3);
}
