//! A sorted uniform grid: all overlapping pairs of boxes in near-linear time.

use crate::{Aabb, Real, Vec3};

/// Bits of a cell number for each axis.
const BITS: u32 = 21;
/// Highest cell number of an axis; farther cells are merged into it, which costs time but no pair.
const LAST_CELL: Real = ((1u32 << BITS) - 1) as Real;
/// Size of a cell as a multiple of the mean size of the boxes: most boxes touch few cells, and most cells hold few.
const CELL: Real = 1.5;
/// Cells for each entry up to which they are counted rather than compared.
const CELLS_EACH: usize = 8;
/// Boxes that reach over more cells than this along an axis are compared with all others instead.
const SPAN_MAX: u32 = 4;

/// All overlapping pairs of axis-aligned boxes.
///
/// Each box is entered in every cell it touches; the entries are sorted by cell, and a pair is reported in
/// the one cell that holds the low corner of the two boxes' intersection, so that it appears once.
/// Boxes far larger than a cell, unbounded or not finite are kept apart and compared with all others.
/// Boxes of one group are not paired with one another, and cost no comparison.
/// Cost: O(n log n) for the sort plus the pairs in common cells; memory is grown once and kept.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    origin: Vec3,
    inv_cell: Real,
    /// (cell, group and box), cell by cell, each cell sorted.
    entries: Vec<(u64, u64)>,
    /// The same as they are entered, and where the next of each cell goes.
    loose: Vec<(u64, u64)>,
    nexts: Vec<u32>,
    /// Group of each box; 0 for none.
    groups: Vec<u32>,
    /// First entry of every occupied cell, and the end.
    runs: Vec<u32>,
    /// Cell of each box's low corner.
    low: Vec<[u32; 3]>,
    /// Boxes compared with all others, ascending.
    outsize: Vec<u32>,
}

impl Grid {
    /// Enters the boxes, each with its group; group 0 is paired with itself too.
    pub fn build(&mut self, boxes: &[Aabb], group: impl Fn(u32) -> u32) {
        self.choose_cell(boxes);
        self.fill(boxes, group);
    }

    /// The same with cells for boxes of a given size, where it is not the mean that counts.
    pub fn build_sized(&mut self, boxes: &[Aabb], size: Real, group: impl Fn(u32) -> u32) {
        self.choose_cell(boxes);
        self.inv_cell = if size > 1e-300 { 1.0 / (CELL * size) } else { 1.0 };
        self.fill(boxes, group);
    }

    fn fill(&mut self, boxes: &[Aabb], group: impl Fn(u32) -> u32) {
        self.groups.clear();
        self.groups.extend((0..boxes.len() as u32).map(group));
        self.loose.clear();
        self.low.clear();
        self.outsize.clear();
        for (i, b) in boxes.iter().enumerate() {
            self.enter(i as u32, b);
        }
        self.sort();
        self.runs.clear();
        for (i, entry) in self.entries.iter().enumerate() {
            if i == 0 || self.entries[i - 1].0 != entry.0 {
                self.runs.push(i as u32);
            }
        }
        self.runs.push(self.entries.len() as u32);
    }

    /// Brings the entries of each cell together: in one counting pass where the cells are not many more than the
    /// entries, which is twice as fast as to compare them; boxes spread over a vast space are compared.
    fn sort(&mut self) {
        let Self { entries, loose, nexts, .. } = self;
        let high = loose.iter().map(|e| unpack(e.0)).fold([0; 3], |a, b| [0, 1, 2].map(|k| a[k].max(b[k])));
        let [nx, ny, nz] = high.map(|n| u64::from(n) + 1);
        entries.clear();
        nexts.clear();
        // Room for as many cells as these entries could ever have, so that a warm grid does not grow.
        entries.reserve(loose.capacity());
        nexts.reserve(CELLS_EACH * loose.capacity() + 1);
        if nx * ny * nz > (CELLS_EACH * loose.len()) as u64 {
            entries.extend_from_slice(loose);
            return entries.sort_unstable();
        }
        let cell = |packed: u64| {
            let [x, y, z] = unpack(packed).map(u64::from);
            (x + nx * (y + ny * z)) as usize
        };
        nexts.resize((nx * ny * nz) as usize + 1, 0);
        loose.iter().for_each(|e| nexts[cell(e.0) + 1] += 1);
        (1..nexts.len()).for_each(|c| nexts[c] += nexts[c - 1]);
        entries.resize(loose.len(), (0, 0));
        for entry in loose.iter() {
            let next = &mut nexts[cell(entry.0)];
            entries[*next as usize] = *entry;
            *next += 1;
        }
        // Boxes are entered in their order, so that a cell is out of order only where groups are.
        entries.chunk_by_mut(|a, b| a.0 == b.0).for_each(|run| run.sort_unstable());
    }

    /// Number of jobs for [`Self::pairs_in`]: occupied cells and then outsize boxes.
    pub fn jobs(&self) -> usize {
        self.runs.len() - 1 + self.outsize.len()
    }

    /// The pairs (smaller number first) of one job. Every overlapping pair is reported by exactly one job.
    pub fn pairs_in(&self, job: usize, boxes: &[Aabb], mut report: impl FnMut(u32, u32)) {
        let cells = self.runs.len() - 1;
        if job >= cells {
            return self.outsize_pairs(self.outsize[job - cells], boxes, report);
        }
        let run = &self.entries[self.runs[job] as usize..self.runs[job + 1] as usize];
        let mut others = 0;
        for (k, &(cell, entry)) in run.iter().enumerate() {
            let (i, group) = (entry as u32, entry >> 32);
            if group > 0 && others <= k {
                others = k + run[k..].partition_point(|(_, e)| e >> 32 == group);
            }
            let (a, low) = (&boxes[i as usize], self.low[i as usize]);
            for &(_, other) in &run[others.max(k + 1)..] {
                let j = other as u32;
                if a.overlaps(&boxes[j as usize]) {
                    let other = self.low[j as usize];
                    // The cell of the intersection's low corner, since cell numbers grow with coordinates.
                    let shared = [0, 1, 2].map(|axis| low[axis].max(other[axis]));
                    if pack(shared) == cell {
                        report(i.min(j), i.max(j));
                    }
                }
            }
        }
    }

    fn outsize_pairs(&self, i: u32, boxes: &[Aabb], mut report: impl FnMut(u32, u32)) {
        for (j, b) in boxes.iter().enumerate() {
            let j = j as u32;
            // Of two outsize boxes the smaller number reports.
            let mine = i < j || (i > j && self.outsize.binary_search(&j).is_err());
            let group = self.groups[i as usize];
            let mine = mine && (group == 0 || group != self.groups[j as usize]);
            if mine && boxes[i as usize].overlaps(b) {
                report(i.min(j), i.max(j));
            }
        }
    }

    fn choose_cell(&mut self, boxes: &[Aabb]) {
        let (mut sum, mut count, mut low) = (0.0, 0, Vec3::INFINITY);
        for b in boxes {
            let size = b.size();
            if size.is_finite() {
                sum += size.max_element();
                count += 1;
                low = low.min(b.min);
            }
        }
        self.origin = if low.is_finite() { low } else { Vec3::ZERO };
        let cell = CELL * sum / f64::from(count.max(1));
        self.inv_cell = if cell > 1e-9 { 1.0 / cell } else { 1.0 };
    }

    fn cell_of(&self, p: Vec3) -> Option<[u32; 3]> {
        let q = (p - self.origin) * self.inv_cell;
        // Numbers are not negative after the clamp, so the cast rounds down.
        let axis = |v: Real| v.clamp(0.0, LAST_CELL) as u32;
        q.is_finite().then(|| [axis(q.x), axis(q.y), axis(q.z)])
    }

    fn enter(&mut self, i: u32, b: &Aabb) {
        let (lo, hi) = match (self.cell_of(b.min), self.cell_of(b.max)) {
            (Some(lo), Some(hi)) if (0..3).all(|k| hi[k].saturating_sub(lo[k]) <= SPAN_MAX) => (lo, hi),
            _ => {
                self.low.push([0; 3]);
                return self.outsize.push(i);
            }
        };
        self.low.push(lo);
        for z in lo[2]..=hi[2] {
            for y in lo[1]..=hi[1] {
                for x in lo[0]..=hi[0] {
                    let group = u64::from(self.groups[i as usize]);
                    self.loose.push((pack([x, y, z]), group << 32 | u64::from(i)));
                }
            }
        }
    }
}

fn pack(c: [u32; 3]) -> u64 {
    (u64::from(c[2]) << (2 * BITS)) | (u64::from(c[1]) << BITS) | u64::from(c[0])
}

fn unpack(cell: u64) -> [u32; 3] {
    [0, 1, 2].map(|k| (cell >> (k * BITS)) as u32 & ((1 << BITS) - 1))
}

/// The slow twin: every pair of boxes.
pub fn all_pairs(boxes: &[Aabb], mut report: impl FnMut(u32, u32)) {
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            if a.overlaps(b) {
                report(i as u32, j as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Pairs = Vec<(u32, u32)>;

    fn both(boxes: &[Aabb], groups: u32) -> (Pairs, Pairs) {
        let group = |i: u32| i % (groups + 1);
        let (mut fast, mut slow) = (Vec::new(), Vec::new());
        let mut grid = Grid::default();
        grid.build(boxes, group);
        for job in 0..grid.jobs() {
            grid.pairs_in(job, boxes, |i, j| fast.push((i, j)));
        }
        let may = |i, j| group(i) == 0 || group(i) != group(j);
        all_pairs(boxes, |i, j| slow.extend(may(i, j).then_some((i, j))));
        fast.sort_unstable();
        (fast, slow)
    }

    fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
        let one = (prop::array::uniform3(-1.0..1.0), prop::array::uniform3(0.0..0.2), 0..40).prop_map(
            |(p, size, kind)| {
                let (p, size) = (Vec3::from(p), Vec3::from(size));
                match kind {
                    0 => Aabb::ALL,
                    1 => Aabb { min: p, max: p + size * 20.0 },
                    2 => Aabb { min: p * 1e9, max: p * 1e9 + size },
                    3 => Aabb { min: p, max: p },
                    4 => Aabb { min: Vec3::NAN, max: p },
                    _ => Aabb { min: p, max: p + size },
                }
            },
        );
        prop::collection::vec(one, 0..200)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn the_grid_finds_what_all_pairs_finds(boxes in boxes(), groups in 0..4u32) {
            let (fast, slow) = both(&boxes, groups);
            prop_assert_eq!(fast, slow);
        }
    }

    #[test]
    fn boxes_on_cell_borders_are_found_once() {
        let boxes: Vec<_> = (0..10)
            .map(|i| Vec3::new(f64::from(i) * 0.5, 0.0, 0.0))
            .map(|p| Aabb { min: p, max: p + Vec3::splat(0.5) })
            .collect();
        let (fast, slow) = both(&boxes, 0);
        assert_eq!(fast, slow);
        assert_eq!(fast.len(), 9);
    }
}
