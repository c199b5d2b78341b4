//! Closest points of segments.

use crate::{Real, Vec3};

/// The closest points of two segments, as parameters in [0, 1] from their first ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentPair {
    /// Parameter on the first segment.
    pub s: Real,
    /// Parameter on the second segment.
    pub t: Real,
}

/// The parameter in [0, 1] of the point of segment `a b` closest to `p`; 0 for a segment of no length.
#[inline]
pub fn closest_on_segment(p: Vec3, a: Vec3, b: Vec3) -> Real {
    let d = b - a;
    let len_sq = d.length_squared();
    if len_sq > 0.0 { (d.dot(p - a) / len_sq).clamp(0.0, 1.0) } else { 0.0 }
}

/// The closest points of segments `a0 a1` and `b0 b1`, ends included (the published open interval
/// 0 < s < 1 is a slip). Segments of no length are points. For parallel segments, where the answer is not
/// unique, the middle of their common stretch is taken, so that a contact between two parallel tubes does
/// not sit at one end and see-saw.
#[inline]
pub fn closest_segments(a0: Vec3, a1: Vec3, b0: Vec3, b1: Vec3) -> SegmentPair {
    let (d1, d2, r) = (a1 - a0, b1 - b0, a0 - b0);
    let (a, e) = (d1.length_squared(), d2.length_squared());
    if a == 0.0 {
        return SegmentPair { s: 0.0, t: closest_on_segment(a0, b0, b1) };
    }
    if e == 0.0 {
        return SegmentPair { s: closest_on_segment(b0, a0, a1), t: 0.0 };
    }
    let (b, c, f) = (d1.dot(d2), d1.dot(r), d2.dot(r));
    let det = a * e - b * b;
    if det <= 1e-12 * a * e {
        return closest_parallel([a0, a1], [b0, b1], [-c / a, (b - c) / a]);
    }
    let s = ((b * f - c * e) / det).clamp(0.0, 1.0);
    let t = (b * s + f) / e;
    if t < 0.0 {
        SegmentPair { s: (-c / a).clamp(0.0, 1.0), t: 0.0 }
    } else if t > 1.0 {
        SegmentPair { s: ((b - c) / a).clamp(0.0, 1.0), t: 1.0 }
    } else {
        SegmentPair { s, t }
    }
}

/// Segments too nearly parallel to solve for where their lines meet. The distance is then least at an end of
/// their common stretch, or everywhere on it: the middle is taken unless an end is nearer beyond rounding.
/// `ends_on_a` are the ends of `b` seen from `a`, as parameters.
fn closest_parallel(a: [Vec3; 2], b: [Vec3; 2], ends_on_a: [Real; 2]) -> SegmentPair {
    let (lo, hi) = (ends_on_a[0].clamp(0.0, 1.0), ends_on_a[1].clamp(0.0, 1.0));
    let at = |s: Real| {
        let p = a[0].lerp(a[1], s);
        let t = closest_on_segment(p, b[0], b[1]);
        ((p - b[0].lerp(b[1], t)).length_squared(), SegmentPair { s, t })
    };
    let (mut best, mut pair) = at(0.5 * (lo + hi));
    best *= 1.0 - 1e-9;
    for (distance_sq, end) in [at(lo), at(hi)] {
        if distance_sq < best {
            (best, pair) = (distance_sq, end);
        }
    }
    pair
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn distance(a0: Vec3, a1: Vec3, b0: Vec3, b1: Vec3, s: Real, t: Real) -> Real {
        (a0.lerp(a1, s) - b0.lerp(b1, t)).length()
    }

    /// The slow twin: distance is convex in (s, t), so nested ternary search finds the minimum.
    fn slow_distance(a0: Vec3, a1: Vec3, b0: Vec3, b1: Vec3) -> Real {
        let at = |s: Real| distance(a0, a1, b0, b1, s, closest_on_segment(a0.lerp(a1, s), b0, b1));
        let (mut lo, mut hi) = (0.0, 1.0);
        for _ in 0..200 {
            let (m1, m2) = (lo + (hi - lo) / 3.0, hi - (hi - lo) / 3.0);
            if at(m1) < at(m2) { hi = m2 } else { lo = m1 }
        }
        at(0.5 * (lo + hi)).min(at(0.0)).min(at(1.0))
    }

    fn point() -> impl Strategy<Value = Vec3> {
        (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| Vec3::new(x, y, z))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn fast_equals_slow(a0 in point(), a1 in point(), b0 in point(), b1 in point()) {
            let p = closest_segments(a0, a1, b0, b1);
            let fast = distance(a0, a1, b0, b1, p.s, p.t);
            let slow = slow_distance(a0, a1, b0, b1);
            prop_assert!((fast - slow).abs() < 1e-9, "{fast} {slow}");
        }

        #[test]
        fn nearly_parallel_segments_keep_their_distance(a0 in point(), a1 in point(), gap in 0.01..0.1,
                                                        tilt in -1e-6..1e-6) {
            prop_assume!((a1 - a0).length() > 0.1);
            let side = crate::rotation::any_perpendicular((a1 - a0).normalize());
            let (b0, b1) = (a0 + side * gap, a1 + side * (gap + tilt));
            let p = closest_segments(a0, a1, b0, b1);
            prop_assert!((distance(a0, a1, b0, b1, p.s, p.t) - slow_distance(a0, a1, b0, b1)).abs() < 1e-9);
        }
    }

    #[test]
    fn parallel_segments_touch_in_the_middle_of_their_common_stretch() {
        let p = closest_segments(Vec3::ZERO, Vec3::X, Vec3::new(0.5, 1.0, 0.0), Vec3::new(1.5, 1.0, 0.0));
        assert_eq!(p, SegmentPair { s: 0.75, t: 0.25 });
    }

    #[test]
    fn points_are_segments_of_no_length() {
        let p = closest_segments(Vec3::X, Vec3::X, Vec3::ZERO, Vec3::X * 2.0);
        assert_eq!((p.s, p.t), (0.0, 0.5));
        let q = closest_segments(Vec3::X, Vec3::X, Vec3::Y, Vec3::Y);
        assert_eq!((q.s, q.t), (0.0, 0.0));
    }
}
