//! A tube that settles on a plane, kept as the predicted positions of every step, so that each method is shown the
//! same.

use crate::Failure;
use indicatif::ProgressBar;
use serosa_bake::bake;
use serosa_bake::raw::{RawBody, RawGeometry, RawModel, RawScene, RawSolid, at};
use serosa_geometry::{Vec3, generate};
use serosa_sim::detect::Places;
use serosa_sim::params::Detector;
use serosa_sim::{Input, World, step};
use std::f64::consts::TAU;

/// Length of a segment \[m\].
const LINK: f64 = 0.04;
/// Radius of the tube \[m\].
pub const RADIUS: f64 = 0.02;
/// Of the tube, as if it were full of water \[kg/m\].
const MASS_PER_LENGTH: f64 = 1.26;
/// Radius of the turns that the published sizes start in \[m\]: the paper's cylinder.
const TURN_RADIUS: f64 = 0.15;
/// Longer tubes start in wider turns, so that the heap gets wider and not higher and the contacts of a segment stay
/// as many.
const TURNS_MAX: f64 = 8.5;
/// Rise of a turn \[m\].
const PITCH: f64 = 0.07;
/// The turns wander in and out by this, over this length of tube \[m\]: they fall across each other, not in a stack.
const WANDER: (f64, f64) = (0.05, 0.47);
/// Time of a step \[s\].
pub const DT: f64 = 4e-3;
/// Steps of a film: two simulated seconds.
pub const STEPS: usize = 500;

/// What is shown.
pub struct Film {
    /// The world as it was at the end.
    pub world: World,
    /// Predicted positions \[m\], one list per step.
    pub frames: Vec<Vec<Vec3>>,
}

impl Film {
    /// The places of a frame.
    pub fn places(&self, frame: usize) -> Places<'_> {
        let state = &self.world.state;
        Places { pos: &self.frames[frame], pose: &state.pose, radius: &state.radius }
    }
}

/// Lets a tube of `segments` segments settle, its motion driven by complete detection.
pub fn settle(segments: u32, bar: &ProgressBar) -> Result<Film, Failure> {
    let baked = bake(&scene(segments)).map_err(|f| Failure::input(format!("error: {f:?}")))?;
    let mut world = baked.world();
    let input = Input::at_rest(&world);
    let (mut frames, mut ran_away) = (Vec::with_capacity(STEPS), false);
    for _ in 0..STEPS {
        step(&mut world, &input, &mut || 0);
        ran_away |= !world.report.quarantined.is_empty();
        frames.push(world.scratch.found_pos.clone());
        bar.inc(1);
    }
    match ran_away {
        true => Err(Failure::CheckFailed(format!("the tube of {segments} segments ran away"))),
        false => Ok(Film { world, frames }),
    }
}

fn scene(segments: u32) -> RawScene {
    let length = f64::from(segments) * LINK;
    let body = |name: &str, geometry, model| RawBody {
        friction: 0.2,
        drag: 1.0,
        ..RawBody::new(name, geometry, model)
    };
    let springs = RawModel::Springs {
        mass: MASS_PER_LENGTH * length,
        stiffness: 1e4,
        damping: 10.0,
        bending: 100.0,
        tube: None,
    };
    let tube = RawGeometry::Mesh { mesh: generate::chain_through(turns(segments)), radius: RADIUS };
    let plane = RawGeometry::Solid { solid: RawSolid::Plane, pose: at(Vec3::ZERO) };
    let mut raw = RawScene {
        bodies: vec![body("tube", tube, springs), body("plane", plane, RawModel::Fixed)],
        ..RawScene::default()
    };
    (raw.world.dt_s, raw.world.sweeps, raw.world.detector) = (DT, 15, Detector::Grid);
    raw
}

/// Points of a loose helix whose turns wander in and out, one link apart.
fn turns(segments: u32) -> Vec<Vec3> {
    let radius = TURN_RADIUS.max(f64::from(segments) * LINK / (TAU * TURNS_MAX));
    let at = |s: f64| {
        let (angle, out) = (s / radius, radius + WANDER.0 * (TAU * s / WANDER.1).sin());
        Vec3::new(out * angle.cos(), out * angle.sin(), 2.0 * RADIUS + PITCH * angle / TAU)
    };
    let (mut s, mut points) = (0.0, vec![at(0.0)]);
    for _ in 0..segments {
        let last = at(s);
        // The parameter that lies a link farther: the chord grows with it over so short a way.
        let (mut low, mut high) = (s, s + 2.0 * LINK);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if (at(middle) - last).length() < LINK { low = middle } else { high = middle }
        }
        s = high;
        points.push(at(s));
    }
    points
}
