//! Which vertices and crossings belong to one region of overlap.

use crate::inside::Intersection;
use crate::pierce::Of;
use crate::shape::Shape;
use crate::topology::NONE;

/// Sets of vertices inside and crossings of both shapes that are joined (union by the smallest member).
#[derive(Clone, Debug, Default)]
pub(super) struct Joins {
    /// A smaller member of the same set, or itself. Numbered: vertices and crossings of the first shape, then of the
    /// second.
    parent: Vec<u32>,
    /// Where the numbers of vertices and of crossings of either shape start, and the end.
    starts: [[usize; 2]; 2],
    /// By the smallest member of a set, whether it has a crossing.
    crossing: Vec<bool>,
    /// Pairs of faces and the crossings between them.
    curve: Vec<(u32, u32, u32)>,
}

impl Joins {
    /// The set of a vertex inside, named by its smallest member.
    pub fn region_of_vertex(&self, of: Of, slot: usize) -> u32 {
        self.parent[self.starts[of as usize][0] + slot]
    }

    /// The set of a crossing.
    pub fn region_of_crossing(&self, of: Of, crossing: usize) -> u32 {
        self.parent[self.starts[of as usize][1] + crossing]
    }

    /// Whether there is a crossing in a set.
    pub fn has_crossing(&self, set: u32) -> bool {
        self.crossing[set as usize]
    }

    /// Joins all that hangs together. O(n log n) for n vertices inside, their edges and crossings.
    pub fn join(&mut self, shapes: [&Shape; 2], intersection: &Intersection) {
        let mut end = 0;
        for of in [Of::First, Of::Second] {
            let vertices = intersection.inside(of).vertices().len();
            self.starts[of as usize] = [end, end + vertices];
            end += vertices + intersection.crossings.of(of).len();
        }
        self.parent.clear();
        self.parent.extend(0..end as u32);
        for of in [Of::First, Of::Second] {
            self.join_vertices(of, shapes[of as usize], intersection);
            self.join_pieces(of, intersection);
        }
        self.join_curves(shapes, intersection);
        self.flatten(intersection);
    }

    /// Neighbours inside whose edge crosses nothing.
    fn join_vertices(&mut self, of: Of, shape: &Shape, intersection: &Intersection) {
        let inside = intersection.inside(of);
        let start = self.starts[of as usize][0];
        for (slot, v) in inside.vertices().iter().enumerate() {
            for w in shape.topology.neighbours_of(*v).iter().take_while(|w| **w < *v) {
                if let Some(other) = inside.slot(*w)
                    && inside.crossed_edge(*v, *w).is_none()
                {
                    self.unite(start + slot, start + other);
                }
            }
        }
    }

    /// Along the edges that cross: the ends of every piece inside.
    fn join_pieces(&mut self, of: Of, intersection: &Intersection) {
        let inside = intersection.inside(of);
        let [vertices, crossings] = self.starts[of as usize];
        for edge in inside.crossed() {
            let ends = edge.ends.map(|v| inside.slot(v).map(|slot| vertices + slot));
            let (from, to) = (edge.crossings.start as usize, edge.crossings.end as usize);
            for k in from..to {
                let beside = if intersection.crossings.of(of)[k].leaving {
                    if k == from { ends[0] } else { Some(crossings + k - 1) }
                } else if k + 1 == to {
                    ends[1]
                } else {
                    Some(crossings + k + 1)
                };
                if let Some(beside) = beside {
                    self.unite(crossings + k, beside);
                }
            }
        }
    }

    /// Two faces cross along a segment, whose two ends are crossings: together they are the curves in which the
    /// surfaces cross.
    fn join_curves(&mut self, [a, b]: [&Shape; 2], intersection: &Intersection) {
        self.curve.clear();
        let start = self.starts[0][1];
        for (k, x) in intersection.crossings.of(Of::First).iter().enumerate() {
            let faces = a.topology.edge_faces[x.edge as usize].into_iter().filter(|f| *f != NONE);
            self.curve.extend(faces.map(|f| (f, x.face, (start + k) as u32)));
        }
        let start = self.starts[1][1];
        for (k, x) in intersection.crossings.of(Of::Second).iter().enumerate() {
            let faces = b.topology.edge_faces[x.edge as usize].into_iter().filter(|f| *f != NONE);
            self.curve.extend(faces.map(|f| (x.face, f, (start + k) as u32)));
        }
        let mut curve = core::mem::take(&mut self.curve);
        curve.sort_unstable();
        for pair in curve.windows(2).filter(|p| (p[0].0, p[0].1) == (p[1].0, p[1].1)) {
            self.unite(pair[0].2 as usize, pair[1].2 as usize);
        }
        self.curve = curve;
    }

    /// Every member names the smallest of its set.
    fn flatten(&mut self, intersection: &Intersection) {
        for k in 0..self.parent.len() {
            self.parent[k] = self.parent[self.parent[k] as usize];
        }
        self.crossing.clear();
        self.crossing.resize(self.parent.len(), false);
        for of in [Of::First, Of::Second] {
            for k in 0..intersection.crossings.of(of).len() {
                let set = self.region_of_crossing(of, k);
                self.crossing[set as usize] = true;
            }
        }
    }

    fn unite(&mut self, x: usize, y: usize) {
        let (x, y) = (self.smallest(x), self.smallest(y));
        self.parent[x.max(y)] = x.min(y) as u32;
    }

    fn smallest(&mut self, mut x: usize) -> usize {
        while self.parent[x] as usize != x {
            self.parent[x] = self.parent[self.parent[x] as usize];
            x = self.parent[x] as usize;
        }
        x
    }
}
