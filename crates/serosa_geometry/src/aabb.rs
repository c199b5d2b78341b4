//! Axis-aligned boxes, the currency of the broad phase.

use crate::{Real, Vec3};

/// An axis-aligned box [m]. Unbounded shapes have infinite corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: Vec3,
    /// Largest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// The box that holds nothing; joining it with a point gives that point.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
    /// The box that holds everything.
    pub const ALL: Self = Self { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };

    /// The smallest box around some points.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// Grown by `by` on every side.
    #[inline]
    pub fn grown(self, by: Real) -> Self {
        Self { min: self.min - by, max: self.max + by }
    }

    /// The smallest box around both.
    #[inline]
    pub fn join(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Whether the boxes share a point; touching counts. False where a coordinate is NaN.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        // All six without a branch between them: which of them fails is what no processor can foresee.
        (self.min.x <= other.max.x)
            & (other.min.x <= self.max.x)
            & (self.min.y <= other.max.y)
            & (other.min.y <= self.max.y)
            & (self.min.z <= other.max.z)
            & (other.min.z <= self.max.z)
    }

    /// Whether a point lies in the box; the border counts.
    #[inline]
    pub fn contains(&self, p: Vec3) -> bool {
        self.min.cmple(p).all() && p.cmple(self.max).all()
    }

    /// Square of the distance from a point to the box [m²]; 0 inside.
    ///
    /// Rounding keeps order: never more than the square, taken in the same way, of the distance to a point in the box.
    #[inline]
    pub fn distance_sq(&self, p: Vec3) -> Real {
        (self.min - p).max(p - self.max).max(Vec3::ZERO).length_squared()
    }

    /// Edge lengths; infinite for unbounded boxes.
    #[inline]
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }
}
