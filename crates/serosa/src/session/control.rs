//! The motion of control elements: as a scene describes it, or at random.

use super::device::SplitMix;
use serosa_bake::raw::{ControlMove, RawModel, RawScene};
use serosa_geometry::{Aabb, Vec3, rotation};
use serosa_sim::body::flexible::elements;
use serosa_sim::{Control, World};

/// The way of a control element, in order of time.
#[derive(Debug)]
pub struct Drive {
    moves: Vec<ControlMove>,
    /// Where its middle is at rest \[m\], once it is known.
    origin: Option<Vec3>,
    /// Where the search for the present pair begins.
    now: usize,
}

impl Drive {
    /// One for each control element of a scene, in its order.
    pub fn of_scene(raw: &RawScene) -> Vec<Self> {
        let controls = raw.bodies.iter().flat_map(|body| match &body.model {
            RawModel::Flexible(flexible) => &flexible.controls[..],
            _ => &[],
        });
        controls.map(|c| Self::new(c.moves.clone())).collect()
    }

    fn new(mut moves: Vec<ControlMove>) -> Self {
        if !moves.is_empty() {
            // It sets out at time zero, from rest.
            let zero = Vec3::ZERO;
            let still = ControlMove {
                time_s: 0.0,
                shift: zero,
                turn: zero,
                scale: Vec3::ONE,
                force: zero,
                torque: zero,
            };
            moves.insert(0, still);
        }
        Self { moves, origin: None, now: 0 }
    }

    /// Where the element is to be at a time; one without moves is left alone.
    pub fn lead(&mut self, time: f64, control: &mut Control) {
        let origin = *self.origin.get_or_insert(control.pose().pos);
        while self.moves.get(self.now + 1).is_some_and(|m| m.time_s <= time) {
            self.now += 1;
        }
        let Some(a) = self.moves.get(self.now) else { return };
        let b = self.moves.get(self.now + 1).unwrap_or(a);
        let s = if b.time_s > a.time_s { (time - a.time_s) / (b.time_s - a.time_s) } else { 0.0 };
        // Along the vectors themselves, so that turns of more than half a circle are made as written.
        let turn = rotation::from_rotation_vector(a.turn.lerp(b.turn, s));
        if let Ok(place) = Control::new(origin + a.shift.lerp(b.shift, s), turn, a.scale.lerp(b.scale, s)) {
            *control = place.loaded(a.force.lerp(b.force, s), a.torque.lerp(b.torque, s));
        }
    }
}

/// A control element that goes from one random place to the next, about where it is at rest.
#[derive(Debug)]
pub struct Roam {
    drive: Drive,
    random: SplitMix,
    /// How far it goes \[m\], and how long that takes \[s\].
    far: f64,
    each_s: f64,
}

impl Roam {
    /// The farthest way, as a part of the size of the body; the largest turn \[rad\] and change of scale.
    const FAR: f64 = 0.1;
    const TURN: f64 = 0.4;
    const GROW: f64 = 0.1;

    /// One for each control element of a world, at a given speed \[m/s\].
    pub fn of_world(world: &World, seed: u64, speed: f64) -> Vec<Self> {
        let one = |(i, (body, _)): (usize, (serosa_sim::BodyId, _))| {
            let range = world.model.bodies[body.at()].vertex_range();
            let far = Self::FAR * Aabb::around(world.model.rest[range].iter().copied()).size().length();
            let random = SplitMix(seed ^ (i as u64 + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93));
            Self { drive: Drive::new(Vec::new()), random, far, each_s: (far / speed).max(0.01) }
        };
        elements(&world.model).enumerate().map(one).collect()
    }

    /// Where the element is to be at a time.
    pub fn lead(&mut self, time: f64, control: &mut Control) {
        while self.drive.moves.last().is_none_or(|m| m.time_s < time) {
            let r = &mut self.random;
            let mut any = || Vec3::new(r.unit(), r.unit(), r.unit()) * 2.0 - Vec3::ONE;
            let next = ControlMove {
                time_s: self.drive.moves.last().map_or(0.0, |m| m.time_s) + self.each_s,
                shift: any() * self.far,
                turn: any() * Self::TURN,
                scale: Vec3::ONE + any() * Self::GROW,
                force: Vec3::ZERO,
                torque: Vec3::ZERO,
            };
            self.drive.moves.push(next);
        }
        self.drive.lead(time, control);
    }
}
