//! One triangle and a point or a segment: the closest points, and the solid angle.

use crate::meet::Triangle;
use crate::{Real, Vec3, closest_on_segment, closest_segments};

/// Sine of the angle between two sides below which a triangle counts as a line: its normal is rounding alone.
const FLAT: Real = 1e-12;

/// A part of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// A corner: 0, 1 or 2.
    Vertex(u8),
    /// Side k, between corners k and k + 1.
    Edge(u8),
    /// The inside.
    Face,
}

/// A point of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnTriangle {
    /// Where.
    pub point: Vec3,
    /// Weights of the corners: not negative, their sum 1.
    pub weights: [Real; 3],
    /// The smallest part it belongs to.
    pub feature: Feature,
}

/// The point of a triangle closest to `p`: the seven regions of Ericson, Real-Time Collision Detection (2005), 5.1.5.
///
/// Triangles flat to a segment or a point are answered like others, by a side or a corner.
#[inline]
pub fn closest_on_triangle(p: Vec3, t: &Triangle) -> OnTriangle {
    let [a, b, c] = *t;
    let (ab, ac) = (b - a, c - a);
    let (ap, bp, cp) = (p - a, p - b, p - c);
    let (a1, a2) = (ab.dot(ap), ac.dot(ap));
    if a1 <= 0.0 && a2 <= 0.0 {
        return corner(t, 0);
    }
    let (b1, b2) = (ab.dot(bp), ac.dot(bp));
    if b1 >= 0.0 && b2 <= b1 {
        return corner(t, 1);
    }
    let (c1, c2) = (ab.dot(cp), ac.dot(cp));
    if c2 >= 0.0 && c1 <= c2 {
        return corner(t, 2);
    }
    // Areas of the three parts into which the projection cuts the triangle, times its area; negative beyond a side. The
    // strict comparisons leave out sides without length.
    let wc = a1 * b2 - b1 * a2;
    if wc <= 0.0 && a1 >= 0.0 && b1 <= 0.0 && a1 > b1 {
        return side(t, 0, a1 / (a1 - b1));
    }
    let wb = c1 * a2 - a1 * c2;
    if wb <= 0.0 && a2 >= 0.0 && c2 <= 0.0 && a2 > c2 {
        return side(t, 2, 1.0 - a2 / (a2 - c2));
    }
    let (wa, from_b, from_c) = (b1 * c2 - c1 * b2, b2 - b1, c1 - c2);
    if wa <= 0.0 && from_b >= 0.0 && from_c >= 0.0 && from_b + from_c > 0.0 {
        return side(t, 1, from_b / (from_b + from_c));
    }
    let n = ab.cross(ac);
    if n.length_squared() <= FLAT * FLAT * ab.length_squared() * ac.length_squared() {
        return closest_side(p, t);
    }
    // By the plane and not by the weights, whose error grows with the square of the distance.
    let point = p - n * (n.dot(ap) / n.length_squared());
    let weights = [wa.max(0.0), wb.max(0.0), wc.max(0.0)];
    let sum = weights[0] + weights[1] + weights[2];
    OnTriangle { point, weights: weights.map(|w| w / sum), feature: Feature::Face }
}

/// The closest points of segment `p q` and a triangle: the parameter in [0, 1] along the segment, and the point of the
/// triangle. Where they cross it is where they do.
///
/// What does not cross is closest at an end of the segment or at a side of the triangle. Segments of no length and flat
/// triangles are answered like others.
pub fn closest_segment_triangle(p: Vec3, q: Vec3, t: &Triangle) -> (Real, OnTriangle) {
    if let Some(crossing) = crossing(p, q, t) {
        return crossing;
    }
    let (mut least, mut best) = (Real::INFINITY, (0.0, corner(t, 0)));
    let mut consider = |s: Real, on: OnTriangle| {
        let distance_sq = p.lerp(q, s).distance_squared(on.point);
        if distance_sq < least {
            (least, best) = (distance_sq, (s, on));
        }
    };
    consider(0.0, closest_on_triangle(p, t));
    consider(1.0, closest_on_triangle(q, t));
    for k in 0..3 {
        let near = closest_segments(p, q, t[k], t[(k + 1) % 3]);
        consider(near.s, on_side(t, k, near.t));
    }
    best
}

/// Where a segment passes through the inside of a triangle: the parameter along it, and the point. A triangle that is a
/// line but for rounding is not passed through.
pub fn crossing(p: Vec3, q: Vec3, t: &Triangle) -> Option<(Real, OnTriangle)> {
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    let (from, to) = (n.dot(p - t[0]), n.dot(q - t[0]));
    if !(from < 0.0 && to > 0.0 || from > 0.0 && to < 0.0) {
        return None;
    }
    area_vector(t)?;
    let s = from / (from - to);
    let on = closest_on_triangle(p.lerp(q, s), t);
    (on.feature == Feature::Face).then_some((s, on))
}

#[inline]
fn corner(t: &Triangle, k: usize) -> OnTriangle {
    let mut weights = [0.0; 3];
    weights[k] = 1.0;
    OnTriangle { point: t[k], weights, feature: Feature::Vertex(k as u8) }
}

/// A point of side k, between its ends.
#[inline]
fn side(t: &Triangle, k: usize, s: Real) -> OnTriangle {
    let next = (k + 1) % 3;
    let mut weights = [0.0; 3];
    (weights[k], weights[next]) = (1.0 - s, s);
    let point = t[k] + (t[next] - t[k]) * s;
    OnTriangle { point, weights, feature: Feature::Edge(k as u8) }
}

/// A point of side k, ends included.
fn on_side(t: &Triangle, k: usize, s: Real) -> OnTriangle {
    match s {
        0.0 => corner(t, k),
        1.0 => corner(t, (k + 1) % 3),
        _ => side(t, k, s),
    }
}

/// The closest point of the three sides, for triangles that are a line but for rounding.
#[cold]
fn closest_side(p: Vec3, t: &Triangle) -> OnTriangle {
    let mut best = (Real::INFINITY, corner(t, 0));
    for k in 0..3 {
        let at = on_side(t, k, closest_on_segment(p, t[k], t[(k + 1) % 3]));
        let distance_sq = p.distance_squared(at.point);
        if distance_sq < best.0 {
            best = (distance_sq, at);
        }
    }
    best.1
}

/// Twice the area vector, or `None` where the triangle is a line but for rounding, or not finite.
#[inline]
pub fn area_vector(&[a, b, c]: &Triangle) -> Option<Vec3> {
    let (ab, ac) = (b - a, c - a);
    let n = ab.cross(ac);
    (n.length_squared() > FLAT * FLAT * ab.length_squared() * ac.length_squared()).then_some(n)
}

/// The angle of a triangle at corner `k` [rad].
pub fn angle_at(t: &Triangle, k: usize) -> Real {
    let (u, v) = (t[(k + 1) % 3] - t[k], t[(k + 2) % 3] - t[k]);
    libm::atan2(u.cross(v).length(), u.dot(v))
}

/// The solid angle under which `p` sees a triangle [sr]: positive from behind, where its corners run clockwise, so that
/// the sum over a closed surface that faces outward is 4 π inside and 0 outside.
///
/// Van Oosterom and Strackee, IEEE Trans. Biomed. Eng. 30 (1983). 0 in the plane of the triangle outside it.
#[inline]
pub fn solid_angle(p: Vec3, t: &Triangle) -> Real {
    let [a, b, c] = t.map(|corner| corner - p);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    if volume == 0.0 { 0.0 } else { 2.0 * libm::atan2(volume, below) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::PI;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        // Whole numbers too, so that corners coincide and lie on lines.
        prop_oneof![
            prop::array::uniform3(-2.0..2.0f64).prop_map(Vec3::from),
            prop::array::uniform3(-2i8..=2).prop_map(|v| Vec3::from(v.map(f64::from))),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn no_point_of_the_triangle_is_closer(p in point(), a in point(), b in point(), c in point()) {
            let t = [a, b, c];
            let found = closest_on_triangle(p, &t);
            let [u, v, w] = found.weights;
            prop_assert!(u >= 0.0 && v >= 0.0 && w >= 0.0 && (u + v + w - 1.0).abs() < 1e-12);
            prop_assert!((a * u + b * v + c * w).distance(found.point) < 1e-6, "{:?}", found);
            let distance = p.distance(found.point);
            const N: i32 = 24;
            for i in 0..=N {
                for j in 0..=N - i {
                    let (s, r) = (f64::from(i) / f64::from(N), f64::from(j) / f64::from(N));
                    let other = p.distance(a + (b - a) * s + (c - a) * r);
                    prop_assert!(distance <= other + 1e-9, "{:?}: {} {}", found, distance, other);
                }
            }
            // It lies on the triangle: not outside by its plane.
            if let Some(n) = area_vector(&t) {
                prop_assert!(n.normalize().dot(found.point - a).abs() < 1e-9);
            }
            let sides: usize = match found.feature {
                Feature::Vertex(_) => 1,
                Feature::Edge(_) => 2,
                Feature::Face => 3,
            };
            prop_assert!(found.weights.iter().filter(|w| **w > 0.0).count() <= sides);
        }

        /// The slow twin: the distance to a triangle is convex along a segment, so halving finds the least of it.
        #[test]
        fn no_point_of_the_segment_is_closer(p in point(), q in point(), a in point(), b in point(), c in point()) {
            let t = [a, b, c];
            let (s, on) = closest_segment_triangle(p, q, &t);
            prop_assert!((0.0..=1.0).contains(&s));
            let [u, v, w] = on.weights;
            prop_assert!((a * u + b * v + c * w).distance(on.point) < 1e-6, "{:?}", on);
            let fast = p.lerp(q, s).distance(on.point);
            let at = |s: Real| p.lerp(q, s).distance(closest_on_triangle(p.lerp(q, s), &t).point);
            let (mut lo, mut hi) = (0.0, 1.0);
            for _ in 0..100 {
                let (x, y) = (lo + (hi - lo) / 3.0, hi - (hi - lo) / 3.0);
                if at(x) < at(y) { hi = y } else { lo = x }
            }
            let slow = at(0.5 * (lo + hi)).min(at(0.0)).min(at(1.0));
            prop_assert!((fast - slow).abs() < 1e-7, "{fast} {slow}");
        }

        #[test]
        fn a_line_but_for_rounding_is_answered_by_its_sides(p in point(), a in point(), b in point(), s in -1.0..2.0f64) {
            let t = [a, b, a + (b - a) * s];
            let along = |k: usize| {
                let (u, v) = (t[k], t[(k + 1) % 3]);
                p.distance(u + (v - u) * closest_on_segment(p, u, v))
            };
            let least = along(0).min(along(1)).min(along(2));
            prop_assert!((p.distance(closest_on_triangle(p, &t).point) - least).abs() < 1e-9);
            prop_assert!((p.distance(closest_side(p, &t).point) - least).abs() < 1e-12);
        }

        #[test]
        fn all_around_a_tetrahedron(p in point(), a in point(), b in point(), c in point(), d in point()) {
            let volume = (b - a).cross(c - a).dot(d - a);
            prop_assume!(volume.abs() > 0.05);
            let (b, c) = if volume > 0.0 { (b, c) } else { (c, b) };
            let faces = [[a, c, b], [a, b, d], [b, c, d], [c, a, d]];
            let sum: Real = faces.iter().map(|t| solid_angle(p, t)).sum();
            let depth = |t: &Triangle| area_vector(t).map_or(1.0, |n| n.normalize().dot(t[0] - p));
            let least = faces.iter().map(depth).fold(Real::INFINITY, Real::min);
            prop_assume!(least.abs() > 1e-6);
            let should = if least > 0.0 { 4.0 * PI } else { 0.0 };
            prop_assert!((sum - should).abs() < 1e-8, "{} {}", sum, should);
        }
    }

    #[test]
    fn the_seven_regions() {
        let t = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let feature = |x, y| closest_on_triangle(Vec3::new(x, y, 0.5), &t).feature;
        assert_eq!(feature(-1.0, -1.0), Feature::Vertex(0));
        assert_eq!(feature(2.0, -0.5), Feature::Vertex(1));
        assert_eq!(feature(-0.5, 2.0), Feature::Vertex(2));
        assert_eq!(feature(0.5, -0.5), Feature::Edge(0));
        assert_eq!(feature(1.0, 1.0), Feature::Edge(1));
        assert_eq!(feature(-0.5, 0.5), Feature::Edge(2));
        assert_eq!(feature(0.25, 0.25), Feature::Face);
        assert_eq!(closest_on_triangle(Vec3::new(0.25, 0.5, 3.0), &t).weights, [0.25, 0.25, 0.5]);
    }

    #[test]
    fn angles_of_an_octant() {
        let t = [Vec3::X, Vec3::Y, Vec3::Z];
        assert!((solid_angle(Vec3::ZERO, &t) - PI / 2.0).abs() < 1e-15);
        assert!((angle_at(&t, 1) - PI / 3.0).abs() < 1e-15);
        assert_eq!(area_vector(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0]), None);
        assert_eq!(area_vector(&[Vec3::ZERO, Vec3::X, Vec3::NAN]), None);
    }
}
