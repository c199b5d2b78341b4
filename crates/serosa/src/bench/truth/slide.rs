//! What slides without friction goes as far as free sliding takes it.

use super::play::{Play, center};
use super::scene::{self, GRAVITY, Scene};
use super::{Case, Row};
use crate::Failure;
use serosa_geometry::{Vec3, rotation};

/// How far off the way may be, as a share of it.
const WAY: f64 = 0.02;
/// How far off a slope is left, as a share of the way down: it lies on it.
const ASIDE: f64 = 0.01;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![Case::new("slope0", false, || slope(45.0, 4e-3, 1500))];
    cases.push(Case::new("slope 45°, 4 ms, coarse", true, || slope(45.0, 4e-3, 300)));
    for degrees in [20.0, 30.0, 45.0, 60.0] {
        for step_ms in [1.0, 2.0, 4.0, 8.0] {
            let name = format!("slope {degrees}°, {step_ms} ms");
            cases.push(Case::new(name, false, move || slope(degrees, 1e-3 * step_ms, 700)));
        }
    }
    cases
}

/// A soft ball is laid on a slope and let go for two seconds.
fn slope(degrees: f64, step_s: f64, tets: u32) -> Result<Vec<Row>, Failure> {
    let tilt = rotation::from_rotation_vector(Vec3::Y * degrees.to_radians());
    let (normal, down) = (tilt * Vec3::Z, tilt * Vec3::X);
    // Half of its skin of 1 mm lies outside; it begins a millimetre above.
    let start = normal * 0.042;
    let scene = Scene::new(step_s)
        .with(scene::floor(normal.to_array(), 0.0))
        .with(scene::soft_ball(start.to_array(), tets));
    let mut play = Play::new(&scene)?;
    let (b, seconds) = (play.body("ball"), 2.0);
    let from = center(play.world(), b);
    play.run(seconds, |_| {})?;
    let went = center(play.world(), b) - from;
    let free = 0.5 * GRAVITY * normal.x * seconds * seconds;
    Ok(vec![
        Row::share("way", "m", went.dot(down), free, WAY),
        Row::new("aside", "m", went.y, 0.0, ASIDE * free),
    ])
}
