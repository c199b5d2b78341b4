//! What a hand feels that pushes or draws a free body: as without the filter at the same step.

use super::play::{Play, center, velocity};
use super::scene::{self, Cube, Place, Scene, Tool};
use super::{Case, Row};
use crate::Failure;

/// How far impulse and speed may be off, as a share.
const PUSH: f64 = 0.05;
/// How far the largest force may be off, as a share.
const DRAG: f64 = 0.1;

/// What is pushed.
#[derive(Clone, Copy, PartialEq)]
enum Pushed {
    /// A rigid ball of 10 g.
    Ball,
    /// A soft cube of 8 g.
    Cube,
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, what) in [("push", Pushed::Ball), ("push2", Pushed::Cube)] {
        cases.push(Case::new(name, true, move || push(what, 1.0, 5e-3)));
        for (speed, step_ms) in [(0.1, 5.0), (0.2, 5.0), (0.5, 5.0), (1.0, 2.0), (1.0, 1.0), (1.0, 0.5)] {
            let name = format!("{name} {speed} m/s, {step_ms} ms");
            cases.push(Case::new(name, false, move || push(what, speed, 1e-3 * step_ms)));
        }
        for (speed, step_ms) in [(2.0, 5.0), (5.0, 5.0), (5.0, 1.0)] {
            let name = format!("{name} {speed} m/s, {step_ms} ms");
            cases.push(Case::new(name, false, move || hit(what, speed, 1e-3 * step_ms)));
        }
    }
    for (k, speed) in [1.0, 0.1, 0.3, 2.0].into_iter().enumerate() {
        let name = if k == 0 { "drag".to_owned() } else { format!("drag {speed} m/s, 4 ms") };
        cases.push(Case::new(name, false, move || drag(speed, 4e-3)));
    }
    cases.push(Case::new("drag 1 m/s, 2 ms", false, || drag(1.0, 2e-3)));
    cases
}

/// A ball or a cube at rest, and a tool that is led through it.
fn scene(what: Pushed, speed: f64, step_s: f64) -> Scene {
    let body = match what {
        Pushed::Ball => scene::ball([0.0; 3]),
        Pushed::Cube => Cube { friction: 0.0, ..Cube::default() }.body("ball"),
    };
    let tool = Tool {
        shape: "sphere = { radius = 0.005 }",
        stiffness: 2000.0,
        friction: 0.0,
        more: "",
        tip: [-0.02, 0.0, 0.0],
        moves: &[(0.05, [-0.02, 0.0, 0.0], false), (2.05, [-0.02 + 2.0 * speed, 0.0, 0.0], false)],
    };
    Scene::weightless(step_s).sweeps(12).with(body).with(tool.text("probe"))
}

/// Impulse of the hand along its way from the first touch on \[N s\], and the speed with which the body leaves, as a share
/// of the hand's.
fn pushed(play: &mut Play, speed: f64) -> Result<(f64, f64), Failure> {
    let b = play.body("ball");
    let (mut impulse, mut touched) = (0.0, false);
    // It is met within 5 mm, and left to itself for a tenth of a second.
    play.run(0.05 + 5e-3 / speed + 0.1, |world| {
        touched |= velocity(world, b).x > 1e-3 * speed;
        if touched {
            impulse += world.scratch.hand_force[0].x * world.params.dt_s;
        }
    })?;
    Ok((impulse, velocity(play.world(), b).x / speed))
}

/// Up to a metre a second: as without the filter.
fn push(what: Pushed, speed: f64, step_s: f64) -> Result<Vec<Row>, Failure> {
    let [mut on, mut off] = Play::pair(&scene(what, speed, step_s))?;
    let ((impulse, leaves), (impulse_off, leaves_off)) = (pushed(&mut on, speed)?, pushed(&mut off, speed)?);
    Ok(vec![
        Row::share("impulse of the hand", "N s", impulse, impulse_off, PUSH),
        Row::share("leaves, of the hand's speed", "", leaves, leaves_off, PUSH),
    ])
}

/// Faster than that: between the speed of a plastic impact and that of an elastic one.
fn hit(what: Pushed, speed: f64, step_s: f64) -> Result<Vec<Row>, Failure> {
    let mut on = Play::new(&scene(what, speed, step_s))?;
    let (_, leaves) = pushed(&mut on, speed)?;
    Ok(vec![Row::new("leaves, of the hand's speed", "", leaves, 1.5, 0.5 + PUSH)])
}

/// A kidney is taken by jaws and drawn over a frictionless floor for 0.6 s.
fn drag(speed: f64, step_s: f64) -> Result<Vec<Row>, Failure> {
    let (above, on): (Place, Place) = ([0.0, 0.0, 0.09], [0.0, 0.0, 0.039]);
    let end = [0.6 * speed, 0.0, 0.039];
    let tool = Tool {
        shape: "capsule = { length = 0.2, radius = 0.003 }",
        stiffness: 400.0,
        friction: 0.2,
        more: "grasp = { reach = 0.02, strength = 50.0, vertices = 20 }\n",
        tip: above,
        moves: &[(0.2, above, false), (0.5, on, false), (0.6, on, true), (1.2, end, true)],
    };
    let kidney = "[[body]]\nname = \"kidney\"\nfriction = 0\n\
                  shape.kidney = { at = [0, 0, 0.04], turn = [0, 1.5708, 0] }\n\
                  model.solid = { young = 10000.0, fill = { tets = 1500 } }\n";
    let scene = Scene { part: true, ..Scene::new(step_s) };
    let scene = scene.with(scene::floor([0.0, 0.0, 1.0], 0.0)).with(kidney).with(tool.text("jaws"));
    let mut both = Play::pair(&scene)?;
    let b = both[0].body("kidney");
    let mut peak = [0.0_f64; 2];
    for (play, peak) in both.iter_mut().zip(&mut peak) {
        play.run(0.6, |_| {})?;
        play.run(0.6, |world| *peak = peak.max(world.scratch.hand_force[0].length()))?;
    }
    let ways = [&both[0], &both[1]].map(|play| center(play.world(), b).x);
    Ok(vec![
        Row::share("largest force of the hand", "N", peak[0], peak[1], DRAG),
        Row::share("way", "m", ways[0], ways[1], DRAG),
    ])
}
