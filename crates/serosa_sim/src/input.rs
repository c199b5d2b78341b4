//! `Input`: all that the outside may say in one tick.

use crate::model::Pose;
use crate::{BodyId, Quat, Real, Vec3};
use serde::{Deserialize, Serialize};

/// Where a hand holds its tool, on a fixed lattice: 1/64 µm and 2⁻²² of a quaternion.
///
/// The lattice makes a recording small and exact at once: what is recorded is what was applied, to the bit. It is finer
/// than any hand or device, and fine enough for a kilohertz: a coupling answers the speed of its target, which one cell a
/// millisecond makes 16 µm/s. At 28 N s/m (2 kN/m, 100 g) that is 0.4 mN; a lattice of 1 µm gave 28 mN, which a hand
/// feels. One cell of the rotation moves a shaft of 3 cm by one of the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hand {
    /// Position of the tip \[1/64 µm\].
    pub pos_64: [i32; 3],
    /// Quaternion x, y, z, w \[2⁻²²\].
    pub rot_q22: [i32; 4],
    /// How far the jaws are closed \[‰\]: 0 is open, 1000 closed. Beyond half they grasp.
    pub jaw: i32,
}

/// A pose that is not finite, not a rotation, or beyond [`Hand::REACH`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadPose;

impl Hand {
    /// How far from the origin a hand can be along each axis \[m\]: what 32 bits of the lattice hold, rounded down. Scenes that
    /// lead tools beyond it are refused when they are read.
    pub const REACH: Real = 33.0;
    /// Cells of the lattice in a metre.
    const FINE: Real = 64e6;
    /// Cells of the lattice in a quaternion's unit.
    const TURN: Real = 4_194_304.0;
    /// A rotation is on the lattice after so many roundings at most; nearly always after two.
    const SETTLE: u32 = 8;

    /// The nearest lattice pose.
    pub fn new(pos: Vec3, rot: Quat) -> Result<Self, BadPose> {
        let length = rot.length();
        if !(pos.abs().max_element() <= Self::REACH && length > 1e-6 && length.is_finite()) {
            return Err(BadPose);
        }
        let pos_64 = (pos * Self::FINE).round().to_array().map(|v| v as i32);
        let mut hand = Self { pos_64, rot_q22: Self::turn_cells(rot * (1.0 / length)), jaw: 0 };
        // A cell is not quite a unit quaternion: the one that is meant is that which its own pose gives again.
        for _ in 0..Self::SETTLE {
            let again = Self::turn_cells(hand.pose().rot);
            if std::mem::replace(&mut hand.rot_q22, again) == again {
                break;
            }
        }
        Ok(hand)
    }

    fn turn_cells(rot: Quat) -> [i32; 4] {
        (rot * Self::TURN).to_array().map(|v| v.round() as i32)
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
        let q = self.rot_q22.map(Real::from);
        let rot = Quat::from_array(q);
        let length = rot.length();
        let rot = if length > 0.0 { rot * (1.0 / length) } else { Quat::IDENTITY };
        Pose { pos: Vec3::from_array(self.pos_64.map(Real::from)) / Self::FINE, rot }
    }
}

/// Where a control element of a flexible body is led, on the lattice of [`Hand`]; forces are those of elements led by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Control {
    /// Where its origin is to be \[1/64 µm\].
    pub pos_64: [i32; 3],
    /// How it is to be turned: quaternion x, y, z, w \[2⁻²²\].
    pub rot_q22: [i32; 4],
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
        let (pos_64, rot_q22) = (hand.pos_64, hand.rot_q22);
        Ok(Self { pos_64, rot_q22, scale_q16, force_un: [0; 3], torque_unm: [0; 3] })
    }

    /// The same with a force and a torque; those beyond two thousand newtons are cut short.
    pub fn loaded(self, force: Vec3, torque: Vec3) -> Self {
        let micro = |v: Vec3| (v * 1e6).round().to_array().map(|v| v as i32);
        Self { force_un: micro(force), torque_unm: micro(torque), ..self }
    }

    /// Where its origin is to be and how it is to be turned.
    pub fn pose(&self) -> Pose {
        Hand { pos_64: self.pos_64, rot_q22: self.rot_q22, jaw: 0 }.pose()
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

/// All that the outside says in one tick. Absolute, so that a lost tick loses nothing lasting but a release.
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
    /// A body that the guard holds and that is given back at once.
    pub release: Option<BodyId>,
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
            release: None,
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
        assert!((pose.pos - Vec3::new(0.1234567, -0.5, 1e-6)).length() < 1e-6 / 64.0);
    }

    /// A hand of 1 mm/s at 1 kHz: the speed that the lattice makes of it is off by less than 16 µm/s, and what it turns by
    /// at 0.03 rad/s by less than one part in a thousand of that.
    #[test]
    fn the_lattice_is_fine_enough_for_a_kilohertz() {
        let at = |k: u32| {
            let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.4 + 3e-5 * Real::from(k));
            Hand::new(Vec3::new(0.05, -0.02, 1e-6 * Real::from(k)), turn).unwrap().pose()
        };
        for k in 0..1000 {
            let (a, b) = (at(k), at(k + 1));
            let speed = (b.pos - a.pos) / 1e-3;
            assert!((speed - Vec3::Z * 1e-3).length() < 16e-6, "{speed}");
            let turn = serosa_geometry::rotation::to_rotation_vector(b.rot * a.rot.conjugate());
            assert!((turn - Vec3::new(0.6, 0.0, 0.8) * 3e-5).length() < 1e-6, "{turn}");
        }
    }

    #[test]
    fn poses_that_are_none_are_refused() {
        assert_eq!(Hand::new(Vec3::NAN, Quat::IDENTITY), Err(BadPose));
        assert_eq!(Hand::new(Vec3::X * 33.001, Quat::IDENTITY), Err(BadPose));
        let far = Vec3::new(-Hand::REACH, 0.0, Hand::REACH);
        assert_eq!(Hand::new(far, Quat::IDENTITY).unwrap().pose().pos, far);
        assert_eq!(Hand::new(Vec3::X, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)), Err(BadPose));
        assert_eq!(Hand::new(Vec3::X, Quat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0)), Err(BadPose));
    }
}
