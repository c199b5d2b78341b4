//! A surface of triangles as the searches for overlap see it.

use crate::pierce::{Of, pierce};
use crate::triangle::{OnTriangle, closest_on_triangle};
use crate::{Aabb, Real, Topology, Tree, Vec3};

/// The sine, squared, of an angle of a triangle below which its plane is not trusted.
const SLIVER_SQ: Real = 1e-8;
/// What the square of a distance to a plane may be off by, as a part of the squares of distances.
const DOUBT: Real = 1e-10;

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
        let [a, b, c] = self.topology.triangles[face as usize];
        [self.points[a as usize], self.points[b as usize], self.points[c as usize]]
    }

    /// The ends of an edge, the smaller number first.
    #[inline]
    pub fn edge(&self, edge: u32) -> [Vec3; 2] {
        let [p, q] = self.topology.edges[edge as usize];
        [self.points[p as usize], self.points[q as usize]]
    }

    /// The unit normal of a face, outwards; zero where it has no area.
    #[inline]
    pub fn normal(&self, face: u32) -> Vec3 {
        let [a, b, c] = self.face(face);
        (b - a).cross(c - a).normalize_or_zero()
    }

    /// How often a closed surface winds about a point: 1 inside, 0 outside, more where the surface overlaps itself.
    /// The point is of the shape `of`, which says how ties are broken. Counts the faces before the point along the
    /// axis by which the box around the surface is left soonest: O(√n) for a well-shaped mesh of n faces.
    pub fn winding_about(&self, p: Vec3, of: Of) -> i32 {
        let bounds = self.tree.bounds();
        if !bounds.contains(p) {
            return 0;
        }
        let beyond = beyond(p, &bounds);
        let mut sum = 0;
        self.tree.overlapping(&Aabb { min: p.min(beyond), max: p.max(beyond) }, |face| {
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

    /// The point of the surface closest to `p`; `None` where there is no face. O(log n), or more where much of the
    /// surface is about equally far.
    pub fn nearest(&self, p: Vec3) -> Option<Nearest> {
        self.nearest_of(p, None)
    }

    /// The same, sooner, where a face is known that is near: the answer does not depend on it.
    pub fn nearest_from(&self, p: Vec3, face: u32) -> Option<Nearest> {
        self.nearest_of(p, Some(self.nearest_on(p, face)))
    }

    fn nearest_on(&self, p: Vec3, face: u32) -> Nearest {
        let on = closest_on_triangle(p, &self.face(face));
        Nearest { face, on, distance_sq: p.distance_squared(on.point) }
    }

    fn nearest_of(&self, p: Vec3, known: Option<Nearest>) -> Option<Nearest> {
        let mut best = known;
        let lower = |_: usize, b: &Aabb| p.clamp(b.min, b.max).distance_squared(p);
        let bound = known.map_or(Real::INFINITY, |n| n.distance_sq);
        self.tree.nearest(lower, bound, |face| {
            let beyond = |b: &Nearest| is_beyond_plane(p, &self.face(face), b.distance_sq);
            if !best.as_ref().is_some_and(beyond) {
                let found = self.nearest_on(p, face);
                let better = |b: &Nearest| (found.distance_sq, found.face) < (b.distance_sq, b.face);
                if best.as_ref().is_none_or(better) {
                    best = Some(found);
                }
            }
            best.as_ref().map_or(Real::INFINITY, |b| b.distance_sq)
        });
        best
    }
}

/// A point outside of a box, reached from one inside of it by the shortest way along an axis.
fn beyond(p: Vec3, bounds: &Aabb) -> Vec3 {
    let (below, above, room) = (p - bounds.min, bounds.max - p, bounds.size() + Vec3::ONE);
    let least = below.min(above);
    let axis = if least.x <= least.y && least.x <= least.z {
        0
    } else if least.y <= least.z {
        1
    } else {
        2
    };
    let mut beyond = p;
    beyond[axis] =
        if below[axis] < above[axis] { bounds.min[axis] - room[axis] } else { bounds.max[axis] + room[axis] };
    beyond
}

/// Whether even the plane of a triangle is farther from `p` than the root of `distance_sq`, beyond doubt by rounding. Inside
/// a convex shape that is so of all faces but the nearest, and costs a third of the closest point.
#[inline]
fn is_beyond_plane(p: Vec3, &[a, b, c]: &[Vec3; 3], distance_sq: Real) -> bool {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let n = ab.cross(ac);
    let (n_sq, height) = (n.length_squared(), n.dot(ap));
    // Of a sliver the plane is rounding.
    let sound = n_sq > SLIVER_SQ * ab.length_squared() * ac.length_squared();
    sound && height * height > n_sq * (distance_sq + DOUBT * (distance_sq + ap.length_squared()))
}
