//! A surface of triangles as the searches for overlap see it.

use crate::pierce::{Of, pierce};
use crate::triangle::{OnTriangle, closest_on_triangle};
use crate::{Aabb, Real, Topology, Tree, Vec3};

/// The point of a surface closest to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The face; of faces equally near the one with the smallest number.
    pub face: u32,
    /// The point of it.
    pub on: OnTriangle,
    /// How far, squared [m²].
    pub distance_sq: Real,
}

/// A surface of triangles as the searches for overlap see it. Corners must be finite.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Positions [m].
    pub points: &'a [Vec3],
    /// What hangs together.
    pub topology: &'a Topology,
    /// Over the boxes of the triangles, fitted to these positions.
    pub tree: &'a Tree,
}

impl Shape<'_> {
    /// The corners of a face.
    #[inline]
    pub fn face(&self, face: u32) -> [Vec3; 3] {
        self.topology.triangles[face as usize].map(|v| self.points[v as usize])
    }

    /// The ends of an edge, the smaller number first.
    #[inline]
    pub fn edge(&self, edge: u32) -> [Vec3; 2] {
        self.topology.edges[edge as usize].map(|v| self.points[v as usize])
    }

    /// The unit normal of a face, outwards; zero where it has no area.
    #[inline]
    pub fn normal(&self, face: u32) -> Vec3 {
        let [a, b, c] = self.face(face);
        (b - a).cross(c - a).normalize_or_zero()
    }

    /// How often a closed surface winds about a point: 1 inside, 0 outside, more where the surface overlaps itself.
    /// The point is of the shape `of`, which says how ties are broken. Counts the faces before the point along x:
    /// O(√n) for a well-shaped mesh of n faces.
    pub fn winding_about(&self, p: Vec3, of: Of) -> i32 {
        let bounds = self.tree.bounds();
        if !bounds.contains(p) {
            return 0;
        }
        let beyond = Vec3::new(bounds.max.x + (bounds.max.x - bounds.min.x) + 1.0, p.y, p.z);
        let mut sum = 0;
        self.tree.overlapping(&Aabb { min: p, max: beyond }, |face| {
            if let Some(passage) = pierce([p, beyond], &self.face(face), of) {
                sum += if passage.leaving { 1 } else { -1 };
            }
        });
        sum
    }

    /// Whether the surface has an inside: every edge has two faces, which agree about it.
    pub fn is_solid(&self) -> bool {
        self.topology.is_closed() && self.topology.is_oriented()
    }

    /// The point of the surface closest to `p`, within the square root of `within_sq`; `None` where there is none. A
    /// tight limit saves time and changes nothing else. O(log n) where the surface is not about equally far everywhere.
    pub fn nearest(&self, p: Vec3, within_sq: Real) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        let lower = |b: &Aabb| p.clamp(b.min, b.max).distance_squared(p);
        self.tree.nearest(lower, within_sq, |face| {
            let on = closest_on_triangle(p, &self.face(face));
            let distance_sq = p.distance_squared(on.point);
            let better = match &best {
                None => distance_sq <= within_sq,
                Some(b) => distance_sq < b.distance_sq || (distance_sq == b.distance_sq && face < b.face),
            };
            if better {
                best = Some(Nearest { face, on, distance_sq });
            }
            best.as_ref().map_or(within_sq, |b| b.distance_sq)
        });
        best
    }
}
