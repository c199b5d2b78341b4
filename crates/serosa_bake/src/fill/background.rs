//! The lattice behind a body: corners and centres of the cubes, and the tetrahedra between them.
//!
//! Between cubes of one size it is the body-centred cubic lattice: two centres and an edge of the face between them. Where
//! cubes of two sizes meet, the face between them is cut into eight triangles, and each is joined to the centres on both
//! sides (Labelle and Shewchuk 2007). Seen from the surface all is of the smallest size: that is what the
//! bounds on angles need, and what `Background::seams` is for.

use super::body::Body;
use super::octree::{Cell, Octree};
use serosa_geometry::{Real, Vec3};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Stands where there is no cube to cut.
const NONE: u32 = u32::MAX;

/// Points and tetrahedra, each with a point inside or more.
pub(super) struct Background {
    /// Places in the tree's coordinates.
    pub keys: Vec<[i32; 3]>,
    /// Signed distances \[m\], negative inside. Far from the surface only their sign counts.
    pub values: Vec<Real>,
    /// Of positive volume. Of those between smallest cubes corners 0 and 1 are the ends of a long edge, and so are 2 and 3.
    pub tets: Vec<[u32; 4]>,
    /// A cube of each point, by number.
    cells: Vec<u32>,
    /// For each tetrahedron a cube larger than the smallest that it is part of, or [`NONE`].
    large: Vec<u32>,
    /// Faces beyond which nothing was made: the large cube there, and points of the face.
    edges: Vec<(u32, [u32; 5])>,
}

/// Turns keys into numbers that are well spread: multiplication by the golden ratio.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }

    fn write_u64(&mut self, x: u64) {
        self.0 = (self.0 ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// While the lattice is made.
struct Maker<'a> {
    tree: &'a Octree,
    body: &'a Body<'a>,
    numbers: HashMap<u64, u32, BuildHasherDefault<Spread>>,
    /// The number of the cube whose faces are looked at.
    cell: u32,
    made: Background,
}

impl Background {
    /// Of a balanced tree. O(c log c) for c cubes, and a signed distance for each corner near the surface.
    pub fn of(tree: &Octree, body: &Body) -> Self {
        let (keys, values, tets) = (Vec::new(), Vec::new(), Vec::new());
        let made = Self { keys, values, tets, cells: Vec::new(), large: Vec::new(), edges: Vec::new() };
        let mut maker = Maker { tree, body, numbers: HashMap::default(), cell: 0, made };
        for (cell, number) in tree.cells.iter().zip(0..).filter(|(c, _)| c.is_leaf() && !c.is_void()) {
            maker.cell = number;
            for axis in 0..3 {
                for step in [-1, 1] {
                    maker.join(cell, axis, step);
                }
            }
        }
        let mut made = maker.made;
        made.measure(tree, body);
        made.keep_inside();
        made
    }

    /// Signed distances of the points that have none yet.
    fn measure(&mut self, tree: &Octree, body: &Body) {
        let unknown: Vec<usize> = (0..self.values.len()).filter(|i| self.values[*i].is_nan()).collect();
        let at: Vec<Vec3> = unknown.iter().map(|i| tree.place(self.keys[*i])).collect();
        let known = |i: usize| tree.known(&tree.cells[self.cells[unknown[i]] as usize]);
        let values = body.values(&at, known);
        for (i, value) in unknown.iter().zip(values) {
            self.values[*i] = value;
        }
    }

    /// Leaves out tetrahedra without a point inside.
    fn keep_inside(&mut self) {
        let values = &self.values;
        let inside = |tet: &[u32; 4]| tet.iter().any(|p| values[*p as usize] < 0.0);
        let kept: Vec<bool> = self.tets.iter().map(inside).collect();
        let mut next = kept.iter();
        self.tets.retain(|_| next.next().is_some_and(|k| *k));
        let mut next = kept.iter();
        self.large.retain(|_| next.next().is_some_and(|k| *k));
    }

    /// Cubes that must be cut since the surface, or a point that may be moved onto it, is at them: ascending, none where all
    /// is fine. The distance sees to that beforehand, but in a hole of an open surface it does not tell how near the
    /// surface is that the winding number sees.
    pub fn seams(&self) -> Vec<u32> {
        let is_inside = |p: &u32| self.values[*p as usize] < 0.0;
        let mut near = vec![false; self.keys.len()];
        for tet in &self.tets {
            for p in tet {
                near[*p as usize] |= tet.iter().any(|q| is_inside(q) != is_inside(p));
            }
        }
        let tets = self.tets.iter().zip(&self.large).filter(|(_, large)| **large != NONE);
        let tets = tets.filter(|(tet, _)| tet.iter().any(|p| near[*p as usize])).map(|(_, large)| *large);
        let edges = self.edges.iter().filter(|(_, face)| face.iter().any(is_inside)).map(|(large, _)| *large);
        let mut all: Vec<u32> = tets.chain(edges).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

impl Maker<'_> {
    /// The number of a point of a cube.
    fn number(&mut self, key: [i32; 3], cell: &Cell) -> u32 {
        let packed = key.iter().fold(0, |all, x| all << 21 | *x as u64);
        let next = self.made.keys.len() as u32;
        let number = *self.numbers.entry(packed).or_insert(next);
        if number == next {
            self.made.keys.push(key);
            self.made.values.push(Real::NAN);
            self.made.cells.push(self.cell);
        }
        let value = &mut self.made.values[number as usize];
        if value.is_nan() {
            *value = known(self.tree, self.body, cell, key);
        }
        number
    }

    /// Tetrahedra between a leaf and what lies beyond one of its faces.
    fn join(&mut self, cell: &Cell, axis: usize, step: i32) {
        let mut by = [0; 3];
        by[axis] = step;
        let Some(number) = self.tree.beside(cell, by) else { return };
        let other = self.tree.cells[number as usize];
        if !other.is_leaf() {
            self.join_smaller(cell, axis, step);
        } else if other.is_void() {
            self.end(cell, axis, step, number);
        } else if other.level == cell.level && step > 0 {
            self.join_equal(cell, &other, axis);
        }
    }

    /// A point of a face of a cube, by its way from the middle of the face in halves of an edge.
    fn face(cell: &Cell, axis: usize, step: i32, [u, v]: [i32; 2]) -> [i32; 3] {
        let mut key = cell.center();
        key[axis] += step * cell.half();
        key[(axis + 1) % 3] += u * cell.half();
        key[(axis + 2) % 3] += v * cell.half();
        key
    }

    /// Two cubes of one size: four tetrahedra, or more where an edge is cut by smaller cubes at it.
    fn join_equal(&mut self, cell: &Cell, other: &Cell, axis: usize) {
        // A cube farther away from the surface than this has no corner inside, nor has the other.
        let edge = self.tree.place(other.center()).distance(self.tree.place(cell.center()));
        if self.body.is_tight && cell.value > edge * self.body.steepness {
            return;
        }
        let centers = [self.number(cell.center(), cell), self.number(other.center(), other)];
        let large = if cell.level == 0 { NONE } else { self.cell };
        for (k, from) in RIM.iter().enumerate() {
            let to = RIM[(k + 1) % 4];
            let ends = [*from, to].map(|at| Self::face(cell, axis, 1, at));
            let [p, q] = ends.map(|key| self.number(key, cell));
            if self.is_cut(cell, other, axis, [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]) {
                let middle = [0, 1, 2].map(|i| (ends[0][i] + ends[1][i]) / 2);
                let m = self.number(middle, cell);
                self.add([centers[0], centers[1], p, m], large);
                self.add([centers[0], centers[1], m, q], large);
            } else {
                self.add([centers[0], centers[1], p, q], large);
            }
        }
    }

    /// Whether a smaller cube lies at an edge of the face between two cubes; the edge is given by the way to it.
    fn is_cut(&self, cell: &Cell, other: &Cell, axis: usize, [u, v]: [i32; 2]) -> bool {
        let mut by = [0; 3];
        (by[(axis + 1) % 3], by[(axis + 2) % 3]) = (u, v);
        let smaller =
            |c: &Cell| self.tree.beside(c, by).is_some_and(|n| !self.tree.cells[n as usize].is_leaf());
        cell.level > 0 && (smaller(cell) || smaller(other))
    }

    /// A cube and the four of half its size beyond a face.
    fn join_smaller(&mut self, cell: &Cell, axis: usize, step: i32) {
        let large = self.cell;
        let top = self.number(cell.center(), cell);
        let middle = self.number(Self::face(cell, axis, step, [0, 0]), cell);
        for corner in RIM {
            let mut at = cell.center();
            at[axis] += step * (cell.half() + cell.half() / 2);
            at[(axis + 1) % 3] += corner[0] * cell.half() / 2;
            at[(axis + 2) % 3] += corner[1] * cell.half() / 2;
            let Some(number) = self.tree.find(at, cell.level - 1) else { continue };
            let small = self.tree.cells[number as usize];
            let tip = self.number(Self::face(cell, axis, step, corner), cell);
            if !small.is_leaf() || small.is_void() {
                self.made.edges.push((large, [top, middle, tip, tip, tip]));
                continue;
            }
            let bottom = self.number(small.center(), &small);
            for side in [[corner[0], 0], [0, corner[1]]] {
                let side = self.number(Self::face(cell, axis, step, side), cell);
                self.add([top, middle, side, tip], large);
                self.add([bottom, middle, side, tip], large);
            }
        }
    }

    /// A leaf at the void: nothing is made, as long as nothing there is inside.
    fn end(&mut self, cell: &Cell, axis: usize, step: i32, void: u32) {
        if self.body.is_tight {
            return;
        }
        let [p, q, r, s] = RIM.map(|at| self.number(Self::face(cell, axis, step, at), cell));
        let center = self.number(cell.center(), cell);
        self.made.edges.push((void, [p, q, r, s, center]));
    }

    /// A tetrahedron, turned so that its volume is positive.
    fn add(&mut self, [a, b, c, d]: [u32; 4], large: u32) {
        let at = |i: u32| self.made.keys[i as usize].map(i64::from);
        let (o, p, q, r) = (at(a), at(b), at(c), at(d));
        let from = |p: [i64; 3]| [p[0] - o[0], p[1] - o[1], p[2] - o[2]];
        let (p, q, r) = (from(p), from(q), from(r));
        let volume = p[0] * (q[1] * r[2] - q[2] * r[1])
            + p[1] * (q[2] * r[0] - q[0] * r[2])
            + p[2] * (q[0] * r[1] - q[1] * r[0]);
        self.made.tets.push(if volume > 0 { [a, b, c, d] } else { [a, b, d, c] });
        self.made.large.push(large);
    }
}

/// Corners of a face in turn.
const RIM: [[i32; 2]; 4] = [[-1, -1], [1, -1], [1, 1], [-1, 1]];

/// The signed distance of a point of a cube as far as that of its centre tells: its own, or of the right sign where both
/// are far from the surface. Not a number where it must be asked for.
fn known(tree: &Octree, body: &Body, cell: &Cell, key: [i32; 3]) -> Real {
    if key == cell.center() {
        return cell.value;
    }
    let edge = tree.place(key).distance(tree.place(cell.center()));
    let smallest = tree.place([2, 0, 0]).distance(tree.place([0, 0, 0]));
    let sure = body.is_tight && cell.value.abs() > body.steepness * (edge + smallest);
    if sure { cell.value } else { Real::NAN }
}
