//! The halves of a solve for one right-hand side, in the order of elimination: of the sparse part alone.

use super::super::tiles::{Column, TILE};
use super::{Elimination, Panel, WIDTH};
use crate::Real;

impl Elimination {
    /// A vector over vertices in the order of elimination.
    pub fn bring(&self, x: &[Real], z: &mut Vec<Real>) {
        z.clear();
        z.extend(self.order.iter().flat_map(|v| &x[WIDTH * *v as usize..WIDTH * (*v as usize + 1)]));
    }

    /// A vector in the order of elimination back over vertices.
    pub fn take_back(&self, z: &[Real], x: &mut [Real]) {
        for (v, z) in self.order.iter().zip(z.chunks_exact(WIDTH)) {
            x[WIDTH * *v as usize..WIDTH * (*v as usize + 1)].copy_from_slice(z);
        }
    }

    /// z ← L⁻¹ z, in the order of elimination, L the factor of the sparse part.
    pub fn forward(&self, z: &mut [Real]) {
        let all = self;
        super::super::widest!(forward(all, z))
    }

    /// z ← L⁻ᵀ z, in the order of elimination.
    pub fn backward(&self, z: &mut [Real]) {
        let all = self;
        super::super::widest!(backward(all, z))
    }

    fn values_of(&self, panel: &Panel) -> &[Column] {
        &self.values[panel.value..panel.value + panel.entries()]
    }
}

#[inline(always)]
fn forward(all: &Elimination, z: &mut [Real]) {
    for panel in &all.panels {
        let values = all.values_of(panel);
        let (tiles, own) = (values.chunks_exact(panel.width), panel.start..panel.start + panel.own);
        for (t, tile) in tiles.enumerate() {
            let from = t * TILE;
            if from < panel.width {
                let x = &mut z[own.clone()];
                let mut sum = [0.0; TILE];
                add_up(&tile[..from], &x[..from], &mut sum);
                for k in 0..TILE.min(panel.own - from) {
                    x[from + k] = (x[from + k] - sum[k]) * tile[from + k][k];
                    let found = x[from + k];
                    sum = core::array::from_fn(|r| sum[r] + tile[from + k][r] * found);
                }
            } else {
                let mut sum = [0.0; TILE];
                add_up(&tile[..panel.own], &z[own.clone()], &mut sum);
                let rows = &all.rows[panel.below..panel.below_end];
                rows[from - panel.width..].iter().zip(sum).for_each(|(row, s)| z[*row as usize] -= s);
            }
        }
    }
}

/// Adds the columns of a tile, times x, in two sums that meet in the end.
#[inline(always)]
fn add_up(tile: &[Column], x: &[Real], sum: &mut Column) {
    let mut odd = [0.0; TILE];
    let (pairs, rest) = tile.as_chunks::<2>();
    let (xs, last) = x.as_chunks::<2>();
    for (tile, x) in pairs.iter().zip(xs) {
        *sum = core::array::from_fn(|r| sum[r] + tile[0][r] * x[0]);
        odd = core::array::from_fn(|r| odd[r] + tile[1][r] * x[1]);
    }
    for (tile, x) in rest.iter().zip(last) {
        *sum = core::array::from_fn(|r| sum[r] + tile[r] * x);
    }
    *sum = core::array::from_fn(|r| sum[r] + odd[r]);
}

#[inline(always)]
fn backward(all: &Elimination, z: &mut [Real]) {
    for panel in all.panels.iter().rev() {
        let values = all.values_of(panel);
        let (tiles, rows) = (panel.width / TILE, &all.rows[panel.below..panel.below_end]);
        for (t, rows) in rows.chunks(TILE).enumerate() {
            let mut y = [0.0; TILE];
            y.iter_mut().zip(rows).for_each(|(y, row)| *y = z[*row as usize]);
            let tile = &values[(tiles + t) * panel.width..];
            subtract_dots(&tile[..panel.own], &y, &mut z[panel.start..]);
        }
        for t in (0..tiles).rev() {
            let from = t * TILE;
            let tile = &values[t * panel.width..][..panel.width];
            let x = &mut z[panel.start..panel.start + panel.own];
            let mut y = [0.0; TILE];
            for k in (0..TILE.min(panel.own - from)).rev() {
                let column = &tile[from + k];
                let known = (k + 1..TILE).map(|r| column[r] * y[r]).sum::<Real>();
                y[k] = (x[from + k] - known) * column[k];
                x[from + k] = y[k];
            }
            subtract_dots(&tile[..from], &y, x);
        }
    }
}

/// Takes from each number of x the product of a column with y.
#[inline(always)]
fn subtract_dots(columns: &[Column], y: &Column, x: &mut [Real]) {
    for (column, x) in columns.iter().zip(x) {
        let p: Column = core::array::from_fn(|r| column[r] * y[r]);
        let q: [Real; 4] = core::array::from_fn(|r| p[r] + p[r + 4]);
        *x -= (q[0] + q[2]) + (q[1] + q[3]);
    }
}

/// The kernels for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Elimination, Real};

    #[target_feature(enable = "avx2")]
    pub(super) fn forward(all: &Elimination, z: &mut [Real]) {
        super::forward(all, z);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn backward(all: &Elimination, z: &mut [Real]) {
        super::backward(all, z);
    }
}
