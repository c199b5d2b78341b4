//! Continuous detection: what touches on the way from one place to another.
//!
//! Vertices go straight. Ends of capsules against faces and edges against edges are asked by `serosa_geometry::ccd`, so that
//! none is missed, however thin and fast. A rigid frame turns evenly; its capsules are taken to go straight as well,
//! and thicker by what they leave the straight by. Boxes and planes are followed in advances that their distance and
//! the speeds allow.
//!
//! A row is made where its pair first touches: normal and weights are those of that moment. Its gap is that of the
//! start, so that a response which begins there sees how far it is.

use super::{Places, solid_by};
use crate::model::{Model, Pose, PrimKind};
use crate::{PrimId, Real, RigidId, Vec3};
use serosa_geometry::rotation::to_rotation_vector;
use serosa_geometry::solid::{THROUGH, THROUGH_BOX, corner, round_round, touches};
use serosa_geometry::triangle::area_vector;
use serosa_geometry::{Aabb, Cuboid, Facet, Feature, Round, Solid, Touch, ccd, closest_on_triangle};

/// What is nearer than this touches, where it is followed in advances \[m\].
const TOUCHES: Real = 1e-7;
/// How much of what is certain an advance takes.
const USE: Real = 0.95;
/// The most advances of a pair; when they run out it counts as touching.
const ADVANCES: u32 = 128;

/// From where to where.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    pub(super) model: &'a Model,
    pub(super) start: Places<'a>,
    pub(super) end: Places<'a>,
}

impl Way<'_> {
    /// A frame at a time from 0 to 1.
    pub(super) fn pose(&self, r: RigidId, time: Real) -> Pose {
        let (from, to) = (&self.start.pose[r.at()], &self.end.pose[r.at()]);
        let to_rot = if from.rot.dot(to.rot) < 0.0 { -to.rot } else { to.rot };
        let rot = from.rot * (1.0 - time) + to_rot * time;
        Pose { pos: from.pos.lerp(to.pos, time), rot: rot.normalize() }
    }

    /// A primitive at a time, as thick as in the end.
    fn solid(&self, prim: PrimId, time: Real) -> Solid {
        let vertex = |v: crate::VertexId| {
            let (from, to) = (self.start.pos[v.at()], self.end.pos[v.at()]);
            if time == 0.0 { from } else { from * (1.0 - time) + to * time }
        };
        solid_by(self.model, prim, vertex, |r| self.pose(r, time), self.end.radius[prim.at()])
    }

    /// What a frame turns by \[rad\], and how far its corners are from its origin \[m\].
    fn turn(&self, r: RigidId) -> (Real, Real) {
        let turn = self.end.pose[r.at()].rot * self.start.pose[r.at()].rot.conjugate();
        (to_rotation_vector(turn).length(), self.model.rigids[r.at()].shape.arm())
    }

    /// How far the corners of a primitive leave the straight \[m\]: an arc of an angle θ is θ² r/8 high at most.
    fn bow(&self, prim: PrimId) -> Real {
        match self.model.prims[prim.at()].kind {
            PrimKind::Shape(r) => {
                let (angle, arm) = self.turn(r);
                0.125 * angle * angle * arm
            }
            _ => 0.0,
        }
    }

    /// The farthest that any point of a primitive goes, but for a plane that turns \[m\].
    fn length(&self, prim: PrimId) -> Real {
        match &self.model.prims[prim.at()].kind {
            PrimKind::Shape(r) => {
                let (angle, arm) = self.turn(*r);
                // A normalised mean of two turns is at most π/2 times as fast as an even one.
                let shift = self.end.pose[r.at()].pos - self.start.pose[r.at()].pos;
                shift.length() + core::f64::consts::FRAC_PI_2 * angle * arm
            }
            soft => {
                let way = |v: &crate::VertexId| self.end.pos[v.at()].distance(self.start.pos[v.at()]);
                soft.vertices().iter().map(way).fold(0.0, Real::max)
            }
        }
    }

    /// The box that a primitive sweeps.
    pub(super) fn swept(&self, prim: PrimId) -> Aabb {
        let (from, to) = (self.solid(prim, 0.0).bounds(), self.solid(prim, 1.0).bounds());
        Aabb { min: from.min.min(to.min), max: from.max.max(to.max) }.grown(self.bow(prim))
    }

    /// Every first touch of a pair on the way, with its time.
    pub(super) fn meet(&self, (a, b): (PrimId, PrimId), emit: &mut impl FnMut(Touch, Real)) {
        let (from, to) = ([a, b].map(|p| self.solid(p, 0.0)), [a, b].map(|p| self.solid(p, 1.0)));
        let bow = self.bow(a) + self.bow(b);
        match (&from, &to) {
            ([Solid::Round(a0), Solid::Round(b0)], [Solid::Round(a1), Solid::Round(b1)]) => {
                let corners = |a: &Round, b: &Round| [a.a, a.b, b.a, b.b];
                let thickness = a1.radius + b1.radius + bow;
                if let Some(time) = ccd::edge_edge(corners(a0, b0), corners(a1, b1), thickness)
                    && let (Solid::Round(x), Solid::Round(y)) = (self.solid(a, time), self.solid(b, time))
                {
                    emit(round_round(&x, &y), time);
                }
            }
            ([Solid::Round(p0), Solid::Facet(t0)], [Solid::Round(p1), Solid::Facet(t1)]) => {
                ends_on_face([p0, p1], [t0, t1], bow, emit);
            }
            ([Solid::Facet(t0), Solid::Round(p0)], [Solid::Facet(t1), Solid::Round(p1)]) => {
                ends_on_face([p0, p1], [t0, t1], bow, &mut |touch, time| emit(touch.flipped(), time));
            }
            ([Solid::Cuboid(c0), Solid::Facet(t0)], [Solid::Cuboid(c1), Solid::Facet(t1)]) => {
                corners_on_face([c0, c1], [t0, t1], bow, emit);
            }
            ([Solid::Facet(t0), Solid::Cuboid(c0)], [Solid::Facet(t1), Solid::Cuboid(c1)]) => {
                corners_on_face([c0, c1], [t0, t1], bow, &mut |touch, time| emit(touch.flipped(), time));
            }
            ([Solid::Round(_), _], _) => self.meet_shape((a, b), emit),
            ([_, Solid::Round(_)], _) => {
                self.meet_shape((b, a), &mut |touch, time| emit(touch.flipped(), time));
            }
            (
                [Solid::Cuboid(_), Solid::Plane(_) | Solid::Cuboid(_)] | [Solid::Plane(_), Solid::Cuboid(_)],
                _,
            ) => {
                self.advance((a, b), Some, emit);
            }
            // Planes and faces meet by vertices, and two planes not at all.
            _ => {}
        }
    }

    /// A capsule or ball and a box or plane: either end by itself, and what is between them.
    fn meet_shape(&self, (a, b): (PrimId, PrimId), emit: &mut impl FnMut(Touch, Real)) {
        let Solid::Round(round) = self.solid(a, 0.0) else { return };
        for k in 0..if round.a == round.b { 1 } else { 2 } {
            let end = |solid: Solid| match solid {
                Solid::Round(Round { a, b, radius }) => {
                    let p = if k == 0 { a } else { b };
                    Some(Solid::Round(Round { a: p, b: p, radius }))
                }
                _ => None,
            };
            self.advance((a, b), end, &mut |touch, time| {
                emit(Touch { s: Real::from(k), feature: k, ..touch }, time);
            });
        }
        self.advance((a, b), Some, &mut |touch, time| {
            if touch.feature > 1 {
                emit(touch, time);
            }
        });
    }

    /// A pair with a box or a plane, or a part of the first of them: what touches where they first do, and what overlaps
    /// in the end besides.
    fn advance(
        &self,
        (a, b): (PrimId, PrimId),
        part: impl Fn(Solid) -> Option<Solid>,
        emit: &mut impl FnMut(Touch, Real),
    ) {
        let both = |time: Real| Some((part(self.solid(a, time))?, self.solid(b, time)));
        let Some((first, gap)) = self.first_touch((a, b), &both) else { return };
        let mut seen = 0u64;
        // As near as the pair where it touches: what comes later is seen in the end, or when looked for again.
        for (time, margin) in [(first, gap.max(0.0) * (1.0 + 1e-9) + TOUCHES), (1.0, TOUCHES)] {
            let Some((x, y)) = both(time) else { return };
            touches(&x, &y, margin, &mut |touch| {
                if seen >> touch.feature & 1 == 0 {
                    seen |= 1 << touch.feature;
                    emit(touch, time);
                }
            });
        }
    }

    /// When a pair first touches, and its gap then: some where the advances have run out. `None` if never.
    fn first_touch(
        &self,
        (a, b): (PrimId, PrimId),
        both: &impl Fn(Real) -> Option<(Solid, Solid)>,
    ) -> Option<(Real, Real)> {
        let speed = self.length(a) + self.length(b);
        let is_turned = |p: PrimId| match self.model.prims[p.at()].kind {
            PrimKind::Shape(r) => self.turn(r).0 > 0.0,
            _ => false,
        };
        let turned_plane = |(x, y): &(Solid, Solid)| {
            matches!(x, Solid::Plane(_)) && is_turned(a) || matches!(y, Solid::Plane(_)) && is_turned(b)
        };
        let (mut time, mut gap) = (0.0, Real::INFINITY);
        for _ in 0..ADVANCES {
            let pair = both(time)?;
            // A plane that turns sweeps everything: it is looked at in the end alone.
            if turned_plane(&pair) {
                return Some((1.0, 0.0));
            }
            gap = Real::INFINITY;
            touches(&pair.0, &pair.1, Real::INFINITY, &mut |touch| gap = gap.min(touch.gap));
            if gap <= TOUCHES {
                break;
            }
            time += USE * gap / speed;
            // Not a number where nothing moves and all is at rest.
            if time.is_nan() || time >= 1.0 {
                return None;
            }
        }
        Some((time, gap))
    }
}

/// The ends of a capsule against a face, at the start and in the end of both.
fn ends_on_face(rounds: [&Round; 2], facets: [&Facet; 2], bow: Real, emit: &mut impl FnMut(Touch, Real)) {
    let thickness = rounds[1].radius + facets[1].radius + bow;
    let ends = [rounds[0].a, rounds[0].b].into_iter().zip([rounds[1].a, rounds[1].b]);
    for (k, (from, to)) in ends.enumerate().take(if rounds[0].a == rounds[0].b { 1 } else { 2 }) {
        let mut at_end = |touch: Touch, time: Real| {
            emit(Touch { s: k as Real, feature: k as u8 + (touch.feature & THROUGH), ..touch }, time);
        };
        end_on_face([from, to], rounds[1].radius, facets, thickness, &mut at_end);
    }
}

/// The corners of a box against a face, at the start and in the end of both.
fn corners_on_face(boxes: [&Cuboid; 2], facets: [&Facet; 2], bow: Real, emit: &mut impl FnMut(Touch, Real)) {
    let thickness = facets[1].radius + bow;
    for k in 0..8 {
        let mut at_corner = |touch: Touch, time: Real| {
            let through = if touch.feature >= THROUGH { THROUGH_BOX } else { 0 };
            emit(Touch { feature: through + k, ..touch }, time);
        };
        end_on_face(boxes.map(|c| corner(c, k)), 0.0, facets, thickness, &mut at_corner);
    }
}

/// One end: where it first comes near the inside of the face. If it first comes near a side, which is an edge of its
/// own, it may still pass through the face later.
fn end_on_face(
    [from, to]: [Vec3; 2],
    radius: Real,
    facets: [&Facet; 2],
    thickness: Real,
    emit: &mut impl FnMut(Touch, Real),
) {
    let corners = |p: Vec3, [a, b, c]: [Vec3; 3]| [p, a, b, c];
    let (start, end) = (corners(from, facets[0].corners), corners(to, facets[1].corners));
    let at = |time: Real| {
        let [p, a, b, c]: [Vec3; 4] = core::array::from_fn(|k| start[k] * (1.0 - time) + end[k] * time);
        (p, Facet { corners: [a, b, c], radius: facets[1].radius })
    };
    let Some(time) = ccd::vertex_triangle(start, end, thickness) else { return };
    let (p, facet) = at(time);
    let mut over = false;
    let ball = Solid::Round(Round { a: p, b: p, radius });
    touches(&ball, &Solid::Facet(facet), Real::INFINITY, &mut |touch| {
        over = true;
        emit(touch, time);
    });
    if over {
        return;
    }
    let Some(later) = ccd::vertex_triangle(start, end, 0.0) else { return };
    let height = |(p, facet): (Vec3, Facet)| {
        let n = area_vector(&facet.corners).map_or(Vec3::ZERO, Vec3::normalize);
        (n.dot(p - facet.corners[0]), n)
    };
    let (before, (p, facet)) = (height((p, facet)).0, at(later));
    let on = closest_on_triangle(p, &facet.corners);
    let n = height((p, facet)).1;
    if on.feature != Feature::Face || before == 0.0 {
        return;
    }
    let normal = if before > 0.0 { n } else { -n };
    let touch = Touch {
        s: 0.0,
        t: 0.0,
        weights: on.weights,
        on_a: p - normal * radius,
        on_b: on.point + normal * facet.radius,
        normal,
        gap: -(radius + facet.radius),
        feature: THROUGH,
    };
    emit(touch, later);
}
