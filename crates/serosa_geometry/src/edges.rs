//! Edges that are deeper between their ends than at them: what vertices alone miss.

use crate::deepest::{End, Place, deepest_between};
use crate::inside::{CrossedEdge, Intersection};
use crate::overlap::Inner;
use crate::pierce::Of;
use crate::shape::Shape;
use crate::{Real, Vec3};

/// Where an edge meets what is known of the intersection.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Anchor {
    /// A vertex inside, by its slot.
    Vertex(usize),
    /// A crossing, by its number.
    Crossing(usize),
}

/// The edges of the shape `of` a pair, which is `from`, in the other.
#[derive(Clone, Copy)]
pub(crate) struct Edges<'a> {
    pub of: Of,
    pub from: &'a Shape<'a>,
    pub to: &'a Shape<'a>,
    pub intersection: &'a Intersection,
    /// Edges deeper by less than this share of their length are passed over.
    pub slack: Real,
}

impl Edges<'_> {
    /// Reports the deepest place of every edge, or piece of an edge, that is deeper there than at its ends. `end` tells
    /// what is known of a vertex inside, by its slot. A few searches, each O(log n), for every edge whose ends do not
    /// rule it out; in the order of vertices, then of edges that cross.
    pub fn each(&self, end: impl Fn(usize) -> Option<End>, mut report: impl FnMut(Anchor, Inner)) {
        if !self.to.is_solid() {
            return;
        }
        self.each_within(&end, &mut report);
        let crossed = self.intersection.inside(self.of).crossed();
        crossed.iter().for_each(|edge| self.each_piece(edge, &end, &mut report));
    }

    /// Edges between two vertices inside.
    fn each_within(&self, end: impl Fn(usize) -> Option<End>, mut report: impl FnMut(Anchor, Inner)) {
        let inside = self.intersection.inside(self.of);
        for (slot, v) in inside.vertices().iter().enumerate() {
            for w in self.from.topology.neighbours_of(*v).iter().filter(|w| *w > v) {
                let Some(other) = inside.slot(*w).filter(|_| inside.crossed_edge(*v, *w).is_none()) else {
                    continue;
                };
                let (Some(a), Some(b)) = (end(slot), end(other)) else { continue };
                if let Some(inner) = self.deepest([*v, *w], [(0.0, a), (1.0, b)]) {
                    report(Anchor::Vertex(slot), inner);
                }
            }
        }
    }

    /// The pieces inside of an edge that crosses.
    fn each_piece(
        &self,
        edge: &CrossedEdge,
        end: impl Fn(usize) -> Option<End>,
        mut report: impl FnMut(Anchor, Inner),
    ) {
        let range = edge.crossings.start as usize..edge.crossings.end as usize;
        let crossings = &self.intersection.crossings.of(self.of)[range.clone()];
        let vertex = |k: usize| {
            let slot = self.intersection.inside(self.of).slot(edge.ends[k])?;
            Some((k as Real, end(slot)?))
        };
        for (k, x) in crossings.iter().enumerate() {
            let here = (x.at, End::crossing(x.place(self.from), x.face, self.to));
            let (start, stop) = match (x.leaving, crossings.get(k + 1)) {
                (true, _) if k == 0 => (vertex(0), Some(here)),
                (false, None) => (Some(here), vertex(1)),
                (false, Some(y)) if y.leaving => {
                    (Some(here), Some((y.at, End::crossing(y.place(self.from), y.face, self.to))))
                }
                _ => continue,
            };
            let (Some(start), Some(stop)) = (start, stop) else { continue };
            if let Some(inner) = self.deepest(edge.ends, [start, stop]) {
                report(Anchor::Crossing(range.start + k), inner);
            }
        }
    }

    /// The deepest place of a piece of an edge between two places along it.
    fn deepest(&self, [v, w]: [u32; 2], [(low, a), (high, b)]: [(Real, End); 2]) -> Option<Inner> {
        let [p, q] = [v, w].map(|end| self.from.points[end as usize]);
        let place = deepest_between([a, b], self.to, self.slack * p.distance(q))?;
        let at = low + (high - low) * place.weights.y;
        let place = Place { weights: Vec3::new(1.0 - at, at, 0.0), ..place };
        Some(Inner::at(self.of, [v, w, w], place, self.from))
    }
}
