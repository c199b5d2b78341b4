//! Tissue: its energies, its motion, and how it takes being pressed.

use crate::make::{baked, floor, lead, noise3, run, scene, solid, tool, weightless};
use crate::specimens::{ORGAN, organ, organ_mesh};
use serosa_bake::RawScene;
use serosa_bake::raw::*;
use serosa_geometry::{Mesh, Vec3, rotation};
use serosa_sim::energy::{EnergyKind, world_energy};
use serosa_sim::model::{BodyKind, Integrator, TissueBody};
use serosa_sim::{Input, World, body, step};

const NONE: RawTissue =
    RawTissue { stiffness: 0.0, area: 0.0, bending: 0.0, bulk: 0.0, restoration: 0.0, ..ORGAN };

/// Each energy alone.
fn alone() -> [(&'static str, RawTissue); 5] {
    [
        ("stiffness", RawTissue { stiffness: 40.0, ..NONE }),
        ("area", RawTissue { area: 20.0, ..NONE }),
        ("bending", RawTissue { bending: 1e-3, ..NONE }),
        ("bulk", RawTissue { bulk: 3000.0, ..NONE }),
        ("restoration", RawTissue { restoration: 30.0, ..NONE }),
    ]
}

fn small() -> Mesh {
    organ_mesh(1, Vec3::new(0.05, 0.04, 0.03))
}

fn world_of(mesh: Mesh, material: RawTissue) -> World {
    let mut raw = weightless(vec![organ("organ", mesh, material)]);
    raw.bodies[0].self_contact = false;
    baked(&raw).world()
}

fn tissue(world: &World, b: usize) -> &TissueBody {
    match &world.model.bodies[b].kind {
        BodyKind::Tissue(tissue) => tissue,
        other => panic!("{other:?}"),
    }
}

fn volume(world: &World, b: usize) -> f64 {
    body::tissue::enclosed(&world.model, tissue(world, b), &world.state.pos)
}

fn elastic(world: &World, pos: &[Vec3]) -> f64 {
    let mut world = world.clone();
    world.state.pos.copy_from_slice(pos);
    world_energy(&world, EnergyKind::Elastic)
}

fn forces(world: &World, pos: &[Vec3]) -> Vec<Vec3> {
    let mut out = vec![Vec3::ZERO; pos.len()];
    body::forces(&world.model, &world.params, pos, &mut out);
    out
}

#[test]
fn each_energy_has_its_gradient() {
    for (name, material) in alone() {
        let world = world_of(small(), material);
        let mut seed = 3;
        let pos: Vec<Vec3> = world.model.rest.iter().map(|p| *p + noise3(&mut seed) * 5e-3).collect();
        let force = forces(&world, &pos);
        let scale = force.iter().map(|f| f.length()).fold(0.0, f64::max);
        assert!(scale > 1e-3, "{name}: {scale}");
        for (v, f) in force.iter().enumerate() {
            for k in 0..3 {
                let (mut hi, mut lo) = (pos.clone(), pos.clone());
                hi[v][k] += 1e-6;
                lo[v][k] -= 1e-6;
                let slope = (elastic(&world, &hi) - elastic(&world, &lo)) / 2e-6;
                assert!((f[k] + slope).abs() < 1e-5 * scale, "{name}: vertex {v}: {} {slope}", f[k]);
            }
        }
    }
}

#[test]
fn each_energy_is_blind_to_rigid_motion_and_turns_nothing() {
    for (name, material) in alone() {
        let world = world_of(small(), material);
        let (turn, shift) =
            (rotation::from_rotation_vector(Vec3::new(2.0, -1.0, 1.5)), Vec3::new(0.3, -0.2, 0.1));
        let moved: Vec<Vec3> = world.model.rest.iter().map(|p| turn * *p + shift).collect();
        assert!(forces(&world, &moved).iter().all(|f| f.length() < 1e-10), "{name}");
        let mut seed = 8;
        let pos: Vec<Vec3> = moved.iter().map(|p| *p + noise3(&mut seed) * 5e-3).collect();
        let force = forces(&world, &pos);
        let size: f64 = force.iter().map(|f| f.length()).sum();
        let sum: Vec3 = force.iter().sum();
        let moment: Vec3 = force.iter().zip(&pos).map(|(f, x)| x.cross(*f)).sum();
        assert!(sum.length() < 1e-12 * size && moment.length() < 1e-12 * size, "{name}: {sum} {moment}");
    }
}

/// A flat net of regular triangles of side `a`.
fn lattice(columns: usize, rows: usize, a: f64) -> Mesh {
    let at =
        |i: usize, j: usize| Vec3::new(i as f64 + 0.5 * (j % 2) as f64, j as f64 * 0.75f64.sqrt(), 0.0) * a;
    let points = (0..rows).flat_map(|j| (0..columns).map(move |i| at(i, j))).collect();
    let id = |i: usize, j: usize| (j * columns + i) as u32;
    let mut triangles = Vec::new();
    for j in 0..rows - 1 {
        for i in 0..columns - 1 {
            let (o, r, u, d) = (id(i, j), id(i + 1, j), id(i, j + 1), id(i + 1, j + 1));
            triangles.extend(if j % 2 == 0 { [[o, r, u], [r, d, u]] } else { [[o, r, d], [o, d, u]] });
        }
    }
    Mesh::from_triangles(points, triangles)
}

fn area_of(mesh: &Mesh) -> f64 {
    let one = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.points[v as usize]);
        0.5 * (b - a).cross(c - a).length()
    };
    mesh.triangles.iter().map(one).sum()
}

/// A net of regular springs has Poisson's ratio 1/3: pulled along x it resists as its stiffness says.
#[test]
fn stiffness_is_youngs_modulus_times_thickness() {
    let mesh = lattice(12, 12, 0.01);
    let area = area_of(&mesh);
    let world = world_of(mesh, RawTissue { stiffness: 100.0, ..NONE });
    let strain = 1e-4;
    let stretch = Vec3::new(1.0 + strain, 1.0 - strain / 3.0, 1.0);
    let pos: Vec<Vec3> = world.model.rest.iter().map(|p| *p * stretch).collect();
    let density = elastic(&world, &pos) / area;
    let theory = 0.5 * 100.0 * strain * strain;
    assert!((density / theory - 1.0).abs() < 1e-3, "{density} {theory}");
}

/// A net bent over a cylinder, one row of edges along its axis. Folds at the border are not there: 1 of 60.
#[test]
fn bending_is_that_of_a_sheet() {
    let mesh = lattice(61, 61, 0.002);
    let area = area_of(&mesh);
    let world = world_of(mesh, RawTissue { bending: 1e-3, ..NONE });
    let radius = 0.5;
    let bent = |p: &Vec3| {
        let angle = p.y / radius;
        Vec3::new(p.x, radius * angle.sin(), radius * (1.0 - angle.cos()))
    };
    let pos: Vec<Vec3> = world.model.rest.iter().map(bent).collect();
    let density = elastic(&world, &pos) / area;
    let theory = 0.5 * 1e-3 / (radius * radius);
    assert!((density / theory - 59.0 / 60.0).abs() < 0.01, "{density} {theory}");
}

#[test]
fn area_and_bulk_are_what_they_say() {
    let world = world_of(lattice(10, 10, 0.01), RawTissue { area: 50.0, ..NONE });
    let grown: Vec<Vec3> = world.model.rest.iter().map(|p| *p * 1.01f64.sqrt()).collect();
    let theory = 0.5 * 50.0 * 1e-4 * area_of(&lattice(10, 10, 0.01));
    assert!((elastic(&world, &grown) / theory - 1.0).abs() < 1e-9);
    let world = world_of(small(), RawTissue { bulk: 3000.0, ..NONE });
    let grown: Vec<Vec3> = world.model.rest.iter().map(|p| *p * 1.01f64.cbrt()).collect();
    let theory = 0.5 * 3000.0 * 1e-4 * volume(&world, 0);
    assert!((elastic(&world, &grown) / theory - 1.0).abs() < 1e-9);
}

/// A deformed, shaken body after 20 ms, by steps of `h`.
fn after(h: f64, integrator: Integrator) -> Vec<Vec3> {
    let mut raw = weightless(vec![organ("organ", small(), RawTissue { integrator, ..ORGAN })]);
    raw.world.dt_s = h;
    raw.bodies[0].self_contact = false;
    let mut world = baked(&raw).world();
    world.params.sweeps = 500;
    let mut seed = 5;
    world.state.pos.iter_mut().for_each(|p| *p += noise3(&mut seed) * 1e-3);
    world.state.vel.iter_mut().for_each(|v| *v = noise3(&mut seed) * 0.2);
    run(&mut world, (0.02 / h).round() as u32);
    world.state.pos
}

/// Both schemes come to the same motion as the step shrinks, and the error of each to half as it halves: elastic,
/// viscous and restoring forces of the implicit scheme are those of the explicit one, which is a few lines.
#[test]
fn the_implicit_scheme_converges_to_the_explicit_one() {
    let apart = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
    let gap = |h: f64| apart(&after(h, Integrator::Implicit), &after(h, Integrator::Verlet));
    let (coarse, fine) = (gap(4e-5), gap(2e-5));
    assert!(fine < 5e-6, "{fine}");
    assert!((coarse / fine - 2.0).abs() < 0.2, "{coarse} {fine}");
}

/// A body hung by its top swings and loses energy in every step, at short and long steps.
#[test]
fn a_swing_makes_no_energy() {
    for h in [1.0 / 60.0, 1.0 / 200.0, 1.0 / 500.0] {
        let mut hung = organ("organ", organ_mesh(2, Vec3::new(0.05, 0.04, 0.03)), ORGAN);
        hung.attachments = vec![Selector::Plane { point: Vec3::Z * 0.02, normal: Vec3::NEG_Z }];
        hung.self_contact = false;
        let mut raw = scene(vec![hung]);
        raw.world.gravity = Vec3::new(3.0, 0.0, -9.0);
        raw.world.dt_s = h;
        let mut world = baked(&raw).world();
        world.params.sweeps = 300;
        let start = world_energy(&world, EnergyKind::Total);
        let mut before = start;
        for i in 0..(1.0 / h) as u32 {
            run(&mut world, 1);
            let now = world_energy(&world, EnergyKind::Total);
            assert!(now <= before + 1e-9 * start.abs(), "h {h}: step {i}: {before} {now}");
            before = now;
        }
        assert!(world_energy(&world, EnergyKind::Kinetic) < 1e-3 * start.abs());
    }
}

/// Hung and at rest, its supports carry its weight: the solve is finished, and no force is lost in it.
#[test]
fn supports_carry_the_weight() {
    let mut hung = organ("organ", organ_mesh(2, Vec3::new(0.05, 0.04, 0.03)), ORGAN);
    hung.attachments = vec![Selector::Plane { point: Vec3::Z * 0.02, normal: Vec3::NEG_Z }];
    (hung.self_contact, hung.drag) = (false, 5.0);
    let mut world = baked(&scene(vec![hung])).world();
    world.params.dt_s = 1.0 / 200.0;
    run(&mut world, 1000);
    let force = forces(&world, &world.state.pos);
    let (model, held) = (&world.model, |v: &usize| world.model.inv_mass[*v] == 0.0);
    let carried: Vec3 = (0..force.len()).filter(held).map(|v| force[v]).sum();
    let weight: f64 = (0..force.len()).filter(|v| !held(v)).map(|v| model.mass[v] * 9.81).sum();
    // Restoration to a rest shape that stays holds its own share.
    let held_back: Vec3 = (0..force.len())
        .filter(|v| !held(v))
        .map(|v| (world.state.pos[v] - model.rest[v]) * (900.0 * model.mass[v]))
        .sum();
    assert!((carried.z + weight + held_back.z).abs() < 1e-3 * weight, "{carried} {held_back} {weight}");
}

/// Far from rest, inside out in places, long steps and two gradients only: it calms down and nothing is lost.
#[test]
fn a_wild_body_calms_down() {
    for (h, sweeps) in [(1.0 / 60.0, 2), (1.0 / 60.0, 10), (1.0 / 500.0, 3)] {
        let mut world = world_of(organ_mesh(3, Vec3::new(0.05, 0.04, 0.03)), ORGAN);
        (world.params.dt_s, world.params.sweeps) = (h, sweeps);
        let mut seed = 2;
        world.state.pos.iter_mut().for_each(|p| *p += noise3(&mut seed) * 0.02);
        world.state.vel.iter_mut().for_each(|v| *v = noise3(&mut seed) * 2.0);
        let start = world_energy(&world, EnergyKind::Total);
        for i in 0..(2.0 / h) as u32 {
            run(&mut world, 1);
            assert!(world.report.quarantined.is_empty(), "h {h}: step {i}");
            let now = world_energy(&world, EnergyKind::Total);
            assert!(now < 1.5 * start, "h {h}, {sweeps} sweeps: step {i}: {start} {now}");
        }
        let end = world_energy(&world, EnergyKind::Total);
        assert!(end < 0.02 * start, "h {h}, {sweeps} sweeps: {start} {end}");
    }
}

/// An organ on the floor, its lowest part held, under a tool.
fn pressed(material: RawTissue) -> RawScene {
    let axes = Vec3::new(0.06, 0.05, 0.04);
    let mut mesh = organ_mesh(3, axes);
    mesh.points.iter_mut().for_each(|p| p.z += 0.041);
    let mut soft = organ("organ", mesh, material);
    soft.attachments = vec![Selector::Plane { point: Vec3::Z * 0.012, normal: Vec3::Z }];
    soft.self_contact = false;
    let mut raw = scene(vec![floor(), soft]);
    raw.world.dt_s = 1.0 / 200.0;
    raw.tools.push(tool("probe", Vec3::Z * 0.1, Vec3::NEG_Z));
    raw
}

/// A tool goes 15 mm deep into an organ, which gives way and comes back when it leaves.
#[test]
fn restoration_brings_a_pressed_body_back() {
    let mut world = baked(&pressed(RawTissue { mass: SurfaceMass::Total(0.2), ..ORGAN })).world();
    let mut input = Input::at_rest(&world);
    run(&mut world, 400);
    let settled = world.state.pos.clone();
    let apart = |world: &World| {
        world.state.pos.iter().zip(&settled).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max)
    };
    let mut go = |world: &mut World, from: f64, to: f64, steps: u32| {
        for i in 0..steps {
            lead(&mut input, Vec3::Z * (from + (to - from) * f64::from(i) / f64::from(steps)), false);
            step(world, &input, &mut || 0);
            assert!(world.report.quarantined.is_empty());
        }
    };
    go(&mut world, 0.1, 0.061, 200);
    assert!(world.report.contacts > 0, "the tool touches");
    let deep = apart(&world);
    assert!(deep > 0.008, "{deep}");
    go(&mut world, 0.061, 0.1, 200);
    go(&mut world, 0.1, 0.1, 400);
    let left = apart(&world);
    assert!(left < 0.01 * 0.08, "{left}");
}

/// A plate as heavy as five organs sinks onto one. With a bulk modulus its volume is kept.
#[test]
fn volume_is_kept_under_a_squeeze() {
    let squeezed = |bulk: f64| {
        let material = RawTissue { mass: SurfaceMass::Total(0.2), bulk, restoration: 0.0, ..ORGAN };
        let mut raw = pressed(material);
        raw.tools.clear();
        let plate = RawSolid::Cuboid { size: Vec3::new(0.3, 0.3, 0.02) };
        raw.bodies.push(solid("plate", plate, Vec3::Z * 0.1, RawModel::Rigid { mass: 1.0 }));
        let mut world = baked(&raw).world();
        world.params.bodies[1].drag = 3.0;
        let rest = volume(&world, 1);
        run(&mut world, 600);
        let height = world.state.pose[1].pos.z;
        (volume(&world, 1) / rest, height)
    };
    let (kept, height) = squeezed(20e3);
    assert!(height < 0.085, "the plate sinks: {height}");
    assert!((kept - 1.0).abs() < 0.04, "{kept}");
}
