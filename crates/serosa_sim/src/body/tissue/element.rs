//! What tissue resists: lengths, areas and volumes, each a quantity of a few vertices.
//!
//! A quantity q with the stiffness k has the energy ½ k (q − q₀)² and, sheared or stretched in time, the viscous force
//! τ k q̇ along its own gradient. Over a substep both are taken at its end, with q linear in the motion: the impulse
//! on the vertices is −(pull + rate ∇q·v) ∇q. The gradients of a quantity add up to zero, and so do their moments.

use crate::model::{Face, Fold};
use crate::{Real, Vec3};

/// A substep as the elements see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Its length \[s\].
    pub h: Real,
    /// Viscous forces are the elastic ones of the strain that this time brings \[s\].
    pub relaxation: Real,
    /// Elastic forces as the substep ends, not as it begins.
    pub implicit: bool,
}

impl Clock {
    /// Impulse along the gradient if nothing moved, and the rate at which it grows with the speed of the quantity.
    #[inline(always)]
    pub fn impulse(&self, stiffness: Real, rest: Real, now: Real) -> (Real, Real) {
        let viscous = stiffness * self.relaxation;
        let ahead = if self.implicit { self.h } else { 0.0 };
        (self.h * stiffness * (now - rest), self.h * (stiffness * ahead + viscous))
    }
}

/// A spring at work.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Along {
    pub ends: [u32; 2],
    /// From the first end to the second; its square is the impulse for a unit of relative speed along it, beyond that
    /// across it \[kg\].
    pub grad: Vec3,
    /// Impulse for a unit of relative speed in any direction \[kg\].
    pub across: Real,
}

/// A triangle at work.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread {
    pub corners: [u32; 3],
    /// Gradients of the area at the second and the third corner, times the root of the rate \[√kg\].
    pub grads: [Vec3; 2],
}

/// A fold at work.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bent {
    pub nodes: [u32; 4],
    /// Gradients of the volume at the second to the fourth node, times the root of the rate \[√kg\].
    pub grads: [Vec3; 3],
}

/// Area, its gradients at the second and the third corner, and twice the area as a vector.
#[inline(always)]
pub(super) fn area([a, b, c]: [Vec3; 3]) -> (Real, [Vec3; 2], Vec3) {
    let (u, v) = (b - a, c - a);
    let twice = u.cross(v);
    let length = twice.length();
    // A triangle without area does not say where it would grow.
    let half = if length > 1e-20 { twice * (0.5 / length) } else { Vec3::ZERO };
    (0.5 * length, [v.cross(half), half.cross(u)], twice)
}

/// Signed volume of a tetrahedron, and its gradients at the second to the fourth node.
#[inline(always)]
pub(super) fn volume([a, b, c, d]: [Vec3; 4]) -> (Real, [Vec3; 3]) {
    let (u, v, w) = (b - a, c - a, (d - a) * (1.0 / 6.0));
    let grads = [v.cross(w), w.cross(u), u.cross(v) * (1.0 / 6.0)];
    (u.dot(grads[0]), grads)
}

impl Face {
    /// Its area, with gradients.
    #[inline]
    pub(super) fn now(&self, pos: &[Vec3]) -> (Real, [Vec3; 2], Vec3) {
        area(self.corners.map(|v| pos[v.at()]))
    }
}

impl Fold {
    /// Its volume, with gradients.
    #[inline]
    pub(super) fn now(&self, pos: &[Vec3]) -> (Real, [Vec3; 3]) {
        volume(self.nodes.map(|v| pos[v.at()]))
    }
}
