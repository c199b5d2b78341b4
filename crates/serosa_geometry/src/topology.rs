//! What hangs together in a surface of triangles: the part that stays as it is while the points move.

use crate::surface::side::Sides;

/// Stands where there is no second face, and for the edges of a collapsed triangle.
pub const NONE: u32 = u32::MAX;

/// The fixed part of a triangle surface, built once; positions are passed beside it. Points count by number.
///
/// Built in O(n log n) for n triangles; every question afterwards is an array read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// Corners of the triangles, as given.
    pub triangles: Vec<[u32; 3]>,
    /// Every side once, the smaller number first, ascending: as in [`crate::Mesh::edges`].
    pub edges: Vec<[u32; 2]>,
    /// For each triangle its three edges; edge k joins corners k and k + 1. [`NONE`] for a collapsed triangle.
    pub triangle_edges: Vec<[u32; 3]>,
    /// For each edge its faces, the smaller number first; [`NONE`] where there is no second. Of a crowded edge the first
    /// two.
    pub edge_faces: Vec<[u32; 2]>,
    /// Edges of one face, ascending.
    pub open: Vec<u32>,
    /// Edges of more than two faces, ascending.
    pub crowded: Vec<u32>,
    /// Edges of two faces that run the same way along them, one of which is inside out; ascending.
    pub flipped: Vec<u32>,
    /// Triangles that have a corner twice, ascending; they have no edges and belong to no vertex.
    pub collapsed: Vec<u32>,
    /// For each vertex the number of its part, a part being what edges join; [`NONE`] where no face has the vertex.
    pub part_of: Vec<u32>,
    /// The first vertex of each part, ascending.
    pub parts: Vec<u32>,
    faces: Rows,
    neighbours: Rows,
}

impl Topology {
    /// Of triangles whose corners are numbers below `points`.
    pub fn of(triangles: &[[u32; 3]], points: usize) -> Self {
        let sound = |f: &u32| {
            let [a, b, c] = triangles[*f as usize];
            a != b && b != c && c != a
        };
        let (which, collapsed): (Vec<u32>, Vec<u32>) = (0..triangles.len() as u32).partition(sound);
        let mut all = Self { triangles: triangles.to_vec(), collapsed, ..Self::default() };
        all.take_edges(&Sides::of(triangles, &which));
        let corners = which.iter().flat_map(|f| triangles[*f as usize].map(|v| (v, *f)));
        all.faces = Rows::of(points, corners);
        // By edge, so that the neighbours below a vertex come first and both parts ascend.
        let below = all.edges.iter().map(|&[a, b]| (b, a));
        let above = all.edges.iter().map(|&[a, b]| (a, b));
        all.neighbours = Rows::of(points, below.chain(above));
        all.take_parts();
        all
    }

    fn take_parts(&mut self) {
        let mut part_of = vec![NONE; self.points()];
        let mut open = Vec::new();
        for vertex in 0..self.points() as u32 {
            if part_of[vertex as usize] != NONE || self.faces_of(vertex).is_empty() {
                continue;
            }
            let part = self.parts.len() as u32;
            self.parts.push(vertex);
            part_of[vertex as usize] = part;
            open.push(vertex);
            while let Some(v) = open.pop() {
                for w in self.neighbours_of(v) {
                    if part_of[*w as usize] == NONE {
                        part_of[*w as usize] = part;
                        open.push(*w);
                    }
                }
            }
        }
        self.part_of = part_of;
    }

    fn take_edges(&mut self, sides: &Sides) {
        self.triangle_edges = vec![[NONE; 3]; self.triangles.len()];
        for (sides, e) in sides.edges().zip(0..) {
            let [a, b] = sides[0].edge;
            for side in sides {
                let corners = self.triangles[side.face as usize];
                let from = if side.forward { a } else { b };
                let k = (0..3).find(|k| corners[*k] == from).unwrap_or(0);
                self.triangle_edges[side.face as usize][k] = e;
            }
            self.edges.push([a, b]);
            self.edge_faces.push([sides[0].face, sides.get(1).map_or(NONE, |s| s.face)]);
            match sides {
                [_] => self.open.push(e),
                [f, g] if f.forward == g.forward => self.flipped.push(e),
                [_, _] => {}
                _ => self.crowded.push(e),
            }
        }
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.faces.starts.len().saturating_sub(1)
    }

    /// Triangles around a vertex, ascending.
    #[inline]
    pub fn faces_of(&self, vertex: u32) -> &[u32] {
        self.faces.row(vertex)
    }

    /// Vertices joined to a vertex by an edge, ascending.
    #[inline]
    pub fn neighbours_of(&self, vertex: u32) -> &[u32] {
        self.neighbours.row(vertex)
    }

    /// Whether every edge has exactly two faces.
    pub fn is_closed(&self) -> bool {
        !self.edges.is_empty() && self.open.is_empty() && self.crowded.is_empty()
    }

    /// Whether neighbouring faces agree about which side is outside.
    pub fn is_oriented(&self) -> bool {
        self.flipped.is_empty()
    }
}

/// Lists of different lengths in one array.
#[derive(Clone, Debug, Default, PartialEq)]
struct Rows {
    /// Where each row starts, and the end.
    starts: Vec<u32>,
    values: Vec<u32>,
}

impl Rows {
    /// From (row, value) pairs; within a row the values stay in their order.
    fn of(rows: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0; rows + 1];
        pairs.clone().for_each(|(row, _)| starts[row as usize + 1] += 1);
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut values = vec![0; starts[rows] as usize];
        for (row, value) in pairs {
            let at = &mut next[row as usize];
            values[*at as usize] = value;
            *at += 1;
        }
        Self { starts, values }
    }

    #[inline]
    fn row(&self, row: u32) -> &[u32] {
        let row = row as usize;
        &self.values[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mesh, Vec3};

    /// A cube of twelve triangles, outward.
    fn cube() -> Vec<[u32; 3]> {
        let squares = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        squares.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect()
    }

    /// Every relation, found again by looking at all triangles.
    fn check(triangles: &[[u32; 3]], points: usize) -> Topology {
        let topology = Topology::of(triangles, points);
        let mesh = Mesh::from_triangles(vec![Vec3::ZERO; points], triangles.to_vec());
        assert_eq!(topology.edges, mesh.edges);
        for (corners, edges) in triangles.iter().zip(&topology.triangle_edges) {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                assert_eq!(topology.edges[edges[k] as usize], [a.min(b), a.max(b)]);
            }
        }
        for (edge, faces) in topology.edges.iter().zip(&topology.edge_faces) {
            let has = |f: &u32| edge.iter().all(|v| triangles[*f as usize].contains(v));
            let mut found = (0..triangles.len() as u32).filter(has);
            assert_eq!([found.next().unwrap(), found.next().unwrap_or(NONE)], *faces);
        }
        for v in 0..points as u32 {
            let around = (0..triangles.len() as u32).filter(|f| triangles[*f as usize].contains(&v));
            assert!(around.eq(topology.faces_of(v).iter().copied()));
            let joined = (0..points as u32).filter(|w| {
                let edge = [v.min(*w), v.max(*w)];
                topology.edges.contains(&edge)
            });
            assert!(joined.eq(topology.neighbours_of(v).iter().copied()));
        }
        assert_eq!(topology.points(), points);
        topology
    }

    #[test]
    fn relations_of_a_cube() {
        let topology = check(&cube(), 8);
        assert_eq!((topology.edges.len(), topology.is_closed(), topology.is_oriented()), (18, true, true));
        let open = check(&cube()[1..], 8);
        assert!(!open.is_closed() && open.open.len() == 3);
        let mut turned = cube();
        turned[3].swap(0, 1);
        let turned = check(&turned, 8);
        assert!(turned.is_closed() && !turned.is_oriented() && turned.flipped.len() == 3);
    }

    #[test]
    fn crowded_edges_and_collapsed_triangles_are_recorded() {
        let fan = check(&[[0, 1, 2], [1, 0, 3], [0, 1, 4]], 5);
        assert_eq!((&fan.crowded[..], fan.edge_faces[0]), (&[0][..], [0, 1]));
        assert!(!fan.is_closed());
        let with = Topology::of(&[[0, 1, 2], [1, 1, 2]], 4);
        assert_eq!((&with.collapsed[..], with.triangle_edges[1]), (&[1][..], [NONE; 3]));
        assert_eq!((with.faces_of(1), with.faces_of(3), with.edges.len()), (&[0][..], &[][..], 3));
        assert_eq!((&with.part_of[..], &with.parts[..]), (&[0, 0, 0, NONE][..], &[0][..]));
        let two: Vec<[u32; 3]> = cube().into_iter().chain(cube().iter().map(|t| t.map(|v| v + 8))).collect();
        assert_eq!(Topology::of(&two, 16).parts, [0, 8]);
        let nothing = Topology::of(&[], 0);
        assert!(!nothing.is_closed() && nothing.points() == 0);
    }
}
