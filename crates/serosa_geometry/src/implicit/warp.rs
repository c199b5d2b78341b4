//! What is done to a whole recipe: tapered, bent, made uneven.

use crate::generate::{Impossible, impossible};
use crate::{Aabb, Real, Vec3};

/// Cross-sections scaled along an axis: by 1 at `at`, by `to` at `length` from there, held beyond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taper {
    /// Where it begins.
    pub at: Vec3,
    /// Unit, where it leads.
    pub along: Vec3,
    /// Over which it happens \[m\].
    pub length: Real,
    /// The scale at its end, 0.05 to 20.
    pub to: Real,
}

impl Taper {
    /// Where a point was before, and the scale there.
    pub(super) fn even_out(&self, p: Vec3) -> (Vec3, Real) {
        let d = p - self.at;
        let x = d.dot(self.along);
        let scale = 1.0 + (self.to - 1.0) * (x / self.length).clamp(0.0, 1.0);
        let on_axis = self.at + self.along * x;
        (on_axis + (p - on_axis) / scale, scale)
    }

    pub(super) fn bounds(&self, whole: Aabb) -> Aabb {
        let most = self.to.max(1.0);
        let reach = (whole.max - self.at).abs().max((whole.min - self.at).abs());
        // Sections grow away from the axis, never by more than the farthest corner does.
        whole.grown((most - 1.0) * reach.length())
    }

    pub(super) fn check(&self) -> Result<(), Impossible> {
        let unit = (self.along.length() - 1.0).abs() < 1e-6;
        let sound = self.at.is_finite() && self.length.is_finite() && self.length > 0.0;
        if unit && sound && (0.05..=20.0).contains(&self.to) {
            return Ok(());
        }
        impossible("the taper has no length, no direction or an extreme scale", "taper to 0.05 to 20")
    }
}

/// A straight body bent to an arc in the plane of `along` and `towards`; what lies at `at` stays there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// A point that stays.
    pub at: Vec3,
    /// Unit, along what was straight.
    pub along: Vec3,
    /// Unit, across `along`: where the middle of the arc lies.
    pub towards: Vec3,
    /// Of the arc that the straight line through `at` becomes \[m\].
    pub radius: Real,
}

impl Bend {
    /// Where a point was before it was bent. Behind the middle of the arc lies what was half a turn away.
    pub(super) fn straighten(&self, p: Vec3) -> Vec3 {
        let d = p - self.at;
        let (x, y) = (d.dot(self.along), self.radius - d.dot(self.towards));
        let aside = d - self.along * x - self.towards * (self.radius - y);
        let (angle, reach) = (libm::atan2(x, y), libm::sqrt(x * x + y * y));
        self.at + self.along * (self.radius * angle) + self.towards * (self.radius - reach) + aside
    }

    /// A box around the arc: all that lies no farther from its middle than the farthest corner could.
    pub(super) fn bounds(&self, straight: Aabb) -> Aabb {
        let corner = |k: usize| {
            let pick = |axis: usize| if k >> axis & 1 == 0 { straight.min[axis] } else { straight.max[axis] };
            Vec3::new(pick(0), pick(1), pick(2)) - self.at
        };
        let corners = || (0..8).map(corner);
        let far = |least: Real, d: Vec3| least.min(d.dot(self.towards));
        let outermost = self.radius - corners().fold(Real::INFINITY, far);
        let turn = corners().map(|d| d.dot(self.along).abs()).fold(0.0, Real::max) / self.radius;
        let middle = self.at + self.towards * self.radius;
        let across = self.along.cross(self.towards);
        let spread = corners().map(|d| d.dot(across).abs()).fold(0.0, Real::max);
        // The arc lies between its middle, or beyond where it turns past a quarter, and its outside.
        let width = if turn < core::f64::consts::FRAC_PI_2 { outermost * libm::sin(turn) } else { outermost };
        let inner = -outermost.abs() * libm::cos(turn.min(core::f64::consts::PI)).min(0.0);
        let ends = |x: Real, y: Real, z: Real| middle + self.along * x + self.towards * y + across * z;
        Aabb::around([-1.0, 1.0].into_iter().flat_map(|x| {
            [-outermost, inner]
                .into_iter()
                .flat_map(move |y| [-spread, spread].into_iter().map(move |z| ends(x * width, y, z)))
        }))
    }

    pub(super) fn check(&self) -> Result<(), Impossible> {
        let unit = |v: Vec3| (v.length() - 1.0).abs() < 1e-6;
        let across = self.along.dot(self.towards).abs() < 1e-6;
        if self.at.is_finite() && self.radius.is_finite() && self.radius > 0.0 {
            if unit(self.along) && unit(self.towards) && across {
                return Ok(());
            }
            return impossible(
                "the directions of the bend are not perpendicular",
                "bend across what is straight",
            );
        }
        impossible("the bend has no radius", "give it a positive radius")
    }
}

/// Smooth unevenness: noise of two octaves, the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bumps {
    /// Of the highest bumps, above and below \[m\].
    pub height: Real,
    /// From one bump to the next, about \[m\].
    pub size: Real,
    /// Another number gives other bumps.
    pub seed: u32,
}

impl Bumps {
    /// The height at a point, within ± `height`.
    pub fn height_at(&self, p: Vec3) -> Real {
        let q = p / self.size;
        let coarse = noise(q, self.seed);
        let fine = noise(q * 2.0 + 0.37, self.seed ^ 0x9e37_79b9);
        self.height * (0.75 * coarse + 0.25 * fine)
    }

    pub(super) fn check(&self) -> Result<(), Impossible> {
        let sound = self.height.is_finite() && self.height >= 0.0 && self.size.is_finite() && self.size > 0.0;
        if sound {
            return Ok(());
        }
        impossible("bumps have no size, or a negative height", "give them a positive size")
    }
}

/// Value noise in ±1: chance at the corners of a unit lattice, joined by quintics, so that second derivatives are
/// continuous and the shading shows no lattice.
fn noise(p: Vec3, seed: u32) -> Real {
    let base = p.floor();
    let f = p - base;
    let s = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    // Wraps around far from the origin; nothing depends on which lattice point it is.
    let [x, y, z] = base.to_array().map(|v| v as i64 as u32);
    let at = |i: u32, j: u32, k: u32| chance(x.wrapping_add(i), y.wrapping_add(j), z.wrapping_add(k), seed);
    let along = |j: u32, k: u32| at(0, j, k) + (at(1, j, k) - at(0, j, k)) * s.x;
    let plane = |k: u32| along(0, k) + (along(1, k) - along(0, k)) * s.y;
    plane(0) + (plane(1) - plane(0)) * s.z
}

/// A number in ±1 for a lattice point: multiply and shift until every bit has met every other.
fn chance(x: u32, y: u32, z: u32, seed: u32) -> Real {
    let mut h = seed ^ 0x51ab_7e1d;
    for word in [x, y, z] {
        h = (h ^ word).wrapping_mul(0x85eb_ca6b);
        h ^= h >> 15;
        h = h.wrapping_mul(0xc2b2_ae35);
        h ^= h >> 13;
    }
    h as Real / (u32::MAX as Real) * 2.0 - 1.0
}
