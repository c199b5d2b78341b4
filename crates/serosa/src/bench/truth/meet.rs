//! What meets keeps momentum, and gains no energy.

use super::play::{Play, momentum, velocity};
use super::scene::{self, Cube, HALF, Scene};
use super::{Case, Row};
use crate::Failure;
use serosa_sim::Vec3;
use serosa_sim::energy::{EnergyKind, body_energy};
use serosa_sim::respond::augmented_lagrangian::REST_GAP;

/// By how much energy may rise, as a share of the most there was.
const GAIN: f64 = 0.01;
/// Net momentum as a share of the impulse exchanged; and where the filter clipped on the way.
const MOMENTUM: [f64; 2] = [1e-9, 1e-6];
/// The fastest that what lies too near is moved apart \[m/s\].
const OPENING: f64 = 1e-3;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![
        Case::new("im5", true, || impact(5e-3, 5e-3)),
        Case::new("im25", false, || impact(2.5e-3, 5e-3)),
        Case::new("im5, 1 ms", false, || impact(5e-3, 1e-3)),
        Case::new("im5, 16 ms", false, || impact(5e-3, 16e-3)),
    ];
    for sweeps in [1, 3, 10, 40] {
        cases.push(Case::new(format!("mom{sweeps}"), sweeps < 10, move || apart(sweeps)));
    }
    for (name, step_s) in [("pop1", 1e-3), ("pop01", 1e-4), ("pop001", 2e-5)] {
        cases.push(Case::new(name, true, move || pop(step_s)));
    }
    cases
}

/// A cube falls by 9 cm on a floor: motion, strain and height together never come to more than at the start.
fn impact(cell: f64, step_s: f64) -> Result<Vec<Row>, Failure> {
    let cube = Cube { center: [0.0, 0.0, 0.1 + HALF], cell, more: ", relaxation = 0.005", ..Cube::default() };
    let mut play =
        Play::new(&Scene::new(step_s).with(cube.body("cube")).with(scene::floor([0.0, 0.0, 1.0], 0.3)))?;
    let b = play.body("cube");
    let total = |world: &_| body_energy(world, b, EnergyKind::Total);
    let start = total(play.world());
    let mut most = start;
    // A number that is none must show.
    play.run(0.4, |world| most = if total(world) <= most { most } else { total(world) })?;
    Ok(vec![Row::share("most energy", "J", most, start, GAIN)])
}

/// Two free cubes, 8 and 32 g, are pushed apart by their rest gap: what one gets the other gets too.
fn apart(sweeps: u32) -> Result<Vec<Row>, Failure> {
    let cube = |center, density| Cube {
        center,
        density,
        young: 2e4,
        more: ", thickness = 0.001",
        ..Cube::default()
    };
    let upper = cube([0.0, 0.0, HALF + 0.502e-3], 1e3);
    let lower = cube([3e-3, 4e-3, -HALF - 0.5e-3], 4e3);
    let scene = Scene::weightless(1e-3).sweeps(sweeps).with(upper.body("a")).with(lower.body("b"));
    let mut play = Play::new(&scene)?;
    let bodies = ["a", "b"].map(|name| play.body(name));
    let (mut exchanged, mut net, mut clipped) = (0.0_f64, Vec3::ZERO, false);
    play.run(0.05, |world| {
        let [a, b] = bodies.map(|b| momentum(world, b).0);
        exchanged = exchanged.max(a.length()).max(b.length());
        net = a + b;
        clipped |= world.report.truncated > 0;
    })?;
    Ok(vec![Row::new(
        "net momentum, of the impulse",
        "",
        net.length() / exchanged,
        0.0,
        MOMENTUM[usize::from(clipped)],
    )])
}

/// How fast a ball and a cube that lie over a floor by some gap rise at most within 20 ms \[m/s\].
fn rising(step_s: f64, gap: f64) -> Result<[f64; 2], Failure> {
    let cube =
        Cube { center: [0.06, 0.01, HALF + 0.5e-3 + gap], more: ", thickness = 0.001", ..Cube::default() };
    let scene = Scene::new(step_s)
        .with(scene::ball([0.0, 0.0, 0.01 + gap]))
        .with(cube.body("cube"))
        .with(scene::floor([0.0, 0.0, 1.0], 0.3));
    let mut play = Play::new(&scene)?;
    let bodies = ["ball", "cube"].map(|name| play.body(name));
    let mut rising = [0.0_f64; 2];
    play.run(0.02, |world| {
        for (most, b) in rising.iter_mut().zip(bodies) {
            *most = most.max(velocity(world, b).z);
        }
    })?;
    Ok(rising)
}

/// They lie 2 µm over it, and rise no faster than those that lie where they rest; a cube that has not yet sagged swings.
fn pop(step_s: f64) -> Result<Vec<Row>, Failure> {
    let (found, resting) = (rising(step_s, 2e-6)?, rising(step_s, REST_GAP)?);
    Ok(vec![
        Row::new("ball rises", "m/s", found[0], resting[0], OPENING),
        Row::new("cube rises", "m/s", found[1], resting[1], OPENING),
    ])
}
