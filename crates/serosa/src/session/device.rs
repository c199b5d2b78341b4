//! Devices: what leads the tools. Replay is one, so are a script and seeded random motion.

use super::control::{Drive, Roam};
use serosa_bake::raw::{Move, RawScene, RawTool};
use serosa_geometry::{Aabb, Quat, Vec3, rotation};
use serosa_sim::detect::{Places, solid_of};
use serosa_sim::model::Model;
use serosa_sim::{Hand, Input, PrimId, World};

/// A source of inputs.
#[derive(Debug)]
pub enum Device {
    /// Hands move along given places, or rest; control elements do as the scene says.
    Script(Vec<Path>, Vec<Drive>),
    /// Violent random motion of hands, jaws and control elements, the same for the same seed; in a storm tunables jump as
    /// well.
    Random(Vec<Wander>, Vec<Roam>, Option<Storm>),
    /// The inputs of a recording; the last is kept when it ends.
    Playback(Vec<(u64, Input)>, usize),
}

impl Device {
    /// The motion that the scene itself describes, of tools that begin where the model has them.
    pub fn of_scene(raw: &RawScene, model: &Model) -> Self {
        Self::script(raw, model, raw.tools.iter().map(|t| t.moves.clone()).collect())
    }

    /// The motion of a script, one list of moves for each tool.
    pub fn script(raw: &RawScene, model: &Model, moves: Vec<Vec<Move>>) -> Self {
        // A tool that was moved out of what it overlapped takes its hand along.
        let start = |t: &serosa_sim::model::Tool| model.rigids[t.rigid.at()].rest.point(t.tip);
        let path = |((raw, tool), m): ((&RawTool, _), _)| Path::new(start(tool), raw, m);
        let paths = raw.tools.iter().zip(&model.tools).zip(moves).map(path).collect();
        Self::Script(paths, Drive::of_scene(raw))
    }

    /// Random motion through the whole scene at a given speed \[m/s\]; jaws open and close on the way.
    pub fn random(world: &World, seed: u64, speed: f64) -> Self {
        let room = room(world);
        let wander = |(i, lead): (usize, &serosa_sim::state::Lead)| Wander {
            room,
            speed,
            random: SplitMix(seed ^ (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)),
            from: (lead.target.pos, lead.target.rot),
            to: (lead.target.pos, lead.target.rot),
            grip: false,
            start_s: 0.0,
            end_s: 0.0,
        };
        let roams = Roam::of_world(world, seed, speed);
        Self::Random(world.state.leads.iter().enumerate().map(wander).collect(), roams, None)
    }

    /// Random motion, and every tunable of the scene jumps about in its range, to its ends above all.
    pub fn storm(world: &World, seed: u64, speed: f64) -> Self {
        let ranges = world.params.tunables.iter().map(|t| [t.min, t.max]).collect();
        let storm = Storm { ranges, random: SplitMix(!seed), next_s: 0.0 };
        match Self::random(world, seed, speed) {
            Self::Random(wanders, roams, _) => Self::Random(wanders, roams, Some(storm)),
            other => other,
        }
    }

    /// Says what the outside says at a tick. The hands of `input` are overwritten where the device leads.
    pub fn read(&mut self, tick: u64, dt_s: f64, input: &mut Input) {
        // The input of a tick is where the hand is at its end.
        let time = (tick + 1) as f64 * dt_s;
        match self {
            Self::Script(paths, drives) => {
                for (control, drive) in input.controls.iter_mut().zip(drives) {
                    drive.lead(time, control);
                }
                for (hand, path) in input.hands.iter_mut().zip(paths) {
                    lead(hand, path.at(time));
                    *hand = hand.gripping(path.places[path.now].3);
                }
            }
            Self::Random(wanders, roams, storm) => {
                for (control, roam) in input.controls.iter_mut().zip(roams) {
                    roam.lead(time, control);
                }
                for (hand, wander) in input.hands.iter_mut().zip(wanders) {
                    lead(hand, wander.at(time));
                    *hand = hand.gripping(wander.grip);
                }
                if let Some(storm) = storm {
                    storm.blow(time, &mut input.tunables);
                }
            }
            Self::Playback(changes, next) => {
                while changes.get(*next).is_some_and(|(t, _)| *t <= tick) {
                    input.clone_from(&changes[*next].1);
                    *next += 1;
                }
            }
        }
    }
}

fn lead(hand: &mut Hand, (pos, rot): (Vec3, Quat)) {
    if let Ok(pose) = Hand::new(pos, rot) {
        *hand = pose;
    }
}

/// A hand's way through given places.
#[derive(Debug)]
pub struct Path {
    /// (time, tip, orientation, jaws closed), by time.
    places: Vec<(f64, Vec3, Quat, bool)>,
    /// Where the search for the present pair begins.
    now: usize,
}

impl Path {
    /// From where the tool begins. Moves that only say again where the scene puts it are about that place; from the
    /// first that says another, all are where they say.
    fn new(start: Vec3, raw: &RawTool, moves: Vec<Move>) -> Self {
        let turn = |d: Vec3| rotation::between(Vec3::NEG_Z, d);
        // It sets out at time zero.
        let mut places = vec![(0.0, start, turn(raw.direction), false)];
        let mut left = false;
        for m in moves {
            left |= m.tip != raw.tip;
            let (tip, before) = (if left { m.tip } else { start }, places[places.len() - 1].2);
            places.push((m.time_s, tip, m.direction.map_or(before, turn), m.grip));
        }
        Self { places, now: 0 }
    }

    fn at(&mut self, time: f64) -> (Vec3, Quat) {
        while self.places.get(self.now + 1).is_some_and(|p| p.0 <= time) {
            self.now += 1;
        }
        let (t0, p0, q0, _) = self.places[self.now];
        match self.places.get(self.now + 1) {
            Some(&(t1, p1, q1, _)) if t1 > t0 => blend((p0, q0), (p1, q1), (time - t0) / (t1 - t0)),
            _ => (p0, q0),
        }
    }
}

fn blend(a: (Vec3, Quat), b: (Vec3, Quat), s: f64) -> (Vec3, Quat) {
    let turn = rotation::to_rotation_vector(b.1 * a.1.conjugate());
    (a.0.lerp(b.0, s), rotation::from_rotation_vector(turn * s) * a.1)
}

/// A hand that goes from one random place to the next.
#[derive(Debug)]
pub struct Wander {
    room: Aabb,
    speed: f64,
    random: SplitMix,
    from: (Vec3, Quat),
    to: (Vec3, Quat),
    /// Whether the jaws are closed on this way.
    grip: bool,
    start_s: f64,
    end_s: f64,
}

impl Wander {
    fn at(&mut self, time: f64) -> (Vec3, Quat) {
        while time > self.end_s {
            let r = &mut self.random;
            let place = Vec3::new(r.unit(), r.unit(), r.unit());
            let turn = Vec3::new(r.unit() - 0.5, r.unit() - 0.5, r.unit() - 0.5) * 2.0;
            self.from = self.to;
            self.to = (self.room.min + self.room.size() * place, rotation::from_rotation_vector(turn));
            self.grip = r.unit() < 0.5;
            self.start_s = self.end_s;
            self.end_s += ((self.to.0 - self.from.0).length() / self.speed).max(0.01);
        }
        blend(self.from, self.to, (time - self.start_s) / (self.end_s - self.start_s))
    }
}

/// Tunables that jump.
#[derive(Debug)]
pub struct Storm {
    /// Smallest and largest of each, SI.
    ranges: Vec<[f64; 2]>,
    random: SplitMix,
    next_s: f64,
}

impl Storm {
    /// How long all tunables stay between two jumps \[s\].
    const CALM: f64 = 0.1;

    /// One tunable after the other, at random, goes to one of its ends or anywhere between.
    fn blow(&mut self, time: f64, tunables: &mut [f64]) {
        while time > self.next_s && !self.ranges.is_empty() {
            let r = &mut self.random;
            let which = (r.bits() % self.ranges.len() as u64) as usize;
            let [min, max] = self.ranges[which];
            let share = match r.bits() % 3 {
                0 => 0.0,
                1 => 1.0,
                _ => r.unit(),
            };
            if let Some(value) = tunables.get_mut(which) {
                *value = min + (max - min) * share;
            }
            self.next_s += Self::CALM;
        }
    }
}

/// The box around everything bounded, so that random hands go where the bodies are.
fn room(world: &World) -> Aabb {
    let state = &world.state;
    let at = Places { pos: &state.pos, pose: &state.pose, radius: &state.radius };
    let tips = Aabb::around(state.leads.iter().map(|l| l.target.pos));
    (0..world.model.prims.len())
        .filter(|&i| !world.model.tools.iter().any(|t| t.body == world.model.prims[i].body))
        .map(|i| solid_of(&world.model, PrimId::from(i), at).bounds())
        .filter(|b| b.size().is_finite())
        .fold(tips, Aabb::join)
        .grown(0.01)
}

/// The generator of Steele, Lea and Flood (2014): a counter and a mixer.
#[derive(Clone, Debug)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// The next number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A probe begins in a ball of tissue that is held, and is put beside it.
    const PARTED: &str = r#"serosa = 1
title = "Parted"
[world]
overlaps = "part"
[[body]]
name = "ball"
shape.ball = { center = [0, 0, 0], size = "6 cm", vertices = 100 }
model.solid = { young = "5 kPa", fill = { tets = 300 } }
attach = [{ plane = { point = [0, 0, 0], normal = [0, 0, 1] } }]
[[tool]]
name = "probe"
shape.sphere = { radius = "5 mm" }
tip = [0, 0, "2 cm"]
[[tool.move]]
time = "1 s"
tip = [0, 0, "2 cm"]
[[tool.move]]
time = "2 s"
tip = [0, 0, "10 cm"]
[[tool.move]]
time = "3 s"
tip = [0, 0, "2 cm"]
"#;

    #[test]
    fn a_hand_begins_where_its_tool_was_put_and_goes_where_its_script_says() {
        let loaded = serosa_io::scene::load(PARTED, &|_: &str| Err("no files".into())).unwrap();
        let world = loaded.baked.world();
        let start = world.state.leads[0].target.pos;
        assert!(start.z > 0.033, "it was put beside: {start}");
        let (mut device, mut input) = (Device::of_scene(&loaded.raw, &world.model), Input::at_rest(&world));
        assert_eq!(input.hands[0].pose().pos, Hand::new(start, Quat::IDENTITY).unwrap().pose().pos);
        let mut at = |time: f64| {
            device.read((time * 1e3) as u64 - 1, 1e-3, &mut input);
            input.hands[0].pose().pos
        };
        for time in [0.001, 0.5, 1.0] {
            assert!((at(time) - start).length() < 1e-7, "at {time} s");
        }
        assert!((at(1.5) - (start + Vec3::Z * 0.1) * 0.5).length() < 1e-3);
        // It is led away, and then into the ball: that is what the script says.
        assert!((at(2.0) - Vec3::Z * 0.1).length() < 1e-7 && (at(3.0) - Vec3::Z * 0.02).length() < 1e-7);
    }

    #[test]
    fn random_hands_close_and_open_and_storms_reach_both_ends() {
        let scene = crate::scenes::find("intestine").unwrap();
        let loaded = crate::scenes::load(&scene).unwrap();
        let world = loaded.baked.world();
        let ranges: Vec<[f64; 2]> = world.params.tunables.iter().map(|t| [t.min, t.max]).collect();
        let (mut device, mut input) = (Device::storm(&world, 1, 2.0), Input::at_rest(&world));
        let (mut closed, mut opened, mut lowest, mut highest) = (0, 0, 0, 0);
        for tick in 0..20_000 {
            device.read(tick, 1e-3, &mut input);
            if input.hands[1].grips() {
                closed += 1
            } else {
                opened += 1
            }
            for (value, [min, max]) in input.tunables.iter().zip(&ranges) {
                assert!((min..=max).contains(&value));
                lowest += u32::from(value == min);
                highest += u32::from(value == max);
            }
        }
        assert!(closed > 2000 && opened > 2000 && lowest > 2000 && highest > 2000);
    }
}
