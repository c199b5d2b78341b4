//! Small matrices: six unknowns, a rigid frame's step; three by three.

use crate::{Mat3, Real, Vec3};

/// A symmetric positive definite 6 × 6 system, gathered term by term; only the lower half is read.
#[derive(Clone, Copy, Debug)]
pub struct Six {
    matrix: [[Real; 6]; 6],
    rhs: [Real; 6],
}

impl Six {
    /// The system with a diagonal matrix and no right-hand side: three translations, then three rotations.
    pub fn diagonal(linear: Real) -> Self {
        let mut matrix = [[0.0; 6]; 6];
        (0..3).for_each(|i| matrix[i][i] = linear);
        Self { matrix, rhs: [0.0; 6] }
    }

    /// Adds scale · j jᵀ to the matrix, where j is the row (linear, angular).
    pub fn add_outer(&mut self, linear: Vec3, angular: Vec3, scale: Real) {
        let j = join(linear, angular);
        for (row, a) in self.matrix.iter_mut().zip(&j) {
            row.iter_mut().zip(&j).for_each(|(x, b)| *x += scale * a * b);
        }
    }

    /// Adds Jᵀ block J, where J takes a step to that of a point `arm` away from the origin; `block` is symmetric.
    pub fn add_block(&mut self, arm: Vec3, block: Mat3) {
        for (unit, column) in
            [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip([block.x_axis, block.y_axis, block.z_axis])
        {
            let (i, j) = (join(unit, arm.cross(unit)), join(column, arm.cross(column)));
            for (row, a) in self.matrix.iter_mut().zip(&i) {
                row.iter_mut().zip(&j).for_each(|(x, b)| *x += a * b);
            }
        }
    }

    /// Adds a symmetric block to the rotations.
    pub fn add_turning(&mut self, block: Mat3) {
        let columns = [block.x_axis, block.y_axis, block.z_axis];
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            self.matrix[3 + i][3 + j] += columns[j][i];
        }
    }

    /// The solution without rotations.
    pub fn shift(&self) -> Option<Vec3> {
        let column = |c: usize| Vec3::new(self.matrix[0][c], self.matrix[1][c], self.matrix[2][c]);
        let block = Mat3::from_cols(column(0), column(1), column(2));
        let shift = block.inverse() * Vec3::new(self.rhs[0], self.rhs[1], self.rhs[2]);
        shift.is_finite().then_some(shift)
    }

    /// Adds (linear, angular) to the right-hand side.
    pub fn add_rhs(&mut self, linear: Vec3, angular: Vec3) {
        let j = join(linear, angular);
        (0..6).for_each(|i| self.rhs[i] += j[i]);
    }

    /// The solution, or nothing where the matrix is not positive definite.
    pub fn solve(mut self) -> Option<(Vec3, Vec3)> {
        let m = &mut self.matrix;
        for c in 0..6 {
            for k in 0..c {
                let l = m[c][k];
                m[c..].iter_mut().for_each(|row| row[c] -= row[k] * l);
            }
            if !(m[c][c] > 0.0 && m[c][c].is_finite()) {
                return None;
            }
            let root = m[c][c].sqrt();
            m[c..].iter_mut().for_each(|row| row[c] /= root);
        }
        let mut x = self.rhs;
        for r in 0..6 {
            (0..r).for_each(|c| x[r] -= self.matrix[r][c] * x[c]);
            x[r] /= self.matrix[r][r];
        }
        for r in (0..6).rev() {
            (r + 1..6).for_each(|c| x[r] -= self.matrix[c][r] * x[c]);
            x[r] /= self.matrix[r][r];
        }
        Some((Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5])))
    }
}

fn join(a: Vec3, b: Vec3) -> [Real; 6] {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

/// along · n nᵀ + across · (I − n nᵀ)
#[inline]
pub(crate) fn along_and_across(n: Vec3, along: Real, across: Real) -> Mat3 {
    let m = n * (along - across);
    let mut block = Mat3::from_cols(n * m.x, n * m.y, n * m.z);
    block.x_axis.x += across;
    block.y_axis.y += across;
    block.z_axis.z += across;
    block
}
