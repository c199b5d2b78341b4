//! How far each vertex should be free to stray in the next substep, for what the vertices did in this one.
//!
//! A surface that springs back leaves its free motion all at once, and those beside it follow a substep later. So what
//! a vertex does is looked out for on those next to it as well, and what a body does on the whole everywhere on it; but one
//! vertex that is plucked does not make all others near to everything.

use crate::detect::Reach;
use crate::model::{Body, BodyKind, Model, PrimKind};
use crate::{Real, Vec3, VertexId};

/// How much more than in one substep the surface of a solid may be sent from its free motion in the next.
const SPRING: Real = 1.25;
/// How much more than the mean of its body any vertex may.
const MEAN: Real = 2.0;

/// What is looked out for.
#[derive(Clone, Debug, Default)]
pub(super) struct Lookout {
    /// One per vertex: how far it should have been free to stray \[m\].
    seen: Vec<Real>,
    /// The same, with what was seen about it.
    pub(super) ahead: Vec<Real>,
    /// One per vertex: the longest edge at it at rest, on surfaces of solids; farther it is not looked out for \[m\].
    edges: Vec<Real>,
}

impl Lookout {
    /// Begins with how far the surfaces of solids are sent from their free motion. What springs back is pushed by forces
    /// that change little from one substep to the next. O(vertices).
    pub(super) fn begin(&mut self, model: &Model, reach: &Reach, to: &[Vec3], from: &[Vec3]) {
        self.seen.clear();
        self.seen.resize(to.len(), 0.0);
        let solid = |body: &&Body| matches!(body.kind, BodyKind::Solid(_));
        for v in model.bodies.iter().filter(solid).flat_map(Body::vertex_range) {
            if !model.neighbours.at(VertexId::from(v)).is_empty() {
                self.see(v, SPRING * reach.off_way(v, to[v] - from[v]).length());
            }
        }
    }

    /// Notes that a vertex should have been free to stray so far \[m\].
    #[inline]
    pub(super) fn see(&mut self, v: usize, far: Real) {
        self.seen[v] = if far.is_finite() { self.seen[v].max(far) } else { self.seen[v] };
    }

    /// Passes on what was seen to the ends of the same edges, and the mean to the whole of each body. O(vertices +
    /// segments).
    pub(super) fn spread(&mut self, model: &Model) {
        if self.edges.len() != self.seen.len() {
            self.edges = edges(model);
        }
        self.seen.iter_mut().zip(&self.edges).for_each(|(seen, edge)| *seen = seen.min(*edge));
        self.ahead.clone_from(&self.seen);
        for prim in &model.prims {
            if let PrimKind::Segment([a, b]) = prim.kind {
                self.ahead[a.at()] = self.ahead[a.at()].max(self.seen[b.at()]);
                self.ahead[b.at()] = self.ahead[b.at()].max(self.seen[a.at()]);
            }
        }
        for vertices in model.bodies.iter().map(Body::vertex_range) {
            let outside =
                vertices.clone().filter(|v| !model.neighbours.at(VertexId::from(*v)).is_empty()).count();
            let mean = self.seen[vertices.clone()].iter().sum::<Real>() / outside.max(1) as Real;
            self.ahead[vertices].iter_mut().for_each(|ahead| *ahead = ahead.max(MEAN * mean));
        }
    }
}

/// The longest edge at each vertex of the surface of a solid; no bound elsewhere. A surface that strays farther than its
/// triangles are long is near to all of itself, and would be searched for what it does in one violent substep: there the
/// filter holds it back.
fn edges(model: &Model) -> Vec<Real> {
    let mut longest = vec![Real::INFINITY; model.rest.len()];
    for body in model.bodies.iter().filter(|body| matches!(body.kind, BodyKind::Solid(_))) {
        longest[body.vertex_range()].fill(0.0);
        for prim in &model.prims[body.prims.start as usize..body.prims.end as usize] {
            if let PrimKind::Segment([a, b]) = prim.kind {
                let length = model.rest[a.at()].distance(model.rest[b.at()]);
                [a, b].iter().for_each(|v| longest[v.at()] = longest[v.at()].max(length));
            }
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BodyId;
    use crate::model::{Neighbours, Prim, SpringBody};

    /// A chain of twenty vertices.
    fn chain() -> Model {
        let segment = |i: u32| PrimKind::Segment([VertexId(i), VertexId(i + 1)]);
        let prim = |i: u32| Prim { body: BodyId(0), kind: segment(i), radius: 1e-3, membrane: false };
        let springs = SpringBody { blocks: Vec::new(), between: 0..0 };
        let body = Body {
            name: "chain".into(),
            kind: BodyKind::Springs(springs),
            vertices: 0..20,
            prims: 0..19,
            self_contact: true,
            membrane_contact: false,
        };
        let all: Vec<crate::PrimId> = (0..20).map(crate::PrimId).collect();
        Model {
            rest: vec![Vec3::ZERO; 20],
            bodies: vec![body],
            prims: (0..19).map(prim).collect(),
            neighbours: Neighbours { starts: (0..21).collect(), segments: all },
            ..Model::default()
        }
    }

    #[test]
    fn one_vertex_that_is_plucked_leaves_the_far_ones_alone() {
        let (model, mut lookout) = (chain(), Lookout { seen: vec![0.0; 20], ..Lookout::default() });
        lookout.see(5, 0.01);
        lookout.see(7, Real::NAN);
        lookout.spread(&model);
        assert_eq!(lookout.ahead[4..7], [0.01; 3]);
        let elsewhere = MEAN * 0.01 / 20.0;
        assert!(lookout.ahead[7..].iter().all(|a| (a - elsewhere).abs() < 1e-12), "{:?}", lookout.ahead);
    }

    #[test]
    fn a_body_that_springs_as_a_whole_is_looked_out_for_everywhere() {
        let (model, mut lookout) = (chain(), Lookout { seen: vec![0.0; 20], ..Lookout::default() });
        (0..10).for_each(|v| lookout.see(v, 0.01));
        lookout.spread(&model);
        assert!(lookout.ahead.iter().all(|a| *a >= 0.01 - 1e-12), "{:?}", lookout.ahead);
    }
}
