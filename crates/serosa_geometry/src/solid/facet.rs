//! Round triangles and what touches them inside of their faces.
//!
//! What is outside touches from the side on which it is. A capsule or a box whose core has come through the face is
//! pushed back the way it came, to the side on which more of it is: a thin tool does not slip through between the
//! edges of a membrane.

use super::{Cuboid, Facet, Plane, Round, Solid, Touch, corner, round_box};
use crate::rotation::{any_perpendicular, unit_or};
use crate::triangle::{OnTriangle, area_vector, closest_segment_triangle, crossing};
use crate::{Feature, Real, Vec3, closest_on_triangle};

/// Added to the feature of a touch where the end of a capsule has come through the face.
pub const THROUGH: u8 = 2;
/// The same for the corner of a box.
pub const THROUGH_BOX: u8 = 8;

/// Every touch of a solid with the inside of a facet's face, seen with the solid as A; of a capsule only those with a gap
/// below `margin` must be told.
pub(super) fn touches(a: &Solid, facet: &Facet, margin: Real, emit: &mut impl FnMut(Touch)) {
    match a {
        Solid::Round(a) if is_beyond(a, facet, margin) => {}
        Solid::Round(a) => round(a, facet, emit),
        Solid::Cuboid(a) => cuboid(a, facet, emit),
        Solid::Plane(_) | Solid::Facet(_) => {}
    }
}

/// Where a solid and a facet are nearest, sides and corners included; `None` for two facets. Below zero apart from rounding
/// where the solid has come through.
pub(super) fn nearest(a: &Solid, facet: &Facet) -> Option<Touch> {
    let mut nearest: Option<Touch> = None;
    let mut consider = |t: Touch| {
        if nearest.is_none_or(|n| t.gap < n.gap) {
            nearest = Some(t);
        }
    };
    if let Solid::Round(a) = a {
        let (s, on) = closest_segment_triangle(a.a, a.b, &facet.corners);
        let point = a.a.lerp(a.b, s);
        let touch = touch(point, (s, a.radius), facet, &on, way(point, facet, &on), 0);
        // Cores that are apart are nowhere nearer.
        if touch.gap + a.radius + facet.radius > 1e-12 {
            return Some(touch);
        }
        consider(touch);
    }
    touches(a, facet, Real::INFINITY, &mut consider);
    match a {
        Solid::Round(_) => {}
        Solid::Cuboid(c) => sides(facet, &mut |side, k| {
            round_box(side, c, &mut |t| consider(on_side(t.flipped(), k)));
        }),
        Solid::Plane(plane) => corners_on(plane, facet, &mut consider),
        Solid::Facet(_) => return None,
    }
    nearest
}

fn sides(facet: &Facet, each: &mut impl FnMut(&Round, usize)) {
    let t = &facet.corners;
    for k in 0..3 {
        each(&Round { a: t[k], b: t[(k + 1) % 3], radius: facet.radius }, k);
    }
}

/// A touch of side k, with the place along it told by weights.
fn on_side(mut touch: Touch, k: usize) -> Touch {
    (touch.weights[k], touch.weights[(k + 1) % 3]) = (1.0 - touch.t, touch.t);
    touch.t = 0.0;
    touch
}

fn corners_on(plane: &Plane, facet: &Facet, emit: &mut impl FnMut(Touch)) {
    for (k, p) in facet.corners.iter().enumerate() {
        let ball = Round { a: *p, b: *p, radius: facet.radius };
        super::round_plane(&ball, plane, &mut |t| {
            let mut t = t.flipped();
            t.weights[k] = 1.0;
            emit(t);
        });
    }
}

/// Whether a capsule lies on one side of the face's plane, and farther than the margin: most of what is near does. Rounding
/// is left room for.
#[inline]
fn is_beyond(a: &Round, facet: &Facet, margin: Real) -> bool {
    let t = &facet.corners;
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    let (x, y) = (n.dot(a.a - t[0]), n.dot(a.b - t[0]));
    let least = x.abs().min(y.abs());
    let most = (margin + a.radius + facet.radius) * (1.0 + 1e-9);
    x * y > 0.0 && most >= 0.0 && least * least > most * most * n.length_squared()
}

/// Whether a plane parts a capsule from a facet by more than the margin: its own, or one that stands on a side of it. Most
/// of what is near on a surface lies beside a face. Rounding is left room for.
#[inline]
pub(super) fn is_parted(a: &Round, facet: &Facet, margin: Real) -> bool {
    let t = &facet.corners;
    let normal = (t[1] - t[0]).cross(t[2] - t[0]);
    let most = (margin + a.radius + facet.radius) * (1.0 + 1e-9);
    let parts = |n: Vec3, p: Vec3| {
        let (x, y) = (n.dot(a.a - p), n.dot(a.b - p));
        let least = x.min(y);
        least > 0.0 && most >= 0.0 && least * least > most * most * n.length_squared()
    };
    let beside = |k: usize| parts((t[(k + 1) % 3] - t[k]).cross(normal), t[k]);
    parts(normal, t[0]) || parts(-normal, t[0]) || (0..3).any(beside)
}

/// The ends of a capsule over the face, then the one that has come through it.
fn round(a: &Round, facet: &Facet, emit: &mut impl FnMut(Touch)) {
    let through = crossing(a.a, a.b, &facet.corners);
    let ends = [a.a, a.b];
    // The end on whose side there is less of it.
    let far = through.map(|(s, _)| usize::from(s > 0.5));
    for k in (0..if a.a == a.b { 1 } else { 2 }).filter(|k| far != Some(*k)) {
        over(ends[k], facet, |on, out| {
            emit(touch(ends[k], (k as Real, a.radius), facet, &on, out, k as u8));
        });
    }
    if let (Some((_, at)), Some(k)) = (through, far) {
        let (on, out) = back(ends[k], ends[1 - k], facet, at);
        emit(touch(ends[k], (k as Real, a.radius), facet, &on, out, THROUGH + k as u8));
    }
}

/// The corners of a box over the face, then those that have come through it.
fn cuboid(c: &Cuboid, facet: &Facet, emit: &mut impl FnMut(Touch)) {
    let Some(n) = area_vector(&facet.corners) else { return };
    let height = |p: Vec3| n.dot(p - facet.corners[0]);
    let side = height(c.center);
    let through = |k: u8| {
        let p = corner(c, k);
        let edges = [1, 2, 4].into_iter().filter(|_| height(p) * side < 0.0);
        edges.map(|bit| corner(c, k ^ bit)).find_map(|q| Some((q, crossing(p, q, &facet.corners)?.1)))
    };
    for k in (0..8).filter(|k| through(*k).is_none()) {
        let p = corner(c, k);
        over(p, facet, |on, out| emit(touch(p, (0.0, 0.0), facet, &on, out, k)));
    }
    for k in 0..8 {
        if let Some((q, at)) = through(k) {
            let (on, out) = back(corner(c, k), q, facet, at);
            emit(touch(corner(c, k), (0.0, 0.0), facet, &on, out, THROUGH_BOX + k));
        }
    }
}

/// A point that is over the inside of the face, on whichever side: where, and which way leads away from it.
fn over(p: Vec3, facet: &Facet, emit: impl FnOnce(OnTriangle, Vec3)) {
    let on = closest_on_triangle(p, &facet.corners);
    if on.feature == Feature::Face {
        emit(on, way(p, facet, &on));
    }
}

/// Where an end that has come through leaves, and which way: to the side of `other`. It leaves at its foot, or where
/// it came through if that is beside the face.
fn back(end: Vec3, other: Vec3, facet: &Facet, at: OnTriangle) -> (OnTriangle, Vec3) {
    let n = across(facet);
    let foot = closest_on_triangle(end, &facet.corners);
    let on = if foot.feature == Feature::Face { foot } else { at };
    (on, if n.dot(other - at.point) < 0.0 { -n } else { n })
}

/// The unit vector from a place of the facet to a point; across the face where they coincide.
fn way(p: Vec3, facet: &Facet, on: &OnTriangle) -> Vec3 {
    let apart = p - on.point;
    if apart.length_squared() > 1e-24 { apart.normalize() } else { across(facet) }
}

/// A unit vector across the face; of a facet without area, across a side.
fn across(facet: &Facet) -> Vec3 {
    let t = &facet.corners;
    match area_vector(t) {
        Some(n) => n.normalize(),
        None => any_perpendicular(unit_or(t[1] - t[0], Vec3::X)),
    }
}

/// The touch of a point of A's core, at `s` along it, with a place of the facet.
fn touch(
    p: Vec3,
    (s, radius): (Real, Real),
    facet: &Facet,
    on: &OnTriangle,
    normal: Vec3,
    feature: u8,
) -> Touch {
    Touch {
        s,
        t: 0.0,
        weights: on.weights,
        on_a: p - normal * radius,
        on_b: on.point + normal * facet.radius,
        normal,
        gap: (p - on.point).dot(normal) - (radius + facet.radius),
        feature,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{box_distance, touches_and_ends};
    use super::*;
    use crate::Mat3;
    use crate::rotation::from_rotation_vector;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0..1.0f64).prop_map(Vec3::from)
    }

    fn collect(a: &Solid, facet: &Facet) -> Vec<Touch> {
        let mut all = Vec::new();
        super::super::touches(a, &Solid::Facet(*facet), Real::INFINITY, &mut |t| all.push(t));
        all
    }

    /// The slow twin: the least of something over the points of a triangle.
    fn sampled(t: &[Vec3; 3], distance: impl Fn(Vec3) -> Real) -> Real {
        const N: i32 = 60;
        let at = |i: i32, j: i32| {
            let (u, v) = (f64::from(i) / f64::from(N), f64::from(j) / f64::from(N));
            t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v
        };
        (0..=N)
            .flat_map(|i| (0..=N - i).map(move |j| (i, j)))
            .map(|(i, j)| distance(at(i, j)))
            .fold(Real::INFINITY, Real::min)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// A ball touches the face where the closest point is inside of it, once, and nowhere else.
        #[test]
        fn a_ball_touches_the_inside_alone(p in point(), a in point(), b in point(), c in point()) {
            let facet = Facet { corners: [a, b, c], radius: 0.02 };
            let all = collect(&Solid::Round(Round { a: p, b: p, radius: 0.1 }), &facet);
            let on = closest_on_triangle(p, &facet.corners);
            prop_assert_eq!(all.len(), usize::from(on.feature == Feature::Face));
            for t in all {
                prop_assert!((t.gap - (p.distance(on.point) - 0.12)).abs() < 1e-12);
                let [u, v, w] = t.weights;
                prop_assert!((a * u + b * v + c * w).distance(t.on_b - t.normal * 0.02) < 1e-9);
            }
        }

        /// Pushed by its gap, a capsule that had come through is out on the side where more of it was.
        #[test]
        fn a_capsule_that_came_through_is_pushed_back(p in point(), q in point(), a in point(), b in point(),
                                                      c in point()) {
            let t = [a, b, c];
            let Some((s, _)) = crossing(p, q, &t) else { return Ok(()) };
            let facet = Facet { corners: t, radius: 0.02 };
            let all = collect(&Solid::Round(Round { a: p, b: q, radius: 0.1 }), &facet);
            let through: Vec<_> = all.iter().filter(|t| t.feature >= THROUGH).collect();
            prop_assert_eq!(through.len(), 1);
            let out = through[0].normal * -through[0].gap;
            let (s2, on) = closest_segment_triangle(p + out, q + out, &t);
            prop_assert!((p + out).lerp(q + out, s2).distance(on.point) > 0.12 - 1e-9);
            let most = if s > 0.5 { p } else { q };
            prop_assert!(through[0].normal.dot(most - a) > 0.0);
        }

        #[test]
        fn the_nearest_place_of_a_box(a in point(), b in point(), c in point(), turn in point(), at in point()) {
            let c_box = Cuboid { center: at, axes: Mat3::from_quat(from_rotation_vector(turn)),
                                 half: Vec3::new(0.3, 0.2, 0.4) };
            let facet = Facet { corners: [a, b, c], radius: 0.02 };
            let fast = nearest(&Solid::Cuboid(c_box), &facet).unwrap().gap;
            let slow = sampled(&facet.corners, |p| box_distance(&c_box, p).0) - 0.02;
            // Where they overlap the depth is another matter, and samples may lie to both sides of a thin overlap.
            if fast > -0.02 {
                prop_assert!(fast <= slow + 1e-12 && fast >= slow - 0.05, "{} {}", fast, slow);
            } else {
                prop_assert!(slow < 0.03, "{} {}", fast, slow);
            }
        }

        #[test]
        fn the_nearest_place_of_capsule_and_plane(p in point(), q in point(), a in point(), b in point(), c in point()) {
            let facet = Facet { corners: [a, b, c], radius: 0.02 };
            let capsule = Solid::Round(Round { a: p, b: q, radius: 0.1 });
            let (s, on) = closest_segment_triangle(p, q, &facet.corners);
            let distance = p.lerp(q, s).distance(on.point);
            let fast = touches_and_ends(&capsule, &Solid::Facet(facet), Real::INFINITY, |_, _| false, &mut |_| {});
            let fast = fast.unwrap().gap;
            if distance > 1e-9 {
                prop_assert!((fast - (distance - 0.12)).abs() < 1e-9);
            } else {
                prop_assert!(fast <= -0.12 + 1e-9);
            }
            let plane = Plane { normal: Vec3::Y, offset: 0.1 };
            let low = nearest(&Solid::Plane(plane), &facet).unwrap().gap;
            prop_assert!((low - (a.y.min(b.y).min(c.y) - 0.12)).abs() < 1e-12);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// What a plane parts is farther away than the margin, and not asked; nothing else is left out.
        #[test]
        fn what_is_parted_is_beyond_the_margin(p in point(), way in point(), a in point(), b in point(), c in point(),
                                               margin in 0.0..0.3f64) {
            let facet = Facet { corners: [a, b, c].map(|x| x * 0.3), radius: 0.02 };
            let capsule = Round { a: p, b: p + way * 0.2, radius: 0.01 };
            let gap = nearest(&Solid::Round(capsule), &facet).unwrap().gap;
            prop_assert!(!is_parted(&capsule, &facet, margin) || gap > margin, "{} {}", gap, margin);
            let (x, y) = (Solid::Round(capsule), Solid::Facet(facet));
            for (x, y) in [(x, y), (y, x)] {
                let found = touches_and_ends(&x, &y, margin, |_, _| false, &mut |_| {});
                prop_assert_eq!(found.is_some(), gap < margin);
            }
        }
    }

    #[test]
    fn a_box_that_came_through_with_a_corner_is_pushed_back() {
        let corners = [Vec3::new(-5.0, -5.0, 0.0), Vec3::new(5.0, -5.0, 0.0), Vec3::new(0.0, 5.0, 0.0)];
        let facet = Facet { corners, radius: 0.01 };
        let axes = Mat3::from_quat(crate::rotation::between(Vec3::ONE.normalize(), Vec3::NEG_Z));
        let half = Vec3::splat(0.1);
        let depth = 0.02;
        let center = Vec3::Z * (half.length() - depth);
        let all = collect(&Solid::Cuboid(Cuboid { center, axes, half }), &facet);
        let least = all.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap();
        assert!((least.gap + depth + 0.01).abs() < 1e-12 && least.normal.z > 0.999 && least.feature >= 8);
        // The others are over the face, on the side of the centre.
        assert!(all.iter().all(|t| t.normal.z > 0.999));
    }

    #[test]
    fn facets_without_area_have_no_inside() {
        let line = Facet { corners: [Vec3::ZERO, Vec3::X, Vec3::X * 0.5], radius: 0.01 };
        let dot = Facet { corners: [Vec3::Y; 3], radius: 0.01 };
        let ball = Round { a: Vec3::Z, b: Vec3::Z, radius: 0.1 };
        let rod = Round { a: Vec3::Z, b: -Vec3::Z, radius: 0.1 };
        let cube = Cuboid { center: Vec3::ZERO, axes: Mat3::IDENTITY, half: Vec3::ONE };
        for facet in [line, dot] {
            for solid in [Solid::Round(ball), Solid::Round(rod), Solid::Cuboid(cube)] {
                assert!(collect(&solid, &facet).is_empty());
                let near = nearest(&solid, &facet).unwrap();
                assert!(near.gap.is_finite() && (near.normal.length() - 1.0).abs() < 1e-9);
            }
        }
    }
}
