//! Closest points of a deforming surface of triangles, and signed distances to it.

mod disc;
mod lanes;
mod order;
mod packet;
mod sign;
mod winding;

pub use sign::Sign;

use crate::meet::Triangle;
use crate::topology::{NONE, Topology};
use crate::triangle::{Feature, closest_on_triangle};
use crate::{Aabb, Real, Tree, Vec3};
use disc::Disc;
use lanes::{Flat, LANES};
use packet::Packet;
use std::sync::Arc;
use winding::Dipole;

/// Rounding of a closest point and of a disc, as a part of the coordinates: some tens of the last place.
const ROUNDING: Real = 1e-14;
/// Points that are put in order together.
const CHUNK: usize = 4096;

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
    /// Of each triangle.
    flats: Vec<Flat>,
    /// The points in single precision, from the middle.
    singles: Vec<glam::Vec3>,
    /// From where places in single precision are measured, since it has few digits.
    middle: Vec3,
    /// From the middle to the farthest corner, at most.
    size: f32,
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
        let (tree, discs, singles, middle, size) = (Tree::default(), Vec::new(), Vec::new(), Vec3::ZERO, 0.0);
        let (flats, dipoles, boxes, rounding) = (Vec::new(), Vec::new(), Vec::new(), 0.0);
        let mut new = Self {
            topology,
            points,
            tree,
            sign,
            discs,
            flats,
            singles,
            middle,
            size,
            dipoles,
            boxes,
            rounding,
        };
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
        self.gather();
    }

    /// What nodes hold beside their boxes.
    fn gather(&mut self) {
        let bounds = self.tree.bounds();
        self.rounding = ROUNDING * bounds.min.abs().max(bounds.max.abs()).max_element();
        self.middle = 0.5 * (bounds.min + bounds.max);
        self.size = (0.5 * bounds.size().length()) as f32;
        let single = |p: Vec3| (p - self.middle).as_vec3();
        self.singles.clear();
        self.singles.extend(self.points.iter().map(|p| single(*p)));
        let singles = |t: usize| {
            let [a, b, c] = self.topology.triangles[t];
            [self.singles[a as usize], self.singles[b as usize], self.singles[c as usize]]
        };
        self.flats.clear();
        self.flats.extend((0..self.topology.triangles.len()).map(|t| Flat::of(singles(t))));
        let of = |around: &Aabb, items: &[u32]| {
            let mut triangles = [singles(items[0] as usize); 4];
            for (triangle, t) in triangles.iter_mut().zip(items).skip(1) {
                *triangle = singles(*t as usize);
            }
            Disc::of(single(0.5 * (around.min + around.max)), self.size, &triangles)
        };
        self.tree.gather(&mut self.discs, of, |_, a, b| Disc::join(self.size, a, b));
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
        let mut packet = Packet::new();
        packet.put(0, p, self, &Near::NOTHING);
        packet.search(self);
        packet.nearest(0)
    }

    /// The closest point, its distance negative where `p` is inside.
    pub fn signed(&self, p: Vec3) -> Near {
        self.sign_of(p, self.closest(p))
    }

    /// Signed distances of many points at once. `found` is as long as `queries`, and what it holds from the last time
    /// speeds up the search, as do points near one another; neither changes an answer, so that any partition of the lists
    /// gives the same.
    pub fn signed_all(&self, queries: &[Vec3], found: &mut [Near]) {
        self.each(queries, found, |p, near| self.sign_of(p, near));
    }

    /// The same without signs, which is cheaper where they come from winding numbers.
    pub fn closest_all(&self, queries: &[Vec3], found: &mut [Near]) {
        self.each(queries, found, |_, near| near);
    }

    fn each(&self, queries: &[Vec3], found: &mut [Near], finish: impl Fn(Vec3, Near) -> Near) {
        let (mut packet, mut keys) = (Packet::new(), [0; CHUNK]);
        for (queries, found) in queries.chunks(CHUNK).zip(found.chunks_mut(CHUNK)) {
            for group in order::sorted(queries, &mut keys).chunks(LANES) {
                packet.clear();
                let numbers = group.iter().map(|key| order::number(*key)).enumerate();
                numbers.clone().for_each(|(k, i)| packet.put(k, queries[i], self, &found[i]));
                packet.search(self);
                numbers.for_each(|(k, i)| found[i] = finish(queries[i], packet.nearest(k)));
            }
        }
    }

    /// The point of a triangle closest to `p`, and the square of the distance to it [m²].
    #[inline]
    fn on(&self, p: Vec3, triangle: u32) -> (Real, Near) {
        let on = closest_on_triangle(p, &self.corners(triangle));
        let (feature, weights, point) = (on.feature, on.weights, on.point);
        (p.distance_squared(point), Near { triangle, feature, weights, point, distance: Real::NAN })
    }

    /// Square of the distance to a place on the surface that may be near [m²]; infinite where there is none.
    #[inline]
    fn bound_from(&self, p: Vec3, hint: &Near) -> Real {
        let Some(corners) = self.topology.triangles.get(hint.triangle as usize) else {
            return Real::INFINITY;
        };
        let [a, b, c] = corners.map(|i| self.points[i as usize]);
        // Whatever the weights are, the place lies on the triangle.
        let [u, v, w] = hint.weights.map(|w| w.max(0.0));
        let place = (a * u + b * v + c * w) / (u + v + w);
        let bound = p.distance_squared(place);
        if bound.is_nan() { Real::INFINITY } else { bound }
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
