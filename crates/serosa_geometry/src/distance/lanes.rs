//! Distances of several points at a time to one triangle, in single precision.

use glam::Vec3;

/// Points looked at together: a vector of single precision in the units of AVX2.
pub(super) const LANES: usize = 8;

/// One number of each point.
pub(super) type Lane = [f32; LANES];

/// A triangle as the lanes see it: a corner, two sides from there, their products, and what divides by the squares of
/// the three sides and of the area.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flat {
    a: Vec3,
    ab: Vec3,
    ac: Vec3,
    products: [f32; 3],
    per: [f32; 4],
}

impl Flat {
    #[inline]
    pub fn of([a, b, c]: [Vec3; 3]) -> Self {
        let (ab, ac) = (b - a, c - a);
        let [bb, bc, cc] = [ab.dot(ab), ab.dot(ac), ac.dot(ac)];
        let per = [1.0 / bb, 1.0 / cc, 1.0 / (bb - 2.0 * bc + cc), 1.0 / (bb * cc - bc * bc)];
        Self { a, ab, ac, products: [bb, bc, cc], per }
    }

    /// About the place on the triangle nearest to a point, as parts of the two sides. On the triangle in any case; where
    /// it is thin, not always the nearest.
    #[inline(always)]
    fn nearest(&self, d1: f32, d2: f32) -> (f32, f32) {
        let [bb, bc, cc] = self.products;
        // Each side from its end, and what the square of the distance to it has more than that to the first corner.
        let s = clamp(d1 * self.per[0]);
        let on_ab = s * (s * bb - 2.0 * d1);
        let t = clamp(d2 * self.per[1]);
        let on_ac = t * (t * cc - 2.0 * d2);
        let along = d2 - d1 + (bb - bc);
        let r = clamp(along * self.per[2]);
        let on_bc = bb - 2.0 * d1 + r * (r * (bb - 2.0 * bc + cc) - 2.0 * along);
        let (s, t, least) = if on_ac < on_ab { (0.0, t, on_ac) } else { (s, 0.0, on_ab) };
        let (s, t) = if on_bc < least { (1.0 - r, r) } else { (s, t) };
        let (u, v) = ((d1 * cc - d2 * bc) * self.per[3], (d2 * bb - d1 * bc) * self.per[3]);
        if (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) { (u, v) } else { (s, t) }
    }
}

/// Bounds of the distances to a triangle, but for rounding: from below and from above [m].
///
/// Both hold whatever place is taken for the nearest: no point of the triangle is farther from the others than that place,
/// and none lies before the plane through its foremost corner, square to the way to the place.
#[inline(always)]
pub(super) fn bounds(points: &[Lane; 3], flat: &Flat) -> (Lane, Lane) {
    let (mut below, mut above) = ([0.0; LANES], [0.0; LANES]);
    for k in 0..LANES {
        let ap = Vec3::new(points[0][k], points[1][k], points[2][k]) - flat.a;
        let (s, t) = flat.nearest(flat.ab.dot(ap), flat.ac.dot(ap));
        let on = flat.ab * s + flat.ac * t;
        let to = ap - on;
        let length = to.length();
        let foremost = greater(greater(to.dot(flat.ab), to.dot(flat.ac)), 0.0) - to.dot(on);
        below[k] = length - foremost / length;
        above[k] = length;
    }
    (below, above)
}

#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Between 0 and 1; 0 for what is not a number.
#[inline(always)]
fn clamp(x: f32) -> f32 {
    let x = if x > 0.0 { x } else { 0.0 };
    if x < 1.0 { x } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closest_on_triangle;
    use crate::distance::disc::ERROR;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        // Whole numbers too, so that corners coincide and lie on lines, and points lie on triangles.
        prop_oneof![
            prop::array::uniform3(-1.0..1.0f32).prop_map(Vec3::from),
            prop::array::uniform3(-1i8..=1).prop_map(|v| Vec3::from(v.map(f32::from))),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn the_distance_lies_between_its_bounds(p in point(), t in prop::array::uniform3(point()), thin in 0.0..1.0f32) {
            for corners in [t, [t[0], t[1], t[1] + (t[2] - t[1]) * thin.powi(20)]] {
                let (below, above) = bounds(&p.to_array().map(|x| [x; LANES]), &Flat::of(corners));
                let exact = p.as_dvec3();
                let exact = exact.distance(closest_on_triangle(exact, &corners.map(|c| c.as_dvec3())).point);
                let lost = f64::from(ERROR) * f64::from(3f32.sqrt() + p.length());
                prop_assert!(below[0].is_nan() || f64::from(below[0]) <= exact + lost, "{} {}", below[0], exact);
                prop_assert!(f64::from(above[0]) >= exact - lost, "{} {}", above[0], exact);
                if thin > 0.9 {
                    // And they are tight where the triangle is not thin. The squares of the distances to two sides are
                    // told apart to rounding, so near a corner the place is right to its root only; the gap of the
                    // bounds is that much of a side over the distance.
                    let [ab, ac] = [corners[1] - corners[0], corners[2] - corners[0]];
                    let fat = ab.cross(ac).length() > 0.5 * ab.length() * ac.length() && ab.length() > 0.2 && ac.length() > 0.2 && exact > 0.1;
                    let side = ab.length().max(ac.length()).max(ab.distance(ac));
                    let tight = 10.0 * lost + f64::from(side * f32::EPSILON.sqrt() * (3f32.sqrt() + p.length())) / exact;
                    prop_assert!(!fat || f64::from(above[0] - below[0]) < tight, "{:?}", (below[0], above[0], tight));
                }
            }
        }
    }
}
