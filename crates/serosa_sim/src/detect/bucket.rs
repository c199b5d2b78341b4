//! One pair is looked at: whether it may meet, and the rows of what touches.

use super::between::Way;
use super::{Near, Places, Reach, Search};
use crate::model::{Model, Pose, PrimKind, Shape};
use crate::params::BodyParams;
use crate::row::{Row, RowKey, Side};
use crate::{Mat3, PrimId, Real, RigidId, Vec3, VertexId};
use serosa_geometry::solid::{THROUGH, touches, touches_and_ends};
use serosa_geometry::{Cuboid, Facet, Of, Plane, Round, Solid, Touch};

/// What one job found.
#[derive(Clone, Debug, Default)]
pub(super) struct Bucket {
    pub(super) rows: Vec<Row>,
    pub(super) near: Vec<Near>,
}

impl Bucket {
    /// Empties it at the end of others.
    pub(super) fn pour(&mut self, rows: &mut Vec<Row>, near: &mut Vec<Near>) {
        rows.append(&mut self.rows);
        near.append(&mut self.near);
    }

    /// Looks at one pair. `margin` is how much nearer its sides may come.
    pub(super) fn meet(
        &mut self,
        model: &Model,
        bodies: &[BodyParams],
        (places, search): (Places, Search),
        (a, b): (PrimId, PrimId),
        (solids, margin): (&[Solid], impl Fn(&Reach, (PrimId, PrimId)) -> Real),
    ) {
        let (x, y) = (&solids[a.at()], &solids[b.at()]);
        let held = |r: RigidId| places.pose[r.at()];
        let made = |touch: &Touch| row((model, bodies), held, places.radius, (a, b), touch);
        let reach = match search {
            Search::Near(reach) => reach,
            Search::Overlap => return touches(x, y, 0.0, &mut |touch| self.rows.push(made(&touch))),
            Search::Between(end) => {
                let (way, before) = (Way { model, start: places, end }, self.rows.len());
                way.meet((a, b), &mut |touch, time| {
                    let at = |r: RigidId| way.pose(r, time);
                    let row = row((model, bodies), at, end.radius, (a, b), &touch);
                    self.rows.push(Row { gap: row.gap_at(places.pos, places.pose), ..row });
                });
                return self.rows[before..].sort_unstable_by_key(|row| row.key);
            }
        };
        let margin = margin(reach, (a, b));
        let rest = model.rest_gap((a, b), places.radius);
        let mute = |of: Of, end: usize| match of {
            Of::First => muted(model, a, end, b),
            Of::Second => muted(model, b, end, a),
        };
        let nearest = touches_and_ends(x, y, margin, mute, &mut |touch| {
            if reach.may_push(model, places, (a, b), (&touch, rest)) && speaks(model, (a, b), &touch) {
                self.rows.push(made(&touch));
            }
        });
        let meets = nearest.filter(|touch| reach.may_meet(model, places, (a, b), touch));
        self.near.extend(meets.map(|t| Near { prims: [a, b], normal: t.normal, gap: t.gap }));
    }
}

/// Whether a row is of a vertex that has come through a face.
pub(super) fn came_through(row: &Row) -> bool {
    row.key.feature >= THROUGH && row.sides.iter().any(|side| matches!(side, Side::Face(..)))
}

/// Whether an end of a segment leaves a touch with `other` to an earlier segment that meets it there.
#[inline]
fn muted(model: &Model, prim: PrimId, end: usize, other: PrimId) -> bool {
    let PrimKind::Segment(ends) = model.prims[prim.at()].kind else { return false };
    let may = |own: PrimId| own != other && model.may_touch(own.min(other), own.max(other));
    model.neighbours.at(ends[end]).iter().take_while(|own| **own != prim).any(|own| may(*own))
}

/// Whether a pair makes the row of a touch of ends that are not [`muted`]. A touch of two vertices is found from every
/// pair of the segments that meet in them; the first pair that may touch makes the row.
#[inline]
fn speaks(model: &Model, (a, b): (PrimId, PrimId), touch: &Touch) -> bool {
    let (Some(v), Some(w)) = (vertex_at(model, a, touch.s), vertex_at(model, b, touch.t)) else {
        return true;
    };
    let of_b = model.neighbours.at(w);
    let mut pairs = model.neighbours.at(v).iter().flat_map(|x| of_b.iter().map(move |y| (*x, *y)));
    pairs.find(|&(x, y)| x != y && model.may_touch(x.min(y), x.max(y))) == Some((a, b))
}

/// The vertex at a place of a segment, if it is an end.
#[inline]
fn vertex_at(model: &Model, prim: PrimId, along: Real) -> Option<VertexId> {
    match model.prims[prim.at()].kind {
        PrimKind::Segment([v, _]) if along == 0.0 => Some(v),
        PrimKind::Segment([_, v]) if along == 1.0 => Some(v),
        _ => None,
    }
}

/// A primitive in world space.
#[inline]
pub fn solid_of(model: &Model, prim: PrimId, at: Places) -> Solid {
    solid_by(model, prim, |v| at.pos[v.at()], |r| at.pose[r.at()], at.radius[prim.at()])
}

/// The same, told where its vertices are or its frame is.
#[inline]
pub(super) fn solid_by(
    model: &Model,
    prim: PrimId,
    vertex: impl Fn(VertexId) -> Vec3,
    pose: impl Fn(RigidId) -> Pose,
    radius: Real,
) -> Solid {
    let rigid = match model.prims[prim.at()].kind {
        PrimKind::Segment([a, b]) => return Solid::Round(Round { a: vertex(a), b: vertex(b), radius }),
        PrimKind::Triangle(corners) => return Solid::Facet(Facet { corners: corners.map(vertex), radius }),
        PrimKind::Shape(r) => r,
    };
    let pose = pose(rigid);
    match model.rigids[rigid.at()].shape {
        Shape::Ball => Solid::Round(Round { a: pose.pos, b: pose.pos, radius }),
        Shape::Capsule { half } => {
            let reach = pose.rot * Vec3::Z * half;
            Solid::Round(Round { a: pose.pos - reach, b: pose.pos + reach, radius })
        }
        Shape::Cuboid { half } => {
            Solid::Cuboid(Cuboid { center: pose.pos, axes: Mat3::from_quat(pose.rot), half })
        }
        Shape::Plane => {
            let normal = pose.rot * Vec3::Z;
            Solid::Plane(Plane { normal, offset: normal.dot(pose.pos) })
        }
    }
}

/// From a touch to a row: who is held where, with which weight. Frames and radii are those of the touch.
#[inline]
pub(super) fn row(
    (model, bodies): (&Model, &[BodyParams]),
    pose: impl Fn(RigidId) -> Pose,
    radius: &[Real],
    pair: (PrimId, PrimId),
    touch: &Touch,
) -> Row {
    let mu = |p: PrimId| bodies[model.prims[p.at()].body.at()].friction;
    let side = |prim: PrimId, along: Real, point: Vec3| match model.prims[prim.at()].kind {
        PrimKind::Segment(ends) => Side::Soft(ends, [1.0 - along, along]),
        PrimKind::Triangle(corners) => Side::Face(corners, touch.weights),
        PrimKind::Shape(r) => Side::Rigid(r, pose(r).local(point)),
    };
    // A segment or triangle is held at its core, its radius behind the surface; a shape at its surface.
    let inset = |prim: PrimId| match model.prims[prim.at()].kind {
        PrimKind::Segment(_) | PrimKind::Triangle(_) => radius[prim.at()],
        PrimKind::Shape(_) => 0.0,
    };
    Row {
        key: RowKey { a: pair.0, b: pair.1, feature: touch.feature },
        sides: [side(pair.0, touch.s, touch.on_a), side(pair.1, touch.t, touch.on_b)],
        normal: touch.normal,
        offset: inset(pair.0) + inset(pair.1),
        gap: touch.gap,
        friction: (mu(pair.0) * mu(pair.1)).sqrt(),
        rest: model.rest_gap(pair, radius),
        lambda: 0.0,
        slip: Vec3::ZERO,
    }
}
