//! Consistent penetration depth: one depth and direction for each vertex inside, which change smoothly from vertex to
//! vertex and while the shapes move. Heidelberger, Teschner, Keiser, Müller & Gross (VMV 2004) for tetrahedra; on
//! surfaces as in LAPAROS (Urbina, Rodríguez & Coto).
//!
//! In the paper of LAPAROS the text to its equations 1 to 3 calls the border vertex xᵢ and the crossing p; so read, the
//! depth is negative. Here p is the vertex inside and xᵢ the crossings of its edges, as in the original.

use crate::deepest::End;
use crate::edges::Edges;
use crate::inside::{Inside, Intersection};
use crate::overlap::Inner;
use crate::pierce::Of;
use crate::shape::{Nearest, Shape};
use crate::triangle::closest_on_triangle;
use crate::{Crossing, Real, Vec3};

/// Keeps the weight of a crossing at the vertex itself finite: this part of the edge's length, squared.
const NEAREST_SQ: Real = 1e-10;
/// Directions whose weighted sum is below this part of the sum of weights cancel.
const CANCELLED: Real = 1e-9;
/// Two vertices at one place count as this far apart, squared [m²].
const SHORTEST_SQ: Real = 1e-200;
const UNREACHED: u32 = u32::MAX;

/// How deep a vertex lies in another shape, and the way out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The vertex.
    pub vertex: u32,
    /// How far to move it along the direction [m]. Negative where the directions carried to it lead past the surface.
    pub depth: Real,
    /// Unit vector out of the other shape.
    pub direction: Vec3,
    /// Layers from the border: 0 where an edge of the vertex leads out.
    pub layer: u32,
}

/// Finds consistent penetrations; the buffers are kept.
#[derive(Clone, Debug, Default)]
pub struct Consistent {
    found: Vec<Penetration>,
    /// Places in `found` that have a depth, in the order in which they were reached.
    reached: Vec<u32>,
}

/// A pair of shapes, as seen from the one whose vertices are looked at.
struct Pair<'a> {
    a: &'a Shape<'a>,
    b: &'a Shape<'a>,
    crossings: &'a [Crossing],
    inside: &'a Inside,
    normals: Option<&'a [Vec3]>,
}

/// A weighted mean of depths and directions.
#[derive(Default)]
struct Mean {
    weight: Real,
    depth: Real,
    direction: Vec3,
    heaviest: (Real, Vec3),
}

impl Mean {
    fn add(&mut self, weight: Real, depth: Real, direction: Vec3) {
        self.weight += weight;
        self.depth += weight * depth;
        self.direction += weight * direction;
        if weight > self.heaviest.0 {
            self.heaviest = (weight, direction);
        }
    }

    fn depth_and_direction(&self) -> (Real, Vec3) {
        let length = self.direction.length();
        let cancelled = length <= CANCELLED * self.weight;
        let direction = if cancelled { self.heaviest.1 } else { self.direction / length };
        (self.depth / self.weight, direction)
    }
}

impl Consistent {
    /// The penetrations of the last search, ascending by vertex.
    pub fn found(&self) -> &[Penetration] {
        &self.found
    }

    /// Finds depth and direction of every vertex of `a`, which is the shape `of` the pair, inside `b`. The normal at a
    /// crossing is that of the face, or interpolated from `normals`, those of `b`'s vertices, where they are given.
    ///
    /// A part of `a` that is inside altogether has no border. Its vertex nearest to `b`'s surface leads out, and the
    /// rest follows it: so the whole part leaves through the nearest wall.
    ///
    /// O(n) for n vertices inside and their edges, besides one search for the nearest face for each vertex of a part
    /// wholly inside. Layers are whole, and sums run in the order of the mesh: the order of vertices does not matter.
    /// Allocates nothing when warm.
    pub fn find(
        &mut self,
        [a, b]: [&Shape; 2],
        of: Of,
        intersection: &Intersection,
        normals: Option<&[Vec3]>,
    ) -> &[Penetration] {
        let inside = intersection.inside(of);
        let pair = Pair { a, b, crossings: intersection.crossings.of(of), inside, normals };
        let nothing =
            |v: &u32| Penetration { vertex: *v, depth: 0.0, direction: Vec3::ZERO, layer: UNREACHED };
        self.found.clear();
        self.found.extend(inside.vertices().iter().map(nothing));
        self.start_at_border(&pair);
        self.propagate(&pair);
        while let Some(part) = self.unreached_part(&pair) {
            self.start_at_nearest(&pair, part);
            self.propagate(&pair);
        }
        &self.found
    }

    /// The deepest places of the edges of `a` that are deeper between their ends than these, which vertices alone miss:
    /// an instrument comes between vertices and is held by edges. After [`Self::find`] of the same pair. Each place
    /// knows its own way out, and `push` is 0. Edges that are deeper by less than the share `slack` of their length are
    /// passed over. O(log n) for each.
    pub fn edges(
        &self,
        [a, b]: [&Shape; 2],
        of: Of,
        intersection: &Intersection,
        slack: Real,
        mut report: impl FnMut(&Inner),
    ) {
        let end = |slot: usize| {
            let found = self.found.get(slot)?;
            Some(End::known(a.points[found.vertex as usize], found.depth.max(0.0), -found.direction))
        };
        Edges { of, from: a, to: b, intersection, slack }.each(end, |_, inner| report(&inner));
    }

    /// Equations 1 to 3: vertices with an edge that ends outside.
    fn start_at_border(&mut self, pair: &Pair) {
        self.reached.clear();
        for (slot, found) in self.found.iter_mut().enumerate() {
            let mean = pair.border_mean(found.vertex);
            if mean.weight > 0.0 {
                (found.depth, found.direction) = mean.depth_and_direction();
                found.layer = 0;
                self.reached.push(slot as u32);
            }
        }
    }

    /// Equations 4 to 6: from layer to layer, all of a layer before any of the next.
    fn propagate(&mut self, pair: &Pair) {
        let (mut from, mut layer) = (0, 0);
        while from < self.reached.len() {
            let to = self.reached.len();
            layer += 1;
            for k in from..to {
                let v = self.found[self.reached[k] as usize].vertex;
                for w in pair.a.topology.neighbours_of(v) {
                    let Some(slot) = pair.inside.slot(*w) else { continue };
                    if self.found[slot].layer == UNREACHED {
                        self.found[slot].layer = layer;
                        self.reached.push(slot as u32);
                    }
                }
            }
            for k in to..self.reached.len() {
                let slot = self.reached[k] as usize;
                let mean = self.neighbour_mean(pair, slot);
                (self.found[slot].depth, self.found[slot].direction) = mean.depth_and_direction();
            }
            from = to;
        }
        self.reached.clear();
    }

    /// What the neighbours in earlier layers say about a vertex.
    fn neighbour_mean(&self, pair: &Pair, slot: usize) -> Mean {
        let Penetration { vertex, layer, .. } = self.found[slot];
        let p = pair.a.points[vertex as usize];
        let mut mean = Mean::default();
        for w in pair.a.topology.neighbours_of(vertex) {
            let Some(from) = pair.inside.slot(*w).map(|s| &self.found[s]) else { continue };
            if from.layer < layer {
                let to = pair.a.points[*w as usize] - p;
                let weight = 1.0 / to.length_squared().max(SHORTEST_SQ);
                mean.add(weight, to.dot(from.direction) + from.depth, from.direction);
            }
        }
        mean
    }

    /// The first part of the surface that no border has reached.
    fn unreached_part(&self, pair: &Pair) -> Option<u32> {
        let first = self.found.iter().find(|f| f.layer == UNREACHED)?;
        Some(pair.a.topology.part_of[first.vertex as usize])
    }

    /// The vertex of a part nearest to the other surface starts, by the shortest way out.
    fn start_at_nearest(&mut self, pair: &Pair, part: u32) {
        let mut best: Option<(usize, Nearest)> = None;
        for (slot, found) in self.found.iter().enumerate() {
            if pair.a.topology.part_of[found.vertex as usize] != part {
                continue;
            }
            let nearest = pair.b.nearest(pair.a.points[found.vertex as usize]);
            if let Some(n) = nearest.filter(|n| best.as_ref().is_none_or(|b| n.distance_sq < b.1.distance_sq))
            {
                best = Some((slot, n));
            }
        }
        // Positions that are not finite have no nearest face; they are reached all the same, by a depth of 0.
        for found in &mut self.found {
            if best.is_none() && pair.a.topology.part_of[found.vertex as usize] == part {
                found.layer = 0;
            }
        }
        if let Some((slot, nearest)) = best {
            let found = &mut self.found[slot];
            let out = nearest.on.point - pair.a.points[found.vertex as usize];
            let shortest = out.try_normalize().unwrap_or_else(|| pair.b.normal(nearest.face));
            (found.depth, found.direction, found.layer) = (out.length(), shortest, 0);
            self.reached.push(slot as u32);
        }
    }
}

impl Pair<'_> {
    /// What the crossings of a vertex's edges that end outside say about it.
    fn border_mean(&self, v: u32) -> Mean {
        let p = self.a.points[v as usize];
        let mut mean = Mean::default();
        for w in self.a.topology.neighbours_of(v) {
            if self.inside.slot(*w).is_some() {
                continue;
            }
            let Some(edge) = self.inside.crossed_edge(v, *w) else { continue };
            // The crossing nearest to the outside end, where the edge crosses more than once.
            let last = if v < *w { edge.crossings.end - 1 } else { edge.crossings.start };
            let crossing = &self.crossings[last as usize];
            let x = crossing.place(self.a);
            let normal = self.normal_at(crossing.face, x);
            let reach_sq = NEAREST_SQ * p.distance_squared(self.a.points[*w as usize]);
            let weight = 1.0 / (p.distance_squared(x) + reach_sq).max(SHORTEST_SQ);
            mean.add(weight, (x - p).dot(normal), normal);
        }
        mean
    }

    fn normal_at(&self, face: u32, x: Vec3) -> Vec3 {
        let flat = self.b.normal(face);
        let Some(normals) = self.normals else { return flat };
        let corners = self.b.topology.triangles[face as usize].map(|v| normals[v as usize]);
        let weights = closest_on_triangle(x, &self.b.face(face)).weights;
        let sum = corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2];
        sum.try_normalize().unwrap_or(flat)
    }
}

#[cfg(test)]
mod tests;
