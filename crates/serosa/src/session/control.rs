//! The motion of control elements that a scene describes.

use serosa_bake::raw::{ControlMove, RawModel, RawScene};
use serosa_geometry::{Vec3, rotation};
use serosa_sim::Control;

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
