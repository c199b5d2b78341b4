//! Collision solids in world space and where two of them touch.
//!
//! Signs: the normal of a touch points from B to A, the gap is positive apart and negative in overlap.

mod facet;

pub use facet::{THROUGH, THROUGH_BOX};

use crate::meet::Triangle;
use crate::rotation::{any_perpendicular, unit_or};
use crate::{Aabb, Mat3, Of, Real, Vec3, closest_on_segment, closest_segments};

/// A segment with a radius: a capsule, or a ball where both ends coincide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// First end of the core [m].
    pub a: Vec3,
    /// Second end of the core [m].
    pub b: Vec3,
    /// Radius [m].
    pub radius: Real,
}

/// The half-space below a plane: solid where `normal · x < offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit vector out of the solid side.
    pub normal: Vec3,
    /// Distance of the plane from the origin along the normal [m].
    pub offset: Real,
}

/// A box with any orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Centre [m].
    pub center: Vec3,
    /// Columns are the box's own axes, unit and perpendicular.
    pub axes: Mat3,
    /// Half of each edge [m].
    pub half: Vec3,
}

/// A triangle with a radius: all that is nearer to it than that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facet {
    /// Corners [m].
    pub corners: Triangle,
    /// Radius, half its thickness [m].
    pub radius: Real,
}

/// Any collision solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// Capsule or ball.
    Round(Round),
    /// Box.
    Cuboid(Cuboid),
    /// Half-space.
    Plane(Plane),
    /// Round triangle.
    Facet(Facet),
}

/// One place where two solids are nearer than the margin asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Parameter of the touch along A's core, where A is round.
    pub s: Real,
    /// Parameter along B's core, where B is round.
    pub t: Real,
    /// Weights of the corners where A or B is a facet. Of two things that touch, one at most is touched inside of a face.
    pub weights: [Real; 3],
    /// Point on A's surface [m].
    pub on_a: Vec3,
    /// Point on B's surface [m].
    pub on_b: Vec3,
    /// Unit normal, from B to A.
    pub normal: Vec3,
    /// Signed distance [m], + is apart.
    pub gap: Real,
    /// Which place of the pair this is: stable while the pair keeps its configuration.
    pub feature: u8,
}

impl Touch {
    /// The same with A and B exchanged.
    pub fn flipped(self) -> Self {
        Self { s: self.t, t: self.s, on_a: self.on_b, on_b: self.on_a, normal: -self.normal, ..self }
    }
}

impl Solid {
    /// The smallest axis-aligned box; a plane square to an axis bounds that axis alone, others nothing.
    #[inline]
    pub fn bounds(&self) -> Aabb {
        match self {
            Self::Round(r) => Aabb::around([r.a, r.b]).grown(r.radius),
            Self::Cuboid(c) => {
                let reach = c.axes.x_axis.abs() * c.half.x + c.axes.y_axis.abs() * c.half.y;
                let reach = reach + c.axes.z_axis.abs() * c.half.z;
                Aabb { min: c.center - reach, max: c.center + reach }
            }
            Self::Plane(plane) => plane.bounds(),
            Self::Facet(f) => Aabb::around(f.corners).grown(f.radius),
        }
    }
}

impl Plane {
    fn bounds(&self) -> Aabb {
        let mut all = Aabb::ALL;
        for (axis, unit) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            if self.normal == unit {
                all.max[axis] = self.offset;
            } else if self.normal == -unit {
                all.min[axis] = -self.offset;
            }
        }
        all
    }
}

/// Every touch of `a` and `b` with a gap below `margin`, handed to `emit` in a fixed order.
/// A pair gives one touch (round–round), up to 5 (round–box), 2 (round–plane), 8 (box–plane) or 52 (box–box). Two planes
/// give none.
///
/// A facet is touched inside of its face alone: by up to 2 ends of a capsule or 8 corners of a box. Its sides are touched
/// as the capsules that they are, which whoever has facets has as well; so planes and other facets give none.
pub fn touches(a: &Solid, b: &Solid, margin: Real, emit: &mut impl FnMut(Touch)) {
    let mut near = |t: Touch| {
        if t.gap < margin {
            emit(t);
        }
    };
    match (a, b) {
        (Solid::Round(a), Solid::Round(b)) => near(round_round(a, b)),
        (Solid::Round(a), Solid::Plane(b)) => round_plane(a, b, &mut near),
        (Solid::Plane(a), Solid::Round(b)) => round_plane(b, a, &mut |t| near(t.flipped())),
        (Solid::Round(a), Solid::Cuboid(b)) => round_box(a, b, &mut near),
        (Solid::Cuboid(a), Solid::Round(b)) => round_box(b, a, &mut |t| near(t.flipped())),
        (Solid::Cuboid(a), Solid::Plane(b)) => box_plane(a, b, &mut near),
        (Solid::Plane(a), Solid::Cuboid(b)) => box_plane(b, a, &mut |t| near(t.flipped())),
        (Solid::Facet(a), b) => facet::touches(b, a, margin, &mut |t| near(t.flipped())),
        (a, Solid::Facet(b)) => facet::touches(a, b, margin, &mut near),
        (Solid::Cuboid(a), Solid::Cuboid(b)) => box_box(a, b, &mut near),
        (Solid::Plane(_), Solid::Plane(_)) => {}
    }
}

/// As [`touches`], with the ends of cores in place of where almost parallel capsules are closest: up to 5 touches.
/// Ends that are mute (first or second, of `a` or `b`) give none. Returns the nearest touch, emitted or not; of a facet
/// it may be at a side or corner.
#[inline]
pub fn touches_and_ends(
    a: &Solid,
    b: &Solid,
    margin: Real,
    mute: impl Fn(Of, usize) -> bool,
    emit: &mut impl FnMut(Touch),
) -> Option<Touch> {
    if let (Solid::Round(a), Solid::Round(b)) = (a, b) {
        return round_round_and_ends(a, b, margin, mute, emit);
    }
    if let (Solid::Round(round), Solid::Facet(facet)) | (Solid::Facet(facet), Solid::Round(round)) = (a, b)
        && facet::is_parted(round, facet, margin)
    {
        return None;
    }
    let at_face = match (a, b) {
        (Solid::Facet(a), b) => facet::nearest(b, a).map(Touch::flipped),
        (a, Solid::Facet(b)) => facet::nearest(a, b),
        _ => None,
    };
    if at_face.is_some_and(|t| t.gap.is_nan() || t.gap >= margin) {
        return None;
    }
    let mut nearest = at_face;
    touches(a, b, margin, &mut |touch| {
        if at_face.is_none() && nearest.is_none_or(|n| touch.gap < n.gap) {
            nearest = Some(touch);
        }
        let speaks = |of: Of, along: Real| !(along == 0.0 && mute(of, 0) || along == 1.0 && mute(of, 1));
        if speaks(Of::First, touch.s) && speaks(Of::Second, touch.t) {
            emit(touch);
        }
    });
    nearest
}

/// Capsules whose cores meet at an angle of less than about 10° are almost parallel: sin² below this.
const PARALLEL: Real = 0.03;

/// The touches of two capsules: where they are closest, and at each end of either core that is near the other.
///
/// Tubes side by side touch along a line, and the closest points of two cores jump from end to end of it as they
/// turn: pushed there they would see-saw for ever. The ends of the cores stay where they are.
#[inline]
fn round_round_and_ends(
    a: &Round,
    b: &Round,
    margin: Real,
    mute: impl Fn(Of, usize) -> bool,
    emit: &mut impl FnMut(Touch),
) -> Option<Touch> {
    let most = margin + a.radius + b.radius;
    let near = |s: Real, t: Real| (a.a.lerp(a.b, s) - b.a.lerp(b.b, t)).length_squared() < most * most;
    let at = closest_segments(a.a, a.b, b.a, b.b);
    if !near(at.s, at.t) {
        return None;
    }
    let closest = round_at(a, b, (at.s, at.t), 0);
    let inside = |x: Real| x > 0.0 && x < 1.0;
    if inside(at.s) && inside(at.t) {
        let (u, v) = (a.b - a.a, b.b - b.a);
        if u.cross(v).length_squared() > PARALLEL * u.length_squared() * v.length_squared() {
            emit(closest);
        }
    }
    for (end, p) in [a.a, a.b].into_iter().enumerate().take(if a.a == a.b { 1 } else { 2 }) {
        if !mute(Of::First, end) {
            let (s, t) = (end as Real, closest_on_segment(p, b.a, b.b));
            if near(s, t) {
                emit(round_at(a, b, (s, t), 1 + end as u8));
            }
        }
    }
    for (end, p) in [b.a, b.b].into_iter().enumerate().take(if b.a == b.b { 1 } else { 2 }) {
        if !mute(Of::Second, end) {
            let (s, t) = (closest_on_segment(p, a.a, a.b), end as Real);
            // An end that is nearest to an end has been found from the other side.
            if inside(s) && near(s, t) {
                emit(round_at(a, b, (s, t), 3 + end as u8));
            }
        }
    }
    Some(closest)
}

/// Where two capsules are closest. Cores that meet have no direction between them: the common normal of
/// the two cores is taken, and any perpendicular where they are parallel as well.
pub fn round_round(a: &Round, b: &Round) -> Touch {
    let p = closest_segments(a.a, a.b, b.a, b.b);
    round_at(a, b, (p.s, p.t), 0)
}

/// The touch of two capsules at given places of their cores.
#[inline]
fn round_at(a: &Round, b: &Round, (s, t): (Real, Real), feature: u8) -> Touch {
    let (ca, cb) = (a.a.lerp(a.b, s), b.a.lerp(b.b, t));
    let apart = ca - cb;
    let distance = apart.length();
    let normal = if distance > 1e-12 {
        apart / distance
    } else {
        let along = unit_or(a.b - a.a, Vec3::X);
        unit_or((a.b - a.a).cross(b.b - b.a), any_perpendicular(along))
    };
    Touch {
        s,
        t,
        weights: [0.0; 3],
        on_a: ca - normal * a.radius,
        on_b: cb + normal * b.radius,
        normal,
        gap: distance - (a.radius + b.radius),
        feature,
    }
}

fn round_plane(a: &Round, plane: &Plane, emit: &mut impl FnMut(Touch)) {
    // The distance is linear along the core, so the ends tell all.
    let ends: &[(Real, Vec3)] = if a.a == a.b { &[(0.0, a.a)] } else { &[(0.0, a.a), (1.0, a.b)] };
    for (feature, &(s, end)) in ends.iter().enumerate() {
        let height = plane.normal.dot(end) - plane.offset;
        emit(Touch {
            s,
            t: 0.0,
            weights: [0.0; 3],
            on_a: end - plane.normal * a.radius,
            on_b: end - plane.normal * height,
            normal: plane.normal,
            gap: height - a.radius,
            feature: feature as u8,
        });
    }
}

/// Signed distance of a point to a box's surface and the unit normal there (outward).
/// Inside, the nearest face decides.
fn box_distance(c: &Cuboid, p: Vec3) -> (Real, Vec3) {
    let q = c.axes.transpose() * (p - c.center);
    let clamped = q.clamp(-c.half, c.half);
    let outside = q - clamped;
    let distance = outside.length();
    if distance > 0.0 {
        return (distance, c.axes * (outside / distance));
    }
    let depth = c.half - q.abs();
    let axis = if depth.x <= depth.y && depth.x <= depth.z {
        0
    } else if depth.y <= depth.z {
        1
    } else {
        2
    };
    let side = if q[axis] < 0.0 { -1.0 } else { 1.0 };
    (-depth[axis], c.axes.col(axis) * side)
}

/// Touches of a capsule and a box from here on are not at an end of its core.
const BETWEEN: u8 = 2;
/// Touches nearer to an end than this share of the core are that end.
const SAME: Real = 1e-6;
/// The nearest place and one that is nearer to it than this share of the core are one: it stands for the side of the face.
const ONE: Real = 1e-2;

/// Both ends of the core and, where they lie between them, the point of the core nearest to the box and those where it goes
/// over the sides of the face it is nearest to: a rod across a table rests on both of its edges.
/// The signed distance to a convex body is convex, so the nearest point is found by halving on the sign of the
/// slope; 52 halvings exhaust the digits of the parameter.
fn round_box(a: &Round, c: &Cuboid, emit: &mut impl FnMut(Touch)) {
    let mut touch = |s: Real, feature: u8| {
        let p = a.a.lerp(a.b, s);
        let (distance, normal) = box_distance(c, p);
        emit(Touch {
            s,
            t: 0.0,
            weights: [0.0; 3],
            on_a: p - normal * a.radius,
            on_b: p - normal * distance,
            normal,
            gap: distance - a.radius,
            feature,
        });
    };
    touch(0.0, 0);
    if a.a == a.b {
        return;
    }
    touch(1.0, 1);
    let along = a.b - a.a;
    let slope = |s: Real| box_distance(c, a.a.lerp(a.b, s)).1.dot(along);
    let (mut lo, mut hi) = match (slope(0.0) < 0.0, slope(1.0) > 0.0) {
        (true, true) => (0.0, 1.0),
        (false, _) => (0.0, 0.0),
        (_, false) => (1.0, 1.0),
    };
    while lo < hi {
        let mid = 0.5 * (lo + hi);
        if mid <= lo || mid >= hi {
            break;
        }
        if slope(mid) < 0.0 { lo = mid } else { hi = mid }
    }
    let [nearest, first, last] = over_face(a, c, 0.5 * (lo + hi));
    let mut between = [(nearest, BETWEEN), (first, BETWEEN + 1), (last, BETWEEN + 2)];
    // By its side, not by its turn: what a place has learnt is found by its number, and which of them is nearest changes with
    // the least tilt.
    for k in [1, 2] {
        if (between[k].0 - nearest).abs() < ONE {
            between[0].1 = if first == last { BETWEEN } else { between[k].1 };
            between[k].0 = Real::NAN;
        }
    }
    // Rows come in the order of their numbers.
    between.sort_by_key(|(_, feature)| *feature);
    for (s, feature) in between {
        if s > SAME && s < 1.0 - SAME {
            touch(s, feature);
        }
    }
}

/// A place on a core, and the first and the last of those over the face of a box that is nearest there.
fn over_face(a: &Round, c: &Cuboid, s: Real) -> [Real; 3] {
    let local = |p: Vec3| c.axes.transpose() * (p - c.center);
    let (from, along) = (local(a.a), local(a.b) - local(a.a));
    let normal = (c.axes.transpose() * box_distance(c, a.a.lerp(a.b, s)).1).abs();
    let (mut first, mut last) = (Real::NEG_INFINITY, Real::INFINITY);
    for axis in (0..3).filter(|axis| normal[*axis] < normal.max_element()) {
        let ends = [-1.0, 1.0].map(|side| (side * c.half[axis] - from[axis]) / along[axis]);
        // Along a side of the face it is over it everywhere or nowhere.
        if along[axis] != 0.0 {
            (first, last) = (first.max(ends[0].min(ends[1])), last.min(ends[0].max(ends[1])));
        } else if from[axis].abs() > c.half[axis] {
            return [s; 3];
        }
    }
    if first < last { [s, first, last] } else { [s; 3] }
}

/// Corner k of a box, 0 to 7: bit by bit, whether it is on the far side of each of its axes.
pub fn corner(c: &Cuboid, k: u8) -> Vec3 {
    let sign = |bit: u8| if k & bit == 0 { -1.0 } else { 1.0 };
    c.center + c.axes * (c.half * Vec3::new(sign(1), sign(2), sign(4)))
}

fn box_plane(c: &Cuboid, plane: &Plane, emit: &mut impl FnMut(Touch)) {
    for k in 0..8 {
        let p = corner(c, k);
        let gap = plane.normal.dot(p) - plane.offset;
        let on_b = p - plane.normal * gap;
        let (weights, normal) = ([0.0; 3], plane.normal);
        emit(Touch { s: 0.0, t: 0.0, weights, on_a: p, on_b, normal, gap, feature: k });
    }
}

/// Each corner of either box to the other, and what edges of the first touch between their ends: one of them is nearest of
/// all.
fn box_box(a: &Cuboid, b: &Cuboid, emit: &mut impl FnMut(Touch)) {
    let point = |p: Vec3| Round { a: p, b: p, radius: 0.0 };
    for k in 0..8 {
        round_box(&point(corner(a, k)), b, &mut |t| emit(Touch { feature: k, ..t }));
        round_box(&point(corner(b, k)), a, &mut |t| emit(Touch { feature: 8 + k, ..t.flipped() }));
    }
    let edges =
        [1, 2, 4].into_iter().flat_map(|bit| (0..8).filter(move |k| k & bit == 0).map(move |k| (k, k | bit)));
    for ((from, to), edge) in edges.zip(0..) {
        let core = Round { a: corner(a, from), b: corner(a, to), radius: 0.0 };
        round_box(&core, b, &mut |t| {
            if t.feature >= BETWEEN {
                emit(Touch { feature: 16 + 3 * edge + (t.feature - BETWEEN), s: 0.0, ..t });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation::from_rotation_vector;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| Vec3::new(x, y, z))
    }

    fn collect(a: &Solid, b: &Solid) -> Vec<Touch> {
        let mut all = Vec::new();
        touches(a, b, f64::INFINITY, &mut |t| all.push(t));
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// The slow twin of the box kernel: the core sampled finely.
        #[test]
        fn round_box_finds_the_deepest_place(a in point(), b in point(), turn in point()) {
            let c = Cuboid { center: Vec3::splat(0.1), axes: Mat3::from_quat(from_rotation_vector(turn)),
                             half: Vec3::new(0.3, 0.2, 0.4) };
            let found = collect(&Solid::Round(Round { a, b, radius: 0.05 }), &Solid::Cuboid(c));
            let fast = found.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
            let slow = (0..=4000).map(|i| box_distance(&c, a.lerp(b, i as Real / 4000.0)).0 - 0.05)
                .fold(f64::INFINITY, f64::min);
            prop_assert!(fast <= slow + 1e-12 && fast >= slow - 1e-3, "{fast} {slow}");
        }

        #[test]
        fn swapping_the_solids_flips_the_touch(a in point(), b in point(), turn in point()) {
            let solids = [
                Solid::Round(Round { a, b, radius: 0.1 }),
                Solid::Plane(Plane { normal: Vec3::Z, offset: -0.2 }),
                Solid::Cuboid(Cuboid { center: turn, axes: Mat3::IDENTITY, half: Vec3::splat(0.3) }),
                Solid::Facet(Facet { corners: [a - b, b - turn, turn - a], radius: 0.05 }),
            ];
            for (i, x) in solids.iter().enumerate() {
                for (j, y) in solids.iter().enumerate() {
                    if i != j {
                        let (xy, yx) = (collect(x, y), collect(y, x));
                        prop_assert_eq!(xy.len(), yx.len());
                        for (p, q) in xy.iter().zip(&yx) {
                            prop_assert_eq!(*p, q.flipped());
                        }
                    }
                }
            }
        }

        /// gap = (point on A − point on B) · normal for every kind of pair.
        #[test]
        fn the_gap_is_measured_along_the_normal(a in point(), b in point(), turn in point()) {
            let axes = Mat3::from_quat(from_rotation_vector(turn));
            let solids = [
                Solid::Round(Round { a, b, radius: 0.1 }),
                Solid::Round(Round { a: turn, b: turn, radius: 0.2 }),
                Solid::Plane(Plane { normal: Vec3::Z, offset: -0.2 }),
                Solid::Cuboid(Cuboid { center: turn, axes, half: Vec3::splat(0.3) }),
                Solid::Cuboid(Cuboid { center: b, axes: Mat3::IDENTITY, half: Vec3::splat(0.2) }),
                Solid::Facet(Facet { corners: [a - b, b - turn, turn - a], radius: 0.05 }),
            ];
            for x in &solids {
                for y in &solids {
                    for t in collect(x, y) {
                        prop_assert!((t.normal.length() - 1.0).abs() < 1e-9);
                        prop_assert!(((t.on_a - t.on_b).dot(t.normal) - t.gap).abs() < 1e-9);
                    }
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Projections to and fro end at the nearest points of two convex bodies.
        #[test]
        fn the_nearest_touch_of_two_boxes_is_their_distance(at in point(), turn in point(), half in point()) {
            let a = Cuboid { center: Vec3::ZERO, axes: Mat3::IDENTITY, half: Vec3::new(0.3, 0.2, 0.4) };
            let axes = Mat3::from_quat(from_rotation_vector(turn * 3.0));
            let b = Cuboid { center: at * 2.0, axes, half: half.abs() * 0.5 + 0.05 };
            let onto = |c: &Cuboid, p: Vec3| c.center + c.axes * (c.axes.transpose() * (p - c.center)).clamp(-c.half, c.half);
            let (mut p, mut q) = (a.center, b.center);
            for _ in 0..20_000 {
                q = onto(&b, p);
                p = onto(&a, q);
            }
            let all = collect(&Solid::Cuboid(a), &Solid::Cuboid(b));
            let least = all.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
            prop_assert!(p.distance(q) < 1e-3 || (least - p.distance(q)).abs() < 1e-6, "{least} {}", p.distance(q));
            prop_assert!(p.distance(q) > 1e-9 || least < 1e-4, "they overlap, and {least}");
            let flipped = collect(&Solid::Cuboid(b), &Solid::Cuboid(a)).iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
            prop_assert!(p.distance(q) < 1e-3 || (least - flipped).abs() < 1e-9, "{least} {flipped}");
        }
    }

    #[test]
    fn a_rod_across_a_table_rests_on_both_of_its_edges() {
        let table = Cuboid { center: Vec3::ZERO, axes: Mat3::IDENTITY, half: Vec3::new(0.2, 0.3, 0.1) };
        for (tilt, ends) in [(0.0, [-0.2, 0.2]), (0.001, [-0.2, 0.2]), (-0.001, [-0.2, 0.2])] {
            let rod = Round {
                a: Vec3::new(-1.0, 0.0, 0.2 + tilt),
                b: Vec3::new(1.0, 0.0, 0.2 - tilt),
                radius: 0.05,
            };
            let found = collect(&Solid::Round(rod), &Solid::Cuboid(table));
            let mut at: Vec<Real> = found.iter().filter(|t| t.feature >= BETWEEN).map(|t| t.on_b.x).collect();
            assert!(found.windows(2).all(|two| two[0].feature < two[1].feature), "{found:?}");
            at.sort_by(Real::total_cmp);
            assert!(at.len() == 2 || at.len() == 3, "{tilt}: {at:?}");
            assert!(
                (at[0] - ends[0]).abs() < 1e-3 && (at[at.len() - 1] - ends[1]).abs() < 1e-3,
                "{tilt}: {at:?}"
            );
        }
    }

    #[test]
    fn a_brick_across_another_rests_on_four_places() {
        let lower = Cuboid { center: Vec3::ZERO, axes: Mat3::IDENTITY, half: Vec3::new(0.1, 1.0, 0.1) };
        let upper = Cuboid { center: Vec3::Z * 0.21, axes: Mat3::IDENTITY, half: Vec3::new(1.0, 0.1, 0.1) };
        let mut places: Vec<[i64; 2]> = Vec::new();
        touches(&Solid::Cuboid(upper), &Solid::Cuboid(lower), 0.02, &mut |t| {
            assert!((t.normal - Vec3::Z).length() < 1e-9 && (t.gap - 0.01).abs() < 1e-12, "{t:?}");
            places.push([t.on_b.x, t.on_b.y].map(|x| (x * 1e6).round() as i64));
        });
        places.sort_unstable();
        places.dedup();
        assert_eq!(
            places,
            [[-100_000, -100_000], [-100_000, 100_000], [100_000, -100_000], [100_000, 100_000]]
        );
    }

    #[test]
    fn normals_of_stacked_boxes_go_from_the_second_to_the_first_and_no_feature_comes_twice() {
        let lower = Cuboid { center: Vec3::ZERO, axes: Mat3::IDENTITY, half: Vec3::new(0.3, 0.2, 0.1) };
        let axes = Mat3::from_quat(from_rotation_vector(Vec3::Z * 0.7));
        let upper = Cuboid { center: Vec3::new(0.05, 0.02, 0.21), axes, half: Vec3::new(0.25, 0.15, 0.1) };
        for (a, b, up) in [(upper, lower, Vec3::Z), (lower, upper, Vec3::NEG_Z)] {
            let mut features = Vec::new();
            touches(&Solid::Cuboid(a), &Solid::Cuboid(b), 0.011, &mut |t| {
                assert!((t.normal - up).length() < 1e-9 && (t.on_a - t.on_b).dot(up) > 0.0, "{t:?}");
                features.push(t.feature);
            });
            let count = features.len();
            features.sort_unstable();
            features.dedup();
            assert!(count >= 4 && features.len() == count, "{features:?} of {count}");
        }
        let mut all: Vec<u8> =
            collect(&Solid::Cuboid(upper), &Solid::Cuboid(lower)).iter().map(|t| t.feature).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn cores_that_cross_are_pushed_apart_sideways() {
        let x = Round { a: -Vec3::X, b: Vec3::X, radius: 0.1 };
        let y = Round { a: -Vec3::Y, b: Vec3::Y, radius: 0.1 };
        let t = round_round(&x, &y);
        assert!(t.normal.z.abs() > 0.999 && (t.gap + 0.2).abs() < 1e-12);
        let same = round_round(&x, &x);
        assert!(same.normal.x.abs() < 1e-12 && (same.normal.length() - 1.0).abs() < 1e-12);
    }
}
