//! A dense factor. On one thread, so that its bits do not depend on their number.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::triangular_solve::{solve_unit_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{MatMut, MatRef, Par};
use rayon::prelude::*;
use serosa_geometry::Real;

/// A pivot below this part of the largest is none.
const SINGULAR: Real = 1e-13;
/// Right-hand sides that are solved at a time: fixed, so that the bits do not depend on the threads.
const TOGETHER: usize = 48;

/// L U = P A.
#[derive(Clone, Debug, Default)]
pub(super) struct Lu {
    n: usize,
    /// Both triangles, by columns.
    values: Vec<Real>,
    /// Which row of the matrix is at each place.
    rows: Vec<usize>,
}

impl Lu {
    /// Factors a matrix that stands by columns; none where it has no inverse. O(n³).
    pub fn of(mut values: Vec<Real>, n: usize) -> Option<Self> {
        let mut rows = vec![0_usize; n];
        let mut places = vec![0_usize; n];
        let scratch = lu_in_place_scratch::<usize, Real>(n, n, Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(scratch).ok()?;
        let matrix = MatMut::from_column_major_slice_mut(&mut values, n, n);
        let stack = MemStack::new(&mut memory);
        lu_in_place(matrix, &mut rows, &mut places, Par::Seq, stack, Default::default());
        let pivots = (0..n).map(|i| values[i * n + i].abs());
        let most = pivots.clone().fold(0.0, Real::max);
        let sound = pivots.clone().all(|p| p.is_finite() && p > SINGULAR * most);
        sound.then_some(Self { n, values, rows })
    }

    /// Solves for right-hand sides that stand by columns, in place. O(n²) each.
    pub fn solve(&self, right: &mut [Real]) {
        right.par_chunks_mut(self.n * TOGETHER).for_each(|right| {
            let mut column = vec![0.0; self.n];
            for x in right.chunks_exact_mut(self.n) {
                column.copy_from_slice(x);
                x.iter_mut().zip(&self.rows).for_each(|(x, row)| *x = column[*row]);
            }
            let count = right.len() / self.n;
            let factor = MatRef::from_column_major_slice(&self.values, self.n, self.n);
            let mut right = MatMut::from_column_major_slice_mut(right, self.n, count);
            solve_unit_lower_triangular_in_place(factor, right.as_mut(), Par::Seq);
            solve_upper_triangular_in_place(factor, right.as_mut(), Par::Seq);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_solved_and_singular_ones_refused() {
        let n = 70;
        let entry =
            |i: usize, j: usize| libm::sin((3 * i + 7 * j * j) as Real) + if i == j { 0.3 } else { 0.0 };
        let values: Vec<Real> = (0..n * n).map(|k| entry(k % n, k / n)).collect();
        let want: Vec<Real> = (0..2 * n).map(|k| k as Real * 0.1 - 1.0).collect();
        let mut x: Vec<Real> =
            (0..2 * n).map(|k| (0..n).map(|j| entry(k % n, j) * want[k / n * n + j]).sum()).collect();
        Lu::of(values.clone(), n).unwrap().solve(&mut x);
        assert!(x.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-9));
        let mut twice = values;
        twice.copy_within(0..n, n);
        assert!(Lu::of(twice, n).is_none());
    }
}
