//! The Schur complement S = J K⁻¹ Jᵀ, as far as it is asked for.
//!
//! With K = L Lᵀ and Y = L⁻¹ Jᵀ it is Yᵀ Y: only the forward half of a solve is needed, and only along the paths of the few
//! vertices of a row to the root of the elimination. Rows come in chunks of eight; a row that is never active is
//! never worked on. Terms of one rank take γ u uᵀ from it, u how fast their answers move the rows.

use super::super::elimination::Elimination;
use super::super::elimination::lanes::{Lanes, Run};
use super::super::tiles::{self, Column, TILE};
use super::Rows;
use crate::Real;

/// No slot.
const NONE: u32 = u32::MAX;

/// Eight rows and where their Y is kept.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    runs: usize,
    runs_end: usize,
}

/// Rows of J that are known by their Y, in slots, and S between all of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Schur {
    /// The slot of each row.
    slot_of: Vec<u32>,
    chunks: Vec<Chunk>,
    runs: Vec<Run>,
    kept: Vec<Column>,
    /// √γ u of each term of one rank, chunk after chunk.
    taken: Vec<Column>,
    /// Chunk a with all b ≤ a, one behind the other: entry (row r of a, row c of b) is `[c][r]`.
    blocks: Vec<[Column; TILE]>,
    /// Chunks that have their blocks.
    crossed: usize,
    /// λ and S λ by slots.
    given: Vec<Column>,
    found: Vec<Column>,
    lanes: Lanes,
    /// Rows to be taken in, by where they touch the tree.
    queue: Vec<(u32, u32)>,
    /// Rows that have a slot.
    known: usize,
}

impl Schur {
    /// Forgets all rows; there are so many.
    pub fn begin(&mut self, rows: usize) {
        self.slot_of.clear();
        self.slot_of.resize(rows, NONE);
        self.chunks.clear();
        self.runs.clear();
        self.kept.clear();
        self.taken.clear();
        self.blocks.clear();
        (self.known, self.crossed) = (0, 0);
    }

    /// Whether S is known between all rows.
    pub fn is_whole(&self) -> bool {
        self.known == self.slot_of.len()
    }

    /// Takes rows in, those that are not yet.
    ///
    /// Cost for each eight new ones: 16 operations for each entry of the factor on their paths, and products with all
    /// chunks before.
    pub fn take_in(&mut self, rows: &Rows, factor: &Elimination, wanted: impl Iterator<Item = usize>) {
        self.queue.clear();
        for row in wanted.filter(|row| self.slot_of[*row] == NONE) {
            let first = |t: &super::Term| factor.first_unknown(t.vertex).unwrap_or(0) as u32;
            self.queue.push((rows.terms(row).iter().map(first).min().unwrap_or(0), row as u32));
        }
        // Neighbours in the tree share their paths.
        self.queue.sort_unstable();
        self.lanes.prepare(factor);
        for chunk in self.queue.chunks(TILE) {
            let slot = self.chunks.len() * TILE;
            for (lane, (_, row)) in chunk.iter().enumerate() {
                self.slot_of[*row as usize] = (slot + lane) as u32;
                for term in rows.terms(*row as usize) {
                    self.lanes.add(factor, lane, term.vertex, term.direction);
                }
            }
            for (w, share) in factor.answers() {
                let mut taken = [0.0; TILE];
                for (taken, (_, row)) in taken.iter_mut().zip(chunk) {
                    *taken = share.sqrt() * rows.velocity(*row as usize, w);
                }
                self.taken.push(taken);
            }
            self.known += chunk.len();
            let runs = self.runs.len();
            self.lanes.forward(factor, &mut self.kept, &mut self.runs);
            self.chunks.push(Chunk { runs, runs_end: self.runs.len() });
        }
        self.cross(factor.ranks());
    }

    /// Products of the newest chunks with all before and themselves.
    fn cross(&mut self, ranks: usize) {
        for a in self.crossed..self.chunks.len() {
            for b in 0..=a {
                let [runs, others] = [a, b].map(|c| &self.runs[self.chunks[c].runs..self.chunks[c].runs_end]);
                let mut block = cross_widest(&self.kept, runs, others);
                let [own, other] = [a, b].map(|c| &self.taken[c * ranks..(c + 1) * ranks]);
                for (u, w) in own.iter().zip(other) {
                    for (column, w) in block.iter_mut().zip(w) {
                        *column = core::array::from_fn(|r| column[r] - u[r] * w);
                    }
                }
                self.blocks.push(block);
            }
        }
        self.crossed = self.chunks.len();
    }

    /// S of two rows that were taken in.
    #[inline(always)]
    pub fn entry(&self, i: usize, j: usize) -> Real {
        let (i, j) = (self.slot_of[i] as usize, self.slot_of[j] as usize);
        let (i, j) = (i.max(j), i.min(j));
        let (a, b) = (i / TILE, j / TILE);
        self.blocks[a * (a + 1) / 2 + b][j % TILE][i % TILE]
    }

    /// S λ, both by rows, all of which were taken in.
    pub fn multiply(&mut self, lambda: &[Real], product: &mut Vec<Real>) {
        let slots = self.chunks.len();
        for x in [&mut self.given, &mut self.found] {
            x.clear();
            x.resize(slots, [0.0; TILE]);
        }
        for (slot, l) in self.slot_of.iter().zip(lambda) {
            self.given[*slot as usize / TILE][*slot as usize % TILE] = *l;
        }
        multiply_widest(&self.blocks, &self.given, &mut self.found);
        product.clear();
        let found = |slot: &u32| self.found[*slot as usize / TILE][*slot as usize % TILE];
        product.extend(self.slot_of.iter().map(found));
    }

    /// Puts rows into the order in which S is stored.
    pub fn sort(&self, rows: &mut [u32]) {
        rows.sort_unstable_by_key(|row| self.slot_of[*row as usize]);
    }
}

fn multiply_widest(blocks: &[[Column; TILE]], given: &[Column], found: &mut [Column]) {
    super::super::widest!(multiply_blocks(blocks, given, found))
}

/// The lower half of a matrix of blocks, and what stands above, times a vector.
#[inline(always)]
fn multiply_blocks(blocks: &[[Column; TILE]], given: &[Column], found: &mut [Column]) {
    let mut rest = blocks.iter();
    for a in 0..given.len() {
        for (b, block) in rest.by_ref().take(a + 1).enumerate() {
            if given[b] != [0.0; TILE] {
                for (column, x) in block.iter().zip(&given[b]) {
                    found[a] = core::array::from_fn(|r| found[a][r] + column[r] * x);
                }
            }
            if a != b && given[a] != [0.0; TILE] {
                for (column, y) in block.iter().zip(&mut found[b]) {
                    let p: Column = core::array::from_fn(|r| column[r] * given[a][r]);
                    *y += ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
                }
            }
        }
    }
}

fn cross_widest(kept: &[Column], a: &[Run], b: &[Run]) -> [Column; TILE] {
    super::super::widest!(cross_runs(kept, a, b))
}

/// Σ over the unknowns that both have.
#[inline(always)]
fn cross_runs(kept: &[Column], a: &[Run], b: &[Run]) -> [Column; TILE] {
    let mut sums = [[0.0; TILE]; TILE];
    let (mut i, mut j) = (0, 0);
    while let (Some(p), Some(q)) = (a.get(i), b.get(j)) {
        let (from, to) = (p.from.max(q.from), p.to.min(q.to));
        if from < to {
            let part = |r: &Run| &kept[r.at + (from - r.from) as usize..r.at + (to - r.from) as usize];
            let product = tiles::product(part(p), part(q));
            for (sum, more) in sums.iter_mut().zip(&product) {
                *sum = core::array::from_fn(|r| sum[r] + more[r]);
            }
        }
        if p.to <= q.to {
            i += 1;
        }
        if q.to <= p.to {
            j += 1;
        }
    }
    sums
}

/// The kernels for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Column, Run, TILE};

    #[target_feature(enable = "avx2")]
    pub(super) fn multiply_blocks(blocks: &[[Column; TILE]], given: &[Column], found: &mut [Column]) {
        super::multiply_blocks(blocks, given, found);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn cross_runs(kept: &[Column], a: &[Run], b: &[Run]) -> [Column; TILE] {
        super::cross_runs(kept, a, b)
    }
}
