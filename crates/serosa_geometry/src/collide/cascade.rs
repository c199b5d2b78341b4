//! The published search: cells in a hash table, objects in a search tree, triangles in a list.
//!
//! Pavithran's thesis (The University of Texas at Arlington, 2008), section 3.3, after Shen: space is cut in equal cells,
//! and the cascade cell → object → primitive is built in two passes. The first counts the objects of every cell; the
//! second fills only cells of two objects or more. Each object is rasterised as a whole before the next, since the
//! counter tells objects apart by the last one seen alone. What one object has with itself is not looked for.
//!
//! Different from the printed text: a triangle is entered in every cell that its box touches, where the thesis samples
//! ("extrapolates") points of it and may skip cells; and the hash of a place, which the thesis only cites, is the number
//! of its cell. Where a triangle would touch too many cells, all cells are made larger, so that memory is bounded.

use super::{Meeting, Shells};
use crate::meet::triangles_meet;
use crate::{Aabb, Real, Vec3};
use std::collections::{BTreeMap, HashMap};

/// Entries of triangles in cells, at most: so many a triangle, and some more.
const ENTRIES_EACH: u64 = 32;
const ENTRIES_MORE: u64 = 4096;
/// Cells along an axis, at most; farther ones are merged into the last, which costs time but no pair.
const CELLS_MAX: Real = ((1u32 << 21) - 1) as Real;

/// What the first pass keeps of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counter {
    objects: u32,
    last: u32,
}

/// The cascade of cells, objects and primitives.
#[derive(Debug, Default)]
pub struct Cascade {
    origin: Vec3,
    cell: Real,
    /// Cells along x and y.
    across: [u64; 2],
    counters: HashMap<u64, Counter>,
    /// Cell → object → triangles, numbered over all bodies.
    cells: HashMap<u64, BTreeMap<u32, Vec<u32>>>,
}

impl Cascade {
    /// All pairs of triangles of different bodies that meet, ascending. O(n) for the cells and as much as lies together
    /// in them; every container is filled anew, as published.
    pub fn find(&mut self, shells: &Shells, points: &[Vec3]) -> Vec<Meeting> {
        self.construct(shells, points);
        let cells = self.instruct();
        self.intersect(shells, points, &cells)
    }

    /// Construction: counts the objects of every cell, then fills the cells of more than one.
    pub fn construct(&mut self, shells: &Shells, points: &[Vec3]) {
        self.tessellate(shells, points);
        self.counters.clear();
        self.cells.clear();
        for object in 0..shells.bodies() {
            for triangle in shells.range(object) {
                self.rasterise(shells, points, triangle, |all, cell| {
                    count(&mut all.counters, cell, object as u32)
                });
            }
        }
        for object in 0..shells.bodies() {
            for triangle in shells.range(object) {
                self.rasterise(shells, points, triangle, |all, cell| {
                    if all.counters.get(&cell).is_some_and(|c| c.objects > 1) {
                        let objects = all.cells.entry(cell).or_default();
                        objects.entry(object as u32).or_default().push(triangle);
                    }
                });
            }
        }
    }

    /// Instruction: the cells in which there may be a collision, ascending.
    pub fn instruct(&self) -> Vec<u64> {
        let mut cells: Vec<u64> = self.cells.keys().copied().collect();
        cells.sort_unstable();
        cells
    }

    /// Intersection: every pair of triangles of different objects in those cells, decided exactly.
    pub fn intersect(&self, shells: &Shells, points: &[Vec3], cells: &[u64]) -> Vec<Meeting> {
        let mut found = Vec::new();
        for objects in cells.iter().filter_map(|cell| self.cells.get(cell)) {
            for (a, of_a) in objects {
                for (_, of_b) in objects.range(a + 1..) {
                    for (i, j) in of_a.iter().flat_map(|i| of_b.iter().map(move |j| (*i, *j))) {
                        if triangles_meet(&shells.at(i, points), &shells.at(j, points)) {
                            found.push((i, j));
                        }
                    }
                }
            }
        }
        // Triangles that lie together in several cells were found in each.
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|(i, j)| shells.meeting(i, j)).collect()
    }

    /// Chooses cells of the mean size of a triangle, or larger.
    fn tessellate(&mut self, shells: &Shells, points: &[Vec3]) {
        let corners = || (0..shells.triangles.len() as u32).map(|t| shells.at(t, points));
        let boxes = || corners().filter(|t| t.iter().all(|p| p.is_finite())).map(Aabb::around);
        let (mut sum, mut number, mut all) = (0.0, 0u64, Aabb::EMPTY);
        for b in boxes() {
            (sum, number, all) = (sum + b.size().max_element(), number + 1, all.join(b));
        }
        self.origin = if number > 0 { all.min } else { Vec3::ZERO };
        let most = number * ENTRIES_EACH + ENTRIES_MORE;
        self.cell = (sum / number.max(1) as Real).max(1e-300);
        // Ends: cells as large as everything hold each triangle in at most eight.
        while boxes().fold(0, |sum: u64, b| sum.saturating_add(self.touched(&b))) > most {
            self.cell *= 2.0;
        }
        let last = if number > 0 { self.place(all.max) } else { [0; 3] };
        self.across = [last[0] + 1, last[1] + 1];
    }

    /// How many cells a box touches.
    fn touched(&self, b: &Aabb) -> u64 {
        let (low, high) = (self.place(b.min), self.place(b.max));
        (0..3).fold(1, |product: u64, k| product.saturating_mul(high[k] - low[k] + 1))
    }

    /// The cell of a place. Grows with every coordinate, rounding included: whatever lies in a box has its cell between
    /// those of its corners.
    fn place(&self, p: Vec3) -> [u64; 3] {
        ((p - self.origin) / self.cell).to_array().map(|v| v.clamp(0.0, CELLS_MAX) as u64)
    }

    /// Every cell that the box of a triangle touches, once.
    fn rasterise(
        &mut self,
        shells: &Shells,
        points: &[Vec3],
        triangle: u32,
        mut enter: impl FnMut(&mut Self, u64),
    ) {
        let corners = shells.at(triangle, points);
        if !corners.iter().all(|p| p.is_finite()) {
            return;
        }
        let around = Aabb::around(corners);
        let (low, high) = (self.place(around.min), self.place(around.max));
        let [nx, ny] = self.across;
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    enter(self, x + nx * (y + ny * z));
                }
            }
        }
    }
}

/// Counts an object in a cell unless it was the last one counted there. True to the number of objects only if each comes
/// as a whole: A, B, A would count three.
fn count(counters: &mut HashMap<u64, Counter>, cell: u64, object: u32) {
    let counter = counters.entry(cell).or_insert(Counter { objects: 1, last: object });
    if counter.last != object {
        *counter = Counter { objects: counter.objects + 1, last: object };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::Own;

    #[test]
    fn the_counter_counts_objects_that_come_one_by_one() {
        let mut counters = HashMap::new();
        for object in [0, 0, 1, 1, 1, 2] {
            count(&mut counters, 7, object);
        }
        count(&mut counters, 8, 0);
        assert_eq!((counters[&7].objects, counters[&8].objects), (3, 1));
        // The erratum: out of order the published counter counts too many, which costs a cell, and no pair.
        for object in [0, 1, 0] {
            count(&mut counters, 9, object);
        }
        assert_eq!(counters[&9].objects, 3);
    }

    #[test]
    fn solo_cells_are_never_made() {
        let step = |x: f64| [Vec3::new(x, 0.0, 0.0), Vec3::new(x + 0.9, 0.0, 0.0), Vec3::new(x, 0.9, 0.0)];
        let points: Vec<Vec3> = [0.05, 1.05, 2.05, 2.06, 3.06].into_iter().flat_map(step).collect();
        let triangles: Vec<[u32; 3]> = (0..5).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mut shells = Shells::default();
        shells.add(&triangles[..3], Own::Ignored);
        shells.add(&triangles[3..], Own::Ignored);
        let mut cascade = Cascade::default();
        cascade.construct(&shells, &points);
        let (made, counted) = (cascade.instruct(), cascade.counters.len());
        assert!(made.len() < counted, "{made:?} of {counted}");
        for cell in &made {
            assert!(cascade.cells[cell].len() > 1, "both objects lie in {cell}");
        }
        let found = cascade.intersect(&shells, &points, &made);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].a.1, found[0].b.1), (2, 0));
    }

    #[test]
    fn memory_is_bounded_where_triangles_differ_a_millionfold() {
        let mut points: Vec<Vec3> = (0..300).map(|i| Vec3::splat(f64::from(i) * 1e-6)).collect();
        points.extend([Vec3::ZERO, Vec3::X * 1e3, Vec3::new(1e3, 1e3, 1e3)]);
        let triangles: Vec<[u32; 3]> = (0..101).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mut shells = Shells::default();
        shells.add(&triangles[..50], Own::Ignored);
        shells.add(&triangles[50..], Own::Ignored);
        let mut cascade = Cascade::default();
        cascade.construct(&shells, &points);
        let entries: usize = cascade.cells.values().flat_map(|o| o.values()).map(Vec::len).sum();
        assert!((entries as u64) <= 101 * ENTRIES_EACH + ENTRIES_MORE, "{entries}");
        assert!(cascade.counters.len() as u64 <= 101 * ENTRIES_EACH + ENTRIES_MORE);
    }
}
