//! A triangle prepared for many tests: its plane, and how far rounding can mislead about the sides of it.

use super::{Triangle, any_side_meets, beyond, meet_beyond_corner, meet_beyond_edge, orientation};
use crate::{Real, Vec3};

/// Of the permanent of the determinant: more than twice what rounding can do. Every difference of coordinates, product
/// and sum on the way adds half a unit in the last place, eight of them in a row; this is sixteen.
pub(crate) const ROUNDING: Real = 16.0 * Real::EPSILON / 2.0;
/// What products that leave the range of a double can do; such triangles (smaller than 1e-66) are decided slowly.
pub(crate) const UNDERFLOW: Real = 1e-200;

/// A triangle and its plane. Whether a point is certainly on one side of it costs two scalar products; only what is
/// too near to the plane for that is decided by the exact predicates. Corners must be finite.
#[derive(Clone, Copy, Debug, Default)]
pub struct Face {
    corners: Triangle,
    /// Not of unit length.
    normal: Vec3,
    /// Sizes of the products in the normal, times the rounding of the whole determinant.
    doubt: Vec3,
}

impl Face {
    /// Prepares a triangle.
    #[inline]
    pub fn of(corners: Triangle) -> Self {
        let [a, b, c] = corners;
        let (u, v) = (b - a, c - a);
        let left = Vec3::new(u.y * v.z, u.z * v.x, u.x * v.y);
        let right = Vec3::new(u.z * v.y, u.x * v.z, u.y * v.x);
        Self { corners, normal: left - right, doubt: (left.abs() + right.abs()) * ROUNDING }
    }

    /// The corners.
    pub fn corners(&self) -> &Triangle {
        &self.corners
    }

    /// On which side of its plane a point lies: the same as [`orientation`], exactly.
    #[inline]
    pub fn side(&self, p: Vec3) -> i8 {
        let d = p - self.corners[0];
        let height = self.normal.dot(d);
        let doubt = self.doubt.dot(d.abs()) + UNDERFLOW;
        match height.abs() > doubt {
            true => i8::from(height < 0.0) - i8::from(height > 0.0),
            false => self.doubtful_side(p),
        }
    }

    #[cold]
    #[inline(never)]
    fn doubtful_side(&self, p: Vec3) -> i8 {
        let [a, b, c] = self.corners;
        orientation(a, b, c, p)
    }

    /// Sides of all corners of a triangle. Written out: the closure of a `map` is called, not inlined.
    #[inline]
    fn sides(&self, [p, q, r]: &Triangle) -> [i8; 3] {
        [self.side(*p), self.side(*q), self.side(*r)]
    }

    /// Whether two closed triangles have a point in common; touching counts.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        let sides_of_other = self.sides(&other.corners);
        if beyond(sides_of_other) {
            return false;
        }
        let sides_of_self = other.sides(&self.corners);
        if beyond(sides_of_self) {
            return false;
        }
        if sides_of_self.contains(&0) || sides_of_other.contains(&0) {
            return any_side_meets(&self.corners, sides_of_self, &other.corners)
                || any_side_meets(&other.corners, sides_of_other, &self.corners);
        }
        cross(alone_first(self.corners, sides_of_self), alone_first(other.corners, sides_of_other))
    }

    /// Whether two triangles with the corners `a` of this one and `b` of the other in common meet beyond it.
    #[inline]
    pub fn meets_beyond_corner(&self, a: usize, other: &Self, b: usize) -> bool {
        // Where both other corners lie strictly on one side, the plane has only the shared one in common with it.
        let parts = |face: &Self, t: &Triangle, k: usize| {
            let (s, e) = (face.side(t[(k + 1) % 3]), face.side(t[(k + 2) % 3]));
            s * e > 0
        };
        let turned = |t: &Triangle, k: usize| [t[k], t[(k + 1) % 3], t[(k + 2) % 3]];
        !parts(self, &other.corners, b)
            && !parts(other, &self.corners, a)
            && meet_beyond_corner(&turned(&self.corners, a), &turned(&other.corners, b))
    }

    /// Whether two triangles with a side in common meet beyond it; `a` is the corner of this one that the other has
    /// not, and `b` that of the other.
    #[inline]
    pub fn meets_beyond_edge(&self, a: usize, other: &Self, b: usize) -> bool {
        let apex = other.corners[b];
        let [p, q] = [self.corners[(a + 1) % 3], self.corners[(a + 2) % 3]];
        self.side(apex) == 0 && meet_beyond_edge([p, q], self.corners[a], apex)
    }
}

/// Turned so that the corner that is alone on its side of the other's plane comes first, and mirrored if that is the
/// side of positive sign, together with whether it was.
fn alone_first([a, b, c]: Triangle, [s, t, u]: [i8; 3]) -> (Triangle, bool) {
    let (turned, sign) = if t == u {
        ([a, b, c], s)
    } else if s == u {
        ([b, c, a], t)
    } else {
        ([c, a, b], u)
    };
    (turned, sign > 0)
}

/// Two triangles that each have corners strictly on both sides of the other's plane meet both planes' line in segments;
/// whether these overlap is the sign of two determinants (Guigue and Devillers, Journal of Graphics Tools 8, 2003).
fn cross((a, a_below): (Triangle, bool), (b, b_below): (Triangle, bool)) -> bool {
    let mirrored = |[p, q, r]: Triangle, mirror: bool| if mirror { [p, r, q] } else { [p, q, r] };
    // Each is turned about so that the other's lone corner lies above it.
    let [p, q, r] = mirrored(a, b_below);
    let [s, t, u] = mirrored(b, a_below);
    orientation(p, q, s, t) >= 0 && orientation(p, r, u, s) >= 0
}
