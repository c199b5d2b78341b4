//! Bodies against theory.

use crate::make::{baked, run, scene, solid, springs, weightless};
use serosa_bake::raw::{RawModel, RawSolid, Selector};
use serosa_geometry::generate::chain;
use serosa_geometry::{Quat, Vec3, VertexId};
use serosa_sim::World;
use serosa_sim::energy::{EnergyKind, world_energy};
use serosa_sim::model::{Body, BodyKind, Model};
use serosa_sim::probe::{Measure, Probe};

/// One spring with one end fixed: each step is exactly backward Euler of m a = −k x − c v, in one pass.
#[test]
fn one_spring_takes_the_exact_implicit_step() {
    let (m, k, c, h) = (0.4, 300.0, 2.0, 1e-3);
    let mut body = springs("spring", chain(Vec3::ZERO, Vec3::X * 0.1, 2), 2.0 * m, k, c);
    body.attachments = vec![Selector::Name("first".into())];
    for passes in [1, 2, 7] {
        let mut raw = weightless(vec![body.clone()]);
        raw.world.sweeps = passes;
        let mut world = baked(&raw).world();
        world.state.pos[1].x = 0.13;
        let (mut x, mut v) = (0.03, 0.0);
        for _ in 0..1000 {
            run(&mut world, 1);
            v = (m * v - h * k * x) / (m + h * c + h * h * k);
            x += h * v;
            let error = (world.state.pos[1].x - 0.1 - x).abs();
            assert!(error < 1e-13, "{passes} passes: {error}");
        }
        assert!(x.abs() < 0.03);
    }
}

/// Two free masses: the same with the reduced mass, and an even number of passes changes nothing.
#[test]
fn two_free_masses_take_the_exact_implicit_step() {
    let (m, k, c, h) = (0.2, 500.0, 1.0, 2e-3);
    let mut raw = weightless(vec![springs("spring", chain(Vec3::ZERO, Vec3::X * 0.1, 2), 2.0 * m, k, c)]);
    raw.world.dt_s = h;
    let mut world = baked(&raw).world();
    world.state.pos[1].x = 0.12;
    let (reduced, mut x, mut v) = (m / 2.0, 0.02, 0.0);
    for _ in 0..500 {
        run(&mut world, 1);
        v = (reduced * v - h * k * x) / (reduced + h * c + h * h * k);
        x += h * v;
        let stretch = world.state.pos[1].x - world.state.pos[0].x - 0.1;
        assert!((stretch - x).abs() < 1e-13);
    }
}

/// The 1-D certificate of backward Euler: H⁺ + ½ m |v⁺ − v|² ≤ H for a spring without damping.
#[test]
fn the_energy_of_one_spring_falls_as_backward_euler_says() {
    let mut raw = weightless(vec![springs("spring", chain(Vec3::ZERO, Vec3::X * 0.1, 2), 0.4, 800.0, 0.0)]);
    raw.world.sweeps = 1;
    let mut world = baked(&raw).world();
    world.state.pos[1].x = 0.15;
    let mut before = world_energy(&world, EnergyKind::Total);
    for _ in 0..2000 {
        let vel = world.state.vel.clone();
        run(&mut world, 1);
        let now = world_energy(&world, EnergyKind::Total);
        let jump: f64 = (0..2).map(|i| 0.5 * 0.2 * (world.state.vel[i] - vel[i]).length_squared()).sum();
        assert!(now + jump <= before + 1e-15, "{now} + {jump} > {before}");
        before = now;
    }
}

/// A chain of stiff links between two supports settles into the catenary.
///
/// Its nodes carry equal weights, so the exact shape is the discrete catenary: the horizontal pull is the same
/// in every link and the vertical one grows by one node's weight from link to link. 400 passes bring the
/// spring solve of this chain of 40 links to a residual below 1e-6 of its weight, so the shape is that of the
/// springs and not of an unfinished solve.
#[test]
fn a_hanging_chain_is_a_catenary() {
    let (links, span, length): (usize, f64, f64) = (40, 0.8, 1.0);
    let mut mesh = chain(Vec3::ZERO, Vec3::X * length, links + 1);
    // Starts as a V of the right length, so that nothing is stretched at first.
    let depth = (0.25 * length * length - 0.25 * span * span).sqrt();
    for (i, p) in mesh.points.iter_mut().enumerate() {
        let s = i as f64 / links as f64;
        *p = Vec3::new(span * s, 0.0, -depth * (1.0 - (2.0 * s - 1.0).abs()));
    }
    let mut body = springs("chain", mesh, 0.2, 2e5, 2.0);
    body.attachments = vec![Selector::Name("ends".into())];
    body.drag = 4.0;
    body.self_contact = false;
    let mut raw = scene(vec![body]);
    raw.world.sweeps = 400;
    let bake = baked(&raw);
    let mut world = bake.world();
    run(&mut world, 4000);
    let residual = unsolved(&world);
    assert!(residual < 1e-6, "the passes leave {residual} of the weight unsolved");
    let sag = -world.state.pos.iter().map(|p| p.z).fold(0.0, f64::min);

    let exact = discrete_catenary_sag(links, span, length);
    assert!((sag / exact - 1.0).abs() < 2e-3, "sag {sag}, catenary {exact}");
    // The continuous curve, span = 2 a asinh(L / 2a): the discrete one is within its discretisation.
    let a = bisect(0.01, 10.0, |a| 2.0 * a * (length / (2.0 * a)).asinh() - span);
    let smooth = (a * a + length * length / 4.0).sqrt() - a;
    assert!((sag / smooth - 1.0).abs() < 5e-3, "sag {sag}, smooth catenary {smooth}");

    // The supports carry the weight of all nodes, of the two held ones too.
    let (model, weight) = (&bake.model, 0.2 * 9.81);
    let ends = vec![VertexId(0), VertexId(links as u32)];
    let probe =
        Probe { name: "load".into(), measure: Measure::SupportForce(model.body("chain").unwrap(), ends) };
    let mut load = Vec::new();
    probe.read(&world, &mut load);
    assert!((load[0] / weight - 1.0).abs() < 1e-3, "load {} of {weight}", load[0]);
}

/// What the passes of a step leave unsolved, as a share of the weight: the largest force on a node by which the
/// step differs from one with twenty times the passes.
fn unsolved(world: &World) -> f64 {
    let (mut rough, mut fine) = (world.clone(), world.clone());
    fine.params.sweeps *= 20;
    run(&mut rough, 1);
    run(&mut fine, 1);
    let (h, mass) = (world.params.dt_s, &world.model.mass);
    let weight = mass.iter().sum::<f64>() * 9.81;
    let force = |v: usize| (rough.state.vel[v] - fine.state.vel[v]).length() * mass[v] / h;
    (0..mass.len()).map(force).fold(0.0, f64::max) / weight
}

/// Sag of inextensible links of equal length with equal weights on the inner nodes: for a horizontal pull H
/// (in units of one node's weight) link i leans by atan(V_i / H), V_i = (n − 1)/2 − i; H follows from the span.
pub fn discrete_catenary_sag(links: usize, span: f64, length: f64) -> f64 {
    let link = length / links as f64;
    let lean = |i: usize, h: f64| (((links - 1) as f64 / 2.0 - i as f64) / h).atan();
    let width = |h: f64| (0..links).map(|i| link * lean(i, h).cos()).sum::<f64>();
    let h = bisect(1e-3, 1e3, |h| span - width(h));
    (0..links / 2).map(|i| link * lean(i, h).sin()).sum()
}

/// The root of a function that falls from positive to negative, or the other way round.
pub fn bisect(mut lo: f64, mut hi: f64, f: impl Fn(f64) -> f64) -> f64 {
    let rising = f(hi) > f(lo);
    for _ in 0..200 {
        let mid = 0.5 * (lo + hi);
        if (f(mid) > 0.0) == rising { hi = mid } else { lo = mid }
    }
    0.5 * (lo + hi)
}

/// Few passes leave a chain softer: the promise is stated, so it is measured.
#[test]
fn unconverged_passes_soften_a_chain_and_more_passes_cure_it() {
    let sag = |passes: u32| {
        let mut body = springs("chain", chain(Vec3::ZERO, Vec3::X * 0.5, 41), 0.2, 1e5, 1.0);
        body.attachments = vec![Selector::Name("ends".into())];
        body.drag = 10.0;
        body.self_contact = false;
        let mut raw = scene(vec![body]);
        raw.world.sweeps = passes;
        let mut world = baked(&raw).world();
        run(&mut world, 3000);
        -world.state.pos[20].z
    };
    let (rough, fine, finer) = (sag(5), sag(200), sag(400));
    assert!(rough > 1.2 * finer, "{rough} {finer}");
    assert!((fine / finer - 1.0).abs() < 0.01, "{fine} {finer}");
}

/// A ball thrown and a box spun: momentum and energy of rigid bodies over a second.
#[test]
fn a_spinning_box_keeps_its_angular_momentum() {
    let spun = solid(
        "box",
        RawSolid::Cuboid { size: Vec3::new(0.05, 0.1, 0.2) },
        Vec3::ZERO,
        RawModel::Rigid { mass: 0.3 },
    );
    let mut world = baked(&weightless(vec![spun])).world();
    // About the middle axis, nearly: the motion that tumbles.
    world.state.twist[0].omega = Vec3::new(0.05, 8.0, 0.05);
    let (_, before) = serosa_sim::energy::momentum(&world);
    let energy = world_energy(&world, EnergyKind::Kinetic);
    run(&mut world, 5000);
    let (_, after) = serosa_sim::energy::momentum(&world);
    assert!((after - before).length() < 1e-9 * before.length());
    let now = world_energy(&world, EnergyKind::Kinetic);
    assert!((now / energy - 1.0).abs() < 0.05, "{energy} {now}");
    assert!((world.state.pose[0].rot.length() - 1.0).abs() < 1e-12);
    assert!(world.state.pose[0].rot != Quat::IDENTITY);
}

#[test]
fn blocks_hold_all_springs_once() {
    let bake = baked(&scene(vec![springs("long", chain(Vec3::ZERO, Vec3::X * 9.0, 3000), 1.0, 1e3, 0.0)]));
    let model: &Model = &bake.model;
    let Body { kind: BodyKind::Springs(body), .. } = &model.bodies[0] else { panic!() };
    assert_eq!(body.blocks.len(), 6);
    let inside: usize = body.blocks.iter().map(|b| b.len()).sum();
    assert_eq!(inside + body.between.len(), 2999);
    assert_eq!(body.between.len(), 5);
    assert_eq!(body.springs(), 0..2999);
}
