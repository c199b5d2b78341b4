//! `Row`: the one currency of contact. It says nothing about shapes.

use crate::model::Pose;
use crate::{PrimId, Real, RigidId, Vec3, VertexId};
use serde::{Deserialize, Serialize};

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

/// One inequality: gap = Σ weight · x · normal − offset ≥ 0, with an impulse that may only push.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Identity across steps, and sort order.
    pub key: RowKey,
    slots: [Slot; 4],
    len: u8,
    /// What sides A and B hold.
    pub held: [Held; 2],
    /// Unit, from B to A.
    pub normal: Vec3,
    /// See the equation above \[m\].
    pub offset: Real,
    /// Signed distance where the row was made \[m\], + is apart.
    pub gap: Real,
    /// Coulomb coefficient.
    pub friction: Real,
    /// Impulse along the normal so far in this substep \[N s\], never negative.
    pub lambda: Real,
    /// Friction impulse on side A so far in this substep \[N s\], perpendicular to the normal.
    pub slip: Vec3,
}

impl Row {
    /// A row without slots; [`Self::hold`] adds them.
    pub fn new(key: RowKey, held: [Held; 2], normal: Vec3, gap: Real, friction: Real) -> Self {
        let empty = Slot { node: Node::Vertex(VertexId(0)), weight: 0.0 };
        Self {
            key,
            slots: [empty; 4],
            len: 0,
            held,
            normal,
            offset: -gap,
            gap,
            friction,
            lambda: 0.0,
            slip: Vec3::ZERO,
        }
    }

    /// Adds a node with its weight and where it is now; the offset is kept so that the gap stays as given.
    /// A node without weight takes no part.
    pub fn hold(&mut self, node: Node, weight: Real, at: Vec3) {
        if weight == 0.0 {
            return;
        }
        self.slots[self.len as usize] = Slot { node, weight };
        self.len += 1;
        self.offset += weight * at.dot(self.normal);
    }

    /// The nodes held, at most four.
    pub fn slots(&self) -> &[Slot] {
        &self.slots[..self.len as usize]
    }

    /// The gap at other positions, with normal and weights kept \[m\].
    pub fn gap_at(&self, pos: &[Vec3], pose: &[Pose]) -> Real {
        let along = |slot: &Slot| slot.weight * place(slot.node, pos, pose).dot(self.normal);
        self.slots().iter().map(along).sum::<Real>() - self.offset
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
