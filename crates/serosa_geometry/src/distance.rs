//! Closest points of a deforming surface of triangles, and signed distances to it.

mod disc;
mod sign;
mod wide;
mod winding;

pub use sign::Sign;

use crate::meet::Triangle;
use crate::topology::{NONE, Topology};
use crate::triangle::{Feature, closest_on_triangle};
use crate::{Aabb, Real, Tree, Vec3};
use disc::Disc;
use std::sync::Arc;
use wide::Wide;
use winding::Dipole;

/// Rounding of a closest point and of a disc, as a part of the coordinates: some tens of the last place.
const ROUNDING: Real = 1e-14;

/// A point of a surface, closest to some other point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The triangle; of several equally near ones the first. [`NONE`] where there is none, or before the first search.
    pub triangle: u32,
    /// The part of the triangle on which the point lies.
    pub feature: Feature,
    /// Weights of the triangle's corners.
    pub weights: [Real; 3],
    /// The point [m].
    pub point: Vec3,
    /// Distance from the point that was asked for [m]; infinite where there is no triangle. Negative inside, where the
    /// sign was asked for.
    pub distance: Real,
}

impl Near {
    /// Nothing found.
    pub const NOTHING: Self = Self {
        triangle: NONE,
        feature: Feature::Face,
        weights: [0.0; 3],
        point: Vec3::NAN,
        distance: Real::INFINITY,
    };
}

/// A surface prepared for questions of distance: a tree over its triangles with a disc around the triangles of each
/// node and, where signs come from winding numbers, their moments. All are refitted as the surface deforms.
///
/// Normals are not stored: a sign needs those around one point only, and most signs need no angle ([`Sign`]).
/// Answers depend on the positions alone: not on how the tree came about, on earlier answers, or on their order.
#[derive(Clone, Debug)]
pub struct Distance {
    topology: Arc<Topology>,
    points: Vec<Vec3>,
    tree: Tree,
    sign: Sign,
    /// Of each node of the tree.
    discs: Vec<Disc>,
    /// The tree as it is searched.
    wide: Wide,
    /// Of each node, where signs come from winding numbers.
    dipoles: Vec<Dipole>,
    /// Of the triangles, while the tree is built.
    boxes: Vec<Aabb>,
    /// The error of a computed closest point [m], at most, but for what the point asked for adds.
    rounding: Real,
}

impl Distance {
    /// Of a surface with the sign that fits its topology. `points` holds every corner.
    pub fn of(topology: Arc<Topology>, points: &[Vec3]) -> Self {
        let sign = Sign::fitting(&topology);
        Self::with(topology, points, sign)
    }

    /// With a sign of one's choice: winding numbers for a closed surface known to meet itself.
    pub fn with(topology: Arc<Topology>, points: &[Vec3], sign: Sign) -> Self {
        let points = points.to_vec();
        let (tree, wide, discs) = (Tree::default(), Wide::default(), Vec::new());
        let (dipoles, boxes) = (Vec::new(), Vec::new());
        let mut new = Self { topology, points, tree, sign, discs, wide, dipoles, boxes, rounding: 0.0 };
        new.rebuild();
        new
    }

    /// Takes new positions. O(n); allocates nothing, and builds the tree anew where it has grown too much.
    pub fn refit(&mut self, points: &[Vec3]) {
        self.points.copy_from_slice(points);
        let (points, triangles) = (&self.points, &self.topology.triangles);
        self.tree.refit(|t| Aabb::around(corners(points, triangles, t)));
        match self.tree.is_worn() {
            true => self.rebuild(),
            false => self.gather(),
        }
    }

    fn rebuild(&mut self) {
        let (points, triangles) = (&self.points, &self.topology.triangles);
        self.boxes.clear();
        self.boxes.extend((0..triangles.len() as u32).map(|t| Aabb::around(corners(points, triangles, t))));
        self.tree.build(&self.boxes);
        self.wide.shape(&self.tree);
        self.gather();
    }

    /// What nodes hold beside their boxes.
    fn gather(&mut self) {
        let bounds = self.tree.bounds();
        self.rounding = ROUNDING * bounds.min.abs().max(bounds.max.abs()).max_element();
        let mut discs = std::mem::take(&mut self.discs);
        let of = |around: &Aabb, items: &[u32]| Disc::of(around, items.iter().map(|t| self.corners(*t)));
        self.tree.gather(&mut discs, of, Disc::join);
        self.discs = discs;
        let (points, triangles) = (&self.points, &self.topology.triangles);
        self.wide.fill(&self.tree, &self.discs, |t| corners(points, triangles, t));
        if self.sign == Sign::Winding {
            let mut dipoles = std::mem::take(&mut self.dipoles);
            let of =
                |around: &Aabb, items: &[u32]| Dipole::of(around, items.iter().map(|t| self.corners(*t)));
            self.tree.gather(&mut dipoles, of, Dipole::join);
            self.dipoles = dipoles;
        }
    }

    /// How signs are found.
    pub fn sign(&self) -> Sign {
        self.sign
    }

    /// The fixed part of the surface.
    pub fn topology(&self) -> &Arc<Topology> {
        &self.topology
    }

    /// Positions as last taken.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// The tree over the triangles.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Corners of a triangle.
    #[inline]
    pub fn corners(&self, triangle: u32) -> Triangle {
        corners(&self.points, &self.topology.triangles, triangle)
    }

    /// The closest point of the surface. O(log n) where `p` is near the surface beside its size.
    pub fn closest(&self, p: Vec3) -> Near {
        self.closest_from(p, [NONE; 2])
    }

    /// The same point, found sooner where one of two triangles is near it: the answer of the last step, say, and that of
    /// a neighbour. The answer does not depend on them.
    pub fn closest_from(&self, p: Vec3, hints: [u32; 2]) -> Near {
        let mut best = (Real::INFINITY, NONE);
        if !p.is_finite() {
            return Near::NOTHING;
        }
        // What lies so near behind the best is looked at too: rounding could put it first.
        let slack = self.rounding + ROUNDING * p.abs().max_element();
        let mut bound = Real::INFINITY;
        let mut look = |t: u32| {
            let distance_sq = p.distance_squared(closest_on_triangle(p, &self.corners(t)).point);
            if distance_sq < best.0 || (distance_sq == best.0 && t < best.1) {
                best = (distance_sq, t);
                let reach = distance_sq.sqrt() + slack;
                bound = reach * reach;
            }
            bound
        };
        let mut start = Real::INFINITY;
        for hint in hints.into_iter().filter(|t| (*t as usize) < self.topology.triangles.len()) {
            start = look(hint);
        }
        self.wide.search(p, start, look);
        let (distance_sq, triangle) = best;
        if triangle == NONE {
            return Near::NOTHING;
        }
        let on = closest_on_triangle(p, &self.corners(triangle));
        let (feature, weights, point) = (on.feature, on.weights, on.point);
        Near { triangle, feature, weights, point, distance: distance_sq.sqrt() }
    }

    /// The closest point, its distance negative where `p` is inside.
    pub fn signed(&self, p: Vec3) -> Near {
        self.sign_of(p, self.closest(p))
    }

    /// Signed distances of many points at once. `found` is as long as `queries`, and what it holds from the last time
    /// speeds up the search, as does a neighbour before a point in the list; neither changes an answer, so that any
    /// partition of the lists gives the same.
    pub fn signed_all(&self, queries: &[Vec3], found: &mut [Near]) {
        let mut last = NONE;
        for (p, near) in queries.iter().zip(found) {
            *near = self.sign_of(*p, self.closest_from(*p, [near.triangle, last]));
            last = near.triangle;
        }
    }

    fn sign_of(&self, p: Vec3, near: Near) -> Near {
        let inside = near.distance > 0.0 && near.distance.is_finite() && self.is_inside(p, &near);
        Near { distance: if inside { -near.distance } else { near.distance }, ..near }
    }
}

#[inline]
fn corners(points: &[Vec3], triangles: &[[u32; 3]], t: u32) -> Triangle {
    triangles[t as usize].map(|i| points[i as usize])
}

#[cfg(test)]
mod tests;
