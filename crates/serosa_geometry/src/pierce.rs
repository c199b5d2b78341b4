//! Whether a segment of one shape passes through a triangle of another, decided exactly and without ties.
//!
//! Touching is neither in nor out, and a count of crossings that leaves it to rounding is wrong somewhere: a segment
//! that runs through a corner may be counted by none or by all of the faces there. So every decision is made as if
//! the second shape were moved by (ε, ε², ε³) with an ε below every number that occurs (simulation of simplicity,
//! Edelsbrunner & Mücke 1990, with the perturbation of one rigid shift). After that no corner lies on a face and no two
//! edges touch, and a path that ends where it began crosses a closed surface as often inwards as outwards, to the
//! last bit. What touches within no distance at all has no depth, so that nothing is lost by the choice.

use crate::meet::{Triangle, orientation, orientation_along};
use crate::{Real, Vec3};

/// A determinant of three differences is off by less than this part of the product of their largest coordinates: its six
/// products sum to at most 6 of those, and each is off by a few units in 2⁵³ (Shewchuk 1997 has 7 for the whole).
const ROUNDING: Real = 32.0 * Real::EPSILON;
/// Below this, products may have lost bits at the small end of the range.
const SMALL: Real = 1e-280;

/// Which of two shapes, or solids. Of a segment and a triangle it says whose the segment is; the triangle is the other's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    /// The first: where ties are broken, the one that stays.
    First,
    /// The second: where ties are broken, the one that is thought of as moved.
    Second,
}

impl Of {
    /// The other shape.
    pub fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// A passage of a segment through a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passage {
    /// Where along the segment, from 0 to 1, rounded.
    pub at: Real,
    /// Whether it passes from behind the triangle to the side from which its corners run anticlockwise: out of a
    /// closed shape. Exact.
    pub leaving: bool,
}

/// Whether the segment passes through the triangle, and where. Corners must be finite. A triangle without area is
/// passed by nothing. O(1).
pub fn pierce([p, q]: [Vec3; 2], t: &Triangle, of: Of) -> Option<Passage> {
    pierce_from([p, q], [side(p, t, of), side(q, t, of)], t, of)
}

/// The same where the sides of the two ends are known.
#[inline]
pub(crate) fn pierce_from([p, q]: [Vec3; 2], [sp, sq]: [i8; 2], t: &Triangle, of: Of) -> Option<Passage> {
    if sp * sq >= 0 {
        return None;
    }
    // The senses in which the sides turn about the segment: as [`winding`], sharing the work.
    let (pq, corners) = (q - p, [t[0] - p, t[1] - p, t[2] - p]);
    let most = ROUNDING * pq.abs().max_element();
    let sizes = [0, 1, 2].map(|k| corners[k].abs().max_element());
    let turn = |i: usize, j: usize| -> i8 {
        let det = pq.dot(corners[i].cross(corners[j]));
        if det.abs() > most * sizes[i] * sizes[j] && det.abs() > SMALL {
            return if det < 0.0 { 1 } else { -1 };
        }
        winding([p, q], [t[i], t[j]], of)
    };
    let first = turn(0, 1);
    if first == 0 || turn(1, 2) != first || turn(2, 0) != first {
        return None;
    }
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    let (hp, hq) = (n.dot(p - t[0]).abs(), n.dot(q - t[0]).abs());
    // The heights have opposite signs; only their sizes are rounded. Both are 0 where the segment lies in the plane.
    let at = if hp + hq > 0.0 { hp / (hp + hq) } else { 0.5 };
    Some(Passage { at, leaving: sp > 0 })
}

/// [`orientation`], out of the way of what is sure of the sign without it.
#[cold]
#[inline(never)]
fn exact_orientation(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> i8 {
    orientation(a, b, c, d)
}

/// [`orientation`], from plain numbers where they are sure of the sign: six times as fast.
#[inline(always)]
fn fast_orientation(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> i8 {
    let (ad, bd, cd) = (a - d, b - d, c - d);
    let det = ad.dot(bd.cross(cd));
    let most = ROUNDING * ad.abs().max_element() * bd.abs().max_element() * cd.abs().max_element();
    if det.abs() > most && det.abs() > SMALL {
        return if det > 0.0 { 1 } else { -1 };
    }
    exact_orientation(a, b, c, d)
}

/// The sides of a triangle on which three points lie: as [`side`], sharing the work.
#[inline(always)]
pub(crate) fn sides(points: &Triangle, t: &Triangle, of: Of) -> [i8; 3] {
    let (ab, ac) = (t[1] - t[0], t[2] - t[0]);
    let normal = ab.cross(ac);
    let most = ROUNDING * ab.abs().max_element() * ac.abs().max_element();
    let of_point = |p: Vec3| -> i8 {
        let ap = p - t[0];
        let height = normal.dot(ap);
        if height.abs() > most * ap.abs().max_element() && height.abs() > SMALL {
            return if height < 0.0 { 1 } else { -1 };
        }
        side(p, t, of)
    };
    // Spelled out: mapped over an array the closure is called through memory, at twice the cost.
    [of_point(points[0]), of_point(points[1]), of_point(points[2])]
}

/// The side of the triangle on which a point lies: 1 behind it, −1 before it, 0 only where it has no area.
#[inline(never)]
pub(crate) fn side(p: Vec3, t: &Triangle, of: Of) -> i8 {
    match fast_orientation(t[0], t[1], t[2], p) {
        0 => side_of_shifted(t, of),
        exact => exact,
    }
}

/// The same for a point in the plane of the triangle, where the shift decides.
#[cold]
fn side_of_shifted(t: &Triangle, of: Of) -> i8 {
    let along = |axis| orientation_along(axis, t[0], t[1], t[2]);
    let normal = (0..3).map(along).find(|s| *s != 0).unwrap_or(0);
    if of == Of::First { normal } else { -normal }
}

/// The sense in which the line through `uv` turns about the line through `pq`; 0 only where they are parallel.
#[inline]
fn winding([p, q]: [Vec3; 2], [u, v]: [Vec3; 2], of: Of) -> i8 {
    match fast_orientation(p, q, u, v) {
        0 => winding_of_shifted([p, q], [u, v], of),
        exact => exact,
    }
}

/// The same where the lines meet, and the shift decides.
#[cold]
fn winding_of_shifted([p, q]: [Vec3; 2], [u, v]: [Vec3; 2], of: Of) -> i8 {
    let along = |axis: usize| {
        let (y, z) = ((axis + 1) % 3, (axis + 2) % 3);
        difference_sign([p[y], q[y]], [u[z], v[z]], [p[z], q[z]], [u[y], v[y]])
    };
    let shift = (0..3).map(along).find(|s| *s != 0).unwrap_or(0);
    if of == Of::First { shift } else { -shift }
}

/// The exact sign of (a₀ − a₁)(b₀ − b₁) − (c₀ − c₁)(d₀ − d₁).
fn difference_sign(a: [Real; 2], b: [Real; 2], c: [Real; 2], d: [Real; 2]) -> i8 {
    let mut sum = Sum::default();
    for (x, y, sign) in [(a, b, 1.0), (c, d, -1.0)] {
        for (x, y) in [(x[0], y[0]), (x[1], y[1]), (-x[0], y[1]), (-x[1], y[0])] {
            let (high, low) = product(sign * x, y);
            sum.add(low);
            sum.add(high);
        }
    }
    sum.sign()
}

/// A sum of up to 16 numbers without rounding: parts that do not overlap, smallest first (Shewchuk 1997, theorem 10).
#[derive(Default)]
struct Sum {
    parts: [Real; 16],
    len: usize,
}

impl Sum {
    fn add(&mut self, term: Real) {
        let mut carry = term;
        for part in &mut self.parts[..self.len] {
            let sum = carry + *part;
            let of_part = sum - carry;
            *part = (carry - (sum - of_part)) + (*part - of_part);
            carry = sum;
        }
        self.parts[self.len] = carry;
        self.len += 1;
    }

    fn sign(&self) -> i8 {
        let largest = self.parts[..self.len].iter().rev().find(|p| **p != 0.0);
        largest.map_or(0, |p| if *p > 0.0 { 1 } else { -1 })
    }
}

/// A product as two numbers whose sum it is without rounding (Dekker 1971; no fma, which not every target has).
fn product(a: Real, b: Real) -> (Real, Real) {
    let split = |x: Real| {
        let big = 134_217_729.0 * x; // 2²⁷ + 1
        let high = big - (big - x);
        (high, x - high)
    };
    let ((ah, al), (bh, bl)) = (split(a), split(b));
    let high = a * b;
    (high, al * bl - (((high - ah * bh) - al * bh) - ah * bl))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A closed surface with corners on whole numbers: a cube of side 2 whose faces are fans about their middles.
    fn cube() -> Vec<Triangle> {
        let mut all = Vec::new();
        for axis in 0..3 {
            for out in [-1.0, 1.0] {
                let at = |u: Real, v: Real| {
                    let mut p = Vec3::ZERO;
                    (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (out, u, v);
                    p
                };
                let ring = [at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
                for k in 0..4 {
                    let (u, v) = (ring[k], ring[(k + 1) % 4]);
                    all.push(if out > 0.0 { [at(0.0, 0.0), u, v] } else { [at(0.0, 0.0), v, u] });
                }
            }
        }
        all
    }

    fn real(p: [i32; 3]) -> Vec3 {
        Vec3::from_array(p.map(Real::from))
    }

    /// Passages out less passages in.
    fn balance(p: Vec3, q: Vec3, faces: &[Triangle], of: Of) -> i32 {
        let found = faces.iter().filter_map(|t| pierce([p, q], t, of));
        found.map(|x| if x.leaving { 1 } else { -1 }).sum()
    }

    fn point(most: i32) -> impl Strategy<Value = [i32; 3]> {
        prop::array::uniform3(-most..=most)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// With so few numbers nearly every segment runs through corners, along edges or in faces.
        #[test]
        fn the_way_from_a_point_to_another_does_not_matter(
            p in point(2), q in point(2), r in point(2), second in any::<bool>(),
        ) {
            let (p, q, r) = (real(p), real(q), real(r));
            let of = if second { Of::Second } else { Of::First };
            let faces = cube();
            let direct = balance(p, r, &faces, of);
            prop_assert_eq!(direct, balance(p, q, &faces, of) + balance(q, r, &faces, of));
            prop_assert_eq!(direct, -balance(r, p, &faces, of), "and back");
            prop_assert!((-1..=1).contains(&direct), "a convex shape is left or entered once");
        }

        #[test]
        fn strictly_inside_and_outside_are_told_apart(p in point(12), q in point(12)) {
            let (p, q) = (real(p) / 7.0, real(q) / 7.0);
            let inside = |x: Vec3| i32::from(x.abs().max_element() < 1.0);
            for of in [Of::First, Of::Second] {
                if p.abs().max_element() != 1.0 && q.abs().max_element() != 1.0 {
                    prop_assert_eq!(balance(p, q, &cube(), of), inside(p) - inside(q));
                }
            }
        }

        /// The exact sign where doubles cancel: products of 2⁵³ that differ by one unit.
        #[test]
        fn the_sign_of_a_difference_is_exact(
            a in prop::array::uniform2(-(1i64 << 52)..(1i64 << 52)),
            b in prop::array::uniform2(-(1i64 << 52)..(1i64 << 52)),
            by in prop::array::uniform4(-1i64..=1),
        ) {
            let c = [a[0] + by[0], a[1] + by[1]];
            let d = [b[0] + by[2], b[1] + by[3]];
            let minus = |x: [i64; 2]| i128::from(x[0] - x[1]);
            let wanted = (minus(a) * minus(b) - minus(c) * minus(d)).signum() as i8;
            let real = |x: [i64; 2]| x.map(|v| v as Real);
            prop_assert_eq!(difference_sign(real(a), real(b), real(c), real(d)), wanted);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// A point next to a plane, by units of rounding: the sign is the exact one, or left to it.
        #[test]
        fn the_fast_sign_is_the_exact_one(
            t in prop::array::uniform9(-1.0..1.0f64), w in prop::array::uniform2(-1.0..2.0f64), off in -8i32..8,
        ) {
            let [a, b, c] = [0, 3, 6].map(|k| Vec3::new(t[k], t[k + 1], t[k + 2]));
            let mut d = a + (b - a) * w[0] + (c - a) * w[1];
            d.z += f64::from(off) * f64::EPSILON;
            prop_assert_eq!(fast_orientation(a, b, c, d), orientation(a, b, c, d));
            let at_once = sides(&[d, 2.0 * d, -d], &[a, b, c], Of::First);
            prop_assert_eq!(at_once, [d, 2.0 * d, -d].map(|p| side(p, &[a, b, c], Of::First)));
        }
    }

    #[test]
    fn where_a_segment_passes() {
        let t = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let (below, above) = (Vec3::new(0.25, 0.25, -1.0), Vec3::new(0.25, 0.25, 3.0));
        assert_eq!(pierce([below, above], &t, Of::First), Some(Passage { at: 0.25, leaving: true }));
        assert_eq!(pierce([above, below], &t, Of::First), Some(Passage { at: 0.75, leaving: false }));
        assert_eq!(pierce([below, above], &[Vec3::ZERO, Vec3::X, 2.0 * Vec3::X], Of::First), None);
    }
}
