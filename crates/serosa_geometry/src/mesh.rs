//! A mesh of points, edges and triangles with named sets of vertices.

use crate::{Aabb, Vec3};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Points [m] joined by edges and, where there is a surface, triangles.
/// Edges are unique, with the smaller index first, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mesh {
    /// Positions [m].
    pub points: Vec<Vec3>,
    /// Pairs of point indices.
    pub edges: Vec<[u32; 2]>,
    /// Triples of point indices, anticlockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Named sets of vertices, ascending; generators name what users would want to hold.
    pub sets: BTreeMap<String, Vec<u32>>,
}

impl Mesh {
    /// A surface from its triangles; each side of a triangle becomes an edge once.
    pub fn from_triangles(points: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        let mut edges: Vec<[u32; 2]> = triangles
            .iter()
            .flat_map(|&[a, b, c]| [[a.min(b), a.max(b)], [b.min(c), b.max(c)], [a.min(c), a.max(c)]])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        Self { points, edges, triangles, sets: BTreeMap::new() }
    }

    /// The smallest box around the points.
    pub fn bounds(&self) -> Aabb {
        Aabb::around(self.points.iter().copied())
    }
}
