//! Discs around pieces of a surface: what a box cannot say, that a piece is flat.

use crate::meet::Triangle;
use crate::{Aabb, Real, Vec3};

/// Part by which a disc is made larger than computed: rounding stays far below.
const MARGIN: Real = 1e-12;
/// Sine of the angle of two sides below which a single triangle is taken for a ball: its normal is not exact enough.
const THIN: Real = 1e-6;

/// A cylinder around some triangles, along their mean normal.
///
/// The box around a piece of surface that is not along the axes comes nearer than the piece by half its size; a disc by
/// its curvature alone. Between two spheres that overlap, a third of the triangles is looked at that boxes would ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Disc {
    pub center: Vec3,
    /// Unit normal; zero for a ball.
    pub normal: Vec3,
    /// Half the height.
    pub half: Real,
    /// Of the cylinder, or of the ball.
    pub radius: Real,
}

impl Disc {
    /// Around some triangles in a box.
    pub fn of(around: &Aabb, triangles: impl Iterator<Item = Triangle> + Clone) -> Self {
        let sum: Vec3 = triangles.clone().map(|[a, b, c]| (b - a).cross(c - a)).sum();
        let normal = sum.try_normalize().unwrap_or(Vec3::Z);
        let middle = 0.5 * (around.min + around.max);
        let (mut low, mut high, mut wide_sq) = (Real::INFINITY, Real::NEG_INFINITY, 0.0);
        for corner in triangles.flatten() {
            let to = corner - middle;
            let height = normal.dot(to);
            (low, high) = (height.min(low), height.max(high));
            wide_sq = (to - normal * height).length_squared().max(wide_sq);
        }
        let center = middle + normal * (0.5 * (low + high));
        Self { center, normal, half: 0.5 * (high - low), radius: wide_sq.sqrt() }.grown()
    }

    /// Around one triangle: flat, or a ball where it is thin.
    #[inline]
    pub fn flat([a, b, c]: Triangle) -> Self {
        let (ab, ac) = (b - a, c - a);
        let n = ab.cross(ac);
        let thin = n.length_squared() <= THIN * THIN * ab.length_squared() * ac.length_squared();
        let normal = if thin { Vec3::ZERO } else { n * (1.0 / n.length()) };
        let center = (a + b + c) * (1.0 / 3.0);
        let far_sq = [a, b, c].map(|p| p.distance_squared(center));
        Self { center, normal, half: 0.0, radius: far_sq[0].max(far_sq[1]).max(far_sq[2]).sqrt() }.grown()
    }

    /// Around two others.
    pub fn join(_: &Aabb, a: &Self, b: &Self) -> Self {
        // Wide ones count more: the square of the radius is an area.
        let sum = a.normal * (a.radius * a.radius) + b.normal * (b.radius * b.radius);
        let normal = sum.try_normalize().unwrap_or(a.normal);
        let (ends_a, wide_a) = a.extent(normal);
        let (ends_b, wide_b) = b.extent(normal);
        let to = b.center - a.center;
        let height = normal.dot(to);
        let aside = to - normal * height;
        let (low, high) = ((-ends_a).min(height - ends_b), ends_a.max(height + ends_b));
        // Along the line between the two circles, seen from above.
        let apart = aside.length();
        let (left, right) = ((-wide_a).min(apart - wide_b), wide_a.max(apart + wide_b));
        let along = if apart > 0.0 { aside * (0.5 * (left + right) / apart) } else { Vec3::ZERO };
        let center = a.center + normal * (0.5 * (low + high)) + along;
        Self { center, normal, half: 0.5 * (high - low), radius: 0.5 * (right - left) }.grown()
    }

    /// Half height and radius of a cylinder around this one, along another axis.
    fn extent(&self, axis: Vec3) -> (Real, Real) {
        let cos = self.normal.dot(axis).abs();
        let sin = self.normal.cross(axis).length();
        (self.half * cos + self.radius * sin, self.radius + self.half * sin)
    }

    fn grown(self) -> Self {
        let by = MARGIN * (self.half + self.radius);
        Self { half: self.half + by, radius: self.radius + by, ..self }
    }
}
