//! `Input`: all that the outside may say in one tick.

use crate::model::Pose;
use crate::{Quat, Real, Vec3};
use serde::{Deserialize, Serialize};

/// Where a hand holds its tool, on a fixed lattice: micrometres and 2⁻¹⁶ of a quaternion.
///
/// The lattice is finer than any hand or device, and makes a recording small and exact at once: what is
/// recorded is what was applied, to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hand {
    /// Position of the tip \[µm\].
    pub pos_um: [i32; 3],
    /// Quaternion x, y, z, w \[2⁻¹⁶\].
    pub rot_q16: [i32; 4],
    /// How far the jaws are closed \[‰\]: 0 is open, 1000 closed. Beyond half they grasp.
    pub jaw: i32,
}

/// A pose that is not finite, not a rotation, or farther than two kilometres away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadPose;

impl Hand {
    /// The nearest lattice pose.
    pub fn new(pos: Vec3, rot: Quat) -> Result<Self, BadPose> {
        let length = rot.length();
        if !(pos.abs().max_element() < 2000.0 && length > 1e-6 && length.is_finite()) {
            return Err(BadPose);
        }
        let rot = rot * (1.0 / length);
        Ok(Self {
            pos_um: (pos * 1e6).round().to_array().map(|v| v as i32),
            rot_q16: (rot * 65536.0).to_array().map(|v| v.round() as i32),
            jaw: 0,
        })
    }

    /// The same with the jaws open or closed.
    pub fn gripping(self, grip: bool) -> Self {
        Self { jaw: if grip { 1000 } else { 0 }, ..self }
    }

    /// Whether the jaws are closed far enough to grasp.
    pub fn grips(&self) -> bool {
        self.jaw > 500
    }

    /// The pose meant.
    pub fn pose(&self) -> Pose {
        let q = self.rot_q16.map(Real::from);
        let rot = Quat::from_array(q);
        let length = rot.length();
        let rot = if length > 0.0 { rot * (1.0 / length) } else { Quat::IDENTITY };
        Pose { pos: Vec3::from_array(self.pos_um.map(Real::from)) * 1e-6, rot }
    }
}

/// Where a control element of a flexible body is led, on the lattice of [`Hand`]; forces are those of elements led by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Control {
    /// Where its origin is to be \[µm\].
    pub pos_um: [i32; 3],
    /// How it is to be turned: quaternion x, y, z, w \[2⁻¹⁶\].
    pub rot_q16: [i32; 4],
    /// How many times as long it is to be along each axis, before it is turned \[2⁻¹⁶\].
    pub scale_q16: [i32; 3],
    /// Force on it \[µN\].
    pub force_un: [i32; 3],
    /// Torque on it about its origin \[µN m\].
    pub torque_unm: [i32; 3],
}

impl Control {
    /// The nearest lattice place, without forces.
    pub fn new(pos: Vec3, rot: Quat, scale: Vec3) -> Result<Self, BadPose> {
        let hand = Hand::new(pos, rot)?;
        let small = scale.abs().max_element() < 1000.0;
        if !small || !scale.is_finite() {
            return Err(BadPose);
        }
        let scale_q16 = (scale * 65536.0).round().to_array().map(|v| v as i32);
        let (pos_um, rot_q16) = (hand.pos_um, hand.rot_q16);
        Ok(Self { pos_um, rot_q16, scale_q16, force_un: [0; 3], torque_unm: [0; 3] })
    }

    /// The same with a force and a torque; those beyond two thousand newtons are cut short.
    pub fn loaded(self, force: Vec3, torque: Vec3) -> Self {
        let micro = |v: Vec3| (v * 1e6).round().to_array().map(|v| v as i32);
        Self { force_un: micro(force), torque_unm: micro(torque), ..self }
    }

    /// Where its origin is to be and how it is to be turned.
    pub fn pose(&self) -> Pose {
        Hand { pos_um: self.pos_um, rot_q16: self.rot_q16, jaw: 0 }.pose()
    }

    /// How many times as long it is to be along each axis.
    pub fn scale(&self) -> Vec3 {
        Vec3::from_array(self.scale_q16.map(Real::from)) / 65536.0
    }

    /// Force \[N\] and torque \[N m\] on it.
    pub fn load(&self) -> [Vec3; 2] {
        [self.force_un, self.torque_unm].map(|v| Vec3::from_array(v.map(Real::from)) * 1e-6)
    }
}

/// All that the outside says in one tick. Absolute, so that a lost tick loses nothing lasting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// One per tool, or none to leave all tools where they are led.
    pub hands: Vec<Hand>,
    /// One per control element of all flexible bodies, or none to leave all where they are led.
    pub controls: Vec<Control>,
    /// Passes over springs and rows; 0 means the scene's own number.
    pub sweeps: u32,
    /// Values of the scene's tunables in SI, in its order; empty to leave them.
    pub tunables: Vec<Real>,
}

impl Input {
    /// What leaves a world as it is led now: hands at the targets, control elements at their goals, tunables at their
    /// start.
    pub fn at_rest(world: &crate::World) -> Self {
        let hand = |lead: &crate::state::Lead| Hand::new(lead.target.pos, lead.target.rot).ok();
        Self {
            hands: world.state.leads.iter().filter_map(hand).collect(),
            controls: world.state.controls.iter().map(|c| c.goal).collect(),
            sweeps: 0,
            tunables: world.params.tunables.iter().map(|t| t.start).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_on_the_lattice_stays() {
        let hand = Hand::new(Vec3::new(0.1234567, -0.5, 1e-6), Quat::from_xyzw(0.1, 0.2, 0.3, 0.9)).unwrap();
        let pose = hand.pose();
        assert_eq!(Hand::new(pose.pos, pose.rot).unwrap(), hand);
        assert!((pose.pos - Vec3::new(0.1234567, -0.5, 1e-6)).length() < 1e-6);
    }

    #[test]
    fn poses_that_are_none_are_refused() {
        assert_eq!(Hand::new(Vec3::NAN, Quat::IDENTITY), Err(BadPose));
        assert_eq!(Hand::new(Vec3::X * 1e5, Quat::IDENTITY), Err(BadPose));
        assert_eq!(Hand::new(Vec3::X, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)), Err(BadPose));
        assert_eq!(Hand::new(Vec3::X, Quat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0)), Err(BadPose));
    }
}
