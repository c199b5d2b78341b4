//! Symmetric positive definite band matrices of 3 × 3 blocks and their Cholesky factors.

use crate::{Mat3, Real, Vec3};

/// Columns eliminated together: each entry of the remaining matrix is then loaded and stored once for all of them.
const PANEL: usize = 8;
/// Rows worked on together.
const LANES: usize = 4;

/// Bands as narrow as that, those of a rope, are eliminated column by column: a panel would be as wide as the band.
const NARROW: usize = 8;

/// A symmetric band matrix, and after [`Self::factor`] its Cholesky factor, with 1/l in place of each l on the diagonal.
///
/// Stored by columns, the lower half only: column c holds rows c to c + width, then zeros, so that the columns of a
/// panel can be read over the same rows and in whole lanes.
#[derive(Clone, Debug, Default)]
pub struct BandMatrix {
    /// Unknowns.
    n: usize,
    /// Entries below the diagonal in a column.
    width: usize,
    stride: usize,
    values: Vec<Real>,
}

impl BandMatrix {
    /// Makes room for `blocks` × `blocks` blocks, coupled over at most `half_band` blocks, all zero.
    /// Allocates only when the matrix becomes larger than it ever was.
    pub fn clear(&mut self, blocks: usize, half_band: usize) {
        self.n = 3 * blocks;
        self.width = (3 * half_band + 2).min(self.n.max(1) - 1);
        self.stride = if self.width <= NARROW { NARROW + LANES } else { self.width + 1 + PANEL + LANES };
        self.values.clear();
        self.values.resize(self.n * self.stride, 0.0);
    }

    /// Adds `scale` to the diagonal of block (i, j). Blocks above the diagonal are theirs below it.
    #[inline]
    pub fn add_scalar(&mut self, i: u32, j: u32, scale: Real) {
        let (i, j) = (3 * i.max(j) as usize, 3 * i.min(j) as usize);
        let at = j * self.stride + (i - j);
        for k in 0..3 {
            self.values[at + k * self.stride] += scale;
        }
    }

    /// Adds a block at (i, j), i ≠ j: the block itself where i is later, its transpose where j is.
    #[inline]
    pub fn add_block(&mut self, i: u32, j: u32, block: Mat3) {
        let (i, j, block) = if i > j { (i, j, block) } else { (j, i, block.transpose()) };
        let at = 3 * j as usize * self.stride + 3 * (i - j) as usize;
        for (b, column) in [block.x_axis, block.y_axis, block.z_axis].into_iter().enumerate() {
            let at = at + b * (self.stride - 1);
            let entries = &mut self.values[at..at + 3];
            entries[0] += column.x;
            entries[1] += column.y;
            entries[2] += column.z;
        }
    }

    /// Adds a symmetric block on the diagonal.
    #[inline]
    pub fn add_diagonal(&mut self, i: u32, block: Mat3) {
        let at = 3 * i as usize * self.stride;
        let column = &mut self.values[at..at + 3];
        column[0] += block.x_axis.x;
        column[1] += block.x_axis.y;
        column[2] += block.x_axis.z;
        let column = &mut self.values[at + self.stride..at + self.stride + 2];
        column[0] += block.y_axis.y;
        column[1] += block.y_axis.z;
        self.values[at + 2 * self.stride] += block.z_axis.z;
    }

    /// Adds [H −H; −H H] for two unknowns, H symmetric: the matrix of whatever depends on their difference.
    #[inline]
    pub fn add_pair(&mut self, i: u32, j: u32, block: Mat3) {
        self.add_diagonal(i, block);
        self.add_diagonal(j, block);
        let (i, j) = (i.max(j), i.min(j));
        let at = 3 * j as usize * self.stride + 3 * (i - j) as usize;
        for (b, column) in [block.x_axis, block.y_axis, block.z_axis].into_iter().enumerate() {
            let at = at + b * (self.stride - 1);
            let entries = &mut self.values[at..at + 3];
            entries[0] -= column.x;
            entries[1] -= column.y;
            entries[2] -= column.z;
        }
    }

    /// The block at (i, j), by rows; zero beyond the band. Before it is factored.
    pub fn block(&self, i: u32, j: u32) -> [[Real; 3]; 3] {
        let entry = |r: usize, c: usize| {
            let (r, c) = (r.max(c), r.min(c));
            if r - c > self.width { 0.0 } else { self.values[c * self.stride + (r - c)] }
        };
        core::array::from_fn(|p| core::array::from_fn(|q| entry(3 * i as usize + p, 3 * j as usize + q)))
    }

    /// Makes each entry on the diagonal larger by a share of itself.
    pub fn strengthen(&mut self, share: Real) {
        if share > 0.0 {
            self.values.iter_mut().step_by(self.stride).for_each(|x| *x *= 1.0 + share);
        }
    }

    /// Turns the matrix into its Cholesky factor; false where it is not positive definite.
    ///
    /// Cost: n · width² multiplications, in the same order whatever machine runs it.
    pub fn factor(&mut self) -> bool {
        let matrix = self;
        super::widest!(factor(matrix))
    }

    /// Columns `from` to `from + panel`, which owe nothing to earlier ones any more.
    #[inline(always)]
    fn factor_panel(&mut self, from: usize, panel: usize) -> bool {
        for c in from..from + panel {
            let (before, column) = self.values[from * self.stride..].split_at_mut((c - from) * self.stride);
            for k in 0..c - from {
                let earlier = &before[k * self.stride..(k + 1) * self.stride];
                let shift = c - from - k;
                let factor = earlier[shift];
                // Rows c to the end of the earlier column.
                let rows = (self.width + 1 - shift.min(self.width)).next_multiple_of(LANES);
                subtract(&mut column[..rows], &earlier[shift..shift + rows], factor);
            }
            let pivot = column[0];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return false;
            }
            let scale = 1.0 / pivot.sqrt();
            column[1..=self.width].iter_mut().for_each(|x| *x *= scale);
            column[0] = scale;
        }
        true
    }

    /// Subtracts what a whole panel contributes to the columns behind it.
    #[inline(always)]
    fn update_behind(&mut self, from: usize) {
        let (stride, width) = (self.stride, self.width);
        let (done, rest) = self.values[from * stride..].split_at_mut(PANEL * stride);
        // The last row that the panel reaches is `from + PANEL − 1 + width`.
        for (k, column) in rest.chunks_exact_mut(stride).take(width).enumerate() {
            // Whole lanes: what is too much meets zeros.
            let rows = (width - k).next_multiple_of(LANES);
            let column = column[..rows].as_chunks_mut::<LANES>().0;
            // Of panel column p, the row at the top of this column is entry PANEL − p + k.
            let l: [&[[Real; LANES]]; PANEL] = core::array::from_fn(|p| {
                let at = p * stride + PANEL - p + k;
                done[at..at + rows].as_chunks().0
            });
            let m: [Real; PANEL] = core::array::from_fn(|p| l[p][0][0]);
            for (i, entries) in column.iter_mut().enumerate() {
                let mut x = *entries;
                for p in 0..PANEL {
                    let y = l[p][i];
                    x = core::array::from_fn(|lane| x[lane] - y[lane] * m[p]);
                }
                *entries = x;
            }
        }
    }

    /// Solves with the factor, in place. Cost: 4 · n · width operations.
    pub fn solve(&self, x: &mut Vec<Real>) {
        // Room for whole lanes at the end.
        x.resize(self.n + self.stride, 0.0);
        self.solve_padded(x);
        x.truncate(self.n);
    }

    fn solve_padded(&self, x: &mut [Real]) {
        let matrix = self;
        super::widest!(solve(matrix, x))
    }
}

/// The kernels for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{BandMatrix, Real};

    #[target_feature(enable = "avx2")]
    pub(super) fn factor(matrix: &mut BandMatrix) -> bool {
        super::factor(matrix)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn solve(matrix: &BandMatrix, x: &mut [Real]) {
        super::solve(matrix, x);
    }
}

#[inline(always)]
fn factor(matrix: &mut BandMatrix) -> bool {
    if matrix.width <= NARROW {
        return factor_narrow(&mut matrix.values);
    }
    let mut from = 0;
    while from < matrix.n {
        let panel = PANEL.min(matrix.n - from);
        if !matrix.factor_panel(from, panel) {
            return false;
        }
        if panel == PANEL {
            matrix.update_behind(from);
        }
        from += panel;
    }
    true
}

/// Columns of a narrow band: the diagonal, [`NARROW`] entries, zeros.
type Column = [Real; NARROW + LANES];

#[inline(always)]
fn factor_narrow(values: &mut [Real]) -> bool {
    let columns = values.as_chunks_mut::<{ NARROW + LANES }>().0;
    for c in 0..columns.len() {
        let pivot = columns[c][0];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        let scale = 1.0 / pivot.sqrt();
        // The entries below the diagonal, and zeros for whole lanes from any of them on.
        let mut below = [0.0; 2 * NARROW];
        for k in 0..NARROW {
            below[k] = columns[c][k + 1] * scale;
        }
        columns[c][0] = scale;
        columns[c][1..=NARROW].copy_from_slice(&below[..NARROW]);
        let (_, behind) = columns.split_at_mut(c + 1);
        for (k, column) in behind.iter_mut().take(NARROW).enumerate() {
            let rows = (NARROW - k).next_multiple_of(LANES);
            subtract(&mut column[..rows], &below[k..k + rows], below[k]);
        }
    }
    true
}

/// The eight entries below the diagonal, in two lanes.
#[inline(always)]
fn below(column: &Column) -> [[Real; LANES]; 2] {
    [core::array::from_fn(|k| column[1 + k]), core::array::from_fn(|k| column[1 + LANES + k])]
}

#[inline(always)]
fn solve_narrow(values: &[Real], x: &mut [Real]) {
    let columns = values.as_chunks::<{ NARROW + LANES }>().0;
    for (c, column) in columns.iter().enumerate() {
        x[c] *= column[0];
        let value = x[c];
        let [l, m] = below(column);
        let Some(next) = x[c + 1..].first_chunk_mut::<NARROW>() else { return };
        for k in 0..LANES {
            next[k] -= l[k] * value;
            next[LANES + k] -= m[k] * value;
        }
    }
    for (c, column) in columns.iter().enumerate().rev() {
        let [l, m] = below(column);
        let Some(next) = x[c + 1..].first_chunk::<NARROW>() else { return };
        let sum: [Real; LANES] = core::array::from_fn(|k| l[k] * next[k] + m[k] * next[LANES + k]);
        x[c] = (x[c] - ((sum[0] + sum[1]) + (sum[2] + sum[3]))) * column[0];
    }
}

/// Four columns at a time: what one of them needs of the others is little, what they all need of the rest is had in
/// whole lanes.
#[inline(always)]
fn solve(matrix: &BandMatrix, x: &mut [Real]) {
    if matrix.width <= NARROW {
        return solve_narrow(&matrix.values, x);
    }
    let (n, stride) = (matrix.n, matrix.stride);
    let rows = matrix.width.next_multiple_of(LANES);
    let column = |c: usize| &matrix.values[c * stride..(c + 1) * stride];
    let whole = n - n % 4;
    for c in (0..whole).step_by(4) {
        let l: [&[Real]; 4] = core::array::from_fn(|k| column(c + k));
        let v0 = x[c] * l[0][0];
        let v1 = (x[c + 1] - l[0][1] * v0) * l[1][0];
        let v2 = (x[c + 2] - l[0][2] * v0 - l[1][1] * v1) * l[2][0];
        let v3 = (x[c + 3] - l[0][3] * v0 - l[1][2] * v1 - l[2][1] * v2) * l[3][0];
        let v = [v0, v1, v2, v3];
        x[c..c + 4].copy_from_slice(&v);
        let below: [&[[Real; LANES]]; 4] = core::array::from_fn(|k| l[k][4 - k..4 - k + rows].as_chunks().0);
        for (i, x) in x[c + 4..c + 4 + rows].as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let mut sum = *x;
            for k in 0..4 {
                let y = below[k][i];
                sum = core::array::from_fn(|lane| sum[lane] - y[lane] * v[k]);
            }
            *x = sum;
        }
    }
    for c in whole..n {
        let l = column(c);
        x[c] *= l[0];
        let value = x[c];
        subtract(&mut x[c + 1..c + 1 + rows], &l[1..=rows], value);
    }
    for c in (whole..n).rev() {
        let l = column(c);
        x[c] = (x[c] - dot(&l[1..=rows], &x[c + 1..c + 1 + rows])) * l[0];
    }
    for c in (0..whole).step_by(4).rev() {
        let l: [&[Real]; 4] = core::array::from_fn(|k| column(c + k));
        let behind = &x[c + 4..c + 4 + rows];
        let sum: [Real; 4] = core::array::from_fn(|k| dot(&l[k][4 - k..4 - k + rows], behind));
        let v3 = (x[c + 3] - sum[3]) * l[3][0];
        let v2 = (x[c + 2] - sum[2] - l[2][1] * v3) * l[2][0];
        let v1 = (x[c + 1] - sum[1] - l[1][1] * v2 - l[1][2] * v3) * l[1][0];
        let v0 = (x[c] - sum[0] - l[0][1] * v1 - l[0][2] * v2 - l[0][3] * v3) * l[0][0];
        x[c..c + 4].copy_from_slice(&[v0, v1, v2, v3]);
    }
}

/// x −= y · m, for whole lanes.
#[inline(always)]
fn subtract(x: &mut [Real], y: &[Real], m: Real) {
    for (x, y) in x.as_chunks_mut::<LANES>().0.iter_mut().zip(y.as_chunks::<LANES>().0) {
        *x = core::array::from_fn(|lane| x[lane] - y[lane] * m);
    }
}

/// A sum of products in four lanes, then the lanes in order: fixed, and open to vector units.
#[inline(always)]
pub fn dot(a: &[Real], b: &[Real]) -> Real {
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: Real = a4.remainder().iter().zip(b4.remainder()).map(|(x, y)| x * y).sum();
    let mut lanes = [0.0; 4];
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            lanes[k] += x[k] * y[k];
        }
    }
    ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + rest
}

/// x += scale · y
#[inline]
pub fn add_scaled(x: &mut [Real], y: &[Real], scale: Real) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += scale * y);
}

/// x = scale · x + y
#[inline]
pub fn scale_and_add(x: &mut [Real], scale: Real, y: &[Real]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x = scale * *x + y);
}

/// Three numbers of a flat vector.
#[inline]
pub fn three(x: &[Real], i: u32) -> Vec3 {
    let at = 3 * i as usize;
    Vec3::new(x[at], x[at + 1], x[at + 2])
}

/// Adds to three numbers of a flat vector.
#[inline]
pub fn add_three(x: &mut [Real], i: u32, v: Vec3) {
    let x = &mut x[3 * i as usize..3 * i as usize + 3];
    x[0] += v.x;
    x[1] += v.y;
    x[2] += v.z;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A random matrix of that shape, positive definite by weight on the diagonal, as a band and dense.
    fn random(blocks: usize, half_band: usize, seed: u64) -> (BandMatrix, Vec<Vec<Real>>) {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as Real / (1u64 << 31) as Real - 0.5
        };
        let mut band = BandMatrix::default();
        band.clear(blocks, half_band);
        let mut dense = vec![vec![0.0; 3 * blocks]; 3 * blocks];
        for i in 0..blocks {
            for j in i.saturating_sub(half_band)..=i {
                let mut m = Mat3::from_cols_array(&core::array::from_fn(|_| next()));
                if i == j {
                    m = m + m.transpose() + Mat3::from_diagonal(Vec3::splat(6.0 * (half_band + 1) as Real));
                    band.add_diagonal(i as u32, m);
                } else if i % 2 == 0 {
                    band.add_block(i as u32, j as u32, m);
                } else {
                    band.add_block(j as u32, i as u32, m.transpose());
                }
                for a in 0..3 {
                    for b in 0..3 {
                        dense[3 * i + a][3 * j + b] = m.col(b)[a];
                        dense[3 * j + b][3 * i + a] = m.col(b)[a];
                    }
                }
            }
        }
        band.add_scalar(0, 0, 1.0);
        (0..3).for_each(|k| dense[k][k] += 1.0);
        (band, dense)
    }

    #[test]
    fn solutions_satisfy_the_dense_system() {
        for (blocks, half_band) in [(1, 0), (2, 1), (3, 7), (5, 2), (40, 3), (101, 8)] {
            let (mut band, dense) = random(blocks, half_band, 7 + blocks as u64);
            let b: Vec<Real> = (0..3 * blocks).map(|i| (i as Real * 0.7).sin()).collect();
            let mut x = b.clone();
            assert!(band.factor());
            band.solve(&mut x);
            for (row, want) in dense.iter().zip(&b) {
                let got: Real = row.iter().zip(&x).map(|(a, x)| a * x).sum();
                assert!((got - want).abs() < 1e-12, "{blocks} {half_band}: {got} {want}");
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_is_refused() {
        let mut band = BandMatrix::default();
        band.clear(2, 1);
        band.add_scalar(0, 0, 1.0);
        band.add_scalar(1, 1, 1.0);
        band.add_scalar(0, 1, 2.0);
        assert!(!band.factor());
        band.clear(1, 0);
        band.add_scalar(0, 0, f64::NAN);
        assert!(!band.factor());
    }
}
