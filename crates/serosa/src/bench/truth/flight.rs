//! What touches nothing flies as if it were alone: the same place as without the filter, and no strain.

use super::play::{Play, apart, center};
use super::scene::{self, Cube, GRAVITY, HALF, Scene, Tool};
use super::{Case, Row};
use crate::Failure;
use serosa_sim::Vec3;
use serosa_sim::energy::{EnergyKind, body_energy};

/// The farthest that a vertex may be from where it is without the filter, as a share of the way.
const PLACE: f64 = 1e-9;
/// The most strain energy of what flies \[J\].
const STRAIN: f64 = 1e-12;
/// How long things fly \[s\].
const SECONDS: f64 = 0.4;
/// How far above the floor the cube begins \[m\].
const HEIGHT: f64 = 1.0;
/// How many times as long as without the filter a step may take, where swept boxes meet nothing and where they do.
const TIME: [f64; 2] = [1.5, 3.0];

/// What stands nearby.
#[derive(Clone, Copy, PartialEq)]
enum Beside {
    /// The floor alone.
    Nothing,
    /// So many fixed balls, five metres away.
    Balls(u32),
    /// A rod along the way, 7 mm aside.
    Rod,
    /// A net along the way, 9 mm aside.
    Net,
}

impl Beside {
    fn word(self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Balls(n) => format!(", {n} balls far off"),
            Self::Rod => ", beside a rod".to_owned(),
            Self::Net => ", beside a net".to_owned(),
        }
    }
}

/// A cube that is thrown over a floor.
#[derive(Clone, Copy)]
struct Flight {
    /// Along x \[m/s\].
    speed: f64,
    step_s: f64,
    cell: f64,
    /// Of the floor, which falls away along x.
    tilt: f64,
    beside: Beside,
}

/// Of all speeds, steps, cells, tilts and things nearby: each with the others as they are here, and the corners.
const USUAL: Flight = Flight { speed: 1.0, step_s: 0.01, cell: 5e-3, tilt: 1e-6, beside: Beside::Nothing };

fn flights() -> Vec<(Flight, bool)> {
    let mut all: Vec<(Flight, bool)> =
        [0.01, 0.1, 1.0, 5.0, 50.0].map(|speed| (Flight { speed, ..USUAL }, speed >= 1.0)).into();
    all.extend([0.001, 0.004, 0.05].map(|step_s| (Flight { step_s, ..USUAL }, step_s > 0.01)));
    all.extend([2e-3, 2.5e-3, 1e-2].map(|cell| (Flight { cell, ..USUAL }, cell > 5e-3)));
    all.extend([0.0, 0.1, 1.0].map(|tilt| (Flight { tilt, ..USUAL }, tilt == 1.0)));
    let things = [Beside::Balls(260), Beside::Balls(2000), Beside::Rod, Beside::Net];
    for beside in things {
        all.push((Flight { beside, ..USUAL }, beside == Beside::Rod));
        all.push((Flight { beside, speed: 0.01, ..USUAL }, false));
        all.push((Flight { beside, speed: 50.0, ..USUAL }, beside == Beside::Net));
        all.push((Flight { beside, step_s: 0.05, speed: 5.0, ..USUAL }, false));
    }
    // The farthest in a step, and the finest.
    all.push((Flight { speed: 50.0, step_s: 0.05, cell: 2e-3, ..USUAL }, false));
    all
}

pub(super) fn cases() -> Vec<Case> {
    let tilted = Flight { speed: 0.0, step_s: 0.016_667, cell: 2e-3, ..USUAL };
    let mut cases = vec![
        Case::new("tilt2", false, move || tilted.rows()),
        Case::new("shaft", true, shaft),
        Case::new("capon", true, three),
    ];
    cases.extend(
        flights().into_iter().map(|(flight, quick)| Case::new(flight.name(), quick, move || flight.rows())),
    );
    cases
}

impl Flight {
    fn name(&self) -> String {
        format!(
            "flight {} m/s, {} ms, {} mm, tilt {:e}{}",
            self.speed,
            1e3 * self.step_s,
            1e3 * self.cell,
            self.tilt,
            self.beside.word()
        )
    }

    fn scene(&self) -> Scene {
        let cube = Cube { center: [0.0, 0.0, HEIGHT + HALF], cell: self.cell, ..Cube::default() };
        let scene =
            Scene::new(self.step_s).with(cube.body("cube")).with(scene::floor([self.tilt, 0.0, 1.0], 0.3));
        let beside = -HALF - 0.01;
        match self.beside {
            Beside::Nothing => scene,
            Beside::Balls(count) => scene.with(scene::far_balls(count)),
            Beside::Rod => scene.with(scene::rod([-0.1, beside, 0.9], [2.0, beside, 0.9])),
            Beside::Net => {
                let (corner, along, across) = ([-0.1, beside, 0.3], [1.0, 0.0, 0.0], [0.0, 0.0, 0.6]);
                scene.with(scene::net(corner, along, across, (21, 13), true))
            }
        }
    }

    fn rows(&self) -> Result<Vec<Row>, Failure> {
        let most = TIME[usize::from(matches!(self.beside, Beside::Rod | Beside::Net))];
        compare(&self.scene(), Vec3::X * self.speed, SECONDS, most)
    }
}

/// The cube of a scene, thrown and let fall, beside itself without the filter.
fn compare(scene: &Scene, velocity: Vec3, seconds: f64, slower: f64) -> Result<Vec<Row>, Failure> {
    let mut both = Play::pair(scene)?;
    let b = both[0].body("cube");
    let from = center(both[0].world(), b);
    let mut strain: f64 = 0.0;
    for (k, play) in both.iter_mut().enumerate() {
        play.throw("cube", velocity);
        let elastic = |world: &_| body_energy(world, b, EnergyKind::Elastic);
        play.run(seconds, |world| strain = if k == 0 { largest(strain, elastic(world)) } else { strain })?;
    }
    let place = apart([both[0].world(), both[1].world()], b, from);
    let times = [&both[0], &both[1]].map(Play::step_ms);
    Ok(vec![
        Row::new("place off, of the way", "", place, 0.0, PLACE),
        Row::new("strain energy", "J", strain, 0.0, STRAIN),
        Row { timing: true, ..Row::new("time, filter on to off", "", times[0] / times[1], 0.0, slower) },
    ])
}

/// The larger; what is not a number stays.
fn largest(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// A cube falls beside an instrument that leans towards it.
fn shaft() -> Result<Vec<Row>, Failure> {
    let tip = [0.08, -0.04, 0.01];
    let tool = Tool {
        shape: "capsule = { length = 0.3, radius = 0.003 }",
        stiffness: 400.0,
        friction: 0.2,
        more: "direction = [0.4, -0.4, -1]\n",
        tip,
        moves: &[],
    };
    let cube = Cube { center: [0.0, 0.0, 0.2 + HALF], ..Cube::default() };
    let scene = Scene::new(5e-3)
        .with(cube.body("cube"))
        .with(scene::floor([0.0, 0.0, 1.0], 0.3))
        .with(tool.text("shaft"));
    compare(&scene, Vec3::ZERO, 0.17, TIME[1])
}

/// A ball, a rope and a net fall for a second, nothing near: as theory has it for steps that move with the speed at their
/// end, and as without the filter.
fn three() -> Result<Vec<Row>, Failure> {
    let (step_s, seconds) = (0.016, 0.992);
    let scene = Scene::new(step_s)
        .with(scene::ball([0.0, 0.0, 6.0]))
        .with(scene::rope([0.5, 0.0, 6.0]))
        .with(scene::net([-0.7, 0.0, 6.0], [0.2, 0.0, 0.0], [0.0, 0.2, 0.0], (21, 21), false))
        .with(scene::floor([0.0, 0.0, 1.0], 0.3));
    let mut both = Play::pair(&scene)?;
    let bodies = ["ball", "rope", "net"].map(|name| both[0].body(name));
    let from = bodies.map(|b| center(both[0].world(), b));
    both.iter_mut().try_for_each(|play| play.run(seconds, |_| {}))?;
    let fallen = 0.5 * GRAVITY * seconds * (seconds + step_s);
    let mut rows = Vec::new();
    for (k, [way, off]) in [
        ["ball falls", "ball off, of the way"],
        ["rope falls", "rope off, of the way"],
        ["net falls", "net off, of the way"],
    ]
    .into_iter()
    .enumerate()
    {
        let worlds = [both[0].world(), both[1].world()];
        let fell = from[k].z - center(worlds[0], bodies[k]).z;
        rows.push(Row::share(way, "m", fell, fallen, 1e-6));
        rows.push(Row::new(off, "", apart(worlds, bodies[k], from[k]), 0.0, PLACE));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_filter_flight_is_free_and_what_is_off_is_seen() {
        let scene = Scene { filter: false, ..USUAL.scene() };
        let rows = compare(&scene, Vec3::X, 0.1, TIME[0]).unwrap();
        assert!(rows.iter().all(|row| row.timing || row.holds()), "{} m, {} J", rows[0].value, rows[1].value);
        // One that is thrown a little faster, and one that is strained, are seen.
        let mut both = Play::pair(&scene).unwrap();
        let b = both[0].body("cube");
        let from = center(both[0].world(), b);
        both[0].throw("cube", Vec3::X * 1.000_001);
        both[1].throw("cube", Vec3::X);
        both.iter_mut().for_each(|play| play.run(0.1, |_| {}).unwrap());
        assert!(apart([both[0].world(), both[1].world()], b, from) > PLACE);
        let mut stretched = both[0].world().clone();
        stretched.state.pos.iter_mut().for_each(|p| *p *= 1.001);
        assert!(body_energy(&stretched, b, EnergyKind::Elastic) > STRAIN);
    }
}
