//! A dense symmetric system, factored in tiles.

use super::tiles::{self, Column, TILE};
use crate::Real;

/// The Cholesky factor of a dense matrix, and what is solved with it. Keeps its room.
#[derive(Clone, Debug, Default)]
pub struct Dense {
    n: usize,
    width: usize,
    values: Vec<Column>,
    diagonal: Vec<Real>,
}

impl Dense {
    /// Factors the matrix whose lower half is `entry(i, j)`, i ≥ j; says which pivot is not positive.
    ///
    /// Cost: n³ / 3 operations.
    pub fn factor(&mut self, n: usize, mut entry: impl FnMut(usize, usize) -> Real) -> Result<(), usize> {
        (self.n, self.width) = (n, n.next_multiple_of(TILE));
        self.values.clear();
        self.values.resize(self.width / TILE * self.width, [0.0; TILE]);
        self.diagonal.clear();
        for i in 0..n {
            let row = i / TILE * self.width;
            (0..=i).for_each(|j| self.values[row + j][i % TILE] = entry(i, j));
            self.diagonal.push(self.values[row + i][i % TILE]);
        }
        for i in n..self.width {
            self.values[i / TILE * self.width + i][i % TILE] = 1.0;
        }
        factor_widest(&mut self.values, self.width, &self.diagonal)
    }

    /// Solves in place.
    pub fn solve(&self, x: &mut [Real]) {
        if x.is_empty() {
            // What was factored last may be of another size.
            return;
        }
        let at = |i: usize, j: usize| {
            let (tile, lane) = tiles::at(self.width, i, j);
            self.values[tile][lane]
        };
        for (t, tile) in self.values.chunks_exact(self.width.max(1)).enumerate() {
            let from = t * TILE;
            let mut sum = [0.0; TILE];
            for (column, x) in tile[..from].iter().zip(&*x) {
                sum = core::array::from_fn(|r| sum[r] + column[r] * x);
            }
            for k in from..(from + TILE).min(self.n) {
                let near: Real = (from..k).map(|j| at(k, j) * x[j]).sum();
                x[k] = (x[k] - sum[k - from] - near) * at(k, k);
            }
        }
        for t in (0..self.width / TILE).rev() {
            let from = t * TILE;
            let mut y = [0.0; TILE];
            for k in (from..(from + TILE).min(self.n)).rev() {
                let near: Real = (k + 1..(from + TILE).min(self.n)).map(|i| at(i, k) * x[i]).sum();
                x[k] = (x[k] - near) * at(k, k);
                y[k - from] = x[k];
            }
            let tile = &self.values[t * self.width..][..from];
            for (column, x) in tile.iter().zip(&mut *x) {
                let p: Column = core::array::from_fn(|r| column[r] * y[r]);
                *x -= ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
            }
        }
    }
}

fn factor_widest(values: &mut [Column], width: usize, diagonal: &[Real]) -> Result<(), usize> {
    super::widest!(factor_here(values, width, diagonal))
}

#[inline(always)]
fn factor_here(values: &mut [Column], width: usize, diagonal: &[Real]) -> Result<(), usize> {
    tiles::factor_panel(values, width, diagonal)
}

/// The kernels for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Column, Real};

    #[target_feature(enable = "avx2")]
    pub(super) fn factor_here(values: &mut [Column], width: usize, diagonal: &[Real]) -> Result<(), usize> {
        super::factor_here(values, width, diagonal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_of_every_size_are_solved_and_others_named() {
        let mut dense = Dense::default();
        for n in 0..40 {
            let entry = |i: usize, j: usize| {
                let far = i.abs_diff(j) as Real;
                if i == j { 3.0 + i as Real * 0.1 } else { 1.0 / (1.0 + far * far) }
            };
            dense.factor(n, entry).unwrap();
            let want: Vec<Real> = (0..n).map(|k| 1.0 - k as Real * 0.3).collect();
            let mut x: Vec<Real> = (0..n).map(|i| (0..n).map(|j| entry(i, j) * want[j]).sum()).collect();
            dense.solve(&mut x);
            assert!(x.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-12), "{n}");
        }
        let singular = |i: usize, j: usize| if i == j { 1.0 } else { f64::from(i == 17 && j == 3) };
        assert_eq!(dense.factor(20, singular), Err(17));
        assert_eq!(dense.factor(3, |_, _| Real::NAN), Err(0));
    }
}
