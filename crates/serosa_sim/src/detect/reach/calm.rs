//! Surfaces that go too wild to be looked at.
//!
//! A surface whose vertices may all go several edges of its triangles in a substep is near to much of itself: the pairs grow
//! with the square, and time and memory with them. Such a surface is held back, all of it, until it has calmed down.
//! What a tool does to a few vertices is not: they hardly count.

use super::Reach;
use crate::model::{Model, PrimKind};
use crate::{Real, VertexId};

/// How far the vertices of a surface may be from where they are expected, in edges: the root of their mean square.
const WILD: Real = 0.5;
/// How far a vertex of a wild surface may go along its way, and stray from it, in edges.
const CALM: [Real; 2] = [0.7, 0.15];

/// Holds wild surfaces back. O(vertices).
pub(super) fn calm(model: &Model, reach: &mut Reach) {
    let Reach { ways, strays, edges, .. } = reach;
    for body in &model.bodies {
        let vertices = body.vertex_range();
        let (mut sum, mut count) = (0.0, 0.0);
        for v in vertices.clone().filter(|v| edges[*v].is_finite()) {
            let far = (0.5 * ways[v].length() + strays[v]) / edges[v];
            sum += far * far;
            count += 1.0;
        }
        if sum > WILD * WILD * count {
            for v in vertices {
                ways[v] = ways[v].clamp_length_max(CALM[0] * edges[v]);
                strays[v] = strays[v].min(CALM[1] * edges[v]);
            }
        }
    }
}

/// The longest edge at each vertex of a surface at rest \[m\]; no bound elsewhere.
pub(super) fn edges(model: &Model) -> Vec<Real> {
    let mut longest = vec![0.0; model.rest.len()];
    let mut see = |[a, b]: [VertexId; 2]| {
        let length = model.rest[a.at()].distance(model.rest[b.at()]);
        [a, b].iter().for_each(|v| longest[v.at()] = Real::max(longest[v.at()], length));
    };
    for prim in &model.prims {
        if let PrimKind::Triangle([a, b, c]) = prim.kind {
            [[a, b], [b, c], [c, a]].into_iter().for_each(&mut see);
        }
    }
    longest.into_iter().map(|edge| if edge > 0.0 { edge } else { Real::INFINITY }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Body, BodyKind, Prim, SpringBody};
    use crate::{BodyId, Vec3};

    /// A strip of a hundred triangles with edges of a centimetre, and a rope of ten vertices.
    fn model() -> Model {
        let strip = |v: u32| Vec3::new(0.5 * Real::from(v), 0.75_f64.sqrt() * Real::from(v % 2), 0.0) * 0.01;
        let prim =
            |body: u32, kind: PrimKind| Prim { body: BodyId(body), kind, radius: 1e-3, membrane: false };
        let triangle = |v: u32| PrimKind::Triangle([v, v + 1, v + 2].map(VertexId));
        let body = |vertices: std::ops::Range<u32>, prims: std::ops::Range<u32>| Body {
            name: format!("{vertices:?}"),
            kind: BodyKind::Springs(SpringBody { blocks: Vec::new(), between: 0..0 }),
            vertices,
            prims,
            self_contact: true,
            membrane_contact: false,
        };
        Model {
            rest: (0..102).map(strip).chain((0..10).map(|v| Vec3::Z * 0.01 * Real::from(v))).collect(),
            bodies: vec![body(0..102, 0..100), body(102..112, 100..109)],
            prims: (0..100)
                .map(|v| prim(0, triangle(v)))
                .chain((102..111).map(|v| prim(1, PrimKind::Segment([VertexId(v), VertexId(v + 1)]))))
                .collect(),
            ..Model::default()
        }
    }

    /// All go one way, some of the strip and the rope another.
    fn reach(model: &Model, way: Vec3, wild: usize) -> Reach {
        let mut reach = Reach::of(model);
        reach.ways = (0..112).map(|v| if v < wild || v > 101 { Vec3::X * 0.03 } else { way }).collect();
        reach.strays = reach.ways.iter().map(|way| 0.35 * way.length()).collect();
        calm(model, &mut reach);
        reach
    }

    #[test]
    fn a_surface_that_flies_is_held_to_its_edges_and_a_rope_is_not() {
        let reach = reach(&model(), Vec3::Y * 0.02, 0);
        for v in 0..102 {
            assert!((reach.ways[v] - Vec3::Y * 0.007).length() < 1e-12, "{v}: {}", reach.ways[v]);
            assert!((reach.strays[v] - 0.0015).abs() < 1e-12, "{v}: {}", reach.strays[v]);
        }
        assert_eq!(reach.ways[102..], [Vec3::X * 0.03; 10]);
    }

    #[test]
    fn a_few_vertices_that_are_torn_away_are_free_to_go() {
        let slow = Vec3::Y * 0.002;
        assert_eq!(reach(&model(), slow, 3).ways[..3], [Vec3::X * 0.03; 3]);
        // Too many of them are not.
        let held = reach(&model(), slow, 30);
        assert!(held.ways[..30].iter().all(|way| (way.length() - 0.007).abs() < 1e-12));
        assert_eq!(held.ways[40], slow);
    }

    #[test]
    fn what_goes_less_than_an_edge_is_left_alone() {
        let reach = reach(&model(), Vec3::Y * 0.005, 0);
        assert!(reach.strays[..102].iter().all(|stray| (stray - 0.00175).abs() < 1e-12));
    }
}
