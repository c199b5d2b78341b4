//! Steps, and how they are shortened.

use crate::model::Pose;
use crate::{Real, Vec3};
use serosa_geometry::rotation::to_rotation_vector;

/// What a clip has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Shortened {
    /// Vertices, and rigid frames, whose steps are shorter than what was asked for.
    pub(crate) vertices: u32,
    /// Attachments that hold such a vertex.
    pub(crate) attachments: u32,
}

/// Motion along `dir` is at most `most`.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfSpace {
    pub(super) dir: Vec3,
    pub(super) most: Real,
}

/// A half-space for a point of a rigid frame, `arm` away from its origin in the world \[m\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    pub(super) arm: Vec3,
    pub(super) half: HalfSpace,
}

/// A step of a rigid frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Turn {
    pub(super) shift: Vec3,
    pub(super) turn: Vec3,
}

/// A step shortened so that it stays in all half-spaces.
#[inline]
pub(super) fn clip_within(step: Vec3, halves: &[HalfSpace]) -> Vec3 {
    let mut dx = step;
    for _ in 0..3 {
        let mut fits = true;
        for h in halves {
            let over = dx.dot(h.dir) - h.most;
            if over > 0.0 {
                dx -= h.dir * over;
            }
            fits &= over <= 0.0;
        }
        if fits {
            return dx;
        }
    }
    // In a corner the passes may not have come to rest: what is left is shortened as a whole.
    dx * halves.iter().map(|h| share_of(dx.dot(h.dir), h.most)).fold(1.0, Real::min)
}

/// The same for a rigid frame.
pub(super) fn turn_within(wanted: Turn, arms: &[Arm]) -> Turn {
    let mut now = wanted;
    for _ in 0..3 {
        for a in arms {
            let over = now.ahead(a) - a.half.most;
            if over > 0.0 {
                now.shift -= a.half.dir * over;
            }
        }
    }
    // Wedged by its ends, what turns would be shifted ever farther: never farther than it was to go, shift and turn together.
    let arm = arms.iter().map(|a| a.arm.length()).fold(0.0, Real::max);
    let angle = wanted.turn.length();
    let farthest = wanted.shift.length() + arm * (angle + 0.5 * angle * angle);
    let share = arms.iter().map(|a| share_of(now.ahead(a), a.half.most)).fold(1.0, Real::min);
    let share = share.min(share_of(now.shift.length(), farthest));
    Turn { shift: now.shift * share, turn: now.turn * share }
}

impl Turn {
    /// From one pose to another.
    pub(super) fn between(from: &Pose, to: &Pose) -> Self {
        Self { shift: to.pos - from.pos, turn: to_rotation_vector(to.rot * from.rot.conjugate()) }
    }

    /// Nothing where it is not a number.
    pub(super) fn finite(self) -> Self {
        if self.shift.is_finite() && self.turn.is_finite() { self } else { Self::default() }
    }

    /// How far an arm goes along its half-space.
    pub(super) fn ahead(&self, a: &Arm) -> Real {
        let bow = 0.5 * self.turn.length_squared() * a.arm.length();
        (self.shift + self.turn.cross(a.arm)).dot(a.half.dir) + bow
    }
}

/// How much of a motion `ahead` stays within `most`.
fn share_of(ahead: Real, most: Real) -> Real {
    if ahead <= most { 1.0 } else { (most / ahead).max(0.0) }
}
