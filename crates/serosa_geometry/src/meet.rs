//! Whether two triangles meet, decided exactly: touching counts.
//!
//! All decisions are signs of determinants of the coordinates as they are stored, and those signs come from
//! Shewchuk's adaptive predicates (Discrete & Computational Geometry 18, 1997) in the crate `robust`: pure Rust, no
//! dependencies, MIT or Apache. Our own port would be the same two thousand lines, less tested. A tolerance was
//! refused: with one, whether two faces meet depends on where the mesh lies and in which unit it is written. The signs
//! are exact unless a product of three coordinates leaves the range of a double (below 1e-100 or above 1e+100).

mod face;

pub use face::Face;
pub(crate) use face::{ROUNDING, UNDERFLOW};

use crate::{Aabb, Real, Vec3};
use robust::{Coord, Coord3D};

/// A triangle by its corners. It may be flat to a segment or a point.
pub type Triangle = [Vec3; 3];

/// The sign of the volume of `a b c d`: negative where d lies on the side from which a, b, c run anticlockwise.
pub fn orientation(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> i8 {
    let at = |p: Vec3| Coord3D { x: p.x, y: p.y, z: p.z };
    sign(robust::orient3d(at(a), at(b), at(c), at(d)))
}

/// The sign of the area of `a b c` seen along an axis (0, 1, 2): positive where they run anticlockwise.
pub fn orientation_along(axis: usize, a: Vec3, b: Vec3, c: Vec3) -> i8 {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let at = |p: Vec3| Coord { x: p[u], y: p[v] };
    sign(robust::orient2d(at(a), at(b), at(c)))
}

fn sign(v: Real) -> i8 {
    i8::from(v > 0.0) - i8::from(v < 0.0)
}

/// Whether a triangle has no area: its corners lie on a line, exactly.
pub fn is_flat(t: &Triangle) -> bool {
    axis_of(t).is_none()
}

/// An axis along which the triangle is seen with an area.
fn axis_of(t: &Triangle) -> Option<usize> {
    (0..3).find(|axis| orientation_along(*axis, t[0], t[1], t[2]) != 0)
}

/// Whether two closed triangles have a point in common. Corners that are not finite meet nothing.
///
/// Two triangles meet if and only if a side of one meets the other: that covers crossing, touching and lying in one
/// plane, one inside the other included.
pub fn triangles_meet(a: &Triangle, b: &Triangle) -> bool {
    // Comparisons with NaN are false, and so boxes that are not numbers overlap nothing.
    if !Aabb::around(*a).overlaps(&Aabb::around(*b)) || a.iter().chain(b).any(|p| !p.is_finite()) {
        return false;
    }
    Face::of(*a).meets(&Face::of(*b))
}

/// Whether all corners lie strictly on one side.
fn beyond(sides: [i8; 3]) -> bool {
    sides == [1; 3] || sides == [-1; 3]
}

/// Whether two triangles that have the corner `a[0]` = `b[0]` in common meet in another point as well. They do if and
/// only if the side opposite that corner, of one, meets the other: what they have in common is convex.
pub fn meet_beyond_corner(a: &Triangle, b: &Triangle) -> bool {
    let opposite = |of: &Triangle, t: &Triangle| {
        let side = |p| orientation(t[0], t[1], t[2], p);
        side_meets([of[1], of[2]], [side(of[1]), side(of[2])], t, axis_of(t))
    };
    a.iter().chain(b).all(|p| p.is_finite()) && (opposite(a, b) || opposite(b, a))
}

/// Whether two triangles that have the side `p q` in common, each with an apex of its own, meet in a point beyond that
/// side. With an area they do only where one is folded flat onto the other.
pub fn meet_beyond_edge([p, q]: [Vec3; 2], a: Vec3, b: Vec3) -> bool {
    if ![p, q, a, b].iter().all(|x| x.is_finite()) || orientation(p, q, a, b) != 0 {
        return false;
    }
    match (axis_of(&[p, q, a]), axis_of(&[p, q, b])) {
        (Some(axis), Some(_)) => orientation_along(axis, p, q, a) * orientation_along(axis, p, q, b) > 0,
        // One with an area has nothing of the line of its side but the side.
        (Some(_), None) | (None, Some(_)) => false,
        (None, None) if p == q => {
            is_flat(&[p, a, b])
                && (0..3).any(|k| (a[k] > p[k] && b[k] > p[k]) || (a[k] < p[k] && b[k] < p[k]))
        }
        // All on a line: both reach beyond the same end of the side.
        (None, None) => (0..3).any(|k| {
            let (low, high) = (p[k].min(q[k]), p[k].max(q[k]));
            (a[k] > high && b[k] > high) || (a[k] < low && b[k] < low)
        }),
    }
}

/// Whether a side of `of` meets `t`; `sides` say on which side of `t` its corners lie.
fn any_side_meets(of: &Triangle, sides: [i8; 3], t: &Triangle) -> bool {
    let axis = axis_of(t);
    let ends = [(0, 1), (1, 2), (2, 0)];
    ends.into_iter().any(|(i, j)| side_meets([of[i], of[j]], [sides[i], sides[j]], t, axis))
}

/// Whether a segment meets `t`, which has an area along `axis` where it has any.
fn side_meets([p, q]: [Vec3; 2], sides: [i8; 2], t: &Triangle, axis: Option<usize>) -> bool {
    match axis {
        None => edges(t).any(|(u, v)| segments_meet(p, q, u, v)),
        Some(axis) if sides == [0, 0] => meets_in_plane(p, q, t, axis),
        // The line through p and q crosses the plane in one point, which is between them.
        Some(_) => sides[0] * sides[1] <= 0 && one_sign(edges(t).map(|(u, v)| orientation(p, q, u, v))),
    }
}

fn edges(t: &Triangle) -> impl Iterator<Item = (Vec3, Vec3)> {
    let [a, b, c] = *t;
    [(a, b), (b, c), (c, a)].into_iter()
}

/// Whether no two signs are opposite.
fn one_sign(signs: impl Iterator<Item = i8>) -> bool {
    let (low, high) = signs.fold((0, 0), |(low, high), s| (s.min(low), s.max(high)));
    low * high == 0
}

/// A segment in the plane of a triangle that has an area along `axis`.
fn meets_in_plane(p: Vec3, q: Vec3, t: &Triangle, axis: usize) -> bool {
    let inside = |x: Vec3| one_sign(edges(t).map(|(u, v)| orientation_along(axis, u, v, x)));
    inside(p) || inside(q) || edges(t).any(|(u, v)| cross_along(axis, p, q, u, v))
}

/// Whether two closed segments have a point in common.
fn segments_meet(p: Vec3, q: Vec3, u: Vec3, v: Vec3) -> bool {
    if orientation(p, q, u, v) != 0 {
        return false;
    }
    let triples = [(p, q, u), (p, q, v), (u, v, p), (u, v, q)];
    let seen = |axis: &usize| triples.iter().any(|(a, b, c)| orientation_along(*axis, *a, *b, *c) != 0);
    match (0..3).find(seen) {
        // Their plane is seen one to one along this axis.
        Some(axis) => cross_along(axis, p, q, u, v),
        // All four lie on a line, where boxes tell all.
        None => Aabb::around([p, q]).overlaps(&Aabb::around([u, v])),
    }
}

/// Whether two segments of one plane meet, seen along an axis that is not in that plane.
fn cross_along(axis: usize, p: Vec3, q: Vec3, u: Vec3, v: Vec3) -> bool {
    let (pu, pv) = (orientation_along(axis, p, q, u), orientation_along(axis, p, q, v));
    let (up, uq) = (orientation_along(axis, u, v, p), orientation_along(axis, u, v, q));
    pu * pv <= 0 && up * uq <= 0 && Aabb::around([p, q]).overlaps(&Aabb::around([u, v]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Point = [i128; 3];

    fn minus(a: Point, b: Point) -> Point {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }

    fn cross(a: Point, b: Point) -> Point {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    fn dot(a: Point, b: Point) -> i128 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    fn det(a: Point, b: Point, c: Point) -> i128 {
        dot(a, cross(b, c))
    }

    /// The slow twin, in whole numbers: triangles meet where 0 is in the hull of the nine differences of their
    /// corners, and then (Carathéodory) in the hull of one, two, three or four of them that are independent.
    fn slow(a: &[Point; 3], b: &[Point; 3]) -> bool {
        let d: Vec<Point> = a.iter().flat_map(|p| b.iter().map(|q| minus(*p, *q))).collect();
        let n = d.len();
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let triples = pairs.clone().flat_map(|(i, j)| (0..j).map(move |k| (i, j, k)));
        let fours = triples.clone().flat_map(|(i, j, k)| (0..k).map(move |l| (i, j, k, l)));
        d.contains(&[0; 3])
            || pairs.into_iter().any(|(i, j)| cross(d[i], d[j]) == [0; 3] && dot(d[i], d[j]) <= 0)
            || triples.into_iter().any(|(i, j, k)| in_triangle(d[i], d[j], d[k]))
            || fours.into_iter().any(|(i, j, k, l)| in_tetrahedron([d[i], d[j], d[k], d[l]]))
    }

    fn in_triangle(a: Point, b: Point, c: Point) -> bool {
        let n = cross(minus(b, a), minus(c, a));
        let inside = |p, q| dot(n, cross(p, q)) >= 0;
        n != [0; 3] && dot(n, a) == 0 && inside(a, b) && inside(b, c) && inside(c, a)
    }

    fn in_tetrahedron([a, b, c, d]: [Point; 4]) -> bool {
        let whole = det(minus(b, a), minus(c, a), minus(d, a)).signum();
        let parts = [det(b, c, d), -det(a, c, d), det(a, b, d), -det(a, b, c)];
        whole != 0 && parts.iter().all(|p| p.signum() * whole >= 0)
    }

    fn real(t: &[Point; 3]) -> Triangle {
        t.map(|p| Vec3::from_array(p.map(|v| v as Real)))
    }

    fn agree(a: &[Point; 3], b: &[Point; 3]) -> Result<bool, TestCaseError> {
        let wanted = slow(a, b);
        let turned = [a[2], a[0], a[1]];
        prop_assert_eq!(triangles_meet(&real(a), &real(b)), wanted);
        prop_assert_eq!(triangles_meet(&real(b), &real(a)), wanted, "the other way round");
        prop_assert_eq!(triangles_meet(&real(&turned), &real(b)), wanted, "turned");
        Ok(wanted)
    }

    fn triangle(most: i128) -> impl Strategy<Value = [Point; 3]> {
        prop::array::uniform3(prop::array::uniform3(-most..=most))
    }

    /// A corner that lies in the plane of a triangle, or one unit beside it.
    fn beside(t: [Point; 3], (u, v): (i128, i128), off: Point) -> Point {
        let (e, f) = (minus(t[1], t[0]), minus(t[2], t[0]));
        std::array::from_fn(|k| t[0][k] + u * e[k] + v * f[k] + off[k])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// So few numbers that half of all triangles are flat, in one plane, or share corners.
        #[test]
        fn small_triangles_meet_as_whole_numbers_say(a in triangle(1), b in triangle(1)) {
            agree(&a, &b)?;
        }

        /// The same of neighbours at a corner, prepared and plain: the twin of the filter before the predicate.
        #[test]
        fn prepared_neighbours_meet_as_plain_ones(p in triangle(2), q in triangle(2), i in 0..3usize, j in 0..3usize) {
            let (mut a, mut b) = (real(&p), real(&q));
            b[j] = a[i];
            let (fa, fb) = (Face::of(a), Face::of(b));
            a.rotate_left(i);
            b.rotate_left(j);
            prop_assert_eq!(fa.meets_beyond_corner(i, &fb, j), meet_beyond_corner(&a, &b));
        }

        /// What decides most pairs: the sides of a plane, to the last bit.
        #[test]
        fn sides_are_exact(t in triangle(1 << 20), at in (-2i128..=2, -2i128..=2), off in triangle(1)) {
            let p = Vec3::from_array(beside(t, at, off[0]).map(|v| v as Real));
            for scale in [1.0, 1e-7, 0.1] {
                let [a, b, c] = real(&t).map(|x| x * scale);
                prop_assert_eq!(Face::of([a, b, c]).side(p * scale), orientation(a, b, c, p * scale));
            }
        }

        #[test]
        fn any_triangles_meet_as_whole_numbers_say(a in triangle(4), b in triangle(4)) {
            agree(&a, &b)?;
        }

        /// Corners in the plane of the other triangle or one unit in 2²⁶ beside it: what doubles without care get
        /// wrong, since the determinants have 90 bits. (The twin's own products then just fit 128.)
        #[test]
        fn a_unit_beside_the_plane_is_told_from_in_the_plane(
            a in triangle(1 << 26),
            at in prop::array::uniform3((-2i128..=2, -2i128..=2)),
            off in prop::array::uniform3(prop::array::uniform3(-1i128..=1)),
        ) {
            let b: [Point; 3] = std::array::from_fn(|k| beside(a, at[k], off[k]));
            agree(&a, &b)?;
        }
    }

    #[test]
    fn touching_counts() {
        let t = [[0, 0, 0], [4, 0, 0], [0, 4, 0]];
        let cases = [
            ("a corner on a face", [[1, 1, 0], [1, 1, 5], [2, 1, 5]], true),
            ("a corner on a side", [[2, 0, 0], [2, -3, 1], [3, -3, 1]], true),
            ("corner on corner", [[4, 0, 0], [9, 0, 1], [9, 1, 0]], true),
            ("a side shared", [[0, 0, 0], [4, 0, 0], [0, 0, 7]], true),
            ("half a side shared", [[2, 0, 0], [8, 0, 0], [0, -9, 0]], true),
            ("in one plane, inside", [[1, 1, 0], [2, 1, 0], [1, 2, 0]], true),
            ("in one plane, around", [[-9, -9, 0], [40, -9, 0], [-9, 40, 0]], true),
            ("in one plane, apart", [[5, 5, 0], [6, 5, 0], [5, 6, 0]], false),
            ("one unit above", [[1, 1, 1], [2, 1, 1], [1, 2, 1]], false),
            ("a line through it", [[1, 1, -1], [1, 1, 1], [1, 1, 3]], true),
            ("a line beside it", [[3, 3, -1], [3, 3, 1], [3, 3, 3]], false),
            ("a point on it", [[1, 1, 0]; 3], true),
            ("a point beside it", [[3, 3, 0]; 3], false),
            ("itself", t, true),
        ];
        for (what, other, wanted) in cases {
            assert_eq!(triangles_meet(&real(&t), &real(&other)), wanted, "{what}");
            assert_eq!(slow(&t, &other), wanted, "{what}, by the twin");
        }
    }

    #[test]
    fn neighbours_at_a_corner_meet_beyond_it_or_not() {
        let t = [[0, 0, 0], [4, 0, 0], [0, 4, 0]];
        let cases = [
            ("away from it", [[0, 0, 0], [-4, 0, 1], [0, -4, 1]], false),
            ("away from it in its plane", [[0, 0, 0], [-4, 0, 0], [0, -4, 0]], false),
            ("through it", [[0, 0, 0], [2, 2, 5], [2, 2, -5]], true),
            ("over it in its plane", [[0, 0, 0], [9, 1, 0], [1, 9, 0]], true),
            ("touching a side", [[0, 0, 0], [2, 0, 0], [2, -3, 5]], true),
            ("ending on it", [[0, 0, 0], [1, 1, 0], [1, 1, 5]], true),
        ];
        for (what, other, wanted) in cases {
            assert_eq!(meet_beyond_corner(&real(&t), &real(&other)), wanted, "{what}");
            assert_eq!(meet_beyond_corner(&real(&other), &real(&t)), wanted, "{what}, the other way round");
        }
    }

    #[test]
    fn neighbours_over_a_side_meet_beyond_it_or_not() {
        let cases = [
            ("a ridge", [1, 3, 0], [1, -3, 2], false),
            ("flat", [1, 3, 0], [1, -3, 0], false),
            ("folded sharply", [1, 3, 0], [1, 3, 1], false),
            ("folded flat", [1, 3, 0], [2, 1, 0], true),
            ("one without area beyond the end", [1, 3, 0], [9, 0, 0], false),
            ("both without area, the same end", [7, 0, 0], [9, 0, 0], true),
            ("both without area, other ends", [-7, 0, 0], [9, 0, 0], false),
            ("both without area, inside", [1, 0, 0], [9, 0, 0], false),
        ];
        for (what, a, b, wanted) in cases {
            let [a, b] = [a, b].map(|p: Point| Vec3::from_array(p.map(|v| v as Real)));
            let side = [Vec3::ZERO, Vec3::X * 4.0];
            for (s, x, y) in [(side, a, b), (side, b, a), ([side[1], side[0]], a, b)] {
                assert_eq!(meet_beyond_edge(s, x, y), wanted, "{what}");
                let faces = [Face::of([x, s[0], s[1]]), Face::of([s[1], y, s[0]])];
                assert_eq!(faces[0].meets_beyond_edge(0, &faces[1], 1), wanted, "{what}, prepared");
            }
        }
        assert!(meet_beyond_edge([Vec3::Z; 2], Vec3::ONE, Vec3::new(2.0, 2.0, 1.0)), "a side without length");
        assert!(!meet_beyond_edge([Vec3::Z; 2], Vec3::ONE, Vec3::new(2.0, 1.0, 1.0)));
        assert!(!meet_beyond_edge([Vec3::NAN; 2], Vec3::X, Vec3::Y));
    }

    #[test]
    fn what_is_not_finite_meets_nothing() {
        let t = [Vec3::ZERO, Vec3::X, Vec3::Y];
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let broken = [Vec3::ZERO, Vec3::new(bad, 0.0, 0.0), Vec3::Y];
            assert!(!triangles_meet(&t, &broken) && !triangles_meet(&broken, &t));
        }
    }

    #[test]
    fn flat_is_exact() {
        let line = |d: Real| [Vec3::ZERO, Vec3::new(0.1, 0.1, 0.1), Vec3::new(0.3, 0.3, 0.3 + d)];
        assert!(is_flat(&line(0.0)) && !is_flat(&line(1e-16)));
    }
}
