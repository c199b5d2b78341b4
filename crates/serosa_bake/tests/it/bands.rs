//! Bands against theory: catenary, beam, elastica, pendulum, stretch, viscosity, sheet.

use crate::make::{ROPE, baked, body, rope, run, scene, weightless};
use crate::specimens::{GUT, strip};
use crate::theory::{bisect, discrete_catenary_sag};
use serosa_bake::raw::{RawBand, RawGeometry, RawModel, Selector};
use serosa_geometry::{Aabb, Vec3};
use serosa_sim::World;
use serosa_sim::energy::{EnergyKind, world_energy};

/// Stiff along, limp across.
const CABLE: RawBand = RawBand { tube_stretch: 2e4, tube_bending: 0.0, relaxation_s: 0.01, ..ROPE };

#[test]
fn a_hanging_rope_is_a_catenary() {
    let (links, span, length): (usize, f64, f64) = (40, 0.8, 1.0);
    let mut body = rope("rope", (Vec3::ZERO, Vec3::X), links + 1, 1e-3, CABLE);
    let depth = (0.25 * length * length - 0.25 * span * span).sqrt();
    if let RawGeometry::Mesh { mesh, .. } = &mut body.geometry {
        for (i, p) in mesh.points.iter_mut().enumerate() {
            let s = i as f64 / links as f64;
            *p = Vec3::new(span * s, 0.0, -depth * (1.0 - (2.0 * s - 1.0).abs()));
        }
    }
    body.attachments = vec![Selector::Name("ends".into())];
    (body.drag, body.self_contact) = (4.0, false);
    let mut world = baked(&scene(vec![body])).world();
    run(&mut world, 4000);
    let sag = -world.state.pos.iter().map(|p| p.z).fold(0.0, f64::min);
    let exact = discrete_catenary_sag(links, span, length);
    // Four Newton steps solve what the passes over springs need hundreds for.
    assert!((sag / exact - 1.0).abs() < 2e-4, "sag {sag}, catenary {exact}");
}

/// A rope clamped by its first edge, under its own weight, at rest: the tip, and the length from the clamp. The
/// stencil at the second vertex stands for half an edge on both sides, so the beam begins in the middle of the
/// first edge.
fn clamped(segments: usize, bending: f64) -> (Vec3, f64) {
    let edge = 0.2 / segments as f64;
    let band = RawBand { mass: 0.02, tube_stretch: 1e4, tube_bending: bending, relaxation_s: 0.05, ..ROPE };
    let band = RawBand { mass: band.mass * (segments + 1) as f64 / segments as f64, ..band };
    let mut body = rope("beam", (Vec3::X * -edge, Vec3::X * 0.2), segments + 2, 1e-3, band);
    body.attachments = vec![Selector::Box(Aabb { min: Vec3::splat(-1.0), max: Vec3::new(1e-9, 1.0, 1.0) })];
    (body.self_contact, body.drag) = (false, 5.0);
    let mut raw = scene(vec![body]);
    raw.world.dt_s = 0.01;
    let mut world = baked(&raw).world();
    run(&mut world, 400);
    let fastest = world.state.vel.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 1e-6, "not at rest: {fastest}");
    (world.state.pos[segments + 1], 0.2)
}

/// Weight by length \[N/m\].
const LOAD: f64 = 0.02 / 0.2 * 9.81;

#[test]
fn a_cantilever_sags_as_a_beam() {
    let bending = 0.05;
    let error = |segments: usize, clamp_inside: f64| {
        let (tip, length) = clamped(segments, bending);
        let length = length + clamp_inside * 0.2 / segments as f64;
        -tip.z / (LOAD * length.powi(4) / (8.0 * bending)) - 1.0
    };
    // From the second vertex: first order, a little soft.
    let plain = [20, 40, 80].map(|n| error(n, 0.0));
    assert!(plain[1].abs() < 0.06, "{plain:?}");
    assert!(plain[2] < 0.55 * plain[1] && plain[1] < 0.55 * plain[0], "it converges: {plain:?}");
    // From the middle of the clamped edge.
    let meant = [20, 40, 80].map(|n| error(n, 0.5));
    assert!(meant[1].abs() < 0.01 && meant[2].abs() < 0.005, "{meant:?}");
}

/// A beam so limp that it hangs: EI θ″ = −q (L − s) cos θ, by shooting.
#[test]
fn a_limp_cantilever_is_an_elastica() {
    let bending = LOAD * 0.2f64.powi(3) / 10.0;
    let (tip, length) = clamped(80, bending);
    let length = length + 0.5 * 0.2 / 80.0;
    // Down is positive; integrated from the clamp with the curvature there as the unknown.
    let shoot = |curvature: f64| {
        let (n, mut theta, mut bend, mut x, mut z) = (4000, 0.0f64, curvature, 0.0, 0.0);
        let ds = length / n as f64;
        for i in 0..n {
            let s = (i as f64 + 0.5) * ds;
            let half = theta + 0.5 * ds * bend;
            bend -= ds * LOAD * (length - s) * half.cos() / bending;
            (x, z) = (x + ds * half.cos(), z + ds * half.sin());
            theta = half + 0.5 * ds * bend;
        }
        (bend, x, z)
    };
    let start = bisect(0.0, 40.0, |k| shoot(k).0);
    let (_, x, z) = shoot(start);
    assert!(z > 0.6 * length, "a large deflection: {z}");
    let error = (tip - Vec3::new(x - 0.5 * 0.2 / 80.0, 0.0, -z)).length();
    assert!(error < 0.01 * length, "{tip} {x} {z}");
}

#[test]
fn a_pendulum_keeps_its_period() {
    let (length, angle) = (0.25, 0.2f64);
    let to = Vec3::new(angle.sin(), 0.0, -angle.cos()) * length;
    let mut body = rope("pendulum", (Vec3::ZERO, to), 2, 1e-3, RawBand { tube_stretch: 1e4, ..CABLE });
    body.attachments = vec![Selector::Name("first".into())];
    let mut raw = scene(vec![body]);
    raw.world.dt_s = 5e-4;
    let mut world = baked(&raw).world();
    let mut crossings = Vec::new();
    for tick in 0..8000 {
        let before = world.state.pos[1].x;
        run(&mut world, 1);
        let now = world.state.pos[1].x;
        if before > 0.0 && now <= 0.0 {
            crossings.push((f64::from(tick) + before / (before - now)) * raw.world.dt_s);
        }
    }
    let period = (crossings[3] - crossings[0]) / 3.0;
    let theory = core::f64::consts::TAU * (length / 9.81f64).sqrt() * (1.0 + angle * angle / 16.0);
    assert!((period / theory - 1.0).abs() < 5e-3, "{period} {theory}");
}

/// Under its own weight a rope of stiffness EA lengthens by m g L / (2 EA).
#[test]
fn a_rope_stretches_under_its_weight() {
    for nodes in [2, 11, 101] {
        let band = RawBand { mass: 0.5, tube_stretch: 100.0, relaxation_s: 0.02, ..CABLE };
        let mut body = rope("rope", (Vec3::ZERO, Vec3::Z * -0.4), nodes, 1e-3, band);
        body.attachments = vec![Selector::Name("first".into())];
        body.drag = 10.0;
        let mut raw = scene(vec![body]);
        raw.world.dt_s = 0.01;
        let mut world = baked(&raw).world();
        run(&mut world, 800);
        let longer = -world.state.pos[nodes - 1].z - 0.4;
        let theory = 0.5 * 9.81 * 0.4 / (2.0 * 100.0);
        assert!((longer / theory - 1.0).abs() < 1e-6, "{nodes}: {longer} {theory}");
    }
}

/// Without mass to speak of a stretched rope shrinks with its relaxation time, step by step as backward Euler.
#[test]
fn a_stretched_rope_relaxes_in_its_time() {
    let (tau, h) = (0.1, 1e-3);
    let band = RawBand { mass: 1e-7, tube_stretch: 50.0, relaxation_s: tau, ..CABLE };
    let mut body = rope("rope", (Vec3::ZERO, Vec3::X * 0.1), 2, 1e-3, band);
    body.attachments = vec![Selector::Name("first".into())];
    let mut world = baked(&weightless(vec![body])).world();
    world.state.pos[1].x = 0.11;
    for tick in 1..=300i32 {
        run(&mut world, 1);
        let (stretch, step) = (world.state.pos[1].x - 0.1, 0.01 * (1.0 + h / tau).powi(-tick));
        assert!((stretch / step - 1.0).abs() < 1e-3, "{tick}: {stretch} {step}");
        let theory = 0.01 * (-f64::from(tick) * h / tau).exp();
        assert!((stretch / theory - 1.0).abs() < 0.02, "{tick}: {stretch} {theory}");
    }
}

/// Energy of the sheet alone by area, under a deformation of its points. The rows at the edges differ from those
/// inside; what one more row adds is of the sheet.
fn sheet_energy(side: f64, columns: usize, deform: impl Fn(Vec3) -> Vec3) -> f64 {
    let energy = |rows: usize| {
        let band = RawBand { tube_stretch: 0.0, tube_bending: 0.0, ..GUT };
        let mut geometry = strip(rows, columns, side, Vec3::ZERO);
        geometry.radius = 1e-4;
        geometry.half_thickness = 1e-4;
        let sheet = body("sheet", RawGeometry::Strip(geometry), RawModel::Band(band));
        let mut world: World = baked(&weightless(vec![sheet])).world();
        world.state.pos.iter_mut().for_each(|p| *p = deform(*p));
        world_energy(&world, EnergyKind::Elastic)
    };
    (energy(7) - energy(6)) / (side * side * (columns - 1) as f64)
}

/// A sheet of modulus times thickness E t with Poisson's ratio 1/3: C₁₁ = 9/8 E t, G = 3/8 E t, whatever its cells.
#[test]
fn a_sheet_is_as_stiff_as_it_is_baked() {
    let strain = 1e-4;
    for side in [0.01, 0.0025] {
        for (dir, along) in [(Vec3::X, "along"), (Vec3::Y, "across")] {
            let energy = sheet_energy(side, 9, |p| p + dir * (p.dot(dir) * strain));
            let theory = 0.5 * 9.0 / 8.0 * GUT.stiffness * strain * strain;
            assert!((energy / theory - 1.0).abs() < 1e-3, "{along}: {energy} {theory}");
        }
        let energy = sheet_energy(side, 9, |p| p + Vec3::X * (p.y * strain));
        let theory = 0.5 * 3.0 / 8.0 * GUT.stiffness * strain * strain;
        assert!((energy / theory - 1.0).abs() < 1e-3, "shear: {energy} {theory}");
    }
}

/// Rolled up to a radius R, a sheet holds bending / (2 R²) by area.
#[test]
fn a_sheet_bends_as_it_is_baked() {
    let radius = 0.5;
    let rolled =
        |p: Vec3| Vec3::new(radius * (p.x / radius).sin(), p.y, radius * (1.0 - (p.x / radius).cos()));
    // The chords of the roll are shorter than its arcs, which costs stretch; fine cells make that small, and
    // the ends of each row have no stencil.
    let columns = 41;
    let energy = sheet_energy(2.5e-3, columns, rolled);
    let theory = 0.5 * GUT.bending / (radius * radius) * (columns - 2) as f64 / (columns - 1) as f64;
    assert!((energy / theory - 1.0).abs() < 0.02, "{energy} {theory}");
}
