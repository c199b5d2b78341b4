//! Cubes around a body: small at its surface, larger inside.

use super::body::{Body, Known};
use serosa_geometry::{Aabb, Real, Vec3};

/// The most cubes. Of a ball so cut fourteen million tetrahedra were made, in two gigabytes.
pub(super) const CELLS_MAX: usize = 4_000_000;
/// Stands where there are no children.
const NONE: u32 = u32::MAX;
/// The deepest tree whose coordinates fit their type with room to spare.
const LEVELS_MAX: u8 = 20;

/// A cube. Coordinates count half edges of the smallest cubes, so that centres have whole ones too.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// Its least corner.
    pub at: [i32; 3],
    /// Its edge is 2 to this power smallest edges.
    pub level: u8,
    /// Signed distance of its centre \[m\]; negative inside.
    pub value: Real,
    parent: u32,
    children: u32,
}

impl Cell {
    pub fn is_leaf(&self) -> bool {
        self.children == NONE
    }

    /// A leaf far outside, whose tetrahedra are not needed.
    pub fn is_void(&self) -> bool {
        self.is_leaf() && self.level > 0 && self.value > 0.0
    }

    /// Half of its edge, in coordinates.
    pub fn half(&self) -> i32 {
        1 << self.level
    }

    pub fn center(&self) -> [i32; 3] {
        self.at.map(|x| x + self.half())
    }
}

/// Cubes that are cut into eight where the surface may be near, and inside down to the coarsest size allowed.
pub(super) struct Octree {
    /// The root first, eight children beside one another.
    pub cells: Vec<Cell>,
    origin: Vec3,
    unit: Real,
}

/// More cubes than are allowed.
pub(super) struct TooMany;

impl Octree {
    /// Around a body, with smallest cubes of edge `size`, and inside of at most 2 to the `coarsest` times that; at most so
    /// many. O(c log n) for c cubes and n triangles.
    pub fn around(body: &Body, size: Real, coarsest: u8, most: usize) -> Result<Self, TooMany> {
        // Room for a layer of smallest cubes that are outside.
        let Aabb { min, max } = body.bounds.grown(2.0 * size);
        let widest = (max - min).max_element();
        let level = (0..=LEVELS_MAX).find(|l| size * Real::from(1 << l) >= widest);
        let level = level.ok_or(TooMany)?;
        let (unit, half) = (0.5 * size, Vec3::splat(0.5 * size * Real::from(1 << level)));
        let root = Cell { at: [0; 3], level, value: Real::NAN, parent: 0, children: NONE };
        let mut tree = Self { cells: vec![root], origin: 0.5 * (min + max) - half, unit };
        tree.measure(body, 0);
        let mut from = 0;
        for level in (1..=level).rev() {
            let to = tree.cells.len();
            let edge = size * Real::from(1 << level);
            let near = body.steepness * (0.5 * libm::sqrt(3.0) * edge + size);
            let is_split = |c: &Cell| c.value.abs() <= near || (c.value < 0.0 && level > coarsest);
            let split: Vec<u32> =
                (from..to).filter(|c| is_split(&tree.cells[*c])).map(|c| c as u32).collect();
            if to + 8 * split.len() > most {
                return Err(TooMany);
            }
            tree.split(body, &split);
            from = to;
        }
        Ok(tree)
    }

    /// About how many cubes there will be, rather too many: those within two or three edges of the surface, with all
    /// above them, and those inside.
    pub fn expected(body: &Body, size: Real, coarsest: u8) -> Real {
        let (near, inner) = (body.area / (size * size), size * Real::from(1 << coarsest));
        9.0 * near + 1.2 * body.volume / (inner * inner * inner)
    }

    /// The least edge that will do with so many cubes.
    pub fn fitting(body: &Body, coarsest: u8, most: usize) -> Real {
        let most = 0.8 * most as Real;
        let few = |size: &Real| Self::expected(body, *size, coarsest) < most;
        let widest = body.bounds.size().max_element();
        (0..120).map(|k| widest * libm::pow(0.9, Real::from(k))).take_while(few).last().unwrap_or(widest)
    }

    /// Whether an edge need not even be tried.
    pub fn is_hopeless(body: &Body, size: Real, coarsest: u8, most: usize) -> bool {
        Self::expected(body, size, coarsest) > 8.0 * most as Real
    }

    /// Where a place of the lattice is.
    pub fn place(&self, at: [i32; 3]) -> Vec3 {
        self.origin + Vec3::from(at.map(f64::from)) * self.unit
    }

    /// Cuts leaves into eight.
    pub fn split(&mut self, body: &Body, leaves: &[u32]) {
        let from = self.cells.len();
        for leaf in leaves {
            let children = self.cells.len() as u32;
            let parent = &mut self.cells[*leaf as usize];
            parent.children = children;
            let Cell { at: [x, y, z], level, .. } = *parent;
            let half = parent.half();
            for k in 0..8 {
                let at = [x + half * (k & 1), y + half * (k >> 1 & 1), z + half * (k >> 2)];
                let (value, parent) = (Real::NAN, *leaf);
                self.cells.push(Cell { at, level: level - 1, value, parent, children: NONE });
            }
        }
        self.measure(body, from);
    }

    fn measure(&mut self, body: &Body, from: usize) {
        let at: Vec<Vec3> = self.cells[from..].iter().map(|c| self.place(c.center())).collect();
        let known = |i: usize| {
            let parent = self.cells[self.cells[from + i].parent as usize];
            self.known(&parent)
        };
        let values = body.values(&at, known);
        for (cell, value) in self.cells[from..].iter_mut().zip(values) {
            cell.value = value;
        }
    }

    /// What is known of the centre of a cube; nothing at the root while it is measured itself.
    pub fn known(&self, cell: &Cell) -> Known {
        let value = (!cell.value.is_nan()).then(|| (self.place(cell.center()), cell.value));
        Known { values: [value, None], outward: Vec3::ZERO }
    }

    /// The cube of a level that holds a place, or the leaf that does where that is larger; `None` beyond the root.
    pub fn find(&self, [x, y, z]: [i32; 3], level: u8) -> Option<u32> {
        let edge = 2 * self.cells[0].half();
        if [x, y, z].iter().any(|v| !(0..edge).contains(v)) {
            return None;
        }
        let mut at = 0u32;
        loop {
            let cell = &self.cells[at as usize];
            if cell.level <= level || cell.is_leaf() {
                return Some(at);
            }
            let [cx, cy, cz] = cell.center();
            at = cell.children + u32::from(x >= cx) + 2 * u32::from(y >= cy) + 4 * u32::from(z >= cz);
        }
    }

    /// What lies beside a cube, `by` of its edges away: a cube as large, or a larger leaf.
    pub fn beside(&self, cell: &Cell, by: [i32; 3]) -> Option<u32> {
        let [x, y, z] = cell.center();
        let edge = 2 * cell.half();
        self.find([x + edge * by[0], y + edge * by[1], z + edge * by[2]], cell.level)
    }

    /// Cuts leaves until none lies beside one of less than half its edge, across faces, edges or corners; those far outside
    /// aside.
    pub fn balance(&mut self, body: &Body) {
        loop {
            let mut split = Vec::new();
            for cell in self.cells.iter().filter(|c| c.is_leaf() && !c.is_void()) {
                for k in (0..27).filter(|k| *k != 13) {
                    let by = [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1];
                    let Some(other) = self.beside(cell, by) else { continue };
                    let large = &self.cells[other as usize];
                    if large.level > cell.level + 1 && !large.is_void() {
                        split.push(other);
                    }
                }
            }
            if split.is_empty() {
                return;
            }
            split.sort_unstable();
            split.dedup();
            self.split(body, &split);
        }
    }
}
