//! Cholesky factors made in the step: the pattern once, the numbers as often as they change.
//!
//! Where a matrix changes every step, as that of an implicit step does, its factor cannot come from the bake; its order and
//! pattern can. Columns that share their pattern form a **panel**; panels form a tree, children before parents. A panel is
//! eliminated densely and leaves an **update** for its ancestors, which its parent gathers (the multifrontal method, Duff
//! and Reid 1983). The order of operations is fixed by the pattern: the same bits on any machine and any number of
//! threads. Nothing is allocated when the numbers change. Terms of one rank stay beside the factor.

pub mod lanes;
mod pattern;
mod ranks;
mod solve;

pub use pattern::post_order;

use super::blocks::BlockMatrix;
use super::tiles::{self, Column, TILE};
use crate::Real;

/// No place, no panel.
const NONE: u32 = u32::MAX;
/// Numbers of a node.
const WIDTH: usize = 3;

/// A matrix that has no Cholesky factor: some motion of the vertex, with others, meets no resistance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPositive {
    /// Where elimination stopped.
    pub vertex: u32,
}

/// The Cholesky factor of a matrix of 3 × 3 blocks whose pattern stays and whose numbers change.
#[derive(Clone, Debug)]
pub struct Elimination {
    /// Vertices of a vector, unknown or not.
    vertices: usize,
    /// Where each vertex is eliminated; none for those that are not free.
    place_of: Vec<u32>,
    /// The vertex eliminated at each place.
    order: Vec<u32>,
    /// The panel of each place.
    panel_of: Vec<u32>,
    panels: Vec<Panel>,
    /// The unknown of each row below a panel.
    rows: Vec<u32>,
    /// Where that row stands in the front of the parent.
    parent_rows: Vec<u32>,
    /// Where blocks of the matrix go, panel after panel.
    sources: Vec<Source>,
    values: Vec<Column>,
    /// Updates that wait for a parent, as a stack.
    updates: Vec<Column>,
    /// Diagonal of the matrix, by unknowns.
    diagonal: Vec<Real>,
    ranks: ranks::Ranks,
}

/// A panel and its place in the tree.
#[derive(Clone, Copy, Debug)]
struct Panel {
    /// First unknown of its own, and how many.
    start: usize,
    own: usize,
    /// Own unknowns rounded up to whole tiles: the rest are ones on the diagonal.
    width: usize,
    /// Its rows below, as a range of `rows`, and as many rounded up to whole tiles.
    below: usize,
    below_end: usize,
    height: usize,
    /// Where its entries begin in `values`.
    value: usize,
    /// Its sources, as a range.
    source: usize,
    source_end: usize,
    /// Where its update waits for the parent, and where it is made: behind those of the children.
    update: usize,
    made: usize,
    parent: u32,
    first_child: u32,
    sibling: u32,
}

/// A block of the matrix on its way into a panel.
#[derive(Clone, Copy, Debug)]
struct Source {
    block: u32,
    /// Row and column in the panel.
    row: u32,
    column: u32,
    /// Whether rows and columns change places.
    turned: bool,
}

impl Panel {
    fn entries(&self) -> usize {
        (self.width + self.height) / TILE * self.width
    }

    fn update_len(&self) -> usize {
        self.height / TILE * self.height
    }
}

impl Elimination {
    /// The pattern of the factor of a matrix; `order` are its nodes (see [`BlockMatrix::free`]) in the order of elimination,
    /// each once. Places of one subtree are brought together, which changes no fill. Without numbers as yet: see
    /// [`Self::refactor`].
    ///
    /// Cost: the blocks of the factor. Nothing where the order does not name each node once.
    pub fn of(matrix: &BlockMatrix<WIDTH>, order: &[u32]) -> Option<Self> {
        let count = matrix.free().len();
        let mut named = vec![false; count];
        let fresh = |n: &u32| named.get_mut(*n as usize).is_some_and(|seen| !core::mem::replace(seen, true));
        if order.len() != count || !order.iter().all(fresh) {
            return None;
        }
        let mut neighbours = vec![Vec::new(); count];
        for [i, j] in matrix.pairs().filter(|[i, j]| i != j) {
            neighbours[i as usize].push(j);
            neighbours[j as usize].push(i);
        }
        let (order, shapes) = pattern::analyse(&neighbours, order);
        let mut place_of = vec![NONE; matrix.vertices()];
        let vertex = |node: &u32| matrix.free()[*node as usize];
        order.iter().zip(0..).for_each(|(node, k)| place_of[vertex(node) as usize] = k);
        let mut made = Self {
            vertices: matrix.vertices(),
            place_of,
            panel_of: vec![0; count],
            panels: Vec::with_capacity(shapes.len()),
            rows: Vec::new(),
            parent_rows: Vec::new(),
            sources: Vec::new(),
            values: Vec::new(),
            updates: Vec::new(),
            diagonal: vec![1.0; count * WIDTH],
            ranks: ranks::Ranks::of(matrix),
            order: order.iter().map(vertex).collect(),
        };
        made.lay_out(&shapes);
        made.grow_tree();
        made.find_sources(matrix);
        Some(made)
    }

    /// Where everything begins and ends.
    fn lay_out(&mut self, shapes: &[pattern::Shape]) {
        let mut value = 0;
        for (shape, s) in shapes.iter().zip(0..) {
            self.panel_of[shape.start..shape.start + shape.columns].fill(s);
            let below = self.rows.len();
            self.rows.extend(shape.tail.iter().flat_map(|p| [3 * p, 3 * p + 1, 3 * p + 2]));
            let own = WIDTH * shape.columns;
            let panel = Panel {
                start: WIDTH * shape.start,
                own,
                width: own.next_multiple_of(TILE),
                below,
                below_end: self.rows.len(),
                height: (self.rows.len() - below).next_multiple_of(TILE),
                value,
                source: 0,
                source_end: 0,
                update: 0,
                made: 0,
                parent: NONE,
                first_child: NONE,
                sibling: NONE,
            };
            value += panel.entries();
            self.panels.push(panel);
        }
        self.values = vec![[0.0; TILE]; value];
    }

    /// The parent of a panel is that of the first later place it touches. Updates are stacked: those of its children
    /// are the last when a panel is eliminated, and its own takes their room.
    fn grow_tree(&mut self) {
        self.parent_rows = vec![0; self.rows.len()];
        for s in 0..self.panels.len() {
            let panel = self.panels[s];
            let Some(first) = self.rows[panel.below..panel.below_end].first() else { continue };
            let parent = self.panel_of[*first as usize / WIDTH];
            self.panels[s].parent = parent;
            let p = self.panels[parent as usize];
            let mut at = p.below;
            for k in panel.below..panel.below_end {
                let row = self.rows[k] as usize;
                self.parent_rows[k] = if row < p.start + p.own {
                    (row - p.start) as u32
                } else {
                    at += self.rows[at..p.below_end].iter().position(|r| *r as usize == row).unwrap_or(0);
                    (p.width + at - p.below) as u32
                };
            }
        }
        for s in (0..self.panels.len()).rev() {
            let parent = self.panels[s].parent;
            if parent != NONE {
                self.panels[s].sibling = self.panels[parent as usize].first_child;
                self.panels[parent as usize].first_child = s as u32;
            }
        }
        let (mut top, mut most) = (0, 0);
        for s in 0..self.panels.len() {
            let child = self.panels[s].first_child;
            let made = top;
            let update = if child == NONE { top } else { self.panels[child as usize].update };
            let len = self.panels[s].update_len();
            (self.panels[s].made, self.panels[s].update) = (made, update);
            most = most.max(made + len);
            top = update + len;
        }
        self.updates = vec![[0.0; TILE]; most];
    }

    /// Where each block of the matrix goes.
    fn find_sources(&mut self, matrix: &BlockMatrix<WIDTH>) {
        let place = |node: u32| self.place_of[matrix.free()[node as usize] as usize];
        let mut all: Vec<(u32, Source)> = Vec::with_capacity(matrix.blocks().len());
        for ([i, j], block) in matrix.pairs().zip(0..) {
            let (a, b) = (place(i), place(j));
            let (late, early, turned) = if a >= b { (a, b, false) } else { (b, a, true) };
            let s = self.panel_of[early as usize];
            let panel = &self.panels[s as usize];
            let late = WIDTH * late as usize;
            let row = if late < panel.start + panel.own {
                late - panel.start
            } else {
                let below = &self.rows[panel.below..panel.below_end];
                panel.width + below.partition_point(|r| (*r as usize) < late)
            };
            let column = (WIDTH * early as usize - panel.start) as u32;
            all.push((s, Source { block, row: row as u32, column, turned }));
        }
        all.sort_by_key(|(s, source)| (*s, source.block));
        for part in all.chunk_by(|a, b| a.0 == b.0) {
            let panel = &mut self.panels[part[0].0 as usize];
            panel.source = self.sources.len();
            self.sources.extend(part.iter().map(|(_, source)| *source));
            panel.source_end = self.sources.len();
        }
    }

    /// Vertices of a vector, unknown or not.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Numbers solved for.
    pub fn unknowns(&self) -> usize {
        WIDTH * self.order.len()
    }

    /// Entries of the factor, a few of them zeros that fill whole tiles.
    pub fn entries(&self) -> usize {
        self.values.len() * TILE
    }

    /// Where the three numbers of a vertex stand in vectors in the order of elimination; nothing where it is not free.
    pub fn first_unknown(&self, vertex: u32) -> Option<usize> {
        let place = *self.place_of.get(vertex as usize)?;
        (place != NONE).then_some(WIDTH * place as usize)
    }

    /// Factors a matrix of the pattern this was made for; one of another pattern is refused as well. After an error there is
    /// no factor until the next success.
    ///
    /// Cost for a solid of n nodes: about n² operations in dense tiles; a solve for each term of one rank. Allocates nothing.
    pub fn refactor(&mut self, matrix: &BlockMatrix<WIDTH>) -> Result<(), NotPositive> {
        if matrix.blocks().len() != self.sources.len() {
            debug_assert!(false, "a matrix of another pattern");
            return Err(NotPositive { vertex: 0 });
        }
        refactor_widest(self, matrix)
            .map_err(|unknown| NotPositive { vertex: self.order[unknown / WIDTH] })?;
        self.meet_ranks(matrix);
        Ok(())
    }

    /// The matrix's own blocks of a panel.
    #[inline(always)]
    fn assemble(&mut self, s: usize, matrix: &BlockMatrix<WIDTH>) {
        let panel = self.panels[s];
        let values = &mut self.values[panel.value..panel.value + panel.entries()];
        values.fill([0.0; TILE]);
        for k in panel.own..panel.width {
            let (tile, lane) = tiles::at(panel.width, k, k);
            values[tile][lane] = 1.0;
        }
        for source in &self.sources[panel.source..panel.source_end] {
            let block = &matrix.blocks()[source.block as usize];
            let (row, column) = (source.row as usize, source.column as usize);
            let entry = |p: usize, q: usize| if source.turned { block[q][p] } else { block[p][q] };
            for k in 0..WIDTH * WIDTH {
                let (p, q) = (k / WIDTH, k % WIDTH);
                let (tile, lane) = tiles::at(panel.width, row + p, column);
                values[tile + q][lane] = entry(p, q);
            }
            if row == column {
                (0..WIDTH).for_each(|p| self.diagonal[panel.start + row + p] = block[p][p]);
            }
        }
    }

    /// Adds what a child left to the front of its parent: to the panel itself and to the update it will leave.
    #[inline(always)]
    fn gather(&mut self, parent: usize, child: usize) {
        let (p, c) = (self.panels[parent], self.panels[child]);
        let places = &self.parent_rows[c.below..c.below_end];
        let (waiting, made) = self.updates.split_at_mut(p.made);
        let update = waiting[c.update..c.update + c.update_len()].as_flattened();
        let own = self.values[p.value..p.value + p.entries()].as_flattened_mut();
        let made = made[..p.update_len()].as_flattened_mut();
        for (j, to_column) in places.iter().enumerate() {
            let column = *to_column as usize;
            let (to, columns, skip) =
                if column < p.width { (&mut *own, p.width, 0) } else { (&mut *made, p.height, p.width) };
            let column = column - skip;
            for (i, row) in places.iter().enumerate().skip(j) {
                let row = *row as usize - skip;
                to[(row / TILE * columns + column) * TILE + row % TILE] +=
                    update[(i / TILE * c.height + j) * TILE + i % TILE];
            }
        }
    }
}

/// Takes what a panel contributes from the update that it leaves.
#[inline(always)]
fn subtract(panel: &Panel, values: &[Column], update: &mut [Column]) {
    let tile = |t: usize| &values[(panel.width / TILE + t) * panel.width..][..panel.own];
    for j in 0..panel.height / TILE {
        for i in j..panel.height / TILE {
            let product = tiles::product(tile(i), tile(j));
            tiles::take(&mut update[i * panel.height + j * TILE..][..TILE], &product);
        }
    }
}

/// All panels, children before parents; otherwise the unknown whose pivot is not positive.
#[inline(always)]
fn refactor(all: &mut Elimination, matrix: &BlockMatrix<WIDTH>) -> Result<(), usize> {
    for s in 0..all.panels.len() {
        all.assemble(s, matrix);
        let panel = all.panels[s];
        all.updates[panel.made..panel.made + panel.update_len()].fill([0.0; TILE]);
        let mut child = panel.first_child;
        while child != NONE {
            all.gather(s, child as usize);
            child = all.panels[child as usize].sibling;
        }
        let values = &mut all.values[panel.value..panel.value + panel.entries()];
        let diagonal = &all.diagonal[panel.start..panel.start + panel.own];
        tiles::factor_panel(values, panel.width, diagonal).map_err(|k| panel.start + k)?;
        subtract(&panel, values, &mut all.updates[panel.made..]);
        all.updates.copy_within(panel.made..panel.made + panel.update_len(), panel.update);
    }
    Ok(())
}

fn refactor_widest(all: &mut Elimination, matrix: &BlockMatrix<WIDTH>) -> Result<(), usize> {
    super::widest!(refactor(all, matrix))
}

/// The kernels for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{BlockMatrix, Elimination, WIDTH};

    #[target_feature(enable = "avx2")]
    pub(super) fn refactor(all: &mut Elimination, matrix: &BlockMatrix<WIDTH>) -> Result<(), usize> {
        super::refactor(all, matrix)
    }
}
