//! Overlap regions of two surfaces and their penetration depth: MedVR (Pavithran, The University of Texas at Arlington,
//! 2008, chapter 4), with what the thesis left out.
//!
//! The depth of a region is the largest of the shortest distances from its points to the other surface, its direction that
//! of the shortest way from there; all other points are pushed along that one direction. The thesis looks at vertices
//! alone, takes one direction for a pair of objects, and misses what has no vertex inside. Here
//! - a region is a connected piece of the boundary of what the two shapes have in common: vertices joined by edges,
//!   pieces of edges, and the curves along which the surfaces cross. Two bumps give two regions and two directions;
//! - an edge gives a point at its deepest place, where that is between its ends, whether these are inside or not: what
//!   lies over a rim is as deep as it was when an end of an edge comes in beside it;
//! - the deepest point is looked for on the faces around the deepest vertex or edge as well.

mod join;

use crate::deepest::{End, Place, deepest_on_face};
use crate::edges::{Anchor, Edges};
use crate::inside::{Inside, Intersection};
use crate::pierce::Of;
use crate::shape::{Nearest, Shape};
use crate::{Real, Vec3};
use core::ops::Range;
use join::Joins;

/// A point of one surface inside the other shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inner {
    /// Whose point it is.
    pub of: Of,
    /// Vertices between which it lies: of a vertex three times the same, of an edge the second end twice.
    pub corners: [u32; 3],
    /// Their weights: not negative, their sum 1.
    pub weights: [Real; 3],
    /// Where it is.
    pub place: Vec3,
    /// The nearest point of the other surface.
    pub exit: Vec3,
    /// The face of the other surface that has it.
    pub face: u32,
    /// How far the exit is [m].
    pub distance: Real,
    /// The way out for this point alone [unit]: to the exit, or across the rim between two exits equally near.
    pub out: Vec3,
    /// How far to move the point along the region's direction [m]: the way to the exit, projected; never negative.
    pub push: Real,
}

/// A connected overlap of two shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Unit vector from the second shape to the first: the first leaves along it, the second against it.
    pub normal: Vec3,
    /// How far [m].
    pub depth: Real,
    /// The point that gave depth and direction.
    pub deepest: Inner,
    /// Whether it is a part of one shape wholly inside the other. The deepest point of such a part shows no way out. It
    /// leaves by the wall nearest to any of its vertices, and the depth is what frees its last vertex.
    pub enclosed: bool,
    /// Its points in [`Overlap::points`].
    pub points: Range<u32>,
}

/// Finds the overlap regions of two surfaces; the buffers are kept.
#[derive(Clone, Debug, Default)]
pub struct Overlap {
    regions: Vec<Region>,
    points: Vec<Inner>,
    /// Region and point, before they are sorted.
    drafts: Vec<(u32, Inner)>,
    joins: Joins,
    /// The nearest points of the vertices inside, by slot; `None` where the other has no surface.
    near: Vec<Option<Nearest>>,
}

impl Overlap {
    /// The regions: those with the smallest vertex or edge of the first shape come first.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The points of all regions; of each those of the first shape before those of the second, vertices before edges,
    /// ascending.
    pub fn points(&self) -> &[Inner] {
        &self.points
    }

    /// Finds the regions of two shapes whose intersection is known. A search for the nearest face for every vertex
    /// inside, each O(log n), and O(k log k) for k vertices and crossings. Allocates nothing when warm.
    pub fn find(&mut self, a: &Shape, b: &Shape, intersection: &Intersection) -> &[Region] {
        self.joins.join([a, b], intersection);
        self.drafts.clear();
        for (of, from, to) in [(Of::First, a, b), (Of::Second, b, a)] {
            self.draft_vertices(of, from, to, intersection.inside(of));
            self.draft_edges(Edges { of, from, to, intersection, slack: 0.0 });
        }
        self.sort_points();
        for k in 0..self.regions.len() {
            let points = &mut self.points[range(&self.regions[k].points)];
            let enclosed = self.regions[k].enclosed;
            let deepest = if enclosed { shallowest(points) } else { deepest(points, [a, b]) };
            let region = &mut self.regions[k];
            region.deepest = deepest;
            region.normal = way_out(&deepest, [a, b]);
            region.depth = deepest.distance;
            push(points, region);
        }
        &self.regions
    }

    /// Every vertex inside with its nearest exit. A neighbour already asked bounds the search.
    fn draft_vertices(&mut self, of: Of, from: &Shape, to: &Shape, inside: &Inside) {
        self.near.clear();
        for (slot, v) in inside.vertices().iter().enumerate() {
            let p = from.points[*v as usize];
            let mut asked =
                from.topology.neighbours_of(*v).iter().filter_map(|w| inside.slot(*w)).filter(|s| *s < slot);
            let nearest = match asked.next_back() {
                Some(neighbour) => to.nearest_from(p, self.near[neighbour].map_or(0, |n| n.face)),
                None => to.nearest(p),
            };
            self.near.push(nearest);
            if let Some(nearest) = nearest {
                let inner = Inner::at(of, [*v; 3], Place::of(Vec3::X, p, nearest), from);
                self.drafts.push((self.joins.region_of_vertex(of, slot), inner));
            }
        }
    }

    /// The deepest places of edges, where these are between their ends.
    fn draft_edges(&mut self, edges: Edges) {
        let Self { near, drafts, joins, .. } = self;
        let of = edges.of;
        let vertices = edges.intersection.inside(of).vertices();
        let end = |slot: usize| {
            let place = edges.from.points[vertices[slot] as usize];
            near[slot].as_ref().map(|nearest| End::vertex(place, nearest))
        };
        edges.each(end, |anchor, inner| {
            let region = match anchor {
                Anchor::Vertex(slot) => joins.region_of_vertex(of, slot),
                Anchor::Crossing(crossing) => joins.region_of_crossing(of, crossing),
            };
            drafts.push((region, inner));
        });
    }

    /// Points by region, and regions in the order of their first points.
    fn sort_points(&mut self) {
        self.drafts.sort_unstable_by(|(r, x), (s, y)| r.cmp(s).then_with(|| x.key().cmp(&y.key())));
        self.points.clear();
        self.points.extend(self.drafts.iter().map(|(_, point)| *point));
        self.regions.clear();
        let mut from = 0u32;
        for of_region in self.drafts.chunk_by(|x, y| x.0 == y.0) {
            let to = from + of_region.len() as u32;
            let enclosed = !self.joins.has_crossing(of_region[0].0);
            let deepest = of_region[0].1;
            self.regions.push(Region { normal: Vec3::ZERO, depth: 0.0, deepest, enclosed, points: from..to });
            from = to;
        }
    }
}

impl Inner {
    pub(crate) fn at(of: Of, corners: [u32; 3], place: Place, shape: &Shape) -> Self {
        let at = crate::deepest::at(&corners.map(|v| shape.points[v as usize]), place.weights);
        let distance = place.nearest.distance_sq.sqrt();
        let (exit, face) = (place.nearest.on.point, place.nearest.face);
        Self {
            of,
            corners,
            weights: place.weights.to_array(),
            place: at,
            exit,
            face,
            distance,
            out: place.out,
            push: 0.0,
        }
    }

    /// Vertices before edges; pieces of one edge in their order along it.
    fn key(&self) -> (Of, bool, [u32; 3], u64) {
        // Weights are not negative, so that their bits are in their order.
        (self.of, self.corners[0] != self.corners[1], self.corners, self.weights[1].to_bits())
    }

    fn way(&self) -> Vec3 {
        self.exit - self.place
    }
}

fn range(of: &Range<u32>) -> Range<usize> {
    of.start as usize..of.end as usize
}

/// The deepest of the points, or of the faces around the deepest of either shape.
fn deepest(points: &[Inner], shapes: [&Shape; 2]) -> Inner {
    let mut best = points[0];
    for of in [Of::First, Of::Second] {
        let mut of_shape = points.iter().filter(|p| p.of == of);
        let Some(first) = of_shape.next() else { continue };
        let deepest = of_shape.fold(first, |best, p| if p.distance > best.distance { p } else { best });
        let found = deepest_around(deepest, shapes[of as usize], shapes[of.other() as usize]);
        if found.distance > best.distance {
            best = found;
        }
    }
    best
}

/// The deepest place of the faces around a vertex or an edge.
fn deepest_around(point: &Inner, from: &Shape, to: &Shape) -> Inner {
    let mut best = *point;
    let [v, w, _] = point.corners;
    for face in from.topology.faces_of(v) {
        let corners = from.topology.triangles[*face as usize];
        if !corners.contains(&w) {
            continue;
        }
        let mut weights = Vec3::ZERO;
        for k in 0..3 {
            let of_corner = (0..3).filter(|j| point.corners[*j] == corners[k]);
            weights[k] = of_corner.map(|j| point.weights[j]).sum();
        }
        let Some(nearest) = to.nearest_from(point.place, point.face) else { continue };
        let places = corners.map(|v| from.points[v as usize]);
        if let Some(place) = deepest_on_face(places, Place::of(weights, point.place, nearest), point.of, to) {
            let found = Inner::at(point.of, corners, place, from);
            if found.distance > best.distance {
                best = found;
            }
        }
    }
    best
}

/// The point of a part wholly inside that is nearest to the other surface.
fn shallowest(points: &[Inner]) -> Inner {
    points.iter().fold(points[0], |best, p| if p.distance < best.distance { *p } else { best })
}

/// The unit vector along which the first shape leaves the second, by the shortest way from one point.
fn way_out(point: &Inner, shapes: [&Shape; 2]) -> Vec3 {
    let other = shapes[point.of.other() as usize];
    let out = point.way().try_normalize().unwrap_or_else(|| other.normal(point.face));
    if point.of == Of::First { out } else { -out }
}

/// The pushes of all points of a region, and what its part wholly inside needs to be free.
fn push(points: &mut [Inner], region: &mut Region) {
    for point in points.iter_mut() {
        let out = if point.of == Of::First { region.normal } else { -region.normal };
        let exit = if region.enclosed { region.deepest.exit } else { point.exit };
        point.push = (exit - point.place).dot(out).max(0.0);
        if region.enclosed {
            region.depth = region.depth.max(point.push);
        }
    }
    let out = if region.deepest.of == Of::First { region.normal } else { -region.normal };
    region.deepest.push = region.deepest.way().dot(out).max(0.0);
}

#[cfg(test)]
mod tests;
