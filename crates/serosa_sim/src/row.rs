//! `Row`: the one currency of contact. It says nothing about shapes.

use crate::model::Pose;
use crate::{PrimId, Real, RigidId, Vec3, VertexId};
use serde::{Deserialize, Serialize};

/// The largest gap that contacts keep at rest \[m\]: room for the filter to let things settle without touching them.
pub const REST_GAP: Real = 1e-4;

/// What a row is about. Rows are sorted by it, so that every sum has one order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RowKey {
    /// First primitive.
    pub a: PrimId,
    /// Second primitive, later than the first.
    pub b: PrimId,
    /// Which place of the pair.
    pub feature: u8,
}

impl RowKey {
    /// Of a limit of a spring, longest or shortest. No primitive has such a number: limits come after all contacts.
    pub(crate) fn of_limit(spring: u32, longest: bool) -> Self {
        Self { a: PrimId(u32::MAX), b: PrimId(spring), feature: u8::from(!longest) }
    }
}

/// A point that a row takes hold of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node {
    /// A vertex.
    Vertex(VertexId),
    /// A point fixed in a rigid frame \[m\].
    Rigid(RigidId, Vec3),
}

/// A node and its share in the row: positive on side A, negative on side B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    /// The point.
    pub node: Node,
    /// Its weight; the weights of each side add up to one.
    pub weight: Real,
}

/// What one side of a row holds: a vertex alone, where the touch is at the end of a segment, or a primitive.
/// Two rows whose sides hold the same are one contact, found from several of the segments at a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    /// A vertex, whichever segment it was found from.
    Vertex(VertexId),
    /// Any other place of a primitive; the feature tells its places apart.
    Prim(PrimId, u8),
}

/// One side of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// A point between two vertices, by their weights: they add up to one, and one of them may be zero.
    Soft([VertexId; 2], [Real; 2]),
    /// A point of a triangle of a soft body, by weights that add up to one.
    Face([VertexId; 3], [Real; 3]),
    /// A point fixed in a rigid frame \[m\].
    Rigid(RigidId, Vec3),
}

impl Side {
    /// Where it is.
    #[inline(always)]
    pub fn place(&self, pos: &[Vec3], pose: &[Pose]) -> Vec3 {
        match *self {
            Self::Soft([v, w], [s, t]) => pos[v.at()] * s + pos[w.at()] * t,
            Self::Face([u, v, w], [r, s, t]) => pos[u.at()] * r + pos[v.at()] * s + pos[w.at()] * t,
            Self::Rigid(r, local) => pose[r.at()].point(local),
        }
    }

    /// The vertices that hold it.
    pub fn vertices(&self) -> &[VertexId] {
        match self {
            Self::Soft(ends, _) => ends,
            Self::Face(corners, _) => corners,
            Self::Rigid(..) => &[],
        }
    }

    /// The vertex that it is, if it is one.
    fn vertex(&self) -> Option<VertexId> {
        match *self {
            Self::Soft([v, _], [_, 0.0]) => Some(v),
            Self::Soft([_, w], [0.0, _]) => Some(w),
            _ => None,
        }
    }

    /// Its nodes, with weights of that sign.
    fn slots(&self, sign: Real) -> impl Iterator<Item = Slot> + use<> {
        let nothing = (Node::Vertex(VertexId(0)), 0.0);
        let slots = match *self {
            Self::Soft([v, w], [s, t]) => [(Node::Vertex(v), s), (Node::Vertex(w), t), nothing],
            Self::Face([u, v, w], [r, s, t]) => {
                [(Node::Vertex(u), r), (Node::Vertex(v), s), (Node::Vertex(w), t)]
            }
            Self::Rigid(r, local) => [(Node::Rigid(r, local), 1.0), nothing, nothing],
        };
        slots.into_iter().filter(|(_, w)| *w != 0.0).map(move |(node, w)| Slot { node, weight: sign * w })
    }
}

/// One inequality: gap = (A − B) · normal − offset ≥ 0, with an impulse that may only push.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Identity across steps, and sort order.
    pub key: RowKey,
    /// A and B.
    pub sides: [Side; 2],
    /// Unit, from B to A.
    pub normal: Vec3,
    /// See the equation above \[m\].
    pub offset: Real,
    /// Signed distance where the row was made \[m\], + is apart.
    pub gap: Real,
    /// Coulomb coefficient.
    pub friction: Real,
    /// The gap that it keeps at rest \[m\].
    pub rest: Real,
    /// Impulse along the normal so far in this substep \[N s\], never negative.
    pub lambda: Real,
    /// Friction impulse on side A so far in this substep \[N s\], perpendicular to the normal.
    pub slip: Vec3,
}

impl Row {
    /// The nodes held, at most six; one without weight takes no part.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + use<> {
        self.sides[0].slots(1.0).chain(self.sides[1].slots(-1.0))
    }

    /// What the sides hold. A vertex touches a solid in one place only; elsewhere the feature tells the places of a pair
    /// apart.
    pub fn held(&self) -> [Held; 2] {
        let RowKey { a, b, feature } = self.key;
        match (self.sides[0].vertex(), self.sides[1].vertex()) {
            (None, None) => [Held::Prim(a, feature), Held::Prim(b, feature)],
            (v, w) => [v.map_or(Held::Prim(a, 0), Held::Vertex), w.map_or(Held::Prim(b, 0), Held::Vertex)],
        }
    }

    /// From B to A \[m\].
    #[inline]
    pub fn between(&self, pos: &[Vec3], pose: &[Pose]) -> Vec3 {
        self.sides[0].place(pos, pose) - self.sides[1].place(pos, pose)
    }

    /// The gap at other positions, with normal and weights kept \[m\].
    pub fn gap_at(&self, pos: &[Vec3], pose: &[Pose]) -> Real {
        self.between(pos, pose).dot(self.normal) - self.offset
    }
}

/// Where the sides of a row touch: at the surface of a frame, or half way between two cores.
pub(crate) fn meeting_point(sides: &[Side; 2], pos: &[Vec3], pose: &[Pose]) -> Vec3 {
    let [a, b] = sides.map(|side| side.place(pos, pose));
    match sides {
        [Side::Rigid(..), Side::Soft(..) | Side::Face(..)] => a,
        [Side::Soft(..) | Side::Face(..), Side::Rigid(..)] => b,
        _ => (a + b) * 0.5,
    }
}

/// Where a node is.
#[inline]
pub fn place(node: Node, pos: &[Vec3], pose: &[Pose]) -> Vec3 {
    match node {
        Node::Vertex(v) => pos[v.at()],
        Node::Rigid(r, local) => pose[r.at()].point(local),
    }
}
