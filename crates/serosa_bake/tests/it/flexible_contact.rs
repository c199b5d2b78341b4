//! Flexible bodies in contact: what pushes them, how they yield, and that nothing depends on the way there.

use crate::counting::allocations;
use crate::make::*;
use crate::solid_contact::cube;
use serosa_bake::raw::*;
use serosa_geometry::generate::block::{Block, block};
use serosa_geometry::generate::sphere::even_sphere;
use serosa_geometry::rotation::from_rotation_vector;
use serosa_geometry::{Aabb, Mat3, Real, Vec3};
use serosa_sim::audit::Auditor;
use serosa_sim::body::flexible::{Gauge, Lame, Quantity};
use serosa_sim::body::push;
use serosa_sim::energy::{EnergyKind, body_energy};
use serosa_sim::model::{BodyKind, Compliance, FlexibleBody, Law, Limits, MeanRotation, Region};
use serosa_sim::params::Filter;
use serosa_sim::row::Node;
use serosa_sim::{BodyId, Input, World, step};

const RADIUS: Real = 0.05;
/// Of the ball in the hand, whose tip is its centre.
const PROBE: Real = 0.015;

fn flexible(method: RawMethod, compliance: RawCompliance) -> RawModel {
    RawModel::Flexible(Box::new(RawFlexible {
        method,
        base: Region { name: "soft".into(), law: Law::Corotated, young: 2e4, poisson: 0.4, density: 1000.0 },
        regions: Vec::new(),
        controls: Vec::new(),
        rotation: MeanRotation::Polar,
        limits: Limits { strain: Real::INFINITY, stretch: Real::INFINITY, angle: 1.0 },
        compliance,
        thickness: Some(1e-3),
    }))
}

/// A ball of boundary elements that stands on its lower part.
fn ball(nodes: usize) -> RawBody {
    let mesh = even_sphere(Vec3::ZERO, RADIUS, nodes).unwrap();
    let model = flexible(RawMethod::Boundary, RawCompliance::Auto);
    let mut body = body("ball", RawGeometry::Mesh { mesh, radius: 0.0 }, model);
    body.attachments = vec![Selector::Plane { point: Vec3::NEG_Z * (0.7 * RADIUS), normal: Vec3::Z }];
    body.friction = 0.5;
    body
}

/// A block of tetrahedra that stands on the floor.
fn brick(compliance: RawCompliance) -> RawBody {
    let size = Vec3::new(0.1, 0.1, 0.04);
    let (mesh, tets) = block(&Block { corner: Vec3::new(-0.05, -0.05, 0.0), size, cells: [8, 8, 3] });
    let tets = RawTets { mesh, tets, ..RawTets::default() };
    let mut body = body("brick", RawGeometry::Tets(tets), flexible(RawMethod::Finite, compliance));
    body.attachments = vec![Selector::Name("bottom".into())];
    body.friction = 0.5;
    body
}

/// A steel ball in a hand.
fn probe(tip: Vec3) -> RawTool {
    let solid = RawSolid::Sphere { radius: PROBE };
    RawTool { solid, stiffness: 2000.0, friction: 0.5, strength: 0.0, ..tool("probe", tip, Vec3::NEG_Z) }
}

fn with_probe(body: RawBody, tip: Vec3) -> RawScene {
    let mut raw = lagrangian(vec![body], Filter::Planes);
    (raw.world.dt_s, raw.world.sweeps, raw.world.gravity) = (1.0 / 240.0, 12, Vec3::ZERO);
    raw.tools = vec![probe(tip)];
    raw
}

fn press(world: &mut World, from: Vec3, to: Vec3, steps: u32) {
    let mut input = Input::at_rest(world);
    for k in 1..=steps {
        lead(&mut input, from + (to - from) * (f64::from(k) / f64::from(steps)), false);
        step(world, &input, &mut || 0);
    }
}

fn body_of(world: &World, b: usize) -> &FlexibleBody {
    match &world.model.bodies[b].kind {
        BodyKind::Flexible(body) => body,
        _ => panic!("not flexible"),
    }
}

/// Forces of rows on the vertices of a body \[N\].
fn forces(world: &World, b: usize) -> Vec<Vec3> {
    let vertices = world.model.bodies[b].vertex_range();
    let mut forces = vec![Vec3::ZERO; vertices.len()];
    for row in &world.scratch.rows {
        for slot in row.slots() {
            if let Node::Vertex(v) = slot.node
                && vertices.contains(&v.at())
            {
                forces[v.at() - vertices.start] += push(row) * (slot.weight / world.params.dt_s);
            }
        }
    }
    forces
}

const ABOVE: Vec3 = Vec3::new(0.0, 0.0, RADIUS + PROBE + 0.006);
const DEEP: Vec3 = Vec3::new(0.0, 0.0, RADIUS + PROBE - 0.006);

#[test]
fn a_pressed_body_is_where_its_compliance_puts_it() {
    let mut raw = with_probe(ball(300), ABOVE);
    // In 4 ms the body gives way by a sixth of what it will: its rows are that much stiffer, and learn in more sweeps.
    raw.world.sweeps = 40;
    let mut world = baked(&raw).world();
    press(&mut world, ABOVE, DEEP, 120);
    press(&mut world, DEEP, DEEP, 120);
    let forces = forces(&world, 0);
    let pressed = forces.iter().filter(|f| **f != Vec3::ZERO).count();
    assert!(pressed > 3, "{pressed} vertices are pressed");
    let Compliance::All(columns) = &body_of(&world, 0).compliance else { panic!("no compliance") };
    let n = 3 * forces.len();
    let flat: Vec<Real> = forces.iter().flat_map(|f| f.to_array()).collect();
    let mut deepest: Real = 0.0;
    for (v, rest) in world.model.rest.iter().enumerate() {
        let along = |k: usize| -> Real {
            flat.iter().enumerate().map(|(j, f)| f * Real::from(columns[j * n + 3 * v + k])).sum()
        };
        let want = Vec3::new(along(0), along(1), along(2));
        let error = (world.state.pos[v] - *rest - want).length();
        assert!(error < 1e-5, "vertex {v}: {error:e} m from {want}");
        deepest = deepest.max(want.length());
    }
    assert!(deepest > 2e-3, "{deepest}");
    assert!(Auditor::default().check(&world).deepest_m <= 0.0);
    // Hand, tool and body agree about the force.
    let total: Vec3 = forces.iter().sum();
    assert!(
        (total - world.scratch.hand_force[0]).length() < 0.01 * total.length(),
        "{total} {:?}",
        world.scratch.hand_force
    );
}

/// The same of a ball that a hand has turned about its middle, and its surface knows what presses it.
#[test]
fn a_turned_body_is_where_its_compliance_puts_it() {
    let mut raw = ball(150);
    let RawModel::Flexible(model) = &mut raw.model else { panic!("flexible") };
    model.controls = vec![RawControl {
        name: "foot".into(),
        which: raw.attachments.remove(0),
        speed_max: 1.0,
        by_force: false,
        moves: Vec::new(),
    }];
    let bake = baked(&with_probe(raw, ABOVE));
    let mut world = bake.world();
    let turn = from_rotation_vector(Vec3::new(0.6, 0.3, 0.9));
    let origin = body_of(&world, 0).elements[0].origin;
    let goal = serosa_sim::Control::new(turn * origin, turn, Vec3::ONE).unwrap();
    for k in 0..480 {
        let mut input = Input { controls: vec![goal], ..Input::at_rest(&world) };
        lead(&mut input, ABOVE.lerp(DEEP, (f64::from(k) / 120.0 - 1.0).clamp(0.0, 1.0)), false);
        step(&mut world, &input, &mut || 0);
    }
    let (rot, forces) = (Mat3::from_quat(turn), forces(&world, 0));
    let Compliance::All(columns) = &body_of(&world, 0).compliance else { panic!("no compliance") };
    let n = 3 * forces.len();
    let flat: Vec<Real> = forces.iter().flat_map(|f| (rot.transpose() * *f).to_array()).collect();
    let (mut deepest, mut work): (Real, Real) = (0.0, 0.0);
    for (v, rest) in world.model.rest.iter().enumerate() {
        let along = |k: usize| -> Real {
            flat.iter().enumerate().map(|(j, f)| f * Real::from(columns[j * n + 3 * v + k])).sum()
        };
        let want = rot * Vec3::new(along(0), along(1), along(2));
        let error = (world.state.pos[v] - rot * *rest - want).length();
        assert!(error < 1e-5, "vertex {v}: {error:e} m from {want}");
        deepest = deepest.max(want.length());
        work += 0.5 * forces[v].dot(want);
    }
    assert!(deepest > 1e-3, "{deepest}");
    let elastic = body_energy(&world, BodyId(0), EnergyKind::Elastic);
    assert!((elastic / work - 1.0).abs() < 1e-3, "{elastic} {work}");
    let body = body_of(&world, 0);
    let soft = vec![Lame::of(2e4, 0.4); body.triangles.len()];
    let read = |scratch| {
        let (mut out, places) = (Vec::new(), (&world.model.rest[..], &world.state.pos[..]));
        Gauge::default().read(Quantity::Energy, (0, body, &soft), (&world.state, scratch), places, &mut out);
        out
    };
    assert_ne!(read(&world.scratch), read(&bake.world().scratch), "what presses the surface strains it");
}

/// A light ball on the top of another, pressed with an even force and then a little more: a tie so soft, to a hand so far
/// away, that the force is even. How long it takes to go all but a twentieth of the way \[s\], and how far that is \[m\].
fn creeps(h: Real) -> (Real, Real) {
    let start = Vec3::Z * (RADIUS + PROBE + 0.7e-3);
    let mut raw = with_probe(ball(300), start);
    (raw.world.dt_s, raw.world.sweeps) = (h, 40);
    let tool =
        RawTool { stiffness: 10.0, mass: 1e-3, damping: Some(1e-3), speed_max: 1e3, ..raw.tools[0].clone() };
    raw.tools[0] = RawTool { friction: 0.0, ..tool };
    let mut world = baked(&raw).world();
    let mut pressed = |deep: Real| {
        let mut input = Input::at_rest(&world);
        lead(&mut input, start - Vec3::Z * deep, false);
        let from = world.state.pose[0].pos.z;
        let way = |_| {
            step(&mut world, &input, &mut || 0);
            from - world.state.pose[0].pos.z
        };
        (0..(0.8 / h) as u32).map(way).collect::<Vec<Real>>()
    };
    pressed(0.05);
    let ways = pressed(0.06);
    let most = ways[ways.len() - 1];
    assert!((ways[ways.len() / 2] / most - 1.0).abs() < 1e-2, "{h}: it comes to rest");
    // What is left falls as exp(−t/τ), between two steps too.
    let left = |k: usize| if k == 0 { 1.0 } else { (1.0 - ways[k - 1] / most).max(1e-3) };
    let k = (1..=ways.len()).find(|k| left(*k) <= 0.05).unwrap();
    let part = (left(k - 1) / 0.05).ln() / (left(k - 1) / left(k)).ln();
    (((k - 1) as Real + part) * h, most)
}

#[test]
fn it_yields_at_a_rate_that_does_not_depend_on_the_step() {
    let all = [1e-3, 5e-3, 20e-3].map(creeps);
    for (time, deep) in all {
        assert!((time / all[0].0 - 1.0).abs() < 0.1 && (deep / all[0].1 - 1.0).abs() < 0.1, "{all:?}");
    }
}

/// A body that is let go springs back by the same share in the same time, in as many steps as you like.
#[test]
fn it_springs_back_at_a_rate_that_does_not_depend_on_the_step() {
    let left = [1e-3, 5e-3, 20e-3].map(|h| {
        let mut raw = with_probe(ball(300), ABOVE);
        (raw.world.dt_s, raw.world.filter) = (h, Filter::Off);
        raw.tools[0].speed_max = 1e3;
        let mut world = baked(&raw).world();
        press(&mut world, ABOVE, DEEP, (0.5 / h) as u32);
        press(&mut world, DEEP, DEEP, (0.5 / h) as u32);
        // The ball is gone at once.
        world.state.kept.clear();
        world.state.pose[0].pos.z += 0.05;
        world.state.leads[0].target.pos.z += 0.05;
        let sunk = |world: &World| {
            let ways = world.state.pos.iter().zip(&world.model.rest).map(|(x, r)| (*x - *r).length());
            ways.fold(0.0, Real::max)
        };
        let before = sunk(&world);
        let up = DEEP + Vec3::Z * 0.05;
        press(&mut world, up, up, (40e-3 / h).round() as u32);
        assert!(before > 3e-3, "{before}");
        sunk(&world) / before
    });
    for share in left {
        assert!((share / left[0] - 1.0).abs() < 1e-3 && (0.05..0.5).contains(&share), "{left:?}");
    }
}

/// What comes near is solved for a part in each step, before it touches.
#[test]
fn columns_are_there_before_a_touch() {
    let on = |z: Real| Vec3::new(0.01, 0.0, PROBE + 0.04 + z);
    let mut world = baked(&with_probe(brick(RawCompliance::Demand), on(0.02))).world();
    press(&mut world, on(0.02), on(-0.004), 120);
    assert!(world.report.contacts > 0);
    assert_eq!(world.scratch.flexibles[0].touched.late(), 0);
}

#[test]
fn contact_pushes_never_pulls_and_friction_keeps_to_its_cone() {
    let mut world = baked(&with_probe(ball(300), ABOVE)).world();
    let aside = DEEP + Vec3::new(0.02, 0.01, -0.004);
    let mut slid = 0;
    for (from, to) in [(ABOVE, DEEP), (DEEP, aside)] {
        let mut input = Input::at_rest(&world);
        for k in 1..=120 {
            lead(&mut input, from + (to - from) * (f64::from(k) / 120.0), false);
            step(&mut world, &input, &mut || 0);
            for row in &world.scratch.rows {
                let most = row.friction * row.lambda;
                assert!(row.lambda >= 0.0 && row.slip.length() <= most * (1.0 + 1e-9) + 1e-15);
                assert!(row.slip.dot(row.normal).abs() <= 1e-9 * most + 1e-15);
                slid += u32::from(row.lambda > 0.0 && row.slip.length() > 0.999 * most);
            }
            assert!(Auditor::default().check(&world).deepest_m <= 0.0);
        }
    }
    assert!(slid > 20, "{slid} rows slid");
    let pulled = forces(&world, 0).iter().sum::<Vec3>();
    assert!(pulled.x > 0.05, "friction takes the body along: {pulled}");
    press(&mut world, aside, aside + Vec3::Z * 0.03, 180);
    assert_eq!(world.report.contacts, 0);
    let left = world.state.pos.iter().zip(&world.model.rest).map(|(x, r)| (*x - *r).length());
    assert!(left.fold(0.0, Real::max) < 1e-12, "what is let go is as it was");
}

#[test]
fn a_weight_rests_on_a_flexible_body() {
    let mass = 0.1;
    let weight = RawSolid::Cuboid { size: Vec3::new(0.04, 0.04, 0.02) };
    let mut weight = solid("weight", weight, Vec3::Z * 0.052, RawModel::Rigid { mass });
    weight.friction = 0.5;
    let mut raw = lagrangian(vec![brick(RawCompliance::All), weight], Filter::Planes);
    (raw.world.dt_s, raw.world.sweeps) = (1.0 / 240.0, 20);
    let mut world = baked(&raw).world();
    run(&mut world, 480);
    let carried = -world.scratch.contact_force[0].z;
    assert!((carried / (mass * 9.81) - 1.0).abs() < 0.01, "{carried} N");
    assert!(world.state.twist[0].vel.length() < 1e-4, "{}", world.state.twist[0].vel);
    assert!(Auditor::default().check(&world).deepest_m <= 0.0);
}

#[test]
fn tissue_rests_on_a_flexible_body() {
    let edge: Real = 0.03;
    let flesh = cube("flesh", Vec3::new(-0.5 * edge, -0.5 * edge, 0.042), edge, 3, 2e4);
    for compliance in [RawCompliance::All, RawCompliance::Demand] {
        let mut raw = lagrangian(vec![brick(compliance), flesh.clone()], Filter::Planes);
        (raw.world.dt_s, raw.world.sweeps) = (1.0 / 240.0, 20);
        let mut world = baked(&raw).world();
        for k in 0..480 {
            run(&mut world, 1);
            assert!(k % 20 != 0 || Auditor::default().check(&world).deepest_m <= 0.0, "{k}");
        }
        let [brick, flesh] = [world.scratch.contact_force[0], world.scratch.contact_force[1]];
        let weight = 1000.0 * edge.powi(3) * 9.81;
        assert!((-brick.z / weight - 1.0).abs() < 0.02, "{brick} of {weight} N");
        assert!((brick + flesh).length() < 1e-9, "{brick} {flesh}");
        let top = world.model.rest.iter().position(|r| (*r - Vec3::Z * 0.04).length() < 0.01).unwrap();
        let sunk = world.model.rest[top].z - world.state.pos[top].z;
        assert!(sunk > 1e-5, "the brick gives way: {sunk}");
    }
}

#[test]
fn flexible_bodies_press_one_another_and_a_rope() {
    let mut upper = ball(150);
    let RawGeometry::Mesh { mesh, .. } = &mut upper.geometry else { panic!("a surface") };
    mesh.points.iter_mut().for_each(|p| *p = Vec3::Z * (2.0 * RADIUS + 2e-3) - *p);
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    upper.name = "upper".into();
    upper.attachments.clear();
    let top = Vec3::Z * (2.7 * RADIUS);
    let RawModel::Flexible(model) = &mut upper.model else { panic!("flexible") };
    let still = ControlMove {
        time_s: 0.0,
        shift: Vec3::ZERO,
        turn: Vec3::ZERO,
        scale: Vec3::ONE,
        force: Vec3::ZERO,
        torque: Vec3::ZERO,
    };
    model.controls = vec![RawControl {
        name: "hand".into(),
        which: Selector::Box(Aabb { min: top - Vec3::new(1.0, 1.0, 0.0), max: top + Vec3::ONE }),
        speed_max: 0.05,
        by_force: false,
        moves: vec![still],
    }];
    let across = (Vec3::new(-0.1, 0.0, RADIUS + 8e-3), Vec3::new(0.1, 0.0, RADIUS + 8e-3));
    let mut rope = rope("rope", across, 21, 3e-3, ROPE);
    let around = |at: Vec3| Selector::Box(Aabb { min: at - Vec3::splat(1e-3), max: at + Vec3::splat(1e-3) });
    rope.attachments = vec![around(across.0), around(across.1)];
    for with_rope in [false, true] {
        let mut bodies = vec![ball(150), upper.clone()];
        if with_rope {
            let RawGeometry::Mesh { mesh, .. } = &mut bodies[1].geometry else { panic!("a surface") };
            mesh.points.iter_mut().for_each(|p| p.z += 0.016);
            bodies.push(rope.clone());
        }
        let mut raw = lagrangian(bodies, Filter::Planes);
        (raw.world.dt_s, raw.world.sweeps) = (1.0 / 240.0, 20);
        let mut world = baked(&raw).world();
        let way = if with_rope { 0.018 } else { 0.01 };
        let mut input = Input::at_rest(&world);
        let from = input.controls[0].pose();
        for k in 1..=240 {
            let to = from.pos + Vec3::NEG_Z * (way * f64::from(k.min(200)) / 200.0);
            input.controls[0] = serosa_sim::Control::new(to, from.rot, Vec3::ONE).unwrap();
            step(&mut world, &input, &mut || 0);
            assert!(Auditor::default().check(&world).deepest_m <= 0.0, "{with_rope} {k}");
        }
        let [lower, upper] = [world.scratch.contact_force[0], world.scratch.contact_force[1]];
        assert!(upper.z > 0.1 && lower.z < -0.1, "{with_rope}: {upper} {lower}");
        let high =
            world.state.pos[world.model.bodies[0].vertex_range()].iter().map(|p| p.z).fold(0.0, Real::max);
        assert!(high < RADIUS - 2e-3, "the lower ball gives way: {high}");
        if !with_rope {
            assert!((upper + lower).length() < 1e-9, "{upper} {lower}");
        }
    }
}

#[test]
fn columns_on_demand_are_those_of_the_whole_compliance() {
    let from = Vec3::new(0.01, 0.0, PROBE + 0.042);
    let to = Vec3::new(0.01, 0.0, PROBE + 0.036);
    // Also where some of what is pressed is held.
    let beside = Aabb { min: Vec3::new(0.012, -1.0, 0.039), max: Vec3::ONE };
    for (held, least) in [(None, 2e-3), (Some(Selector::Box(beside)), 3e-4)] {
        let mut ends = Vec::new();
        for compliance in [RawCompliance::All, RawCompliance::Demand] {
            // Without friction, which remembers the way there.
            let mut raw = with_probe(brick(compliance), from);
            (raw.bodies[0].friction, raw.tools[0].friction) = (0.0, 0.0);
            raw.bodies[0].attachments.extend(held.clone());
            let mut world = baked(&raw).world();
            press(&mut world, from, to, 60);
            press(&mut world, to, to, 60);
            let before = world.state.pos.clone();
            press(&mut world, to, to, 31);
            let crept = world.state.pos.iter().zip(&before).map(|(a, b)| (*a - *b).length());
            assert!(crept.fold(0.0, Real::max) < 1e-6, "it comes to rest");
            ends.push(world);
        }
        let worst = ends[0].state.pos.iter().zip(&ends[1].state.pos).map(|(a, b)| (*a - *b).length());
        let moved = ends[0].state.pos.iter().zip(&ends[0].model.rest).map(|(a, b)| (*a - *b).length());
        let (worst, moved) = (worst.fold(0.0, Real::max), moved.fold(0.0, Real::max));
        assert!(moved > least && worst < 1e-3 * moved, "{worst:e} of {moved:e}, held: {}", held.is_some());
        let pressed = forces(&ends[0], 0);
        let holds = |v: usize| beside.contains(ends[0].model.rest[v]);
        let on_held = (0..pressed.len()).any(|v| pressed[v] != Vec3::ZERO && holds(v));
        assert!(on_held || held.is_none(), "some of it is pressed");
    }
}

/// Also after a restore, when columns on demand are found again in another order.
#[test]
fn the_same_bits_on_any_number_of_threads_and_whatever_was_touched_before() {
    let to = DEEP + Vec3::new(0.015, 0.0, -0.002);
    let on = |x: Real, z: Real| Vec3::new(x, 0.0, PROBE + z);
    let bodies = [
        (ball(300), [ABOVE, DEEP, to]),
        (brick(RawCompliance::Demand), [on(-0.02, 0.042), on(-0.02, 0.036), on(0.03, 0.036)]),
    ];
    for (body, [above, deep, to]) in bodies {
        let bake = baked(&with_probe(body, above));
        let mut hashes = Vec::new();
        for threads in [1, 2, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut world = bake.world();
                press(&mut world, above, deep, 60);
                let half = world.state.clone();
                press(&mut world, deep, to, 60);
                let mut again = bake.world();
                again.state = half;
                press(&mut again, deep, to, 60);
                assert!(world.report.contacts > 0);
                hashes.extend([world.state.hash(), again.state.hash()]);
            });
        }
        assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:x?}");
    }
}

#[test]
fn a_warm_contact_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for (body, z) in [(ball(300), RADIUS), (brick(RawCompliance::Demand), 0.04)] {
        let (above, deep) = (Vec3::Z * (z + PROBE + 2e-3), Vec3::Z * (z + PROBE - 4e-3));
        let mut world = baked(&with_probe(body, above)).world();
        pool.install(|| press(&mut world, above, deep, 120));
        let mut input = Input::at_rest(&world);
        lead(&mut input, deep, false);
        pool.install(|| (0..60).for_each(|_| step(&mut world, &input, &mut || 0)));
        assert!(world.report.contacts > 0);
        let count = allocations(&pool, || (0..60).for_each(|_| step(&mut world, &input, &mut || 0)));
        assert_eq!(count, 0);
    }
}

#[test]
fn surfaces_that_bound_no_body_are_named_when_they_are_baked() {
    let said = |body: RawBody| {
        let faults = serosa_bake::bake(&with_probe(body, ABOVE)).unwrap_err();
        faults.iter().map(|f| format!("{} {}", f.message, f.help)).collect::<Vec<_>>().join("; ")
    };
    let mut open = ball(100);
    let RawGeometry::Mesh { mesh, .. } = &mut open.geometry else { panic!("a surface") };
    mesh.triangles.remove(0);
    let words = said(open);
    assert!(words.contains("is open: 3 edges") && words.contains("0.05) to"), "{words}");
    let mut demand = ball(100);
    demand.model = flexible(RawMethod::Boundary, RawCompliance::Demand);
    assert!(said(demand).contains("on demand"));
    let mut parts = ball(100);
    let RawModel::Flexible(model) = &mut parts.model else { panic!("flexible") };
    model.regions = vec![(Inside::Ball { center: Vec3::ZERO, radius: 0.01 }, model.base.clone())];
    assert!(said(parts).contains("one material alone"));
    let mut loose = ball(100);
    loose.attachments.clear();
    assert!(said(loose).contains("nothing moves or holds"));
}

/// One bar, held by a control element at each end, by quadratic tetrahedra and by boundary elements: what the step reads of
/// them is the same.
#[test]
fn finite_and_boundary_elements_bake_the_same_body() {
    let size = Vec3::new(0.2, 0.1, 0.1);
    let end = |name: &str, x: Real| RawControl {
        name: name.into(),
        which: Selector::Box(Aabb {
            min: Vec3::new(x - 1e-6, -1.0, -1.0),
            max: Vec3::new(x + 1e-6, 1.0, 1.0),
        }),
        speed_max: 1.0,
        by_force: false,
        moves: Vec::new(),
    };
    let baked_as = |geometry: RawGeometry, method: RawMethod| {
        let mut model = flexible(method, RawCompliance::None);
        let RawModel::Flexible(inner) = &mut model else { panic!("flexible") };
        inner.controls = vec![end("left", 0.0), end("right", size.x)];
        let world = baked(&lagrangian(vec![body("bar", geometry, model)], Filter::Off)).world();
        body_of(&world, 0).clone()
    };
    let cells = |n: usize| block(&Block { corner: Vec3::ZERO, size, cells: [2 * n, n, n] });
    let (mesh, tets) = cells(6);
    let tets = RawTets { mesh, tets, ..RawTets::default() }.raised();
    let fem = baked_as(RawGeometry::Tets(tets), RawMethod::Finite);
    let (mesh, _) = cells(12);
    let (nodes, triangles) = serosa_bake::flexible::surface(&mesh);
    let points = nodes.iter().map(|v| mesh.points[*v as usize]).collect();
    let mesh = serosa_geometry::Mesh::from_triangles(points, triangles);
    let bem = baked_as(RawGeometry::Mesh { mesh, radius: 0.0 }, RawMethod::Boundary);
    assert!((fem.weight.mass / bem.weight.mass - 1.0).abs() < 1e-9);
    assert!((fem.weight.center - bem.weight.center).length() < 1e-9);
    let columns = fem.columns();
    let kinds = [0..3, 3..12, 12..15, 15..24, 24..27];
    // Many are nothing by symmetry: all are compared with the largest of their kind (shifts, maps, weight).
    let apart =
        |of: fn(&FlexibleBody) -> &[Real], rows: &std::ops::Range<usize>, own: &std::ops::Range<usize>| {
            let entries = || rows.clone().flat_map(|row| own.clone().map(move |k| row * columns + k));
            let most = entries().map(|at| of(&fem)[at].abs()).fold(0.0, Real::max);
            entries().map(|at| (of(&fem)[at] - of(&bem)[at]).abs()).fold(0.0, Real::max) / most
        };
    let mut worst: [Real; 3] = [0.0; 3];
    for own in &kinds {
        // Weight and what is held share no energy.
        for other in kinds.iter().filter(|other| (own.start < 24) == (other.start < 24)) {
            worst[0] = worst[0].max(apart(|b| &b.energy, other, own));
        }
        worst[1] = worst[1].max(apart(|b| &b.weight.moment, &(0..3), own));
        for rows in [0..3, 3..6, 6..9, 9..12] {
            worst[2] = worst[2].max(apart(|b| &b.reaction, &rows, own));
        }
    }
    assert!(worst.iter().all(|w| *w < 0.03), "energies, moments, reactions: {worst:?}");
    // Nothing resists a body that moves as a whole, and what holds it carries its weight.
    for k in 0..columns {
        let force = |axis: usize| bem.reaction[axis * columns + k] + bem.reaction[(6 + axis) * columns + k];
        for axis in 0..3 {
            let carried = if k == 24 + axis { bem.weight.mass } else { 0.0 };
            let most = bem.reaction.iter().fold(0.0, |most: Real, x| most.max(x.abs()));
            assert!((force(axis) + carried).abs() < 1e-9 * most, "{axis} {k}: {}", force(axis));
        }
    }
}
