//! Tissue under the quadratic programme: its matrix, its motion, its contacts; strain limits of tissue and of solids.

use crate::counting::allocations;
use crate::make::*;
use crate::solid_contact::{cube, ground};
use crate::specimens::{ORGAN, elastic, flesh, organ, organ_mesh};
use crate::tissue_contact::{FIRM, HEIGHT, SKIN, bun, flat};
use serosa_bake::raw::*;
use serosa_geometry::generate::membrane;
use serosa_geometry::{Mat3, Mesh, Real, Vec3};
use serosa_sim::audit::Auditor;
use serosa_sim::body::{self, system};
use serosa_sim::energy::{EnergyKind, momentum, world_energy};
use serosa_sim::model::{BodyKind, Law};
use serosa_sim::params::{Filter, Response, Solver};
use serosa_sim::{Input, World, step};

fn programme(bodies: Vec<RawBody>) -> RawScene {
    let mut raw = scene(bodies);
    (raw.world.response, raw.world.filter) = (Response::Qp, Filter::Planes);
    (raw.world.dt_s, raw.world.sweeps) = (1.0 / 240.0, 10);
    raw
}

/// A sheet with a border, as wide as 6 cm.
fn sheet(name: &str, height: f64, material: RawTissue) -> RawBody {
    let mesh = membrane(&flat(9, 0.06, height));
    let (points, sets) = (mesh.points.clone(), mesh.sets.clone());
    let mesh = Mesh { sets, ..Mesh::from_triangles(points, mesh.triangles) };
    organ(name, mesh, RawTissue { bulk: 0.0, ..material })
}

fn weight(world: &World, b: usize) -> f64 {
    let vertices = world.model.bodies[b].vertex_range();
    let fixed = world.model.rigids.iter().find(|r| r.body.at() == b).map_or(0.0, |r| r.mass);
    (world.model.mass[vertices].iter().sum::<f64>() + fixed) * 9.81
}

fn center(world: &World, b: usize) -> Vec3 {
    let v = world.model.bodies[b].vertex_range();
    world.state.pos[v.clone()].iter().sum::<Vec3>() / v.len() as f64
}

fn fastest(world: &World) -> f64 {
    world.state.vel.iter().map(|v| v.length()).fold(0.0, f64::max)
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

#[track_caller]
fn carries(world: &World, b: usize, weight: f64, what: &str) {
    let load = world.scratch.contact_force[b];
    assert!((load + Vec3::Z * weight).length() < 0.01 * weight, "{what}: {load} for {weight}");
}

/// Free and held organs, one with a vertex that is held, a sheet without restoration, and a rope.
fn kinds() -> RawScene {
    let held = |mut body: RawBody, below: f64| {
        body.attachments = vec![Selector::Plane { point: Vec3::Z * below, normal: Vec3::Z }];
        body
    };
    let at = |x: f64, cuts: u32| {
        let mut mesh = organ_mesh(cuts, Vec3::new(0.03, 0.03, HEIGHT));
        mesh.points.iter_mut().for_each(|p| *p += Vec3::new(x, 0.0, HEIGHT));
        mesh
    };
    programme(vec![
        organ("free", at(0.0, 2), FIRM),
        held(organ("held", at(0.2, 2), FIRM), 0.01),
        held(organ("pinned", at(0.4, 2), ORGAN), 1e-6),
        sheet("sheet", 0.3, RawTissue { restoration: 0.0, ..FIRM }),
        rope("rope", (Vec3::new(0.0, -1.0, 0.1), Vec3::new(0.3, -1.0, 0.2)), 12, 3e-3, ROPE),
        solid("box", RawSolid::Cuboid { size: Vec3::splat(0.1) }, Vec3::Y, RawModel::Rigid { mass: 0.2 }),
    ])
}

#[test]
fn the_matrix_of_tissue_is_its_matrix_free_twin_and_positive() {
    let mut world = baked(&kinds()).world();
    let mut seed = 3;
    for v in (0..world.model.rest.len()).filter(|v| world.model.inv_mass[*v] > 0.0) {
        world.state.pos[v] += noise3(&mut seed) * 2e-3;
    }
    let h = 4e-3;
    let matrix = system::matrix(&mut world, h).unwrap();
    assert_eq!(matrix.ranks().len(), 3, "the enclosed volumes");
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
        assert!(off < 1e-12 * most, "{off} of {most}");
        assert!(y.iter().zip(&x).map(|(y, x)| y * x).sum::<Real>() > 0.0);
    }
}

/// Where nothing pulls, the matrix is masses and the slope of the forces, to rounding and what differences leave.
#[test]
fn the_matrix_at_rest_is_the_slope_of_the_forces() {
    let mut raw = kinds();
    for body in &mut raw.bodies {
        if let RawModel::Tissue(material) = &mut body.model {
            material.relaxation_s = 0.0;
        } else if let RawModel::Band(material) = &mut body.model {
            material.relaxation_s = 0.0;
        }
    }
    let mut world = baked(&raw).world();
    let (model, params, h) = (world.model.clone(), world.params.clone(), 4e-3);
    let matrix = system::matrix(&mut world, h).unwrap();
    let mut seed = 5;
    let speeds: Vec<Vec3> = (0..model.rest.len())
        .map(|v| if model.inv_mass[v] > 0.0 { noise3(&mut seed) } else { Vec3::ZERO })
        .collect();
    let (mut x, mut y) = (vec![0.0; 3 * matrix.vertices()], vec![0.0; 3 * matrix.vertices()]);
    speeds.iter().enumerate().for_each(|(v, u)| x[3 * v..3 * v + 3].copy_from_slice(&u.to_array()));
    // Rest shapes go with their bodies.
    let mut shape = model.rest.len() + 2 * model.rigids.len();
    for body in &model.bodies {
        let BodyKind::Tissue(tissue) = &body.kind else { continue };
        if tissue.held {
            continue;
        }
        let all = || body.vertex_range().map(|v| (model.mass[v], model.rest[v] - tissue.center, speeds[v]));
        let mass: Real = all().map(|(m, ..)| m).sum();
        let vel = all().map(|(m, _, u)| u * m).sum::<Vec3>() / mass;
        let spin: Vec3 = all().map(|(m, r, u)| r.cross(u) * m).sum();
        let inertia = all().fold(Mat3::ZERO, |sum, (m, r, _)| {
            sum + (Mat3::from_diagonal(Vec3::splat(r.dot(r))) - Mat3::from_cols(r * r.x, r * r.y, r * r.z))
                * m
        });
        let both = [vel, inertia.inverse() * spin];
        for (k, w) in both.into_iter().enumerate() {
            x[3 * (shape + k)..3 * (shape + k) + 3].copy_from_slice(&w.to_array());
        }
        shape += 2;
    }
    matrix.multiply(&x, &mut y);
    let tiny = 1e-7;
    let [mut back, mut forth] = [-1.0, 1.0].map(|sign| {
        let pos: Vec<Vec3> = model.rest.iter().zip(&speeds).map(|(p, u)| *p + *u * (sign * tiny)).collect();
        let mut forces = vec![Vec3::ZERO; pos.len()];
        body::forces(&model, &params, &pos, &mut forces);
        forces
    });
    let mut most = 0.0 as Real;
    let mut off = 0.0 as Real;
    for v in (0..model.rest.len()).filter(|v| model.inv_mass[*v] > 0.0) {
        let slope = (forth[v] - back[v]) / (2.0 * tiny);
        let resisted = (Vec3::from_slice(&y[3 * v..3 * v + 3]) - speeds[v] * model.mass[v]) / (-h * h);
        (most, off) = (most.max(slope.length()), off.max((slope - resisted).length()));
    }
    assert!(off < 1e-6 * most, "{off} of {most}");
    // And where it is deformed, a step next to nothing gives what the forces there give.
    world.params.dt_s = 1e-6;
    world.params.gravity = 0.0;
    for v in (0..model.rest.len()).filter(|v| model.inv_mass[*v] > 0.0) {
        world.state.pos[v] += noise3(&mut seed) * 1e-3;
    }
    let pos = world.state.pos.clone();
    forth.fill(Vec3::ZERO);
    back.fill(Vec3::ZERO);
    body::forces(&model, &world.params, &pos, &mut forth);
    run(&mut world, 1);
    for v in (0..model.rest.len()).filter(|v| model.inv_mass[*v] > 0.0) {
        let given = world.state.vel[v] * (model.mass[v] / 1e-6);
        back[v] = given - forth[v];
    }
    let most = forth.iter().map(|f| f.length()).fold(0.0, f64::max);
    let off = back.iter().map(|f| f.length()).fold(0.0, f64::max);
    assert!(off < 1e-3 * most, "{off} of {most}");
}

/// Backward Euler of the same energies: at rest it hangs as it does in its own motion.
#[test]
fn tissue_hangs_as_far_as_by_its_own_gradients() {
    for (bulk, restoration) in [(5000.0, 60.0), (0.0, 0.0), (5000.0, 0.0)] {
        let [here, there] = [Response::Qp, Response::DisplacementVelocity].map(|response| {
            let mut body = bun("organ", Vec3::ZERO, RawTissue { bulk, restoration, ..FIRM });
            body.attachments = vec![Selector::Plane { point: Vec3::Z * 0.03, normal: Vec3::NEG_Z }];
            body.drag = 5.0;
            let mut raw = programme(vec![body]);
            (raw.world.response, raw.world.dt_s, raw.world.sweeps) = (response, 1.0 / 200.0, 60);
            let mut world = baked(&raw).world();
            run(&mut world, 600);
            world.state.pos.iter().map(|p| p.z).fold(Real::INFINITY, Real::min)
        });
        assert!(here < -1e-4 && (here / there - 1.0).abs() < 2e-3, "{bulk} {restoration}: {here} {there}");
    }
}

#[test]
fn a_hung_organ_swings_with_energy_that_never_rises() {
    for rate in [60.0, 200.0, 500.0] {
        let mut body = bun("organ", Vec3::ZERO, FIRM);
        body.attachments = vec![Selector::Plane { point: Vec3::Z * 0.035, normal: Vec3::NEG_Z }];
        let mut raw = programme(vec![body]);
        raw.world.dt_s = 1.0 / rate;
        let mut world = baked(&raw).world();
        let start = world_energy(&world, EnergyKind::Total);
        let mut before = start;
        let (mut lowest, size) = (start, weight(&world, 0) * HEIGHT);
        for k in 0..(2.0 * rate) as u32 {
            run(&mut world, 1);
            let now = world_energy(&world, EnergyKind::Total);
            assert!(now <= before + 1e-6 * size, "{rate}: {k}: {} J of {size}", now - before);
            (before, lowest) = (now, lowest.min(now));
        }
        assert!(lowest < start - 1e-4 * size, "{rate}: it moves");
    }
}

#[test]
fn tissue_weighs_what_it_weighs() {
    let slab = || {
        let mut slab = cube("slab", Vec3::new(-0.05, -0.05, -0.1), 0.1, 3, 2e4);
        slab.attachments = vec![Selector::Name("bottom".into())];
        slab
    };
    for material in [FIRM, ORGAN, RawTissue { restoration: 150.0, ..FIRM }] {
        let mut world = baked(&programme(vec![ground(), bun("organ", Vec3::Z * 2e-3, material)])).world();
        audited(&mut world, 480, "a plane");
        carries(&world, 0, weight(&world, 1), &format!("{material:?}"));
        assert!(fastest(&world) < 1e-4, "{}", fastest(&world));
        assert!(world.report.qp.residual < 1e-3, "{}", world.report.qp.residual);
    }
    let mut world = baked(&programme(vec![slab(), bun("organ", Vec3::Z * 3e-3, FIRM)])).world();
    audited(&mut world, 480, "a solid");
    carries(&world, 0, weight(&world, 1), "a solid");
}

#[test]
fn a_ball_and_a_solid_rest_on_tissue() {
    let hammock = || {
        let mut cloth = sheet("sheet", -SKIN, RawTissue { restoration: 0.0, ..FIRM });
        cloth.attachments = vec![Selector::Name("border".into())];
        (cloth.friction, cloth.drag) = (0.5, 1.0);
        cloth
    };
    let ball =
        solid("top", RawSolid::Sphere { radius: 0.01 }, Vec3::Z * 0.0115, RawModel::Rigid { mass: 0.02 });
    let flesh = cube("top", Vec3::new(-0.01, -0.01, 2e-3), 0.02, 2, 2e4);
    for (what, top) in [("ball", ball), ("flesh", flesh)] {
        let mut bodies = vec![hammock(), top];
        (bodies[1].friction, bodies[1].drag) = (0.5, 1.0);
        let mut world = baked(&programme(bodies)).world();
        audited(&mut world, 480, what);
        let load = world.scratch.contact_force[0];
        let weighs = weight(&world, 1);
        assert!((load.z + weighs).abs() < 0.01 * weighs, "{what}: {load} for {weighs}");
    }
    // A plate on an organ on the floor: it carries both.
    let plate = solid(
        "top",
        RawSolid::Cuboid { size: Vec3::new(0.05, 0.05, 0.01) },
        Vec3::Z * (2.0 * HEIGHT + 2.0 * SKIN + 6e-3),
        RawModel::Rigid { mass: 0.02 },
    );
    let mut bodies = vec![ground(), bun("organ", Vec3::Z * (SKIN + 2e-4), FIRM), plate];
    (bodies[2].friction, bodies[2].drag, bodies[1].drag) = (0.5, 2.0, 2.0);
    let mut world = baked(&programme(bodies)).world();
    audited(&mut world, 360, "a plate");
    let both = weight(&world, 1) + weight(&world, 2);
    carries(&world, 0, both, "a plate");
}

#[test]
fn an_organ_holds_at_0_9_of_its_limit_and_slides_at_1_1() {
    for (share, holds) in [(0.9, true), (1.1, false)] {
        let friction = 0.3;
        let mut body = bun("organ", Vec3::Z * (SKIN + 2e-4), RawTissue { restoration: 150.0, ..FIRM });
        let mut plane = floor();
        (plane.friction, body.friction) = (friction, friction);
        let mut raw = programme(vec![plane, body]);
        let down = f64::atan(share * friction);
        raw.world.gravity = Vec3::new(down.sin(), 0.0, -down.cos()) * 9.81;
        let mut world = baked(&raw).world();
        run(&mut world, 480);
        let from = center(&world, 1);
        run(&mut world, 240);
        let gone = (center(&world, 1) - from).x;
        assert!(if holds { gone.abs() < 2e-5 } else { gone > 0.05 }, "{share}: {gone}");
    }
}

/// Two organs thrown at each other: linear momentum stays to rounding, and energy is only lost.
#[test]
fn organs_that_collide_keep_their_momentum_and_gain_no_energy() {
    let low = bun("low", Vec3::ZERO, FIRM);
    let high = bun("high", Vec3::new(5e-3, 0.0, 2.0 * (HEIGHT + SKIN) + 2e-3), FIRM);
    let mut raw = programme(vec![low, high]);
    raw.world.gravity = Vec3::ZERO;
    let mut world = baked(&raw).world();
    let upper = world.model.bodies[1].vertex_range();
    world.state.vel[upper].fill(-Vec3::Z * 0.2);
    let (before, spin) = momentum(&world);
    let start = world_energy(&world, EnergyKind::Total);
    let (mut last, mut touched) = (start, 0);
    for k in 0..120 {
        run(&mut world, 1);
        touched += world.report.contacts;
        let now = world_energy(&world, EnergyKind::Total);
        assert!(now <= last + 1e-6 * start, "{k}: {now} J of {start} J");
        last = now;
    }
    let (after, turned) = momentum(&world);
    assert!(touched > 20);
    assert!((after - before).length() < 1e-9 * before.length(), "{before} {after}");
    let left = (turned - spin).length() / (before.length() * HEIGHT);
    assert!(left < 0.02, "{left} of the spin that the blow could give is lost");
    let apart = center(&world, 1) - center(&world, 0);
    assert!(apart.z > 1.5 * HEIGHT, "{apart}");
}

/// Alone and without weight it keeps its linear momentum to rounding; turning, what backward Euler takes.
#[test]
fn a_free_organ_keeps_its_momenta() {
    for (rate, most) in [(240.0, 0.02), (960.0, 0.005)] {
        let mut raw = programme(vec![bun("organ", Vec3::ZERO, FIRM)]);
        (raw.world.gravity, raw.world.filter, raw.world.dt_s) = (Vec3::ZERO, Filter::Off, 1.0 / rate);
        let mut world = baked(&raw).world();
        let about = center(&world, 0);
        let spin = Vec3::new(0.5, 2.0, 1.0);
        for v in 0..world.state.pos.len() {
            world.state.vel[v] = Vec3::new(0.3, -0.2, 0.1) + spin.cross(world.state.pos[v] - about);
        }
        let before = momentum(&world);
        run(&mut world, (0.5 * rate) as u32);
        let after = momentum(&world);
        assert!((after.0 - before.0).length() < 1e-11 * before.0.length(), "{before:?} {after:?}");
        let lost = (after.1 - before.1).length() / before.1.length();
        assert!(lost < most, "{rate}: {lost}");
    }
}

#[test]
fn all_solvers_carry_an_organ() {
    for (solver, within) in [(Solver::Exact, 0.01), (Solver::Large, 0.02), (Solver::Faithful, 0.02)] {
        let mut raw = programme(vec![ground(), bun("organ", Vec3::Z * (SKIN + 2e-4), FIRM)]);
        raw.world.solver = solver;
        let mut world = baked(&raw).world();
        world.params.bodies[1].drag = 1.0;
        run(&mut world, 360);
        let (load, weighs) = (world.scratch.contact_force[0].z, weight(&world, 1));
        assert!((load + weighs).abs() < within * weighs, "{solver:?}: {load} for {weighs}");
    }
}

#[test]
fn a_tool_lifts_an_organ_and_feels_its_weight() {
    let mut raw = programme(vec![ground(), bun("organ", Vec3::Z * (SKIN + 2e-4), FIRM)]);
    raw.tools.push(tool("grasper", Vec3::Z * 0.05, Vec3::NEG_Z));
    let mut world = baked(&raw).world();
    let mut input = Input::at_rest(&world);
    for k in 0..720u32 {
        let up = 0.048 + 0.1 * f64::from(k.saturating_sub(60).min(240)) / 240.0;
        lead(&mut input, Vec3::Z * up, k > 40);
        step(&mut world, &input, &mut || 0);
        assert!(world.report.quarantined.is_empty());
    }
    assert!(!world.state.grips.is_empty());
    assert_eq!(world.scratch.contact_force[0], Vec3::ZERO, "it hangs");
    let held = world.state.grips.iter().map(|g| g.pull).sum::<Vec3>() + world.scratch.contact_force[1];
    let weighs = weight(&world, 1);
    assert!((held - Vec3::Z * weighs).length() < 0.02 * weighs, "{held} {weighs}");
}

#[test]
fn the_same_bits_and_no_allocation() {
    let ball =
        solid("ball", RawSolid::Sphere { radius: 0.01 }, Vec3::Z * 0.06, RawModel::Rigid { mass: 0.01 });
    let mut low = bun("low", Vec3::Z * (SKIN + 2e-4), FIRM);
    low.stretch = [-1.0, 0.05];
    let raw = programme(vec![ground(), low, ball]);
    let bake = baked(&raw);
    let mut hashes = Vec::new();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut world = bake.world();
        pool.install(|| run(&mut world, 60));
        let half = world.state.clone();
        pool.install(|| run(&mut world, 60));
        hashes.push(world.state.hash());
        let mut again = bake.world();
        again.state = half;
        pool.install(|| run(&mut again, 60));
        hashes.push(again.state.hash());
    }
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:x?}");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut world = bake.world();
    let input = Input::at_rest(&world);
    pool.install(|| run(&mut world, 240));
    // The same steps once more: the ball rolls, and new contacts may need room that none has needed yet.
    let saved = world.state.clone();
    pool.install(|| run(&mut world, 60));
    world.state.copy_from(&saved);
    let count = allocations(&pool, || (0..60).for_each(|_| step(&mut world, &input, &mut || 0)));
    assert_eq!(count, 0);
}

/// The largest and the least strain of the edges of a body.
fn strains(world: &World, b: usize) -> [Real; 2] {
    let model = &world.model;
    let mut edges: Vec<[usize; 2]> = Vec::new();
    match &model.bodies[b].kind {
        BodyKind::Tissue(t) => {
            let springs = &model.springs[t.springs.start as usize..t.springs.end as usize];
            edges.extend(springs.iter().map(|s| s.ends.map(|v| v.at())));
        }
        BodyKind::Solid(s) => {
            for tet in &model.tets[s.tets.start as usize..s.tets.end as usize] {
                let n = tet.nodes.map(|v| v.at());
                edges.extend([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]].map(|e| e.map(|i| n[i])));
            }
        }
        _ => panic!(),
    }
    let mut range = [Real::INFINITY, Real::NEG_INFINITY];
    for [a, b] in edges {
        let length = |at: &[Vec3]| (at[b] - at[a]).length();
        let strain = length(&world.state.pos) / length(&model.rest) - 1.0;
        range = [range[0].min(strain), range[1].max(strain)];
    }
    range
}

/// Steps until it hangs: the largest strain on the way, and in the end.
fn hung(raw: &RawScene) -> [Real; 2] {
    let mut world = baked(raw).world();
    let mut most = 0.0 as Real;
    for k in 0..360 {
        run(&mut world, 1);
        most = most.max(strains(&world, 0)[1]);
        assert!(world.report.qp.trouble.is_empty(), "{k}: {:?}", world.report.qp.trouble);
    }
    [most, strains(&world, 0)[1]]
}

#[test]
fn a_hung_solid_stretches_by_its_limit_and_no_more() {
    for law in [Law::NeoHookean, Law::Corotated] {
        let material = elastic(law, 1500.0, 0.3, 1000.0, 0.02);
        let mut body = flesh("strip", (Vec3::ZERO, Vec3::new(0.02, 0.02, 0.08)), [1, 1, 4], material);
        body.attachments = vec![Selector::Name("top".into())];
        (body.drag, body.self_contact) = (1.0, false);
        let mut raw = programme(vec![body]);
        let [free, _] = hung(&raw);
        assert!(free > 0.2, "{law:?}: without a limit it stretches by {free}");
        raw.bodies[0].stretch[1] = 0.1;
        let [most, end] = hung(&raw);
        assert!((0.0999..=0.101).contains(&most), "{law:?}: {most}");
        assert!((0.0999..=0.101).contains(&end), "{law:?}: {end}");
    }
}

#[test]
fn a_hung_sheet_of_tissue_stretches_by_its_limit_and_no_more() {
    let soft = RawTissue { stiffness: 10.0, area: 5.0, restoration: 0.0, ..FIRM };
    let mut body = sheet("sheet", 0.0, soft);
    body.attachments = vec![Selector::Plane { point: Vec3::Y * 0.0299, normal: Vec3::NEG_Y }];
    (body.drag, body.self_contact) = (1.0, false);
    let mut raw = programme(vec![body]);
    raw.world.gravity = Vec3::NEG_Y * 9.81;
    let [free, _] = hung(&raw);
    assert!(free > 0.2, "without a limit it stretches by {free}");
    raw.bodies[0].stretch[1] = 0.1;
    let [most, end] = hung(&raw);
    assert!((0.0999..=0.101).contains(&most), "{most}");
    assert!((0.0999..=0.101).contains(&end), "{end}");
}

#[test]
fn a_pressed_solid_is_not_pressed_below_its_limit() {
    let material = elastic(Law::NeoHookean, 500.0, 0.2, 1000.0, 0.02);
    let mut body = flesh("block", (Vec3::Z * 6e-4, Vec3::splat(0.03)), [2; 3], material);
    body.stretch[0] = -0.1;
    (body.drag, body.self_contact) = (1.0, false);
    let mut world = baked(&programme(vec![ground(), body])).world();
    let mut least = 0.0 as Real;
    for _ in 0..240 {
        run(&mut world, 1);
        least = least.min(strains(&world, 1)[0]);
    }
    assert!(least > -0.101 && least < -0.095, "{least}");
}
