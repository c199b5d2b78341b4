//! How far each vertex should be free to stray in the next substep, for what the vertices did in this one.
//!
//! A surface that springs back leaves its free motion all at once, and those beside it follow a substep later. So what
//! a vertex does is looked out for on those next to it and on what touches it as well, and what a body does on the whole
//! everywhere on it; but one vertex of a solid that is plucked does not make all others near to everything.

use crate::detect::Reach;
use crate::model::{BodyKind, Model, Prim, PrimKind};
use crate::row::Row;
use crate::{Real, Vec3};

/// How much more than in one substep the surface of a solid may be sent from its free motion in the next.
const SPRING: Real = 1.25;
/// How much more than the mean of its body any vertex may.
const MEAN: Real = 2.0;
/// How far a vertex is looked out for at most, in edges. What strays farther is near to all of itself: that is searched for
/// where it happens, not where it may.
const EDGES: Real = 0.5;

/// What is looked out for.
#[derive(Clone, Debug, Default)]
pub(super) struct Lookout {
    /// One per vertex: how far it should have been free to stray \[m\].
    seen: Vec<Real>,
    /// The same, with what was seen about it.
    pub(super) ahead: Vec<Real>,
}

impl Lookout {
    /// Begins with how far the surfaces of solids were sent from where they were expected: what springs back is pushed by
    /// forces that change little from one substep to the next; and with all that went farther than was searched for.
    /// O(vertices + frames).
    pub(super) fn begin(&mut self, model: &Model, reach: &Reach, steps: &[Vec3]) {
        self.seen.clear();
        self.seen.extend_from_slice(reach.beyond());
        let bodies = steps.len() + model.rigids.len();
        for (b, body) in model.bodies.iter().enumerate() {
            if matches!(body.kind, BodyKind::Solid(_)) {
                let (whole, beside) = reach.off_way(body, steps);
                self.see(bodies + b, SPRING * whole.length());
                for v in body.vertex_range().filter(|v| !model.neighbours.at((*v).into()).is_empty()) {
                    self.see(v, SPRING * beside(v));
                }
            }
        }
    }

    /// Notes that a vertex should have been free to stray so far \[m\].
    #[inline]
    pub(super) fn see(&mut self, v: usize, far: Real) {
        self.seen[v] = if far.is_finite() { self.seen[v].max(far) } else { self.seen[v] };
    }

    /// Passes on what was seen across contacts, to the corners of the same primitives, and to the whole of each body: of a
    /// surface the mean, since it has many vertices; of ropes and nets the most, which runs along them in a substep or two.
    /// O(vertices + primitives + rows).
    pub(super) fn spread(&mut self, model: &Model, reach: &Reach, rows: &[Row]) {
        let strict = |(seen, edge): (&mut Real, &Real)| *seen = seen.min(EDGES * edge);
        self.seen.iter_mut().zip(&reach.edges).for_each(strict);
        self.ahead.clone_from(&self.seen);
        for row in rows {
            let seen =
                row.sides.map(|side| side.vertices().iter().map(|v| self.seen[v.at()]).fold(0.0, Real::max));
            for (side, far) in row.sides.iter().zip([seen[1], seen[0]]) {
                side.vertices().iter().for_each(|v| self.ahead[v.at()] = self.ahead[v.at()].max(far));
            }
        }
        self.seen.clone_from(&self.ahead);
        for vertices in model.prims.iter().map(|prim| prim.kind.vertices()) {
            let most = vertices.iter().map(|v| self.seen[v.at()]).fold(0.0, Real::max);
            vertices.iter().for_each(|v| self.ahead[v.at()] = self.ahead[v.at()].max(most));
        }
        for body in &model.bodies {
            let (vertices, seen) = (body.vertex_range(), &self.seen[body.vertex_range()]);
            let has_faces = |prim: &Prim| matches!(prim.kind, PrimKind::Triangle(_));
            let prims = &model.prims[body.prims.start as usize..body.prims.end as usize];
            let on_surface = vertices.clone().filter(|v| reach.edges[*v] > 0.0).count();
            let is_rope =
                matches!(body.kind, BodyKind::Springs(_) | BodyKind::Band(_)) && !prims.iter().any(has_faces);
            let everywhere = match is_rope {
                true => seen.iter().copied().fold(0.0, Real::max),
                false => MEAN * seen.iter().sum::<Real>() / on_surface.max(1) as Real,
            };
            self.ahead[vertices].iter_mut().for_each(|ahead| *ahead = ahead.max(everywhere));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Body, Descent, Neighbours, SolidBody, SpringBody};
    use crate::row::{RowKey, Side};
    use crate::{BodyId, PrimId, VertexId};

    /// Two chains of twenty vertices as edges of a solid, one centimetre each.
    fn chains(kind: BodyKind) -> Model {
        let body = |b: u32| Body {
            name: format!("chain {b}"),
            kind: kind.clone(),
            vertices: 20 * b..20 * b + 20,
            prims: 19 * b..19 * b + 19,
            self_contact: true,
            membrane_contact: false,
        };
        let prim = |b: u32, i: u32| Prim {
            body: BodyId(b),
            kind: PrimKind::Segment([VertexId(20 * b + i), VertexId(20 * b + i + 1)]),
            radius: 1e-3,
            membrane: false,
        };
        Model {
            rest: (0..40).map(|v| Vec3::X * 0.01 * Real::from(v % 20)).collect(),
            bodies: vec![body(0), body(1)],
            prims: (0..2).flat_map(|b| (0..19).map(move |i| prim(b, i))).collect(),
            neighbours: Neighbours { starts: (0..41).collect(), segments: (0..40).map(PrimId).collect() },
            ..Model::default()
        }
    }

    fn solid() -> BodyKind {
        BodyKind::Solid(SolidBody {
            tets: 0..0,
            regions: Vec::new(),
            walls: Vec::new(),
            free: true,
            descent: Descent::Vertex,
            quadratic: None,
            layout: Box::default(),
            coarse: Box::default(),
        })
    }

    /// A net or a rope.
    fn springs() -> BodyKind {
        BodyKind::Springs(SpringBody { blocks: Vec::new(), between: 0..0 })
    }

    /// On a surface with edges of a centimetre.
    fn lookout(seen: &[(usize, Real)], model: &Model, rows: &[Row]) -> Vec<Real> {
        lookout_at(0.01, seen, model, rows)
    }

    fn lookout_at(edge: Real, seen: &[(usize, Real)], model: &Model, rows: &[Row]) -> Vec<Real> {
        let mut lookout = Lookout { seen: vec![0.0; 40], ..Lookout::default() };
        let mut reach = Reach::around(model, Vec::new());
        reach.edges = vec![edge; 40];
        seen.iter().for_each(|(v, far)| lookout.see(*v, *far));
        lookout.spread(model, &reach, rows);
        lookout.ahead
    }

    #[test]
    fn one_vertex_that_is_plucked_leaves_the_far_ones_alone() {
        let ahead = lookout(&[(5, 0.005), (7, Real::NAN)], &chains(solid()), &[]);
        assert_eq!(ahead[4..7], [0.005; 3]);
        let elsewhere = MEAN * 0.005 / 20.0;
        assert!(ahead[7..20].iter().all(|a| (a - elsewhere).abs() < 1e-12), "{ahead:?}");
        assert_eq!(ahead[20..], [0.0; 20]);
    }

    #[test]
    fn a_surface_strays_half_an_edge_at_most() {
        let ahead = lookout(&[(5, 1.0)], &chains(solid()), &[]);
        assert!((ahead[5] - 0.005).abs() < 1e-12, "{ahead:?}");
    }

    #[test]
    fn a_rope_and_a_body_that_springs_as_a_whole_are_looked_out_for_everywhere() {
        let all: Vec<(usize, Real)> = (0..10).map(|v| (v, 0.005)).collect();
        let ahead = lookout(&all, &chains(solid()), &[]);
        assert!(ahead[..20].iter().all(|a| *a >= 0.005 - 1e-12), "{ahead:?}");
        let ahead = lookout_at(Real::INFINITY, &[(5, 0.004)], &chains(springs()), &[]);
        assert_eq!(ahead[..20], [0.004; 20]);
    }

    #[test]
    fn what_touches_something_that_springs_is_looked_out_for_too() {
        let side = |v: u32| Side::Soft([VertexId(v), VertexId(v + 1)], [0.5; 2]);
        let row = Row {
            key: RowKey { a: PrimId(5), b: PrimId(30), feature: 0 },
            sides: [side(5), side(31)],
            normal: Vec3::Z,
            offset: 0.0,
            gap: 0.0,
            friction: 0.0,
            rest: 1e-4,
            lambda: 1.0,
            slip: Vec3::ZERO,
        };
        let ahead = lookout(&[(5, 0.004)], &chains(solid()), &[row]);
        assert_eq!(ahead[30..34], [0.004; 4]);
        assert!(ahead[34] < 0.002, "{ahead:?}");
    }
}
