//! Which vertices of a surface lie inside another, from where the two cross.
//!
//! An edge that crosses the other surface as often outwards as inwards joins two vertices on one side of it; any other
//! edge tells which of its ends is inside. So the inside vertices are flooded from the edges that cross, and only they
//! and their neighbours are looked at: no distance, no test per vertex. Since the crossings are exact and without ties,
//! the answer is that of an exact test of every vertex. A part of the surface that has no such edge lies on one side
//! altogether, and one ray decides it: that is how a body that is wholly inside another is found.

use crate::crossing::{Crossing, Crossings};
use crate::pierce::Of;
use crate::shape::Shape;
use core::ops::Range;

const UNKNOWN: u32 = u32::MAX;
const OUT: u32 = u32::MAX - 1;
const IN: u32 = u32::MAX - 2;

/// An edge that crosses the other surface.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossedEdge {
    /// The edge.
    pub edge: u32,
    /// Its ends, the smaller number first.
    pub ends: [u32; 2],
    /// Its crossings, in the list they were found from.
    pub crossings: Range<u32>,
    /// Crossings outwards less crossings inwards, from the first end: 1 where the first end alone is inside.
    pub balance: i32,
}

/// Where two surfaces cross and what of each is inside the other: what both measures of depth begin with.
#[derive(Clone, Debug, Default)]
pub struct Intersection {
    /// Where the edges of either pass through the faces of the other.
    pub crossings: Crossings,
    inside: [Inside; 2],
}

impl Intersection {
    /// Finds both. A surface that is open, or whose faces do not agree, has no inside, and nothing lies in it.
    pub fn find(&mut self, a: &Shape, b: &Shape) {
        self.crossings.find(a, b);
        for (of, from, to) in [(Of::First, a, b), (Of::Second, b, a)] {
            let inside = &mut self.inside[of as usize];
            inside.find(from, of, to, self.crossings.of(of));
        }
    }

    /// The vertices of one of the two that are inside the other.
    pub fn inside(&self, of: Of) -> &Inside {
        &self.inside[of as usize]
    }
}

/// The vertices of one surface inside another.
#[derive(Clone, Debug, Default)]
pub struct Inside {
    vertices: Vec<u32>,
    crossed: Vec<CrossedEdge>,
    /// For each vertex its place in `vertices`, or one of the three marks.
    slot: Vec<u32>,
    /// For each vertex whether an edge there crosses.
    near: Vec<bool>,
    /// Vertices whose `slot` or `near` is set.
    touched: Vec<u32>,
    /// For each part of the surface whether a crossing edge told its sides.
    told: Vec<bool>,
    /// Room for a second list of vertices.
    spare: Vec<u32>,
    leaks: usize,
}

impl Inside {
    /// The vertices inside, ascending.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Edges that cross the other surface, ascending.
    pub fn crossed(&self) -> &[CrossedEdge] {
        &self.crossed
    }

    /// The place of a vertex in [`Self::vertices`]; `None` where it is outside.
    #[inline]
    pub fn slot(&self, vertex: u32) -> Option<usize> {
        let slot = self.slot[vertex as usize];
        (slot < IN).then_some(slot as usize)
    }

    /// How many edges contradict one another about what is inside: 0 unless the other surface is open, has faces
    /// turned the wrong way, or overlaps itself there.
    pub fn leaks(&self) -> usize {
        self.leaks
    }

    /// Finds the vertices of `a`, which is the shape `of` the pair, inside the surface `b`, from the crossings of
    /// `a`'s edges. O(n log n) for n inside vertices and crossings; allocates nothing when warm.
    pub fn find(&mut self, a: &Shape, of: Of, b: &Shape, crossings: &[Crossing]) {
        self.reset(a);
        self.take_crossed(a, crossings);
        if !b.is_solid() {
            return;
        }
        for k in 0..self.crossed.len() {
            let CrossedEdge { ends: [p, q], balance, .. } = self.crossed[k];
            if balance != 0 {
                let (within, without) = if balance > 0 { (p, q) } else { (q, p) };
                self.mark(within, IN);
                self.mark(without, OUT);
                self.told[a.topology.part_of[p as usize] as usize] = true;
            }
        }
        for (part, first) in a.topology.parts.iter().enumerate() {
            if !self.told[part] && b.winding_about(a.points[*first as usize], of) > 0 {
                self.mark(*first, IN);
            }
        }
        self.flood(a, 0);
        if self.leaks > 0 || !self.holds(a, of, b) {
            self.ask_each(a, of, b);
        }
        self.vertices.sort_unstable();
        for (slot, v) in self.vertices.iter().enumerate() {
            self.slot[*v as usize] = slot as u32;
        }
    }

    /// Whether what was flooded is inside indeed. Along an edge a crossing tells how the winding number changes, not what
    /// it is: where the other surface is folded into itself, an edge from the outside into a fold that is inside out
    /// looks like one from the inside to the outside. All vertices of a flood have one number, so a ray for each
    /// flood tells.
    fn holds(&mut self, a: &Shape, of: Of, b: &Shape) -> bool {
        let flooded = core::mem::replace(&mut self.vertices, core::mem::take(&mut self.spare));
        self.vertices.clear();
        let mut sound = true;
        for v in &flooded {
            self.slot[*v as usize] = UNKNOWN;
        }
        for v in &flooded {
            if self.slot[*v as usize] == UNKNOWN {
                sound &= b.winding_about(a.points[*v as usize], of) > 0;
                let from = self.vertices.len();
                self.slot[*v as usize] = IN;
                self.vertices.push(*v);
                self.flood(a, from);
            }
        }
        self.spare = flooded;
        sound
    }

    /// Asks every vertex by itself, where crossings contradict one another. O(√n) for each of those in the other's box.
    fn ask_each(&mut self, a: &Shape, of: Of, b: &Shape) {
        for v in self.vertices.drain(..) {
            self.slot[v as usize] = OUT;
        }
        for (v, p) in a.points.iter().enumerate() {
            if b.winding_about(*p, of) > 0 {
                self.slot[v] = IN;
                self.touched.push(v as u32);
                self.vertices.push(v as u32);
            }
        }
    }

    fn reset(&mut self, a: &Shape) {
        for v in self.touched.drain(..) {
            (self.slot[v as usize], self.near[v as usize]) = (UNKNOWN, false);
        }
        self.slot.resize(a.points.len(), UNKNOWN);
        self.near.resize(a.points.len(), false);
        self.told.clear();
        self.told.resize(a.topology.parts.len(), false);
        self.vertices.clear();
        self.leaks = 0;
    }

    fn take_crossed(&mut self, a: &Shape, crossings: &[Crossing]) {
        self.crossed.clear();
        let mut from = 0u32;
        for of_edge in crossings.chunk_by(|x, y| x.edge == y.edge) {
            let to = from + of_edge.len() as u32;
            let ends = a.topology.edges[of_edge[0].edge as usize];
            let balance = of_edge.iter().map(|x| if x.leaving { 1 } else { -1 }).sum();
            self.crossed.push(CrossedEdge { edge: of_edge[0].edge, ends, crossings: from..to, balance });
            for v in ends {
                self.near[v as usize] = true;
                self.touched.push(v);
            }
            from = to;
        }
    }

    /// Says on which side a vertex is. Where it was said otherwise the first word stands.
    fn mark(&mut self, vertex: u32, as_what: u32) {
        let slot = &mut self.slot[vertex as usize];
        if *slot == UNKNOWN {
            *slot = as_what;
            self.touched.push(vertex);
            if as_what == IN {
                self.vertices.push(vertex);
            }
        } else if *slot != as_what {
            self.leaks += 1;
        }
    }

    /// Inside goes on along every edge that does not end outside, beginning with the vertices from `done` on.
    fn flood(&mut self, a: &Shape, mut done: usize) {
        while done < self.vertices.len() {
            let v = self.vertices[done];
            done += 1;
            for w in a.topology.neighbours_of(v) {
                if self.slot[*w as usize] != IN && self.crossed_edge(v, *w).is_none_or(|e| e.balance == 0) {
                    self.mark(*w, IN);
                }
            }
        }
    }

    /// The edge between two neighbours, where it crosses.
    pub fn crossed_edge(&self, v: u32, w: u32) -> Option<&CrossedEdge> {
        if !(self.near[v as usize] && self.near[w as usize]) {
            return None;
        }
        let ends = [v.min(w), v.max(w)];
        self.crossed.binary_search_by_key(&ends, |e| e.ends).ok().map(|k| &self.crossed[k])
    }
}

#[cfg(test)]
mod tests;
