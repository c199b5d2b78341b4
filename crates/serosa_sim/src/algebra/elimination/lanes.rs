//! L⁻¹ for many sparse right-hand sides, eight at a time.
//!
//! A side that is zero but for a few nodes stays zero outside the paths of these to the root of the tree, so that only the
//! panels on them are visited.

use super::super::tiles::{self, Column, TILE};
use super::{Elimination, NONE, Panel, WIDTH};

/// Unknowns, one after the other, where some of eight sides are not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first one.
    pub from: u32,
    /// One behind the last.
    pub to: u32,
    /// Where its numbers begin among those kept.
    pub at: usize,
}

/// Room for eight sides, grown once. Between uses all of it is zero.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    /// By unknowns.
    z: Vec<Column>,
    /// Own rows of the panel that is worked on.
    own: Vec<Column>,
    visited: Vec<bool>,
    path: Vec<u32>,
}

impl Lanes {
    /// Gets room for an elimination.
    pub fn prepare(&mut self, all: &Elimination) {
        if self.z.len() != all.unknowns() || self.visited.len() != all.panels.len() {
            self.z.clear();
            self.z.resize(all.unknowns(), [0.0; TILE]);
            self.visited.clear();
            self.visited.resize(all.panels.len(), false);
        }
        let widest = all.panels.iter().map(|p| p.width).max().unwrap_or(0);
        self.own.resize(widest.max(self.own.len()), [0.0; TILE]);
    }

    /// Adds three numbers of a vertex to one of the sides; nothing where it is not free.
    pub fn add(&mut self, all: &Elimination, lane: usize, vertex: u32, numbers: [crate::Real; WIDTH]) {
        let Some(at) = all.first_unknown(vertex) else { return };
        (0..WIDTH).for_each(|d| self.z[at + d][lane] += numbers[d]);
        let mut s = all.panel_of[at / WIDTH];
        while s != NONE && !self.visited[s as usize] {
            self.visited[s as usize] = true;
            self.path.push(s);
            s = all.panels[s as usize].parent;
        }
    }

    /// Applies L⁻¹ to all sides put in, appends what is not zero to `kept` and where to `runs`, and is empty again.
    ///
    /// Cost: 16 operations for each entry of the panels visited.
    pub fn forward(&mut self, all: &Elimination, kept: &mut Vec<Column>, runs: &mut Vec<Run>) {
        self.path.sort_unstable();
        let lanes = &mut *self;
        forward_widest(all, lanes);
        let first = runs.len();
        for s in self.path.drain(..) {
            self.visited[s as usize] = false;
            let panel = &all.panels[s as usize];
            let (from, to) = (panel.start, panel.start + panel.own);
            match runs[first..].last_mut() {
                Some(last) if last.to as usize == from => last.to = to as u32,
                _ => runs.push(Run { from: from as u32, to: to as u32, at: kept.len() }),
            }
            kept.extend_from_slice(&self.z[from..to]);
            self.z[from..to].fill([0.0; TILE]);
        }
    }
}

fn forward_widest(all: &Elimination, lanes: &mut Lanes) {
    super::super::widest!(forward(all, lanes))
}

#[inline(always)]
fn forward(all: &Elimination, lanes: &mut Lanes) {
    for s in &lanes.path {
        let panel = &all.panels[*s as usize];
        solve_own(all, panel, &mut lanes.own, &mut lanes.z);
        let x = &lanes.own[..panel.own];
        let below = &all.values[panel.value..][panel.width / TILE * panel.width..];
        let rows = &all.rows[panel.below..panel.below_end];
        for (rows, tile) in rows.chunks(TILE).zip(below.chunks_exact(panel.width)) {
            let sums = tiles::product(x, &tile[..panel.own]);
            for (row, sum) in rows.iter().zip(&sums) {
                let z = &mut lanes.z[*row as usize];
                *z = core::array::from_fn(|side| z[side] - sum[side]);
            }
        }
    }
}

/// The own unknowns of a panel, also left in `own`.
#[inline(always)]
fn solve_own(all: &Elimination, panel: &Panel, own: &mut [Column], z: &mut [Column]) {
    let z = &mut z[panel.start..panel.start + panel.own];
    own[..panel.own].copy_from_slice(z);
    own[panel.own..panel.width].fill([0.0; TILE]);
    for t in 0..panel.width / TILE {
        let tile = &all.values[panel.value + t * panel.width..][..panel.width];
        let (before, rest) = own.split_at_mut(t * TILE);
        let sums = tiles::product(before, &tile[..t * TILE]);
        let x = &mut rest.as_chunks_mut::<TILE>().0[0];
        tiles::take(x, &sums);
        tiles::solve_sides(&tile[t * TILE..][..TILE], x);
    }
    z.copy_from_slice(&own[..panel.own]);
}

/// The kernels for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Elimination, Lanes};

    #[target_feature(enable = "avx2")]
    pub(super) fn forward(all: &Elimination, lanes: &mut Lanes) {
        super::forward(all, lanes);
    }
}
